//! Which command gets which reply.

use std::fmt;
use std::sync::Arc;

use workspace_core::{Command, Program};

use super::Reply;
use crate::Memory;

type Function = dyn Fn(&Command, &Memory) -> Option<Reply> + Send + Sync;

/// The replies to commands. The first one that fits is given.
///
/// # Examples
/// ```
/// use workspace_core::{Finished, Program};
/// use workspace_memory::{Reply, Script};
///
/// let script = Script::new()
///     .with_argv(["git", "status"], Finished::new(0).with_stdout("clean\n"))
///     .with_line("cargo run", Reply::new().with_stdout("listening\n").without_end())
///     // A function sees the whole command and the tree, and can change it.
///     .with_function(|command, files| match &command.program {
///         Program::Argv(words) => match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
///             ["touch", name] => Some(match files.write_now(name, "") {
///                 Ok(()) => Finished::new(0),
///                 Err(error) => Finished::new(1).with_stderr(format!("touch: {error}\n")),
///             }),
///             _ => None,
///         },
///         _ => None,
///     });
/// # let _ = script;
/// ```
#[derive(Clone, Default)]
pub struct Script(Vec<Answer>);

#[derive(Clone)]
enum Answer {
    Table(Program, Reply),
    Function(Arc<Function>),
}

impl Script {
    /// A script that answers nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers a program with exactly these arguments.
    #[must_use]
    pub fn with_argv<S: Into<String>>(
        self,
        words: impl IntoIterator<Item = S>,
        reply: impl Into<Reply>,
    ) -> Self {
        self.with_program(Program::Argv(words.into_iter().map(Into::into).collect()), reply)
    }

    /// Answers exactly this line for `/bin/sh`.
    #[must_use]
    pub fn with_line(self, line: impl Into<String>, reply: impl Into<Reply>) -> Self {
        self.with_program(Program::Sh(line.into()), reply)
    }

    /// Answers exactly this program or line.
    #[must_use]
    pub fn with_program(mut self, program: Program, reply: impl Into<Reply>) -> Self {
        self.0.push(Answer::Table(program, reply.into()));
        self
    }

    /// Asks a function, which answers or passes with `None`.
    ///
    /// It sees the command as it was given, with the values of its variables and
    /// its standard input, and may read and change the tree.
    #[must_use]
    pub fn with_function<R: Into<Reply>>(
        mut self,
        function: impl Fn(&Command, &Memory) -> Option<R> + Send + Sync + 'static,
    ) -> Self {
        self.0
            .push(Answer::Function(Arc::new(move |command, files| function(command, files).map(Into::into))));
        self
    }

    pub(super) fn answer(&self, command: &Command, files: &Memory) -> Option<Reply> {
        self.0.iter().find_map(|answer| match answer {
            Answer::Table(program, reply) => (*program == command.program).then(|| reply.clone()),
            Answer::Function(function) => function(command, files),
        })
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = f.debug_list();
        for answer in &self.0 {
            match answer {
                Answer::Table(program, reply) => list.entry(&(program, reply)),
                Answer::Function(_) => list.entry(&format_args!("function")),
            };
        }
        list.finish()
    }
}
