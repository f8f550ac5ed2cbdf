//! `Start`.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::FileType;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};

use super::Followed;
use super::config::{Config, StartMessage};
use super::end;
use super::one::Process;
use super::terminal::Terminal;
use crate::connect::{Ask, Code, Problem, base64_of};
use crate::envd::resolve;
use crate::sandbox::{Sandbox, User};

/// Tells its number, then becomes what is run. `$1` is the working directory.
const BECOME: &str = r#"cd -- "$1" && shift && unset OLDPWD && echo "$$" >&2 && exec "$@""#;

/// The same, where the number goes elsewhere than to the terminal.
const BECOME_IN_TERMINAL: &str =
    r#"cd -- "$1" && shift && unset OLDPWD && echo "$$" >&2 && exec 2>&1 && exec setsid --ctty "$@""#;

const CHUNK: usize = 32 << 10;
const TERMINAL_CHUNK: usize = 16 << 10;

/// How long output is still read after the end of a process that was asked to end.
const LATE: Duration = Duration::from_millis(100);

const KILL: i32 = 9;

pub(super) async fn start(
    sandbox: &Arc<Sandbox>,
    message: StartMessage,
    ask: &Ask,
) -> Result<Followed, Problem> {
    let user = ask.user(sandbox.view())?;
    let config = message.process;
    let directory = working_directory(sandbox, &config, &user)?;
    let internal =
        |error: std::io::Error| Problem::new(Code::Internal, format!("error starting process: {error}"));

    let terminal = message.pty.map(|pty| Terminal::open(pty.size)).transpose().map_err(internal)?;
    let script = if terminal.is_some() { BECOME_IN_TERMINAL } else { BECOME };
    let mut command = sandbox.namespace.shell(&user, script);
    command.arg(&directory).arg(&config.cmd).args(&config.args);
    variables(&mut command, sandbox, &user, &config);
    if let Some(terminal) = &terminal {
        command.stdin(Stdio::from(terminal.inner().map_err(internal)?));
        command.stdout(Stdio::from(terminal.inner().map_err(internal)?));
    } else {
        command.stdin(if message.stdin.unwrap_or(true) { Stdio::piped() } else { Stdio::null() });
        command.stdout(Stdio::piped());
    }
    let mut child = command.stderr(Stdio::piped()).spawn().map_err(internal)?;
    drop(command);
    let pid = number(&mut child).await.map_err(internal)?;
    let stdin = child.stdin.take();
    let process = Arc::new(Process::new((pid, child.id()), message.tag, config, stdin, terminal));
    let events = process.listen();
    sandbox.processes.insert(&process);
    let deadline = ask.timeout.map(|timeout| Instant::now() + timeout);
    tokio::spawn(attend(Arc::clone(sandbox), process, child, deadline));
    Ok((pid, events))
}

fn working_directory(sandbox: &Sandbox, config: &Config, user: &User) -> Result<String, Problem> {
    let asked = config.cwd.as_deref().unwrap_or_default();
    let path = resolve(asked, user).map_err(|error| Problem::new(Code::InvalidArgument, error))?;
    match sandbox.view().stat(&path) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Directory => Ok(path),
        Ok(_) => Err(Problem::new(Code::InvalidArgument, format!("cwd '{path}' is not a directory"))),
        Err(_) => Err(Problem::new(Code::InvalidArgument, format!("cwd '{path}' does not exist"))),
    }
}

fn variables(command: &mut Command, sandbox: &Sandbox, user: &User, config: &Config) {
    command.env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    command.env("HOME", &user.home).env("USER", &user.name).env("LOGNAME", &user.name);
    command.envs(sandbox.variables()).envs(&config.envs);
}

/// The number of a process, which it tells in a line before anything else.
async fn number(child: &mut Child) -> std::io::Result<u32> {
    let mut line = Vec::new();
    if let Some(stderr) = child.stderr.as_mut() {
        loop {
            let mut byte = [0];
            if stderr.read(&mut byte).await? == 0 || byte == *b"\n" {
                break;
            }
            line.extend(byte);
        }
    }
    let line = String::from_utf8_lossy(&line);
    line.parse().map_err(|_| std::io::Error::other(format!("it did not tell its number: {line}")))
}

/// Tells what a process writes, and how it ends.
async fn attend(sandbox: Arc<Sandbox>, process: Arc<Process>, mut child: Child, deadline: Option<Instant>) {
    let mut readers = JoinSet::new();
    if let Some(terminal) = process.terminal() {
        readers.spawn(read_terminal(Arc::clone(&process), terminal));
    }
    if let Some(stdout) = child.stdout.take() {
        readers.spawn(read(Arc::clone(&process), stdout, "stdout", CHUNK));
    }
    if let Some(stderr) = child.stderr.take() {
        readers.spawn(read(Arc::clone(&process), stderr, "stderr", CHUNK));
    }
    let status = match deadline {
        None => child.wait().await,
        Some(deadline) => tokio::select! {
            status = child.wait() => status,
            () = sleep_until(deadline) => {
                process.signal(&sandbox.namespace, KILL).await;
                child.wait().await
            }
        },
    };
    let drained = async { while readers.join_next().await.is_some() {} };
    if process.was_signalled() {
        let _ = timeout(LATE, drained).await;
    } else {
        drained.await;
    }
    readers.abort_all();
    match status {
        Ok(status) => process.tell_end(end::message(status)).await,
        Err(error) => tracing::error!(%error, "the end of a process is not known"),
    }
    sandbox.processes.forget(&process).await;
}

async fn read(process: Arc<Process>, mut output: impl AsyncRead + Unpin, name: &'static str, size: usize) {
    let mut buffer = vec![0; size];
    while let Ok(length @ 1..) = output.read(&mut buffer).await {
        let chunk = buffer.get(..length).unwrap_or_default();
        process.tell(data(name, chunk)).await;
    }
}

async fn read_terminal(process: Arc<Process>, terminal: Terminal) {
    let mut buffer = vec![0; TERMINAL_CHUNK];
    // It ends with an error when the last process lets go of it.
    while let Ok(length @ 1..) = terminal.read(&mut buffer).await {
        let chunk = buffer.get(..length).unwrap_or_default();
        process.tell(data("pty", chunk)).await;
    }
}

fn data(name: &str, bytes: &[u8]) -> Value {
    json!({ "event": { "data": { name: base64_of(bytes) } } })
}
