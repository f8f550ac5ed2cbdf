//! The program beside a shell that stays open.

use workspace_core::{Body, FsProvider, ReadOptions, WorkspacePath, WriteOptions};
use workspace_posix::{PosixConfig, PosixFiles};

use crate::child::{Child, Home};
use crate::conformance::has;

async fn told(files: &PosixFiles, script: &str) -> String {
    String::from_utf8(files.script(script).await.unwrap()).unwrap()
}

/// Writes a file anew and over itself, and reads it.
async fn check_a_round(files: &PosixFiles, name: &str) {
    let path = WorkspacePath::root().child(name).unwrap();
    for (text, is_new) in [("old\n", true), ("new\n", false)] {
        let body = Body::from(text.as_bytes().to_vec());
        let written = files.write(&path, body, WriteOptions::default()).await.unwrap();
        assert_eq!(written.created, is_new);
        let read = files.read(&path, ReadOptions::default()).await.unwrap();
        assert_eq!(read.stat, written.stat);
        assert_eq!(read.body.collect(100).await.unwrap(), text.as_bytes());
    }
    assert_eq!(told(files, &format!("stat -c %a {name}; ls -A | wc -l")).await, "644\n1\n");
    told(files, &format!("rm {name}")).await;
}

#[tokio::test]
async fn a_shell_whose_aide_has_ended_goes_on_without_it() {
    if !has("perl") {
        return;
    }
    let home = Home::new();
    let config = PosixConfig::new(home.text()).with_durable_writes(false).with_shells(1);
    let files = PosixFiles::over_sessions(Child::new(&home, &["sh"]), config).await.unwrap();
    check_a_round(&files, "with").await;
    assert_eq!(told(&files, "printf %s \"$w_aide\"").await, "1");
    told(&files, "kill -9 \"$!\"; wait \"$!\"").await;
    check_a_round(&files, "without").await;
    assert_eq!(told(&files, "printf %s \"$w_aide\"").await, "0");
}

#[tokio::test]
async fn a_move_that_was_not_answered_any_more_is_told_as_made() {
    if !has("perl") {
        return;
    }
    let home = Home::new();
    let config = PosixConfig::new(home.text()).with_durable_writes(false).with_shells(1);
    let files = PosixFiles::over_sessions(Child::new(&home, &["sh"]), config).await.unwrap();
    // The move is made, and nothing is heard of it.
    let script = "echo x >a\nprintf 'Ra\\0b\\0' >&8\nwhile [ -e a ]; do :; done\nexec 9</dev/null\nw_p=b\n\
                  w_moved a any && [ -e b ] && printf made";
    assert_eq!(told(&files, script).await, "made");
}

#[tokio::test]
async fn an_aide_ends_with_its_shell() {
    if !has("perl") {
        return;
    }
    let home = Home::new();
    let config = PosixConfig::new(home.text()).with_shells(1);
    let files = PosixFiles::over_sessions(Child::new(&home, &["sh"]), config).await.unwrap();
    let process: i32 = told(&files, "printf %s \"$!\"").await.parse().unwrap();
    let process = std::path::PathBuf::from(format!("/proc/{process}"));
    assert!(process.exists());
    drop(files);
    let gone = async {
        while process.exists() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), gone).await.unwrap();
}
