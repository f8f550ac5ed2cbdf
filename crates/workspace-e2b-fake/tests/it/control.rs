//! What the control plane takes, refuses and tells.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use workspace_e2b_fake::{Fake, Options};

use crate::client::{Client, answer, plain};

#[tokio::test]
async fn a_create_is_judged_before_it_is_done() {
    let options = Options::default().with_sandbox_limit(1).with_longest_life(Duration::from_hours(1));
    let Some(client) = Client::start_with(options).await else { return };
    let refusals = [
        (json!({}), 400, "Error when parsing request"),
        (json!({ "templateID": "base", "timeout": 0 }), 400, "Timeout must be greater than 0"),
        (json!({ "templateID": "base", "timeout": 3601 }), 400, "Timeout cannot be greater than 1 hours"),
    ];
    for (body, status, message) in refusals {
        let (got, error) = client.ask(Method::POST, "/v2/sandboxes", Some(body)).await;
        assert_eq!((got, &error["code"]), (status, &json!(status)));
        assert!(error["message"].as_str().unwrap().starts_with(message), "{error}");
    }
    let create = |key: &str, body| {
        client.control(Method::POST, "/v2/sandboxes").header("idempotency-key", key).json(&body).send()
    };
    let body = json!({ "templateID": "base" });
    let (status, first) = answer(create("k-1", body.clone()).await.unwrap()).await;
    assert_eq!(status, 201);
    assert_eq!(answer(create("k-1", body.clone()).await.unwrap()).await, (201, first));
    let (status, error) = answer(create("k-1", json!({ "templateID": "other" })).await.unwrap()).await;
    assert_eq!((status, &error["error_code"]), (422, &json!("idempotency_request_mismatch")));
    assert_eq!(create("K 1", body.clone()).await.unwrap().status(), 400);
    let (status, error) = answer(create("k-2", body).await.unwrap()).await;
    assert_eq!(status, 429);
    assert!(error["message"].as_str().unwrap().contains("concurrent E2B sandboxes (1)"), "{error}");
    assert_eq!(client.fake.sandboxes_alive().len(), 1);
}

#[tokio::test]
async fn both_generations_of_routes_are_served_unless_one_is_left_out() {
    let Some(client) = Client::start_with(Options::default().without_v2()).await else { return };
    let body = json!({ "templateID": "base" });
    assert_eq!(client.ask(Method::POST, "/v2/sandboxes", Some(body.clone())).await.0, 404);
    let (status, open) = client.ask(Method::POST, "/sandboxes", Some(body.clone())).await;
    assert_eq!((status, open["envdAccessToken"].is_null()), (201, true), "{open}");
    let secured = json!({ "templateID": "base", "secure": true });
    let (status, secured) = client.ask(Method::POST, "/sandboxes", Some(secured)).await;
    assert_eq!((status, secured["envdAccessToken"].is_string()), (201, true), "{secured}");
    let id = open["sandboxID"].as_str().unwrap();
    assert_eq!(
        client.ask(Method::POST, &format!("/v2/sandboxes/{id}/connect"), Some(json!({}))).await.0,
        404
    );
    assert_eq!(client.ask(Method::POST, &format!("/sandboxes/{id}/connect"), Some(json!({}))).await.0, 200);
    // One that is not secured asks for no token.
    let list = client.proxied(id, Method::POST, "/process.Process/List").json(&json!({}));
    assert_eq!(answer(list.send().await.unwrap()).await, (200, json!({})));
}

#[tokio::test]
async fn keys_ids_and_routes_that_are_wrong_are_refused() {
    let fake = Fake::start().await.unwrap();
    let http = plain();
    let get = async |path: &str, key: Option<&str>| {
        let request = http.get(format!("{}{path}", fake.url()));
        let request = key.map_or(request.try_clone().unwrap(), |key| request.header("x-api-key", key));
        answer(request.send().await.unwrap()).await
    };
    assert!(
        get("/sandboxes", None).await.1["message"]
            .as_str()
            .unwrap()
            .contains("authorization header is missing")
    );
    assert_eq!(get("/sandboxes", Some("e2b_wrong")).await.0, 401);
    let key = Some(fake.api_key());
    let missing = "sandbox \"iabc\" doesn't exist or you don't have access to it";
    assert_eq!(get("/sandboxes/iabc", key).await, (404, json!({ "code": 404, "message": missing })));
    assert_eq!(get("/sandboxes/Not%20One", key).await.0, 400);
    assert_eq!(get("/v2/sandboxes?metadata=a", key).await.0, 400);
    assert_eq!(get("/v2/sandboxes?limit=101", key).await.0, 400);
    assert_eq!(get("/v3/sandboxes", key).await.0, 404);
    assert_eq!(get("/files?path=a", key).await.0, 404);
    assert_eq!(get("/health", None).await.0, 200);
}

#[tokio::test]
async fn lists_come_in_pages_and_by_state() {
    let Some(client) = Client::start().await else { return };
    let mut made = Vec::new();
    for number in 0..3 {
        made.push(
            client
                .create_with(json!({ "templateID": "base", "metadata": { "n": number.to_string() } }))
                .await
                .id,
        );
    }
    let list = async |query: &str| {
        let response = client.control(Method::GET, &format!("/v2/sandboxes?{query}")).send().await.unwrap();
        let next = response.headers().get("x-next-token").map(|next| next.to_str().unwrap().to_owned());
        let ids: Vec<_> = answer(response)
            .await
            .1
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["sandboxID"].clone())
            .collect();
        (ids, next)
    };
    let (page, next) = list("order=asc&limit=2").await;
    assert_eq!(page, made[..2]);
    assert_eq!(
        list(&format!("order=asc&limit=2&nextToken={}", next.unwrap())).await,
        (vec![json!(made[2])], None)
    );
    assert_eq!(list("metadata=n%3D1").await.0, made[1..2]);
    client.ask(Method::POST, &format!("/sandboxes/{}/pause", made[0]), None).await;
    assert_eq!(list("state=paused").await.0, made[..1]);
    assert_eq!(list("state=running,paused").await.0.len(), 3);
    let old = client.ask(Method::GET, "/sandboxes", None).await.1;
    assert_eq!(old.as_array().unwrap().len(), 2, "the old list has running ones alone");
}

#[tokio::test]
async fn a_sandbox_is_reached_by_its_headers_or_its_host_name() {
    let Some(client) = Client::start().await else { return };
    let key =
        client.create_with(json!({ "templateID": "base", "network": { "allowPublicTraffic": false } })).await;
    let ask = async |headers: &[(&str, &str)], path: &str| {
        let request = client.control(Method::GET, path);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        answer(request.send().await.unwrap()).await
    };
    let id = key.id.as_str();
    let suffixed = format!("{id}-client");
    let host = format!("49983-{id}.e2b.app");
    let port = ("e2b-sandbox-port", "49983");
    assert_eq!(ask(&[("host", &host)], "/health").await.0, 204);
    assert_eq!(ask(&[("e2b-sandbox-id", &suffixed), port], "/health").await.0, 204);
    assert_eq!(ask(&[("e2b-sandbox-id", id)], "/health").await.0, 400);
    assert_eq!(ask(&[("e2b-sandbox-id", "A"), port], "/health").await, (400, json!("Invalid sandbox ID")));
    assert_eq!(ask(&[("e2b-sandbox-id", id), port], "/init").await.0, 404);
    let other = ("e2b-sandbox-port", "8000");
    assert_eq!(ask(&[("e2b-sandbox-id", id), other], "/").await.0, 403, "its ports ask for a token");
    let open = client.create().await;
    let (status, shut) = ask(&[("e2b-sandbox-id", &open.id), other], "/").await;
    assert_eq!((status, &shut["port"]), (502, &json!(8000)));
}
