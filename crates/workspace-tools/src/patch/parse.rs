//! Reads the text of a patch. Any text gives a patch or a failure with its line.

use super::{Hunk, HunkLine, Patch, Section, SectionAction};

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File:";
const DELETE: &str = "*** Delete File:";
const UPDATE: &str = "*** Update File:";
const MOVE: &str = "*** Move to:";
const END_OF_FILE: &str = "*** End of File";

/// Why a text is no patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParseFailure {
    /// The line at fault, from 1; of a patch that breaks off, its last one.
    pub(crate) line: usize,
    /// What is wrong with it.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: &'static str,
}

/// Reads a whole patch, from `*** Begin Patch` to `*** End Patch`.
///
/// Blank lines around it, blanks behind a marker and CRLF for LF are taken. Nothing else is: what
/// cannot be read for sure is a failure.
///
/// # Errors
/// The first line that does not fit.
pub(crate) fn parse(text: &str) -> Result<Patch, ParseFailure> {
    let mut lines = Lines::new(text);
    lines.skip_blank();
    if lines.marker() != Some(BEGIN) {
        return Err(
            lines.fault("a patch begins with `*** Begin Patch`", "send the whole patch in that format")
        );
    }
    lines.advance();
    let mut sections = Vec::new();
    loop {
        lines.skip_blank();
        let Some(marker) = lines.marker() else {
            return Err(lines.fault(
                "the patch ends without `*** End Patch`",
                "send it whole; a long one can be sent as several patches",
            ));
        };
        if marker == END {
            break;
        }
        sections.push(section(&mut lines, marker)?);
    }
    if sections.is_empty() {
        return Err(lines.fault(
            "the patch names no file",
            "give at least one section: `*** Add File: path`, `*** Update File: path` or `*** Delete File: path`",
        ));
    }
    lines.advance();
    lines.skip_blank();
    if lines.current().is_some() {
        return Err(
            lines.fault("something follows `*** End Patch`", "send one patch a call and nothing after it")
        );
    }
    Ok(Patch { sections })
}

/// Reads the hunks of one file that come without the lines around them.
///
/// # Errors
/// The first line that does not fit.
pub(crate) fn parse_hunks(text: &str) -> Result<Vec<Hunk>, ParseFailure> {
    let mut lines = Lines::new(text);
    let hunks = hunks(&mut lines)?;
    match lines.current() {
        None if hunks.is_empty() => Err(no_hunk(&lines)),
        None => Ok(hunks),
        Some(_) => Err(lines.fault("this marker does not belong into the diff of one file", ONE_FILE)),
    }
}

/// Reads the content of a new file, each line of which begins with `+`.
///
/// # Errors
/// The first line that does not.
pub(crate) fn parse_content(text: &str) -> Result<String, ParseFailure> {
    let mut lines = Lines::new(text);
    let content = content(&mut lines);
    match lines.current() {
        None => Ok(content),
        Some(_) => Err(lines.fault("a line of a new file does not begin with `+`", EACH_LINE)),
    }
}

const ONE_FILE: &str = "give `@@` headers and lines that begin with ` `, `+` or `-` alone";
const EACH_LINE: &str = "begin each line of a new file with `+`, empty ones too";

fn section(lines: &mut Lines<'_>, marker: &str) -> Result<Section, ParseFailure> {
    let line = lines.number();
    let named = |prefix| marker.strip_prefix(prefix).map(str::trim);
    let (path, action) = if let Some(path) = named(ADD) {
        lines.named(path)?;
        (path, SectionAction::Add(content(lines)))
    } else if let Some(path) = named(DELETE) {
        lines.named(path)?;
        (path, SectionAction::Delete)
    } else if let Some(path) = named(UPDATE) {
        lines.named(path)?;
        (path, update(lines)?)
    } else {
        return Err(lines.fault(
            "this line is no part of a section",
            "begin a section with `*** Add File: path`, `*** Update File: path` or `*** Delete File: path`; \
             lines of a new file begin with `+`, those of an update with ` `, `+` or `-`",
        ));
    };
    Ok(Section { line, path: path.to_owned(), action })
}

fn content(lines: &mut Lines<'_>) -> String {
    let mut content = String::new();
    while let Some(text) = lines.current().and_then(|line| line.strip_prefix('+')) {
        content.push_str(text);
        content.push('\n');
        lines.advance();
    }
    content
}

fn update(lines: &mut Lines<'_>) -> Result<SectionAction, ParseFailure> {
    let mut move_to = None;
    if let Some(path) = lines.marker().and_then(|marker| marker.strip_prefix(MOVE)).map(str::trim) {
        lines.named(path)?;
        move_to = Some(path.to_owned());
    }
    let hunks = hunks(lines)?;
    if hunks.is_empty() && move_to.is_none() {
        return Err(no_hunk(lines));
    }
    Ok(SectionAction::Update { move_to, hunks })
}

fn no_hunk(lines: &Lines<'_>) -> ParseFailure {
    lines.fault(
        "an update without a change",
        "give the lines of the change: ` ` before those that stay, `-` before those that go, `+` before those that come",
    )
}

fn hunks(lines: &mut Lines<'_>) -> Result<Vec<Hunk>, ParseFailure> {
    let mut hunks = Vec::new();
    while let Some(line) = lines.current() {
        let is_first = hunks.is_empty();
        if line.starts_with("@@") || (is_first && !line.starts_with("***")) {
            hunks.push(hunk(lines)?);
        } else {
            break;
        }
    }
    Ok(hunks)
}

fn hunk(lines: &mut Lines<'_>) -> Result<Hunk, ParseFailure> {
    let mut hunk = Hunk { line: lines.number(), ..Hunk::default() };
    while let Some(header) = lines.current().and_then(|line| line.strip_prefix("@@")) {
        let header = header.trim();
        if is_range(header) {
            return Err(lines.fault(
                "line numbers have no meaning in this format",
                "write `@@` alone, or `@@` and a whole line of the file that stands above the change",
            ));
        }
        if !header.is_empty() {
            hunk.headers.push(header.to_owned());
        }
        lines.advance();
    }
    let mut changes = false;
    while let Some(line) = lines.current() {
        // What looks like a context line without its sign may be one of another kind.
        let mut chars = line.chars();
        let text = match chars.next() {
            None => HunkLine::Keep(String::new()),
            Some(' ') => HunkLine::Keep(chars.as_str().to_owned()),
            Some('-') => HunkLine::Remove(chars.as_str().to_owned()),
            Some('+') => HunkLine::Add(chars.as_str().to_owned()),
            Some(_) if line.starts_with("@@") || line.starts_with("***") => break,
            Some(_) => {
                return Err(lines.fault(
                    "a line of an update begins with none of ` `, `+` and `-`",
                    "put a space before each line that stays as it is",
                ));
            }
        };
        changes |= !matches!(text, HunkLine::Keep(_));
        hunk.lines.push(text);
        lines.advance();
    }
    if lines.marker() == Some(END_OF_FILE) {
        hunk.at_end = true;
        lines.advance();
    } else {
        // Blank lines before the next marker are how patches are set out, not lines of the file.
        while changes
            && matches!(hunk.lines.last(), Some(HunkLine::Keep(text)) if text.is_empty())
            && lines.last_was_blank()
        {
            hunk.lines.pop();
            lines.blank_behind = lines.blank_behind.saturating_sub(1);
        }
    }
    if !changes {
        return Err(ParseFailure {
            line: hunk.line,
            message: "a hunk changes nothing".to_owned(),
            hint: "give at least one line that begins with `+` or `-`, or leave the hunk out",
        });
    }
    Ok(hunk)
}

/// Whether a header is that of a unified diff, `-1,3 +1,4 @@`.
fn is_range(header: &str) -> bool {
    let digits = |word: &str, sign| {
        word.strip_prefix(sign)
            .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit() || c == ','))
    };
    let mut words = header.split(' ');
    words.next().is_some_and(|word| digits(word, '-')) && words.next().is_some_and(|word| digits(word, '+'))
}

/// The lines of a text, one at a time.
struct Lines<'t> {
    rest: std::iter::Peekable<std::str::Lines<'t>>,
    /// Lines that were taken.
    taken: usize,
    /// How many of the last lines taken are wholly empty.
    blank_behind: usize,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Self {
        Self { rest: text.lines().peekable(), taken: 0, blank_behind: 0 }
    }

    fn current(&mut self) -> Option<&'t str> {
        self.rest.peek().copied()
    }

    /// The line without the blanks behind it, and before it where it is a marker.
    fn marker(&mut self) -> Option<&'t str> {
        self.current().map(str::trim)
    }

    fn advance(&mut self) {
        if let Some(line) = self.rest.next() {
            self.taken += 1;
            self.blank_behind = if line.is_empty() { self.blank_behind + 1 } else { 0 };
        }
    }

    fn skip_blank(&mut self) {
        while self.current().is_some_and(|line| line.trim().is_empty()) {
            self.advance();
        }
    }

    fn last_was_blank(&self) -> bool {
        self.blank_behind > 0
    }

    /// Takes a marker that names a file.
    fn named(&mut self, path: &str) -> Result<(), ParseFailure> {
        if path.is_empty() {
            return Err(self.fault("the marker names no file", "write the path behind the colon"));
        }
        self.advance();
        Ok(())
    }

    /// The number of the current line, or of the last one at the end.
    fn number(&self) -> usize {
        let mut rest = self.rest.clone();
        self.taken + usize::from(rest.peek().is_some() || self.taken == 0)
    }

    fn fault(&self, message: &str, hint: &'static str) -> ParseFailure {
        ParseFailure { line: self.number(), message: message.to_owned(), hint }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keep(text: &str) -> HunkLine {
        HunkLine::Keep(text.into())
    }

    fn remove(text: &str) -> HunkLine {
        HunkLine::Remove(text.into())
    }

    fn add(text: &str) -> HunkLine {
        HunkLine::Add(text.into())
    }

    #[test]
    fn r_patch_1_every_kind_of_section_is_read() {
        let text = "\n*** Begin Patch\n*** Add File: new.txt\n+one\n+\n*** Delete File: old.txt \n\
                    *** Update File: a.rs\n*** Move to: b.rs\n@@ impl A\n@@   fn f()\n-x\n+y\n z\n@@\n+last\n\
                    *** End of File\n*** Update File: c.rs\n q\n\n+r\n*** End Patch\n\n";
        let update = |line, path: &str, move_to: Option<&str>, hunks| Section {
            line,
            path: path.into(),
            action: SectionAction::Update { move_to: move_to.map(str::to_owned), hunks },
        };
        let expected = [
            Section { line: 3, path: "new.txt".into(), action: SectionAction::Add("one\n\n".into()) },
            Section { line: 6, path: "old.txt".into(), action: SectionAction::Delete },
            update(
                7,
                "a.rs",
                Some("b.rs"),
                vec![
                    Hunk {
                        line: 9,
                        headers: vec!["impl A".into(), "fn f()".into()],
                        lines: vec![remove("x"), add("y"), keep("z")],
                        at_end: false,
                    },
                    Hunk { line: 14, headers: vec![], lines: vec![add("last")], at_end: true },
                ],
            ),
            update(
                17,
                "c.rs",
                None,
                vec![Hunk {
                    line: 18,
                    headers: vec![],
                    lines: vec![keep("q"), keep(""), add("r")],
                    at_end: false,
                }],
            ),
        ];
        assert_eq!(parse(text).unwrap().sections, expected);
        assert_eq!(parse(&text.replace('\n', "\r\n")).unwrap().sections, expected);
    }

    #[test]
    fn r_patch_1_blank_lines_between_sections_are_no_lines_of_the_file() {
        let patch =
            parse("*** Begin Patch\n*** Update File: a\n-x\n \n\n\n*** Delete File: b\n*** End Patch")
                .unwrap();
        let SectionAction::Update { hunks, .. } = &patch.sections[0].action else { panic!() };
        assert_eq!(hunks[0].lines, [remove("x"), keep("")]);
    }

    #[track_caller]
    fn check(text: &str, line: usize, message: &str) {
        let failure = parse(text).unwrap_err();
        assert_eq!((failure.line, failure.message.as_str()), (line, message), "{text:?}");
        assert!(!failure.hint.is_empty());
    }

    #[test]
    fn r_patch_1_a_fault_is_told_with_its_line() {
        check("", 1, "a patch begins with `*** Begin Patch`");
        check("\n\ndiff --git a b\n", 3, "a patch begins with `*** Begin Patch`");
        check("*** Begin Patch\n*** End Patch", 2, "the patch names no file");
        check("*** Begin Patch\n*** Delete File: a\n", 2, "the patch ends without `*** End Patch`");
        check("*** Begin Patch\n*** Add File:\n+x\n*** End Patch", 2, "the marker names no file");
        check(
            "*** Begin Patch\n*** Add File: a\n+x\ny\n*** End Patch",
            4,
            "this line is no part of a section",
        );
        check("*** Begin Patch\n*** Rename File: a\n*** End Patch", 2, "this line is no part of a section");
        check("*** Begin Patch\n*** Update File: a\n*** End Patch", 3, "an update without a change");
        check("*** Begin Patch\n*** Update File: a\n@@ f\n*** End Patch", 3, "a hunk changes nothing");
        check("*** Begin Patch\n*** Update File: a\n x\n@@\n-y\n*** End Patch", 3, "a hunk changes nothing");
        check(
            "*** Begin Patch\n*** Update File: a\n@@\n-x\ny\n*** End Patch",
            5,
            "a line of an update begins with none of ` `, `+` and `-`",
        );
        check(
            "*** Begin Patch\n*** Update File: a\n@@ -1,3 +1,4 @@ fn f\n-x\n*** End Patch",
            3,
            "line numbers have no meaning in this format",
        );
        check(
            "*** Begin Patch\n*** Delete File: a\n*** End Patch\nmore",
            4,
            "something follows `*** End Patch`",
        );
    }

    #[test]
    fn the_parts_of_one_file_are_read_alone() {
        assert_eq!(parse_content("+a\n+\n+b").unwrap(), "a\n\nb\n");
        assert_eq!(parse_content("+a\nb").unwrap_err().line, 2);
        assert_eq!(parse_content("").unwrap(), "");
        assert_eq!(parse_hunks("@@ f\n-a\n+b\n").unwrap()[0].lines, [remove("a"), add("b")]);
        assert_eq!(parse_hunks("").unwrap_err().message, "an update without a change");
        assert_eq!(parse_hunks("-a\n*** Delete File: b\n").unwrap_err().line, 2);
    }
}
