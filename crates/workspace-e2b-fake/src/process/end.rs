//! How a process ended, in Go's words.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use serde_json::{Value, json};

/// The message of an end; zeros are left out.
pub(super) fn message(status: ExitStatus) -> Value {
    let end = match (status.code(), status.signal()) {
        (Some(0), _) => json!({ "exited": true, "status": "exit status 0" }),
        (Some(code), _) => {
            let text = format!("exit status {code}");
            json!({ "exitCode": code, "exited": true, "status": text, "error": text })
        }
        (None, signal) => {
            let dumped = if status.core_dumped() { " (core dumped)" } else { "" };
            let text = format!("signal: {}{dumped}", name(signal.unwrap_or(9)));
            json!({ "exitCode": -1, "status": text, "error": text })
        }
    };
    json!({ "event": { "end": end } })
}

fn name(signal: i32) -> String {
    let name = match signal {
        1 => "hangup",
        2 => "interrupt",
        3 => "quit",
        4 => "illegal instruction",
        5 => "trace/breakpoint trap",
        6 => "aborted",
        7 => "bus error",
        8 => "floating point exception",
        9 => "killed",
        10 => "user defined signal 1",
        11 => "segmentation fault",
        12 => "user defined signal 2",
        13 => "broken pipe",
        14 => "alarm clock",
        15 => "terminated",
        24 => "CPU time limit exceeded",
        25 => "file size limit exceeded",
        other => return format!("signal {other}"),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(raw: i32, expected: &Value) {
        assert_eq!(message(ExitStatus::from_raw(raw))["event"]["end"], *expected);
    }

    #[test]
    fn ends_are_told_as_go_tells_them() {
        check(0, &json!({ "exited": true, "status": "exit status 0" }));
        let text = "exit status 3";
        check(3 << 8, &json!({ "exitCode": 3, "exited": true, "status": text, "error": text }));
        let text = "signal: killed";
        check(9, &json!({ "exitCode": -1, "status": text, "error": text }));
        let text = "signal: segmentation fault (core dumped)";
        check(0x8b, &json!({ "exitCode": -1, "status": text, "error": text }));
    }
}
