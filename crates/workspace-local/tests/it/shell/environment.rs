//! R-EXEC-2, seen by a real program.

use std::time::Duration;

use workspace_core::{Cause, Command, EnvBase, Environment, ErrorKind, ShellProvider};

use super::Stage;
use crate::child::{is_child, this_binary};

async fn seen(stage: &Stage, env: Environment) -> Vec<String> {
    let ran = stage.run(Command::argv(["/usr/bin/env"]).with_env(env)).await;
    ran.stdout.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn r_exec_2_a_program_sees_what_was_asked_for_and_nothing_else() {
    for stage in Stage::levels() {
        let empty = Environment::default().with_base(EnvBase::Empty);
        assert_eq!(seen(&stage, empty.clone()).await, [""; 0]);
        assert_eq!(seen(&stage, empty.with_set("A", "1").with_set("B", "x y")).await, ["A=1", "B=x y"]);
    }
}

#[tokio::test]
async fn r_exec_2_the_minimal_base_keeps_the_hosts_secrets_back() {
    if !is_child() {
        let test = "shell::environment::r_exec_2_the_minimal_base_keeps_the_hosts_secrets_back";
        let mut host = this_binary();
        host.args(["--exact", test]).env_clear().env("WORKSPACE_TEST_CHILD", "1");
        host.env("PATH", "/usr/bin:/bin").env("HOME", "/home/a").env("LANG", "C.UTF-8").env("EDITOR", "vi");
        host.env("SECRET_TOKEN", "abc").env("LD_LIBRARY_PATH", "/nowhere").env("TERM", "xterm");
        let output = host.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    let stage = Stage::new();
    let minimal = [
        "PATH=/usr/bin:/bin",
        "HOME=/home/a",
        "LANG=C.UTF-8",
        "NO_COLOR=1",
        "TERM=dumb",
        "PAGER=cat",
        "GIT_PAGER=cat",
        "GIT_EDITOR=:",
        "GIT_TERMINAL_PROMPT=0",
    ];
    assert_eq!(seen(&stage, Environment::default()).await, minimal);
    let asked = Environment::default()
        .with_base(EnvBase::Empty)
        .with_inherited("LD_LIBRARY_PATH")
        .with_inherited("SECRET_TOKEN")
        .with_inherited("NOT_SET");
    assert_eq!(seen(&stage, asked.clone()).await, ["SECRET_TOKEN=abc"]);
    assert_eq!(seen(&stage, asked.with_hooks(true)).await, ["LD_LIBRARY_PATH=/nowhere", "SECRET_TOKEN=abc"]);
}

#[tokio::test]
async fn a_name_that_is_none_starts_nothing() {
    let stage = Stage::new();
    let command = Command::sh("touch started").with_env(Environment::default().with_set("A=B", "c"));
    assert_eq!(stage.shell.spawn(command).await.unwrap_err().kind(), ErrorKind::InvalidInput);
    assert_eq!(stage.scene.names(""), [""; 0]);
}

/// An editor would wait for ever.
#[tokio::test]
async fn git_commit_without_a_message_ends() {
    let stage = Stage::new();
    let line =
        "git init -q . && git -c user.name=a -c user.email=a@example.com commit --allow-empty; echo after";
    let ran = stage.run(Command::sh(line).with_timeout(Some(Duration::from_secs(20)))).await;
    assert_eq!((ran.stdout.as_str(), ran.exit.cause), ("after\n", Cause::Exited), "{ran:?}");
    assert!(ran.stderr.contains("empty commit message"), "{ran:?}");
}
