//! The one line of a backend's conformance test.

/// A test that runs all cases on a backend.
///
/// It takes a closure that makes a fresh [`Subject`](crate::Subject), before it
/// a name for the test where a file has more than one (`conformance` by
/// default), and after it the cases in which the backend is known to differ,
/// each with its reason.
///
/// The test prints each skipped and each failed case and, as its last line,
/// `N passed, N failed, N skipped` (`cargo test -- --show-output`).
///
/// # Examples
/// ```
/// use workspace_core::SharedFs;
/// use workspace_memory::Memory;
/// use workspace_testkit::{Subject, conform};
///
/// conform!(|| async { Subject::new(Memory::new()) });
/// conform!(shared, || async { Subject::new(SharedFs::new(Memory::new())) }, [
///     "links::a_link_loop_is_refused" => "the remote gives up after 8 hops",
/// ]);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! conform {
    ($name:ident, $factory:expr, [$($case:literal => $reason:literal),* $(,)?] $(,)?) => {
        #[test]
        fn $name() {
            let report = $crate::run_blocking($factory, &[$(($case, $reason)),*]);
            println!("{report}");
            assert!(report.is_success(), "the backend does not hold to the contract:\n{report}");
        }
    };
    ($name:ident, $factory:expr $(,)?) => { $crate::conform!($name, $factory, []); };
    ($factory:expr, [$($known:tt)*] $(,)?) => { $crate::conform!(conformance, $factory, [$($known)*]); };
    ($factory:expr $(,)?) => { $crate::conform!(conformance, $factory, []); };
}
