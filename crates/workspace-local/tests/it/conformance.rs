//! The conformance kit over the local backend.

use std::fs;

use workspace_local::{LinkPolicy, Local, LocalBuilder};
use workspace_testkit::{Commands, DiskPlant, Subject, conform};

fn subject(set_up: impl Fn(LocalBuilder) -> LocalBuilder) -> Subject {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().canonicalize().unwrap().join("ws");
    fs::create_dir(&root).unwrap();
    let files = set_up(Local::builder(&root)).build().unwrap();
    let forbidden = home.path().to_str().unwrap().to_owned();
    let shell = files.shell();
    Subject::new(files)
        .with_shell(shell, Commands::posix())
        .with_plant(DiskPlant::new(root).unwrap())
        .with_portable_search(
            |files, query| async move { workspace_search::glob(&files, &query).await },
            |files, query| async move { workspace_search::grep(&files, &query).await },
        )
        .with_forbidden_text(forbidden)
        .with_guard(home)
}

conform!(local, || async { subject(|builder| builder) });
conform!(local_without_links, || async { subject(|builder| builder.links(LinkPolicy::Never)) });
