//! Connect streams that are duplicated, cut up, joined and left without an end.

use std::time::Duration;

use serde_json::{Value, json};
use workspace_e2b_fake::{Call, Fault};

use crate::client::{Client, Frames, Key, shell};

/// Output in two messages, and an exit code.
const COMMAND: &str = "echo a; sleep 0.1; echo b; exit 3";

async fn frames(client: &Client, key: &Key) -> (Vec<usize>, Vec<(u8, Value)>) {
    let request = client.streaming(key, "process.Process/Start", &shell(COMMAND));
    let mut response = request.send().await.unwrap();
    let (mut sizes, mut bytes) = (Vec::new(), Vec::new());
    while let Some(chunk) = response.chunk().await.unwrap() {
        sizes.push(chunk.len());
        bytes.extend(chunk);
    }
    let mut frames = Vec::new();
    let mut rest = bytes.as_slice();
    while let Some((head, after)) = rest.split_first_chunk::<5>() {
        let length = u32::from_be_bytes(head[1..].try_into().unwrap()) as usize;
        let mut message: Value = serde_json::from_slice(&after[..length]).unwrap();
        if let Some(start) = message.pointer_mut("/event/start") {
            start["pid"] = json!(0);
        }
        frames.push((head[0], message));
        rest = &after[length..];
    }
    (sizes, frames)
}

fn expected() -> Vec<(u8, Value)> {
    let text = "exit status 3";
    vec![
        (0, json!({ "event": { "start": { "pid": 0 } } })),
        (0, json!({ "event": { "data": { "stdout": "YQo=" } } })),
        (0, json!({ "event": { "data": { "stdout": "Ygo=" } } })),
        (0, json!({ "event": { "end": { "exitCode": 3, "exited": true, "status": text, "error": text } } })),
        (2, json!({})),
    ]
}

#[tokio::test]
async fn frames_are_meddled_with_as_said_and_else_whole() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    assert_eq!(frames(&client, &key).await.1, expected());

    client.fake.inject(Fault::split_frames(3).on(Call::Start));
    let (sizes, split) = frames(&client, &key).await;
    assert_eq!(split, expected());
    assert!(sizes.len() > 20, "{sizes:?}");

    client.fake.inject(Fault::join_frames().on(Call::Start));
    let (sizes, joined) = frames(&client, &key).await;
    assert_eq!((sizes.len(), joined), (1, expected()));

    client.fake.inject(Fault::duplicate_frames().on(Call::Start));
    let twice =
        expected().into_iter().flat_map(|frame| vec![frame.clone(); if frame.0 == 2 { 1 } else { 2 }]);
    assert_eq!(frames(&client, &key).await.1, twice.collect::<Vec<_>>());

    client.fake.inject(Fault::without_end().on(Call::Start));
    assert_eq!(frames(&client, &key).await.1, expected()[..4]);
}

#[tokio::test]
async fn a_stream_that_is_cut_leaves_the_process_alone() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    client.fake.inject(Fault::cut_after(40).on(Call::Start));
    let request = client.streaming(&key, "process.Process/Start", &shell("echo on; sleep 30"));
    let mut cut = Frames::of(request.send().await.unwrap());
    cut.pid().await;
    assert!(cut.next().await.is_err());
    assert_eq!(client.fake.processes(&key.id), 1);
}

#[tokio::test]
async fn silence_is_broken_at_the_interval_that_was_asked_for() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    let request = client.streaming(&key, "process.Process/Start", &shell("sleep 1.3"));
    let request = request.header("keepalive-ping-interval", "1");
    let frames = Frames::of(request.send().await.unwrap()).rest().await.unwrap();
    let alive = json!({ "event": { "keepalive": {} } });
    assert_eq!(frames.iter().filter(|(_, message)| *message == alive).count(), 1, "{frames:?}");
}

#[tokio::test]
async fn a_deadline_ends_the_stream_and_the_process() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    let request = client.streaming(&key, "process.Process/Start", &shell("exec sleep 30"));
    let request = request.header("connect-timeout-ms", "300");
    let frames = Frames::of(request.send().await.unwrap()).rest().await.unwrap();
    let error = json!({ "error": { "code": "deadline_exceeded", "message": "context deadline exceeded" } });
    assert_eq!(frames[1..], [(2, error)]);
    let gone = async || (client.fake.processes(&key.id) == 0).then_some(());
    crate::client::until("the end of the process", gone).await;
}

#[tokio::test]
async fn a_stalled_listener_stalls_the_process() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    // Far more than the buffers between it and a reader that does not read.
    let command = "head -c 50000000 /dev/zero; echo done >ended";
    let mut stalled = client.start_command(&key, command).await;
    stalled.pid().await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(client.read(&key, "ended").await.0, 404);
    drop(stalled);
    let ended = async || (client.read(&key, "ended").await.0 == 200).then_some(());
    crate::client::until("the end of the process", ended).await;
}
