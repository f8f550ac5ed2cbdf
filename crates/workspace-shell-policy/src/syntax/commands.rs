//! Simple commands and subshells.

use super::parser::{Closer, Parse, Parser};
use super::words::is_name;
use super::{Arg, Assignment, Effects, Simple, Stage};
use crate::Refusal;
use crate::tables::reserved::{is_reserved, reserved_hint};

impl Parser<'_> {
    pub(super) fn subshell(&mut self) -> Parse<Stage> {
        let start = self.at;
        if self.peek_at(1) == Some(b'(') {
            return Err(self
                .refuse(2, "`((` is arithmetic in bash and two subshells in dash")
                .hint("put a space between the parentheses, or leave out one pair"));
        }
        self.enter(start..start + 1)?;
        self.at += 1;
        let list = self.list(Closer::Parenthesis)?;
        if self.peek() != Some(b')') {
            return Err(Refusal::syntax(self.span(start..start + 1), "a `(` is not closed")
                .hint("add the missing `)`"));
        }
        if list.0.is_empty() {
            return Err(Refusal::syntax(self.span(start..self.at + 1), "a subshell without a command")
                .hint("put a command between the parentheses, or quotes around them"));
        }
        self.at += 1;
        self.leave();
        let mut effects = Effects::default();
        loop {
            self.blanks()?;
            if !self.redirect(&mut effects)? {
                break;
            }
        }
        match self.peek() {
            None | Some(b'\n' | b';' | b'&' | b'|' | b')') => Ok(Stage::Subshell { list, effects }),
            Some(_) => Err(self
                .refuse(1, "a word cannot follow a subshell")
                .hint("put `;` or `&&` between the subshell and the next command")),
        }
    }

    pub(super) fn simple(&mut self) -> Parse<Simple> {
        let start = self.at;
        let mut end = self.at;
        let mut assignments = Vec::new();
        let mut args: Vec<Arg> = Vec::new();
        let mut effects = Effects::default();
        // A reserved word of bash before the program: `time`.
        let mut timed = false;
        loop {
            self.blanks()?;
            match self.peek() {
                None | Some(b'\n' | b';' | b'&' | b'|' | b')') => break,
                Some(b'(') => return Err(self.unexpected()),
                Some(_) => {}
            }
            if self.redirect(&mut effects)? {
                end = self.at;
                continue;
            }
            let word = self.word(&mut effects)?;
            end = self.at;
            if self.budget.words == 0 {
                return Err(self
                    .refuse(0, "the line has too many words")
                    .hint("split it into several calls"));
            }
            self.budget.words -= 1;
            if args.is_empty() {
                if let Some(name) = word.assigned_name()? {
                    assignments.push(Assignment { name, span: word.arg.span });
                    continue;
                }
                self.check_program(&word.arg, word.plain)?;
                timed = word.plain && word.arg.is("time") && assignments.is_empty();
            } else if timed {
                self.check_timed(&word.arg)?;
                timed = word.plain && word.arg.is("-p");
            }
            args.push(word.arg);
        }
        if timed {
            return Err(Refusal::syntax(
                self.span(start..end),
                "`time` without a command is read differently by shells",
            )
            .hint("write the command to be timed after `time`"));
        }
        if self.budget.commands == 0 {
            return Err(self.refuse(0, "the line has too many commands").hint("split it into several calls"));
        }
        self.budget.commands -= 1;
        Ok(Simple { assignments, args: args.into(), effects, span: self.span(start..end) })
    }

    /// The word that names the program: literal, and no word of the grammar.
    #[allow(clippy::unused_self)] // A rule of the parser, beside those that need its place.
    fn check_program(&self, arg: &Arg, plain: bool) -> Parse<()> {
        let Some(name) = arg.text() else {
            // `[[` is a glob by its letters.
            if is_reserved(arg.shown()) {
                return Err(not_supported(arg));
            }
            return Err(Refusal::syntax(
                arg.span.clone(),
                format!("the program `{}` is known only when the line runs", arg.shown()),
            )
            .hint("write the name of the program itself"));
        };
        if plain && is_reserved(name) {
            return Err(not_supported(arg));
        }
        if name.is_empty() {
            return Err(Refusal::syntax(arg.span.clone(), "the name of the program is empty")
                .hint("write the name of the program first"));
        }
        if name.starts_with(['-', '+', '%']) {
            return Err(Refusal::syntax(
                arg.span.clone(),
                format!(
                    "`{name}` stands where the program is named; a shell may take it for an option or a job"
                ),
            )
            .hint("write the name of the program first"));
        }
        Ok(())
    }

    /// A word after bash's `time`, where its grammar goes on.
    #[allow(clippy::unused_self)] // A rule of the parser, beside those that need its place.
    fn check_timed(&self, arg: &Arg) -> Parse<()> {
        // A glob such as `a[0]=1` is an assignment all the same.
        let word = arg.shown();
        let hint = if is_reserved(word) || word == "time" {
            "time a simple command"
        } else if word != "-p" && word.starts_with('-')
            || word.split_once('=').is_some_and(|(name, _)| is_assigned(name))
        {
            "write `command time` to use the program's own options"
        } else {
            return Ok(());
        };
        Err(Refusal::syntax(arg.span.clone(), format!("`time {word}` is read differently by shells"))
            .hint(hint))
    }
}

/// Whether what stands before a `=` makes an assignment for bash: `A`, `A+`, `A[0]`.
fn is_assigned(before: &str) -> bool {
    let name = before.strip_suffix('+').unwrap_or(before);
    is_name(name.split('[').next().unwrap_or(name))
}

/// The refusal of a word of the grammar where a program is named.
fn not_supported(arg: &Arg) -> Box<Refusal> {
    Refusal::syntax(arg.span.clone(), format!("`{}` is not supported", arg.shown()))
        .hint(reserved_hint(arg.shown()))
}
