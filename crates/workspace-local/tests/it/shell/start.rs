//! What a program finds when it begins.

use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use workspace_core::{Command, ErrorKind, PathFilter, ShellProvider, WorkspacePath};

use super::{Stage, ran};
use crate::support::path;

#[tokio::test]
async fn r_exec_1_it_starts_in_the_root() {
    for stage in Stage::levels() {
        stage.scene.put("here.txt", "found");
        stage.sh("cat here.txt").await.assert("found", "", 0);
    }
}

#[tokio::test]
async fn it_starts_in_the_directory_that_was_asked_for() {
    for stage in Stage::levels() {
        stage.scene.put("sub/here.txt", "found");
        stage.run(Command::argv(["cat", "here.txt"]).with_cwd(path("sub"))).await.assert("found", "", 0);
    }
}

#[tokio::test]
async fn a_working_directory_that_cannot_be_one_starts_nothing() {
    let stage = Stage::new();
    stage.scene.put("file", "");
    stage.scene.dir("closed");
    stage.scene.link("out", stage.scene.outside());
    let refusal = async |cwd: WorkspacePath| {
        let rule = PathFilter::deny("closed", |path, _| path.name() == Some("closed"));
        let command = Command::sh("touch started").with_cwd(cwd).with_filter(rule);
        stage.shell.spawn(command).await.unwrap_err().kind()
    };
    assert_eq!(refusal(path("none")).await, ErrorKind::NotFound);
    assert_eq!(refusal(path("file")).await, ErrorKind::NotADirectory);
    assert_eq!(refusal(path("out")).await, ErrorKind::PathEscape);
    assert_eq!(refusal(path("closed")).await, ErrorKind::DeniedPath);
    assert_eq!(stage.scene.names(""), ["closed", "file", "out"]);
    stage.scene.assert_outside_untouched();
}

/// The directory that was judged is the one, whatever another process puts at its path meanwhile.
#[tokio::test]
async fn a_directory_swapped_for_a_link_does_not_lead_outside() {
    for stage in Stage::levels() {
        stage.scene.put("sub/secret", "inside");
        stage.scene.link("link", stage.scene.outside());
        let stop = Arc::new(AtomicBool::new(false));
        let (sub, link, stopped) = (stage.scene.at("sub"), stage.scene.at("link"), Arc::clone(&stop));
        let swapper = std::thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                renameat_with(CWD, &sub, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let (mut told, mut inside) = (Vec::new(), 0);
        while inside < 50 && told.len() < 20_000 {
            told.push(
                match stage.shell.spawn(Command::argv(["cat", "secret"]).with_cwd(path("sub"))).await {
                    Ok(process) => {
                        inside += 1;
                        ran(process).await.stdout
                    }
                    Err(error) => error.kind().to_string(),
                },
            );
        }
        stop.store(true, Ordering::Relaxed);
        swapper.join().unwrap();
        let strange: Vec<_> =
            told.iter().filter(|told| !["inside", "path-escape"].contains(&told.as_str())).collect();
        assert_eq!(strange, [""; 0]);
        assert!(inside > 0, "the directory was never met in its place");
    }
}

/// `/proc/self/stat`: process, group and session.
#[tokio::test]
async fn r_exec_7_it_leads_a_session_and_a_group_of_its_own() {
    for stage in Stage::levels() {
        let stat = stage
            .sh("read pid name state parent group session rest </proc/self/stat; echo $pid $group $session")
            .await;
        let numbers: Vec<&str> = stat.stdout.split_whitespace().collect();
        assert_eq!(numbers.len(), 3, "{stat:?}");
        assert!(numbers.iter().all(|number| *number == numbers[0]), "{numbers:?}");
    }
}

/// Rust opens everything with close-on-exec. C code may not.
#[tokio::test]
async fn no_descriptor_of_the_host_is_inherited() {
    let (open, _other) = rustix::pipe::pipe().unwrap();
    for stage in Stage::levels() {
        let seen = stage.sh("ls /proc/self/fd").await;
        // The last one is the directory that `ls` reads.
        seen.assert("0\n1\n2\n3\n", "", 0);
    }
    assert!(open.as_raw_fd() > 2);
}

#[tokio::test]
async fn every_signal_is_at_its_default_and_none_is_blocked() {
    for stage in Stage::levels() {
        // The standard library has this host ignore SIGPIPE.
        let status = stage.run(Command::argv(["cat", "/proc/self/status"])).await.stdout;
        let signals = |field| {
            let value = status.lines().find_map(|line| line.strip_prefix(field)).unwrap().trim();
            u64::from_str_radix(value, 16).unwrap()
        };
        // Two numbers belong to the C library, which lets nobody set them.
        let others = !(0b11 << 31);
        assert_eq!((signals("SigBlk:"), signals("SigIgn:") & others, signals("SigCgt:")), (0, 0, 0));
        stage.sh("yes | head -n 1").await.assert("y\n", "", 0);
    }
}

#[tokio::test]
async fn the_hosts_own_signal_mask_stays_as_it_was() {
    let mask = || {
        std::fs::read_to_string("/proc/thread-self/status")
            .unwrap()
            .lines()
            .find(|line| line.starts_with("SigBlk"))
            .map(str::to_owned)
    };
    let before = mask();
    for stage in Stage::levels() {
        stage.sh("true").await.assert("", "", 0);
        assert_eq!(mask(), before);
    }
}
