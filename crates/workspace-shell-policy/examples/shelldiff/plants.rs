//! Checkers with a planted fault: a hunt that finds nothing in them proves nothing.

use workspace_shell_policy::{JailView, Mode, Place, ShellPolicy, Verdict, Word, check};

/// A way to judge a line.
pub(crate) type Judge = fn(&ShellPolicy, &str, &dyn JailView) -> Verdict;

/// The checker itself.
pub(crate) fn sound(policy: &ShellPolicy, line: &str, jail: &dyn JailView) -> Verdict {
    check(Some(policy), Mode::Sh, line, jail)
}

/// Checkers with a fault, by what they do wrong.
pub(crate) const PLANTS: &[(&str, Judge)] = &[
    ("a newline is read as a blank", newline_is_blank),
    ("backticks are read as quotes", backticks_are_quotes),
    ("run-time words are reported as known", words_are_known),
    ("every path is inside", every_path_is_inside),
    ("what a wrapper runs is not reported", wrappers_hide),
];

fn newline_is_blank(policy: &ShellPolicy, line: &str, jail: &dyn JailView) -> Verdict {
    sound(policy, &line.replace('\n', " "), jail)
}

fn backticks_are_quotes(policy: &ShellPolicy, line: &str, jail: &dyn JailView) -> Verdict {
    sound(policy, &line.replace('`', "'"), jail)
}

fn words_are_known(policy: &ShellPolicy, line: &str, jail: &dyn JailView) -> Verdict {
    let mut verdict = sound(policy, line, jail);
    for word in verdict.commands.iter_mut().flatten() {
        *word = Word::Known(word.text().to_owned());
    }
    verdict
}

fn every_path_is_inside(policy: &ShellPolicy, line: &str, _: &dyn JailView) -> Verdict {
    sound(policy, line, &|path: &str| Place::Inside(path.to_owned()))
}

fn wrappers_hide(policy: &ShellPolicy, line: &str, jail: &dyn JailView) -> Verdict {
    let mut verdict = sound(policy, line, jail);
    let mut hidden = false;
    verdict.commands.retain(|words| {
        let keep = !std::mem::take(&mut hidden);
        hidden =
            words.first().is_some_and(|word| matches!(word.text(), "env" | "timeout" | "nice" | "command"));
        keep
    });
    verdict
}
