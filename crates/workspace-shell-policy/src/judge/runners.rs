//! Opaque runners.

use super::Program;
use super::lists::after_globals;
use super::texts::is_option;
use crate::course::Command;
use crate::syntax::Arg;
use crate::tables::instead::instead;
use crate::tables::runners::{by_option, by_subcommand, is_group};
use crate::{Reason, Refusal};

/// The refusal of a program that runs what the checker does not read.
pub(super) fn opaque(command: &Command, program: &Program<'_>) -> Option<Box<Refusal>> {
    let args = command.args();
    let first = args.first()?;
    let name = program.key;
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

/// A subcommand that runs commands.
///
/// A word behind an option may be the option's value, so the subcommand can
/// stand behind it as well.
fn runs_by_subcommand(program: &str, args: &[Arg]) -> Option<&'static str> {
    let words = by_subcommand(program);
    if words.is_empty() {
        return None;
    }
    let mut at = after_globals(program, args);
    let mut may_be_value = false;
    let mut grouped = false;
    while let Some(arg) = args.get(at).filter(|arg| !arg.is("--")) {
        at += 1;
        if let Some(word) = words.iter().find(|word| could_be(arg, word)) {
            return Some(word);
        }
        if is_option(arg) {
            may_be_value = !arg.prefix().contains('=');
            continue;
        }
        grouped |= arg.text().is_some_and(is_group);
        if !may_be_value && !grouped {
            return None;
        }
        may_be_value = false;
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
