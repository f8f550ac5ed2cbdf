//! The review of a line: judged at once, but for the paths that it needs to know.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::course::{Command, Course, Question, course_of_list, course_of_words};
use crate::jail::{JailView, Next, Place, Trail, fold};
use crate::judge::{judge, questions};
use crate::limits::MAX_LINE_BYTES;
use crate::policy::PathGlob;
use crate::syntax::{Budget, Origin, Parse, first_operator, operator_refused, parse, split};
use crate::{CommandLine, Mode, Reason, Refusal, ShellPolicy, Verdict, Word};

/// Judges a line in the root of the jail.
///
/// Nothing of the line is run. Without a policy nothing is allowed. This is
/// [`ShellPolicy::review`] for a caller whose view of the files answers at once.
pub fn check(policy: Option<&ShellPolicy>, mode: Mode, line: &str, jail: &dyn JailView) -> Verdict {
    match policy {
        Some(policy) => policy.review(&CommandLine::new(mode, line)).verdict_with(jail),
        None => Verdict::from(
            *Refusal::new(
                Reason::NotAllowed,
                0..line.len(),
                "this workspace has no shell policy, so nothing runs",
            )
            .hint("use the other tools"),
        ),
    }
}

/// A line that was judged, but for where its paths lead.
///
/// Whoever can look at files only asynchronously answers one question after
/// the other:
///
/// ```
/// use workspace_shell_policy::{CommandLine, Mode, Place, ShellPolicy};
///
/// let policy = ShellPolicy::new().allow(["echo", "cd"]);
/// let mut review = policy.review(&CommandLine::new(Mode::Sh, "cd src && echo x > ../out.txt"));
/// while let Some(path) = review.next_path() {
///     let place = Place::Inside(path.clone()); // `files.resolve(&path).await`
///     review.answer(path, place);
/// }
/// assert!(review.verdict().runs());
/// ```
#[derive(Debug, Clone)]
pub struct Review {
    refusal: Option<Box<Refusal>>,
    commands: Vec<Vec<Word>>,
    questions: Vec<Result<Question, Box<Refusal>>>,
    closed: Vec<PathGlob>,
    places: HashMap<String, Place>,
    /// The question, and the path of it, that comes next.
    next: (usize, usize),
    /// The refusal that the answers gave.
    escape: Option<Box<Refusal>>,
}

impl ShellPolicy {
    /// Judges a line as far as that is possible without looking at files.
    pub fn review(&self, line: &CommandLine<'_>) -> Review {
        // A fault of the checker must not let a line pass, nor end its caller.
        catch_unwind(AssertUnwindSafe(|| reviewed(self, line))).unwrap_or_else(|_| {
            let message = "the checker failed on this line";
            Review::refused(
                Refusal::syntax(0..line.text.len(), message).hint("write the line in another way"),
            )
        })
    }
}

impl Review {
    fn refused(refusal: Box<Refusal>) -> Self {
        Self {
            refusal: Some(refusal),
            commands: Vec::new(),
            questions: Vec::new(),
            closed: Vec::new(),
            places: HashMap::new(),
            next: (0, 0),
            escape: None,
        }
    }

    /// The next path whose [`Place`] must be known: without `.` and `..`,
    /// relative to the root or absolute, empty for the root. `None` once the
    /// verdict is certain.
    ///
    /// A refused line asks nothing. The paths of later questions can depend on
    /// earlier answers, and the same path is asked for once.
    pub fn next_path(&mut self) -> Option<String> {
        if self.refusal.is_some() || self.escape.is_some() {
            return None;
        }
        while let Some(question) = self.questions.get(self.next.0) {
            let question = match question {
                Ok(question) => question,
                Err(refusal) => {
                    self.escape = Some(refusal.clone());
                    return None;
                }
            };
            let Some(path) = question.path_text(self.next.1) else {
                self.next = (self.next.0 + 1, 0);
                continue;
            };
            // A path that was asked for as it stands needs no second walk.
            let next = match self.places.get(path.as_ref()) {
                Some(place) => Next::Arrived(place.clone()),
                None => Trail::new(&path).follow(|path| self.places.get(path).cloned()),
            };
            match next {
                Next::Ask(path) => return Some(path),
                Next::Arrived(place) => match self.refuse(question, &path, &place) {
                    Some(refusal) => {
                        self.escape = Some(refusal);
                        return None;
                    }
                    None => self.next.1 += 1,
                },
            }
        }
        None
    }

    fn refuse(&self, question: &Question, path: &str, place: &Place) -> Option<Box<Refusal>> {
        let mut refusal = match place {
            Place::Outside => question.escapes(),
            Place::Inside(_) if self.closed.is_empty() => return None,
            Place::Inside(resolved) => {
                let asked = fold(path);
                let closes = |glob: &&PathGlob| {
                    glob.closes(resolved) || asked.as_ref().is_some_and(|asked| glob.closes(asked))
                };
                question.closed(self.closed.iter().find(closes)?.source())
            }
        };
        if let Some(command) = question.command.and_then(|number| self.commands.get(number)) {
            refusal.command.clone_from(command);
        }
        Some(refusal)
    }

    /// Gives the place of a path that [`next_path`](Self::next_path) asked for.
    pub fn answer(&mut self, path: String, place: Place) {
        self.places.insert(path, place);
    }

    /// Forgets every answer: for a second look right before the spawn.
    ///
    /// A race remains between that look and what the program then opens.
    pub fn forget_places(&mut self) {
        self.places.clear();
        self.next = (0, 0);
        self.escape = None;
    }

    /// The verdict. While a path is not answered, the line is refused.
    pub fn verdict(mut self) -> Verdict {
        if let Some(path) = self.next_path() {
            let message = format!("it is not known where `{path}` leads");
            self.escape = Some(Refusal::new(Reason::PathEscape, 0..0, message));
        }
        let refusal = self.refusal.or(self.escape);
        Verdict { refusal: refusal.map(|refusal| *refusal), commands: self.commands }
    }

    /// The verdict, with the answers of a view. A panic of the view counts as
    /// [`Place::Outside`].
    pub fn verdict_with(mut self, jail: &dyn JailView) -> Verdict {
        while let Some(path) = self.next_path() {
            let place = catch_unwind(AssertUnwindSafe(|| jail.resolve(&path))).unwrap_or(Place::Outside);
            self.answer(path, place);
        }
        self.verdict()
    }
}

fn reviewed(policy: &ShellPolicy, line: &CommandLine<'_>) -> Review {
    let course = match read(policy, line) {
        Ok(course) => course,
        Err(refusal) => return Review::refused(refusal),
    };
    let Course { commands, mut questions, fault } = course;
    let refusal = fault.or_else(|| prefixed(policy, &commands)).or_else(|| judge(policy, &commands, line));
    if refusal.is_none() {
        questions.extend(self::questions(policy, &commands));
    }
    Review {
        refusal,
        commands: commands.iter().map(Command::to_words).collect(),
        questions,
        closed: policy.closed_paths().to_vec(),
        places: HashMap::new(),
        next: (0, 0),
        escape: None,
    }
}

/// Reads the line in its mode.
fn read(policy: &ShellPolicy, line: &CommandLine<'_>) -> Parse<Course> {
    let text = line.text;
    if text.len() > MAX_LINE_BYTES {
        let message = format!("the line has {} bytes; at most {MAX_LINE_BYTES} are read", text.len());
        return Err(Refusal::syntax(0..text.len(), message)
            .hint("write long texts to a file with the write tool, and split long lines"));
    }
    let nothing =
        || Refusal::new(Reason::NotAllowed, 0..text.len(), "the line has no command").hint("send a command");
    let course = match line.mode {
        Mode::Argv => {
            let words = split(text)?;
            if words.is_empty() {
                return Err(nothing());
            }
            course_of_words(policy, words, 0..text.len(), line.directory)
        }
        Mode::Sh => {
            // Allow patterns cover one simple command and no shell around it.
            if !policy.allowed_patterns().is_empty()
                && let Some((operator, span)) = first_operator(text, true)
            {
                return Err(operator_refused(text, operator, span));
            }
            let mut budget = Budget::default();
            let tree = parse(text, Origin::Line, 0, policy.reads_substitutions(), &mut budget)?;
            if tree.list.0.is_empty() {
                return Err(nothing());
            }
            course_of_list(policy, &tree, line.directory, budget)
        }
    };
    if course.commands.is_empty() && course.fault.is_none() && !policy.allowed_patterns().is_empty() {
        return Err(nothing());
    }
    Ok(course)
}

/// Under allow patterns the line begins with the program, not with an assignment.
fn prefixed(policy: &ShellPolicy, commands: &[Command]) -> Option<Box<Refusal>> {
    let command = commands.first().filter(|_| !policy.allowed_patterns().is_empty())?;
    let first = command.args().first()?;
    if first.span.start <= command.span.start || !command.in_shell {
        return None;
    }
    let span = command.span.start..first.span.start;
    Some(
        Refusal::new(Reason::NotAllowed, span, "the line begins with an assignment")
            .hint("begin it with the program"),
    )
}
