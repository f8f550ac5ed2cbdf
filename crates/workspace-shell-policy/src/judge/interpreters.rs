//! Interpreters that are given program text.

use super::Program;
use super::texts::may_be_option;
use crate::course::Command;
use crate::syntax::{Arg, Span};
use crate::tables::interpreters::{Input, Interpreter};
use crate::{Reason, Refusal};

/// The refusal of an interpreter that runs text from its command line or its input.
pub(super) fn given_text(command: &Command, program: &Program<'_>) -> Option<Box<Refusal>> {
    let interpreter = program.profile.interpreter?;
    let args = command.args();
    let span = text_at(interpreter, command, args)?;
    let message = format!("`{}` is given a program text, which can start any command", program.key);
    Some(
        Refusal::new(Reason::NestedCommand, span, message)
            .hint("write the program to a file and run that file"),
    )
}

/// Where the program text, or the word that may be one, stands.
fn text_at(interpreter: &Interpreter, command: &Command, args: &[Arg]) -> Option<Span> {
    let escapes = |arg: &&Arg| interpreter.escapes.iter().any(|escape| arg.shown().contains(escape));
    if let Some(arg) = args.iter().skip(1).find(escapes) {
        return Some(arg.span.clone());
    }
    if command.fed && interpreter.input == Input::Always {
        return Some(command.span.clone());
    }
    let mut at = 1;
    let mut only_asks = false;
    while let Some(arg) = args.get(at) {
        at += 1;
        let Some(word) = arg.text() else {
            if arg.runtime().is_some_and(may_be_option) {
                return Some(arg.span.clone());
            }
            return None;
        };
        if word == "-" || interpreter.subcommands.contains(&word) {
            return Some(arg.span.clone());
        }
        if word == "--" {
            return args.get(at).is_none().then(|| arg.span.clone());
        }
        let letters = word.strip_prefix('-')?;
        if let Some(long) = letters.strip_prefix('-') {
            let name = long.split('=').next().unwrap_or(long);
            if interpreter.long_text.iter().any(|text| text.starts_with(name) && !name.is_empty()) {
                return Some(arg.span.clone());
            }
            only_asks |= matches!(name, "version" | "help");
            let valued = !long.contains('=')
                && !interpreter.long_flags.contains(&name)
                && name != "version"
                && name != "help";
            // The next word is the value, or the script: look behind it as well.
            if valued && args.get(at).is_some_and(|next| !next.prefix().starts_with('-')) {
                at += 1;
                let more = args
                    .get(at)
                    .is_some_and(|next| next.prefix().starts_with('-') || next.runtime().is_some());
                if !more {
                    return None;
                }
            }
            continue;
        }
        if interpreter.long_text.contains(&letters) {
            return Some(arg.span.clone());
        }
        only_asks |= matches!(letters, "V" | "v" | "h" | "VV");
        for (offset, letter) in letters.char_indices() {
            if interpreter.text.contains(letter) {
                return Some(arg.span.clone());
            }
            if interpreter.valued.contains(letter) {
                at += usize::from(offset + letter.len_utf8() == letters.len());
                break;
            }
        }
    }
    // No script: the program is read from the input.
    (command.fed && !only_asks).then(|| command.span.clone())
}
