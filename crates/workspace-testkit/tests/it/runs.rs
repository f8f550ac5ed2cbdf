//! What a run makes of its cases.

use workspace_core::{Error, ErrorKind, Result};
use workspace_testkit::{Outcome, Report, Subject, run_blocking, run_where};

use crate::broken::{Fault, Flaw, subject};

const SORTED: &str = "list::entries_are_sorted_by_their_bytes";
const EMPTY: &str = "list::an_empty_directory_has_no_entries";
const CASELESS: &str = "paths::case_tells_no_names_apart";

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn outcomes(flaw: Flaw, known: &[(&str, &str)], wanted: &[&str]) -> Vec<(String, Outcome)> {
    let report = run_where(|| async { subject(flaw) }, known, |name| wanted.contains(&name)).await;
    report.cases.into_iter().map(|case| (case.name, case.outcome)).collect()
}

fn skipped(why: &str) -> Outcome {
    Outcome::Skipped(why.to_owned())
}

fn failed(why: &str) -> Outcome {
    Outcome::Failed(why.to_owned())
}

#[test]
fn a_known_difference_is_skipped_with_its_reason() {
    let known = [(SORTED, "the vendor sorts as it likes")];
    assert_eq!(
        outcomes(Flaw::Files(Fault::ListsBackwards), &known, &[SORTED, EMPTY]),
        [
            (SORTED.to_owned(), skipped("known difference: the vendor sorts as it likes")),
            (EMPTY.to_owned(), Outcome::Passed),
        ]
    );
}

#[test]
fn a_known_difference_that_passes_is_a_failure() {
    let known = [(SORTED, "the vendor sorts as it likes")];
    let why =
        "it is listed as a known difference (the vendor sorts as it likes) and passes: take it off the list";
    assert_eq!(outcomes(Flaw::None, &known, &[SORTED]), [(SORTED.to_owned(), failed(why))]);
}

#[test]
fn a_known_difference_that_is_skipped_stays_skipped() {
    let known = [(CASELESS, "no such file system here")];
    assert_eq!(
        outcomes(Flaw::None, &known, &[CASELESS]),
        [(CASELESS.to_owned(), skipped("names tell case"))]
    );
}

#[test]
fn a_known_difference_without_a_case_is_a_failure() {
    let known = [("list::no_such_case", "it was renamed")];
    let why = "it is listed as a known difference, and the kit has no such case";
    assert_eq!(outcomes(Flaw::None, &known, &[]), [("list::no_such_case".to_owned(), failed(why))]);
}

/// The cases of names that ignore case are skipped by all other subjects here.
#[test]
fn a_provider_that_ignores_case_passes_its_cases() {
    let cases = [CASELESS, "filters::a_closed_name_is_closed_in_every_spelling"];
    let got = outcomes(Flaw::Files(Fault::IgnoresCaseAndSaysSo), &[], &cases);
    assert_eq!(got, cases.map(|case| (case.to_owned(), Outcome::Passed)));
}

#[test]
fn a_panic_is_a_failure_of_its_case_alone() {
    let got =
        outcomes(Flaw::Files(Fault::PanicsOnList), &[], &[EMPTY, "dirs::a_missing_parent_is_not_found"]);
    let [(_, Outcome::Failed(why)), (_, Outcome::Passed)] = &got[..] else { panic!("{got:?}") };
    assert!(why.starts_with("panicked: "), "{why}");
}

#[test]
fn a_case_that_hangs_is_a_failure() {
    let case = "read::a_special_file_is_refused_at_once";
    let got = outcomes(Flaw::Files(Fault::WaitsForSpecialFiles), &[], &[case]);
    assert_eq!(got, [(case.to_owned(), failed("did not end within 4000 ms"))]);
}

#[test]
fn a_factory_that_fails_fails_each_case() {
    let nothing =
        || async { Result::<Subject>::Err(Error::new(ErrorKind::Unavailable, "the vendor is away")) };
    let report = run_blocking(nothing, &[]);
    assert_eq!((report.passed(), report.skipped().count()), (0, 0));
    assert!(report.failed().all(|(_, why)| why == "there is no subject: the vendor is away"));
    assert!(!report.is_success());
}

#[test]
fn the_last_line_of_a_report_counts() {
    let known = [(SORTED, "the vendor sorts as it likes"), ("x::gone", "y")];
    let flaw = Flaw::Files(Fault::ListsBackwards);
    let wanted = [SORTED, EMPTY, "list::dot_files_are_shown", CASELESS];
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let report =
        runtime.block_on(run_where(|| async { subject(flaw) }, &known, |name| wanted.contains(&name)));
    let lines: Vec<String> = report.to_string().lines().map(str::to_owned).collect();
    assert_eq!(
        [&lines[0][..], &lines[1][..], &lines[3][..], &lines[4][..]],
        [
            "skipped paths::case_tells_no_names_apart: names tell case",
            "skipped list::entries_are_sorted_by_their_bytes: known difference: the vendor sorts as it likes",
            "FAILED x::gone: it is listed as a known difference, and the kit has no such case",
            "1 passed, 2 failed, 2 skipped",
        ]
    );
    assert!(lines[2].starts_with("FAILED list::dot_files_are_shown: the listing: got "), "{}", lines[2]);
    assert_eq!(Report::default().to_string(), "0 passed, 0 failed, 0 skipped");
}
