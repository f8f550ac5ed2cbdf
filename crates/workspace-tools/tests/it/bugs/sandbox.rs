//! Cases in a sandbox of an E2B on this machine: one for all of them, each case in a root of its own.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use workspace_e2b::{E2b, E2bAccount};
use workspace_e2b_fake::Fake;

use super::container::give;

/// The sandbox, and the service that made it.
pub(super) struct Sandbox {
    fake: Fake,
    e2b: E2b,
    cases: AtomicU32,
}

impl Sandbox {
    /// `None`, with a word about it, where none can be made and none is required.
    pub(super) async fn open() -> Option<Self> {
        let fake = Fake::start().await.unwrap();
        if let Err(error) = fake.probe().await {
            let required = std::env::var("WORKSPACE_E2B").as_deref() == Ok("required");
            assert!(!required, "sandboxes must be made here: {error}");
            println!("skipped: {error}");
            return None;
        }
        let e2b = E2b::from_template(account(&fake), "base").open().await.unwrap();
        Some(Self { fake, e2b, cases: AtomicU32::new(0) })
    }

    fn id(&self) -> &str {
        self.e2b.id().unwrap()
    }

    /// A directory for a case: on this machine, and in the sandbox.
    pub(super) fn place(&self) -> (PathBuf, String) {
        let case = format!("home/user/case-{}", self.cases.fetch_add(1, Ordering::Relaxed));
        let outer = self.fake.directory(self.id()).unwrap().join(&case);
        std::fs::create_dir_all(outer.join("ws")).unwrap();
        (outer, format!("/{case}/ws"))
    }

    /// Files in a root of the sandbox, once they are given to its user.
    pub(super) async fn attach(&self, outer: &Path, root: &str) -> E2b {
        give(outer);
        let attached = E2b::attach(account(&self.fake), self.id()).with_keep_alive(false).with_root(root);
        attached.open().await.unwrap()
    }

    pub(super) async fn end(self) {
        self.e2b.dispose().await.unwrap();
    }
}

fn account(fake: &Fake) -> E2bAccount {
    E2bAccount::new(fake.api_key()).with_api_url(fake.url()).with_sandbox_url(fake.url())
}
