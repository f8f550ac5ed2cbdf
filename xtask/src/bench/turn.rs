//! One run of one program, measured.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

/// What a run took.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Turn {
    /// From start to end, in seconds.
    pub(super) wall: f64,
    /// Of all processors, in user and in system, in seconds.
    pub(super) cpu: f64,
    /// How many lines it wrote.
    pub(super) lines: usize,
}

/// The shell's own clock knows the processor time of what it waited for.
const TIMED: &str = r#"TIMEFORMAT="%3R %3U %3S"; time "$@" 2>/dev/null"#;

/// Whether a program is there to be run.
pub(super) fn is_there(program: &str) -> bool {
    command(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// Runs a program in a directory; what it writes goes to a file, as to a caller who reads all of it.
#[allow(clippy::disallowed_methods, reason = "what a program writes goes to a file")]
pub(super) fn turn(words: &[String], inside: &Path, output: &Path) -> Result<Turn, String> {
    let told = |error: std::io::Error| format!("`{}`: {error}", words.join(" "));
    let run = command("bash")
        .args(["-c", TIMED, "bash"])
        .args(words)
        .current_dir(inside)
        .stdout(File::create(output).map_err(told)?)
        .output()
        .map_err(told)?;
    // A search that finds nothing ends with 1, as grep does.
    if !matches!(run.status.code(), Some(0 | 1)) {
        return Err(format!("`{}` ended with {}", words.join(" "), run.status));
    }
    let times = String::from_utf8_lossy(&run.stderr);
    let times: Vec<f64> = times.split_whitespace().filter_map(|time| time.parse().ok()).collect();
    let [wall, user, system] = times[..] else {
        return Err("bash does not tell times; is it the shell that is meant?".into());
    };
    let written = std::fs::read(output).map_err(told)?;
    let lines = written.split(|&byte| byte == b'\n').count() - 1;
    Ok(Turn { wall, cpu: user + system, lines })
}

/// The most memory that a search program of ours has held, in KiB.
pub(super) fn peak(words: &[String], inside: &Path) -> Result<u64, String> {
    let (program, rest) = words.split_first().ok_or("there is nothing to run")?;
    let run = command(program)
        .args(rest)
        .arg("--peak")
        .current_dir(inside)
        .stdout(Stdio::null())
        .output()
        .map_err(|error| format!("`{program}`: {error}"))?;
    String::from_utf8_lossy(&run.stderr).trim().parse().map_err(|_| format!("`{program}` tells no memory"))
}

#[allow(clippy::disallowed_methods, reason = "a measurement is made of runs of programs")]
pub(super) fn command(program: &str) -> Command {
    Command::new(program)
}
