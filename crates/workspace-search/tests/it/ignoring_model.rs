//! The ignore rules against the walker of the `ignore` crate, on trees of a real disk.
// The walker to compare with reads the disk and nothing else.
#![allow(clippy::disallowed_methods)]

use std::path::Path;

use ignore::WalkBuilder;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::glob::{answer, files, query};
use crate::tree::Tree;

const DIRS: [&str; 6] = ["", "a/", "b/", "a/b/", "a/a/", "b/c/a/"];
const NAMES: [&str; 6] = ["a", "b", "a.x", "b.x", ".c", "a b"];
const RULE_FILES: [&str; 3] = [".gitignore", ".ignore", ".git/info/exclude"];
const LINES: [&str; 32] = [
    "a", "b", "/a", "/b", "a/", "b/", "*.x", "!a.x", "!*.x", "!b", "!a", "!a/", "a/b", "/a/b", "a/*", "a/**",
    "**/a", "**/a/b", "b/**/a", "**", "!**/b", "*", "?", "[ab]", "!.c", ".*", "a b", "a.x  ", "\\!a", "# a",
    "", "!",
];

/// What the other walker finds: paths with `/`, sorted as ours are.
fn walked(root: &Path) -> Vec<String> {
    let walk = WalkBuilder::new(root)
        .hidden(false)
        .parents(false)
        .require_git(false)
        .git_global(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    let mut found: Vec<Vec<String>> = walk
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(|entry| {
            let below = entry.path().strip_prefix(root).unwrap();
            below.iter().map(|name| name.to_str().unwrap().to_owned()).collect()
        })
        .collect();
    found.sort();
    found.into_iter().map(|names| names.join("/")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn the_rules_hide_what_the_ignore_crate_hides(
        plain in vec((select(&DIRS[..]), select(&NAMES[..])), 1..16),
        rules in vec((select(&DIRS[..]), select(&RULE_FILES[..]), vec(select(&LINES[..]), 1..5)), 1..5),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let mut tree = Tree::new();
        let plain = plain.into_iter().map(|(dir, name)| (format!("{dir}{name}"), String::new()));
        let rules = rules.into_iter().map(|(dir, name, lines)| (format!("{dir}{name}"), lines.join("\n")));
        for (path, content) in plain.chain(rules) {
            let at = dir.path().join(&path);
            // A name may be that of a directory already, or a parent that of a file.
            let made = std::fs::create_dir_all(at.parent().unwrap()).and_then(|()| std::fs::write(&at, &content));
            if made.is_ok() {
                tree = tree.file(&path, content);
            }
        }
        let found = answer(&tree, &query("**"));
        prop_assert_eq!(files(&found), walked(dir.path()));
    }
}
