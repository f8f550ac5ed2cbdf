//! What a command runs in turn, as far as it can be read.

mod find;
mod options;
mod text;
mod xargs;

use std::ops::Range;

use crate::syntax::{Arg, Span};
use crate::tables::programs::Profile;
use crate::tables::wrappers::{Before, Wrapper};

/// What was read of a command that may run others.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    pub(crate) inner: Inner,
    /// Variables that it sets or unsets for the inner command.
    pub(crate) variables: Vec<(String, Span)>,
    /// The directory that it changes to; `None` where only the shell will know.
    pub(crate) directory: Option<(Option<String>, Span)>,
    /// Files that its options write.
    pub(crate) outputs: Vec<(Option<String>, Span)>,
    /// Files that its options read.
    pub(crate) inputs: Vec<(Option<String>, Span)>,
}

/// What a command runs in turn.
#[derive(Debug, Default)]
pub(crate) enum Inner {
    /// Nothing that can be read.
    #[default]
    Nothing,
    /// These ranges of its words.
    Commands(Vec<Range<usize>>),
    /// These ranges of its words, with the path of a file in place of each `{}`.
    ForFound(Vec<Range<usize>>),
    /// The words from here on, with more from its input: behind them, or in
    /// place of this text.
    WithInput(Range<usize>, Option<String>),
    /// `echo` with words from its input.
    Echo,
    /// A line for a shell.
    Text(String, Span),
    /// A command whose place or name cannot be told.
    Hidden(Span, String),
}

/// Follows a command. `readable` says whether the text for a shell may be read
/// and programs may be followed that are opaque unless `allow` names them.
pub(crate) fn follow(profile: &Profile, args: &[Arg], readable: bool) -> Followed {
    match profile.name {
        "find" => find::follow(args),
        "xargs" if readable => xargs::follow(args),
        _ => match profile.wrapper {
            Some(wrapper) if readable || !wrapper.named_only => follow_wrapper(wrapper, args),
            Some(_) => Followed::default(),
            None if readable => Followed { inner: text::of_shell(profile.name, args), ..Followed::default() },
            None => Followed::default(),
        },
    }
}

fn follow_wrapper(wrapper: &'static Wrapper, args: &[Arg]) -> Followed {
    let mut followed = Followed::default();
    let name = args.first().map_or("", |arg| arg.shown());
    // `command -v` looks a name up; a lone `--help` or `--version` runs nothing.
    match args {
        [_, only] if only.is("--help") || only.is("--version") => return followed,
        [_, option, ..] if wrapper.programs.contains(&"command") && looks_up(option) => return followed,
        _ => {}
    }
    let (given, mut at) = match options::read(wrapper.options, wrapper.numbers, args, 1) {
        Ok(read) => read,
        Err(at) => {
            let (span, word) = args.get(at).map_or((0..0, ""), |arg| (arg.span.clone(), arg.shown()));
            followed.inner = Inner::Hidden(
                span,
                format!("`{name} … {word}` is not understood, so the command that it runs is not known"),
            );
            return followed;
        }
    };
    for option in given {
        let value = (option.value.map(str::to_owned), option.span);
        match (option.option.short, option.option.long) {
            (_, "unset") => {
                followed.variables.extend(value.0.map(|name| (name, value.1)));
            }
            (_, "chdir") => followed.directory = Some(value),
            ('o', "output") if !wrapper.programs.contains(&"stdbuf") => followed.outputs.push(value),
            _ => {}
        }
    }
    // `env -` is `env -i`.
    if wrapper.before == Before::Assignments {
        if args.get(at).is_some_and(|arg| arg.is("-")) {
            at += 1;
        }
        at = pass_assignments(args, at, &mut followed);
    }
    if let Before::Operands(count) = wrapper.before {
        for _ in 0..count {
            match args.get(at) {
                Some(arg) if arg.is_one() => at += 1,
                Some(arg) => {
                    followed.inner = Inner::Hidden(
                        arg.span.clone(),
                        format!(
                            "`{}` may be any number of words, so the command that `{name}` runs is not known",
                            arg.shown()
                        ),
                    );
                    return followed;
                }
                None => return followed,
            }
        }
    }
    if at < args.len() {
        followed.inner = Inner::Commands(std::iter::once(at..args.len()).collect());
    }
    followed
}

/// Whether an option of `command` makes it print what a name means.
fn looks_up(option: &Arg) -> bool {
    option.text().and_then(|word| word.strip_prefix('-')).is_some_and(|letters| {
        letters.contains(['v', 'V']) && letters.chars().all(|letter| matches!(letter, 'p' | 'v' | 'V'))
    })
}

/// Passes `NAME=value` words and notes the names.
fn pass_assignments(args: &[Arg], mut at: usize, followed: &mut Followed) -> usize {
    while let Some(arg) = args.get(at) {
        match arg.prefix().split_once('=') {
            Some((name, _)) if arg.is_one() => followed.variables.push((name.to_owned(), arg.span.clone())),
            _ => break,
        }
        at += 1;
    }
    at
}
