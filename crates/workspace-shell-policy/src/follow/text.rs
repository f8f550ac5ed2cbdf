//! The text that a shell is given on its command line.

use super::Inner;
use crate::syntax::Arg;
use crate::tables::runners::is_readable_shell;

/// The line after `-c`, where the shell's options are simple enough to find it.
pub(super) fn of_shell(program: &str, args: &[Arg]) -> Inner {
    match program {
        "eval" => joined(args.get(1..).unwrap_or_default()),
        "trap" => match args {
            [_, action, _, ..] if action.text().is_some_and(|text| !text.is_empty() && text != "-") => {
                joined(std::slice::from_ref(action))
            }
            _ => Inner::Nothing,
        },
        program if is_readable_shell(program) => after_c(args),
        _ => Inner::Nothing,
    }
}

fn joined(args: &[Arg]) -> Inner {
    let mut text = String::new();
    for arg in args {
        let Some(word) = arg.text() else { return Inner::Nothing };
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    match (args.first(), args.last()) {
        (Some(first), Some(last)) => Inner::Text(text, first.span.start..last.span.end),
        _ => Inner::Nothing,
    }
}

/// `sh -c text`, `bash -lc text`, `sh -e -c text`.
fn after_c(args: &[Arg]) -> Inner {
    let mut wanted = false;
    for arg in args.get(1..).unwrap_or_default() {
        let Some(word) = arg.text() else { return Inner::Nothing };
        match word.strip_prefix('-') {
            Some(letters) if !wanted && !letters.is_empty() => {
                if !letters.chars().all(|letter| "abcefilmnuvx".contains(letter)) {
                    return Inner::Nothing;
                }
                wanted = letters.contains('c');
            }
            // Options may stand between `-c` and its text.
            Some("-") if wanted => {}
            Some(letters) if wanted && !letters.is_empty() => {
                if !letters.chars().all(|letter| "abefilmnuvx".contains(letter)) {
                    return Inner::Nothing;
                }
            }
            _ if wanted => return Inner::Text(word.to_owned(), arg.span.clone()),
            _ => return Inner::Nothing,
        }
    }
    Inner::Nothing
}
