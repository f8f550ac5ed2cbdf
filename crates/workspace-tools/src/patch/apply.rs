//! The change of one file: each hunk finds its place, and all are made at once.

use super::seek::{but_for_blank_ends, exact, places};
use super::{Hunk, HunkLine};

const BOM: char = '\u{feff}';

/// How many places a failure lists.
const MAX_PLACES: usize = 10;

/// What hunks made of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Applied {
    /// The whole new text.
    pub(crate) text: String,
    /// Lines that matched only when blanks at their ends were left out of account.
    pub(crate) tolerated: usize,
}

/// Why a hunk has no place. The text is as before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HunkFailure {
    /// Which hunk it is, from 0.
    pub(crate) index: usize,
    pub(crate) fault: HunkFault,
}

/// What keeps a hunk from having a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HunkFault {
    /// No line from this one on, counted from 1, is this header.
    NoHeader { header: String, from: u64 },
    /// Its lines do not stand together in the file.
    NoMatch,
    /// Its lines stand only above the line, counted from 1, from which they are sought.
    TooEarly { from: u64 },
    /// They are not the last ones of the file, as the patch says.
    NotAtEnd,
    /// They stand there more than once.
    NotUnique { count: usize, lines: Vec<u64> },
}

/// Makes the changes of `hunks` in `text`, all or none.
///
/// A hunk is sought from the end of the change before it. Its headers move that on, each to the
/// first line that equals it without the blanks around both. Then its lines must stand there
/// one below the other: as they are, or, where they do not, without the blanks at their ends.
/// Without a header there must be one such place; with one the nearest is taken. A hunk for the
/// end of the file must match there. A hunk that only adds does so below its header, or
/// at the end of the file.
///
/// Lines that stay are those of the file to the last byte. A line that comes gets the ending of
/// the line that it replaces, else of its neighbour above, else below, else LF. A byte order mark,
/// and a last line without a newline, stay so.
///
/// # Errors
/// The first hunk that has no place.
pub(crate) fn apply(text: &str, hunks: &[Hunk]) -> Result<Applied, HunkFailure> {
    let (bom, body) = match text.strip_prefix(BOM) {
        Some(body) => (true, body),
        None => (false, text),
    };
    let file: Vec<Line<'_>> = body.split_inclusive('\n').map(Line::of).collect();
    let texts: Vec<&str> = file.iter().map(|line| line.text).collect();
    let mut made = Vec::with_capacity(file.len());
    let (mut cursor, mut copied, mut tolerated) = (0, 0, 0);
    for (index, hunk) in hunks.iter().enumerate() {
        let place = place(&texts, hunk, cursor).map_err(|fault| HunkFailure { index, fault })?;
        tolerated += place.tolerated;
        made.extend(file.get(copied..place.at).unwrap_or_default().iter().copied());
        // What only follows a change may be the beginning of the next hunk.
        let behind = hunk.lines.iter().rev().take_while(|line| matches!(line, HunkLine::Keep(_))).count();
        let lines = hunk.lines.get(..hunk.lines.len() - behind).unwrap_or_default();
        copied = write(&file, place.at, lines, &mut made);
        cursor = copied;
    }
    made.extend(file.get(copied..).unwrap_or_default().iter().copied());
    let ends_in_newline = body.is_empty() || body.ends_with('\n');
    Ok(Applied { text: joined(bom, &made, ends_in_newline), tolerated })
}

/// A line of the file, and how it ends; empty where it is the last and does not.
#[derive(Clone, Copy)]
struct Line<'t> {
    text: &'t str,
    ending: &'t str,
}

impl<'t> Line<'t> {
    fn of(line: &'t str) -> Self {
        let text = line.strip_suffix('\n').map_or(line, |text| text.strip_suffix('\r').unwrap_or(text));
        Self { text, ending: line.get(text.len()..).unwrap_or_default() }
    }
}

struct Place {
    at: usize,
    tolerated: usize,
}

fn place(texts: &[&str], hunk: &Hunk, cursor: usize) -> Result<Place, HunkFault> {
    let (mut start, mut below) = (cursor, None);
    for header in &hunk.headers {
        let from = below.unwrap_or(start);
        let found = texts.iter().skip(from).position(|line| line.trim() == header);
        let Some(found) = found else {
            return Err(HunkFault::NoHeader { header: header.clone(), from: from as u64 + 1 });
        };
        start = from + found;
        below = Some(start + 1);
    }
    let old: Vec<&str> = hunk.old().collect();
    if old.is_empty() {
        let at = if hunk.at_end { texts.len() } else { below.unwrap_or(texts.len()) };
        return Ok(Place { at, tolerated: 0 });
    }
    if hunk.at_end {
        let at = texts.len().checked_sub(old.len()).filter(|at| *at >= start).ok_or(HunkFault::NotAtEnd)?;
        let found = exactly(texts, &old, at).or_else(|| nearly(texts, &old, at));
        return found.map_or(Err(HunkFault::NotAtEnd), |found| found.one(texts, &old, false));
    }
    match exactly(texts, &old, start).or_else(|| nearly(texts, &old, start)) {
        Some(found) => found.one(texts, &old, below.is_none()),
        None if exactly(texts, &old, 0).or_else(|| nearly(texts, &old, 0)).is_some() => {
            Err(HunkFault::TooEarly { from: start as u64 + 1 })
        }
        None => Err(HunkFault::NoMatch),
    }
}

/// Places of a hunk: the first ones, and how many there are.
struct Found {
    first: usize,
    lines: Vec<u64>,
    count: usize,
}

impl Found {
    fn among(places: impl Iterator<Item = usize>) -> Option<Self> {
        let mut places = places.peekable();
        let first = *places.peek()?;
        let mut found = Self { first, lines: Vec::new(), count: 0 };
        for at in places {
            found.count += 1;
            if found.lines.len() < MAX_PLACES {
                found.lines.push(at as u64 + 1);
            }
        }
        Some(found)
    }

    fn one(self, texts: &[&str], old: &[&str], must_be_only: bool) -> Result<Place, HunkFault> {
        if must_be_only && self.count > 1 {
            return Err(HunkFault::NotUnique { count: self.count, lines: self.lines });
        }
        let there = texts.iter().skip(self.first).zip(old);
        Ok(Place { at: self.first, tolerated: there.filter(|(line, old)| line != old).count() })
    }
}

fn exactly(texts: &[&str], old: &[&str], start: usize) -> Option<Found> {
    Found::among(places(texts, old, start, exact))
}

fn nearly(texts: &[&str], old: &[&str], start: usize) -> Option<Found> {
    Found::among(places(texts, old, start, but_for_blank_ends))
}

/// Writes the lines of a hunk that begins at a line of the file, and tells behind which it ends.
fn write<'t>(file: &[Line<'t>], at: usize, lines: &'t [HunkLine], made: &mut Vec<Line<'t>>) -> usize {
    let mut next = at;
    // Endings of lines that went and that no line has replaced yet.
    let mut free = std::collections::VecDeque::new();
    for (index, line) in lines.iter().enumerate() {
        match line {
            HunkLine::Keep(_) => {
                made.extend(file.get(next).copied());
                next += 1;
                free.clear();
            }
            HunkLine::Remove(_) => {
                free.extend(file.get(next).map(|line| line.ending).filter(|ending| !ending.is_empty()));
                next += 1;
            }
            HunkLine::Add(text) => {
                let replaced = free.pop_front().or_else(|| ending_ahead(file, next, lines.get(index..)));
                let above = || made.last().map(|line| line.ending).filter(|ending| !ending.is_empty());
                let below = || file.get(next).map(|line| line.ending).filter(|ending| !ending.is_empty());
                let ending = replaced.or_else(above).or_else(below).unwrap_or("\n");
                made.push(Line { text, ending });
            }
        }
    }
    next
}

/// The ending of the line that is about to go, where a patch writes what comes before what goes.
fn ending_ahead<'t>(file: &[Line<'t>], next: usize, lines: Option<&[HunkLine]>) -> Option<&'t str> {
    let behind = lines?.iter().find(|line| !matches!(line, HunkLine::Add(_)))?;
    let line = file.get(next).filter(|line| !line.ending.is_empty())?;
    matches!(behind, HunkLine::Remove(_)).then_some(line.ending)
}

fn joined(bom: bool, lines: &[Line<'_>], ends_in_newline: bool) -> String {
    let length: usize = lines.iter().map(|line| line.text.len() + 2).sum();
    let mut out = String::with_capacity(length + BOM.len_utf8());
    if bom {
        out.push(BOM);
    }
    let mut before = "\n";
    for (index, line) in lines.iter().enumerate() {
        out.push_str(line.text);
        let ending = if line.ending.is_empty() { before } else { line.ending };
        if index + 1 < lines.len() || ends_in_newline {
            out.push_str(ending);
        }
        before = ending;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::parse_hunks;
    use super::*;

    #[track_caller]
    fn check(text: &str, diff: &str, expected: &str) {
        let applied = apply(text, &parse_hunks(diff).unwrap()).unwrap();
        assert_eq!(applied.text, expected);
    }

    #[track_caller]
    fn fails(text: &str, diff: &str, index: usize, fault: HunkFault) {
        assert_eq!(apply(text, &parse_hunks(diff).unwrap()).unwrap_err(), HunkFailure { index, fault });
    }

    #[test]
    fn r_patch_2_hunks_are_made_from_top_to_bottom() {
        check("a\nb\nc\nd\n", "@@\n a\n-b\n+B\n c\n@@\n c\n-d\n+D\n+E\n", "a\nB\nc\nD\nE\n");
        check("a\nb\n", "-a\n", "b\n");
        check("a\n", "-a\n", "");
        fails("a\nb\n", "@@\n-b\n@@\n-a\n", 1, HunkFault::TooEarly { from: 3 });
        fails("a\nb\n", "-c\n", 0, HunkFault::NoMatch);
    }

    #[test]
    fn r_patch_2_a_hunk_without_a_header_has_one_place() {
        fails("x\na\nx\n", "-x\n", 0, HunkFault::NotUnique { count: 2, lines: vec![1, 3] });
        check("x\na\nx\n", "@@ a\n-x\n", "x\na\n");
        check("f {\n  x\n}\ng {\n  x\n}\n", "@@ g {\n-  x\n+  y\n", "f {\n  x\n}\ng {\n  y\n}\n");
        // Headers lead from the outside to the inside, and may repeat the first line of the hunk.
        check("A\n f\n  x\nB\n f\n  x\n", "@@ B\n@@ f\n  f\n-  x\n", "A\n f\n  x\nB\n f\n");
        fails("a\nb\n", "@@ z\n-b\n", 0, HunkFault::NoHeader { header: "z".into(), from: 1 });
        fails("a\nb\n", "@@ b\n@@ a\n-b\n", 0, HunkFault::NoHeader { header: "a".into(), from: 3 });
    }

    #[test]
    fn r_patch_2_blanks_at_ends_are_tolerated_and_nothing_else() {
        let applied = apply("a  \nb\t\nc\n", &parse_hunks(" a\n-b\n+B \n c\n").unwrap()).unwrap();
        // Lines that stay are those of the file.
        assert_eq!(applied, Applied { text: "a  \nB \nc\n".into(), tolerated: 2 });
        fails("  a\n", "-a\n", 0, HunkFault::NoMatch);
        fails("\u{201c}a\u{201d}\n", "-\"a\"\n", 0, HunkFault::NoMatch);
        fails("A\n", "-a\n", 0, HunkFault::NoMatch);
        // What matches as it is goes first.
        check("a \na\n", "-a\n", "a \n");
    }

    #[test]
    fn r_patch_2_the_end_of_the_file_is_the_end() {
        check("x\na\nx\n", "-x\n+y\n*** End of File\n", "x\na\ny\n");
        fails("x\na\n", "-x\n*** End of File\n", 0, HunkFault::NotAtEnd);
        check("a\n", "+b\n", "a\nb\n");
        check("", "+b\n", "b\n");
        check("a\nf\nb\n", "@@ f\n+c\n", "a\nf\nc\nb\n");
    }

    #[test]
    fn r_patch_3_endings_and_the_mark_stay() {
        check("\u{feff}a\r\nb\r\n", "-a\n+A\n+B\n b\n", "\u{feff}A\r\nB\r\nb\r\n");
        check("a\r\nb\nc\n", "-a\n-b\n+1\n+2\n+3\n c\n", "1\r\n2\n3\nc\n");
        check("a\nb\r\nc", " b\n+x\n c\n", "a\nb\r\nx\r\nc");
        // A file whose last line has no newline still has none, whatever stands there.
        check("a\nb", " b\n+c\n", "a\nb\nc");
        check("a\nb", "-b\n", "a");
        check("a", "-a\n+b\n+c\n", "b\nc");
        check("\r\nx\r\n", "+y\n-x\n", "\r\ny\r\n");
    }
}
