//! Tests that need a process of their own: without rights, with mounts, without a system call, or to be killed.

use std::env;
use std::process::{Command, Output};

use rustix::process::geteuid;

use crate::support::skip;

/// Set in a process that was started for one test.
const CHILD: &str = "WORKSPACE_TEST_CHILD";

pub(crate) fn is_child() -> bool {
    env::var_os(CHILD).is_some()
}

/// This test binary, to run the tests whose names are given.
pub(crate) fn this_binary() -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.env(CHILD, "1");
    command
}

/// Whether the test named goes on here, without the rights of root. As root it
/// is run once more, as a user who may do little, and is over here.
pub(crate) fn goes_on_without_rights(test: &str) -> bool {
    use std::os::unix::process::CommandExt;
    if !geteuid().is_root() {
        return true;
    }
    let mut child = this_binary();
    child.args(["--exact", test, "--nocapture"]).uid(65534).gid(65534).current_dir("/");
    match child.output() {
        Ok(output) => assert_passed(test, &output),
        Err(error) => skip(&format!("a user without rights cannot run this binary: {error}")),
    }
    false
}

/// Whether the test named goes on here, in a process that may open few files at a time.
pub(crate) fn goes_on_with_few_descriptors(test: &str) -> bool {
    if is_child() {
        return true;
    }
    let mut child = Command::new("sh");
    child.args(["-c", "ulimit -n 128 && exec \"$@\"", "sh"]).arg(env::current_exe().unwrap());
    let output = child.args(["--exact", test, "--nocapture"]).env(CHILD, "1").output().unwrap();
    assert_passed(test, &output);
    false
}

/// Whether the test named goes on here, where mounts are its own. They vanish with the process.
pub(crate) fn goes_on_with_own_mounts(test: &str) -> bool {
    if is_child() {
        return true;
    }
    if !geteuid().is_root() {
        skip("to mount takes root");
        return false;
    }
    let probe = Command::new("unshare").args(["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).output();
    match probe {
        Ok(probe) if probe.status.success() => {}
        _ => {
            skip("nothing can be mounted here");
            return false;
        }
    }
    let mut child = Command::new("unshare");
    child.arg("--mount").arg(env::current_exe().unwrap()).env(CHILD, "1");
    let output = child.args(["--exact", test, "--nocapture"]).output().unwrap();
    assert_passed(test, &output);
    false
}

#[track_caller]
pub(crate) fn assert_passed(test: &str, output: &Output) {
    let (told, wrong) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{test} failed in its own process:\n{told}\n{wrong}");
    assert!(told.contains(" passed") && !told.contains(" 0 passed"), "{test} was not found:\n{told}");
}
