//! The conformance kit in a sandbox.

use std::sync::Arc;
use std::time::Duration;

use workspace_core::{GlobQuery, GrepQuery, SharedFs};
use workspace_testkit::{Commands, Subject, run_where};

use crate::shared::Shared;

/// All cases, each in a root of its own in one sandbox; `KIT_ONLY` names a part of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sandbox_holds_to_the_contract() {
    let shared = Arc::new(Shared::new().await);
    let host = shared.fake.directory(shared.sandbox.id().unwrap()).unwrap();
    let of = Arc::clone(&shared);
    let factory = move || {
        let (shared, host) = (Arc::clone(&of), host.clone());
        async move {
            let (sandbox, disk) = shared.root().await?;
            let shell = sandbox.shell();
            let subject = Subject::new(sandbox)
                .with_plant(disk)
                .with_shell(shell, Commands::posix())
                .with_portable_search(
                    |files: SharedFs, query: GlobQuery| async move {
                        workspace_search::glob(&files, &query).await
                    },
                    |files: SharedFs, query: GrepQuery| async move {
                        workspace_search::grep(&files, &query).await
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
