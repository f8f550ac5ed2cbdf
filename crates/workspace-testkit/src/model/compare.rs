//! The model beside a provider.

use workspace_core::{
    Body, CreateDirOptions, ErrorKind, FileKind, FsProvider, ListOptions, ReadOptions, RemoveOptions,
    RenameOptions, Result, StatOptions, WalkOptions, WorkspacePath, WriteOptions,
};

use super::{Answer, Expected, Model, Operation};
use crate::scene::ALL;

/// Empties the root, does the operations on the provider and on a model, and
/// compares each answer and the tree that is left.
///
/// # Errors
/// What differs, in words.
pub async fn compare(files: &impl FsProvider, operations: &[Operation]) -> std::result::Result<(), String> {
    empty(files).await.map_err(|error| format!("the root cannot be emptied: {error}"))?;
    let mut model = Model::new();
    for (number, operation) in operations.iter().enumerate() {
        let answer = perform(files, &model, operation).await;
        let expected = model.apply(operation);
        if let Some(difference) = difference(&answer, &expected) {
            return Err(format!("operation {}, {operation:?}: {difference}", number + 1));
        }
    }
    let left = tree(files).await.map_err(|error| format!("the tree cannot be read: {error}"))?;
    let want: Vec<_> = model.nodes().map(|(path, node)| (path.clone(), node.map(<[u8]>::to_vec))).collect();
    if left == want { Ok(()) } else { Err(format!("the tree is {left:?}, not {want:?}")) }
}

fn difference(answer: &Result<Answer>, expected: &Expected) -> Option<String> {
    match (answer, expected) {
        (Ok(answer), Ok(expected)) if answer == expected => None,
        (Err(error), Err(kinds)) if kinds.contains(&error.kind()) => None,
        (Ok(answer), _) => Some(format!("got {answer:?}, not {}", told(expected))),
        (Err(error), _) => Some(format!("got {} ({error}), not {}", error.kind(), told(expected))),
    }
}

fn told(expected: &Expected) -> String {
    match expected {
        Ok(answer) => format!("{answer:?}"),
        Err(kinds) => kinds.iter().map(|kind: &ErrorKind| kind.as_str()).collect::<Vec<_>>().join(" or "),
    }
}

async fn perform(files: &impl FsProvider, model: &Model, operation: &Operation) -> Result<Answer> {
    match operation {
        Operation::Write { path, bytes, parents, state } => {
            let options = WriteOptions::default()
                .with_create_parents(*parents)
                .with_if_match(model.precondition(path, *state));
            let written = files.write(path, Body::from(bytes.clone()), options).await?;
            Ok(Answer::Made(written.created))
        }
        Operation::Read { path } => {
            let opened = files.read(path, ReadOptions::default()).await?;
            Ok(Answer::Bytes(opened.body.collect(ALL).await?))
        }
        Operation::Stat { path } => {
            let stat = files.stat(path, StatOptions::default()).await?;
            Ok(Answer::Kind(stat.kind, stat.size))
        }
        Operation::List { path } => {
            let entries = files.list(path, ListOptions::default()).await?;
            Ok(Answer::Entries(entries.into_iter().map(|entry| (entry.path, entry.kind)).collect()))
        }
        Operation::CreateDir { path, parents } => {
            let options = CreateDirOptions::default().with_parents(*parents);
            Ok(Answer::Made(files.create_dir(path, options).await?))
        }
        Operation::Remove { path, recursive } => {
            files.remove(path, RemoveOptions::default().with_recursive(*recursive)).await?;
            Ok(Answer::Done)
        }
        Operation::Rename { from, to, replace } => {
            files.rename(from, to, RenameOptions::default().with_replace(*replace)).await?;
            Ok(Answer::Done)
        }
    }
}

async fn empty(files: &impl FsProvider) -> Result<()> {
    for entry in files.list(&WorkspacePath::root(), ListOptions::default()).await? {
        files.remove(&entry.path, RemoveOptions::default().with_recursive(true)).await?;
    }
    Ok(())
}

async fn tree(files: &impl FsProvider) -> Result<Vec<(WorkspacePath, Option<Vec<u8>>)>> {
    let mut tree = Vec::new();
    let mut walk = files.walk(&WorkspacePath::root(), WalkOptions::default()).await?;
    while let Some(entry) = walk.next().await {
        let entry = entry?;
        let bytes = match entry.kind {
            FileKind::File => {
                let opened = files.read(&entry.path, ReadOptions::default()).await?;
                Some(opened.body.collect(ALL).await?)
            }
            _ => None,
        };
        tree.push((entry.path, bytes));
    }
    Ok(tree)
}
