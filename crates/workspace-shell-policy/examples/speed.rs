//! How long judging takes: long lines of every kind, and lines of every day.
//!
//! ```text
//! cargo run --release -p workspace-shell-policy --example speed
//! ```
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::time::{Duration, Instant};

use workspace_shell_policy::{LexicalJail, MAX_LINE_BYTES, Mode, ShellPolicy, check};

const DAILY: &str = include_str!("../testdata/daily-lines.txt");

/// Long lines: a piece that is repeated, between a start and an end.
const LONG: &[(&str, &str, &str)] = &[
    ("", "a;", ""),
    ("", "git a|", "git a"),
    ("", "git log;", ""),
    ("echo ", "a ", ""),
    ("echo ", "ab cd ef gh ", ""),
    ("echo ", "'a'\"b\"\\c", ""),
    ("echo ", "$X ", ""),
    ("echo ", "\"$X\"", ""),
    ("echo ", "$(git log) ", ""),
    ("echo ", "`git log` ", ""),
    ("echo \"", "$(git log)", "\""),
    ("echo ", "*", ""),
    ("echo ", "{", ""),
    ("echo ", "{a", ""),
    ("echo ", "'", ""),
    ("echo '", "a", "'"),
    ("echo \"", "\\", "\""),
    ("echo ", "\\\\", ""),
    ("echo `", "\\\\\\\\", "`"),
    ("", "( ", ""),
    ("echo ", "$(", ""),
    ("cat <<E\n", "text $X text\n", "E"),
    ("cat <<'E'\n", "text\n", "E"),
    ("cat ", "<<E ", "\nE"),
    ("git log ", "> x ", ""),
    ("", "git log > x;", ""),
    ("", "cd a;", ""),
    ("", "cd a&&", "git log"),
    ("", "cd ..;cd a;", ""),
    ("cat ", "aa/../../aa/b/c ", ""),
    ("", "env A=1 timeout 5 git log;", ""),
    ("env ", "A=1 ", "git log"),
    ("find . ", "-exec git {} ; ", ""),
    ("find . ", "-exec git {} \\; ", ""),
    ("find . ", "-exec ", ""),
    ("git push ", "a ", ""),
    ("git push ", "-a ", ""),
    ("rm ", "-v ", ""),
    ("sed '", "s/a/b/;", "' f"),
    ("awk '", "{print $1}", "' f"),
    ("awk '", "(a/b/c|", "' f"),
    ("tar ", "x", ""),
    ("tar ", "-x ", ""),
    ("cat ", "a/../", ""),
    ("cat ", "../", ""),
    ("", "#", ""),
    ("", "\n", ""),
    ("", "\\\n", ""),
    ("", "é", ""),
    ("A=", "1", " git log"),
    ("", "A=1 ", "git log"),
    ("xargs ", "-n1 ", "git log"),
    ("npm ", "--x y ", ""),
];

fn main() {
    let jail = LexicalJail::new("/work");
    let policies = [
        ("open", ShellPolicy::new()),
        ("developer", ShellPolicy::developer()),
        ("read_only", ShellPolicy::read_only()),
        ("posix_utilities", ShellPolicy::posix_utilities()),
        ("deny", ShellPolicy::new().deny(["rm"])),
    ];
    let mut slowest: Vec<(Duration, String)> = Vec::new();
    for (start, piece, end) in LONG {
        let count = (MAX_LINE_BYTES - start.len() - end.len()) / piece.len();
        let line = format!("{start}{}{end}", piece.repeat(count));
        for (name, policy) in &policies {
            for mode in [Mode::Sh, Mode::Argv] {
                let verdict = check(Some(policy), mode, &line, &jail);
                let took = fastest(5, || {
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
