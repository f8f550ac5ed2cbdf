//! Progress of long calls, for clients that asked for it.

use serde_json::{Value, json};

use super::client::stateless;
use super::processes::scripts_run;
use super::session::Session;
use crate::program::root;

/// A script that prints and takes its time.
const SLOW: &str = "echo begun\nsleep 1\n";

#[track_caller]
fn check(mut session: Session, token: &Value) {
    let mut params = stateless(json!({"name": "run_shell", "arguments": {"command": "sh slow.sh"}}));
    params["_meta"]["progressToken"] = token.clone();
    let answer = session.ask("tools/call", params);
    assert_eq!(answer["result"]["structuredContent"]["exit_code"], 0, "{answer}");
    let reports = std::mem::take(&mut session.told);
    assert!(reports.len() >= 2, "{reports:?}");
    let mut last = 0.0;
    for report in &reports {
        assert_eq!(
            (&report["method"], &report["params"]["progressToken"]),
            (&json!("notifications/progress"), token)
        );
        let now = report["params"]["progress"].as_f64().unwrap();
        assert!(now > last, "{reports:?}");
        last = now;
    }
    assert_eq!(reports[0]["params"]["message"], "running for 0 s, 6 bytes printed");
    // Whatever else there was to say would come before this.
    session.ask("tools/list", stateless(json!({})));
    assert_eq!(session.told, [] as [Value; 0], "nothing is told after the answer");
    session.end();
}

#[test]
fn a_long_call_tells_how_far_it_has_come_until_it_ends() {
    let (_home, policy) = scripts_run();
    let root = root(&[("slow.sh", SLOW)]);
    check(Session::start(root.path(), &["--policy", &policy]), &json!("t-1"));
    check(Session::launch(root.path(), &["--policy", &policy]), &json!(7));
}

#[test]
fn nothing_is_told_unasked() {
    let (_home, policy) = scripts_run();
    let root = root(&[("slow.sh", SLOW)]);
    let mut session = Session::start(root.path(), &["--policy", &policy]);
    assert_eq!(session.call("run_shell", json!({"command": "sh slow.sh"}))["isError"], false);
    assert_eq!(session.told, [] as [Value; 0]);
    session.end();
}
