//! The course of a line: every command it would start, in order, with the
//! directories it may start in.

mod builtins;
mod change;
mod directories;
mod question;
mod unseen;
mod variables;
mod walk;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

pub(crate) use directories::Directories;
pub(crate) use question::{Question, Use};
pub(crate) use unseen::Unseen;
use unseen::from_input;
pub(crate) use walk::{Course, course_of_list, course_of_words};

use crate::judge::Program;
use crate::syntax::{Arg, Count, Span};
use crate::tables::programs::Profile;
use crate::{Refusal, Word};

/// A command that the line would start.
#[derive(Debug)]
pub(crate) struct Command {
    words: Arc<[Arg]>,
    range: Range<usize>,
    /// Basename of the program, in lower case and without the ending of a
    /// program file, where the program is not named by just that.
    key: Option<String>,
    profile: &'static Profile,
    pub(crate) span: Span,
    pub(crate) directories: Directories,
    /// A shell runs it, so builtins of the shell can be meant.
    pub(crate) in_shell: bool,
    /// Its standard input is a pipe, a file or a here-document.
    pub(crate) fed: bool,
    /// How many wrappers run it.
    pub(crate) level: usize,
    /// The command around it, by its place in the list.
    pub(crate) outer: Option<usize>,
    /// Where its words begin in those of the line's own command.
    pub(crate) offset: usize,
    pub(crate) unseen: Unseen,
    /// Why what it runs in turn cannot be read.
    pub(crate) hidden: Option<Box<Refusal>>,
}

impl Command {
    pub(crate) fn args(&self) -> &[Arg] {
        self.words.get(self.range.clone()).unwrap_or_default()
    }

    /// The program that it names.
    pub(crate) fn program(&self) -> Option<Program<'_>> {
        let name = self.args().first()?.text()?;
        Some(Program { name, key: self.key.as_deref().unwrap_or(name), profile: self.profile })
    }

    pub(crate) fn to_words(&self) -> Vec<Word> {
        self.args().iter().map(Arg::to_word).collect()
    }

    /// Its words, and in them what it gets from its input.
    pub(crate) fn args_with_input(&self) -> Cow<'_, [Arg]> {
        // What `find` puts in begins with where it looks, so it is never an option.
        if matches!(self.unseen, Unseen::None | Unseen::Found) {
            return Cow::Borrowed(self.args());
        }
        let mut args = self.args().to_vec();
        match &self.unseen {
            Unseen::None | Unseen::Found => {}
            Unseen::Appended => args.push(from_input(self.span.end..self.span.end, "", "", Count::Many)),
            Unseen::Replacing(text) => {
                for arg in &mut args {
                    let Some((prefix, rest)) = arg.text().and_then(|word| word.split_once(text.as_str()))
                    else {
                        continue;
                    };
                    let suffix = rest.rsplit(text.as_str()).next().unwrap_or_default();
                    *arg = from_input(arg.span.clone(), prefix, suffix, Count::One);
                }
            }
        }
        Cow::Owned(args)
    }
}
