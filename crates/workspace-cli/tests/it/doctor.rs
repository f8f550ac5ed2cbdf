//! `workspace doctor`.

use crate::program::{root, workspace};

#[test]
fn it_says_what_is_ready_and_that_nothing_isolates() {
    let root = root(&[]);
    let run = workspace(root.path(), &["doctor"], "");
    assert_eq!(run.status, 0);
    for line in [
        "local   ready",
        "levels of killing: group, ",
        "isolation of commands: none",
        "memory  ready",
        "docker  ",
        "e2b     ",
    ] {
        assert!(run.stdout.contains(line), "{}", run.stdout);
    }
}

#[test]
fn a_missing_root_is_not_ready() {
    let root = root(&[]);
    let run = workspace(&root.path().join("missing"), &["doctor"], "");
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("local   not ready"), "{}", run.stdout);
}
