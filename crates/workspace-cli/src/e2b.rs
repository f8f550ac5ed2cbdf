//! The backend `e2b`: from the options to a sandbox.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use workspace_e2b::{E2b, E2bAccount, E2bBuilder, SandboxQuery};
use workspace_local::Local;
use workspace_tools::{Policy, ToolError, Workspace, WorkspaceBuilder, copy_tree};

use crate::args::WorkspaceArgs;
use crate::failure::Failure;
use crate::open::note;

/// The sandbox of this program, once there is one.
#[derive(Debug, Clone, Default)]
pub(crate) struct InUse(Arc<OnceLock<E2b>>);

impl InUse {
    /// Ends the sandbox, where it was made by this program.
    pub(crate) async fn end(&self) {
        if let Some(sandbox) = self.0.get()
            && let Err(error) = sandbox.dispose().await
        {
            note(&format!("the sandbox could not be ended: {error}; it ends at its timeout"));
        }
    }
}

/// What `doctor` waits for an answer.
const PATIENCE: Duration = Duration::from_secs(10);

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The account that the variables of E2B's own programs name.
fn account() -> Option<E2bAccount> {
    let mut account = E2bAccount::new(variable("E2B_API_KEY")?);
    if let Some(domain) = variable("E2B_DOMAIN") {
        account = account.with_domain(domain);
    }
    if let Some(url) = variable("E2B_API_URL") {
        account = account.with_api_url(url);
    }
    if let Some(url) = variable("E2B_SANDBOX_URL") {
        account = account.with_sandbox_url(url);
    }
    Some(account)
}

fn builder(args: &WorkspaceArgs) -> Result<E2bBuilder, Failure> {
    if let Some(url) = &args.envd_url {
        let builder = E2b::envd(url);
        return Ok(match variable("E2B_ACCESS_TOKEN") {
            Some(token) => builder.with_access_token(token),
            None => builder,
        });
    }
    let account = account().ok_or_else(|| {
        Failure::usage(
            "the e2b backend needs a key in `E2B_API_KEY`",
            "make one in the dashboard of E2B, or name an envd with `--envd-url`",
        )
    })?;
    Ok(match &args.sandbox {
        Some(id) => E2b::attach(account, id),
        None => E2b::from_template(account, args.template.as_deref().unwrap_or("base")),
    })
}

/// A workspace in a sandbox, which ends with the program or, where that is killed, at its timeout.
pub(crate) async fn open(args: &WorkspaceArgs, policy: Policy) -> Result<WorkspaceBuilder, Failure> {
    let sandbox = builder(args)?.open().await.map_err(ToolError::from)?;
    // It is the first and only one of this program.
    let _ = args.in_use.0.set(sandbox.clone());
    if let Some(id) = sandbox.id() {
        note(&format!("sandbox {id}, its files in {}", sandbox.root()));
    }
    if let Some(directory) = &args.seed {
        let from = Local::open(directory).map_err(ToolError::from)?;
        let copied = copy_tree(&from, &sandbox).await.map_err(ToolError::from)?;
        note(&format!("copied {} files, {} bytes", copied.files, copied.bytes));
    }
    Ok(Workspace::e2b(sandbox, policy))
}

/// What `doctor` says: whether the service takes the key.
pub(crate) async fn doctor() -> Vec<String> {
    let Some(account) = account() else {
        return vec![
            "e2b     not ready: there is no key in `E2B_API_KEY`".into(),
            "        make one in the dashboard of E2B; `--envd-url` needs none".into(),
        ];
    };
    match account.with_deadline(PATIENCE).list(SandboxQuery::default()).await {
        Ok(found) => vec![
            format!("e2b     ready: the service takes the key, {} sandboxes run", found.len()),
            "        isolation of commands: a virtual machine of E2B, without a way out by default".into(),
        ],
        Err(error) => {
            let mut lines = vec![format!("e2b     not ready: {error}")];
            lines.extend(error.next_step().map(|hint| format!("        {hint}")));
            lines
        }
    }
}
