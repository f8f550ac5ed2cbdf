//! Calls that are given up, clients that leave, servers that are told to end: nothing runs on.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::client::stateless;
use super::processes::{ENDLESS, of_script, runs, scripts_run, until_gone};
use super::session::Session;
use crate::program::root;

fn endless(session: &mut Session, background: bool) -> u64 {
    let arguments = json!({"command": "sh run.sh", "background": background});
    session.begin("tools/call", stateless(json!({"name": "run_shell", "arguments": arguments})))
}

#[track_caller]
fn cancelled(start: fn(&std::path::Path, &[&str]) -> Session) {
    let (_home, policy) = scripts_run();
    let root = root(&[("run.sh", ENDLESS), ("a.txt", "one\n")]);
    let mut session = start(root.path(), &["--policy", &policy]);
    let id = endless(&mut session, false);
    let pids = of_script(root.path());
    assert!(pids.iter().all(|&pid| runs(pid)));
    let params = json!({"requestId": id, "reason": "enough"});
    session.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    until_gone(&pids);
    let read = stateless(json!({"name": "read_file", "arguments": {"path": "a.txt"}}));
    assert_eq!(session.ask("tools/call", read)["result"]["isError"], false);
    assert_eq!(session.told, [] as [Value; 0], "a cancelled call has no answer");
    session.end();
}

#[test]
fn a_cancelled_call_takes_its_processes_along_after_a_handshake() {
    cancelled(Session::start);
}

#[test]
fn a_cancelled_call_takes_its_processes_along_without_a_handshake() {
    cancelled(Session::launch);
}

#[test]
fn a_client_that_leaves_in_the_middle_of_a_call_leaves_no_process() {
    for background in [false, true] {
        let (_home, policy) = scripts_run();
        let root = root(&[("run.sh", ENDLESS)]);
        let mut session = Session::launch(root.path(), &["--policy", &policy]);
        endless(&mut session, background);
        let pids = of_script(root.path());
        // Both streams are closed, as where the client was killed.
        let Session { mut child, to, from, .. } = session;
        drop((to, from));
        assert!(child.wait().unwrap().success());
        assert!(!pids.iter().any(|&pid| runs(pid)), "the server ends after its commands");
    }
}

#[test]
fn a_short_call_is_answered_also_after_the_end_of_input() {
    let root = root(&[("a.txt", "one\n")]);
    let mut session = Session::launch(root.path(), &[]);
    let read = stateless(json!({"name": "read_file", "arguments": {"path": "a.txt"}}));
    let id = session.begin("tools/call", read);
    let Session { mut child, to, from, .. } = session;
    drop(to);
    let lines: Vec<_> = std::io::BufRead::lines(from).map(Result::unwrap).collect();
    assert_eq!(lines.len(), 1);
    let answer: Value = serde_json::from_str(&lines[0]).unwrap();
    assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(id), &json!(false)));
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_server_that_is_told_to_end_ends_its_commands_first() {
    for signal in [Signal::TERM, Signal::INT] {
        let (_home, policy) = scripts_run();
        let root = root(&[("run.sh", ENDLESS)]);
        let mut session = Session::launch(root.path(), &["--policy", &policy]);
        endless(&mut session, true);
        let pids = of_script(root.path());
        kill_process(Pid::from_child(&session.child), signal).unwrap();
        assert!(session.child.wait().unwrap().success());
        assert!(!pids.iter().any(|&pid| runs(pid)), "{signal:?}");
    }
}
