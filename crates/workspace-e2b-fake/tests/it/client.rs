//! A client that looks at bytes.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::BytesMut;
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};
use workspace_e2b_fake::{Fake, Options};

/// A fake with a client of its own; dropping it ends its sandboxes.
pub(crate) struct Client {
    pub(crate) fake: Fake,
    http: reqwest::Client,
}

/// A client of HTTP/1.1.
pub(crate) fn plain() -> reqwest::Client {
    builder().build().unwrap()
}

/// Built beside the client of the E2B backend, reqwest has its feature that brings no
/// cryptography of its own, and insists on some even where no address is `https`.
pub(crate) fn builder() -> reqwest::ClientBuilder {
    // The first test that gets here has installed it for all.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
}

/// A sandbox and what opens it.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub(crate) id: String,
    pub(crate) token: String,
}

impl Client {
    /// A client of a fake, or `None` where this machine makes no sandboxes.
    pub(crate) async fn start() -> Option<Self> {
        Self::start_with(Options::default()).await
    }

    pub(crate) async fn start_with(options: Options) -> Option<Self> {
        let word = std::env::var("WORKSPACE_E2B").unwrap_or_default();
        let fake = Fake::start_with(options).await.unwrap();
        let why = match fake.probe().await {
            _ if word == "skip" => "as WORKSPACE_E2B says".to_owned(),
            Ok(()) => return Some(Self { fake, http: plain() }),
            Err(error) => error.to_string(),
        };
        assert!(word != "required", "{why}");
        println!("skipped: {why}");
        None
    }

    /// A request of the control plane.
    pub(crate) fn control(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.fake.url());
        self.http.request(method, url).header("x-api-key", self.fake.api_key())
    }

    /// The status and the JSON of a request of the control plane.
    pub(crate) async fn ask(&self, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
        let request = self.control(method, path);
        let request = body.map_or(request.try_clone().unwrap(), |body| request.json(&body));
        answer(request.send().await.unwrap()).await
    }

    /// A new sandbox that lives for five minutes.
    pub(crate) async fn create(&self) -> Key {
        self.create_with(json!({ "templateID": "base", "timeout": 300 })).await
    }

    pub(crate) async fn create_with(&self, body: Value) -> Key {
        let (status, made) = self.ask(Method::POST, "/v2/sandboxes", Some(body)).await;
        assert_eq!(status, 201, "{made}");
        let text = |name: &str| made[name].as_str().unwrap().to_owned();
        Key { id: text("sandboxID"), token: text("envdAccessToken") }
    }

    /// A request of envd in a sandbox.
    pub(crate) fn envd(&self, key: &Key, method: Method, target: &str) -> RequestBuilder {
        self.proxied(&key.id, method, target).header("x-access-token", &key.token)
    }

    /// The same without a token.
    pub(crate) fn proxied(&self, id: &str, method: Method, target: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{target}", self.fake.url()));
        request.header("e2b-sandbox-id", id).header("e2b-sandbox-port", "49983")
    }

    /// A call of one message.
    pub(crate) async fn unary(&self, key: &Key, method: &str, message: Value) -> (u16, Value) {
        let request = self.envd(key, Method::POST, &format!("/{method}")).json(&message);
        answer(request.send().await.unwrap()).await
    }

    /// A request whose answer is a stream.
    pub(crate) fn streaming(&self, key: &Key, method: &str, message: &Value) -> RequestBuilder {
        let request = self.envd(key, Method::POST, &format!("/{method}"));
        request.header("content-type", "application/connect+json").body(frame(message))
    }

    /// Starts a command in a shell.
    pub(crate) async fn start_command(&self, key: &Key, command: &str) -> Frames {
        Frames::of(self.streaming(key, "process.Process/Start", &shell(command)).send().await.unwrap())
    }

    /// The whole run of a command.
    pub(crate) async fn run(&self, key: &Key, command: &str) -> Run {
        self.start_command(key, command).await.run().await.unwrap()
    }

    pub(crate) async fn write(&self, key: &Key, path: &str, bytes: impl Into<reqwest::Body>) {
        let request = self.envd(key, Method::POST, &format!("/files?path={path}"));
        let request = request.header("content-type", "application/octet-stream").body(bytes);
        assert_eq!(request.send().await.unwrap().status(), 200);
    }

    pub(crate) async fn read(&self, key: &Key, path: &str) -> (u16, String) {
        let response = self.envd(key, Method::GET, &format!("/files?path={path}")).send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }
}

/// The message that starts a command in a shell.
pub(crate) fn shell(command: &str) -> Value {
    json!({ "process": { "cmd": "/bin/bash", "args": ["-l", "-c", command] }, "stdin": false })
}

/// A message in its envelope.
pub(crate) fn frame(message: &Value) -> Vec<u8> {
    let text = message.to_string();
    let mut frame = vec![0];
    frame.extend(u32::try_from(text.len()).unwrap().to_be_bytes());
    frame.extend(text.into_bytes());
    frame
}

pub(crate) async fn answer(response: Response) -> (u16, Value) {
    let status = response.status().as_u16();
    let text = response.text().await.unwrap();
    (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
}

/// The envelopes of an answer, as they come.
pub(crate) struct Frames {
    pub(crate) response: Response,
    buffered: BytesMut,
}

/// What a command wrote and how it ended.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Run {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) end: Value,
}

impl Frames {
    pub(crate) fn of(response: Response) -> Self {
        assert_eq!(response.status(), 200);
        Self { response, buffered: BytesMut::new() }
    }

    /// The next envelope, or `None` at the end of the body.
    pub(crate) async fn next(&mut self) -> reqwest::Result<Option<(u8, Value)>> {
        loop {
            if let Some(head) = self.buffered.first_chunk::<5>() {
                let length = u32::from_be_bytes(head[1..].try_into().unwrap()) as usize;
                if self.buffered.len() >= 5 + length {
                    let flags = self.buffered.split_to(5)[0];
                    let message = serde_json::from_slice(&self.buffered.split_to(length)).unwrap();
                    return Ok(Some((flags, message)));
                }
            }
            let Some(chunk) = self.response.chunk().await? else {
                assert!(self.buffered.is_empty(), "the body ends inside an envelope");
                return Ok(None);
            };
            self.buffered.extend_from_slice(&chunk);
        }
    }

    /// The pid, which is in the first message.
    pub(crate) async fn pid(&mut self) -> u32 {
        let (_, message) = self.next().await.unwrap().unwrap();
        u32::try_from(message["event"]["start"]["pid"].as_u64().unwrap()).unwrap()
    }

    /// All that is left.
    pub(crate) async fn rest(&mut self) -> reqwest::Result<Vec<(u8, Value)>> {
        let mut frames = Vec::new();
        while let Some(frame) = self.next().await? {
            frames.push(frame);
        }
        Ok(frames)
    }

    /// What is left of a command.
    pub(crate) async fn run(mut self) -> reqwest::Result<Run> {
        let mut run = Run::default();
        for (_, message) in self.rest().await? {
            let event = &message["event"];
            run.stdout += &text(&event["data"]["stdout"]);
            run.stderr += &text(&event["data"]["stderr"]);
            if let Some(end) = event.get("end").or(message.get("error")) {
                run.end = end.clone();
            }
        }
        Ok(run)
    }
}

fn text(base64: &Value) -> String {
    let bytes = STANDARD.decode(base64.as_str().unwrap_or_default()).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// Waits until something holds, which it does within seconds.
pub(crate) async fn until<T>(what: &str, mut holds: impl AsyncFnMut() -> Option<T>) -> T {
    for _ in 0..500 {
        if let Some(value) = holds().await {
            return value;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{what} does not come");
}
