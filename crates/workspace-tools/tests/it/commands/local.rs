//! The same over real processes.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use workspace_tools::{
    ApprovalPolicy, BackgroundPolicy, JobStatus, KillRule, Limit, Policy, RunShellInput, RunTestsInput,
    ShellInputInput, ShellKillInput, ShellOutputInput, ShellPolicy, TestsPolicy, Workspace,
};

use super::end_of;

/// A directory with these scripts, and its workspace.
fn scripts(files: &[(&str, &str)], change: impl FnOnce(&mut Policy)) -> (TempDir, Workspace) {
    let root = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(root.path().join(name), text).unwrap();
    }
    let background = BackgroundPolicy { max_jobs: Limit::of(200), ..BackgroundPolicy::default() };
    let mut policy = Policy {
        shell: Some(ShellPolicy { background: Some(background), ..ShellPolicy::allowing(["sh", "cat"]) }),
        approval: ApprovalPolicy::never(),
        ..Policy::default()
    };
    change(&mut policy);
    let workspace = Workspace::local(root.path(), policy).unwrap().build().unwrap();
    (root, workspace)
}

/// Processes that run in a directory.
fn alive(root: &Path) -> Vec<String> {
    let root = root.canonicalize().unwrap();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let here = processes
        .filter(|process| std::fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd == root));
    here.filter_map(|process| std::fs::read_to_string(process.path().join("cmdline")).ok())
        .filter(|line| !line.is_empty())
        .map(|line| line.replace('\0', " "))
        .collect()
}

/// Waits until nothing runs in a directory: a kill that nobody waits for takes its time.
async fn until_nothing_runs(root: &Path) {
    let gone = async {
        while !alive(root).is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let gone = tokio::time::timeout(Duration::from_secs(20), gone).await;
    assert!(gone.is_ok(), "still alive: {:?}", alive(root));
}

/// A process with a child in the background and one in the foreground, which says when both are there.
const FAMILY: &str = "sleep 100 &\necho ready\nsleep 100\n";

async fn start_family(workspace: &Workspace) -> String {
    let id = workspace.start_shell(RunShellInput::new("sh family.sh")).await.unwrap().id;
    let ready = workspace.shell_output(ShellOutputInput::new(&id).wait_ms(30_000)).await.unwrap();
    assert_eq!(ready.stdout, "ready\n");
    id
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_exec_8_a_thousand_calls_that_leave_something_behind_leave_nothing() {
    let (root, workspace) = scripts(&[("run.sh", "sleep 100 &\necho done\n")], |_| {});
    let mut calls = tokio::task::JoinSet::new();
    let turns = std::sync::Arc::new(tokio::sync::Semaphore::new(32));
    for _ in 0..1000 {
        let (workspace, turn) =
            (workspace.clone(), std::sync::Arc::clone(&turns).acquire_owned().await.unwrap());
        calls.spawn(async move {
            let output = workspace.run_shell(RunShellInput::new("sh run.sh")).await.unwrap();
            drop(turn);
            (output.exit_code, output.stdout, output.leftovers_killed)
        });
    }
    for output in calls.join_all().await {
        assert_eq!(output, (0, "done\n".to_owned(), Some(1)));
    }
    assert_eq!(alive(root.path()), [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_job_4_two_hundred_jobs_end_with_their_workspace() {
    let (root, workspace) = scripts(&[("family.sh", FAMILY)], |_| {});
    let mut starts = tokio::task::JoinSet::new();
    for _ in 0..200 {
        let workspace = workspace.clone();
        starts.spawn(async move { start_family(&workspace).await });
    }
    assert_eq!(starts.join_all().await.len(), 200);
    assert!(alive(root.path()).len() >= 400);
    drop(workspace);
    until_nothing_runs(root.path()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_job_3_a_kill_reaches_the_children() {
    let (root, workspace) = scripts(&[("family.sh", FAMILY)], |_| {});
    let id = start_family(&workspace).await;
    assert!(alive(root.path()).len() >= 2);
    let first = workspace.shell_kill(ShellKillInput::new(&id)).await.unwrap();
    assert_eq!((first.status, first.exit_code), (JobStatus::Killed, Some(143)));
    assert_eq!(workspace.shell_kill(ShellKillInput::new(&id)).await.unwrap(), first);
    assert_eq!(alive(root.path()), [""; 0]);
}

/// Five ways to be a child; the last has no ear for a polite signal.
const FIVE: &str = "
    sleep 100 &
    setsid sleep 100 &
    (setsid sleep 100 &)
    setsid sh -c 'sleep 100 & exit'
    trap '' TERM
    echo ready
    sleep 100
    :";

/// What may bring a command to its end before it ends itself.
#[derive(Debug, Clone, Copy)]
enum End {
    Timeout,
    Cancel,
    Kill,
    Drop,
    Dispose,
}

impl End {
    async fn bring(self, workspace: Workspace, root: &Path) {
        match self {
            Self::Timeout => {
                let input = RunShellInput::new("sh five.sh").timeout_ms(1500);
                assert!(workspace.run_shell(input).await.unwrap().timed_out);
            }
            Self::Cancel => {
                let cancel = CancellationToken::new();
                let cancelled = workspace.with_cancel(cancel.clone());
                let running =
                    tokio::spawn(async move { cancelled.run_shell(RunShellInput::new("sh five.sh")).await });
                five_sleep(root).await;
                cancel.cancel();
                assert!(running.await.unwrap().unwrap().cancelled);
            }
            Self::Kill | Self::Drop | Self::Dispose => {
                let id = workspace.start_shell(RunShellInput::new("sh five.sh")).await.unwrap().id;
                five_sleep(root).await;
                match self {
                    Self::Kill => {
                        let killed = workspace.shell_kill(ShellKillInput::new(&id)).await.unwrap();
                        assert_eq!(killed.status, JobStatus::Killed);
                    }
                    Self::Dispose => workspace.dispose().await,
                    _ => drop(workspace),
                }
            }
        }
    }
}

fn sleepers(root: &Path) -> usize {
    alive(root).iter().filter(|line| line.starts_with("sleep ")).count()
}

async fn five_sleep(root: &Path) {
    let five = async {
        while sleepers(root) < 5 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), five).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_exec_7_five_kinds_of_children_by_every_end_at_every_level() {
    for (level, survivors) in [(KillRule::Group, 2), (KillRule::Cgroup, 0), (KillRule::Namespace, 0)] {
        for end in [End::Timeout, End::Cancel, End::Kill, End::Drop, End::Dispose] {
            let root = tempfile::tempdir().unwrap();
            std::fs::write(root.path().join("five.sh"), FIVE).unwrap();
            let shell = ShellPolicy {
                kill_level: level,
                kill_grace_ms: 50,
                background: Some(BackgroundPolicy::default()),
                ..ShellPolicy::allowing(["sh"])
            };
            let policy =
                Policy { shell: Some(shell), approval: ApprovalPolicy::never(), ..Policy::default() };
            let Ok(builder) = Workspace::local(root.path(), policy) else {
                println!("skipped: {level:?} is not to be had on this machine");
                break;
            };
            end.bring(builder.build().unwrap(), root.path()).await;
            // A drop waits for nobody.
            let settled = async {
                while alive(root.path()).len() > survivors {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            };
            let _ = tokio::time::timeout(Duration::from_secs(20), settled).await;
            let left = alive(root.path());
            println!("{level:?}, {end:?}: {} of 5 survive", left.len());
            clear(root.path());
            assert_eq!(left.len(), survivors, "{level:?} {end:?}: {left:?}");
        }
    }
}

/// Ends what a level is known to leave.
fn clear(root: &Path) {
    let root = root.canonicalize().unwrap();
    for process in std::fs::read_dir("/proc").unwrap().flatten() {
        if std::fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd == root) {
            let pid = process.file_name();
            let killed = std::process::Command::new("kill").arg("-KILL").arg(pid).status();
            assert!(killed.unwrap().success());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_job_5_dispose_leaves_nothing_alive() {
    let call = "echo >begun\nexec sh family.sh\n";
    let (root, workspace) = scripts(&[("family.sh", FAMILY), ("call.sh", call)], |_| {});
    for _ in 0..3 {
        start_family(&workspace).await;
    }
    let running = tokio::spawn({
        let workspace = workspace.clone();
        async move { workspace.run_shell(RunShellInput::new("sh call.sh")).await }
    });
    while !root.path().join("begun").exists() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    workspace.dispose().await;
    assert_eq!(alive(root.path()), [""; 0]);
    assert_eq!(running.await.unwrap().unwrap().exit_code, 130);
    assert!(workspace.list_shells().iter().all(|job| job.status == JobStatus::Killed));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_exec_9_a_cancellation_leaves_nothing_alive_and_gives_what_was_printed() {
    let (root, workspace) = scripts(&[("family.sh", FAMILY)], |_| {});
    let cancel = CancellationToken::new();
    let running = tokio::spawn({
        let workspace = workspace.with_cancel(cancel.clone());
        async move { workspace.run_shell(RunShellInput::new("sh family.sh")).await }
    });
    while alive(root.path()).len() < 3 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    cancel.cancel();
    let output = running.await.unwrap().unwrap();
    assert_eq!((output.exit_code, output.cancelled, output.timed_out), (130, true, false));
    assert_eq!(output.stdout, "ready\n");
    assert_eq!(alive(root.path()), [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_job_3_a_job_runs_as_long_as_its_own_timeout() {
    let (root, workspace) = scripts(&[("family.sh", FAMILY)], |policy| {
        policy.shell.as_mut().unwrap().timeout_ms = Limit::of(1);
    });
    let input = RunShellInput::new("sh family.sh").timeout_ms(700);
    let id = workspace.start_shell(input).await.unwrap().id;
    let end = end_of(&workspace, &id).await;
    assert_eq!((end.status, end.exit_code, end.stdout.as_str()), (JobStatus::TimedOut, Some(124), "ready\n"));
    assert_eq!(alive(root.path()), [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_is_answered() {
    let ask = "printf 'Name: '\nread name\necho \"hello $name\"\ncat\n";
    let (_root, workspace) = scripts(&[("ask.sh", ask)], |_| {});
    let id = workspace.start_shell(RunShellInput::new("sh ask.sh").with_open_stdin()).await.unwrap().id;
    let prompt = workspace.shell_output(ShellOutputInput::new(&id).wait_ms(30_000)).await.unwrap();
    assert_eq!((prompt.stdout.as_str(), prompt.status), ("Name: ", JobStatus::Running));
    workspace.shell_input(ShellInputInput::new(&id, "Ann\n")).await.unwrap();
    workspace.shell_input(ShellInputInput::new(&id, "rest").close()).await.unwrap();
    let end = end_of(&workspace, &id).await;
    assert_eq!((end.stdout.as_str(), end.exit_code), ("Name: hello Ann\nrest", Some(0)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_does_not_read_holds_nobody_up() {
    let (_root, workspace) = scripts(&[("deaf.sh", "echo ready\nsleep 100\n")], |_| {});
    let id = workspace.start_shell(RunShellInput::new("sh deaf.sh").with_open_stdin()).await.unwrap().id;
    let much = "x".repeat(65_536);
    let (mut taken, mut note) = (true, None);
    while taken {
        let answer = workspace.shell_input(ShellInputInput::new(&id, &much)).await.unwrap();
        (taken, note) = (answer.taken, answer.note);
    }
    assert!(note.unwrap().contains("has not read all of it"));
    assert_eq!(workspace.shell_kill(ShellKillInput::new(id)).await.unwrap().status, JobStatus::Killed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_exec_6_a_long_output_is_kept_whole() {
    let count = "i=0\nwhile [ $i -lt 20000 ]; do echo \"line $i\"; i=$((i+1)); done\n";
    let (_root, workspace) =
        scripts(&[("count.sh", count)], |policy| policy.shell.as_mut().unwrap().spill = true);
    let output = workspace.run_shell(RunShellInput::new("sh count.sh")).await.unwrap();
    assert!(output.truncated && output.stdout.len() <= 32_768);
    let page = super::call(
        &workspace,
        "read_file",
        json!({"path": output.output_file.unwrap(), "offset": 12_346, "limit": 1, "format": "raw"}),
    );
    let page = page.await.unwrap();
    assert_eq!((&page["content"], &page["total_lines"]), (&json!("line 12345\n"), &json!(20_000)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_test_1_a_quoted_pattern_reaches_the_runner_as_it_is() {
    let (_root, workspace) = scripts(&[("t.sh", "printf '%s|' \"$#\" \"$@\"\nexit 1\n")], |policy| {
        policy.tests = Some(TestsPolicy::running("sh t.sh first"));
    });
    let pattern = "it's $(id) `x` * ; a\\b";
    let output = workspace.run_tests(RunTestsInput::matching(pattern)).await.unwrap();
    assert_eq!((output.run.stdout.as_str(), output.ok), (&*format!("2|first|{pattern}|"), false));
}
