//! The commands of a workspace: which tools they have, and their end.

use tokio::time::timeout;
use workspace_core::{SharedShell, ShellCapabilities, ShellProvider};

use super::Workspace;
use crate::exec::LAST_WORDS;
use crate::spec::ToolSpec;
use crate::tools::{FOREGROUND_SPEC, ToolName};
use crate::{Result, TestsPolicy, ToolError, ToolErrorKind};

impl Workspace {
    /// What the commands can do here, where there are any.
    pub fn shell_capabilities(&self) -> Option<ShellCapabilities> {
        self.view.shell.as_ref().map(ShellProvider::capabilities)
    }

    /// Ends the commands of this workspace, of all its clones and projections.
    ///
    /// Running ones are killed and waited for, at most 5 seconds; a call that waits for one
    /// returns with `cancelled`. Then no command starts any more. What jobs have printed can
    /// still be read, and files stay usable. A second call does nothing more than to wait.
    pub async fn dispose(&self) {
        let shared = self.shared();
        shared.lifetime.end();
        let all_over = async {
            tokio::join!(shared.jobs.kill_all(LAST_WORDS), shared.lifetime.left());
            // Those that were on their way to start when the first were killed.
            shared.jobs.kill_all(LAST_WORDS).await;
        };
        if timeout(LAST_WORDS, all_over).await.is_err() {
            tracing::warn!("some commands had not ended {LAST_WORDS:?} after they were killed");
        }
        shared.jobs.abandon();
    }

    /// The commands of this workspace, unless it has ended or has none.
    pub(crate) fn shell(&self) -> Result<&SharedShell> {
        self.shared().lifetime.check()?;
        self.view.shell.as_ref().ok_or_else(no_commands)
    }

    /// Why a tool that has to do with commands is not there; `None` where it is, and for other tools.
    pub(crate) fn why_no_command(&self, tool: ToolName) -> Option<ToolError> {
        if !tool.is_about_commands() {
            return None;
        }
        if tool != ToolName::ShellOutput
            && let Err(error) = self.check_writable(tool)
        {
            return Some(error);
        }
        let Some(capabilities) = self.shell_capabilities() else { return Some(no_commands()) };
        let policy = match self.shell_policy() {
            Ok(policy) => policy,
            Err(error) => return Some(error),
        };
        match tool {
            ToolName::RunTests if !self.policy().tests.as_ref().is_some_and(TestsPolicy::is_enabled) => Some(
                ToolError::new(ToolErrorKind::Unsupported, "this workspace has no tests to run")
                    .with("capability", "tests")
                    .hint("the owner can name the command as `tests.command` in the policy"),
            ),
            ToolName::ShellOutput | ToolName::ShellKill | ToolName::ShellInput => {
                if policy.background.is_none() {
                    Some(background_disabled())
                } else if !capabilities.background {
                    Some(no_background())
                } else if tool == ToolName::ShellInput && !capabilities.stdin {
                    Some(
                        ToolError::new(
                            ToolErrorKind::Unsupported,
                            "nothing can be sent to a command on this backend",
                        )
                        .with("capability", "stdin")
                        .hint("give the command its input as a file or as arguments"),
                    )
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    /// Refuses a tool that has to do with commands where it is not there.
    ///
    /// # Errors
    /// `read-only`, `unsupported`, `denied-command`, `background-disabled`.
    pub(crate) fn check_command_tool(&self, tool: ToolName) -> Result<()> {
        self.why_no_command(tool).map_or(Ok(()), Err)
    }

    /// What a tool takes and gives here.
    pub(crate) fn spec(&self, tool: ToolName) -> &'static ToolSpec {
        match tool {
            ToolName::RunShell if self.why_no_command(ToolName::ShellOutput).is_some() => &FOREGROUND_SPEC,
            _ => tool.spec(),
        }
    }
}

fn no_commands() -> ToolError {
    ToolError::new(ToolErrorKind::Unsupported, "this workspace has no commands")
        .with("capability", "exec")
        .hint("go on with the file tools")
}

fn no_background() -> ToolError {
    ToolError::new(ToolErrorKind::Unsupported, "no command can run on in the background on this backend")
        .with("capability", "background")
        .hint("run it to its end instead")
}

fn background_disabled() -> ToolError {
    ToolError::new(ToolErrorKind::BackgroundDisabled, "no command may run on in the background here")
        .hint("run it to its end instead, with a timeout that is long enough")
}
