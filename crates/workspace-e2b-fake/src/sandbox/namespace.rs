//! A root and a process tree of their own, for one sandbox.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, Mode, OFlags, fstat, openat, stat};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, Command};

use super::tools::Tools;
use super::users::User;
use super::view::View;

const STAGE: &str = include_str!("stage.sh");

/// How long the end of a process tree is waited for where waiting blocks a thread.
const PATIENCE: Timespec = Timespec { tv_sec: 5, tv_nsec: 0 };

/// Mount and process namespaces, held open by their first process.
///
/// That process waits for the end of its standard input, so that the tree also
/// ends where this program is killed.
#[derive(Debug)]
pub(crate) struct Namespace {
    tools: Arc<Tools>,
    /// The first process, as the host numbers it.
    init: Pid,
    init_fd: OwnedFd,
    view: View,
    held: Mutex<Option<Held>>,
}

#[derive(Debug)]
struct Held {
    _unshare: Child,
    directory: TempDir,
}

impl Namespace {
    /// Builds the root in a new temporary directory.
    #[allow(clippy::disallowed_methods)] // The first process of the sandbox.
    pub(crate) async fn open(tools: Arc<Tools>) -> io::Result<Self> {
        let directory = tempfile::Builder::new()
            .prefix("e2b-fake-")
            .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .tempdir()?;
        let mut command = Command::new(&tools.unshare);
        command.args(["--mount", "--propagation", "private", "--pid", "--fork", "--kill-child"]);
        if !tools.root {
            command.args(["--user", "--map-root-user"]);
        }
        command.args(["/bin/sh", "-c", STAGE, "stage"]).arg(directory.path());
        command.arg(if tools.root { "root" } else { "user" });
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0).kill_on_drop(true);
        let mut unshare = command.spawn()?;

        let mut line = String::new();
        if let Some(stdout) = unshare.stdout.take() {
            BufReader::new(stdout).read_line(&mut line).await?;
        }
        let Some(init) = line.trim().parse().ok().and_then(Pid::from_raw) else {
            let mut why = String::new();
            if let Some(mut stderr) = unshare.stderr.take() {
                stderr.read_to_string(&mut why).await?;
            }
            return Err(io::Error::other(format!("cannot set up a sandbox: {}", why.trim())));
        };
        let init_fd = pidfd_open(init, PidfdFlags::empty())?;
        let root = format!("/proc/{}/root", init.as_raw_nonzero());
        let root = openat(CWD, root, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        // Whatever else this would be, it is not to be written to.
        let (inside, outside) = (fstat(&root)?, stat(directory.path())?);
        if (inside.st_dev, inside.st_ino) != (outside.st_dev, outside.st_ino) {
            return Err(io::Error::other("the root of the sandbox is not the one that was built"));
        }
        let held = Mutex::new(Some(Held { _unshare: unshare, directory }));
        Ok(Self { tools, init, init_fd, view: View::new(root), held })
    }

    /// The files of the sandbox, as its processes see them.
    pub(crate) fn view(&self) -> &View {
        &self.view
    }

    /// A command that runs `/bin/sh -c script` inside, as a user, with no variables.
    #[allow(clippy::disallowed_methods)] // The processes of the sandbox.
    pub(crate) fn shell(&self, user: &User, script: &str) -> Command {
        let mut command = Command::new(&self.tools.nsenter);
        command.arg(format!("--target={}", self.init.as_raw_nonzero()));
        command.args(["--mount", "--pid", "--root", "--wd"]);
        if self.tools.root {
            command.arg(format!("--setuid={}", user.uid)).arg(format!("--setgid={}", user.gid));
        } else {
            command.args(["--user", "--preserve-credentials"]);
        }
        command.args(["--", "/bin/sh", "-c", script, "sh"]);
        // A signal to the caller's group is not to reach this program's own.
        command.process_group(0).kill_on_drop(true).env_clear().env("PATH", "/usr/bin:/bin");
        command
    }

    /// Sends a signal to one process, or with `-1` to all but the first.
    pub(crate) async fn signal(&self, pid: i64, signal: i32) -> bool {
        let mut kill = self.shell(&User::root(), "kill -s \"$1\" -- \"$2\"");
        kill.arg(signal.to_string())
            .arg(pid.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        kill.status().await.is_ok_and(|status| status.success())
    }

    /// How many processes live inside, without the first one and without zombies.
    pub(crate) fn processes(&self) -> usize {
        self.view.processes()
    }

    /// Where its root lies on the host, while it lives.
    pub(crate) fn directory(&self) -> Option<std::path::PathBuf> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.as_ref().map(|held| held.directory.path().to_owned())
    }

    /// Ends every process and removes the files. Blocks until that is done.
    pub(crate) fn end(&self) {
        let Some(held) = self.held.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        if pidfd_send_signal(&self.init_fd, Signal::KILL).is_err() {
            tracing::debug!(init = ?self.init, "the sandbox had ended by itself");
        }
        // The kernel tells the end of a first process after that of all others.
        let mut ended = [PollFd::new(&self.init_fd, PollFlags::IN)];
        if poll(&mut ended, Some(&PATIENCE)) != Ok(1) {
            tracing::warn!(init = ?self.init, "the processes of a sandbox do not end");
        }
        if let Err(error) = held.directory.close() {
            tracing::warn!(%error, "the files of a sandbox stay behind");
        }
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        self.end();
    }
}
