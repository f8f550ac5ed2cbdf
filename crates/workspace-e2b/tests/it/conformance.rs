//! The conformance kit in a sandbox.

use std::sync::Arc;
use std::time::Duration;

use workspace_core::{GlobQuery, GrepQuery, SharedFs};
use workspace_local::Local;
use workspace_testkit::{Commands, Subject, run_where};

use crate::shared::Shared;

/// The cases, each in a root of its own in one sandbox; `KIT_ONLY` names a part of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sandbox_holds_to_the_contract() {
    let Some(shared) = Shared::new().await else { return };
    let shared = Arc::new(shared);
    let host = shared.fake.directory(shared.sandbox.id().unwrap()).unwrap();
    let of = Arc::clone(&shared);
    let factory = move || {
        let (shared, host) = (Arc::clone(&of), host.clone());
        async move {
            let (sandbox, disk) = shared.root().await?;
            let shell = sandbox.shell();
            // The portable search reads the same files where they lie: a process for each would take minutes.
            let (behind, below) = (disk.root().to_owned(), disk.root().to_owned());
            let subject = Subject::new(sandbox)
                .with_plant(disk)
                .with_shell(shell, Commands::posix())
                .with_portable_search(
                    move |_: SharedFs, query: GlobQuery| {
                        let behind = behind.clone();
                        async move { workspace_search::glob(&Local::open(behind)?, &query).await }
                    },
                    move |_: SharedFs, query: GrepQuery| {
                        let below = below.clone();
                        async move { workspace_search::grep(&Local::open(below)?, &query).await }
                    },
                )
                .with_forbidden_text(host.to_str().unwrap())
                .with_patience(Duration::from_mins(10))
                .with_effort(3);
            Ok::<_, workspace_core::Error>(subject)
        }
    };
    let only = std::env::var("KIT_ONLY").unwrap_or_default();
    let report = run_where(factory, &[], |case| case.starts_with(&only)).await;
    println!("{report}");
    assert!(report.is_success(), "the backend does not hold to the contract:\n{report}");
    shared.sandbox.dispose().await.unwrap();
    assert_eq!(shared.fake.sandboxes_alive(), Vec::<String>::new());
}
