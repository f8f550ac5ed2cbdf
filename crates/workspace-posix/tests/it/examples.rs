//! The examples as they stand, through the whole kit.

use workspace_core::Result;
use workspace_testkit::{Subject, run};

#[allow(dead_code)] // Their `main` is for people at a terminal.
#[path = "../../examples/smallest.rs"]
mod smallest;
#[allow(dead_code)]
#[path = "../../examples/vendor/main.rs"]
mod vendor;

#[track_caller]
fn check<Fut: Future<Output = Result<Subject>>>(factory: impl Fn() -> Fut, source: &str, most: usize) {
    let lines = source.lines().count();
    assert!(lines < most, "the example has {lines} lines");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let report = runtime.block_on(run(factory, &[]));
    println!("{report}");
    assert!(report.is_success(), "the example does not hold to the contract:\n{report}");
}

#[test]
fn the_smallest_backend_holds_to_the_contract() {
    check(smallest::fresh, include_str!("../../examples/smallest.rs"), 60);
}

#[test]
fn the_backend_of_a_sandbox_holds_to_the_contract() {
    check(vendor::fresh, include_str!("../../examples/vendor/main.rs"), 250);
}
