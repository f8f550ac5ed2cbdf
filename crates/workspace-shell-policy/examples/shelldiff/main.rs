//! Hunts for lines that the checker reads in another way than real shells.
//!
//! Lines from a grammar of nasty pieces, and mutations of the cases, are
//! judged. Accepted ones are run by dash and bash as an unprivileged user, in
//! a throwaway root that holds nothing but the shells, a few wrappers and
//! stand-ins which record their arguments. Refused lines are never run.
//!
//! A hole is a program that was started and not reported, a program that is
//! denied, or a file that was written outside the jail. A fault is a line that
//! a shell finds invalid, or that the two shells run differently.
//!
//! Each hunt first proves itself: it must find holes in checkers with a
//! planted fault.
//!
//! ```text
//! cargo run --release -p workspace-shell-policy --example shelldiff -- --lines 1000000 --runs 50000 --seed 1
//! ```
//!
//! It needs Linux, root (for the throwaway root and the change of user), dash and bash.
#![allow(clippy::disallowed_methods, reason = "the hunt starts real shells on real files")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

mod arena;
mod generate;
mod hunt;
mod oracle;
mod plants;
mod runner;
mod standin;
mod view;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args();
    let name = args.next().unwrap_or_default();
    if standin::is_stand_in(&name) {
        return standin::record();
    }
    let args: Vec<String> = args.collect();
    if let [role, root] = args.as_slice()
        && role == "--runner"
    {
        return finish(runner::serve(root).map(|()| true));
    }
    finish(hunt::Settings::from_args(&args).and_then(|settings| settings.hunt()))
}

fn finish(clean: Result<bool, String>) -> ExitCode {
    match clean {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}
