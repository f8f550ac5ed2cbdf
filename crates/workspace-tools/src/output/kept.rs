//! What is kept of one stream: its first bytes and its last.

use std::collections::VecDeque;

use super::{Keep, lossy};

/// Last bytes kept beyond those that can be shown: the first of them may be the rest of a
/// character.
const SLACK: usize = 8;

/// The start and the end of a stream, whatever comes between.
#[derive(Debug)]
pub(super) struct Kept {
    keep: Keep,
    head_capacity: usize,
    tail_capacity: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

impl Kept {
    /// Keeps enough to show any share of this budget.
    pub(super) fn new(max_bytes: usize, keep: Keep) -> Self {
        let tail_capacity = match keep {
            Keep::Ends => max_bytes / 2 + SLACK,
            Keep::Head => 0,
        };
        Self {
            keep,
            head_capacity: max_bytes,
            tail_capacity,
            head: Vec::new(),
            tail: VecDeque::new(),
            total: 0,
        }
    }

    /// Takes the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = self.head_capacity - self.head.len();
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);
        let rest = &rest[rest.len().saturating_sub(self.tail_capacity)..];
        let excess = (self.tail.len() + rest.len()).saturating_sub(self.tail_capacity);
        self.tail.drain(..excess);
        self.tail.extend(rest);
    }

    /// Length of the stream's text; of a stream that is longer than the budget even before
    /// it is decoded, more than any budget.
    pub(super) fn decoded_length(&self) -> usize {
        if self.is_all_in_head() { lossy::length(&self.head) } else { usize::MAX }
    }

    fn is_all_in_head(&self) -> bool {
        self.total == self.head.len() as u64
    }

    /// The stream as text of at most `share` bytes, and how many of its bytes that leaves
    /// out.
    pub(super) fn into_text(self, share: usize, elsewhere: Option<&str>) -> (String, u64) {
        if self.decoded_length() <= share {
            return (lossy::start(&self.head, share).0, 0);
        }
        // No later number is longer than this one, so the marker written below fits.
        let longest_marker = marker(self.total, elsewhere).len() + 2;
        let Some(room) = share.checked_sub(longest_marker) else {
            let (text, taken) = lossy::start(&self.head, share);
            return (text, self.total - taken as u64);
        };
        let tail_room = match self.keep {
            Keep::Ends => room / 2,
            Keep::Head => 0,
        };
        let (mut text, taken_at_start) = lossy::start(&self.head, room - tail_room);
        let (end, taken_at_end) = lossy::end(&self.last(tail_room), tail_room);
        let omitted = self.total - (taken_at_start + taken_at_end) as u64;
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&marker(omitted, elsewhere));
        text.push('\n');
        text.push_str(&end);
        (text, omitted)
    }

    /// The last bytes, some more than wanted, as far as there are so many.
    fn last(&self, wanted: usize) -> Vec<u8> {
        // Only a tail that is full can have a gap before it, and a full one is enough.
        let missing = (wanted + SLACK).saturating_sub(self.tail.len());
        let from = self.head.len().saturating_sub(missing);
        self.head[from..].iter().chain(&self.tail).copied().collect()
    }
}

fn marker(omitted: u64, elsewhere: Option<&str>) -> String {
    match elsewhere {
        None => format!("[... {omitted} bytes left out ...]"),
        Some(place) => format!("[... {omitted} bytes left out, {place} ...]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(keep: Keep, max_bytes: usize, bytes: &[u8], share: usize, expected: (&str, u64)) {
        for size in [1, 3, bytes.len().max(1)] {
            let mut kept = Kept::new(max_bytes, keep);
            bytes.chunks(size).for_each(|chunk| kept.push(chunk));
            let (text, omitted) = kept.into_text(share, None);
            assert_eq!((text.as_str(), omitted), expected, "in chunks of {size}");
        }
    }

    #[test]
    fn r_exec_4_start_and_end_stand_around_one_marker_line() {
        let digits = b"0123456789".repeat(10);
        let omitted = "01234\n[... 90 bytes left out ...]\n56789";
        check(Keep::Ends, 100, &digits, 100, (str::from_utf8(&digits).unwrap(), 0));
        // 30 bytes go to the marker and its newlines, one of them to a third digit that is not needed.
        check(Keep::Ends, 100, &digits, 40, (omitted, 90));
        check(Keep::Ends, 40, &digits, 40, (omitted, 90));
        check(Keep::Ends, 99, &digits[..99], 40, ("012345\n[... 88 bytes left out ...]\n45678", 88));
    }

    #[test]
    fn r_exec_4_a_newline_before_the_gap_is_not_doubled() {
        let lines = b"abcd\n".repeat(20);
        let omitted = "abcd\n[... 90 bytes left out ...]\nabcd\n";
        check(Keep::Ends, 40, &lines, 40, (omitted, 90));
    }

    #[test]
    fn r_exec_4_keeping_the_head_drops_later_bytes() {
        let digits = b"0123456789".repeat(10);
        check(Keep::Head, 40, &digits, 40, ("0123456789\n[... 90 bytes left out ...]\n", 90));
        check(Keep::Head, 100, &digits, 100, (str::from_utf8(&digits).unwrap(), 0));
    }

    #[test]
    fn r_exec_4_a_share_too_small_for_a_marker_keeps_the_start() {
        check(Keep::Ends, 10, "éééééééé".as_bytes(), 5, ("éé", 12));
        check(Keep::Ends, 0, b"abc", 0, ("", 3));
        // The head ends inside a character, whose bytes are left out too.
        check(Keep::Ends, 4, "a中中中".as_bytes(), 4, ("a中", 6));
        check(Keep::Ends, 3, "a中中中".as_bytes(), 3, ("a", 9));
    }

    #[test]
    fn r_exec_6_the_marker_names_where_all_of_it_is() {
        let mut kept = Kept::new(80, Keep::Head);
        kept.push(&[b'x'; 200]);
        let (text, _) = kept.into_text(80, Some("all is in `@output/3`"));
        assert_eq!(
            text,
            format!("{}\n[... 173 bytes left out, all is in `@output/3` ...]\n", "x".repeat(27))
        );
    }

    #[test]
    fn r_exec_4_memory_is_bounded_whatever_is_printed() {
        let mut kept = Kept::new(1000, Keep::Ends);
        let chunk = b"x".repeat(1 << 16);
        for _ in 0..100 {
            kept.push(&chunk);
        }
        assert!(kept.head.capacity() + kept.tail.capacity() <= 2200);
    }
}
