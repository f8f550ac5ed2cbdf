//! Who a container belongs to, as labels.

use std::collections::HashMap;

/// Every container of this crate has it.
pub(crate) const OWNER: &str = "workspace.owner";
const HOST: &str = "workspace.host";
const PROCESS: &str = "workspace.pid";
/// What `OWNER` holds.
pub(crate) const US: &str = "workspace-docker";

/// The labels of a container that this process makes.
pub(crate) fn labels() -> HashMap<String, String> {
    HashMap::from([
        (OWNER.to_owned(), US.to_owned()),
        (HOST.to_owned(), host()),
        (PROCESS.to_owned(), std::process::id().to_string()),
    ])
}

/// Whether the process that made a container is surely gone.
pub(crate) fn is_dead(labels: &HashMap<String, String>) -> bool {
    let here = labels.get(HOST).is_some_and(|named| *named == host());
    let process = labels.get(PROCESS).and_then(|process| process.parse().ok());
    here && process.is_some_and(|process| !is_alive(process))
}

#[cfg(unix)]
fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(unix)]
fn is_alive(process: i32) -> bool {
    use rustix::process::{Pid, test_kill_process};

    // Any other refusal is about a process that is there.
    Pid::from_raw(process).is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

#[cfg(not(unix))]
fn host() -> String {
    String::new()
}

#[cfg(not(unix))]
fn is_alive(_: i32) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives_and_a_stranger_is_not_judged() {
        assert!(!is_dead(&labels()));
        let mut labels = labels();
        labels.insert(HOST.into(), "another machine".into());
        labels.insert(PROCESS.into(), i32::MAX.to_string());
        assert!(!is_dead(&labels));
        assert!(!is_dead(&HashMap::new()));
    }

    #[cfg(unix)]
    #[test]
    fn a_process_that_is_not_there_is_dead() {
        let mut labels = labels();
        labels.insert(PROCESS.into(), i32::MAX.to_string());
        assert!(is_dead(&labels));
    }
}
