//! Compares an old text with one place of the file that has its skeleton.

use std::ops::Range;

use super::{
    super::{change::EolMode, eol::newlines},
    CauseKind,
    chars::{is_blank, unseen},
    fold::{Atom, Fold, Folds, first_difference, fold, needed},
};

/// Where one kind of difference shows first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Witness {
    pub(super) kind: CauseKind,
    /// The offset in the file's text.
    pub(super) text_at: usize,
    /// The offset in the old text.
    pub(super) old_at: usize,
}

/// A place that the old text means, but for its witnesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) place: Range<usize>,
    /// The differences, in the order of their kinds.
    pub(super) witnesses: Vec<Witness>,
}

impl Candidate {
    /// The same candidate for an old text that line numbers were taken from.
    pub(super) fn numbered(mut self) -> Self {
        let numbers = Witness { kind: CauseKind::LineNumbers, text_at: self.place.start, old_at: 0 };
        let endings = self.witnesses.iter().filter(|witness| witness.kind < numbers.kind).count();
        self.witnesses.insert(endings, numbers);
        self
    }
}

/// The candidate for a place that differs from `old` in line endings alone.
pub(super) fn other_endings(text: &str, place: Range<usize>, old: &str) -> Candidate {
    let (at, old_at) = first_other_ending(&text[place.clone()], old).unwrap_or_default();
    let witness = Witness { kind: CauseKind::LineEndings, text_at: place.start + at, old_at };
    Candidate { place, witnesses: vec![witness] }
}

/// Compares `old` with the text at `core`, a place without blanks at its ends.
///
/// `None` where they differ in more than causes.
pub(super) fn compare(text: &str, core: Range<usize>, old: &str, mode: EolMode) -> Option<Candidate> {
    let place = widen(text, core, old);
    let found = text.get(place.clone())?;
    let folds = needed(found, old)?;
    let mut witnesses = Vec::new();
    let mut note = |kind, difference: Option<(usize, usize)>| {
        witnesses.extend(difference.map(|(at, old_at)| Witness { kind, text_at: place.start + at, old_at }));
    };
    if mode != EolMode::Adapt {
        note(CauseKind::LineEndings, first_other_ending(found, old));
    }
    // Endings have been dealt with; they are no blanks.
    let seen = folds.with(Fold::Eol);
    if folds.has(Fold::Blanks) {
        let blanks = BlankDifferences::between(found, old, seen.without(Fold::Blanks));
        note(CauseKind::Whitespace, blanks.amount);
        note(CauseKind::Tabs, blanks.tabs);
    }
    for (one, kind) in [
        (Fold::Quotes, CauseKind::Quotes),
        (Fold::Unseen, CauseKind::InvisibleCharacters),
        (Fold::Form, CauseKind::UnicodeForm),
        (Fold::Case, CauseKind::Case),
    ] {
        if folds.has(one) {
            note(kind, first_difference(found, old, seen.without(one)));
        }
    }
    Some(Candidate { place, witnesses })
}

/// The first newline of two texts that is spelled differently.
fn first_other_ending(found: &str, old: &str) -> Option<(usize, usize)> {
    newlines(found)
        .zip(newlines(old))
        .find(|((_, a), (_, b))| a != b)
        .map(|((at, _), (old_at, _))| (at, old_at))
}

/// Where blanks first differ: in number or place, and tabs against spaces.
#[derive(Default)]
struct BlankDifferences {
    amount: Option<(usize, usize)>,
    tabs: Option<(usize, usize)>,
}

impl BlankDifferences {
    /// Walks two texts that are equal but for blanks when seen through `folds`.
    fn between(found: &str, old: &str, folds: Folds) -> Self {
        let (ours, theirs) = (fold(found, folds), fold(old, folds));
        let mut differences = Self::default();
        let (mut ours, mut theirs) = (&ours[..], &theirs[..]);
        loop {
            let (gap, our_rest) = Gap::split(ours, found.len());
            let (old_gap, their_rest) = Gap::split(theirs, old.len());
            differences.note(gap, old_gap);
            let (Some((_, next)), Some((_, old_next))) = (our_rest.split_first(), their_rest.split_first())
            else {
                return differences;
            };
            (ours, theirs) = (next, old_next);
        }
    }

    /// Compares the blanks of one gap, line by line where it has as many lines
    /// in both texts.
    fn note(&mut self, gap: Gap<'_>, old_gap: Gap<'_>) {
        let (lines, old_lines) = (gap.lines(), old_gap.lines());
        if lines.len() != old_lines.len() {
            self.amount = self.amount.or(gap.first_difference(old_gap));
            return;
        }
        for (line, old_line) in lines.into_iter().zip(old_lines) {
            let difference = line.first_difference(old_line);
            if line.differs_in_tabs(old_line) {
                self.tabs = self.tabs.or(difference);
            } else {
                self.amount = self.amount.or(difference);
            }
        }
    }
}

/// A run of blanks, and the offset behind it.
#[derive(Clone, Copy)]
struct Gap<'a> {
    blanks: &'a [Atom],
    end: usize,
}

impl<'a> Gap<'a> {
    /// Splits the blanks off the start of `atoms`, which end at `end`.
    fn split(atoms: &'a [Atom], end: usize) -> (Self, &'a [Atom]) {
        let count = atoms.iter().take_while(|atom| is_blank(atom.c)).count();
        let (blanks, rest) = atoms.split_at(count);
        (Self { blanks, end: rest.first().map_or(end, |atom| atom.at) }, rest)
    }

    fn lines(self) -> Vec<Self> {
        let mut behind = 0;
        self.blanks
            .split(|atom| atom.c == '\n')
            .map(|blanks| {
                let end = self.blanks.get(behind + blanks.len()).map_or(self.end, |atom| atom.at);
                behind += blanks.len() + 1;
                Self { blanks, end }
            })
            .collect()
    }

    fn first_difference(self, old: Self) -> Option<(usize, usize)> {
        let same = self.blanks.iter().zip(old.blanks).take_while(|(a, b)| a.c == b.c).count();
        let at = |gap: Self| gap.blanks.get(same).map_or(gap.end, |atom| atom.at);
        (same < self.blanks.len().max(old.blanks.len())).then(|| (at(self), at(old)))
    }

    /// Whether two runs are the same indentation, once with tabs and once with
    /// spaces or with another mix of both.
    fn differs_in_tabs(self, old: Self) -> bool {
        let count = |gap: Self, c| gap.blanks.iter().filter(|atom| atom.c == c).count();
        if self.blanks.is_empty() || old.blanks.is_empty() {
            return false;
        }
        let (tabs, old_tabs) = (count(self, '\t'), count(old, '\t'));
        let width = |gap: Self, tab| count(gap, ' ') + count(gap, '\t') * tab;
        (tabs == 0) != (old_tabs == 0) || tabs > 0 && (1..=8).any(|tab| width(self, tab) == width(old, tab))
    }
}

/// A character that leaves no bones in a skeleton.
fn is_gap(c: char) -> bool {
    is_blank(c) || unseen(c).is_some()
}

/// Widens a place by the blanks around it that stand for those at the ends of
/// `old`: the same ones if they are there, else those that come nearest.
fn widen(text: &str, core: Range<usize>, old: &str) -> Range<usize> {
    let lead = &old[..old.len() - old.trim_start_matches(is_gap).len()];
    let tail = &old[old.trim_end_matches(is_gap).len()..];
    let before = Side { text: &text[..core.start], backwards: true };
    let behind = Side { text: &text[core.end..], backwards: false };
    core.start - before.reach(lead)..core.end + behind.reach(tail)
}

/// The text on one side of a place, read away from it.
#[derive(Clone, Copy)]
struct Side<'t> {
    text: &'t str,
    backwards: bool,
}

impl<'t> Side<'t> {
    /// The characters of `text` away from the place, a CRLF pair as one LF:
    /// each with its length in bytes.
    fn chars_of(self, text: &'t str) -> impl Iterator<Item = (char, usize)> {
        let mut rest = text;
        std::iter::from_fn(move || {
            let pair = if self.backwards { rest.ends_with("\r\n") } else { rest.starts_with("\r\n") };
            let (c, len) = if pair {
                ('\n', 2)
            } else {
                let c = if self.backwards { rest.chars().next_back() } else { rest.chars().next() }?;
                (c, c.len_utf8())
            };
            rest = if self.backwards { &rest[..rest.len() - len] } else { &rest[len..] };
            Some((c, len))
        })
    }

    /// How many bytes stand for `gap`.
    fn reach(self, gap: &'t str) -> usize {
        self.same(gap).unwrap_or_else(|| self.nearest(gap))
    }

    fn same(self, gap: &'t str) -> Option<usize> {
        let mut ours = self.chars_of(self.text);
        let mut reached = 0;
        for (c, _) in self.chars_of(gap) {
            let (own, len) = ours.next()?;
            if own != c {
                return None;
            }
            reached += len;
        }
        Some(reached)
    }

    /// The blanks up to as many newlines as `gap` has, and those of the line
    /// beyond only if `gap` goes on there too. Runs of blanks much longer than
    /// `gap` are cut.
    fn nearest(self, gap: &'t str) -> usize {
        let mut newlines = 0;
        let mut goes_on = false;
        for (c, _) in self.chars_of(gap) {
            newlines += usize::from(c == '\n');
            goes_on = c != '\n';
        }
        let most = gap.len().saturating_mul(2).saturating_add(64);
        self.chars_of(self.text)
            .take(most)
            .take_while(|&(c, _)| {
                if c == '\n' {
                    let wanted = newlines > 0;
                    newlines = newlines.saturating_sub(1);
                    return wanted;
                }
                is_gap(c) && (newlines > 0 || goes_on)
            })
            .map(|(_, len)| len)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, core: &str, old: &str, place: &str, kinds: &[CauseKind]) {
        let start = text.find(core).unwrap();
        let candidate = compare(text, start..start + core.len(), old, EolMode::Adapt).unwrap();
        let got: Vec<_> = candidate.witnesses.iter().map(|witness| witness.kind).collect();
        assert_eq!((&text[candidate.place], &*got), (place, kinds));
    }

    #[test]
    fn r_edit_3_whitespace_and_tabs_are_told_apart() {
        use CauseKind::{Case, Tabs, Whitespace};
        check(
            "\tif x {\n\t\treturn",
            "if x {\n\t\treturn",
            "    if x {\n        return",
            "\tif x {\n\t\treturn",
            &[Tabs],
        );
        check("  a\n", "a", "    a\n", "  a\n", &[Whitespace]);
        check("a  \nb", "a  \nb", "a\nb", "a  \nb", &[Whitespace]);
        check("a\nb", "a\nb", "a \nb", "a\nb", &[Whitespace]);
        check("\ta;  \n\tb", "a;  \n\tb", "    a;\n    b", "\ta;  \n\tb", &[Whitespace, Tabs]);
        check("\t    a", "a", "\t\ta", "\t    a", &[Tabs]);
        check("a\tb", "a\tb", "a b", "a\tb", &[Tabs]);
        check("a b", "a b", "a\nb", "a b", &[Whitespace]);
        check("x    Foo", "Foo", " foo", " Foo", &[Case]);
        check("Foo    \r\n\r\n", "Foo", "foo  ", "Foo  ", &[Case]);
        check("Foo\r\n\r\n", "Foo", "foo\n", "Foo\r\n", &[Case]);
        check("a", "a", "a\n", "a", &[Whitespace]);
        check("x\n\n  a", "a", "\n a", "\n  a", &[Whitespace]);
        check("a\r\n\r\n\tb", "a\r\n\r\n\tb", "a\n\n  b\n", "a\r\n\r\n\tb", &[Whitespace, Tabs]);
    }
}
