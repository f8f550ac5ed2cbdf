//! Processes: their surroundings, their input, their listeners and their ends.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use workspace_e2b_fake::Options;

use crate::client::{Client, Frames, Run, until};

#[tokio::test]
async fn a_command_sees_a_machine_of_its_own() {
    let Some(client) = Client::start().await else { return };
    let key = client.create_with(json!({ "templateID": "base", "envVars": { "A": "created" } })).await;
    for (command, expected) in [
        ("pwd; ls", "/home/user\n"),
        ("echo $A $E2B_SANDBOX $HOME $USER", "created true /home/user user\n"),
        ("cat /etc/hostname; ls /home; ls -d /tmp/*", "e2b\nuser\n"),
        // Its own processes alone: the first one and this shell.
        ("set -- /proc/[0-9]*; echo $#", "2\n"),
        ("touch /usr/x 2>/dev/null || echo read-only", "read-only\n"),
        ("(exit 9); echo $?", "9\n"),
        ("setsid sleep 0.1; echo $(($$ > 1))", "1\n"),
    ] {
        let run = client.run(&key, command).await;
        assert_eq!(run.stdout, expected, "{command}: {run:?}");
    }
    // What a command signals is its own sandbox, however widely it aims.
    let run = client.run(&key, "trap '' TERM; kill -TERM -1; kill -TERM 0; echo alive").await;
    assert_eq!(run.stdout, "alive\n");
    assert_eq!(client.run(&key, "kill -KILL 0").await.end["status"], "signal: killed");
}

#[tokio::test]
async fn a_user_is_who_was_asked_for() {
    let Some(client) = Client::start().await else { return };
    if !client.fake.has_users() {
        return;
    }
    let key = client.create().await;
    let start = async |authorization: &str| {
        let message = crate::client::shell("id -un; echo $HOME; pwd");
        let request = client.streaming(&key, "process.Process/Start", &message);
        let response = request.header("authorization", authorization).send().await.unwrap();
        Frames::of(response).run().await.unwrap()
    };
    assert_eq!(start("Basic cm9vdDo=").await.stdout, "root\n/root\n/root\n");
    assert_eq!(start("Basic dXNlcjo=").await.stdout, "user\n/home/user\n/home/user\n");
    let error = json!({ "code": "unauthenticated", "message": "invalid username: 'bob'" });
    assert_eq!(start("Basic Ym9iOg==").await, Run { end: error, ..Run::default() });
}

#[tokio::test]
async fn ends_are_told_with_code_or_signal() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    let killed = "signal: killed";
    for (command, expected) in [
        ("true", json!({ "exited": true, "status": "exit status 0" })),
        (
            "no-such-program",
            json!({ "exitCode": 127, "exited": true, "status": "exit status 127", "error": "exit status 127" }),
        ),
        ("kill -9 $$", json!({ "exitCode": -1, "status": killed, "error": killed })),
    ] {
        assert_eq!(client.run(&key, command).await.end, expected, "{command}");
    }
    let message = json!({ "process": { "cmd": "/no/such" }, "stdin": false });
    let run = Frames::of(client.streaming(&key, "process.Process/Start", &message).send().await.unwrap());
    assert_eq!(run.run().await.unwrap().end["exitCode"], 127);
}

#[tokio::test]
async fn an_end_waits_for_those_who_hold_the_output_unless_a_call_asked_for_it() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    let run = client.run(&key, "(sleep 0.3; echo late) & echo early").await;
    assert_eq!(run.stdout, "early\nlate\n");
    let mut held = client.start_command(&key, "sleep 30 & echo >both; wait").await;
    let pid = held.pid().await;
    until("the second process", async || (client.read(&key, "both").await.0 == 200).then_some(())).await;
    let signal = json!({ "process": { "pid": pid }, "signal": "SIGNAL_SIGTERM" });
    assert_eq!(client.unary(&key, "process.Process/SendSignal", signal).await, (200, json!({})));
    assert_eq!(held.run().await.unwrap().end["status"], "signal: terminated");
    assert_eq!(client.fake.processes(&key.id), 1, "the signal went to one process");
}

#[tokio::test]
async fn input_goes_in_and_ends() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    // Absent is true.
    let wait = "cat; until [ -e go ]; do sleep 0.02; done";
    let process = json!({ "cmd": "/bin/sh", "args": ["-c", wait] });
    let message = json!({ "process": process, "tag": "t" });
    let mut cat = Frames::of(client.streaming(&key, "process.Process/Start", &message).send().await.unwrap());
    let pid = cat.pid().await;
    let input = |bytes: &str| json!({ "process": { "pid": pid }, "input": { "stdin": bytes } });
    // Without padding too.
    assert_eq!(client.unary(&key, "process.Process/SendInput", input("YQ")).await, (200, json!({})));
    let listed = client.unary(&key, "process.Process/List", json!({})).await.1;
    assert_eq!(listed, json!({ "processes": [{ "config": process, "pid": pid, "tag": "t" }] }));
    let close = json!({ "process": { "tag": "t" } });
    for _ in 0..2 {
        assert_eq!(client.unary(&key, "process.Process/CloseStdin", close.clone()).await.0, 200);
    }
    client.write(&key, "go", "").await;
    let run = cat.run().await.unwrap();
    assert_eq!((run.stdout.as_str(), &run.end["status"]), ("a", &json!("exit status 0")));
    let message = format!("process with pid {pid} not found");
    let gone = json!({ "code": "not_found", "message": message });
    assert_eq!(client.unary(&key, "process.Process/SendInput", input("YQ==")).await, (404, gone));

    let mut sleep = client.start_command(&key, "sleep 30").await;
    let input = json!({ "process": { "pid": sleep.pid().await }, "input": { "stdin": "YQ==" } });
    let off = json!({ "code": "internal", "message": "error writing to stdin: stdin not enabled or closed" });
    assert_eq!(client.unary(&key, "process.Process/SendInput", input).await, (500, off));
}

#[tokio::test]
async fn many_listen_and_what_none_hears_is_lost() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    let command = "echo early; until [ -e go ]; do sleep 0.02; done; echo lost; \
                   until [ -e on ]; do sleep 0.02; done; echo late; exit 5";
    let mut first = client.start_command(&key, command).await;
    let pid = first.pid().await;
    // A client that goes takes nothing with it.
    first.next().await.unwrap();
    drop(first);
    client.write(&key, "go", "").await;
    let shown = json!({ "path": "go" });
    until("the lost line", async || {
        let lost = client.run(&key, "sleep 0.1").await.end["exited"] == true;
        (lost && client.unary(&key, "filesystem.Filesystem/Stat", shown.clone()).await.0 == 200).then_some(())
    })
    .await;
    let connect = async || {
        let message = json!({ "process": { "pid": pid } });
        let mut frames =
            Frames::of(client.streaming(&key, "process.Process/Connect", &message).send().await.unwrap());
        assert_eq!(frames.pid().await, pid);
        frames
    };
    let (one, two) = (connect().await, connect().await);
    client.write(&key, "on", "").await;
    let (one, two) = (one.run().await.unwrap(), two.run().await.unwrap());
    assert_eq!((one.stdout.as_str(), &one.end["exitCode"]), ("late\n", &json!(5)));
    assert_eq!(one, two);
    // The end is kept for those who come after it.
    let after = connect().await.run().await.unwrap();
    assert_eq!(after, Run { stdout: String::new(), ..one });
}

#[tokio::test]
async fn an_old_envd_forgets_an_end_at_once() {
    let Some(client) = Client::start_with(Options::default().with_end_kept(Duration::ZERO)).await else {
        return;
    };
    let key = client.create().await;
    let mut ended = client.start_command(&key, "true").await;
    let pid = ended.pid().await;
    ended.run().await.unwrap();
    let message = json!({ "process": { "pid": pid } });
    let unknown =
        json!({ "error": { "code": "not_found", "message": format!("process with pid {pid} not found") } });
    until("the forgetting", async || {
        let frames =
            Frames::of(client.streaming(&key, "process.Process/Connect", &message).send().await.unwrap());
        let mut frames = frames;
        (frames.rest().await.unwrap() == [(2, unknown.clone())]).then_some(())
    })
    .await;
}

#[tokio::test]
async fn wrong_messages_are_refused() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    let bad = |cwd: &str| json!({ "process": { "cmd": "/bin/true", "cwd": cwd } });
    for (cwd, message) in [
        ("/no/such", "cwd '/no/such' does not exist"),
        ("none", "cwd '/home/user/none' does not exist"),
        ("/etc/passwd", "cwd '/etc/passwd' is not a directory"),
    ] {
        let request = client.streaming(&key, "process.Process/Start", &bad(cwd));
        let frames = Frames::of(request.send().await.unwrap()).rest().await.unwrap();
        assert_eq!(frames, [(2, json!({ "error": { "code": "invalid_argument", "message": message } }))]);
    }
    let mut sleep = client.start_command(&key, "sleep 30").await;
    let pid = sleep.pid().await;
    let calls = [
        (
            "SendSignal",
            json!({ "process": { "pid": pid }, "signal": "SIGNAL_SIGHUP" }),
            (501, "unimplemented"),
        ),
        ("SendSignal", json!({ "process": { "pid": 1 }, "signal": 9 }), (404, "not_found")),
        (
            "Update",
            json!({ "process": { "pid": pid }, "pty": { "size": { "cols": 1, "rows": 1 } } }),
            (500, "internal"),
        ),
        (
            "SendInput",
            json!({ "process": { "pid": pid }, "input": { "stdin": "*" } }),
            (400, "invalid_argument"),
        ),
        ("SendInput", json!({ "process": "x" }), (400, "invalid_argument")),
    ];
    for (method, message, (status, code)) in calls {
        let (got, error) = client.unary(&key, &format!("process.Process/{method}"), message).await;
        assert_eq!((got, &error["code"]), (status, &Value::from(code)), "{method}");
    }
    let request = client.envd(&key, Method::POST, "/process.Process/Start").json(&json!({}));
    assert_eq!(request.send().await.unwrap().status(), 415);
}

#[tokio::test]
async fn a_terminal_echoes_and_has_a_size() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    let process = json!({ "cmd": "/bin/sh", "args": ["-c", "read line; stty size; tty -s && echo tty"] });
    let message = json!({ "process": process, "pty": { "size": { "cols": 80, "rows": 24 } } });
    let mut terminal =
        Frames::of(client.streaming(&key, "process.Process/Start", &message).send().await.unwrap());
    let pid = terminal.pid().await;
    let size = json!({ "process": { "pid": pid }, "pty": { "size": { "cols": 100, "rows": 30 } } });
    assert_eq!(client.unary(&key, "process.Process/Update", size).await, (200, json!({})));
    let close = json!({ "process": { "pid": pid } });
    assert_eq!(client.unary(&key, "process.Process/CloseStdin", close).await.0, 500);
    let input = json!({ "process": { "pid": pid }, "input": { "pty": "eAo=" } });
    assert_eq!(client.unary(&key, "process.Process/SendInput", input).await, (200, json!({})));
    let mut shown = Vec::new();
    for (_, message) in terminal.rest().await.unwrap() {
        if let Some(text) = message["event"]["data"]["pty"].as_str() {
            use base64::Engine;
            shown.extend(base64::engine::general_purpose::STANDARD.decode(text).unwrap());
        }
    }
    assert_eq!(String::from_utf8(shown).unwrap(), "x\r\n30 100\r\ntty\r\n");
}
