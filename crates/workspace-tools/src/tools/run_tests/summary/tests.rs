//! The words of each runner, as it prints them.

use workspace_core::Stream;

use super::{Counts, Reading, Summary};

fn read(stdout: &str, stderr: &str) -> Option<Summary> {
    let mut reading = Reading::default();
    // In small pieces, as a pipe may give them.
    stderr.as_bytes().chunks(7).for_each(|bytes| reading.push(Stream::Stderr, bytes));
    stdout.as_bytes().chunks(11).for_each(|bytes| reading.push(Stream::Stdout, bytes));
    reading.finish()
}

#[track_caller]
fn check(stdout: &str, stderr: &str, counts: (Option<u64>, Option<u64>, Option<u64>), failures: &[&str]) {
    let (passed, failed, skipped) = counts;
    let expected = Summary {
        counts: Counts { passed, failed, skipped },
        failures: failures.iter().map(|&name| name.to_owned()).collect(),
    };
    assert_eq!(read(stdout, stderr), Some(expected));
}

#[track_caller]
fn unknown(stdout: &str) {
    assert_eq!(read(stdout, ""), None, "{stdout}");
}

fn all(passed: u64, failed: u64, skipped: u64) -> (Option<u64>, Option<u64>, Option<u64>) {
    (Some(passed), Some(failed), Some(skipped))
}

const CARGO: &str = "
running 4 tests
test tests::adds ... ok
test tests::panics - should panic ... FAILED
test tests::waits ... ignored, slow
test tests::breaks ... FAILED

failures:

---- tests::panics stdout ----
note: test did not panic as expected at src/lib.rs:15:32
---- tests::breaks stdout ----
about to break
    indented by the test

failures:
    tests::breaks
    tests::panics

test result: FAILED. 1 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.53s


running 2 tests
..
test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s

   Doc-tests demo

running 1 test
test src/lib.rs - add (line 7) ... FAILED

failures:

---- src/lib.rs - add (line 7) stdout ----
Test executable failed (exit status: 101).


failures:
    src/lib.rs - add (line 7)

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.95s

";

#[test]
fn cargo_test_tells_a_part_for_each_binary() {
    check(CARGO, "", all(3, 3, 1), &["tests::breaks", "tests::panics", "src/lib.rs - add (line 7)"]);
    check(
        "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out; finished in 0.00s\n",
        "   Compiling demo v0.1.0\n",
        all(0, 0, 0),
        &[],
    );
    unknown("error[E0425]: cannot find function `add`\nerror: could not compile `demo` (lib test)\n");
}

const NEXTEST: &str = "
    Starting 5 tests across 2 binaries (1 test skipped)
        PASS [   0.074s] (1/5) demo tests::adds
        FAIL [   0.047s] (2/5) demo tests::panics
  stdout ───

    running 1 test
    test tests::panics - should panic ... FAILED

    failures:
        tests::panics

    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.01s

        PASS [   0.047s] (3/5) demo::it works
────────────
     Summary [   0.624s] 5 tests run: 3 passed (1 slow, 1 leaky), 1 failed, 1 timed out, 1 skipped
        FAIL [   0.047s] (2/5) demo tests::panics
     TIMEOUT [  60.000s] (5/5) demo tests::waits
       FLAKY 2/3 [   0.623s] (4/5) demo tests::sometimes
error: test run failed
";

#[test]
fn nextest_tells_all_in_its_summary() {
    check("", NEXTEST, all(3, 2, 1), &["demo tests::panics", "demo tests::waits"]);
    check(
        "",
        "────\n     Summary [   0.512s] 3/5 tests run: 1 passed, 2 failed, 1 skipped\n\
        \x20 TRY 2 FAIL [   0.005s] demo tests::panics\n     SIGABRT [   0.511s] (3/5) demo::it aborts\n",
        all(1, 2, 1),
        &["demo tests::panics", "demo::it aborts"],
    );
    check("", "     Summary [   0.010s] 1 test run: 1 passed, 0 skipped\n", all(1, 0, 0), &[]);
}

const PYTEST: &str = "\
============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-9.2.0, pluggy-1.7.0
collected 7 items

test_a.py .Fsx.EF                                                        [100%]

=================================== FAILURES ===================================
E   AssertionError: assert 'x - y' == 'z'
FAILED by what the test itself printed
=========================== short test summary info ============================
SKIPPED [1] test_a.py:5: no
FAILED test_a.py::test_breaks - assert (1 + 2) == 4
FAILED test_a.py::test_p[x - y] - AssertionError: assert 'x - y' == 'z'
FAILED test_a.py::test_q[x - z]
FAILED test_a.py::test_plain
ERROR test_b.py - ModuleNotFoundError: No module named 'cart'
========== 4 failed, 2 passed, 1 skipped, 1 xfailed, 1 error in 0.16s ==========
";

#[test]
fn pytest_tells_names_and_then_numbers() {
    check(
        PYTEST,
        "",
        all(2, 5, 1),
        &[
            "test_a.py::test_breaks",
            "test_a.py::test_p[x - y]",
            "test_a.py::test_q[x - z]",
            "test_a.py::test_plain",
            "test_b.py",
        ],
    );
    check("..\n2 passed, 3 warnings in 0.14s\n", "", all(2, 0, 0), &[]);
    check("====== 2 passed, 7 deselected in 75.02s (0:01:15) ======\n", "", all(2, 0, 0), &[]);
    check("===== no tests ran in 0.07s =====\n", "", all(0, 0, 0), &[]);
    unknown("3 apples in 0.5s\n");
    unknown("12 files checked in 1s\n");
    unknown("done in 0.5s\n");
}

const GO: &str = "\
--- FAIL: TestBreaks (0.00s)
    a_test.go:4: x
    a_test.go:4: bad
--- FAIL: TestTable (0.00s)
    --- FAIL: TestTable/two (0.00s)
        a_test.go:6: bad
FAIL
FAIL\texample.com/demo\t0.014s
?   \texample.com/demo/b\t[no test files]
ok  \texample.com/demo/c\t0.005s
FAIL\texample.com/demo/d [build failed]
FAIL
";

const GO_VERBOSE: &str = "\
=== RUN   TestAdds
--- PASS: TestAdds (0.00s)
=== RUN   TestLater
    a_test.go:5: no
--- SKIP: TestLater (0.00s)
=== RUN   TestTable
=== RUN   TestTable/two
--- FAIL: TestTable (0.00s)
    --- FAIL: TestTable/two (0.00s)
FAIL
FAIL\texample.com/demo\t0.011s
=== RUN   TestC
--- PASS: TestC (0.00s)
PASS
ok  \texample.com/demo/c\t(cached)
";

#[test]
fn go_tells_what_passed_only_when_it_is_verbose() {
    check(
        GO,
        "# example.com/demo/d\nd/d_test.go:3:28: undefined: undefined\n",
        (None, Some(3), None),
        &["TestBreaks", "TestTable", "TestTable/two", "example.com/demo/d [build failed]"],
    );
    check(GO_VERBOSE, "", all(2, 2, 1), &["TestTable", "TestTable/two"]);
    check("ok  \texample.com/demo/c\t(cached)\n", "", (None, Some(0), None), &[]);
    unknown("--- FAIL: TestA (0.00s)\nok then\nFAIL\n");
}

const JEST: &str = "\
FAIL j/cart.test.cjs (5.1 s)
  ● Console

    console.log
      hi

  ● cart › drops items

    expect(received).toBe(expected) // Object.is equality

  ● top level

PASS j/ok.test.cjs
FAIL j/broken.test.cjs
  ● Test suite failed to run

    Cannot find module './nothere' from 'broken.test.cjs'

Summary of all failing tests
FAIL j/cart.test.cjs
  ● cart › drops items

Test Suites: 2 failed, 1 passed, 3 total
Tests:       2 failed, 1 skipped, 1 todo, 2 passed, 6 total
Snapshots:   0 total
Time:        2.201 s
Ran all test suites.
";

#[test]
fn jest_tells_on_standard_error() {
    let failures = ["cart › drops items", "top level", "j/broken.test.cjs"];
    check("> js@1.0.0 test\n> jest\n\n", JEST, all(2, 2, 1), &failures);
    check("", "Test Suites: 1 passed, 1 total\nTests:       1 passed, 1 total\n", all(1, 0, 0), &[]);
    unknown("Tests: all good\n");
}

const VITEST_OUT: &str = "
 RUN  v4.1.12 /ws

 ❯ v/cart.test.js (5 tests | 2 failed | 1 skipped | 1 todo) 84ms
     ✓ adds items 22ms
     × drops items 35ms
 ✓ v/ok.test.js (1 test) 3ms

 Test Files  2 failed | 1 passed (3)
      Tests  2 failed | 2 passed | 1 skipped | 1 todo (6)
   Start at  13:10:58
   Duration  2.89s (transform 219ms, setup 0ms, import 257ms)
";

const VITEST_ERR: &str = "
⎯⎯⎯⎯⎯⎯ Failed Suites 1 ⎯⎯⎯⎯⎯⎯⎯⎯

 FAIL  v/broken.test.js [ v/broken.test.js ]
Error: Cannot find module './nothere.js'

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 2 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  v/cart.test.js > cart > drops items
AssertionError: expected 1 to be 2 // Object.is equality

 FAIL  v/cart.test.js > top level
";

#[test]
fn vitest_tells_numbers_and_names_on_different_streams() {
    let failures = ["v/broken.test.js", "v/cart.test.js > cart > drops items", "v/cart.test.js > top level"];
    check(VITEST_OUT, VITEST_ERR, all(2, 2, 1), &failures);
    check(
        " Test Files  1 passed (1)\n\x1b[2m      Tests \x1b[22m \x1b[32m1 passed\x1b[39m (1)\n",
        "",
        all(1, 0, 0),
        &[],
    );
    check(" Test Files  1 failed (1)\n      Tests  no tests\n", "", all(0, 0, 0), &[]);
}

const NODE_SPEC: &str = "\
✔ adds (5.240575ms)
✖ breaks (6.080959ms)
  AssertionError [ERR_ASSERTION]: 3 == 4
﹣ later (0.319496ms) # not yet
▶ cart
  ✔ holds items (0.287217ms)
  ✖ drops items (0.121097ms)
✖ cart (19.66617ms)
ℹ tests 6
ℹ suites 1
ℹ pass 2
ℹ fail 1
ℹ cancelled 1
ℹ skipped 1
ℹ todo 1
ℹ duration_ms 719.148529

✖ failing tests:

test at a.test.mjs:4:1
✖ breaks (6.080959ms)
  AssertionError [ERR_ASSERTION]: 3 == 4

test at a.test.mjs:7:55
✖ drops items (0.121097ms)
";

const NODE_TAP: &str = "\
TAP version 13
# Subtest: adds
ok 1 - adds
  ---
  duration_ms: 1.552352
  ...
# Subtest: breaks
not ok 2 - breaks \\#1
  ---
  failureType: 'testCodeFailure'
  error: '3 == 4'
  ...
not ok 3 - later # TODO
# Subtest: cart
    # Subtest: drops items
    not ok 2 - drops items
      ---
      failureType: 'testCodeFailure'
      ...
    1..2
not ok 5 - cart
  ---
  type: 'suite'
  failureType: 'subtestsFailed'
  ...
1..5
# tests 6
# suites 1
# pass 2
# fail 2
# cancelled 0
# skipped 1
# todo 1
# duration_ms 817.169476
";

#[test]
fn node_tells_in_two_forms() {
    check(NODE_SPEC, "", all(2, 2, 1), &["breaks", "drops items"]);
    check(NODE_TAP, "", all(2, 2, 1), &["breaks #1", "drops items"]);
    unknown("# pass 2\n# fail 1\nnot ok 1 - x\n");
}

#[test]
fn the_summary_that_comes_last_is_that_of_the_runner() {
    let quoted = format!("---- tests::reads stdout ----\n{PYTEST}\n{GO_VERBOSE}\n");
    check(&format!("{quoted}test result: ok. 9 passed; 0 failed; 0 ignored\n"), "", all(9, 0, 0), &[]);
    let inner = "test result: ok. 9 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
    check(&format!("{inner}1 passed in 0.02s\n"), "", all(1, 0, 0), &[]);
}

#[test]
fn r_test_1_no_more_than_twenty_names_are_told_and_none_is_long() {
    let names: Vec<_> = (0..50).map(|number| format!("    {number} {}", "a".repeat(number * 20))).collect();
    let totals = "test result: FAILED. 0 passed; 50 failed; 0 ignored";
    let out = format!("failures:\n{}\n\n{totals}\n", names.join("\n"));
    let summary = read(&out, "").unwrap();
    assert_eq!(summary.counts.failed, Some(50));
    assert_eq!(summary.failures.len(), 20);
    assert!(summary.failures.iter().all(|name| name.len() <= 300));
}

#[test]
fn other_output_is_no_summary() {
    for text in ["", "ok\n", "all 12 tests passed\n", "Tests  \n", "Summary [1s] done\n", "test result: ok\n"]
    {
        unknown(text);
    }
}
