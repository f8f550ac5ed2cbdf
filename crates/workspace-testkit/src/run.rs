//! Running all cases.

use std::future::Future;

use workspace_core::Result;

use crate::case::{Case, Stop, Verdict};
use crate::cases;
use crate::report::{CaseReport, Outcome, Report};
use crate::scene::Scene;
use crate::subject::Subject;

/// Runs all cases, each on a fresh subject, one after the other. It needs a tokio runtime with time.
///
/// `known` names cases in which the subject is known to differ, with the
/// reason: such a case is reported as skipped. One that passes has failed, and
/// so has one that the kit does not have, so that the list can only shrink.
///
/// # Examples
/// ```
/// use workspace_core::SharedFs;
/// use workspace_testkit::{Report, Subject};
///
/// async fn report(fresh: impl Fn() -> SharedFs) -> Report {
///     workspace_testkit::run(|| async { Subject::new(fresh()) }, &[]).await
/// }
/// ```
pub async fn run<F, Fut>(factory: F, known: &[(&str, &str)]) -> Report
where
    F: Fn() -> Fut,
    Fut: Future,
    Fut::Output: Into<Result<Subject>>,
{
    run_where(factory, known, |_| true).await
}

/// [`run`] for the cases whose name is wanted: those of a group begin with its name, as `read::`.
///
/// Known differences are looked up among the wanted cases alone.
pub async fn run_where<F, Fut>(factory: F, known: &[(&str, &str)], wanted: impl Fn(&str) -> bool) -> Report
where
    F: Fn() -> Fut,
    Fut: Future,
    Fut::Output: Into<Result<Subject>>,
{
    let mut report = Report::default();
    for case in cases::all() {
        let name = case.full_name();
        if !wanted(&name) {
            continue;
        }
        let outcome = match factory().await.into() {
            Ok(subject) => outcome(case, Scene::new(subject)).await,
            Err(error) => Outcome::Failed(format!("there is no subject: {error}")),
        };
        let reason = known.iter().find(|(listed, _)| *listed == name).map(|(_, reason)| *reason);
        report.cases.push(CaseReport::new(name, with_known(outcome, reason)));
    }
    let all: Vec<String> = case_names().collect();
    for (listed, _) in known.iter().filter(|(listed, _)| !all.iter().any(|name| name == listed)) {
        let why = "it is listed as a known difference, and the kit has no such case".to_owned();
        report.cases.push(CaseReport::new((*listed).to_owned(), Outcome::Failed(why)));
    }
    report
}

/// The names of all cases, in their order.
pub fn case_names() -> impl Iterator<Item = String> {
    cases::all().map(Case::full_name)
}

/// [`run`] on a runtime of its own, for whoever is not asynchronous.
///
/// # Panics
/// Where no runtime can be started, or inside another one.
pub fn run_blocking<F, Fut>(factory: F, known: &[(&str, &str)]) -> Report
where
    F: Fn() -> Fut,
    Fut: Future,
    Fut::Output: Into<Result<Subject>>,
{
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => panic!("no runtime: {error}"),
    };
    let report = runtime.block_on(run(factory, known));
    // A case that hangs must not keep the report back.
    runtime.shutdown_background();
    report
}

/// Runs one case. What it panics with and what takes too long are failures.
async fn outcome(case: &'static Case, scene: Scene) -> Outcome {
    if let Some(why) = case.needs.iter().find_map(|need| need.missing(&scene)) {
        return Outcome::Skipped(why.to_owned());
    }
    let patience = scene.patience();
    let mut task = tokio::spawn(async move { (case.run)(&scene).await });
    match tokio::time::timeout(patience, &mut task).await {
        Ok(Ok(verdict)) => from_verdict(verdict),
        Ok(Err(error)) => Outcome::Failed(format!("panicked: {error}")),
        Err(_) => {
            task.abort();
            Outcome::Failed(format!("did not end within {} ms", patience.as_millis()))
        }
    }
}

fn from_verdict(verdict: Verdict) -> Outcome {
    match verdict {
        Ok(()) => Outcome::Passed,
        Err(Stop::Failed(what)) => Outcome::Failed(what),
        Err(Stop::Skipped(why)) => Outcome::Skipped(why),
    }
}

fn with_known(outcome: Outcome, reason: Option<&str>) -> Outcome {
    match (outcome, reason) {
        (Outcome::Failed(_), Some(reason)) => Outcome::Skipped(format!("known difference: {reason}")),
        (Outcome::Passed, Some(reason)) => Outcome::Failed(format!(
            "it is listed as a known difference ({reason}) and passes: take it off the list"
        )),
        (outcome, _) => outcome,
    }
}
