//! Sandboxes: made, found, kept alive, paused, ended.

use std::time::Duration;

use workspace_core::{ErrorKind, FsProvider, ListOptions, WorkspacePath};
use workspace_e2b::{E2b, Network, SandboxQuery};
use workspace_e2b_fake::{Call, Fake, Fault, Options};

use crate::shared::{account, get, put, started};

fn calls(fake: &Fake) -> Vec<Call> {
    fake.requests().into_iter().filter_map(|request| request.call).collect()
}

/// Waits for what happens in another task.
async fn until(holds: impl Fn() -> bool) {
    let waiting = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), waiting).await.expect("it happens in time");
}

#[tokio::test]
async fn r_e2b_1_a_sandbox_ends_with_dispose_and_with_the_last_handle() {
    let Some(fake) = started(Options::default()).await else { return };
    let sandbox = E2b::from_template(account(&fake), "base").open().await.unwrap();
    assert_eq!(fake.sandboxes_alive().len(), 1);
    sandbox.dispose().await.unwrap();
    sandbox.dispose().await.unwrap();
    assert_eq!(fake.sandboxes_alive().len(), 0);
    assert_eq!(get(&sandbox, "a").await.unwrap_err().kind(), ErrorKind::Unavailable);

    let sandbox = E2b::from_template(account(&fake), "base").open().await.unwrap();
    let other = sandbox.clone();
    drop(sandbox);
    put(&other, "a", "x").await.unwrap();
    drop(other);
    until(|| fake.sandboxes_alive().is_empty()).await;
}

#[tokio::test]
async fn a_sandbox_that_exists_is_used_and_never_ended() {
    let Some(fake) = started(Options::default()).await else { return };
    let made = E2b::from_template(account(&fake), "base").open().await.unwrap();
    put(&made, "a", "from here").await.unwrap();
    let attached = E2b::attach(account(&fake), made.id().unwrap()).open().await.unwrap();
    assert_eq!(get(&attached, "a").await.unwrap(), b"from here");
    attached.dispose().await.unwrap();
    drop(attached);
    assert_eq!(get(&made, "a").await.unwrap(), b"from here");
    made.dispose().await.unwrap();
}

#[tokio::test]
async fn sandboxes_are_listed_by_their_metadata() {
    let Some(fake) = started(Options::default()).await else { return };
    let account = account(&fake);
    let builder = |name: &str| E2b::from_template(account.clone(), "base").with_metadata("who", name);
    let one = builder("a b&c=d").open().await.unwrap();
    let two = builder("other").open().await.unwrap();
    let found = account.list(SandboxQuery::default().with_metadata("who", "a b&c=d")).await.unwrap();
    assert_eq!(found.iter().map(|found| found.id.as_str()).collect::<Vec<_>>(), [one.id().unwrap()]);
    assert_eq!(account.list(SandboxQuery::default()).await.unwrap().len(), 2);
    assert!(!account.info(two.id().unwrap()).await.unwrap().paused);
    assert!(account.pause(two.id().unwrap()).await.unwrap());
    assert_eq!(account.list(SandboxQuery::default()).await.unwrap().len(), 1);
    assert_eq!(account.list(SandboxQuery::default().with_paused(true)).await.unwrap().len(), 2);
    assert!(account.kill(two.id().unwrap()).await.unwrap());
    assert!(!account.kill(two.id().unwrap()).await.unwrap());
    one.dispose().await.unwrap();
}

#[tokio::test]
async fn a_paused_sandbox_is_told_and_works_again() {
    let Some(fake) = started(Options::default()).await else { return };
    let sandbox = E2b::from_template(account(&fake), "base").open().await.unwrap();
    put(&sandbox, "a", "kept").await.unwrap();
    assert!(sandbox.pause().await.unwrap());
    assert!(!sandbox.pause().await.unwrap());
    let error = get(&sandbox, "a").await.unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Unavailable, "the sandbox is paused"));
    assert!(error.next_step().is_some_and(|hint| hint.contains("resume")));
    sandbox.resume().await.unwrap();
    assert_eq!(get(&sandbox, "a").await.unwrap(), b"kept");
    // Whoever attaches lets it run again too.
    sandbox.pause().await.unwrap();
    let attached = E2b::attach(account(&fake), sandbox.id().unwrap()).open().await.unwrap();
    assert_eq!(get(&attached, "a").await.unwrap(), b"kept");
    sandbox.dispose().await.unwrap();
}

#[tokio::test]
async fn a_sandbox_that_has_ended_is_told() {
    let Some(fake) = started(Options::default()).await else { return };
    let sandbox = E2b::from_template(account(&fake), "base").open().await.unwrap();
    assert!(fake.expire(sandbox.id().unwrap()).await);
    for error in [
        get(&sandbox, "a").await.unwrap_err(),
        put(&sandbox, "a", "x").await.unwrap_err(),
        sandbox.list(&WorkspacePath::root(), ListOptions::default()).await.unwrap_err(),
    ] {
        assert_eq!((error.kind(), error.message()), (ErrorKind::Unavailable, "the sandbox has ended"));
        assert!(error.next_step().is_some());
    }
    sandbox.dispose().await.unwrap();
    let attached = E2b::attach(account(&fake), "i00000000000000000000").open().await.unwrap_err();
    assert_eq!(attached.kind(), ErrorKind::NotFound);
}

#[tokio::test]
async fn a_sandbox_in_use_is_kept_alive() {
    let Some(fake) = started(Options::default()).await else { return };
    let builder = E2b::from_template(account(&fake), "base").with_timeout(Duration::from_secs(3));
    let sandbox = builder.open().await.unwrap();
    let refreshed = || calls(&fake).contains(&Call::Refresh);
    let using = async {
        while !refreshed() {
            let _ = get(&sandbox, "a").await;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), using).await.expect("its end is put off");
    sandbox.set_timeout(Duration::from_secs(30)).await.unwrap();
    assert!(calls(&fake).contains(&Call::SetTimeout));
    sandbox.dispose().await.unwrap();
}

#[tokio::test]
async fn the_old_generation_of_calls_is_spoken() {
    let options = Options::default().without_v2().with_envd_version("0.3.0");
    let Some(fake) = started(options).await else { return };
    let sandbox = E2b::from_template(account(&fake), "base").open().await.unwrap();
    // An old daemon takes no files as they are.
    let large = vec![b'x'; 3 << 20];
    fake.clear_requests();
    put(&sandbox, "large", large.clone()).await.unwrap();
    assert!(calls(&fake).iter().all(|call| *call == Call::Start));
    assert!(get(&sandbox, "large").await.unwrap() == large);
    let attached = E2b::attach(account(&fake), sandbox.id().unwrap()).open().await.unwrap();
    assert_eq!(get(&attached, "large").await.unwrap().len(), large.len());
    sandbox.dispose().await.unwrap();
    assert_eq!(fake.sandboxes_alive().len(), 0);
}

#[tokio::test]
async fn an_envd_by_its_address_needs_no_service() {
    let Some(fake) = started(Options::default()).await else { return };
    let made = E2b::from_template(account(&fake), "base").open().await.unwrap();
    let token =
        fake.requests().iter().rev().find_map(|sent| sent.header("x-access-token").map(str::to_owned));
    let builder = E2b::envd(fake.url()).with_sandbox_id(made.id().unwrap()).with_access_token(token.unwrap());
    fake.clear_requests();
    let envd = builder.open().await.unwrap();
    put(&envd, "a", "x").await.unwrap();
    assert_eq!(get(&made, "a").await.unwrap(), b"x");
    assert_eq!(envd.pause().await.unwrap_err().kind(), ErrorKind::Unsupported);
    envd.dispose().await.unwrap();
    assert!(calls(&fake).iter().all(|call| matches!(call, Call::Start | Call::Health)));
    let wrong = E2b::envd(fake.url()).with_sandbox_id(made.id().unwrap()).with_access_token("wrong-token");
    assert_eq!(wrong.open().await.unwrap_err().kind(), ErrorKind::Permission);
    made.dispose().await.unwrap();
}

#[tokio::test]
async fn what_the_owner_sets_is_sent() {
    let Some(fake) = started(Options::default()).await else { return };
    let network = Network::closed().with_allowed("crates.io").with_public_ports(false);
    let sandbox = E2b::from_template(account(&fake), "base")
        .with_network(network)
        .with_environment("CI", "1")
        .with_timeout(Duration::from_secs(77))
        .with_root("/home/user/deep/down")
        .open()
        .await
        .unwrap();
    assert_eq!(sandbox.root(), "/home/user/deep/down");
    assert!(fake.directory(sandbox.id().unwrap()).unwrap().join("home/user/deep/down").is_dir());
    sandbox.dispose().await.unwrap();
}

#[tokio::test]
async fn r_e2b_1_a_sandbox_whose_making_went_wrong_is_not_left_behind() {
    let Some(fake) = started(Options::default()).await else { return };
    let page = "<html><body>Bad Gateway</body></html>";
    for (fault, made) in [
        (Fault::reset_after(), true),
        (Fault::reset_before(), true),
        (Fault::deliver_twice(), true),
        (Fault::answer_after(502, "text/html", page), true),
        (Fault::answer_after(500, "application/json", r#"{"code":500,"message":"x"}"#).always(), false),
        (Fault::answer_after(201, "application/json", "{").always(), false),
        (Fault::reset_after().always(), false),
        (Fault::answer(400, "application/json", r#"{"code":400,"message":"x"}"#), false),
    ] {
        let shown = format!("{fault:?}");
        fake.inject(fault.on(Call::Create));
        let account = account(&fake).with_deadline(Duration::from_secs(6));
        let opened = E2b::from_template(account, "base").open().await;
        assert_eq!(opened.is_ok(), made, "{shown}: {opened:?}");
        fake.clear_faults();
        if let Ok(sandbox) = opened {
            assert_eq!(fake.sandboxes_alive(), [sandbox.id().unwrap()], "{shown}");
            sandbox.dispose().await.unwrap();
        }
        assert_eq!(fake.sandboxes_alive(), Vec::<String>::new(), "{shown}");
    }
}

/// The service goes on making it when nobody waits for the answer any more.
#[tokio::test]
async fn r_e2b_1_a_sandbox_that_is_made_too_late_is_not_left_behind() {
    let Some(fake) = started(Options::default()).await else { return };
    let hurried = account(&fake).with_deadline(Duration::from_secs(1));
    fake.inject(Fault::delay(Duration::from_millis(2500)).on(Call::Create).times(9));
    let failed = E2b::from_template(hurried, "base").open().await.unwrap_err();
    assert_eq!(failed.kind(), ErrorKind::TimedOut);
    let killed = || calls(&fake).into_iter().filter(|call| *call == Call::Kill).count();
    until(|| killed() == 1).await;
    fake.clear_faults();

    let opening = E2b::from_template(account(&fake), "base").open();
    fake.inject(Fault::delay(Duration::from_millis(300)).on(Call::Create));
    let _ = tokio::time::timeout(Duration::from_millis(100), opening).await;
    until(|| killed() == 2 && fake.sandboxes_alive().is_empty()).await;
}

#[tokio::test]
async fn r_e2b_1_a_caller_who_gives_up_leaves_no_sandbox() {
    let Some(fake) = started(Options::default()).await else { return };
    for wait in [1, 20, 60, 200] {
        let opening = E2b::from_template(account(&fake), "base").open();
        let _ = tokio::time::timeout(Duration::from_millis(wait), opening).await;
    }
    until(|| fake.sandboxes_alive().is_empty()).await;
}
