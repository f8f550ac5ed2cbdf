//! What all tools that run commands share: the gates before a start, and the way to the end.

use std::time::{Duration, Instant};

use workspace_core::{
    Cancel, Cause, Command, EnvBase, Environment, FileKind, FsProvider, Leftovers, Process, ShellProvider,
    StatOptions, Stdin, Stream, Visible, WorkspacePath,
};

use super::names::ToolName;
use super::run_shell::{OmittedBytes, RunShellOutput};
use crate::approval::ApprovalRequest;
use crate::exec::{Ended, LAST_WORDS, drain};
use crate::output::{Budget, Collector, Keep};
use crate::spill::Whole;
use crate::{
    EnvironmentBase, LeftoverRule, Limit, OutputKeep, Result, ShellPolicy, ToolError, ToolErrorKind,
    Workspace,
};

/// A command that a call asks for.
pub(super) struct Asked<'a> {
    pub(super) tool: ToolName,
    pub(super) line: &'a str,
    pub(super) cwd: Option<&'a str>,
    /// In milliseconds; `None` for what the policy says.
    pub(super) timeout_ms: Option<u64>,
    /// Whether no timeout holds at all.
    pub(super) no_timeout: bool,
    pub(super) background: bool,
    pub(super) stdin: Stdin,
}

/// A command that may start.
pub(super) struct Allowed {
    pub(super) command: Command,
    pub(super) cwd: WorkspacePath,
    /// The timeout that holds, in milliseconds, where more was asked than may be.
    pub(super) timeout_clamped: Option<u64>,
}

impl Workspace {
    /// Leads a command through every gate before its start.
    ///
    /// # Errors
    /// `disposed`, `unsupported`, `invalid-input`, `read-only`, those of the path rules for
    /// `cwd`, `denied-command`, `approval-required`, `approval-denied`, `cancelled` while the
    /// owner was asked, `not-found` and `not-a-directory` for `cwd`.
    pub(super) async fn allow(&self, asked: Asked<'_>) -> Result<Allowed> {
        self.shell()?;
        let policy = self.shell_policy()?;
        let timeout = Timeout::of(policy, &asked)?;
        self.check_writable(asked.tool)?;
        let cwd = match asked.cwd {
            Some(cwd) => self.parse("cwd", cwd)?,
            None => WorkspacePath::root(),
        };
        let judged = self.judge(asked.line, &cwd, asked.background).await?;
        self.approve(asked.tool, || ApprovalRequest {
            cwd: Some(cwd.to_string()),
            environment: policy.inherit_env.iter().chain(policy.env.keys()).cloned().collect(),
            timeout_ms: timeout.held.map(milliseconds),
            background: asked.background,
            ..ApprovalRequest::new(asked.tool, asked.line)
        })
        .await?;
        if let Some(given) = asked.cwd {
            self.check_cwd(&cwd, given).await?;
        }
        let command = self
            .judge_again(judged)
            .await?
            .command()?
            .with_cwd(cwd.clone())
            .with_env(environment(policy))
            .with_stdin(asked.stdin)
            .with_timeout(timeout.held)
            .with_kill_grace(Duration::from_millis(policy.kill_grace_ms))
            .with_leftovers(match policy.leftovers {
                LeftoverRule::Kill => Leftovers::Kill,
                LeftoverRule::Leave => Leftovers::Leave,
            });
        Ok(Allowed { command, cwd, timeout_clamped: timeout.clamped })
    }

    /// Runs a command to its end. `watch` sees all that it prints.
    ///
    /// # Errors
    /// `disposed`, and those of [`spawn`](Self::spawn) and of a backend that was lost;
    /// `cancelled` after a timeout where the policy wants an error.
    pub(super) async fn run(
        &self,
        allowed: Allowed,
        watch: &mut (dyn FnMut(Stream, &[u8]) + Send),
    ) -> Result<RunShellOutput> {
        let policy = self.shell_policy()?;
        let cancel = self.shell()?.capabilities().cancel;
        let _stay = self.shared().lifetime.enter()?;
        if self.check_cancelled().is_err() {
            return Ok(never_started());
        }
        let mut collector = Collector::new(budget(policy));
        let mut whole = self.shared().outputs.as_ref().map(|_| Whole::new(policy.plain_output));
        let started = Instant::now();
        let Some(process) = self.spawn(allowed.command, &allowed.cwd).await? else {
            return Ok(given_up_at_start(cancel, started.elapsed()));
        };
        let output = |stream, bytes: &[u8]| {
            collector.push(stream, bytes);
            if let Some(whole) = &mut whole {
                whole.push(stream, bytes);
            }
            watch(stream, bytes);
            self.progress().add(bytes.len() as u64);
        };
        let ended = drain(process, cancel, output, self.stopped()).await?;
        let duration = started.elapsed();
        let mut output_file = None;
        let output = collector.finish(|| {
            let spilled = self.shared().outputs.as_ref()?.keep(whole?);
            output_file = Some(spilled.path);
            Some(spilled.phrase)
        });
        let timed_out = ended.exit.is_some_and(|exit| exit.cause == Cause::TimedOut);
        let output = RunShellOutput {
            exit_code: match ended.exit {
                _ if timed_out => 124,
                Some(exit) if !ended.stopped => exit.status.code(),
                _ => 130,
            },
            timed_out,
            cancelled: ended.stopped,
            truncated: output.is_truncated(),
            omitted: OmittedBytes { stdout: output.omitted.stdout, stderr: output.omitted.stderr },
            stdout: output.stdout,
            stderr: output.stderr,
            duration_ms: milliseconds(duration),
            timeout_clamped: allowed.timeout_clamped,
            leftovers_killed: ended.exit.map(|exit| exit.leftovers_killed).filter(|&count| count > 0),
            note: note(&ended, cancel),
            output_file,
        };
        if timed_out && policy.timeout_as_error { Err(out_of_time(&output)) } else { Ok(output) }
    }

    /// Starts a command; `None` where the caller gave up before it had started.
    ///
    /// # Errors
    /// `spawn-failed`, `unsupported`, `backend-unavailable`; `not-found`, `not-a-directory`
    /// and `path-escape` for the working directory.
    pub(super) async fn spawn(&self, command: Command, cwd: &WorkspacePath) -> Result<Option<Process>> {
        let spawned = tokio::select! {
            biased;
            () = self.stopped() => return Ok(None),
            spawned = self.shell()?.spawn(command) => spawned,
        };
        match spawned {
            Ok(process) => Ok(Some(process)),
            Err(error) if error.path().is_some() => Err(self.explain(error, cwd).await),
            Err(error) => Err(ToolError::from(error)),
        }
    }

    /// Waits until the caller gives up or the workspace ends.
    async fn stopped(&self) {
        tokio::select! {
            Err(_) = self.or_cancelled(std::future::pending::<()>()) => {}
            () = self.shared().lifetime.over() => {}
        }
    }

    /// The rules of commands.
    ///
    /// # Errors
    /// `denied-command` where nothing runs.
    pub(crate) fn shell_policy(&self) -> Result<&ShellPolicy> {
        self.policy().shell.as_ref().ok_or_else(|| {
            ToolError::new(ToolErrorKind::DeniedCommand, "this workspace runs no commands")
                .with("reason", "not-allowed")
                .hint("go on with the file tools")
        })
    }

    /// The working directory must be a directory before anything starts, with an error that says what is wrong.
    async fn check_cwd(&self, cwd: &WorkspacePath, given: &str) -> Result<()> {
        match self.files().stat(cwd, StatOptions::default()).await {
            Ok(stat) if stat.kind == FileKind::Dir => Ok(()),
            Ok(_) => Err(ToolError::new(
                ToolErrorKind::NotADirectory,
                format!("`cwd` is `{}`, which is not a directory; nothing has run", Visible(given)),
            )
            .with("path", given)
            .with("field", "cwd")
            .hint("name a directory of the workspace, or leave `cwd` out for its root")),
            Err(error) => Err(self.explain(error, cwd).await.with("field", "cwd")),
        }
    }
}

/// How long a command may run.
struct Timeout {
    held: Option<Duration>,
    /// The value it was lowered to, in milliseconds, if it was.
    clamped: Option<u64>,
}

impl Timeout {
    fn of(policy: &ShellPolicy, asked: &Asked<'_>) -> Result<Self> {
        if asked.no_timeout {
            return Ok(Self { held: None, clamped: None });
        }
        if asked.timeout_ms == Some(0) {
            return Err(ToolError::new(
                ToolErrorKind::InvalidInput,
                "`timeout_ms` is the number 0; it must be a whole number of at least 1",
            )
            .with("field", "timeout_ms")
            .hint("give the time in milliseconds, or leave it out"));
        }
        let (default, ceiling) = if asked.background {
            let own = policy.background.as_ref().map_or(Limit::NONE, |background| background.timeout_ms);
            (own, own)
        } else {
            (policy.timeout_ms, policy.max_timeout_ms)
        };
        let held = match (asked.timeout_ms.or(default.0), ceiling.0) {
            (Some(wanted), Some(ceiling)) => Some(wanted.min(ceiling)),
            (wanted, ceiling) => wanted.or(ceiling),
        };
        let clamped = held.filter(|held| asked.timeout_ms.is_some_and(|asked| asked > *held));
        Ok(Self { held: held.map(Duration::from_millis), clamped })
    }
}

/// How much of a command's output is given back.
fn budget(policy: &ShellPolicy) -> Budget {
    Budget {
        max_bytes: policy.max_output_bytes.as_usize().unwrap_or(usize::MAX),
        keep: match policy.keep {
            OutputKeep::Ends => Keep::Ends,
            OutputKeep::Head => Keep::Head,
        },
        per_stream: policy.per_stream,
        terminal: policy.plain_output,
    }
}

fn environment(policy: &ShellPolicy) -> Environment {
    let mut environment = Environment::default()
        .with_base(match policy.env_base {
            EnvironmentBase::Minimal => EnvBase::Minimal,
            EnvironmentBase::Empty => EnvBase::Empty,
        })
        .with_hooks(policy.allow_hooks);
    environment.inherit.clone_from(&policy.inherit_env);
    environment.set = policy.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    environment
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

const DETACHED: &str =
    "this backend cannot end a command: it may go on until it ends by itself or its time is over";

/// What else there is to know of an end.
fn note(ended: &Ended, cancel: Cancel) -> Option<String> {
    match ended.exit {
        Some(exit) if exit.cause == Cause::OutOfMemory => {
            Some("the command was killed because memory ran out".to_owned())
        }
        None if cancel == Cancel::Detach => Some(DETACHED.to_owned()),
        None => Some(format!("the command was killed; that it has ended was not told within {LAST_WORDS:?}")),
        Some(_) => None,
    }
}

/// The error for a command that ran out of time, where the policy wants one.
fn out_of_time(output: &RunShellOutput) -> ToolError {
    let message = format!("the command ran out of time after {} ms and was killed", output.duration_ms);
    let error = ToolError::new(ToolErrorKind::Cancelled, message)
        .with("timed_out", true)
        .with("exit_code", output.exit_code)
        .with("stdout", output.stdout.as_str())
        .with("stderr", output.stderr.as_str())
        .with("duration_ms", output.duration_ms)
        .hint("what it did until then stands; run a smaller part, or give a longer `timeout_ms`");
    match &output.output_file {
        Some(file) => error.with("output_file", file.as_str()),
        None => error,
    }
}

/// The answer to a call that was cancelled before anything started.
pub(super) fn never_started() -> RunShellOutput {
    RunShellOutput {
        exit_code: 130,
        stdout: String::new(),
        stderr: String::new(),
        timed_out: false,
        cancelled: true,
        truncated: false,
        omitted: OmittedBytes::default(),
        duration_ms: 0,
        timeout_clamped: None,
        leftovers_killed: None,
        note: Some("the call was cancelled before the command started".to_owned()),
        output_file: None,
    }
}

/// The answer to a call that was cancelled while the command was starting.
fn given_up_at_start(cancel: Cancel, duration: Duration) -> RunShellOutput {
    let note = match cancel {
        Cancel::Detach => DETACHED,
        _ => "the call was cancelled while the command was starting",
    };
    RunShellOutput { duration_ms: milliseconds(duration), note: Some(note.to_owned()), ..never_started() }
}
