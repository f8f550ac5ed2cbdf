//! The same tree on two backends: whole answers are equal.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use workspace_memory::Memory;

use crate::tree::Tree;
use crate::{glob, grep};

const DIRS: [&str; 5] = ["", "a/", "a/b/", ".git/", "node_modules/"];
const NAMES: [&str; 5] = ["a.txt", "b.rs", ".env", ".gitignore", "日"];
const CONTENTS: [&str; 5] = ["", "*.rs\n!b\n", "needle\r\nx needle\n", "\0", "/a\n# needle"];
const TARGETS: [&str; 5] = ["a", "a/a.txt", "../a.txt", "../../x", "nowhere"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn two_backends_give_one_answer(
        files in vec((select(&DIRS[..]), select(&NAMES[..]), select(&CONTENTS[..])), 0..12),
        targets in vec(select(&TARGETS[..]), 0..3),
        pattern in select(&["**", "*.rs", "a/**", "{a,.git}/*", "**/l?", "node_modules/*"][..]),
        base in select(&["", "a", "l1", "a/a.txt"][..]),
    ) {
        let (mut memory, mut tree) = (Memory::new(), Tree::new());
        for (dir, name, content) in files {
            let path = format!("{dir}{name}");
            memory = memory.with_file(&path, content);
            tree = tree.file(&path, content);
        }
        for (at, target) in ["l1", "a/l2"].into_iter().zip(targets) {
            memory = memory.with_link(at, target);
            tree = tree.link(at, target);
        }
        let query = glob::query_in(base, pattern);
        let answers = (glob::try_answer(&memory, &query), glob::try_answer(&tree, &query));
        prop_assert_eq!(answers.0, answers.1);
        let query = grep::query_in(base, "needle$");
        let answers = (grep::try_answer(&memory, &query), grep::try_answer(&tree, &query));
        prop_assert_eq!(answers.0, answers.1);
    }
}
