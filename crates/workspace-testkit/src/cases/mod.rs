//! The cases, one file a subject.

mod atomicity;
mod capabilities;
mod dirs;
mod errors;
mod feeds;
mod filters;
mod links;
mod list;
mod model;
mod paths;
mod preconditions;
mod read;
mod remove;
mod rename;
mod search;
mod shell;
mod trees;
mod walk;
mod write;

use crate::case::Case;

/// All cases, group by group.
pub(crate) fn all() -> impl Iterator<Item = &'static Case> {
    let files = [
        paths::CASES,
        capabilities::CASES,
        read::CASES,
        write::CASES,
        preconditions::CASES,
        atomicity::CASES,
        list::CASES,
        walk::CASES,
        dirs::CASES,
        remove::CASES,
        rename::CASES,
        links::CASES,
        filters::CASES,
        feeds::CASES,
        errors::CASES,
        search::CASES,
        trees::CASES,
        model::CASES,
    ];
    files.into_iter().chain(shell::CASES).flatten()
}
