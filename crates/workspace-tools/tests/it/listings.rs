//! Directories as they are listed.

use serde_json::json;
use workspace_memory::Memory;
use workspace_tools::{Limit, ListDirInput, Policy, ToolSet, Workspace};

fn tree(max_entries: u64) -> Workspace {
    let memory = Memory::new()
        .with_file("b/deep/x.txt", "")
        .with_file("b/y.txt", "")
        .with_file("a/z.txt", "")
        .with_file("B.txt", "")
        .with_file("a.txt", "")
        .with_file("a-.txt", "");
    let mut policy = Policy::default();
    policy.list.max_entries = Limit::of(max_entries);
    Workspace::memory(memory, policy).build().unwrap()
}

#[track_caller]
fn check(workspace: &Workspace, expected: &[&str], truncated: bool) {
    let listing = ListDirInput::new("").levels(3);
    let listed = block_on(workspace.list_dir(listing)).unwrap();
    let paths: Vec<_> = listed.entries.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!((paths.as_slice(), listed.truncated), (expected, truncated));
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

#[test]
fn r_list_1_the_order_is_the_trees_bytewise() {
    let all = ["B.txt", "a", "a/z.txt", "a-.txt", "a.txt", "b", "b/deep", "b/deep/x.txt", "b/y.txt"];
    check(&tree(500), &all, false);
    check(&tree(9), &all, false);
}

#[test]
fn r_list_1_a_cut_loses_the_deepest_entries_first() {
    check(&tree(8), &["B.txt", "a", "a/z.txt", "a-.txt", "a.txt", "b", "b/deep", "b/y.txt"], true);
    check(&tree(5), &["B.txt", "a", "a-.txt", "a.txt", "b"], true);
    check(&tree(2), &["B.txt", "a"], true);
    assert_eq!(Policy::default().list.max_entries, Limit::of(500));
}

#[tokio::test]
async fn r_list_1_directories_end_in_a_slash_where_a_model_reads() {
    let tools = ToolSet::new(tree(500));
    let told = tools.call("list_dir", json!({"path": "b", "depth": 2})).await.unwrap();
    assert_eq!(told.text, "b/deep/\nb/deep/x.txt\nb/y.txt");
}

#[tokio::test]
async fn r_list_2_ignored_directories_are_shown_and_not_entered_and_closed_ones_are_not_shown() {
    let memory = Memory::new()
        .with_file("node_modules/x/index.js", "")
        .with_file("sub/.git/config", "")
        .with_file("secret/key", "")
        .with_file(".env", "")
        .with_file("dark/x", "")
        .with_mode("dark", 0o000);
    let mut policy = Policy::default();
    policy.paths.deny = vec!["secret".into()];
    let workspace = Workspace::memory(memory, policy).build().unwrap();
    let listed = workspace.list_dir(ListDirInput::new("").levels(5)).await.unwrap();
    let told: Vec<_> =
        listed.entries.iter().map(|entry| (entry.path.as_str(), entry.skipped, entry.unreadable)).collect();
    assert_eq!(
        told,
        [
            (".env", false, false),
            ("dark", false, true),
            ("node_modules", true, false),
            ("sub", false, false),
            ("sub/.git", true, false),
        ]
    );
}

#[tokio::test]
async fn r_list_3_a_directory_that_is_named_is_listed_and_the_call_hides_what_it_likes() {
    let memory = Memory::new()
        .with_file("node_modules/x/index.js", "")
        .with_file("node_modules/y.txt", "")
        .with_file("a/b/c.txt", "")
        .with_file(".gitignore", "a\n");
    let workspace = Workspace::memory(memory, Policy::default()).build().unwrap();
    let paths = async |input: ListDirInput| {
        let listed = workspace.list_dir(input).await.unwrap();
        let entries: Vec<_> = listed.entries.into_iter().map(|entry| (entry.path, entry.depth)).collect();
        (entries, listed.hidden)
    };
    let entry = |path: &str, depth: u64| (path.to_owned(), depth);
    let named = ListDirInput::new("node_modules").levels(2);
    let expected =
        vec![entry("node_modules/x", 1), entry("node_modules/x/index.js", 2), entry("node_modules/y.txt", 1)];
    assert_eq!(paths(named).await, (expected, 0));
    // Ignore files are for searches.
    let mut all = ListDirInput::new("").levels(9);
    let expected = vec![
        entry(".gitignore", 1),
        entry("a", 1),
        entry("a/b", 2),
        entry("a/b/c.txt", 3),
        entry("node_modules", 1),
    ];
    assert_eq!(paths(all.clone()).await, (expected, 0));
    all.ignore = vec!["*.txt".into(), "node_modules".into(), "a/b".into()];
    assert_eq!(paths(all).await, (vec![entry(".gitignore", 1), entry("a", 1)], 2));
}
