//! The kit can fail: each fault is caught by the cases that are there for it,
//! and there is no case that catches none.

mod bodies;
mod changes;
mod fault;
mod files;
mod provider;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use workspace_core::{Result, WorkspacePath};
use workspace_memory::Memory;
use workspace_testkit::{Commands, Plant, Subject, case_names, conform, run_where};

use crate::acting::{Acting, Wrong};
use crate::plant::MemoryPlant;
use crate::toy_search;

pub(crate) use fault::Fault;
use files::Broken;

/// What is wrong with a subject: its files, its commands, or nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Flaw {
    None,
    Files(Fault),
    Commands(Wrong),
}

pub(crate) fn subject(flaw: Flaw) -> Subject {
    let (memory, outside) = (Memory::new(), Memory::new());
    let (fault, shell) = match flaw {
        Flaw::None => (None, Acting::new(memory.clone())),
        Flaw::Files(fault) => (Some(fault), Acting::new(memory.clone())),
        Flaw::Commands(wrong) => (None, Acting::wrong(memory.clone(), wrong)),
    };
    // A provider that writes elsewhere writes where the plant does not look.
    let files = if fault == Some(Fault::WritesElsewhere) { Memory::new() } else { memory.clone() };
    let broken = Broken::new(files.clone(), outside.clone(), fault);
    let plant = OddPlant { plant: MemoryPlant::new(memory), outside };
    // One that is right sets up, so that what is wrong is seen by the calls of a case.
    let seed = fault.filter(|fault| *fault == Fault::IgnoresCaseAndSaysSo);
    Subject::new(broken)
        .with_seed(Broken::new(files, Memory::new(), seed))
        .with_shell(shell, Commands::posix())
        .with_plant(plant)
        .with_portable_search(
            |files, query| async move { toy_search::glob(&files, query).await },
            |files, query| async move { toy_search::grep(&files, query).await },
        )
        .with_effort(16)
        .with_patience(Duration::from_secs(if flaw == Flaw::None { 120 } else { 4 }))
}

/// The plant of a tree in memory, with names that are not UTF-8 and an outside that a provider can reach.
struct OddPlant {
    plant: MemoryPlant,
    outside: Memory,
}

impl Plant for OddPlant {
    async fn link(&self, path: &WorkspacePath, text: &str) -> Result<()> {
        self.plant.link(path, text).await
    }

    async fn special(&self, path: &WorkspacePath) -> Result<()> {
        self.plant.special(path).await
    }

    async fn non_utf8(&self, directory: &WorkspacePath) -> Result<()> {
        self.plant.memory().write_now(directory.child("bad\u{fffd}name")?.as_str(), "")
    }

    async fn outside(&self, name: &str, bytes: Vec<u8>) -> Result<String> {
        self.outside.write_now(name, bytes)?;
        Ok(format!("/{name}"))
    }

    async fn read_outside(&self, name: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.outside.read_now(name).ok())
    }

    async fn stored(&self, path: &WorkspacePath) -> Result<Option<Vec<u8>>> {
        self.plant.stored(path).await
    }

    async fn stored_names(&self, directory: &WorkspacePath) -> Result<Vec<String>> {
        self.plant.stored_names(directory).await
    }
}

conform!(without_a_fault, || async { subject(Flaw::None) });

/// The cases that are there for each fault, each of which must fail on it.
fn table() -> BTreeMap<Flaw, BTreeSet<&'static str>> {
    let files = table::FILES.iter().map(|(fault, cases)| (Flaw::Files(*fault), *cases));
    let commands = table::COMMANDS.iter().map(|(wrong, cases)| (Flaw::Commands(*wrong), *cases));
    let mut table: BTreeMap<Flaw, BTreeSet<&str>> = BTreeMap::new();
    for (flaw, cases) in files.chain(commands) {
        table.entry(flaw).or_default().extend(cases);
    }
    table
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_fault_is_caught_by_its_cases() {
    // Some faults are seen by waiting only, so they wait together.
    let places = Arc::new(Semaphore::new(8));
    let runs: Vec<_> = table()
        .into_iter()
        .map(|(flaw, cases)| {
            let places = Arc::clone(&places);
            tokio::spawn(async move {
                let _place = places.acquire().await;
                let report = run_where(|| async { subject(flaw) }, &[], |name| cases.contains(name)).await;
                // A provider that panics is not one that was caught.
                let caught = report.failed().filter(|(_, why)| !why.starts_with("panicked"));
                let caught: BTreeSet<&str> = caught.map(|(name, _)| name).collect();
                let uncaught = cases.into_iter().filter(|case| !caught.contains(case));
                uncaught.map(|case| (flaw, case)).collect::<Vec<_>>()
            })
        })
        .collect();
    let mut uncaught = Vec::new();
    for run in runs {
        uncaught.extend(run.await.unwrap());
    }
    assert_eq!(uncaught, []);
}

#[test]
fn each_case_catches_a_fault() {
    let catching: BTreeSet<&str> = table().into_values().flatten().collect();
    let all: Vec<String> = case_names().collect();
    let idle: Vec<&String> = all.iter().filter(|name| !catching.contains(name.as_str())).collect();
    assert_eq!(idle, Vec::<&String>::new(), "cases for which no fault is known");
    let unknown: Vec<&str> =
        catching.into_iter().filter(|name| !all.iter().any(|case| case == name)).collect();
    assert_eq!(unknown, Vec::<&str>::new(), "cases that the kit does not have");
}
