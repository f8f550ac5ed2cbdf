//! Public bug reports about tools of coding agents, as calls with expected
//! results: `testdata/tool-bugs.jsonl`, read whole. Each case runs on every
//! backend that can do it, and each skip says why.

mod case;
mod check;
mod container;
mod scene;

use std::collections::BTreeMap;

use case::Case;
use container::Container;
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

async fn run(case: &Case, backend: Backend, container: Option<&Container>) -> Verdict {
    let set_up = match container {
        Some(container) => Scene::set_up_in(case, container).await,
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

async fn run_all(backend: Backend, container: Option<&Container>) {
    let (mut passed, mut failed, mut skipped) = (0, Vec::new(), BTreeMap::<String, Vec<String>>::new());
    for case in cases() {
        match run(&case, backend, container).await {
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
        run_all(Backend::Docker, Some(&container)).await;
        container.end().await;
    }
}
