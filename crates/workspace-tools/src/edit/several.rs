//! Applies several replacements: all or none.

use super::{
    apply::replace,
    change::{Replacement, Rules},
    failure::{EditFailure, SeveralFailure},
    matching::Search,
    places::{MAX_PLACES, Mark, line_numbers},
};

/// What one of several edits did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EditReport {
    /// How many places it replaced.
    pub(crate) replacements: usize,
    /// The first line of each place in the final text: later edits may have
    /// moved it, and one that replaced it left its own start. 1-based,
    /// ascending, each once, at most 20.
    pub(crate) lines: Vec<u64>,
}

/// What several edits made of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SeveralOutcome {
    /// The whole new text.
    pub(crate) text: String,
    /// One report an edit, in their order.
    pub(crate) per_edit: Vec<EditReport>,
    /// Whether any edit read or wrote line endings otherwise than given.
    pub(crate) eol_adapted: bool,
}

impl SeveralOutcome {
    /// How many places were replaced by all edits together.
    pub(crate) fn replacements(&self) -> usize {
        self.per_edit.iter().map(|report| report.replacements).sum()
    }
}

/// Finds the first edit whose fault shows without the file's text.
///
/// # Errors
/// What [`Replacement::check`] says of it.
pub(crate) fn check_all(edits: &[Replacement<'_>]) -> Result<(), SeveralFailure> {
    for (index, edit) in edits.iter().enumerate() {
        edit.check().map_err(|failure| at(index, failure))?;
    }
    Ok(())
}

/// Applies `edits` in order, each to the text that the one before made.
///
/// # Errors
/// The first [`SeveralFailure`]: input faults of all edits come before the
/// first is matched. An empty list and edits that undo each other are
/// [`EditFailure::NoChange`] of no edit.
pub(crate) fn edit_all(
    text: &str,
    edits: &[Replacement<'_>],
    rules: &Rules,
) -> Result<SeveralOutcome, SeveralFailure> {
    check_all(edits)?;
    let mut chain = Chain::new(text);
    let mut marks = Vec::new();
    let mut per_edit = Vec::with_capacity(edits.len());
    let mut eol_adapted = false;
    for (index, edit) in edits.iter().enumerate() {
        let applied = chain.apply(edit, rules, &mut marks).map_err(|failure| SeveralFailure {
            removed_by: match failure {
                EditFailure::NoMatch { .. } => removed_by(text, &edits[..=index], rules),
                _ => None,
            },
            ..at(index, failure)
        })?;
        eol_adapted |= applied.eol_adapted;
        per_edit.push(EditReport { replacements: applied.replacements, lines: Vec::new() });
        marks.extend(applied.places.into_iter().map(|offset| Mark { offset, edit: index }));
        marks.sort_by_key(|mark| mark.offset);
    }
    let new = chain.into_text();
    if new == text {
        return Err(SeveralFailure { edit_index: None, failure: EditFailure::NoChange, removed_by: None });
    }
    let lines = line_numbers(&new, marks.iter().map(|mark| mark.offset));
    for (mark, line) in marks.iter().zip(lines) {
        let Some(report) = per_edit.get_mut(mark.edit) else { continue };
        if report.lines.len() < MAX_PLACES && report.lines.last() != Some(&line) {
            report.lines.push(line);
        }
    }
    Ok(SeveralOutcome { text: new, per_edit, eol_adapted })
}

fn at(index: usize, failure: EditFailure) -> SeveralFailure {
    SeveralFailure { edit_index: Some(index), failure, removed_by: None }
}

/// The edit that removed what the last of `edits` looks for, where the text had
/// it before.
fn removed_by(text: &str, edits: &[Replacement<'_>], rules: &Rules) -> Option<usize> {
    let (wanted, earlier) = edits.split_last()?;
    let is_found = |text: &str| Search::new(text, wanted.old, rules.eol).is_found();
    let mut chain = Chain::new(text);
    let mut was_found = is_found(text);
    let mut remover = None;
    for (index, edit) in earlier.iter().enumerate() {
        chain.apply(edit, rules, &mut []).ok()?;
        let found = is_found(chain.text());
        if was_found && !found {
            remover = Some(index);
        }
        was_found = found;
    }
    remover
}

/// A text on its way through edits. Two buffers take turns, so that a long list
/// of edits costs two allocations.
struct Chain<'t> {
    original: &'t str,
    current: Option<String>,
    spare: String,
}

impl<'t> Chain<'t> {
    fn new(original: &'t str) -> Self {
        Self { original, current: None, spare: String::new() }
    }

    fn text(&self) -> &str {
        self.current.as_deref().unwrap_or(self.original)
    }

    fn into_text(self) -> String {
        self.current.unwrap_or_else(|| self.original.to_owned())
    }

    fn apply(
        &mut self,
        edit: &Replacement<'_>,
        rules: &Rules,
        marks: &mut [Mark],
    ) -> Result<super::apply::Applied, EditFailure> {
        let mut out = std::mem::take(&mut self.spare);
        out.clear();
        let applied = replace(self.text(), edit, rules, &mut out, marks)?;
        self.spare = self.current.replace(out).unwrap_or_default();
        Ok(applied)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one<'a>(old: &'a str, new: &'a str) -> Replacement<'a> {
        Replacement { old, new, replace_all: false }
    }

    fn all<'a>(old: &'a str, new: &'a str) -> Replacement<'a> {
        Replacement { old, new, replace_all: true }
    }

    fn run(text: &str, edits: &[Replacement<'_>]) -> Result<SeveralOutcome, SeveralFailure> {
        edit_all(text, edits, &Rules::default())
    }

    #[track_caller]
    fn check(text: &str, edits: &[Replacement<'_>], expected: &str, reports: &[(usize, &[u64])]) {
        let outcome = run(text, edits).unwrap();
        assert_eq!(outcome.text, expected);
        let got: Vec<_> =
            outcome.per_edit.iter().map(|report| (report.replacements, &*report.lines)).collect();
        assert_eq!(got, reports);
        let sum: usize = reports.iter().map(|report| report.0).sum();
        assert_eq!(outcome.replacements(), sum);
    }

    #[test]
    fn r_multi_1_each_edit_sees_the_result_of_the_one_before() {
        check(
            "one two\n",
            &[one("one", "1 three"), one("three two", "3 2")],
            "1 3 2\n",
            &[(1, &[1]), (1, &[1])],
        );
        check("a b\n", &[one("a", "b c"), all("b", "x")], "x c x\n", &[(1, &[1]), (2, &[1])]);
    }

    #[test]
    fn r_edit_10_lines_are_those_of_the_final_text() {
        check(
            "a\nb\nc\n",
            &[one("c", "C"), one("a\n", "1\n2\n3\n"), one("b", "B")],
            "1\n2\n3\nB\nC\n",
            &[(1, &[5]), (1, &[1]), (1, &[4])],
        );
        // The second edit replaces what the first wrote, lines below included.
        check(
            "a\nb\nc\nd\n",
            &[all("b", "x\ny"), one("a\nx\ny\nc\n", "z\n"), one("d", "D")],
            "z\nD\n",
            &[(1, &[1]), (1, &[1]), (1, &[2])],
        );
        // Places of one edit that end up on one line are named once.
        check(
            "a\na\na\nb\n",
            &[all("a", "x"), one("x\nx\nx", "x x x")],
            "x x x\nb\n",
            &[(3, &[1]), (1, &[1])],
        );
        // The end of the text is on its last line.
        check("a\nb\n", &[one("b\n", "")], "a\n", &[(1, &[1])]);
    }

    #[track_caller]
    fn check_failure(text: &str, edits: &[Replacement<'_>], expected: &SeveralFailure) {
        assert_eq!(run(text, edits).unwrap_err(), *expected);
    }

    #[test]
    fn r_edit_9_input_faults_of_all_edits_come_first() {
        let missing = one("missing", "x");
        check_failure("a\n", &[missing, one("", "x")], &at(1, EditFailure::EmptyOld));
        check_failure("a\n", &[missing, one("a", "a")], &at(1, EditFailure::NoChange));
        check_failure("a\n", &[missing, one("a\n", "a\r\n")], &at(1, EditFailure::NoChange));
        check_failure("a\n", &[one("b", "b"), one("", "x")], &at(0, EditFailure::NoChange));
    }

    #[test]
    fn r_multi_1_a_failure_names_the_edit_and_who_removed_its_text() {
        let index_and_remover = |text: &str, edits: &[Replacement<'_>]| {
            let failure = run(text, edits).unwrap_err();
            assert!(matches!(failure.failure, EditFailure::NoMatch { .. }), "{failure:?}");
            (failure.edit_index, failure.removed_by)
        };
        let edits = [one("one", "1"), one("nope", "2"), one("three", "3")];
        assert_eq!(index_and_remover("one two three\n", &edits), (Some(1), None));
        let edits = [one("two", "2"), one("one", "1"), one("two", "zwei")];
        assert_eq!(index_and_remover("one two\r\n", &edits), (Some(2), Some(0)));
        // Text that an earlier edit wrote and another removed.
        let edits = [one("a", "b"), one("b", "c"), one("b", "d")];
        assert_eq!(index_and_remover("a\n", &edits), (Some(2), Some(1)));
        // Removed, put back, and removed again: the last removal counts.
        let edits = [one("a", "b"), one("b", "a"), one("a", "c"), one("c", "d"), one("a", "e")];
        assert_eq!(index_and_remover("a\n", &edits), (Some(4), Some(2)));
    }

    #[test]
    fn r_multi_1_not_unique_speaks_of_the_text_at_that_time() {
        let failure = at(1, EditFailure::NotUnique { count: 2, lines: vec![1, 3] });
        check_failure("a\nb\n", &[one("a", "b\n"), one("b", "c")], &failure);
    }

    #[test]
    fn r_multi_2_no_change_in_the_end_is_no_change() {
        let nothing = SeveralFailure { edit_index: None, failure: EditFailure::NoChange, removed_by: None };
        check_failure("a\n", &[one("a", "b"), one("b", "a")], &nothing);
        check_failure("a\n", &[], &nothing);
    }
}
