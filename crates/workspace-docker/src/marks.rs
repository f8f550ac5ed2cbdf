//! The end of a program's output, where its pipe stays open.

/// Cuts a stream at a mark that only its launcher knows.
///
/// It holds back no more than what may be the begin of the mark, so that output
/// arrives when it is printed.
#[derive(Debug)]
pub(crate) struct Marked {
    mark: Vec<u8>,
    held: Vec<u8>,
    over: bool,
}

impl Marked {
    pub(crate) fn new(mark: &str) -> Self {
        Self { mark: mark.as_bytes().to_vec(), held: Vec::new(), over: false }
    }

    /// Takes bytes in, and gives those that are output for sure.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(bytes);
        if self.over {
            return Vec::new();
        }
        let found = self.held.windows(self.mark.len()).position(|window| window == self.mark);
        if let Some(at) = found {
            self.over = true;
            let rest = self.held.split_off(at);
            return std::mem::replace(
                &mut self.held,
                rest.get(self.mark.len()..).unwrap_or_default().to_vec(),
            );
        }
        let longest = self.held.len().min(self.mark.len().saturating_sub(1));
        let kept = (1..=longest)
            .rev()
            .find(|length| self.held.ends_with(self.mark.get(..*length).unwrap_or_default()))
            .unwrap_or_default();
        let rest = self.held.split_off(self.held.len() - kept);
        std::mem::replace(&mut self.held, rest)
    }

    /// What stands after the mark, once it has come.
    pub(crate) fn after(&self) -> Option<&[u8]> {
        self.over.then_some(self.held.as_slice())
    }

    /// What was held back, where the stream has ended without the mark.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        if self.over { Vec::new() } else { std::mem::take(&mut self.held) }
    }
}

#[cfg(test)]
mod tests {
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
    }

    #[test]
    fn what_is_no_mark_is_output() {
        check(&["begun\n"], &["begun\n"], None);
        check(&["<en", "d]"], &["", "<end]"], None);
        let mut marked = Marked::new("<end>");
        assert_eq!(marked.take(b"x<en"), b"x");
        assert_eq!(marked.rest(), b"<en");
    }
}
