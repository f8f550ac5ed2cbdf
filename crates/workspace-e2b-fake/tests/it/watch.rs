//! Directories that are watched.

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Client, Frames, until};

#[tokio::test]
async fn changes_below_a_directory_are_told_as_they_come() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    client.run(&key, "mkdir -p w/sub").await;
    let message = json!({ "path": "w", "recursive": true, "includeEntry": true });
    let mut stream =
        Frames::of(client.streaming(&key, "filesystem.Filesystem/WatchDir", &message).send().await.unwrap());
    assert_eq!(stream.next().await.unwrap(), Some((0, json!({ "start": {} }))));
    client.run(&key, "cd w/sub; : >a; echo text >a; chmod 600 a; mv a ../b; rm ../b").await;
    let mut seen = Vec::new();
    while seen.last().is_none_or(|(_, kind)| kind != "REMOVE") {
        let (_, message) = stream.next().await.unwrap().unwrap();
        let event = &message["filesystem"];
        let text = |name: &str| event[name].as_str().unwrap().to_owned();
        let kind = text("type").replace("EVENT_TYPE_", "");
        assert!(event["entry"].is_null() || !matches!(kind.as_str(), "REMOVE" | "RENAME"), "{event}");
        seen.push((text("name"), kind));
    }
    seen.dedup();
    let seen: Vec<_> = seen.iter().map(|(name, kind)| (name.as_str(), kind.as_str())).collect();
    assert_eq!(
        seen,
        [
            ("sub/a", "CREATE"),
            ("sub/a", "WRITE"),
            ("sub/a", "CHMOD"),
            ("sub/a", "RENAME"),
            ("b", "CREATE"),
            ("b", "REMOVE"),
        ]
    );
}

#[tokio::test]
async fn a_watcher_is_polled_until_it_is_removed() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    let call = async |method: &str, message: Value| {
        client.unary(&key, &format!("filesystem.Filesystem/{method}"), message).await
    };
    let (status, made) = call("CreateWatcher", json!({ "path": "" })).await;
    assert_eq!(status, 200);
    assert_eq!(call("GetWatcherEvents", made.clone()).await, (200, json!({})));
    client.run(&key, "mkdir d; mkdir d/unseen").await;
    let events =
        until("an event", async || call("GetWatcherEvents", made.clone()).await.1.get("events").cloned())
            .await;
    assert_eq!(events, json!([{ "name": "d", "type": "EVENT_TYPE_CREATE" }]));
    assert_eq!(call("RemoveWatcher", made.clone()).await, (200, json!({})));
    for method in ["RemoveWatcher", "GetWatcherEvents"] {
        assert_eq!(call(method, made.clone()).await.0, 404);
    }
    assert_eq!(call("CreateWatcher", json!({ "path": "none" })).await.1["code"], "not_found");
    assert_eq!(call("CreateWatcher", json!({ "path": "/etc/passwd" })).await.1["code"], "invalid_argument");
    let request = client.envd(&key, Method::POST, "/filesystem.Filesystem/WatchDir").json(&json!({}));
    assert_eq!(request.send().await.unwrap().status(), 415);
}
