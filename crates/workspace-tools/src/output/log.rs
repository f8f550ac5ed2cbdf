//! The newest output of a command that goes on, with cursors.
//!
//! A cursor is a number of bytes of text, of both streams together, in the order in which
//! they came. What was printed by the time of a read can be read, also a line without an
//! end: a prompt must be seen. A progress line that is redrawn later is then shown again.

use std::collections::VecDeque;

use workspace_core::Stream;

use super::decoder::Decoder;

/// Keeps the newest text of both streams, whatever is pushed.
#[derive(Debug)]
pub(crate) struct Log {
    stdout: Decoder,
    stderr: Decoder,
    newest: Newest,
}

/// What came after a cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Since {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// Where the next read goes on.
    pub(crate) cursor: u64,
    /// Bytes after the cursor that are not kept any more.
    pub(crate) dropped: u64,
}

impl Log {
    /// Keeps so many bytes of text, as a terminal would show it or all of it.
    pub(crate) fn new(max_bytes: usize, terminal: bool) -> Self {
        Self {
            stdout: Decoder::new(terminal),
            stderr: Decoder::new(terminal),
            newest: Newest { max_bytes, ..Newest::default() },
        }
    }

    /// Takes the next bytes of a stream.
    pub(crate) fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let Self { stdout, stderr, newest } = self;
        match stream {
            Stream::Stdout => stdout.push(bytes, |text| newest.append(stream, text)),
            Stream::Stderr => stderr.push(bytes, |text| newest.append(stream, text)),
        }
    }

    /// Ends both streams.
    pub(crate) fn finish(&mut self) {
        let Self { stdout, stderr, newest } = self;
        stdout.finish(|text| newest.append(Stream::Stdout, text));
        stderr.finish(|text| newest.append(Stream::Stderr, text));
    }

    /// The cursor after all that was printed by now.
    pub(crate) fn end(&mut self) -> u64 {
        let Self { stdout, stderr, newest } = self;
        stdout.let_go(|text| newest.append(Stream::Stdout, text));
        stderr.let_go(|text| newest.append(Stream::Stderr, text));
        newest.end
    }

    /// What was printed after a cursor; nothing after one that was never given.
    pub(crate) fn since(&mut self, cursor: u64) -> Since {
        self.end();
        self.newest.since(cursor)
    }
}

/// The last bytes of a text in which two streams alternate.
#[derive(Debug, Default)]
struct Newest {
    max_bytes: usize,
    /// Whole characters.
    text: VecDeque<u8>,
    /// Which stream the bytes are of, from the first on.
    runs: VecDeque<Run>,
    /// Bytes that ever came.
    end: u64,
}

#[derive(Debug, Clone, Copy)]
struct Run {
    stream: Stream,
    length: usize,
}

impl Newest {
    fn append(&mut self, stream: Stream, text: &str) {
        self.end += text.len() as u64;
        // What is longer than all that is kept need not be put in whole.
        let kept = &text[text.ceil_char_boundary(text.len().saturating_sub(self.max_bytes))..];
        if kept.len() < text.len() {
            self.text.clear();
            self.runs.clear();
        }
        if kept.is_empty() {
            return;
        }
        self.text.extend(kept.as_bytes());
        match self.runs.back_mut() {
            Some(run) if run.stream == stream => run.length += kept.len(),
            _ => self.runs.push_back(Run { stream, length: kept.len() }),
        }
        self.drop_oldest();
    }

    fn drop_oldest(&mut self) {
        let over = self.text.len().saturating_sub(self.max_bytes);
        if over == 0 {
            return;
        }
        let inside = self.text.iter().skip(over).take_while(|&&byte| is_continuation(byte)).count();
        let mut cut = over + inside;
        self.text.drain(..cut);
        while let Some(run) = self.runs.front_mut() {
            if run.length > cut {
                run.length -= cut;
                return;
            }
            cut -= run.length;
            self.runs.pop_front();
        }
    }

    fn since(&self, cursor: u64) -> Since {
        let start = self.end - self.text.len() as u64;
        let dropped = start.saturating_sub(cursor);
        let mut from =
            usize::try_from(cursor.saturating_sub(start)).unwrap_or(usize::MAX).min(self.text.len());
        // A cursor of the caller's own making may point into a character.
        while self.text.get(from).is_some_and(|&byte| is_continuation(byte)) {
            from -= 1;
        }
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let mut at = 0;
        for run in &self.runs {
            let range = from.max(at)..at + run.length;
            at = range.end;
            if !range.is_empty() {
                let bytes = match run.stream {
                    Stream::Stdout => &mut stdout,
                    Stream::Stderr => &mut stderr,
                };
                bytes.extend(self.text.range(range));
            }
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Since { stdout: text(&stdout), stderr: text(&stderr), cursor: self.end, dropped }
    }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Stream::{Stderr, Stdout};
    use super::*;

    #[track_caller]
    fn check(log: &mut Log, cursor: u64, expected: (&str, &str, u64, u64)) {
        let Since { stdout, stderr, cursor, dropped } = log.since(cursor);
        assert_eq!((stdout.as_str(), stderr.as_str(), cursor, dropped), expected);
    }

    #[test]
    fn r_job_2_a_cursor_gives_what_came_after_it() {
        let mut log = Log::new(100, true);
        check(&mut log, 0, ("", "", 0, 0));
        log.push(Stdout, b"first\n");
        log.push(Stderr, b"bad\n");
        check(&mut log, 0, ("first\n", "bad\n", 10, 0));
        log.push(Stdout, b"second\n");
        check(&mut log, 10, ("second\n", "", 17, 0));
        check(&mut log, 17, ("", "", 17, 0));
        // Reading takes nothing away.
        check(&mut log, 0, ("first\nsecond\n", "bad\n", 17, 0));
        check(&mut log, 6, ("second\n", "bad\n", 17, 0));
    }

    #[test]
    fn r_job_2_the_newest_bytes_are_kept_and_the_gap_is_told() {
        let mut log = Log::new(8, false);
        log.push(Stdout, b"0123456789");
        check(&mut log, 0, ("23456789", "", 10, 2));
        check(&mut log, 1, ("23456789", "", 10, 1));
        check(&mut log, 4, ("456789", "", 10, 0));
        log.push(Stderr, b"ab");
        check(&mut log, 0, ("456789", "ab", 12, 4));
        log.push(Stdout, b"cdefgh");
        check(&mut log, 0, ("cdefgh", "ab", 18, 10));
        log.push(Stdout, &[b'x'; 1000]);
        check(&mut log, 0, ("xxxxxxxx", "", 1018, 1010));
    }

    #[test]
    fn r_job_2_no_character_is_split_between_two_reads() {
        let mut log = Log::new(100, false);
        log.push(Stdout, b"x\xe4\xb8");
        check(&mut log, 0, ("x", "", 1, 0));
        log.push(Stderr, b"e");
        check(&mut log, 1, ("", "e", 2, 0));
        log.push(Stdout, b"\xad\n");
        check(&mut log, 2, ("\u{4e2d}\n", "", 6, 0));
        // A cursor that nobody gave points into the character: it is shown whole.
        check(&mut log, 3, ("\u{4e2d}\n", "", 6, 0));
        check(&mut log, 4, ("\u{4e2d}\n", "", 6, 0));
    }

    #[test]
    fn r_job_2_no_character_is_split_where_the_oldest_are_dropped() {
        let mut log = Log::new(4, false);
        log.push(Stdout, "中中".as_bytes());
        check(&mut log, 0, ("中", "", 6, 3));
        log.push(Stdout, b"ab");
        check(&mut log, 0, ("ab", "", 8, 6));
    }

    #[test]
    fn a_prompt_can_be_read_and_a_line_drawn_again_begins_anew() {
        let mut log = Log::new(100, true);
        log.push(Stdout, b"\x1b[32mName: ");
        check(&mut log, 0, ("Name: ", "", 6, 0));
        log.push(Stdout, b"Ann\n");
        check(&mut log, 6, ("Ann\n", "", 10, 0));
        log.push(Stdout, b"1%\r2%");
        check(&mut log, 10, ("2%", "", 12, 0));
        log.push(Stdout, b"\r3%\r4%\n");
        check(&mut log, 12, ("\n4%\n", "", 16, 0));
    }

    #[test]
    fn the_end_of_a_stream_shows_its_last_line() {
        let mut log = Log::new(100, true);
        log.push(Stdout, b"a\nno newline \xe4");
        log.finish();
        check(&mut log, 0, ("a\nno newline ", "", 13, 0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn r_job_2_following_the_cursors_gives_all_and_equal_cursors_give_the_same(
            pieces in prop::collection::vec((any::<bool>(), "[a-c\né中🦊]{0,6}", any::<bool>()), 0..30),
            terminal in any::<bool>(),
        ) {
            let mut log = Log::new(10_000, terminal);
            let (mut out, mut err) = (String::new(), String::new());
            let (mut followed_out, mut followed_err) = (String::new(), String::new());
            let mut cursors = vec![0];
            let mut cursor = 0;
            for (to_stdout, text, read) in &pieces {
                if *to_stdout { out += text } else { err += text }
                log.push(if *to_stdout { Stdout } else { Stderr }, text.as_bytes());
                if *read {
                    let since = log.since(cursor);
                    followed_out += &since.stdout;
                    followed_err += &since.stderr;
                    cursor = since.cursor;
                    cursors.push(cursor);
                }
            }
            log.finish();
            let rest = log.since(cursor);
            prop_assert_eq!(followed_out + &rest.stdout, out.as_str());
            prop_assert_eq!(followed_err + &rest.stderr, err.as_str());
            for cursor in cursors {
                let once = log.since(cursor);
                prop_assert!(out.ends_with(&once.stdout) && err.ends_with(&once.stderr));
                prop_assert_eq!(log.since(cursor), once);
            }
        }

        #[test]
        fn r_job_2_memory_and_answers_are_bounded(
            pieces in prop::collection::vec((any::<bool>(), "[a\né中🦊]{0,40}"), 0..30),
            max_bytes in 4_usize..60,
        ) {
            let mut log = Log::new(max_bytes, false);
            let mut all = 0;
            for (to_stdout, text) in &pieces {
                log.push(if *to_stdout { Stdout } else { Stderr }, text.as_bytes());
                all += text.len() as u64;
                let Since { stdout, stderr, cursor, dropped } = log.since(0);
                let kept = stdout.len() + stderr.len();
                prop_assert!(kept <= max_bytes);
                prop_assert!(kept as u64 + dropped == all && cursor == all);
                prop_assert!(kept as u64 == all || kept + 4 > max_bytes);
                prop_assert_eq!(log.newest.runs.iter().map(|run| run.length).sum::<usize>(), kept);
            }
        }
    }
}
