//! The bytes of many files in one answer.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use memchr::memmem;
use tokio::task::JoinHandle;
use workspace_core::WorkspacePath;

use crate::PosixFiles;

/// Files over this size in bytes are read one by one.
const LARGE: u64 = 4 << 20;
/// The first fetch is small, because a search often ends early; each next one is larger, up to these.
const FIRST: Measure = Measure { bytes: 1 << 20, files: 1024 };
const MOST: Measure = Measure { bytes: 32 << 20, files: 4096 };
/// The first fetch where each one is a request over a network.
const REQUEST: Measure = Measure { bytes: 32 << 20, files: 8192 };
/// How many fetches are under way while what came is searched, once the first has not sufficed.
const AHEAD: usize = 2;

/// How much one fetch holds at most.
#[derive(Debug, Clone, Copy)]
struct Measure {
    bytes: u64,
    files: usize,
}

/// Files, and the bytes of each.
type Fetched = HashMap<WorkspacePath, Vec<u8>>;

/// What has been fetched, and what will be asked for.
pub(super) struct Contents {
    files: PosixFiles,
    /// Files that are kept until the end.
    kept: Fetched,
    /// Files and their sizes, in the order in which they will be asked for.
    queue: Vec<(WorkspacePath, u64)>,
    /// Where each of them stands in the queue.
    places: HashMap<WorkspacePath, usize>,
    /// Where the next fetch begins.
    next: usize,
    batch: Measure,
    fetched: Fetched,
    /// Fetches under way, in the order of the queue. One that nobody waits for
    /// any more comes to its end, so that its shell can be used further.
    coming: VecDeque<(Range<usize>, JoinHandle<Fetched>)>,
}

impl Contents {
    pub(super) fn new(files: PosixFiles) -> Self {
        let batch = if files.wire().is_requests() { REQUEST } else { FIRST };
        Self {
            files,
            kept: HashMap::new(),
            queue: Vec::new(),
            places: HashMap::new(),
            next: 0,
            batch,
            fetched: HashMap::new(),
            coming: VecDeque::new(),
        }
    }

    /// Fetches files that may be asked for again and again.
    pub(super) async fn keep(&mut self, files: Vec<(WorkspacePath, u64)>) {
        let files: Vec<_> = files.into_iter().filter(|(_, size)| *size <= LARGE).collect();
        for batch in files.chunks(MOST.files) {
            let fetched = fetch(&self.files, batch).await;
            self.kept.extend(fetched);
        }
    }

    pub(super) fn expect(&mut self, files: Vec<(WorkspacePath, u64)>) {
        self.queue = files;
        self.queue.retain(|(_, size)| *size <= LARGE);
        self.places = self.queue.iter().enumerate().map(|(place, (path, _))| (path.clone(), place)).collect();
        self.next = 0;
    }

    /// The bytes of a file, or `None` where the file itself must be asked.
    pub(super) async fn take(&mut self, path: &WorkspacePath) -> Option<Vec<u8>> {
        if let Some(bytes) = self.kept.get(path) {
            return Some(bytes.clone());
        }
        if let Some(bytes) = self.fetched.remove(path) {
            return Some(bytes);
        }
        let place = *self.places.get(path)?;
        let mut ahead = AHEAD;
        if self.coming.is_empty() && place >= self.next {
            ahead = if self.next == 0 { 1 } else { AHEAD };
            self.next = place;
        }
        self.send_for(ahead);
        while self.coming.front().is_some_and(|(range, _)| range.start <= place) {
            let (_, coming) = self.coming.pop_front()?;
            // Where the fetch failed, the files themselves are asked.
            self.fetched = coming.await.unwrap_or_default();
            if let Some(bytes) = self.fetched.remove(path) {
                return Some(bytes);
            }
        }
        None
    }

    /// Begins fetches until so many are under way.
    fn send_for(&mut self, most: usize) {
        while self.coming.len() < most && self.next < self.queue.len() {
            let start = self.next;
            let mut bytes = 0;
            while let Some((_, size)) = self.queue.get(self.next) {
                let full = bytes + size > self.batch.bytes || self.next - start >= self.batch.files;
                if self.next > start && full {
                    break;
                }
                bytes += size;
                self.next += 1;
            }
            self.batch.bytes = (self.batch.bytes * 4).min(MOST.bytes);
            self.batch.files = (self.batch.files * 4).min(MOST.files);
            let batch = self.queue.get(start..self.next).unwrap_or_default().to_vec();
            let files = self.files.clone();
            let coming = tokio::spawn(async move { fetch(&files, &batch).await });
            self.coming.push_back((start..self.next, coming));
        }
    }
}

/// What of these files came as it was expected; nothing where the fetch failed.
async fn fetch(from: &PosixFiles, files: &[(WorkspacePath, u64)]) -> Fetched {
    let mut fetched = HashMap::with_capacity(files.len());
    let mut rest = files;
    while !rest.is_empty() {
        let mut names = Vec::new();
        let mut count = 0;
        for (path, _) in rest {
            let name = format!("./{path}\0");
            if count > 0 && names.len() + name.len() > from.wire().piece() {
                break;
            }
            names.extend(name.into_bytes());
            count += 1;
        }
        let (now, later) = rest.split_at(count);
        rest = later;
        let script = format!("w_ready; w_in | xargs -0 head -v -c {} --; w_r=$?", LARGE + 1);
        if let Ok(answer) = from.wire().look_up(&script, &names).await {
            cut(&answer, now, &mut fetched);
        }
    }
    fetched
}

/// Cuts the answer of `head -v` at its headers. A file that has not the size
/// that was expected, or has gone, is left out, and the next header is looked for.
fn cut(bytes: &[u8], files: &[(WorkspacePath, u64)], fetched: &mut Fetched) {
    let header = |path: &WorkspacePath| format!("==> ./{path} <==\n").into_bytes();
    let begins = |at: usize, path: &WorkspacePath| -> Option<usize> {
        let rest = bytes.get(at..)?;
        let header = header(path);
        let line = rest.strip_prefix(b"\n").unwrap_or(rest);
        line.starts_with(&header).then(|| at + (rest.len() - line.len()) + header.len())
    };
    let mut at = 0;
    for (index, (path, size)) in files.iter().enumerate() {
        let Some(start) = begins(at, path).or_else(|| {
            let header = header(path);
            let found = memmem::find(bytes.get(at..)?, &header)?;
            Some(at + found + header.len())
        }) else {
            continue;
        };
        let Ok(size) = usize::try_from(*size) else { continue };
        let end = start.saturating_add(size);
        let whole = match files.get(index + 1) {
            _ if end == bytes.len() => true,
            Some((next, _)) => begins(end, next).is_some(),
            None => false,
        };
        at = start;
        if let Some(content) = bytes.get(start..end).filter(|_| whole) {
            fetched.insert(path.clone(), content.to_vec());
            at = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use workspace_core::PathRules;

    use super::*;

    fn path(text: &str) -> WorkspacePath {
        WorkspacePath::parse(text, &PathRules::default()).unwrap()
    }

    #[track_caller]
    fn check(answer: &str, files: &[(&str, u64)], expected: &[(&str, &str)]) {
        let files: Vec<_> = files.iter().map(|(name, size)| (path(name), *size)).collect();
        let mut fetched = HashMap::new();
        cut(answer.as_bytes(), &files, &mut fetched);
        let expected = expected.iter().map(|(name, text)| (path(name), text.as_bytes().to_vec()));
        assert_eq!(fetched, expected.collect());
    }

    #[test]
    fn files_are_cut_at_their_headers() {
        let files = [("a", 3), ("b c", 0), ("d", 2)];
        let whole = [("a", "xy\n"), ("b c", ""), ("d", "z\n")];
        check("==> ./a <==\nxy\n\n==> ./b c <==\n\n==> ./d <==\nz\n", &files, &whole);
        // As where one command did not take all names.
        check("==> ./a <==\nxy\n==> ./b c <==\n\n==> ./d <==\nz\n", &files, &whole);
    }

    #[test]
    fn a_file_that_has_changed_is_left_out() {
        let files = [("a", 3), ("b", 1), ("c", 1)];
        check("==> ./a <==\nlonger\n==> ./b <==\nx\n==> ./c <==\ny", &files, &[("b", "x"), ("c", "y")]);
        check("==> ./b <==\nx\n==> ./c <==\ny", &files, &[("b", "x"), ("c", "y")]);
        check("==> ./a <==\nxyz\n==> ./b <==\n", &files, &[("a", "xyz")]);
        check("", &files, &[]);
    }

    #[test]
    fn a_content_like_a_header_deceives_nobody() {
        let fake = "\n==> ./b <==\nfake\n";
        let answer = format!("==> ./a <==\n{fake}\n==> ./b <==\ntrue");
        check(&answer, &[("a", fake.len() as u64), ("b", 4)], &[("a", fake), ("b", "true")]);
    }
}
