//! Commands and the end of their host, and the host's own terminal.

use std::fs;
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::Stdio;

use workspace_core::{Command, KillReach, Leftovers, ShellProvider};
use workspace_local::KillLevel;

use super::{Mark, Stage, eventually};
use crate::child::{is_child, this_binary};

/// How the host of [`a_host_that_runs_a_command`] is told what to do.
const LEVEL: &str = "WORKSPACE_TEST_LEVEL";
const LINE: &str = "WORKSPACE_TEST_LINE";
const EXIT: &str = "WORKSPACE_TEST_EXIT";
const LEAVE: &str = "WORKSPACE_TEST_LEAVE";
const SUBREAPER: &str = "WORKSPACE_TEST_SUBREAPER";

/// Not a test of its own: the host that other tests start and end.
#[tokio::test]
async fn a_host_that_runs_a_command() {
    let (true, Ok(line)) = (is_child(), std::env::var(LINE)) else { return };
    let level = match std::env::var(LEVEL).as_deref() {
        Ok("cgroup") => KillLevel::Cgroup(None),
        Ok("namespace") => KillLevel::Namespace,
        _ => KillLevel::Group,
    };
    let stage = Stage::at(level).unwrap();
    if std::env::var_os(EXIT).is_some() {
        let _process = stage.spawn(Command::sh(line)).await;
        #[allow(clippy::exit)] // No destructor may run: that is what is tested.
        std::process::exit(0);
    }
    if std::env::var_os(SUBREAPER).is_some() {
        rustix::process::set_child_subreaper(Some(rustix::process::getpid())).unwrap();
    }
    let leave = std::env::var_os(LEAVE).is_some();
    for line in line.split("THEN") {
        let leftovers = if leave { Leftovers::Leave } else { Leftovers::Kill };
        println!("{:?}", stage.run(Command::sh(line).with_leftovers(leftovers)).await.stdout);
    }
}

fn host(stage: &Stage, line: &str) -> std::process::Command {
    let mut host = this_binary();
    host.args(["--exact", "shell::host::a_host_that_runs_a_command", "--nocapture"]).env(LINE, line);
    match stage.level {
        KillLevel::Cgroup(_) => host.env(LEVEL, "cgroup"),
        KillLevel::Namespace => host.env(LEVEL, "namespace"),
        _ => host.env_remove(LEVEL),
    };
    host
}

#[tokio::test]
async fn r_job_4_commands_end_with_a_host_that_is_killed() {
    for stage in Stage::levels() {
        let mark = Mark::new();
        // Plain, in a session of its own, in a group of its own, without an ear, and both of the hidden kinds.
        let line = "trap '' TERM HUP; SLEEP & setsid SLEEP & timeout 500 SLEEP & (setsid SLEEP &) ; setsid sh -c 'SLEEP & exit'; SLEEP; :";
        let mut host = host(&stage, &line.replace("SLEEP", &format!("sleep {}", mark.0)));
        let mut host = host.stdout(Stdio::piped()).spawn().unwrap();
        mark.wait_for(6).await;
        host.kill().unwrap();
        host.wait().unwrap();
        let survivors = if stage.reach() == KillReach::Tree { 0 } else { 2 };
        mark.wait_for(survivors).await;
        if matches!(stage.level, KillLevel::Cgroup(_)) {
            let name = format!("workspace-{}-", host.id());
            eventually(|| !has_directory(&name), || "the control groups of the host to be removed".into())
                .await;
        }
    }
}

#[tokio::test]
async fn r_job_4_commands_end_with_a_host_that_exits() {
    for stage in Stage::levels() {
        let mark = Mark::new();
        let line = format!("sleep {} & sleep {}; :", mark.0, mark.0);
        let mut host = host(&stage, &line).env(EXIT, "1").stdout(Stdio::null()).spawn().unwrap();
        assert!(host.wait().unwrap().success());
        mark.wait_for(0).await;
    }
}

/// Whether a control group of this name is there, wherever the tree is mounted.
fn has_directory(name: &str) -> bool {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap();
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or_default().to_owned();
    ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].iter().any(|mount| {
        let entries = fs::read_dir(std::path::Path::new(mount).join(&own));
        entries.is_ok_and(|entries| {
            entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with(name))
        })
    })
}

/// The watchdogs among the children of a process.
fn guards_of(host: u32) -> Vec<u32> {
    let is_guard = |pid: &u32| {
        let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        line.contains("\0workspace-guard\0")
            && ["S", "R", "D"].iter().any(|state| stat.contains(&format!(") {state} {host} ")))
    };
    super::pids().filter(is_guard).collect()
}

fn are_gone(pids: &[u32]) -> bool {
    pids.iter().all(|pid| !fs::exists(format!("/proc/{pid}/exe")).unwrap())
}

#[tokio::test]
async fn a_guard_ends_with_its_shell() {
    // Other tests of this process have guards of their own, so this one takes a host for itself.
    for stage in Stage::levels() {
        let mark = Mark::new();
        let mut host =
            host(&stage, &format!("trueTHENsleep {}", mark.0)).stdout(Stdio::null()).spawn().unwrap();
        mark.wait_for(1).await;
        // It is a fork of the host until it has become the script.
        eventually(|| !guards_of(host.id()).is_empty(), || "a guard".into()).await;
        let guards = guards_of(host.id());
        assert_eq!(guards.len(), 1, "one for all commands");
        mark.clear();
        assert!(host.wait().unwrap().success());
        eventually(|| are_gone(&guards), || "the guard to end".into()).await;
    }
}

#[tokio::test]
async fn what_was_left_alone_outlives_its_host() {
    for stage in Stage::levels() {
        let (left, last) = (Mark::new(), Mark::new());
        let lines = format!("sleep {} & echoTHENsleep {}", left.0, last.0);
        let mut host = host(&stage, &lines).env(LEAVE, "1").stdout(Stdio::null()).spawn().unwrap();
        last.wait_for(1).await;
        let guards = guards_of(host.id());
        host.kill().unwrap();
        host.wait().unwrap();
        last.wait_for(0).await;
        eventually(|| are_gone(&guards), || "the guard to have done its work".into()).await;
        assert_eq!(left.sleepers().len(), 1);
    }
}

/// The first process of a container gets all orphans, and so does a subreaper.
#[tokio::test]
async fn killed_orphans_leave_no_zombies_in_a_host_that_gets_them() {
    for stage in Stage::levels() {
        let (left, last) = (Mark::new(), Mark::new());
        let lines = format!("sleep {0} & sleep {0} & echoTHENsleep {1}", left.0, last.0);
        let mut host = host(&stage, &lines).env(SUBREAPER, "1").stdout(Stdio::null()).spawn().unwrap();
        last.wait_for(1).await;
        let zombie = format!(") Z {} ", host.id());
        let zombies = super::pids().filter(|pid| {
            fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(&zombie))
        });
        assert_eq!((zombies.count(), left.sleepers().len()), (0, 0));
        last.clear();
        assert!(host.wait().unwrap().success());
    }
}

#[tokio::test]
async fn a_guard_that_was_killed_is_replaced_with_the_next_command() {
    for stage in Stage::levels() {
        let (first, second) = (Mark::new(), Mark::new());
        let lines = format!("sleep {}THENsleep {}", first.0, second.0);
        let mut host = host(&stage, &lines).stdout(Stdio::null()).spawn().unwrap();
        first.wait_for(1).await;
        let guards = guards_of(host.id());
        for guard in &guards {
            super::kill(*guard);
        }
        // The next command looks whether the guard lives, and a killed one takes a moment to die.
        eventually(|| are_gone(&guards), || "the guard to be gone".into()).await;
        first.clear();
        second.wait_for(1).await;
        host.kill().unwrap();
        host.wait().unwrap();
        second.wait_for(0).await;
    }
}

/// A program that asks for a password opens `/dev/tty`, whatever its standard input is.
#[tokio::test]
async fn the_terminal_of_the_host_is_out_of_reach() {
    let master =
        rustix::pty::openpt(rustix::pty::OpenptFlags::RDWR | rustix::pty::OpenptFlags::NOCTTY).unwrap();
    rustix::pty::grantpt(&master).unwrap();
    rustix::pty::unlockpt(&master).unwrap();
    let name = rustix::pty::ptsname(&master, Vec::new()).unwrap();
    for stage in Stage::levels() {
        let terminal = fs::File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
        let mut host =
            host(&stage, "if (exec 3</dev/tty) 2>/dev/null; then echo reached; else echo none; fi");
        let control = terminal.try_clone().unwrap();
        host.stdout(Stdio::piped());
        // SAFETY: two system calls, between fork and exec of a test's own process.
        #[allow(unsafe_code)]
        unsafe {
            host.pre_exec(move || {
                rustix::process::setsid()?;
                rustix::process::ioctl_tiocsctty(control.as_fd())?;
                std::fs::File::open("/dev/tty").map(drop)
            });
        }
        let mut host = host.spawn().unwrap();
        let mut said = String::new();
        host.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        assert!(host.wait().unwrap().success(), "{said}");
        assert!(said.contains(r#""none\n""#), "{said}");
    }
}

#[tokio::test]
async fn many_short_commands_leave_no_zombie_and_no_descriptor() {
    for stage in Stage::levels() {
        stage.sh("true").await;
        let zombies = || {
            let mine = format!(") Z {} ", std::process::id());
            super::pids()
                .filter(|pid| {
                    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(&mine))
                })
                .count()
        };
        let open = || fs::read_dir("/proc/self/fd").unwrap().count();
        let before = open();
        for _ in 0..100 {
            stage.run(Command::argv(["true"])).await;
        }
        assert!(open() < before + 100, "{} descriptors after {before}", open());
        eventually(|| zombies() < 20, || format!("no zombies, there are {}", zombies())).await;
    }
}

#[test]
fn the_level_that_was_named_is_demanded() {
    let scene = crate::support::Scene::new();
    let shell = scene.open().shell();
    let refused = shell.clone().with_kill_level(KillLevel::Cgroup(Some(scene.root()))).unwrap_err();
    assert_eq!(refused.kind(), workspace_core::ErrorKind::Unsupported);
    assert_eq!(scene.names(""), [""; 0]);
    let group = shell.with_kill_level(KillLevel::Group).unwrap();
    assert_eq!(group.capabilities().kill_reach, KillReach::Group);
}
