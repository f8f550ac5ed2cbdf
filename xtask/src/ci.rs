//! `cargo xtask ci`: every check that a change must pass, the quick ones first.

use std::env;
use std::error::Error;
use std::io::{Write, stdout};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::{cargo, tidy};

type Done = Result<(), Box<dyn Error>>;

/// Feature sets of `workspace-tools` that must compile by themselves: where a
/// backend's feature is off, code that names the backend does not compile.
const TOOLS_FEATURES: [&str; 4] = ["", "memory", "local", "local,memory"];

/// Runs the steps, up to the first that fails.
pub(crate) fn run() -> Done {
    let begin = Instant::now();
    step("format", || call("fmt --all --check", &[]))?;
    step("tidy", tidy::run)?;
    step("lints", || {
        call("clippy --workspace --all-targets --all-features --locked --quiet -- -D warnings", &[])
    })?;
    step("documentation", || {
        let deny = [("RUSTDOCFLAGS", "-D warnings")];
        call("doc --workspace --all-features --no-deps --locked --quiet", &deny)
    })?;
    for features in TOOLS_FEATURES {
        step(&format!("workspace-tools with features `{features}`"), || check_features(features))?;
    }
    // The README's command, so that what it promises is what is checked; one run tells all that fail.
    step("tests", || call("test --workspace --all-features --locked --no-fail-fast", &[]))?;
    println!("ci: all steps passed in {}", seconds(begin.elapsed()));
    Ok(())
}

/// Checks one feature set, in a target directory of its own: other features and
/// flags would throw away what the other steps have built.
fn check_features(features: &str) -> Done {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| cargo::root().join("target"), PathBuf::from);
    let target = target.join("features").display().to_string();
    let environment = [("CARGO_TARGET_DIR", target.as_str()), ("RUSTFLAGS", "-D warnings")];
    let check = "check --package workspace-tools --no-default-features --locked --quiet";
    match features {
        "" => call(check, &environment),
        features => call(&format!("{check} --features {features}"), &environment),
    }
}

fn step(name: &str, run: impl FnOnce() -> Done) -> Done {
    println!("ci: {name}");
    stdout().flush()?;
    let begin = Instant::now();
    let done = run();
    let verdict = if done.is_ok() { "passed" } else { "failed" };
    println!("ci: {name}: {verdict} after {}", seconds(begin.elapsed()));
    done
}

/// Calls cargo with words that hold no space.
fn call(words: &str, environment: &[(&str, &str)]) -> Done {
    let mut command = cargo::command();
    command.args(words.split(' ')).envs(environment.iter().copied());
    if command.status()?.success() {
        return Ok(());
    }
    Err(format!("`cargo {words}` failed").into())
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
