//! How long judging takes: long lines of every kind, and lines of every day.
//!
//! ```text
//! cargo run --release -p workspace-shell-policy --example speed
//! ```
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::time::{Duration, Instant};

use workspace_shell_policy::{ArgPaths, DenyPattern, LexicalJail, MAX_LINE_BYTES, Mode, ShellPolicy, check};

const DAILY: &str = include_str!("../testdata/daily-lines.txt");

/// Long lines: a start, a piece that is repeated, an end.
const LONG: &str = include_str!("../testdata/long-lines.jsonl");

fn main() {
    let jail = LexicalJail::new("/work");
    let policies = [
        ("open", ShellPolicy::new()),
        ("developer", ShellPolicy::developer()),
        ("read_only", ShellPolicy::read_only()),
        ("posix_utilities", ShellPolicy::posix_utilities()),
        ("deny", ShellPolicy::new().deny(["rm"])),
        ("patterns", patterns()),
    ];
    let mut slowest: Vec<(Duration, String)> = Vec::new();
    for shape in LONG.lines() {
        let Ok((start, piece, end)) = serde_json::from_str::<(String, String, String)>(shape) else {
            println!("`{shape}` is no shape");
            return;
        };
        let count = (MAX_LINE_BYTES - start.len() - end.len()) / piece.len();
        let line = format!("{start}{}{end}", piece.repeat(count));
        for (name, policy) in &policies {
            for mode in [Mode::Sh, Mode::Argv] {
                let verdict = check(Some(policy), mode, &line, &jail);
                let took = fastest(15, || {
                    check(Some(policy), mode, &line, &jail);
                });
                slowest.push((
                    took,
                    format!("{name} {mode:?} {start:?} + {count} × {piece:?}: {}", verdict.as_str()),
                ));
            }
        }
    }
    slowest.sort();
    println!("lines of {MAX_LINE_BYTES} bytes, the slowest of {}:", slowest.len());
    for (took, what) in slowest.iter().rev().take(12) {
        println!("  {took:>10.1?}  {what}");
    }
    let lines: Vec<String> =
        DAILY.lines().filter(|line| !line.starts_with("##")).map(|line| line.replace('⏎', "\n")).collect();
    let developer = ShellPolicy::developer();
    let mut each: Vec<(Duration, &str)> = lines
        .iter()
        .map(|line| {
            let took = fastest(50, || {
                check(Some(&developer), Mode::Sh, line, &jail);
            });
            (took, line.as_str())
        })
        .collect();
    each.sort();
    println!("{} lines of every day under `developer`:", each.len());
    for (name, place) in
        [("median", each.len() / 2), ("95 %", each.len() * 95 / 100), ("slowest", each.len() - 1)]
    {
        let (took, line) = each[place];
        println!("  {name:>8} {took:>8.1?}  {line:?}");
    }
}

/// Expressions and globs, which the presets do not have.
fn patterns() -> ShellPolicy {
    let regex = DenyPattern::regex("^git (push|reset).*--(force|hard)").into_iter();
    let policy = regex.fold(ShellPolicy::new(), ShellPolicy::deny_pattern);
    policy.deny_paths(["secrets/**", "**/*.pem"]).unwrap_or_default().arg_paths(ArgPaths::Jail)
}

fn fastest(times: usize, run: impl Fn()) -> Duration {
    (0..times)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}
