//! A session, and its end.

use std::fmt;
use std::sync::Arc;
#[cfg(feature = "local")]
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use tokio_util::sync::CancellationToken;
use workspace_core::Visible;

use super::BashSessionBuilder;
#[cfg(feature = "local")]
use super::place::Place;
use super::steps;
use super::tools::{BashExecInput, GetFileInput, GetFileOutput, PutFileInput, PutFileOutput, tool_set};
use crate::{
    ReadFileInput, Result, RunShellInput, RunShellOutput, ToolError, ToolErrorKind, ToolSet, Workspace,
    WriteFileInput,
};

/// A shell for one session: files are put into a fresh directory, lines of POSIX utilities
/// run on them, files are got out of it, and the directory goes away.
///
/// Each line runs in the root of the session with `/bin/sh`, after every command in it was
/// found among the [utilities that are allowed](Self#what-runs). It sees `PATH` (of the
/// system's directories), `HOME` and `TMPDIR` (the root), `LANG=C` and `TERM=dumb`, and no
/// other variable. It may run 30 seconds; then all its processes are ended.
///
/// A clone is the same session. It ends with [`end`](Self::end), or when the last clone is
/// dropped: in a task of the runtime where there is one; else at once, and then what a command
/// has closed to its own user stays. A program that is killed leaves the directory to whoever
/// cleans up the system's temporary files.
///
/// # What runs
/// `awk base64 basename cat chmod comm cp cut date diff dirname du echo egrep file find grep
/// head join ln ls md5sum mkdir mv paste rm sed sha256sum shuf sleep sort stat tail tee test
/// touch tr uniq wc xargs`, joined by `|`, `&&`, `||`, `;`, redirections and here-documents.
/// What `xargs` and `find -exec` start must be among them as well. No shell, no `$( )`, no
/// backtick, no path out of the root, no component `..`.
///
/// # Limits
/// The rules are a filter, no isolation: an allowed program can do what its user can. For
/// walls, open the session [over a container](BashSessionBuilder::over).
///
/// # Examples
/// ```no_run
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use workspace_tools::{BashExecInput, BashSession, GetFileInput, PutFileInput};
///
/// let session = BashSession::open()?;
/// session.put_file(PutFileInput::new("names.txt", "eve\nadam\n")).await?;
/// let sorted = session.bash_exec(BashExecInput::new("sort names.txt | tee sorted.txt")).await?;
/// assert_eq!((sorted.exit_code, sorted.stdout.as_str()), (0, "adam\neve\n"));
/// assert_eq!(session.get_file(GetFileInput::new("sorted.txt")).await?.content, "adam\neve\n");
/// session.end().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct BashSession {
    workspace: Workspace,
    shared: Arc<Shared>,
}

/// What all clones share.
struct Shared {
    strict_dotdot: bool,
    #[cfg(feature = "local")]
    home: Option<Home>,
}

/// A directory that is the session's own.
#[cfg(feature = "local")]
struct Home {
    /// To end what runs before the directory goes.
    workspace: Workspace,
    place: Mutex<Option<Place>>,
}

impl BashSession {
    /// Opens a session in a new temporary directory of this machine.
    ///
    /// # Errors
    /// Those of [`BashSessionBuilder::open`].
    #[cfg(feature = "local")]
    pub fn open() -> Result<Self> {
        Self::builder().open()
    }

    /// Begins to set up a session.
    pub fn builder() -> BashSessionBuilder {
        BashSessionBuilder::default()
    }

    #[cfg(feature = "local")]
    pub(super) fn in_place(workspace: Workspace, place: Place, strict_dotdot: bool) -> Self {
        let home = Some(Home { workspace: workspace.clone(), place: Mutex::new(Some(place)) });
        Self { workspace, shared: Arc::new(Shared { strict_dotdot, home }) }
    }

    pub(super) fn over(workspace: Workspace, strict_dotdot: bool) -> Self {
        let shared = Shared {
            strict_dotdot,
            #[cfg(feature = "local")]
            home: None,
        };
        Self { workspace, shared: Arc::new(shared) }
    }

    /// This session for one call that can be cancelled by a token.
    #[must_use]
    pub fn with_cancel(&self, cancel: CancellationToken) -> Self {
        Self { workspace: self.workspace.with_cancel(cancel), shared: Arc::clone(&self.shared) }
    }

    /// Writes a file, making its directories where they are missing.
    ///
    /// # Errors
    /// `invalid-input` and `path-escape` for the name; `too-large` over the session's limit,
    /// 1 MiB by default; `is-a-directory`, `not-a-file`, `no-space`; `disposed`.
    pub async fn put_file(&self, input: PutFileInput) -> Result<PutFileOutput> {
        self.check_open()?;
        self.workspace.parse_entry("name", &input.name)?;
        let written = self.workspace.write_file(WriteFileInput::new(input.name, input.content)).await?;
        Ok(PutFileOutput {
            name: written.path,
            bytes_written: written.bytes_written,
            hash: written.hash,
            created: written.created,
            notice: written.notice,
        })
    }

    /// Gives a whole text file.
    ///
    /// # Errors
    /// `invalid-input` and `path-escape` for the name; `not-found`, `is-a-directory`,
    /// `not-a-file`, `binary`, `not-utf8`; `too-large` over the session's limit, 1 MiB by
    /// default; `disposed`.
    pub async fn get_file(&self, input: GetFileInput) -> Result<GetFileOutput> {
        self.check_open()?;
        let path = self.workspace.parse_entry("name", &input.name)?.to_string();
        let page =
            self.workspace.read_file(ReadFileInput::new(input.name).raw()).await.map_err(
                |error| match error.kind() {
                    ToolErrorKind::TooLarge => {
                        error.hint("print a part of it with `bash_exec`: `head`, `tail`, `sed -n`")
                    }
                    _ => error,
                },
            )?;
        Ok(GetFileOutput { name: path, content: page.content, bytes: page.total_bytes, hash: page.hash })
    }

    /// Runs a line to its end.
    ///
    /// A non-zero exit code, a timeout and a cancellation are answers, with the output so far.
    ///
    /// # Errors
    /// `denied-command` where a command of the line is not allowed, with a message of one
    /// line; nothing has run then. `spawn-failed`, `backend-unavailable`, `disposed`.
    pub async fn bash_exec(&self, input: BashExecInput) -> Result<RunShellOutput> {
        self.check_open()?;
        self.check_line(&input.command).await.map_err(one_line)?;
        self.workspace.run_shell(RunShellInput::new(input.command)).await.map_err(one_line)
    }

    /// The three tools for a model: `put_file`, `get_file` and `bash_exec`.
    pub fn tools(&self) -> ToolSet {
        tool_set(&self.workspace, self)
    }

    /// Calls a tool and gives its answer as a text, for a host that has texts alone: what the
    /// tool says, or one line that begins with `Error: `.
    pub async fn answer(&self, tool: &str, input: Value) -> String {
        match self.tools().call(tool, input).await {
            Ok(output) => output.text,
            Err(error) => {
                let hint = error.next_step().map(|hint| format!("; {hint}")).unwrap_or_default();
                Visible(&format!("Error: {}{hint}", error.message())).to_string()
            }
        }
    }

    /// Ends the session and all its clones: what runs is killed and waited for, at most 5
    /// seconds, then the directory is removed. A second call does nothing more.
    ///
    /// # Errors
    /// `io` where something could not be removed.
    pub async fn end(&self) -> Result<()> {
        self.workspace.dispose().await;
        #[cfg(feature = "local")]
        if let Some(place) = self.shared.home.as_ref().and_then(Home::take) {
            return place.remove().await;
        }
        Ok(())
    }

    /// A session that has ended has no files.
    fn check_open(&self) -> Result<()> {
        self.workspace.shared().lifetime.check().map_err(|error| {
            ToolError::new(error.kind(), "the session has ended, and its files are gone")
                .hint("open a new session")
        })
    }

    /// Refuses a line that steps up on its way, also where it would arrive inside.
    async fn check_line(&self, line: &str) -> Result<()> {
        let verdict = self.workspace.check_command(line).await;
        // What the policy refuses is refused with its words, when the line is to run.
        if !verdict.runs() {
            return Ok(());
        }
        let found = if self.shared.strict_dotdot && line.contains("..") {
            Some("..".to_owned())
        } else {
            steps::first_step_up(line, &verdict)
        };
        match found {
            None => Ok(()),
            Some(word) => Err(ToolError::new(
                ToolErrorKind::DeniedCommand,
                format!("`{}` has two dots where none may be; nothing has run", Visible(&word)),
            )
            .with("reason", "path-escape")
            .with("token", word)
            .hint("name each file from the root of the session, where every line starts")),
        }
    }
}

/// An error whose message and hint are of one line each.
fn one_line(error: ToolError) -> ToolError {
    let is_long = |text: &str| text.contains(char::is_control);
    if !is_long(error.message()) && !error.next_step().is_some_and(is_long) {
        return error;
    }
    let mut short = ToolError::new(error.kind(), Visible(error.message()).to_string());
    for (name, value) in error.fields() {
        short = short.with(name, value.clone());
    }
    match error.next_step() {
        Some(hint) => short.hint(Visible(hint).to_string()),
        None => short,
    }
}

#[cfg(feature = "local")]
impl Home {
    fn take(&self) -> Option<Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[cfg(feature = "local")]
impl Drop for Home {
    fn drop(&mut self) {
        let Some(place) = self.take() else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let workspace = self.workspace.clone();
        // Where the runtime goes before the task is done, the directory goes with the task.
        runtime.spawn(async move {
            workspace.dispose().await;
            if let Err(error) = place.remove().await {
                tracing::warn!(%error, "a session left its directory behind");
            }
        });
    }
}

impl fmt::Debug for BashSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BashSession")
            .field("workspace", &self.workspace)
            .field("strict_dotdot", &self.shared.strict_dotdot)
            .finish_non_exhaustive()
    }
}
