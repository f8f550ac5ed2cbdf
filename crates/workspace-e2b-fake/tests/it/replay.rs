//! Requests as the official SDKs sent them, against what they were answered with.
//!
//! `tests/captured` has a line for each call of an SDK, with all that it sent
//! and was given. Ids, tokens, pids and boundaries in them are stand-ins.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{Method, RequestBuilder};
use serde_json::Value;

use crate::client::{Client, Frames, frame};

#[tokio::test]
async fn python_2_63_is_answered_as_it_was() {
    replay("python-2.63.0", 56).await;
}

#[tokio::test]
async fn python_2_50_is_answered_as_it_was() {
    replay("python-2.50.0", 6).await;
}

#[tokio::test]
async fn js_2_51_is_answered_as_it_was() {
    replay("js-2.51.0", 18).await;
}

async fn replay(name: &str, calls: usize) {
    let Some(client) = Client::start().await else { return };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/captured/{name}.jsonl"));
    let text = std::fs::read_to_string(path).unwrap();
    let mut known = Known { sandboxes: BTreeMap::new(), ids: BTreeMap::new() };
    assert_eq!(text.lines().count(), calls);
    for line in text.lines() {
        let call: Value = serde_json::from_str(line).unwrap();
        let exchanges = call["exchanges"].as_array().unwrap();
        // A stream was still open while the calls about its process were made.
        let (streams, calls): (Vec<_>, Vec<_>) = exchanges.iter().partition(|exchange| is_open(exchange));
        let mut open = Vec::new();
        for exchange in streams {
            let mut frames = Frames::of(known.request(&client, exchange).send().await.unwrap());
            let first = frames.next().await.unwrap();
            if let Some(pid) = first.as_ref().and_then(|(_, first)| first["event"]["start"]["pid"].as_u64()) {
                known.learn(&expected(exchange)[0].1["event"]["start"]["pid"], pid.to_string());
            }
            open.push((exchange, frames, first));
        }
        for exchange in calls {
            known.check(&client, &call, exchange).await;
        }
        for (exchange, mut frames, first) in open {
            let expected = expected(exchange);
            let mut got = Vec::from_iter(first);
            if expected.iter().any(|(flags, _)| *flags == 2) {
                got.extend(frames.rest().await.unwrap());
            } else if let Some((_, kind)) = expected.get(1) {
                // The client left after it.
                got.extend(frames.next().await.unwrap());
                assert!(!kind.is_null());
            }
            assert_eq!(sketch(&got), sketch(&expected), "{}", call["call"]);
        }
    }
}

/// Whether more was sent while the answer was under way.
fn is_open(exchange: &Value) -> bool {
    let target = exchange["target"].as_str().unwrap();
    ["/process.Process/Start", "/process.Process/Connect", "/filesystem.Filesystem/WatchDir"]
        .contains(&target)
        && exchange["answer"]["status"] == 200
}

fn expected(exchange: &Value) -> Vec<(u8, Value)> {
    let frames = exchange["answer"]["frames"].as_array().unwrap();
    frames
        .iter()
        .map(|frame| (u8::try_from(frame["flags"].as_u64().unwrap()).unwrap(), frame["json"].clone()))
        .collect()
}

/// The kinds of frames of a stream, each once, and the last ones in order: how
/// output is cut into messages is chance.
fn sketch(frames: &[(u8, Value)]) -> (BTreeSet<String>, Vec<String>) {
    let shapes: Vec<_> =
        frames.iter().map(|(flags, message)| format!("{flags} {}", shape(message))).collect();
    let last = shapes.iter().rev().take(2).cloned().collect();
    (shapes.into_iter().collect(), if frames.len() > 2 { last } else { Vec::new() })
}

/// Keys and types of a value.
fn shape(value: &Value) -> Value {
    match value {
        Value::Null => Value::Null,
        Value::Bool(_) => "bool".into(),
        Value::Number(_) => "number".into(),
        Value::String(_) => "string".into(),
        Value::Array(items) => {
            let shapes: BTreeMap<_, _> =
                items.iter().map(|item| (shape(item).to_string(), shape(item))).collect();
            shapes.into_values().collect()
        }
        Value::Object(fields) => {
            let sorted: BTreeMap<_, _> =
                fields.iter().map(|(key, value)| (key.clone(), shape(value))).collect();
            sorted.into_iter().collect()
        }
    }
}

/// Whether an answer has the shape of the one that was captured, where null stands for any value.
fn fits(got: &Value, captured: &Value) -> bool {
    match (got, captured) {
        (_, Value::Null) => true,
        (Value::Object(got), Value::Object(captured)) => {
            got.len() == captured.len()
                && captured.iter().all(|(key, value)| got.get(key).is_some_and(|got| fits(got, value)))
        }
        (Value::Array(got), Value::Array(captured)) => {
            captured.iter().all(|item| got.iter().any(|got| fits(got, item)))
        }
        _ => got == captured,
    }
}

/// What stood-in ids are in this run.
struct Known {
    sandboxes: BTreeMap<String, String>,
    ids: BTreeMap<String, String>,
}

impl Known {
    fn learn(&mut self, stand_in: &Value, real: String) {
        let stand_in = stand_in.as_str().map_or_else(|| stand_in.to_string(), str::to_owned);
        self.ids.insert(stand_in, real);
    }

    /// A text with the ids of this run.
    fn real(&self, text: &str) -> String {
        let known = self.ids.iter().chain(&self.sandboxes);
        known.fold(text.to_owned(), |text, (stand_in, real)| text.replace(stand_in, real))
    }

    fn request(&self, client: &Client, exchange: &Value) -> RequestBuilder {
        let target = self.real(exchange["target"].as_str().unwrap());
        let method: Method = exchange["method"].as_str().unwrap().parse().unwrap();
        let is_control = ["/sandboxes", "/v2/"].iter().any(|start| target.starts_with(start));
        let mut request = if is_control {
            let request = client.control(method, &target);
            if exchange["key"] == "wrong" {
                request.headers(
                    [(HeaderName::from_static("x-api-key"), HeaderValue::from_static("e2b_wrong"))]
                        .into_iter()
                        .collect(),
                )
            } else {
                request
            }
        } else {
            let id = self.real("isandbox000000000001");
            let token = self.real("tok00000000000000000000000000000001");
            client.proxied(&id, method, &target).header("x-access-token", token)
        };
        let (body, boundary) = self.body(exchange);
        for (name, value) in exchange["headers"].as_object().unwrap() {
            let value = value.as_str().unwrap();
            match (name.as_str(), &boundary) {
                ("transfer-encoding", _) => {}
                ("content-type", Some(boundary)) => {
                    request = request.header(name, format!("multipart/form-data; boundary={boundary}"));
                }
                _ => request = request.header(name, value),
            }
        }
        // A stream goes without its length, as it was sent.
        let chunked = exchange["headers"].get("transfer-encoding").is_some();
        match body {
            Some(body) if chunked => request.body(reqwest::Body::wrap_stream(futures_util::stream::iter([
                Ok::<_, std::io::Error>(body),
            ]))),
            Some(body) => request.body(body),
            None => request,
        }
    }

    /// The bytes of a body, and the boundary of one that is a form.
    fn body(&self, exchange: &Value) -> (Option<Vec<u8>>, Option<String>) {
        let body = if let Some(hex) = exchange["body_hex"].as_str() {
            let digits = hex.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
            Some(digits.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect())
        } else if let Some(frames) = exchange["frames"].as_array() {
            let real = |message: &Value| serde_json::from_str(&self.real(&message.to_string())).unwrap();
            Some(frames.iter().flat_map(|message| frame(&real(message))).collect())
        } else {
            exchange["body"].as_str().map(|text| self.real(text).into_bytes())
        };
        let form =
            exchange["headers"]["content-type"].as_str().is_some_and(|kind| kind.starts_with("multipart"));
        let boundary = body.as_ref().filter(|_| form).map(|body: &Vec<u8>| {
            let line = String::from_utf8_lossy(body).lines().next().unwrap().to_owned();
            line.strip_prefix("--").unwrap().to_owned()
        });
        (body, boundary)
    }

    async fn check(&mut self, client: &Client, call: &Value, exchange: &Value) {
        let captured = &exchange["answer"];
        let what = format!("{}: {} {}", call["call"], exchange["method"], exchange["target"]);
        let response = self.request(client, exchange).send().await.unwrap();
        assert_eq!(response.status().as_u16(), captured["status"], "{what}");
        for (name, _) in captured["headers"].as_object().unwrap() {
            assert!(response.headers().contains_key(name), "{what}: {name} in {:?}", response.headers());
        }
        if captured["frames"].is_array() {
            let got = Frames::of(response).rest().await.unwrap();
            assert_eq!(sketch(&got), sketch(&expected(exchange)), "{what}");
            return;
        }
        let body = response.bytes().await.unwrap();
        if captured["json"].is_null() {
            return;
        }
        let got: Value = serde_json::from_slice(&body).unwrap();
        assert!(fits(&shape(&got), &shape(&captured["json"])), "{what}: {got}");
        for name in ["sandboxID", "envdAccessToken", "watcherId"] {
            if let (Some(real), Some(_)) = (got[name].as_str(), captured["json"][name].as_str()) {
                self.sandboxes.insert(captured["json"][name].as_str().unwrap().to_owned(), real.to_owned());
            }
        }
    }
}
