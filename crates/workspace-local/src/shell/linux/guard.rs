//! Commands end with their host, also where the host is killed and can do nothing any more.
//!
//! A small shell script, started with the first command, waits on a pipe that
//! only the host holds. The kernel closes it however the host ends; then the
//! script kills what the host had noted in a table. Nothing wakes it before, so
//! a command costs it nothing.

use std::ffi::CString;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::fs::{CWD, MemfdFlags, Mode, OFlags, memfd_create, openat};
use rustix::io::{Errno, pwrite};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::Pid;

use super::handle::Handle;
use super::spawn::{Launch, above_streams};

const SCRIPT: &str = include_str!("guard.sh");

/// A line of the table: a process number and spaces, or spaces alone.
const LINE_BYTES: usize = 12;

/// The table of running commands, and the script that acts on it.
#[derive(Debug, Default)]
pub(super) struct Guard(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    table: Option<OwnedFd>,
    /// Which lines are taken.
    lines: Vec<bool>,
    script: Option<Script>,
}

impl Guard {
    /// Makes sure that a script waits. Where none can be started, commands run
    /// all the same, and outlive a host that is killed.
    pub(super) fn stand_by(&self, boxes: Option<&Path>) {
        if let Err(errno) = self.state().stand_by(boxes) {
            tracing::warn!(%errno, "commands will outlive this process if it is killed");
        }
    }

    /// Notes a command.
    pub(super) fn note(self: &Arc<Self>, pid: Pid) -> Note {
        let mut state = self.state();
        let line = state.lines.iter().position(|taken| !taken).unwrap_or_else(|| {
            state.lines.push(false);
            state.lines.len() - 1
        });
        if let Some(taken) = state.lines.get_mut(line) {
            *taken = true;
        }
        state.write(line, &pid.as_raw_nonzero().to_string());
        Note { guard: Arc::clone(self), line }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn stand_by(&mut self, boxes: Option<&Path>) -> Result<(), Errno> {
        if self.script.as_ref().is_some_and(Script::waits) {
            return Ok(());
        }
        let table = match self.table.take() {
            Some(table) => table,
            None => above_streams(memfd_create("workspace-commands", MemfdFlags::CLOEXEC)?)?,
        };
        let script = Script::start(&table, boxes);
        self.table = Some(table);
        self.script = Some(script?);
        Ok(())
    }

    fn write(&self, line: usize, text: &str) {
        if let Some(table) = &self.table {
            let text = format!("{text:<width$}\n", width = LINE_BYTES - 1);
            let _ = pwrite(table, text.as_bytes(), (line * LINE_BYTES) as u64);
        }
    }
}

/// The script, as long as it waits.
#[derive(Debug)]
struct Script {
    handle: Option<Handle>,
    /// Its standard input: it acts when this closes.
    pipe: Option<OwnedFd>,
}

impl Script {
    fn start(table: &OwnedFd, boxes: Option<&Path>) -> Result<Self, Errno> {
        let (input, pipe) = pipe_with(PipeFlags::CLOEXEC)?;
        let input = above_streams(input)?;
        let nowhere =
            above_streams(openat(CWD, "/dev/null", OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?)?;
        let top = openat(CWD, "/", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let boxes = boxes.map_or(&b""[..], |path| path.as_os_str().as_bytes());
        let word = |bytes: &[u8]| CString::new(bytes).map_err(|_| Errno::INVAL);
        let started = Launch {
            file: &c"/bin/sh".into(),
            words: &[
                c"sh".into(),
                c"-c".into(),
                word(SCRIPT.as_bytes())?,
                c"workspace-guard".into(),
                word(boxes)?,
            ],
            variables: &[c"PATH=/usr/bin:/bin".into()],
            cwd: top.as_fd(),
            streams: [input.as_fd(), table.as_fd(), nowhere.as_fd()],
        }
        .start()?;
        Ok(Self { handle: Some(started.handle), pipe: Some(pipe) })
    }

    fn waits(&self) -> bool {
        self.handle.as_ref().is_some_and(|handle| !handle.has_ended())
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        drop(self.pipe.take());
        if let Some(handle) = self.handle.take()
            && let Ok(None) = handle.reap()
        {
            handle.reap_in_background(|| {});
        }
    }
}

/// A command in the table, for as long as its number is its own.
#[derive(Debug)]
pub(super) struct Note {
    guard: Arc<Guard>,
    line: usize,
}

impl Drop for Note {
    fn drop(&mut self) {
        let mut state = self.guard.state();
        state.write(self.line, "");
        if let Some(taken) = state.lines.get_mut(self.line) {
            *taken = false;
        }
    }
}
