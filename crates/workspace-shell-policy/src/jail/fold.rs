//! Folding of path text.

use crate::steps::step;

/// The path with `.`, `..` and empty components folded away by text alone.
///
/// `None` where a relative path climbs above its start. An absolute path stays
/// absolute, and `..` at `/` is `/`.
pub(crate) fn fold(path: &str) -> Option<String> {
    step(1 + path.len() / 16);
    let absolute = path.starts_with('/');
    let mut folded = String::with_capacity(path.len());
    if absolute {
        folded.push('/');
    }
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => match folded.rfind('/') {
                Some(0) => folded.truncate(1),
                Some(at) => folded.truncate(at),
                None if folded.is_empty() => return None,
                None => folded.clear(),
            },
            name => {
                if !folded.is_empty() && !folded.ends_with('/') {
                    folded.push('/');
                }
                folded.push_str(name);
            }
        }
    }
    Some(folded)
}

/// A path as seen from a directory.
pub(crate) fn join(directory: &str, path: &str) -> String {
    if directory.is_empty() || path.starts_with('/') {
        return path.to_owned();
    }
    step(1 + (directory.len() + path.len()) / 64);
    let mut joined = String::with_capacity(directory.len() + 1 + path.len());
    joined.push_str(directory);
    if !joined.ends_with('/') {
        joined.push('/');
    }
    joined.push_str(path);
    joined
}

#[cfg(test)]
mod tests {
    use super::{fold, join};

    #[track_caller]
    fn check(path: &str, folded: Option<&str>) {
        assert_eq!(fold(path).as_deref(), folded, "{path}");
    }

    #[test]
    fn folds_by_text() {
        check("", Some(""));
        check(".", Some(""));
        check("a/./b//c/", Some("a/b/c"));
        check("a/../b", Some("b"));
        check("a/..", Some(""));
        check("a/b/../../c", Some("c"));
        check("..", None);
        check("a/../../b", None);
        check("/", Some("/"));
        check("/..", Some("/"));
        check("/usr/bin/../../tmp/git", Some("/tmp/git"));
        check("/usr/..", Some("/"));
    }

    #[test]
    fn joins() {
        assert_eq!(join("", "a"), "a");
        assert_eq!(join("a", "b"), "a/b");
        assert_eq!(join("a", "/b"), "/b");
        assert_eq!(join("/", "b"), "/b");
    }
}
