//! Processes of commands, seen from outside.

use std::path::Path;
use std::time::{Duration, Instant};

/// A policy under which scripts run unasked, in a file outside of the root.
pub(super) fn scripts_run() -> (tempfile::TempDir, String) {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("policy.toml");
    let policy = "[shell]\nallow = [\"sh\", \"sleep\"]\n[shell.background]\nmax_jobs = 2\n[approval]\nrun_shell = \"never\"\n";
    std::fs::write(&file, policy).unwrap();
    let file = file.to_str().unwrap().to_owned();
    (home, file)
}

/// A script with a child in its own session, which writes both numbers to `pids` and never ends.
pub(super) const ENDLESS: &str = "setsid sleep 9999 &\necho $! $$ > pids.part\nmv pids.part pids\nwait\n";

/// Waits until it is so.
#[track_caller]
pub(super) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < deadline, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The processes of a script that runs.
pub(super) fn of_script(root: &Path) -> Vec<u32> {
    let file = root.join("pids");
    until("the script runs", || file.exists());
    let pids = std::fs::read_to_string(file).unwrap();
    pids.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
}

/// Whether a process runs. One that has ended and that nobody has asked about does not.
pub(super) fn runs(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

/// Waits until none of them runs.
#[track_caller]
pub(super) fn until_gone(pids: &[u32]) {
    until("its processes are gone", || !pids.iter().any(|&pid| runs(pid)));
}
