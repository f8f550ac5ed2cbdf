//! One sandbox for many cases, each in a root of its own, and the disk behind it.

use std::sync::atomic::{AtomicU32, Ordering};

use workspace_core::{Result, WorkspacePath};
use workspace_e2b::{E2b, E2bAccount};
use workspace_e2b_fake::{Fake, Options};
use workspace_testkit::DiskPlant;

/// The user of the sandbox.
const USER: u32 = 1000;

/// A service on this machine, or `None` with a word about it where no sandboxes can be made
/// here, unless `WORKSPACE_E2B` is `required`.
pub(crate) async fn started(options: Options) -> Option<Fake> {
    let fake = Fake::start_with(options).await.unwrap();
    match fake.probe().await {
        Ok(()) => Some(fake),
        Err(error) => {
            let required = std::env::var("WORKSPACE_E2B").as_deref() == Ok("required");
            assert!(!required, "sandboxes must be made here: {error}");
            println!("skipped: {error}");
            None
        }
    }
}

/// The account of a service on this machine.
pub(crate) fn account(fake: &Fake) -> E2bAccount {
    E2bAccount::new(fake.api_key()).with_api_url(fake.url()).with_sandbox_url(fake.url())
}

/// A sandbox, and how many roots it has so far.
pub(crate) struct Shared {
    pub(crate) fake: Fake,
    pub(crate) sandbox: E2b,
    roots: AtomicU32,
}

impl Shared {
    pub(crate) async fn new() -> Option<Self> {
        let fake = started(Options::default()).await?;
        let sandbox = E2b::from_template(account(&fake), "base").open().await.unwrap();
        Some(Self { fake, sandbox, roots: AtomicU32::new(0) })
    }

    /// An empty root in the sandbox, by a handle of its own, and the disk behind it.
    pub(crate) async fn root(&self) -> Result<(E2b, DiskPlant)> {
        let id = self.sandbox.id().unwrap();
        let case = format!("home/user/case-{}", self.roots.fetch_add(1, Ordering::Relaxed));
        let above = self.fake.directory(id).unwrap().join(&case);
        let disk = DiskPlant::make(above.join("ws"), USER)?.with_outside(format!("/{case}"));
        let root = format!("/{case}/ws");
        let sandbox = E2b::attach(account(&self.fake), id).with_keep_alive(false).with_root(root);
        Ok((sandbox.open().await?, disk))
    }
}

/// A path of one name or more, relative to the root.
pub(crate) fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text, &workspace_core::PathRules::default()).unwrap()
}

pub(crate) async fn put(sandbox: &E2b, name: &str, bytes: impl Into<Vec<u8>>) -> Result<()> {
    let body = workspace_core::Body::from(bytes.into());
    let options = workspace_core::WriteOptions::default();
    workspace_core::FsProvider::write(sandbox, &path(name), body, options).await.map(drop)
}

pub(crate) async fn get(sandbox: &E2b, name: &str) -> Result<Vec<u8>> {
    let options = workspace_core::ReadOptions::default();
    let file = workspace_core::FsProvider::read(sandbox, &path(name), options).await?;
    file.body.collect(1 << 30).await
}
