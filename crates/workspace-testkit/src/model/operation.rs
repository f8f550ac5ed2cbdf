//! Operations, and any sequence of them.

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::select;
use workspace_core::WorkspacePath;

/// The state that a write demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Any.
    Any,
    /// Nothing is there.
    Absent,
    /// The content has the hash that it has in the model; of no bytes, where the model has no file.
    AsItIs,
    /// The content has the hash of another content.
    Other,
}

/// One call on the files of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)] // The fields are those of the calls.
pub enum Operation {
    /// Writes a file.
    Write { path: WorkspacePath, bytes: Vec<u8>, parents: bool, state: State },
    /// Reads a file.
    Read { path: WorkspacePath },
    /// Asks for kind and size.
    Stat { path: WorkspacePath },
    /// Lists a directory.
    List { path: WorkspacePath },
    /// Makes a directory.
    CreateDir { path: WorkspacePath, parents: bool },
    /// Removes something.
    Remove { path: WorkspacePath, recursive: bool },
    /// Renames something.
    Rename { from: WorkspacePath, to: WorkspacePath, replace: bool },
}

/// Any sequence of at most `longest` operations, on so few names that they meet.
pub fn operations(longest: usize) -> impl Strategy<Value = Vec<Operation>> {
    vec(operation(), 1..=longest)
}

fn operation() -> impl Strategy<Value = Operation> {
    let state = select(vec![State::Any, State::Any, State::Any, State::Absent, State::AsItIs, State::Other]);
    prop_oneof![
        6 => (path(), bytes(), any::<bool>(), state)
            .prop_map(|(path, bytes, parents, state)| Operation::Write { path, bytes, parents, state }),
        2 => path().prop_map(|path| Operation::Read { path }),
        1 => path().prop_map(|path| Operation::Stat { path }),
        2 => path().prop_map(|path| Operation::List { path }),
        4 => (path(), any::<bool>()).prop_map(|(path, parents)| Operation::CreateDir { path, parents }),
        3 => (path(), any::<bool>()).prop_map(|(path, recursive)| Operation::Remove { path, recursive }),
        5 => (path(), path(), any::<bool>())
            .prop_filter("a path and itself", |(from, to, _)| from != to)
            .prop_map(|(from, to, replace)| Operation::Rename { from, to, replace }),
    ]
}

fn path() -> impl Strategy<Value = WorkspacePath> {
    let name = select(vec!["a", "b", "c.txt", "a-b"]);
    vec(name, 0..4).prop_map(|names| {
        let path = names.iter().try_fold(WorkspacePath::root(), |path, name| path.child(name));
        path.unwrap_or_default()
    })
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![Just(Vec::new()), vec(any::<u8>(), 1..20), Just(vec![b'x'; 5000])]
}
