//! Public bug reports about tools of coding agents, as calls with expected
//! results: `testdata/tool-bugs.jsonl`, read whole. Each case runs on every
//! backend that can do it, and each skip says why.

mod case;
mod check;
mod container;
mod sandbox;
mod scene;

use std::collections::BTreeMap;

use case::Case;
use container::Container;
use sandbox::Sandbox;
use scene::{Backend, Scene};

/// What became of one case on one backend.
enum Verdict {
    Passed,
    Failed(Vec<String>),
    Skipped(String),
}

fn cases() -> Vec<Case> {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/tool-bugs.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// Where the cases of a backend run that is no directory and no tree of this process.
enum Inside {
    Container(Container),
    Sandbox(Sandbox),
}

async fn run(case: &Case, backend: Backend, inside: Option<&Inside>) -> Verdict {
    let set_up = match inside {
        Some(Inside::Container(container)) => Scene::set_up_in(case, container).await,
        Some(Inside::Sandbox(sandbox)) => Scene::set_up_there(case, sandbox).await,
        None => Scene::set_up(case, backend),
    };
    let scene = match set_up {
        Ok(scene) => scene,
        Err(why) => return Verdict::Skipped(why),
    };
    let answers = scene.play(case).await;
    let mut faults = check::steps(case, &answers, &scene.root_text());
    faults.extend(check::groups(case, &answers));
    faults.extend(scene.check_files(case).await);
    if faults.is_empty() { Verdict::Passed } else { Verdict::Failed(faults) }
}

async fn run_all(backend: Backend, inside: Option<&Inside>) {
    let (mut passed, mut failed, mut skipped) = (0, Vec::new(), BTreeMap::<String, Vec<String>>::new());
    for case in cases() {
        match run(&case, backend, inside).await {
            Verdict::Passed => passed += 1,
            Verdict::Failed(faults) => {
                failed.push(format!(
                    "{} ({}) {}\n    {}",
                    case.id,
                    case.level,
                    case.title,
                    faults.join("\n    ")
                ));
            }
            Verdict::Skipped(why) => skipped.entry(why).or_default().push(case.id),
        }
    }
    for (why, ids) in &skipped {
        println!("skipped, {why}: {}", ids.join(" "));
    }
    let skips: usize = skipped.values().map(Vec::len).sum();
    println!("{backend:?}: {passed} passed, {} failed, {skips} skipped", failed.len());
    assert!(failed.is_empty(), "{} cases fail:\n{}", failed.len(), failed.join("\n"));
    assert!(passed > 60, "only {passed} cases ran");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reported_bugs_do_not_happen_on_the_local_backend() {
    run_all(Backend::Local, None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reported_bugs_do_not_happen_on_the_memory_backend() {
    run_all(Backend::Memory, None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reported_bugs_do_not_happen_on_the_docker_backend() {
    if let Some(container) = Container::open().await {
        let inside = Inside::Container(container);
        run_all(Backend::Docker, Some(&inside)).await;
        inside.end().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reported_bugs_do_not_happen_on_the_e2b_backend() {
    if let Some(sandbox) = Sandbox::open().await {
        let inside = Inside::Sandbox(sandbox);
        run_all(Backend::E2b, Some(&inside)).await;
        inside.end().await;
    }
}

impl Inside {
    async fn end(self) {
        match self {
            Self::Container(container) => container.end().await,
            Self::Sandbox(sandbox) => sandbox.end().await,
        }
    }
}
