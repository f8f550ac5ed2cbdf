//! Sandboxes that are paused, resumed, run out of time, and end.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use workspace_e2b_fake::{Call, Fake};

use crate::client::{Client, Frames, plain, until};

#[tokio::test]
async fn a_pause_keeps_processes_and_loses_connections() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    let count = "while :; do echo $((n += 1)) >count; sleep 0.01; done";
    let mut stream = client.start_command(&key, count).await;
    let pid = stream.pid().await;
    until("a count", async || (client.read(&key, "count").await.0 == 200).then_some(())).await;

    let pause = format!("/sandboxes/{}/pause", key.id);
    assert_eq!(client.ask(Method::POST, &pause, Some(json!({}))).await.0, 204);
    assert!(stream.next().await.is_err(), "the connection is lost");
    let message = format!("Error pausing sandbox - sandbox '{}' is already paused", key.id);
    assert_eq!(
        client.ask(Method::POST, &pause, None).await,
        (409, json!({ "code": 409, "message": message }))
    );
    let health = client.envd(&key, Method::GET, "/health").send().await.unwrap();
    assert_eq!(health.status(), 502);
    assert_eq!(client.ask(Method::GET, &format!("/sandboxes/{}", key.id), None).await.1["state"], "paused");
    assert_eq!(client.fake.sandboxes_alive(), [key.id.as_str()]);

    let file = client.fake.directory(&key.id).unwrap().join("home/user/count");
    let before = std::fs::read_to_string(&file).unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before, "it stands still");

    let connect = format!("/v2/sandboxes/{}/connect", key.id);
    assert_eq!(client.ask(Method::POST, &connect, Some(json!({}))).await.0, 201);
    assert_eq!(client.ask(Method::POST, &connect, Some(json!({}))).await.0, 200);
    until("a new count", async || (client.read(&key, "count").await.1 != before).then_some(())).await;
    let signal = json!({ "process": { "pid": pid }, "signal": "SIGNAL_SIGKILL" });
    let message = json!({ "process": { "pid": pid } });
    let mut stream =
        Frames::of(client.streaming(&key, "process.Process/Connect", &message).send().await.unwrap());
    assert_eq!(stream.pid().await, pid);
    assert_eq!(client.unary(&key, "process.Process/SendSignal", signal).await.0, 200);
    assert_eq!(stream.run().await.unwrap().end["status"], "signal: killed", "its end is still seen");
}

#[tokio::test]
async fn a_pause_without_memory_keeps_files_alone() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    client.start_command(&key, "sleep 30").await.pid().await;
    client.write(&key, "kept", "kept").await;
    let path = |what: &str| format!("/sandboxes/{}/{what}", key.id);
    assert_eq!(client.ask(Method::POST, &path("pause"), Some(json!({ "memory": false }))).await.0, 204);
    assert_eq!(client.ask(Method::POST, &path("resume"), Some(json!({}))).await.0, 201);
    let message = format!("Sandbox {} is already running", key.id);
    assert_eq!(
        client.ask(Method::POST, &path("resume"), None).await,
        (409, json!({ "code": 409, "message": message }))
    );
    assert_eq!(client.fake.processes(&key.id), 0);
    assert_eq!(client.read(&key, "kept").await, (200, "kept".into()));
}

#[tokio::test]
async fn time_runs_out_by_the_clock_and_by_word() {
    let Some(client) = Client::start().await else { return };
    let short = client.create_with(json!({ "templateID": "base", "timeout": 1 })).await;
    let pausing = client.create_with(json!({ "templateID": "base", "autoPause": true })).await;
    let waking = json!({ "templateID": "base", "autoPause": true, "autoResume": { "enabled": true } });
    let waking = client.create_with(waking).await;
    until("the end of its time", async || (!client.fake.sandboxes_alive().contains(&short.id)).then_some(()))
        .await;
    let health = |key| client.envd(key, Method::GET, "/health").send();
    assert_eq!(health(&short).await.unwrap().status(), 502);
    assert!(!client.fake.expire(&short.id).await);

    assert!(client.fake.expire(&pausing.id).await && client.fake.expire(&waking.id).await);
    assert_eq!(health(&pausing).await.unwrap().status(), 502);
    assert_eq!(health(&waking).await.unwrap().status(), 204, "traffic wakes it up");
    let timeout = |key: &crate::client::Key| format!("/sandboxes/{}/timeout", key.id);
    assert_eq!(client.ask(Method::POST, &timeout(&pausing), Some(json!({ "timeout": 5 }))).await.0, 404);
    // Less than nothing is now.
    assert_eq!(client.ask(Method::POST, &timeout(&waking), Some(json!({ "timeout": -5 }))).await.0, 204);
    let paused = async || {
        let shown = client.ask(Method::GET, &format!("/sandboxes/{}", waking.id), None).await.1;
        (shown["state"] == "paused").then_some(())
    };
    until("the pause", paused).await;
}

/// Whether a process runs on this machine whose command line has this word.
fn runs(word: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().any(|entry| {
        let line = std::fs::read(entry.unwrap().path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(word)
    })
}

#[tokio::test]
async fn no_process_and_no_file_outlives_a_kill_or_the_fake() {
    let Some(client) = Client::start().await else { return };
    let mark = |name: &str| format!("fake-life-{}-{name}", std::process::id());
    let (killed, dropped) = (client.create().await, client.create().await);
    for (key, name) in [(&killed, "killed"), (&dropped, "dropped")] {
        let sleeper = mark(name);
        // A child that left its parent, its group and its session.
        let command =
            format!("(setsid bash -c 'trap \"\" TERM HUP; exec -a {sleeper} sleep 600' &) ; echo on; wait");
        let mut stream = client.start_command(key, &format!("{command}; sleep 600")).await;
        stream.pid().await;
        stream.next().await.unwrap();
        until("the sleeper", async || runs(&sleeper).then_some(())).await;
        assert!(client.fake.processes(&key.id) >= 2);
    }
    let directories = [&killed, &dropped].map(|key| client.fake.directory(&key.id).unwrap());
    let path = format!("/sandboxes/{}", killed.id);
    assert_eq!(client.ask(Method::DELETE, &path, None).await.0, 204);
    assert_eq!(client.ask(Method::DELETE, &path, None).await.0, 404);
    assert!(!runs(&mark("killed")) && runs(&mark("dropped")));
    assert_eq!((client.fake.processes(&killed.id), directories[0].exists()), (0, false));
    assert_eq!(client.fake.sandboxes_alive(), [dropped.id.as_str()]);
    client.fake.stop().await;
    assert!(!runs(&mark("dropped")) && !directories[1].exists());
}

#[tokio::test]
async fn requests_are_recorded_in_order() {
    let fake = Fake::start().await.unwrap();
    let http = plain();
    let get =
        |path: &str| http.get(format!("{}{path}", fake.url())).header("x-api-key", fake.api_key()).send();
    for path in ["/v2/sandboxes?limit=5", "/sandboxes/iabc", "/nowhere"] {
        get(path).await.unwrap();
    }
    let health = http.get(format!("{}/health", fake.url())).header("e2b-sandbox-id", "iabc");
    health.header("e2b-sandbox-port", "49983").send().await.unwrap();
    let seen: Vec<_> =
        fake.requests().into_iter().map(|seen| (seen.call, seen.query, seen.sandbox, seen.status)).collect();
    let id = || Some("iabc".to_owned());
    assert_eq!(
        seen,
        [
            (Some(Call::List), "limit=5".into(), None, Some(200)),
            (Some(Call::Get), String::new(), id(), Some(404)),
            (None, String::new(), None, Some(404)),
            (Some(Call::Health), String::new(), id(), Some(502)),
        ]
    );
    fake.clear_requests();
    get("/v2/sandboxes").await.unwrap();
    assert_eq!(fake.requests().len(), 1);
    assert_eq!(fake.requests()[0].header("x-api-key"), Some(fake.api_key()));
}

#[tokio::test]
async fn work_goes_on_when_the_client_has_left() {
    let Some(client) = Client::start().await else { return };
    client.fake.set_latency(Duration::from_millis(200));
    let request = client.control(Method::POST, "/v2/sandboxes").json(&json!({ "templateID": "base" }));
    assert!(request.timeout(Duration::from_millis(50)).send().await.unwrap_err().is_timeout());
    assert_eq!(client.fake.sandboxes_alive().len(), 0);
    until("the sandbox", async || (client.fake.sandboxes_alive().len() == 1).then_some(())).await;
    assert_eq!(client.fake.requests()[0].status, None);
}
