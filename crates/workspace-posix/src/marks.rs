//! The end of a program's output, where its pipe stays open.

/// Cuts the output of a program at a mark that only its launcher knows.
///
/// It holds back no more than what may be the begin of the mark, so that output
/// arrives when it is printed. For backends whose launcher prints a mark behind
/// the output of a program and, after it, how the program ended.
///
/// # Examples
/// ```
/// use workspace_posix::Marked;
///
/// let mut marked = Marked::new("<end>");
/// assert_eq!(marked.take(b"out<e"), b"out");
/// assert_eq!(marked.take(b"nd>0;"), b"");
/// assert_eq!((marked.after(), marked.received()), (Some(&b"0;"[..]), 10));
/// ```
#[derive(Debug)]
pub struct Marked {
    mark: Vec<u8>,
    held: Vec<u8>,
    found: bool,
    received: u64,
}

impl Marked {
    /// A stream of which nothing has come yet.
    pub fn new(mark: &str) -> Self {
        Self { mark: mark.as_bytes().to_vec(), held: Vec::new(), found: false, received: 0 }
    }

    /// Takes bytes in, and gives those that are output for sure.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.received += bytes.len() as u64;
        self.held.extend_from_slice(bytes);
        if self.found {
            return Vec::new();
        }
        if let Some(at) = memchr::memmem::find(&self.held, &self.mark) {
            self.found = true;
            let after = self.held.split_off(at).split_off(self.mark.len());
            return std::mem::replace(&mut self.held, after);
        }
        let longest = self.held.len().min(self.mark.len().saturating_sub(1));
        let may_begin = |length: &usize| self.held.ends_with(self.mark.get(..*length).unwrap_or_default());
        let kept = (1..=longest).rev().find(may_begin).unwrap_or_default();
        let rest = self.held.split_off(self.held.len() - kept);
        std::mem::replace(&mut self.held, rest)
    }

    /// How many bytes came, the mark and what follows it included.
    pub const fn received(&self) -> u64 {
        self.received
    }

    /// What stands after the mark, once it has come.
    pub fn after(&self) -> Option<&[u8]> {
        self.found.then_some(self.held.as_slice())
    }

    /// What was held back, where the stream has ended without the mark.
    pub fn rest(&mut self) -> Vec<u8> {
        if self.found { Vec::new() } else { std::mem::take(&mut self.held) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(pieces: &[&str], output: &[&str], after: Option<&str>) {
        let mut marked = Marked::new("<end>");
        let told: Vec<_> =
            pieces.iter().map(|piece| String::from_utf8(marked.take(piece.as_bytes())).unwrap()).collect();
        assert_eq!(told, output);
        assert_eq!(marked.after(), after.map(str::as_bytes));
    }

    #[test]
    fn the_mark_is_found_however_it_is_cut() {
        check(&["out\n<end>0 7;"], &["out\n"], Some("0 7;"));
        check(&["out\n<e", "nd>", "0"], &["out\n", "", ""], Some("0"));
        check(&["a<", "b<<end", ">", "x"], &["a", "<b<", "", ""], Some("x"));
        check(&["<<<end>"], &["<<"], Some(""));
        check(&["<en", "d]"], &["", "<end]"], None);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_or_told_twice(text in "[<end>x]{0,60}", cuts in prop::collection::vec(1usize..5, 0..60)) {
            let mut marked = Marked::new("<end>");
            let (mut told, mut rest) = (Vec::new(), text.as_bytes());
            for cut in cuts.into_iter().chain([60]) {
                let (piece, after) = rest.split_at(cut.min(rest.len()));
                told.extend(marked.take(piece));
                rest = after;
            }
            prop_assert_eq!(marked.received(), text.len() as u64);
            told.extend(marked.rest());
            let end = text.find("<end>");
            prop_assert_eq!(told, &text.as_bytes()[..end.unwrap_or(text.len())]);
            prop_assert_eq!(marked.after(), end.map(|at| &text.as_bytes()[at + 5..]));
        }
    }
}
