//! Words that stand for work not done, and paths of one machine.

use std::path::Path;

use super::finding::Finding;
use super::tree::{Tree, split_comment};

/// Words that mark unfinished work in a text or a comment. Each is spelled in
/// two parts, here and below, so that this file does not find itself.
const WORDS: [[&str; 2]; 3] = [["TO", "DO"], ["FIX", "ME"], ["X", "XX"]];
/// What stands in code for work that is not done.
const CALLS: [[&str; 2]; 3] = [["to", "do!("], ["unimple", "mented!("], ["#[ig", "nore"]];

/// No file says that its work is not done, or where one person keeps it.
pub(super) fn none_must_go(tree: &Tree) -> Vec<Finding> {
    let words = WORDS.map(|parts| parts.concat());
    let calls = CALLS.map(|parts| parts.concat());
    let mut findings = Vec::new();
    for (path, text) in tree.files().filter(|(path, _)| is_ours(path)) {
        let is_rust = Path::new(path).extension().is_some_and(|extension| extension == "rs");
        for (line, number) in text.lines().zip(1..) {
            // In Rust a word outside of comments is a text that some program reads.
            let told = if is_rust { split_comment(line).1 } else { line };
            let word = words.iter().find(|word| stands_alone(told, word));
            if let Some(mark) = word.or_else(|| calls.iter().find(|call| stands_alone(line, call))) {
                let mend = "do the work, or take the mark out";
                findings.push(Finding::at(path, number, format!("`{mark}` marks unfinished work"), mend));
            }
            if let Some(directory) = tree.machine().iter().find(|directory| begins_a_path(line, directory)) {
                let wrong = format!("a path of one machine: `{directory}/…`");
                let mend = "write it from the root of the repository, or take it from the environment";
                findings.push(Finding::at(path, number, wrong, mend));
            }
        }
    }
    findings
}

/// Cases that were copied in are other people's words.
fn is_ours(path: &str) -> bool {
    !path.contains("/testdata/") && path != "Cargo.lock"
}

fn stands_alone(line: &str, mark: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(mark).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + mark.len()..].chars().next();
        !before.is_some_and(is_word) && (!mark.ends_with(is_word) || !after.is_some_and(is_word))
    })
}

/// Whether a path in the directory stands here, and not as a part of another path.
fn begins_a_path(line: &str, directory: &str) -> bool {
    line.match_indices(directory).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let inside = line[at + directory.len()..].starts_with('/');
        inside && !before.is_some_and(|c| c.is_alphanumeric() || "._-/}*)".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::super::finding::places;
    use super::*;

    #[track_caller]
    fn check(text: &str, found: bool) {
        let expected: &[&str] = if found { &["a.md:1"] } else { &[] };
        assert_eq!(places(&none_must_go(&Tree::from([("a.md", text)]))), expected, "{text}");
    }

    #[test]
    fn marks_of_unfinished_work_are_found() {
        for mark in WORDS.iter().chain(&CALLS).map(|parts| parts.concat()) {
            check(&format!("// {mark}: more"), true);
            check(&format!("a_{mark}"), false);
        }
        check("the tool `todo_write` keeps the todos", false);
        check(&["TO", "DOS"].concat(), false);
    }

    #[test]
    fn in_rust_a_word_is_a_mark_in_comments_alone() {
        let word = WORDS[0].concat();
        let text = format!("let tap = \"not ok # {word}\";\nlet a = 1; // {word}\n{}\n", CALLS[0].concat());
        let tree = Tree::from([("a.rs", text.as_str())]);
        assert_eq!(places(&none_must_go(&tree)), ["a.rs:2", "a.rs:3"]);
    }

    #[test]
    fn paths_of_one_machine_are_found() {
        check("cd /srv/checkout/crates", true);
        check("see `/srv/checkout/notes`", true);
        check("cd /srv/other/crates", false);
        check("the directory /srv/checkout-old/x", false);
        check("crates/x/srv/checkout/y", false);
    }

    #[test]
    fn copied_cases_are_left_alone() {
        let mark = WORDS[0].concat();
        let tree = Tree::from([("crates/x/testdata/a.jsonl", mark.as_str())]);
        assert_eq!(none_must_go(&tree), []);
    }
}
