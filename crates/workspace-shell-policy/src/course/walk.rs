//! Walking a line in the order of its execution.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::question::unknown_path;
use super::variables::refused;
use super::{Command, Directories, Question, Unseen, Use, builtins};
use crate::follow::{Followed, Inner, follow};
use crate::judge::{Program, is_named, key_of};
use crate::limits::{MAX_COMMANDS, MAX_DEPTH, MAX_WRAPPERS};
use crate::syntax::{
    AndOr, Arg, Budget, Effects, Joint, List, Origin, Pipeline, Redirect, Simple, Span, Stage, Tree, parse,
};
use crate::{Reason, Refusal, ShellPolicy};

/// What a line would do.
#[derive(Debug, Default)]
pub(crate) struct Course {
    pub(crate) commands: Vec<Command>,
    /// Paths that must lead inside, and refusals of paths that need no question.
    pub(crate) questions: Vec<Result<Question, Box<Refusal>>>,
    /// What is outside the subset although it parses.
    pub(crate) fault: Option<Box<Refusal>>,
}

/// The course of a line of sh.
pub(crate) fn course_of_list(policy: &ShellPolicy, tree: &Tree, directory: &str, budget: Budget) -> Course {
    let read = MAX_COMMANDS.saturating_sub(budget.commands);
    let course = Course { commands: Vec::with_capacity(read), ..Course::default() };
    let mut walk = Walk { policy, course, budget, depth: 0, in_shell: true, fed: false };
    walk.list(&tree.list, &tree.documents, &Directories::at(directory));
    walk.course
}

/// The course of words that are spawned without a shell.
pub(crate) fn course_of_words(policy: &ShellPolicy, words: Vec<Arg>, span: Span, directory: &str) -> Course {
    let mut walk = Walk {
        policy,
        course: Course::default(),
        budget: Budget::default(),
        depth: 0,
        in_shell: false,
        fed: false,
    };
    let range = 0..words.len();
    let directories = Directories::at(directory);
    walk.command(New {
        words: words.into(),
        range,
        span,
        directories,
        fed: false,
        level: 0,
        outer: None,
        unseen: Unseen::None,
    });
    walk.course
}

/// How a command moves the shell that runs it.
pub(super) enum Moves {
    Stays,
    /// It is there when it succeeds, and here when it fails.
    To(Directories),
    /// It may be there even when it fails, or here even when it succeeds.
    Perhaps(Directories),
    /// Anywhere.
    Lost,
}

/// Where a part of the line leaves the shell: when it succeeds, and when it fails.
struct After {
    success: Directories,
    failure: Directories,
}

impl After {
    fn both(&self) -> Directories {
        self.success.or(&self.failure)
    }
}

/// A command on its way into the list.
struct New {
    words: Arc<[Arg]>,
    range: Range<usize>,
    span: Span,
    directories: Directories,
    fed: bool,
    level: usize,
    outer: Option<usize>,
    unseen: Unseen,
}

struct Walk<'p> {
    policy: &'p ShellPolicy,
    course: Course,
    budget: Budget,
    /// How deep in subshells, substitutions and texts of shells.
    depth: usize,
    in_shell: bool,
    /// The standard input around is a pipe, a file or a here-document.
    fed: bool,
}

type Documents = [Vec<List>];

impl Walk<'_> {
    /// Walks a list and gives the directories after it.
    fn list(&mut self, list: &List, documents: &Documents, directories: &Directories) -> Directories {
        self.depth += 1;
        let mut here = directories.clone();
        for item in &list.0 {
            here = self.and_or(item, documents, &here).both();
        }
        self.depth -= 1;
        here
    }

    fn and_or(&mut self, item: &AndOr, documents: &Documents, directories: &Directories) -> After {
        let mut after = self.pipeline(&item.first, documents, directories);
        for (joint, pipeline) in &item.rest {
            let from = match joint {
                Joint::And => &after.success,
                Joint::Or => &after.failure,
            };
            let next = self.pipeline(pipeline, documents, &from.clone());
            after = match joint {
                Joint::And => After { success: next.success, failure: after.failure.or(&next.failure) },
                Joint::Or => After { success: after.success.or(&next.success), failure: next.failure },
            };
        }
        after
    }

    fn pipeline(&mut self, pipeline: &Pipeline, documents: &Documents, directories: &Directories) -> After {
        let mut after = After { success: directories.clone(), failure: directories.clone() };
        for (place, stage) in pipeline.stages.iter().enumerate() {
            after = self.stage(stage, documents, directories, place > 0);
        }
        if pipeline.stages.len() > 1 {
            // Every stage has a shell of its own, but for the last one in some kinds of shell.
            let both = directories.or(&after.both());
            after = After { success: both.clone(), failure: both };
        }
        if pipeline.negated {
            after = After { success: after.failure, failure: after.success };
        }
        after
    }

    fn stage(
        &mut self,
        stage: &Stage,
        documents: &Documents,
        directories: &Directories,
        piped: bool,
    ) -> After {
        match stage {
            Stage::Simple(command) => self.simple(command, documents, directories, piped),
            Stage::Subshell { list, effects } => {
                self.effects(effects, documents, directories, None);
                let fed = self.fed;
                self.fed |= piped || effects.feeds;
                self.list(list, documents, directories);
                self.fed = fed;
                After { success: directories.clone(), failure: directories.clone() }
            }
        }
    }

    fn simple(
        &mut self,
        command: &Simple,
        documents: &Documents,
        directories: &Directories,
        piped: bool,
    ) -> After {
        for assignment in &command.assignments {
            self.variable(&assignment.name, &assignment.span);
        }
        let mut moves = Moves::Stays;
        let number = self.course.commands.len();
        if !command.args.is_empty() {
            let fed = self.fed || piped || command.effects.feeds;
            moves = self.command(New {
                words: Arc::clone(&command.args),
                range: 0..command.args.len(),
                span: command.span.clone(),
                directories: directories.clone(),
                fed,
                level: 0,
                outer: None,
                unseen: Unseen::None,
            });
        }
        self.effects(
            &command.effects,
            documents,
            directories,
            Some(number).filter(|_| !command.args.is_empty()),
        );
        // The redirections of a lone `exec` hold for the rest of this shell.
        self.fed |= command.effects.feeds && command.args.first().is_some_and(|arg| arg.is("exec"));
        let here = directories.clone();
        match moves {
            Moves::Stays => After { success: here.clone(), failure: here },
            Moves::To(there) => After { success: there, failure: here },
            Moves::Perhaps(there) => {
                let both = here.or(&there);
                After { success: both.clone(), failure: both }
            }
            Moves::Lost => After { success: Directories::Unknown, failure: Directories::Unknown },
        }
    }

    /// The redirections of a command, and the commands in its words and here-documents.
    fn effects(
        &mut self,
        effects: &Effects,
        documents: &Documents,
        directories: &Directories,
        command: Option<usize>,
    ) {
        let fed = self.fed;
        for list in &effects.substitutions {
            self.list(list, documents, directories);
            self.fed = fed;
        }
        for lists in effects.documents.iter().filter_map(|number| documents.get(*number)) {
            for list in lists {
                self.list(list, documents, directories);
            }
        }
        for redirect in &effects.redirects {
            self.redirect(redirect, directories, command);
        }
    }

    fn redirect(&mut self, redirect: &Redirect, directories: &Directories, command: Option<usize>) {
        let target = &redirect.target;
        if target.is("/dev/null") {
            return;
        }
        if redirect.writes && self.policy.refuses_writes() {
            let message = format!(
                "the redirection writes `{}`, and this workspace is only for looking",
                target.shown()
            );
            let refusal = Refusal::new(Reason::PathEscape, target.span.clone(), message)
                .hint("leave out the redirection: the output is returned");
            self.course.questions.push(Err(refusal));
            return;
        }
        self.course.questions.push(Question::about_word(target, directories, Use::Redirection, command));
    }

    /// Adds a command and what it runs in turn.
    fn command(&mut self, new: New) -> Moves {
        let number = self.course.commands.len();
        let New { words, range, span, directories, fed, level, outer, unseen } = new;
        let args = words.get(range.clone()).unwrap_or_default();
        let Some(first) = args.first() else { return Moves::Stays };
        let Some(name) = first.text() else {
            let message = format!("the program `{}` is known only when the line runs", first.shown());
            self.fault(
                Refusal::syntax(first.span.clone(), message).hint("write the name of the program itself"),
            );
            return Moves::Stays;
        };
        let key = key_of(name);
        let program = Program::of(name, &key);
        let readable = !self.policy.denies() || is_named(self.policy, &program, &directories);
        let followed = if level < MAX_WRAPPERS {
            follow(program.profile, args, readable)
        } else {
            too_many(first, &program)
        };
        let change = if self.in_shell && !name.contains('/') {
            builtins::check(name, args, &directories, number)
        } else {
            builtins::Effect::default()
        };
        self.course.commands.push(Command {
            offset: range.start,
            words: Arc::clone(&words),
            range: range.clone(),
            profile: program.profile,
            key: match key {
                Cow::Borrowed(_) => None,
                Cow::Owned(key) => Some(key),
            },
            span: span.clone(),
            directories: directories.clone(),
            in_shell: self.in_shell,
            fed,
            level,
            outer,
            hidden: unseen.hides(first),
            unseen: unseen.clone(),
        });
        if let Some(fault) = change.fault {
            self.fault(fault);
        }
        for (name, span) in &change.variables {
            self.variable(name, span);
        }
        self.course.questions.extend(change.question);
        let inner = New {
            words: Arc::clone(&words),
            range,
            span,
            directories,
            fed,
            level: level + 1,
            outer: Some(number),
            unseen,
        };
        let inner_moves = self.followed(followed, name, number, inner);
        match (change.moves, inner_moves) {
            (Moves::Stays, moves) => moves,
            (moves, _) => moves,
        }
    }

    /// Adds what a command runs in turn; `inner` has the outer command's words.
    fn followed(&mut self, followed: Followed, name: &str, number: usize, mut inner: New) -> Moves {
        for (variable, span) in &followed.variables {
            self.variable(variable, span);
        }
        if let Some((directory, span)) = followed.directory {
            let question = match directory {
                Some(path) => {
                    let question =
                        Question::about(&path, span, &inner.directories, Use::Directory, Some(number));
                    inner.directories =
                        inner.directories.join(&path).map_or(Directories::Unknown, Directories::of);
                    question
                }
                None => Err(unknown_path(span)),
            };
            self.course.questions.push(question);
        }
        for (outputs, files) in [(true, followed.outputs), (false, followed.inputs)] {
            for (path, span) in files {
                if !outputs && !self.policy.holds_operands() {
                    continue;
                }
                let question = match path {
                    Some(path) if outputs && path != "/dev/null" && self.policy.refuses_writes() => {
                        let message =
                            format!("`{name}` writes `{path}`, and this workspace is only for looking");
                        Err(Refusal::new(Reason::PathEscape, span, message).hint("leave the output file out"))
                    }
                    Some(path) => Question::about(&path, span, &inner.directories, Use::Output, Some(number)),
                    None => Err(unknown_path(span)),
                };
                self.course.questions.push(question);
            }
        }
        let start = inner.range.start;
        let within = |range: Range<usize>| start + range.start..start + range.end;
        match followed.inner {
            Inner::Nothing if runs_unread(name, inner.words.get(inner.range.clone()).unwrap_or_default()) => {
                Moves::Lost
            }
            Inner::Nothing => Moves::Stays,
            Inner::Hidden(span, message) => {
                self.hide(
                    number,
                    Refusal::new(Reason::NestedCommand, span, message).hint("run the inner command directly"),
                );
                Moves::Stays
            }
            Inner::Commands(ranges) => self.each(&inner, ranges.into_iter().map(within), &inner.unseen, name),
            Inner::ForFound(ranges) => {
                self.each(&inner, ranges.into_iter().map(within), &Unseen::Found, name)
            }
            Inner::WithInput(range, replaced) => {
                let unseen = replaced.map_or(Unseen::Appended, Unseen::Replacing);
                self.inner(&inner, within(range), unseen);
                Moves::Stays
            }
            Inner::Echo => {
                let echo: Arc<[Arg]> = Arc::from([Arg::known("echo", inner.span.clone())]);
                let echo = New { words: echo, range: 0..1, unseen: Unseen::Appended, ..inner };
                self.command(echo);
                Moves::Stays
            }
            Inner::Text(text, span) => self.text(&text, span, name, &inner.directories),
        }
    }

    /// Adds the commands of these ranges.
    fn each(
        &mut self,
        outer: &New,
        ranges: impl Iterator<Item = Range<usize>>,
        unseen: &Unseen,
        name: &str,
    ) -> Moves {
        let mut moves = Moves::Stays;
        for range in ranges {
            let next = self.inner(outer, range, unseen.clone());
            if !matches!(next, Moves::Stays) {
                moves = next;
            }
        }
        perhaps(moves, name)
    }

    fn inner(&mut self, outer: &New, range: Range<usize>, unseen: Unseen) -> Moves {
        if self.budget.commands == 0 {
            self.fault(
                Refusal::syntax(outer.span.clone(), "the line has too many commands")
                    .hint("split it into several calls"),
            );
            return Moves::Stays;
        }
        self.budget.commands -= 1;
        let args = outer.words.get(range.clone()).unwrap_or_default();
        let span = match (args.first(), args.last()) {
            (Some(first), Some(last)) => first.span.start..last.span.end.max(first.span.start),
            _ => outer.span.clone(),
        };
        self.command(New {
            words: Arc::clone(&outer.words),
            range,
            span,
            directories: outer.directories.clone(),
            fed: outer.fed,
            level: outer.level,
            outer: outer.outer,
            unseen,
        })
    }

    /// Walks the text that a shell gets. A text that is outside the subset
    /// cannot be read; only a program that the policy trusts comes here.
    fn text(&mut self, text: &str, span: Span, name: &str, directories: &Directories) -> Moves {
        if self.depth >= MAX_DEPTH {
            let message = format!("the line nests deeper than {MAX_DEPTH} levels");
            self.fault(Refusal::syntax(span, message).hint("run the inner commands on their own"));
            return Moves::Stays;
        }
        let origin = Origin::Within(span);
        let tree = parse(text, origin, self.depth, self.policy.reads_substitutions(), &mut self.budget);
        let lost = matches!(name, "eval" | "trap");
        let Ok(tree) = tree else { return if lost { Moves::Lost } else { Moves::Stays } };
        let in_shell = std::mem::replace(&mut self.in_shell, true);
        let after = self.list(&tree.list, &tree.documents, directories);
        self.in_shell = in_shell;
        match name {
            "eval" => Moves::Perhaps(after),
            "trap" if after.known() != directories.known() => Moves::Lost,
            _ => Moves::Stays,
        }
    }

    fn variable(&mut self, name: &str, span: &Span) {
        if let Some(refusal) = refused(name, span) {
            self.fault(refusal);
        }
    }

    fn fault(&mut self, fault: Box<Refusal>) {
        self.course.fault.get_or_insert(fault);
    }

    fn hide(&mut self, number: usize, refusal: Box<Refusal>) {
        if let Some(command) = self.course.commands.get_mut(number) {
            command.hidden = Some(refusal);
        }
    }
}

/// Whether a builtin runs a text in this shell that could not be read.
fn runs_unread(name: &str, args: &[Arg]) -> bool {
    match args {
        [_, action, ..] if name == "trap" => !action.is("-") && !action.is(""),
        [_, _, ..] => name == "eval",
        _ => false,
    }
}

/// A `cd` behind `command` moves the shell, behind `env` it does not, and
/// behind `time` it depends on the shell.
fn perhaps(moves: Moves, name: &str) -> Moves {
    match moves {
        Moves::To(there) if name != "command" => Moves::Perhaps(there),
        moves => moves,
    }
}

fn too_many(first: &Arg, program: &Program<'_>) -> Followed {
    let follows = program.profile.wrapper.is_some() || matches!(program.profile.name, "find" | "xargs");
    let inner = if follows {
        Inner::Hidden(first.span.clone(), format!("more than {MAX_WRAPPERS} wrappers run one another"))
    } else {
        Inner::Nothing
    };
    Followed { inner, ..Followed::default() }
}
