//! One case: a name, what it needs, and a function that says how it went.

use std::fmt::{Debug, Display};
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;

use workspace_core::{Cancel, Error, ErrorKind};

use crate::scene::Scene;

/// Why a case did not pass.
pub(crate) enum Stop {
    Failed(String),
    Skipped(String),
}

/// How a case, or a step of it, went.
pub(crate) type Verdict<T = ()> = Result<T, Stop>;

/// A failure that the case did not expect.
impl From<Error> for Stop {
    #[track_caller]
    fn from(error: Error) -> Self {
        failed(format_args!("unexpected {}: {error}", error.kind()))
    }
}

/// A failure, with the line of the case.
#[track_caller]
pub(crate) fn failed(what: impl Display) -> Stop {
    let at = Location::caller();
    Stop::Failed(format!("{what} (at {}:{})", at.file(), at.line()))
}

pub(crate) fn skipped(why: impl Display) -> Stop {
    Stop::Skipped(why.to_string())
}

/// Demands that a condition holds.
#[track_caller]
pub(crate) fn holds(condition: bool, what: impl Display) -> Verdict {
    if condition { Ok(()) } else { Err(failed(what)) }
}

/// Demands that two values are the same.
#[track_caller]
#[allow(clippy::needless_pass_by_value)] // Nearly all are made for the comparison.
pub(crate) fn same<T: PartialEq<U> + Debug, U: Debug>(what: impl Display, got: T, want: U) -> Verdict {
    if got == want {
        return Ok(());
    }
    Err(failed(format_args!("{what}: got {}, not {}", brief(&got), brief(&want))))
}

/// Demands a refusal of one of these kinds.
#[track_caller]
pub(crate) fn refused<T: Debug>(
    what: impl Display,
    result: Result<T, Error>,
    kinds: &[ErrorKind],
) -> Verdict<Error> {
    match result {
        Err(error) if kinds.contains(&error.kind()) => Ok(error),
        Err(error) => {
            Err(failed(format_args!("{what}: got {} ({error}), not {}", error.kind(), one_of(kinds))))
        }
        Ok(value) => Err(failed(format_args!("{what}: got {}, not {}", brief(&value), one_of(kinds)))),
    }
}

fn one_of(kinds: &[ErrorKind]) -> String {
    kinds.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(" or ")
}

/// A value as a message can hold it.
pub(crate) fn brief(value: &impl Debug) -> String {
    const LIMIT: usize = 600;
    let mut text = format!("{value:?}");
    if text.len() > LIMIT {
        text.truncate(text.floor_char_boundary(LIMIT));
        text.push('…');
    }
    text
}

/// What a subject must have for a case to make sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    Write,
    NoWrite,
    Links,
    NoLinks,
    Modes,
    NoModes,
    Versions,
    NoVersions,
    AtomicReplace,
    CaseSensitive,
    CaseInsensitive,
    Glob,
    NoGlob,
    Grep,
    NoGrep,
    Shell,
    Streaming,
    Background,
    Stdin,
    NoStdin,
    Real,
    CancelKills,
}

impl Need {
    /// Why the case is skipped, or `None` where the subject has it.
    pub(crate) fn missing(self, scene: &Scene) -> Option<&'static str> {
        let fs = scene.capabilities();
        let shell = scene.shell_capabilities();
        let (there, why) = match self {
            Self::Write => (fs.write, "the files cannot be written"),
            Self::NoWrite => (!fs.write, "the files can be written"),
            Self::Links => (fs.links, "there are no links"),
            Self::NoLinks => (!fs.links, "there are links"),
            Self::Modes => (fs.modes, "there are no permission bits"),
            Self::NoModes => (!fs.modes, "there are permission bits"),
            Self::Versions => (fs.versions, "there are no versions"),
            Self::NoVersions => (!fs.versions, "there are versions"),
            Self::AtomicReplace => (fs.atomic_replace, "writes are not atomic"),
            Self::CaseSensitive => (!fs.case_insensitive, "names ignore case"),
            Self::CaseInsensitive => (fs.case_insensitive, "names tell case"),
            Self::Glob => (fs.glob, "there is no native glob"),
            Self::NoGlob => (!fs.glob, "there is a native glob"),
            Self::Grep => (fs.grep, "there is no native grep"),
            Self::NoGrep => (!fs.grep, "there is a native grep"),
            Self::Shell => (shell.is_some(), "there are no commands"),
            Self::Streaming => (shell.is_some_and(|shell| shell.streaming), "output arrives at the end"),
            Self::Background => {
                (shell.is_some_and(|shell| shell.background), "nothing runs in the background")
            }
            Self::Stdin => (shell.is_some_and(|shell| shell.stdin), "standard input cannot be fed"),
            Self::NoStdin => (shell.is_some_and(|shell| !shell.stdin), "standard input can be fed"),
            Self::Real => (shell.is_some_and(|shell| shell.real), "the commands are scripted"),
            Self::CancelKills => {
                (shell.is_some_and(|shell| shell.cancel == Cancel::Kill), "a command cannot be killed")
            }
        };
        (!there).then_some(why)
    }
}

pub(crate) type Running<'a> = Pin<Box<dyn Future<Output = Verdict> + Send + 'a>>;

/// A case of the kit.
pub(crate) struct Case {
    pub(crate) module: &'static str,
    pub(crate) name: &'static str,
    pub(crate) needs: &'static [Need],
    pub(crate) run: for<'a> fn(&'a Scene) -> Running<'a>,
}

impl Case {
    /// Group and name: `read::a_window_gives_those_bytes`.
    pub(crate) fn full_name(&self) -> String {
        let (_, group) = self.module.split_once("::cases::").unwrap_or(("", self.module));
        format!("{group}::{}", self.name)
    }
}

/// Lists the cases of a file: each the name of an `async fn(&Scene) -> Verdict`, with what it needs.
macro_rules! cases {
    ($($name:ident $([$($need:ident),+])?),+ $(,)?) => {
        pub(crate) const CASES: &[$crate::case::Case] = &[$($crate::case::Case {
            module: module_path!(),
            name: stringify!($name),
            needs: &[$($($crate::case::Need::$need),+)?],
            run: |scene| Box::pin($name(scene)),
        }),+];
    };
}
pub(crate) use cases;
