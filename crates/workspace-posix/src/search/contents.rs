//! The bytes of many files in one answer.

use std::collections::HashMap;

use memchr::memmem;
use workspace_core::WorkspacePath;

use crate::PosixFiles;

/// Files over this size in bytes are read one by one.
const LARGE: u64 = 4 << 20;
/// The first fetch is small, because a search often ends early; each next one is larger, up to this.
const MOST: u64 = 32 << 20;
const FIRST: u64 = 1 << 20;
/// How many files one fetch holds at most.
const FILES: usize = 8192;

/// What has been fetched, and what will be asked for.
pub(super) struct Contents {
    files: PosixFiles,
    /// Files that are kept until the end.
    kept: HashMap<WorkspacePath, Vec<u8>>,
    /// Files and their sizes, in the order in which they will be asked for.
    queue: Vec<(WorkspacePath, u64)>,
    /// Where the next fetch begins.
    next: usize,
    batch: u64,
    fetched: HashMap<WorkspacePath, Vec<u8>>,
}

impl Contents {
    pub(super) fn new(files: PosixFiles) -> Self {
        Self {
            files,
            kept: HashMap::new(),
            queue: Vec::new(),
            next: 0,
            batch: FIRST,
            fetched: HashMap::new(),
        }
    }

    /// Fetches files that may be asked for again and again.
    pub(super) async fn keep(&mut self, files: Vec<(WorkspacePath, u64)>) {
        let files: Vec<_> = files.into_iter().filter(|(_, size)| *size <= LARGE).collect();
        for batch in files.chunks(FILES) {
            let fetched = self.fetch(batch).await;
            self.kept.extend(fetched);
        }
    }

    pub(super) fn expect(&mut self, files: Vec<(WorkspacePath, u64)>) {
        self.queue = files;
        self.queue.retain(|(_, size)| *size <= LARGE);
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
        let ahead = self.queue.get(self.next..)?;
        let start = self.next + ahead.iter().position(|(queued, _)| queued == path)?;
        let mut size = 0;
        let mut end = start;
        while let Some((_, bytes)) = self.queue.get(end) {
            if end > start && (size + bytes > self.batch || end - start >= FILES) {
                break;
            }
            size += bytes;
            end += 1;
        }
        self.batch = (self.batch * 4).min(MOST);
        self.next = end;
        let batch = self.queue.get(start..end)?.to_vec();
        self.fetched = self.fetch(&batch).await;
        self.fetched.remove(path)
    }

    /// What of these files came as it was expected; nothing where the fetch failed.
    async fn fetch(&self, files: &[(WorkspacePath, u64)]) -> HashMap<WorkspacePath, Vec<u8>> {
        let mut fetched = HashMap::with_capacity(files.len());
        let mut rest = files;
        while !rest.is_empty() {
            let mut names = Vec::new();
            let mut count = 0;
            for (path, _) in rest {
                let name = format!("./{path}\0");
                if count > 0 && names.len() + name.len() > self.files.wire().piece() {
                    break;
                }
                names.extend(name.into_bytes());
                count += 1;
            }
            let (now, later) = rest.split_at(count);
            rest = later;
            let script = format!("w_ready; w_in | xargs -0 head -v -c {} --; w_r=$?", LARGE + 1);
            if let Ok(answer) = self.files.wire().give(&script, &names).await {
                cut(&answer, now, &mut fetched);
            }
        }
        fetched
    }
}

/// Cuts the answer of `head -v` at its headers. A file that has not the size
/// that was expected, or has gone, is left out, and the next header is looked for.
fn cut(bytes: &[u8], files: &[(WorkspacePath, u64)], fetched: &mut HashMap<WorkspacePath, Vec<u8>>) {
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
