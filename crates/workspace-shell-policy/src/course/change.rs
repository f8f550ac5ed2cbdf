//! `cd`.

use super::builtins::Effect;
use super::walk::Moves;
use super::{Directories, Question, Use};
use crate::jail::fold;
use crate::syntax::{Arg, Span};
use crate::{Reason, Refusal};

/// Judges a `cd` and tells where it leads.
///
/// A shell takes `..` as the parent in the path's text, and where that fails
/// the parent on disk. Both count.
pub(super) fn change(args: &[Arg], directories: &Directories, command: usize) -> Effect {
    let mut rest = args.get(1..).unwrap_or_default();
    while let [option, others @ ..] = rest {
        match option.text() {
            Some("-L" | "-P") => rest = others,
            Some("--") => {
                rest = others;
                break;
            }
            _ => break,
        }
    }
    let target = match rest {
        [] => {
            let span = args.first().map_or(0..0, |arg| arg.span.clone());
            return refused(span, "`cd` without a directory goes home, outside the workspace");
        }
        [target] => target,
        [_, more, ..] => return refused(more.span.clone(), "`cd` takes one directory"),
    };
    let Some(path) = target.text() else {
        let question = Question::about_word(target, directories, Use::Directory, Some(command));
        return Effect { question: Some(question), moves: Moves::Lost, ..Effect::default() };
    };
    if path.starts_with('-') {
        let message = format!("`cd {path}` goes where it cannot be told");
        return refused(target.span.clone(), message);
    }
    let question = Question::about(path, target.span.clone(), directories, Use::Directory, Some(command));
    let question = match question {
        Ok(question) => question,
        Err(refusal) => {
            return Effect { question: Some(Err(refusal)), moves: Moves::Lost, ..Effect::default() };
        }
    };
    let mut reached = Vec::new();
    for joined in directories.join(path).unwrap_or_default() {
        let climbs = joined.split('/').any(|name| name == "..");
        let Some(folded) = fold(&joined) else {
            return Effect {
                question: Some(Err(question.escapes())),
                moves: Moves::Lost,
                ..Effect::default()
            };
        };
        if climbs {
            reached.push(joined);
        }
        reached.push(folded);
    }
    let question = question.seen_as(reached.clone());
    Effect { question: Some(Ok(question)), moves: Moves::To(Directories::of(reached)), ..Effect::default() }
}

fn refused(span: Span, message: impl Into<String>) -> Effect {
    let refusal = Refusal::new(Reason::PathEscape, span, message)
        .hint("name one directory inside the workspace; a subshell `( cd dir && … )` comes back by itself");
    Effect { question: Some(Err(refusal)), moves: Moves::Lost, ..Effect::default() }
}
