//! Random operations against the model.

use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};

use crate::case::{Stop, Verdict, cases, failed};
use crate::model::{compare, operations};
use crate::scene::Scene;

cases! {
    any_operations_do_what_the_model_does [Write],
}

/// The same sequences each time, so that a failure can be seen again. A failing one is made short first.
async fn any_operations_do_what_the_model_does(scene: &Scene) -> Verdict {
    let config = Config { cases: scene.effort(), failure_persistence: None, ..Config::default() };
    let fs = scene.fs().clone();
    let runtime = tokio::runtime::Handle::current();
    let work = move || {
        let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
        runner.run(&operations(24), |operations| {
            runtime.block_on(compare(&fs, &operations)).map_err(proptest::test_runner::TestCaseError::fail)
        })
    };
    match tokio::task::spawn_blocking(work).await.map_err(failed)? {
        Ok(()) => Ok(()),
        Err(TestError::Fail(why, operations)) => {
            let listed: Vec<String> = operations.iter().map(|operation| format!("{operation:?}")).collect();
            Err(Stop::Failed(format!("{why}\n    after {}", listed.join("\n    then  "))))
        }
        Err(error) => Err(failed(error)),
    }
}
