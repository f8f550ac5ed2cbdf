//! Bad input and bad luck: a kind, a next step, and no secret.

use std::fmt::Write as _;
use std::time::Duration;

use workspace_core::{Command, Error, ErrorKind, FsProvider, ShellProvider, StatOptions};
use workspace_e2b::{E2b, E2bAccount};
use workspace_e2b_fake::{Call, Fault, Options};

use crate::shared::{Shared, account, get, path, put, started};

/// All that an error shows, to a model or to a log.
fn shown(error: &Error) -> String {
    let mut text = format!("{error} {error:?} {:?}", error.next_step());
    let mut behind = std::error::Error::source(error);
    while let Some(cause) = behind {
        let _ = write!(text, " {cause} {cause:?}");
        behind = cause.source();
    }
    text
}

#[track_caller]
fn check(error: &Error, kind: ErrorKind) {
    assert_eq!(error.kind(), kind, "{error:?}");
    assert!(error.next_step().is_some(), "{error:?}");
    assert!(error.operation().is_some(), "{error:?}");
}

#[tokio::test]
async fn r_e2b_1_a_key_that_is_wrong_is_told_and_not_shown() {
    let Some(fake) = started(Options::default()).await else { return };
    let key = "e2b_9999999999999999999999999999999999999999";
    let wrong = E2bAccount::new(key).with_api_url(fake.url()).with_sandbox_url(fake.url());
    let error = E2b::from_template(wrong.clone(), "base").open().await.unwrap_err();
    check(&error, ErrorKind::Permission);
    assert!(!shown(&error).contains(key), "{error:?}");
    assert!(!format!("{wrong:?}").contains(key));
    // A service that sends back what it was sent.
    let echo = format!(r#"{{"code":500,"message":"no luck with {key}"}}"#);
    fake.inject(Fault::answer(500, "application/json", echo).on(Call::Create).always());
    let error = E2b::from_template(wrong, "base").open().await.unwrap_err();
    assert!(!shown(&error).contains(key), "{error:?}");
    assert!(shown(&error).contains("no luck with"), "{error:?}");
}

#[tokio::test]
async fn a_key_that_no_header_holds_is_refused_before_anything_is_sent() {
    let Some(fake) = started(Options::default()).await else { return };
    let account = E2bAccount::new("e2b_\nx").with_api_url(fake.url());
    let error = E2b::from_template(account, "base").open().await.unwrap_err();
    check(&error, ErrorKind::InvalidInput);
    assert_eq!(fake.requests().len(), 0);
}

#[tokio::test]
async fn a_missing_template_a_quota_and_a_missing_service_are_told() {
    let Some(fake) = started(Options::default().with_sandbox_limit(1)).await else { return };
    let missing = r#"{"code":404,"message":"template 'x' not found"}"#;
    fake.inject(Fault::answer(404, "application/json", missing).on(Call::Create).times(2));
    let error = E2b::from_template(account(&fake), "x").open().await.unwrap_err();
    check(&error, ErrorKind::NotFound);
    assert!(error.message().contains("template"), "{error}");

    let one = E2b::from_template(account(&fake), "base").open().await.unwrap();
    let error = E2b::from_template(account(&fake), "base").open().await.unwrap_err();
    check(&error, ErrorKind::Unavailable);
    assert!(error.next_step().unwrap().contains("kill one"), "{error:?}");
    one.dispose().await.unwrap();

    // A port on which nobody listens.
    let nowhere = account(&fake).with_api_url("http://127.0.0.1:9").with_deadline(Duration::from_secs(3));
    let error = E2b::from_template(nowhere, "base").open().await.unwrap_err();
    check(&error, ErrorKind::Unavailable);
}

#[tokio::test]
async fn a_proxy_that_answers_with_a_page_is_told() {
    let Some(shared) = Shared::new().await else { return };
    shared.fake.inject(Fault::html().always());
    let error = get(&shared.sandbox, "a").await.unwrap_err();
    check(&error, ErrorKind::Unavailable);
    assert!(error.message().contains("web page"), "{error}");
    let error = E2b::from_template(account(&shared.fake), "base").open().await.unwrap_err();
    check(&error, ErrorKind::Unavailable);
    assert!(error.message().contains("web page"), "{error}");
    // Also where its status says that all is well.
    shared.fake.clear_faults();
    shared.fake.inject(Fault::answer(200, "text/html", "<!doctype html><p>Sign in").always());
    check(&get(&shared.sandbox, "a").await.unwrap_err(), ErrorKind::Unavailable);
    check(&E2b::from_template(account(&shared.fake), "x").open().await.unwrap_err(), ErrorKind::Unavailable);
    shared.fake.clear_faults();
    shared.sandbox.dispose().await.unwrap();
}

#[tokio::test]
async fn names_and_sizes_that_cannot_be_are_told() {
    let Some(shared) = Shared::new().await else { return };
    let sandbox = &shared.sandbox;
    put(sandbox, "a", "old").await.unwrap();
    let long = "n".repeat(300);
    let parsed = workspace_core::WorkspacePath::parse(&long, &sandbox.path_rules());
    assert!(parsed.is_err());
    let error = get(sandbox, "missing/file").await.unwrap_err();
    check(&error, ErrorKind::NotFound);
    // A disk that is full takes no upload, and the old file stays.
    shared.fake.inject(Fault::no_space().on(Call::Upload));
    let error = put(sandbox, "a", vec![b'x'; 2 << 20]).await.unwrap_err();
    check(&error, ErrorKind::NoSpace);
    assert_eq!(get(sandbox, "a").await.unwrap(), b"old");
    let command = Command::argv(["a\0b"]);
    assert_eq!(sandbox.shell().spawn(command).await.unwrap_err().kind(), ErrorKind::InvalidInput);
    // A clock that runs ahead, or stands behind, in the sandbox.
    for year in ["1971", "2199"] {
        let line = format!("touch -d {year}-01-01 a && date >/dev/null");
        let mut process = sandbox.shell().spawn(Command::sh(line)).await.unwrap();
        while let Some(event) = process.events.next().await {
            event.unwrap();
        }
        assert!(sandbox.stat(&path("a"), StatOptions::default()).await.unwrap().modified.is_some());
        put(sandbox, "b", "x").await.unwrap();
        assert_eq!(get(sandbox, "a").await.unwrap(), b"old");
    }
    sandbox.dispose().await.unwrap();
}

#[tokio::test]
async fn r_e2b_1_a_time_to_wait_is_kept_and_a_deadline_too() {
    let Some(shared) = Shared::new().await else { return };
    put(&shared.sandbox, "a", "x").await.unwrap();
    shared.fake.inject(Fault::rate_limited(Some(Duration::from_secs(1))).on(Call::Start));
    let begun = std::time::Instant::now();
    assert_eq!(get(&shared.sandbox, "a").await.unwrap(), b"x");
    assert!(begun.elapsed() >= Duration::from_secs(1));

    shared.fake.inject(Fault::rate_limited(Some(Duration::from_hours(1))).on(Call::Start));
    let begun = std::time::Instant::now();
    check(&get(&shared.sandbox, "a").await.unwrap_err(), ErrorKind::Unavailable);
    assert!(begun.elapsed() < Duration::from_secs(20));

    let id = shared.sandbox.id().unwrap();
    let patient = account(&shared.fake).with_deadline(Duration::from_secs(3));
    let sandbox = E2b::attach(patient, id).with_keep_alive(false).open().await.unwrap();
    shared.fake.inject(Fault::delay(Duration::from_mins(10)).on(Call::Start).always());
    let begun = std::time::Instant::now();
    check(&get(&sandbox, "a").await.unwrap_err(), ErrorKind::TimedOut);
    check(&put(&sandbox, "a", "y").await.unwrap_err(), ErrorKind::TimedOut);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    shared.fake.clear_faults();
    assert_eq!(get(&sandbox, "a").await.unwrap(), b"x");
    shared.sandbox.dispose().await.unwrap();
}
