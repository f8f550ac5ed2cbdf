//! Inside: the process that runs lines inside the throwaway root.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::arena::OPEN;
use crate::standin::LOG;

/// The user that runs the lines.
const NOBODY: u32 = 65534;

/// How long a line may take.
const LIMIT: Duration = Duration::from_mins(1);

/// Reads pairs of a shell and a line as JSON and answers each with what happened.
pub(crate) fn serve(root: &str) -> Result<(), String> {
    let failed = |error: io::Error| error.to_string();
    std::os::unix::fs::chroot(root).map_err(failed)?;
    std::env::set_current_dir("/jail").map_err(failed)?;
    let mut out = io::stdout().lock();
    for request in io::stdin().lock().lines() {
        let (shell, line): (String, String) =
            serde_json::from_str(&request.map_err(failed)?).map_err(|error| error.to_string())?;
        writeln!(out, "{}", run(&shell, &line).map_err(failed)?).map_err(failed)?;
        out.flush().map_err(failed)?;
    }
    Ok(())
}

/// What the shell says of a line that it finds invalid without running it.
fn invalid(shell: &str, line: &str) -> io::Result<Option<String>> {
    let read = Command::new(format!("/bin/{shell}"))
        .args(["-n", "-c", "--", line])
        .env_clear()
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .uid(NOBODY)
        .gid(NOBODY)
        .output()?;
    Ok((!read.status.success()).then(|| String::from_utf8_lossy(&read.stderr).into_owned()))
}

fn run(shell: &str, line: &str) -> io::Result<Value> {
    fs::write(LOG, "")?;
    let before = outside()?;
    let mut child = Command::new(format!("/bin/{shell}"))
        .args(["-c", "--", line])
        .arg0("sh")
        .env_clear()
        .envs([
            ("PATH", "/standins:/bin"),
            ("HOME", "/out"),
            ("LC_ALL", "C"),
            ("X", "rm x; rm y"),
            ("Y", "--force rm"),
            ("Z", "-rf"),
            ("CMD", "rm"),
            ("F", "/out/written"),
            ("DIR", ".."),
        ])
        .current_dir("/jail")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .uid(NOBODY)
        .gid(NOBODY)
        .process_group(0)
        .spawn()?;
    let mut stderr = child.stderr.take();
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(stderr) = &mut stderr {
            let _ = stderr.read_to_end(&mut text);
        }
        text
    });
    let start = Instant::now();
    let mut timed_out = false;
    while child.try_wait()?.is_none() {
        if start.elapsed() > LIMIT {
            timed_out = true;
            Command::new("/bin/bash")
                .args(["-c", &format!("kill -KILL -- -{}", child.id())])
                .current_dir("/")
                .status()?;
            child.wait()?;
            break;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    let stderr = reader.join().unwrap_or_default();
    let started: Vec<Value> = fs::read_to_string(LOG)?
        .lines()
        .map(|record| serde_json::from_str(record).unwrap_or_else(|_| json!([record])))
        .collect();
    let after = outside()?;
    let changed: Vec<&String> =
        after.iter().filter(|(path, state)| before.get(*path) != Some(state)).map(|(path, _)| path).collect();
    let answer = json!({
        "started": started,
        "invalid": invalid(shell, line)?,
        "stderr": String::from_utf8_lossy(&stderr),
        "changed": changed,
        "timed_out": timed_out,
    });
    for path in changed {
        let _ = fs::remove_file(path);
    }
    Ok(answer)
}

/// What stands outside the jail: length and time of the last change of every file.
fn outside() -> io::Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for directory in OPEN {
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let path = entry.path().to_string_lossy().into_owned();
            let state = entry.metadata()?;
            if state.is_file() && path != LOG {
                found.insert(path, format!("{} {:?}", state.len(), state.modified()?));
            } else if !state.is_file() {
                found.insert(path, String::new());
            }
        }
    }
    Ok(found)
}
