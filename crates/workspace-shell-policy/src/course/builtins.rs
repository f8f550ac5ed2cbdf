//! What builtins of the shell do to the line around them.

use super::change::change;
use super::walk::Moves;
use super::{Directories, Question};
use crate::syntax::{Arg, Span};
use crate::tables::builtins::{SET_LETTERS, SET_NAMES, is_common, is_different};
use crate::{Reason, Refusal};

/// What a builtin does.
pub(super) struct Effect {
    pub(super) fault: Option<Box<Refusal>>,
    /// Variables that it sets or unsets.
    pub(super) variables: Vec<(String, Span)>,
    pub(super) question: Option<Result<Question, Box<Refusal>>>,
    pub(super) moves: Moves,
}

impl Default for Effect {
    fn default() -> Self {
        Self { fault: None, variables: Vec::new(), question: None, moves: Moves::Stays }
    }
}

impl Effect {
    fn fault(span: &Span, message: impl Into<String>, hint: &str) -> Self {
        Self { fault: Some(Refusal::syntax(span.clone(), message).hint(hint)), ..Self::default() }
    }
}

/// What the builtin of this name does with these words; nothing where it is none.
pub(super) fn check(name: &str, args: &[Arg], directories: &Directories, command: usize) -> Effect {
    let span = args.first().map_or(0..0, |arg| arg.span.clone());
    let rest = args.get(1..).unwrap_or_default();
    match name {
        "cd" => change(args, directories, command),
        "chdir" | "pushd" | "popd" => {
            let refusal = Refusal::new(
                Reason::PathEscape,
                span,
                format!("`{name}` changes the directory in some shells only"),
            )
            .hint("use `cd`");
            Effect { question: Some(Err(refusal)), moves: Moves::Lost, ..Effect::default() }
        }
        "alias" => Effect::fault(&span, "aliases change what later lines mean", "write the command out"),
        "." | "source" => Effect { moves: Moves::Lost, ..Effect::default() },
        "eval" | "trap" if !rest.is_empty() => Effect::default(),
        "export" | "readonly" => names(rest, true),
        "unset" | "read" | "getopts" => names(rest, false),
        "set" => set(rest),
        "hash" => match rest.iter().find(|arg| arg.runtime().is_some() || is_cluster_with(arg, 'p')) {
            Some(arg) => Effect::fault(
                &arg.span,
                "`hash -p` gives a name to another program in some shells",
                "run the program by its path",
            ),
            None => Effect::default(),
        },
        "printf" => match rest.first() {
            Some(arg) if arg.prefix().starts_with("-v") => {
                Effect::fault(&arg.span, "`printf -v` is read by bash only", "use `NAME=$(printf …)`")
            }
            _ => Effect::default(),
        },
        "exec" => match rest.first() {
            // Dash takes even `--` for the program.
            Some(arg) if arg.prefix().starts_with('-') => {
                Effect::fault(&arg.span, "options of `exec` are read by bash only", "leave the options out")
            }
            _ => Effect::default(),
        },
        "builtin" if !rest.first().is_some_and(|arg| arg.text().is_some_and(is_common)) => {
            Effect::fault(&span, "`builtin` is read by bash only", "leave `builtin` out")
        }
        name if is_different(name) => Effect::fault(
            &span,
            format!("`{name}` is not a builtin of every shell"),
            "use what every shell has: `test`, `export`, plain assignments",
        ),
        _ => Effect::default(),
    }
}

fn is_cluster_with(arg: &Arg, letter: char) -> bool {
    arg.text().is_some_and(|word| word.starts_with('-') && word.contains(letter))
}

/// The variables that `export`, `read` and their like name.
fn names(args: &[Arg], assigns: bool) -> Effect {
    let mut effect = Effect::default();
    for arg in args {
        let prefix = arg.prefix();
        match (arg.text(), prefix.split_once('=')) {
            (_, Some((name, _))) if assigns && arg.is_one() => {
                effect.variables.push((name.to_owned(), arg.span.clone()));
            }
            (Some(word), _) => {
                // The value of an option may be attached: `read -rPATH`.
                effect.variables.push((word.to_owned(), arg.span.clone()));
                if let Some(letters) = word.strip_prefix('-') {
                    for (at, _) in letters.char_indices().take(8) {
                        effect
                            .variables
                            .push((letters.get(at..).unwrap_or_default().to_owned(), arg.span.clone()));
                    }
                }
            }
            (None, Some(_)) if assigns => {
                effect.fault = Some(
                    Refusal::syntax(
                        arg.span.clone(),
                        format!("`{}` is split into words by some shells", arg.shown()),
                    )
                    .hint(format!("put double quotes around it: `\"{}\"`", arg.shown().replace('"', ""))),
                );
            }
            (None, _) => {
                effect.fault = Some(
                    Refusal::syntax(
                        arg.span.clone(),
                        format!("the variable `{}` is known only when the line runs", arg.shown()),
                    )
                    .hint("write the name of the variable itself"),
                );
            }
        }
    }
    effect
}

/// `set`: only options that change nothing about what later commands mean.
fn set(args: &[Arg]) -> Effect {
    let mut named = false;
    for arg in args {
        let Some(word) = arg.text() else {
            return Effect::fault(
                &arg.span,
                "the options of `set` are known only when the line runs",
                "write `set --` before operands",
            );
        };
        if std::mem::take(&mut named) {
            if !SET_NAMES.contains(&word) {
                return different(arg, word);
            }
            continue;
        }
        match word.strip_prefix(['-', '+']) {
            Some("-" | "") | None => return Effect::default(),
            Some(letters) => {
                named = letters.ends_with('o');
                let letters = letters.strip_suffix('o').unwrap_or(letters);
                if !letters.chars().all(|letter| SET_LETTERS.contains(letter)) {
                    return different(arg, word);
                }
            }
        }
    }
    Effect::default()
}

fn different(arg: &Arg, word: &str) -> Effect {
    Effect::fault(&arg.span, format!("`set {word}` changes how the line is read"), "leave the option out")
}
