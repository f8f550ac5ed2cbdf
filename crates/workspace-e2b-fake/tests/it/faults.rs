//! What goes wrong on purpose goes wrong exactly so.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;
use workspace_e2b_fake::{Call, Fault};

use crate::client::{Client, answer, builder};

fn body() -> serde_json::Value {
    json!({ "templateID": "base" })
}

#[tokio::test]
async fn a_reset_before_has_no_effect_and_one_after_has() {
    let Some(client) = Client::start().await else { return };
    for (fault, alive) in [(Fault::reset_before(), 0), (Fault::reset_after(), 1)] {
        client.fake.inject(fault.on(Call::Create));
        let sent = client.control(Method::POST, "/v2/sandboxes").json(&body()).send().await;
        assert!(sent.is_err(), "{sent:?}");
        assert_eq!(client.fake.sandboxes_alive().len(), alive);
    }
    let recorded: Vec<_> =
        client.fake.requests().iter().map(|request| (request.call, request.status)).collect();
    assert_eq!(recorded, [(Some(Call::Create), None), (Some(Call::Create), None)]);
}

#[tokio::test]
async fn a_reset_is_a_reset_on_the_wire() {
    let Some(client) = Client::start().await else { return };
    client.fake.inject(Fault::reset_before());
    let address = client.fake.url().trim_start_matches("http://").to_owned();
    let read = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(&address)?;
        stream.write_all(format!("GET /health HTTP/1.1\r\nhost: {address}\r\n\r\n").as_bytes())?;
        stream.read(&mut [0; 64])
    });
    let read = read.await.unwrap();
    assert_eq!(read.map_err(|error| error.kind()), Err(std::io::ErrorKind::ConnectionReset));
}

#[tokio::test]
async fn a_request_that_is_delivered_twice_takes_effect_twice() {
    let Some(client) = Client::start().await else { return };
    client.fake.inject(Fault::deliver_twice().on(Call::Create));
    let key = client.create().await;
    let alive = client.fake.sandboxes_alive();
    assert!(alive.len() == 2 && alive.contains(&key.id), "{alive:?}");
    assert_eq!(client.fake.requests().len(), 1);
}

#[tokio::test]
async fn canned_answers_stand_in_for_real_ones() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    let ask = async |fault: Fault| {
        client.fake.inject(fault);
        answer(client.envd(&key, Method::GET, "/health").send().await.unwrap()).await
    };
    let id = &key.id;
    let gone = json!({ "sandboxId": id, "message": "The sandbox was not found", "code": 502 });
    assert_eq!(ask(Fault::not_found_by_proxy()).await, (502, gone));
    let message = "The sandbox is running but port is not open";
    let shut = json!({ "sandboxId": id, "message": message, "port": 49983, "code": 502 });
    assert_eq!(ask(Fault::port_not_open()).await, (502, shut));
    let (status, page) = ask(Fault::html()).await;
    assert!(status == 502 && page.as_str().unwrap().starts_with("<html>"), "{page}");
    assert_eq!(ask(Fault::answer(503, "text/plain", "busy")).await, (503, json!("busy")));
    assert_eq!(ask(Fault::answer(504, "text/plain", "upstream request timeout")).await.0, 504);
    assert_eq!(answer(client.envd(&key, Method::GET, "/health").send().await.unwrap()).await.0, 204);
}

#[tokio::test]
async fn a_replaced_answer_is_of_a_request_that_took_effect() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    client.fake.inject(Fault::answer_after(502, "text/html", "<html>").on(Call::Upload));
    let upload =
        client.envd(&key, Method::POST, "/files?path=a").header("content-type", "application/octet-stream");
    assert_eq!(upload.body("kept").send().await.unwrap().status(), 502);
    assert_eq!(client.read(&key, "a").await, (200, "kept".into()));
    client.fake.inject(Fault::no_space());
    let upload =
        client.envd(&key, Method::POST, "/files?path=a").header("content-type", "application/octet-stream");
    let (status, full) = answer(upload.body("lost").send().await.unwrap()).await;
    assert!(status == 507 && full["message"].as_str().unwrap().contains("not enough disk space"), "{full}");
    assert_eq!(client.read(&key, "a").await, (200, "kept".into()));
}

#[tokio::test]
async fn a_limit_of_the_rate_says_when_to_come_again() {
    let Some(client) = Client::start().await else { return };
    client.fake.inject(Fault::rate_limited(Some(Duration::from_secs(2))).on(Call::List).times(2));
    client.fake.inject(Fault::rate_limited(None).on(Call::List));
    for after in [Some("2"), Some("2"), None] {
        let response = client.control(Method::GET, "/v2/sandboxes").send().await.unwrap();
        assert_eq!(response.status(), 429);
        let said = response.headers().get("retry-after").map(|value| value.to_str().unwrap().to_owned());
        assert_eq!(said.as_deref(), after);
        let body = json!({ "code": 429, "message": "Rate limit exceeded" });
        assert_eq!(answer(response).await.1, body);
    }
    assert_eq!(client.ask(Method::GET, "/v2/sandboxes", None).await, (200, json!([])));
}

#[tokio::test]
async fn a_body_is_cut_after_exactly_that_many_bytes() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    client.write(&key, "a", "0123456789").await;
    for (fault, kept, said) in [(Fault::cut_after(7), 7, 10), (Fault::truncated(5), 10, 15)] {
        client.fake.inject(fault.on(Call::Download));
        let mut response = client.envd(&key, Method::GET, "/files?path=a").send().await.unwrap();
        assert_eq!(response.content_length(), Some(said));
        let mut got = Vec::new();
        let error = loop {
            match response.chunk().await {
                Ok(Some(chunk)) => got.extend(chunk),
                Ok(None) => panic!("the body ended in order after {} bytes", got.len()),
                Err(error) => break error,
            }
        };
        assert_eq!(got, b"0123456789"[..kept], "{error}");
    }
}

#[tokio::test]
async fn an_answer_has_the_type_that_it_is_given() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    client.fake.inject(Fault::content_type("text/html").on(Call::Stat));
    let request =
        client.envd(&key, Method::POST, "/filesystem.Filesystem/Stat").json(&json!({ "path": "/" }));
    let response = request.send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/html");
    assert_eq!(answer(response).await.1["entry"]["path"], "/");
}

#[tokio::test]
async fn answers_and_readers_are_as_slow_as_they_are_told_to_be() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    client.write(&key, "a", "0123456789").await;
    let every = Duration::from_millis(20);
    let reads = [Fault::slow_answer(2, every), Fault::delay(every * 5), Fault::slow_reader(2, every)];
    for fault in reads {
        client.fake.inject(fault.clone());
        let begin = Instant::now();
        client.write(&key, "b", "0123456789").await;
        client.fake.inject(fault.clone());
        assert_eq!(client.read(&key, "b").await, (200, "0123456789".into()));
        assert!(begin.elapsed() >= every * 5, "{fault:?}: {:?}", begin.elapsed());
    }
    client.fake.set_latency(every);
    let begin = Instant::now();
    client.read(&key, "a").await;
    assert!(begin.elapsed() >= every);
}

#[tokio::test]
async fn padding_is_seen_over_http_2_alone() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    client.write(&key, "a", "0123456789").await;
    client.fake.inject(Fault::padding(5000).on(Call::Download).always());
    assert_eq!(client.read(&key, "a").await, (200, "0123456789".into()));
    let second = builder().http2_prior_knowledge().build().unwrap();
    let get = async || {
        let request = second.get(format!("{}/files?path=a", client.fake.url()));
        let request = request.header("e2b-sandbox-id", &key.id).header("e2b-sandbox-port", "49983");
        request.header("x-access-token", &key.token).send().await?.text().await
    };
    let error = get().await.unwrap_err();
    assert!(format!("{error:?}").contains("ENHANCE_YOUR_CALM"), "{error:?}");
    client.fake.clear_faults();
    assert_eq!(get().await.unwrap(), "0123456789");
}
