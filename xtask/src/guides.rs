//! What the policy guide shows is what the code takes, with its defaults.

use workspace_tools::{BackgroundPolicy, Policy, ShellPolicy, ShellPreset, TestsPolicy};

const GUIDE: &str = include_str!("../../docs/policy.md");

/// The TOML blocks of the guide: the rules of files, the rules of commands.
fn blocks() -> [&'static str; 2] {
    let blocks = GUIDE.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.collect::<Vec<_>>().try_into().expect("two blocks of TOML")
}

fn read(block: &str) -> Policy {
    toml::from_str(block).unwrap_or_else(|error| panic!("docs/policy.md shows what is no policy: {error}"))
}

#[test]
fn the_guide_shows_the_defaults() {
    let [files, commands] = blocks().map(read);
    assert_eq!(format!("{files:?}"), format!("{:?}", Policy::default()));

    let mut shell = ShellPolicy::allowing(["cargo", "git"]);
    shell.preset = Some(ShellPreset::Developer);
    shell.inherit_env = vec!["CARGO_HOME".into()];
    shell.env = [("CI".into(), "1".into())].into();
    shell.background = Some(BackgroundPolicy::default());
    assert_eq!(format!("{:?}", commands.shell), format!("{:?}", Some(shell)));
    assert_eq!(format!("{:?}", commands.tests), format!("{:?}", Some(TestsPolicy::running("cargo test"))));
    for tool in ["run_shell", "read_file"] {
        assert_eq!(commands.approval.mode(tool), Policy::default().approval.mode(tool), "{tool}");
    }
}
