//! What the policy guide shows is what the code takes, key by key.

use std::collections::BTreeSet;

use toml::{Table, Value};
use workspace_tools::{BackgroundPolicy, Policy, ShellPolicy, TestsPolicy};

const GUIDE: &str = include_str!("../../docs/policy.md");

/// The TOML blocks of the guide: the rules of files, the rules of commands.
fn blocks() -> [&'static str; 2] {
    let blocks = GUIDE.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.collect::<Vec<_>>().try_into().expect("two blocks of TOML")
}

fn read(block: &str) -> Policy {
    toml::from_str(block).unwrap_or_else(|error| panic!("docs/policy.md shows what is no policy: {error}"))
}

/// The keys of a table of the policy, asked for by giving one that there is not.
fn taken(table: &str) -> Vec<String> {
    let header = if table.is_empty() { String::new() } else { format!("[{table}]\n") };
    let error = toml::from_str::<Policy>(&format!("{header}\"?\" = 0")).unwrap_err();
    error.message().split('`').skip(3).step_by(2).map(str::to_owned).collect()
}

#[test]
fn the_guide_shows_every_key() {
    fn shown(table: &Table, at: &str, keys: &mut BTreeSet<String>) {
        for (key, value) in table {
            let key = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
            match value {
                Value::Table(below) if !["approval", "shell.env"].contains(&key.as_str()) => {
                    shown(below, &key, keys);
                }
                _ => {}
            }
            keys.insert(key);
        }
    }
    let mut keys = BTreeSet::new();
    for block in blocks() {
        shown(&block.parse().expect("TOML"), "", &mut keys);
    }
    let mut expected = BTreeSet::new();
    for section in taken("") {
        if section != "approval" {
            expected.extend(taken(&section).into_iter().map(|key| format!("{section}.{key}")));
        }
        expected.insert(section);
    }
    expected.extend(taken("shell.background").into_iter().map(|key| format!("shell.background.{key}")));
    assert_eq!(keys, expected);
}

#[test]
fn the_guide_shows_the_defaults() {
    let [files, commands] = blocks().map(read);
    assert_eq!(format!("{files:?}"), format!("{:?}", Policy::default()));

    let mut shell = ShellPolicy::allowing(["cargo", "git"]);
    shell.inherit_env = vec!["CARGO_HOME".into()];
    shell.env = [("CI".into(), "1".into())].into();
    shell.background = Some(BackgroundPolicy::default());
    assert_eq!(format!("{:?}", commands.shell), format!("{:?}", Some(shell)));
    assert_eq!(format!("{:?}", commands.tests), format!("{:?}", Some(TestsPolicy::running("cargo test"))));
    for tool in ["run_shell", "read_file"] {
        assert_eq!(commands.approval.mode(tool), Policy::default().approval.mode(tool), "{tool}");
    }
}
