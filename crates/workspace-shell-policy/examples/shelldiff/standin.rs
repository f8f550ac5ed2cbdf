//! The program that stands in for every other: it records its arguments.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::process::ExitCode;

/// Where stand-ins record, in the throwaway root.
pub(crate) const LOG: &str = "/log";

/// What a stand-in prints: hostile where a line expands it.
const OUTPUT: &str = "rm -rf x\n--force $(rm y) `rm z` ; rm v\n../out\n";

/// Names under which it stands.
pub(crate) const NAMES: &[&str] = &[
    "awk",
    "cargo",
    "cat",
    "cp",
    "curl",
    "git",
    "grep",
    "head",
    "id",
    "ls",
    "make",
    "mv",
    "node",
    "npm",
    "python3",
    "rm",
    "sed",
    "sort",
    "tail",
    "tee",
    "touch",
    "tr",
    "uniq",
    "wc",
    "which",
    "sudo",
    "ll",
    "A=1",
    "{git,status}",
    "{}",
    "git status",
    "rmx",
    "rg",
    "jq",
    "nproc",
    "basename",
    "date",
    "diff",
    "mkdir",
    "x",
    "a",
    "b",
];

/// Names of builtins that are programs too, for wrappers to start. They end like those.
pub(crate) const BUILTINS: &[&str] = &["[", "echo", "false", "printf", "pwd", "test", "true"];

/// Whether the program was started under another name than its own.
pub(crate) fn is_stand_in(name: &str) -> bool {
    !name.rsplit('/').next().unwrap_or(name).starts_with("shelldiff")
}

/// Records the arguments as one line of JSON.
pub(crate) fn record() -> ExitCode {
    let argv: Vec<String> = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let mut record = serde_json::to_string(&argv).unwrap_or_default();
    record.push('\n');
    let log = std::fs::OpenOptions::new().append(true).open(LOG);
    if log.and_then(|mut log| log.write_all(record.as_bytes())).is_err() {
        return ExitCode::from(99);
    }
    let base = argv.first().map_or("", |name| name.rsplit('/').next().unwrap_or(name));
    if BUILTINS.contains(&base) {
        return if matches!(base, "false" | "[" | "test") { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    }
    // A reader may be gone already.
    let _ = std::io::stdout().write_all(OUTPUT.as_bytes());
    let mut hasher = DefaultHasher::new();
    argv.hash(&mut hasher);
    // Some fail, so that both sides of `||` and `&&` are seen.
    if hasher.finish().is_multiple_of(3) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
