//! Opaque runners.

use super::Program;
use crate::course::Command;
use crate::syntax::Arg;
use crate::tables::instead::instead;
use crate::tables::runners::{by_option, by_subcommand};
use crate::{Reason, Refusal};

/// The refusal of a program that runs what the checker does not read.
pub(super) fn opaque(command: &Command, program: &Program<'_>) -> Option<Box<Refusal>> {
    let args = command.args();
    let first = args.first()?;
    let name = program.key.as_str();
    let how = if program.profile.opaque && !is_harmless(program, args) {
        format!("`{name}` runs commands that are not seen here")
    } else if let Some(word) = runs_by_subcommand(program.profile.name, args) {
        format!("`{name} {word}` runs commands that are not seen here")
    } else if let Some(word) = runs_by_option(program.profile.name, args) {
        format!("`{name} {word}` runs commands that are not seen here")
    } else {
        return None;
    };
    let hint = instead(program.profile.name).unwrap_or("run the inner command directly");
    Some(Refusal::new(Reason::NestedCommand, first.span.clone(), how).hint(hint))
}

/// Uses of a runner that run nothing.
fn is_harmless(program: &Program<'_>, args: &[Arg]) -> bool {
    match (program.name, args) {
        (_, [_, only]) if only.is("--version") => true,
        // `trap - EXIT` and `trap '' INT` set no action.
        ("trap", [_]) => true,
        ("trap", [_, action, ..]) => action.is("-") || action.is(""),
        _ => false,
    }
}

/// A subcommand that runs commands, among the words before `--`.
///
/// Any place counts: which words before it are values of options is not known.
fn runs_by_subcommand(program: &str, args: &[Arg]) -> Option<&'static str> {
    let words = by_subcommand(program);
    if words.is_empty() {
        return None;
    }
    let before = args.iter().skip(1).take_while(|arg| !arg.is("--"));
    // `npm run exec` and the like run a script of that name.
    let mut script = false;
    for arg in before {
        if let Some(word) = words.iter().find(|word| could_be(arg, word)).filter(|_| !script) {
            return Some(word);
        }
        script |= matches!(program, "npm" | "pnpm" | "yarn")
            && matches!(arg.text(), Some("run" | "run-script" | "test"));
    }
    None
}

fn runs_by_option(program: &str, args: &[Arg]) -> Option<&'static str> {
    let options = by_option(program);
    options.iter().copied().find(|option| args.iter().skip(1).any(|arg| could_be(arg, option)))
}

/// Whether a word may turn out to be this one.
pub(super) fn could_be(arg: &Arg, word: &str) -> bool {
    match (arg.text(), arg.runtime()) {
        (Some(text), _) => text == word,
        (None, Some(runtime)) => super::texts::may_equal(runtime, word),
        (None, None) => false,
    }
}
