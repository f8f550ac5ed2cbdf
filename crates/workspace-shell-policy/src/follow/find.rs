//! The commands of `find -exec`.

use super::{Followed, Inner};
use crate::syntax::Arg;

/// Follows every `-exec`, `-execdir`, `-ok` and `-okdir` of a `find`.
pub(super) fn follow(args: &[Arg]) -> Followed {
    let mut commands = Vec::new();
    let mut at = 1;
    while let Some(arg) = args.get(at) {
        at += 1;
        if !matches!(arg.text(), Some("-exec" | "-execdir" | "-ok" | "-okdir")) {
            continue;
        }
        let Some(end) = end_of(args, at) else {
            return hidden(arg, format!("it is not known where the command of `{}` ends", arg.shown()));
        };
        let Some(program) = args.get(at).filter(|_| at < end) else {
            return hidden(arg, format!("`{}` has no command", arg.shown()));
        };
        // `find` puts file names in place of `{}` inside a longer word too.
        if program.shown().contains("{}") {
            return hidden(program, format!("`{}` runs the files that it finds", arg.shown()));
        }
        commands.push(at..end);
        at = end + 1;
    }
    Followed {
        inner: if commands.is_empty() { Inner::Nothing } else { Inner::ForFound(commands) },
        ..Followed::default()
    }
}

/// The place of the `;`, or of a `+` right behind `{}`, that ends a command.
///
/// A `+` elsewhere ends it for some kinds of `find` only; then there is no answer.
fn end_of(args: &[Arg], from: usize) -> Option<usize> {
    for (offset, arg) in args.get(from..)?.iter().enumerate() {
        let at = from + offset;
        match arg.text() {
            Some(";") => return Some(at),
            Some("+") => {
                let ends = at > from && args.get(at - 1).is_some_and(|before| before.is("{}"));
                return ends.then_some(at);
            }
            Some(_) => {}
            // It may become `;` and more.
            None if !arg.is_one() || arg.prefix().is_empty() => return None,
            None => {}
        }
    }
    None
}

fn hidden(arg: &Arg, message: String) -> Followed {
    Followed { inner: Inner::Hidden(arg.span.clone(), message), ..Followed::default() }
}
