//! Judging a line under every policy and in both modes, and what holds for
//! every verdict. The properties and the fuzz target share it.

use std::collections::HashSet;
use std::sync::LazyLock;

use workspace_shell_policy::{
    ArgPaths, CommandLine, DenyPattern, JailView, LexicalJail, MAX_LINE_BYTES, Mode, Place, ShellPolicy,
    Writes,
};

/// Policies that between them reach every rule.
pub(crate) static POLICIES: LazyLock<Vec<ShellPolicy>> = LazyLock::new(|| {
    vec![
        ShellPolicy::new(),
        ShellPolicy::developer(),
        ShellPolicy::posix_utilities(),
        ShellPolicy::read_only(),
        ShellPolicy::new().deny(["rm"]).arg_paths(ArgPaths::Jail).writes(Writes::Refuse),
        ShellPolicy::new()
            .deny_patterns(["git push --force", "rm -rf", "find -delete"])
            .unwrap()
            .deny_pattern(DenyPattern::regex("^x y").unwrap()),
        ShellPolicy::new().allow_patterns(["git status"]).unwrap().deny_paths(["a/**"]).unwrap(),
    ]
});

/// Judges a line in every way, and checks what holds for every verdict.
#[track_caller]
pub(crate) fn judge_everywhere(line: &str) {
    for policy in POLICIES.iter() {
        for mode in [Mode::Argv, Mode::Sh] {
            judge(policy, mode, line);
        }
    }
}

/// Judges a line and looks at everything that the answer holds.
#[track_caller]
pub(crate) fn judge(policy: &ShellPolicy, mode: Mode, line: &str) {
    let jail = LexicalJail::new("/work");
    let mut review = policy.review(&CommandLine::new(mode, line));
    // Each path is asked for once, so that the questions end.
    let mut asked = HashSet::new();
    while let Some(path) = review.next_path() {
        assert!(asked.insert(path.clone()), "{line:?} asks for `{path}` twice");
        let place = jail.resolve(&path);
        review.answer(path, place);
    }
    let verdict = review.verdict();
    if let Some(refusal) = &verdict.refusal {
        assert!(line.get(refusal.span.clone()).is_some(), "{line:?}: {:?}", refusal.span);
        assert_ne!(refusal.message, "the checker failed on this line", "{line:?}");
        assert!(refusal.message.len() < 1000 + 3 * line.len(), "{line:?}: {}", refusal.message);
        refusal.underlined(line);
        return;
    }
    assert!(line.len() <= MAX_LINE_BYTES);
    assert!(mode == Mode::Sh || verdict.argv().is_some(), "{line:?}");
    // An accepted line stays accepted where nothing is restricted.
    let open = ShellPolicy::new().review(&CommandLine::new(mode, line));
    assert!(open.verdict_with(&|path: &str| Place::Inside(path.to_owned())).runs(), "{line:?}");
}
