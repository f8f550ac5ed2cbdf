//! Files over HTTP and over Connect RPC.

use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderName};
use serde_json::{Value, json};

use crate::client::{Client, answer};

#[tokio::test]
async fn downloads_come_whole_in_part_or_not_at_all() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    client.write(&key, "a", "0123456789").await;
    let get = async |headers: &[(&'static str, &str)]| {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()))
            .collect();
        let response = client.envd(&key, Method::GET, "/files?path=a").headers(headers).send().await.unwrap();
        let header = |name| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        let found = (response.status().as_u16(), header("content-range"), header("content-encoding"));
        (found, header("last-modified"), response.bytes().await.unwrap())
    };
    let (whole, modified, body) = get(&[]).await;
    assert_eq!((whole, &body[..]), ((200, None, None), &b"0123456789"[..]));
    let modified = modified.unwrap();
    let (part, _, body) = get(&[("range", "bytes=2-4"), ("accept-encoding", "gzip")]).await;
    assert_eq!((part, &body[..]), ((206, Some("bytes 2-4/10".into()), None), &b"234"[..]));
    assert_eq!(get(&[("range", "bytes=10-")]).await.0, (416, Some("bytes */10".into()), None));
    assert_eq!(get(&[("if-modified-since", &modified)]).await.0.0, 304);
    assert_eq!(get(&[("range", "bytes=0-1"), ("if-range", &modified)]).await.0.0, 206);
    assert_eq!(get(&[("range", "bytes=0-1"), ("if-range", "\"tag\"")]).await.0.0, 200);
    assert_eq!(get(&[("accept-encoding", "br, identity;q=0")]).await.0.0, 406);
    let (zipped, _, body) = get(&[("accept-encoding", "gzip, deflate")]).await;
    assert_eq!((zipped, &body[..2]), ((200, None, Some("gzip".into())), &[0x1f, 0x8b][..]));
}

#[tokio::test]
async fn uploads_that_cannot_be_say_why() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    client.write(&key, "file", "x").await;
    let post = async |target: &str, kind: &str, encoding: &str, body: &'static str| {
        let request = client.envd(&key, Method::POST, target).header("content-type", kind);
        let request =
            if encoding.is_empty() { request } else { request.header("content-encoding", encoding) };
        answer(request.body(body).send().await.unwrap()).await
    };
    let raw = "application/octet-stream";
    let twice = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x\"\r\n\r\n1\r\n\
                 --b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x\"\r\n\r\n2\r\n--b--\r\n";
    for (target, kind, encoding, body, status, message) in [
        ("/files", raw, "", "", 400, "path query parameter is required for raw body upload"),
        ("/files?path=.", raw, "", "", 400, "path is a directory: /home/user"),
        (
            "/files?path=file/below",
            raw,
            "",
            "",
            500,
            "error ensuring directories: path is a file: /home/user/file",
        ),
        ("/files?path=a", "text/plain", "", "", 400, "unsupported content type: text/plain"),
        ("/files?path=a", raw, "br", "", 400, "unsupported Content-Encoding: br"),
        ("/files?path=a", raw, "gzip", "no gzip", 500, "error writing file"),
        ("/files", "multipart/form-data; boundary=b", "", twice, 400, "you cannot upload multiple files"),
        ("/files?path=~bob/a", raw, "", "", 400, "error expanding and resolving path"),
        (
            "/files?path=a&username=bob",
            raw,
            "",
            "",
            401,
            "error looking up user 'bob': user: unknown user bob",
        ),
    ] {
        let (got, error) = post(target, kind, encoding, body).await;
        assert_eq!((got, &error["code"]), (status, &json!(status)), "{target} {kind}: {error}");
        assert!(error["message"].as_str().unwrap().starts_with(message), "{error}");
    }
}

#[tokio::test]
async fn what_is_written_belongs_to_the_user_who_wrote_it() {
    let Some(client) = Client::start().await else { return };
    if !client.fake.has_users() {
        return;
    }
    let key = client.create().await;
    let upload = |target: &str| {
        let request =
            client.envd(&key, Method::POST, target).header("content-type", "application/octet-stream");
        request.header("x-metadata-Origin", "here").body("bytes").send()
    };
    let (status, written) = answer(upload("/files?path=d/a").await.unwrap()).await;
    let expected =
        json!([{ "path": "/home/user/d/a", "name": "a", "type": "file", "metadata": { "origin": "here" } }]);
    assert_eq!((status, written), (200, expected));
    upload("/files?path=/srv/b&username=root").await.unwrap();
    let stat = async |path: &str| {
        let mut entry =
            client.unary(&key, "filesystem.Filesystem/Stat", json!({ "path": path })).await.1["entry"]
                .clone();
        assert!(entry["modifiedTime"].take().as_str().unwrap().ends_with('Z'));
        entry
    };
    let mut expected = json!({
        "name": "a", "type": "FILE_TYPE_FILE", "path": "/home/user/d/a", "size": "5", "mode": 0o644,
        "permissions": "-rw-r--r--", "owner": "user", "group": "user", "modifiedTime": null,
        "metadata": { "origin": "here" },
    });
    assert_eq!(stat("d/a").await, expected);
    client.write(&key, "d/a", "").await;
    let fields = expected.as_object_mut().unwrap();
    fields.remove("size");
    fields.remove("metadata");
    assert_eq!(stat("d/a").await, expected, "a new upload takes the place of all notes");
    assert_eq!(stat("/srv/b").await["owner"], "root");
    let directory = stat("d").await;
    assert_eq!((&directory["owner"], &directory["permissions"]), (&json!("user"), &json!("drwxr-xr-x")));
}

#[tokio::test]
async fn links_lead_where_they_lead_inside() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    let commands = "mkdir -p d/e; ln -s /etc/hostname out; ln -s nowhere broken; ln -s d dir; ln -s loop loop; mkfifo d/pipe";
    assert_eq!(client.run(&key, commands).await.end["exited"], true);
    assert_eq!(client.read(&key, "out").await, (200, "e2b\n".into()), "not that of the host");
    let stat = async |path: &str| {
        client.unary(&key, "filesystem.Filesystem/Stat", json!({ "path": path })).await.1["entry"].clone()
    };
    let link = |entry: &Value| ["type", "symlinkTarget", "permissions"].map(|name| entry[name].clone());
    let links = "Lrwxrwxrwx";
    assert_eq!(link(&stat("out").await), [json!("FILE_TYPE_FILE"), json!("/etc/hostname"), json!(links)]);
    assert_eq!(link(&stat("dir").await), [json!("FILE_TYPE_DIRECTORY"), json!("/home/user/d"), json!(links)]);
    assert_eq!(link(&stat("broken").await), [Value::Null, json!("/home/user/broken"), json!(links)]);
    assert_eq!(link(&stat("d/pipe").await), [Value::Null, Value::Null, json!("prw-r--r--")]);
    let list = async |path: &str, depth: u32| {
        let (status, answer) = client
            .unary(&key, "filesystem.Filesystem/ListDir", json!({ "path": path, "depth": depth }))
            .await;
        let paths: Vec<_> = answer["entries"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|entry| entry["path"].as_str().unwrap().to_owned())
            .collect();
        (status, paths.join(" "), answer["code"].clone())
    };
    let home = "/home/user/";
    let found = format!("{home}broken {home}d {home}d/e {home}d/pipe {home}dir {home}loop {home}out");
    assert_eq!(list("", 3).await, (200, found, Value::Null));
    assert_eq!(list("dir", 0).await, (200, "/home/user/dir/e /home/user/dir/pipe".into(), Value::Null));
    assert_eq!(list("d/e", 1).await, (200, String::new(), Value::Null));
    assert_eq!(list("loop", 1).await, (400, String::new(), json!("failed_precondition")));
    assert_eq!(list("none", 1).await, (404, String::new(), json!("not_found")));
    assert_eq!(list("out", 1).await, (400, String::new(), json!("invalid_argument")));
}

#[tokio::test]
async fn paths_are_made_moved_and_removed() {
    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    client.write(&key, "a", "a").await;
    let call = async |method: &str, message: Value| {
        let (status, answer) = client.unary(&key, &format!("filesystem.Filesystem/{method}"), message).await;
        (status, answer.get("entry").map_or(answer["message"].clone(), |entry| entry["path"].clone()))
    };
    let moved = |from: &str, to: &str| json!({ "source": from, "destination": to });
    let path = |path: &str| json!({ "path": path });
    for (method, message, status, said) in [
        ("MakeDir", path("m/n"), 200, "/home/user/m/n"),
        ("MakeDir", path("m/n"), 409, "directory already exists: /home/user/m/n"),
        ("MakeDir", path("a"), 400, "path already exists but it is not a directory: /home/user/a"),
        ("MakeDir", path("a/b"), 500, "error creating directory: path is a file: /home/user/a"),
        ("Move", moved("a", "new/b"), 200, "/home/user/new/b"),
        (
            "Move",
            moved("a", "c"),
            404,
            "source file not found: rename /home/user/a /home/user/c: no such file or directory",
        ),
        ("Stat", path("a"), 404, "file not found: lstat /home/user/a: no such file or directory"),
    ] {
        assert_eq!(call(method, message).await, (status, json!(said)), "{method}");
    }
    for _ in 0..2 {
        assert_eq!(call("Remove", path("m")).await, (200, Value::Null));
    }
    client.write(&key, "p1", "one").await;
    client.write(&key, "p2", "two").await;
    let ask = json!({ "source_paths": ["p1", "p2"], "destination": "whole" });
    let joined =
        answer(client.envd(&key, Method::POST, "/files/compose").json(&ask).send().await.unwrap()).await;
    assert_eq!(joined, (200, json!({ "path": "/home/user/whole", "name": "whole", "type": "file" })));
    assert_eq!(client.read(&key, "whole").await, (200, "onetwo".into()));
    assert_eq!(client.read(&key, "p1").await.0, 404);
}

#[tokio::test]
async fn a_file_opens_by_token_or_by_signature() {
    use base64::Engine;
    use sha2::{Digest, Sha256};

    let Some(client) = Client::start().await else { return };
    let key = client.create().await;
    client.write(&key, "a", "a").await;
    let sign = |text: String| {
        let digest = Sha256::digest(text);
        let text = base64::engine::general_purpose::STANDARD_NO_PAD.encode(digest);
        format!("v1_{}", text.replace('+', "%2B").replace('/', "%2F"))
    };
    let token = &key.token;
    let get = async |query: &str| {
        let target = format!("/files?path=a{query}");
        let (status, answer) =
            answer(client.proxied(&key.id, Method::GET, &target).send().await.unwrap()).await;
        (status, answer["message"].as_str().unwrap_or_default().to_owned())
    };
    let plain = sign(format!("a:read::{token}"));
    let write = sign(format!("a:write::{token}"));
    let (past, future) = (1_000_000_000_u64, 10_000_000_000_u64);
    let until = |end: u64| {
        let signature = sign(format!("a:read:user:{token}:{end}"));
        format!("&username=user&signature={signature}&signature_expiration={end}")
    };
    assert_eq!(get(&format!("&signature={plain}")).await.0, 200);
    assert_eq!(get(&until(future)).await.0, 200);
    for (query, message) in [
        (String::new(), "missing signature query parameter"),
        (format!("&signature={write}"), "invalid signature"),
        (until(past), "signature is already expired"),
    ] {
        assert_eq!(get(&query).await, (401, message.to_owned()));
    }
    let wrong = crate::client::Key { token: "wrong".into(), ..key.clone() };
    let (status, body) = client.read(&wrong, "a").await;
    assert!(status == 401 && body.contains("does not match"), "{body}");
    let (status, body) = client.unary(&wrong, "process.Process/List", json!({})).await;
    assert_eq!((status, &body["code"]), (401, &json!(401)));
}
