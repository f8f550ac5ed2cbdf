//! How tests of rules are written: a policy, lines that run, lines that do not.

use workspace_shell_policy::{LexicalJail, Mode, Reason, ShellPolicy, Verdict, Word, check};

pub(crate) const ROOT: &str = "/work";

pub(crate) fn verdict(policy: &ShellPolicy, mode: Mode, line: &str) -> Verdict {
    check(Some(policy), mode, line, &LexicalJail::new(ROOT))
}

/// Every line runs.
#[track_caller]
pub(crate) fn runs(policy: &ShellPolicy, mode: Mode, lines: &[&str]) {
    for line in lines {
        let verdict = verdict(policy, mode, line);
        assert!(verdict.runs(), "{line:?}: {:?}", verdict.refusal);
    }
}

/// Every line is refused for this reason.
#[track_caller]
pub(crate) fn refuses(policy: &ShellPolicy, mode: Mode, reason: Reason, lines: &[&str]) {
    for line in lines {
        let verdict = verdict(policy, mode, line);
        assert_eq!(verdict.reason(), Some(reason), "{line:?}: {:?}", verdict.refusal);
    }
}

/// The commands that an accepted line starts, each as its words joined by blanks; run-time words in brackets.
#[track_caller]
pub(crate) fn commands(policy: &ShellPolicy, mode: Mode, line: &str) -> Vec<String> {
    let verdict = verdict(policy, mode, line);
    assert!(verdict.runs(), "{line:?}: {:?}", verdict.refusal);
    let shown = |word: &Word| match word {
        Word::Known(text) => text.clone(),
        Word::Raw(source) => format!("[{source}]"),
    };
    verdict.commands.iter().map(|words| words.iter().map(shown).collect::<Vec<_>>().join(" ")).collect()
}
