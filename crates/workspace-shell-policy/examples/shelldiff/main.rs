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
//! `cargo xtask shelldiff` builds and starts it. It needs Linux, dash and bash, and root,
//! to lay out the throwaway root and to run the lines as an unprivileged user.
#![allow(clippy::disallowed_methods, reason = "the hunt starts real shells on real files")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

mod arena;
mod generate;
mod hunt;
mod inside;
mod needs;
mod oracle;
mod pieces;
mod plants;
mod rules;
mod runner;
mod settings;
mod standin;
mod tally;
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
        return finish(inside::serve(root).map(|()| true));
    }
    finish(settings::Settings::from_args(&args).and_then(|settings| {
        needs::check()?;
        hunt::run(&settings)
    }))
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
