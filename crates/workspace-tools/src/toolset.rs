//! The tools of a workspace as a model sees them: definitions and calls.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use workspace_core::Progress;

use crate::approval::{Consent, PreparedCall, Rehearsal};
use crate::similar::nearest;
use crate::spec::{ToolSpec, object, read_input};
use crate::tools::{Answer, ToolName};
use crate::{Result, ToolError, ToolErrorKind, Workspace};

/// A tool as a model sees it. The schemas are in the subset that strict modes take.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // The four hints of the MCP specification.
pub struct ToolDefinition {
    /// Its name: letters, digits and `_`, under 40 bytes.
    pub name: String,
    /// A name for people.
    pub title: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON Schema of its input.
    pub input_schema: Value,
    /// The JSON Schema of its output.
    pub output_schema: Value,
    /// It changes nothing.
    pub read_only: bool,
    /// It may overwrite or remove something.
    pub destructive: bool,
    /// A second equal call changes nothing more.
    pub idempotent: bool,
    /// It may reach beyond the workspace.
    pub open_world: bool,
}

impl ToolDefinition {
    /// A definition of a tool of your own, which may change and reach anything until you say otherwise.
    pub fn new(name: impl Into<String>, description: impl Into<String>, input_schema: Value) -> Self {
        let name = name.into();
        Self {
            title: name.clone(),
            name,
            description: description.into(),
            input_schema,
            output_schema: serde_json::json!({"type": "object"}),
            read_only: false,
            destructive: true,
            idempotent: false,
            open_world: true,
        }
    }

    fn of(spec: &ToolSpec, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            title: spec.title.to_owned(),
            description: spec.description.to_owned(),
            input_schema: object(spec.input),
            output_schema: object(spec.output),
            read_only: spec.read_only,
            destructive: spec.destructive,
            idempotent: spec.idempotent,
            open_world: spec.open_world,
        }
    }
}

/// What a tool gave: an object for programs and a text for the model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolOutput {
    /// The fields of the answer.
    pub value: Map<String, Value>,
    /// The answer as a model reads it best.
    pub text: String,
}

impl ToolOutput {
    /// An answer of fields and a text.
    pub fn new(value: Map<String, Value>, text: impl Into<String>) -> Self {
        Self { value, text: text.into() }
    }

    fn of(answer: &impl Answer) -> Result<Self> {
        match serde_json::to_value(answer) {
            Ok(Value::Object(value)) => Ok(Self { value, text: answer.text() }),
            _ => Err(ToolError::new(ToolErrorKind::Io, "the answer could not be written as an object")),
        }
    }
}

/// A tool of your own, to stand beside those of the workspace.
#[async_trait]
pub trait Tool: Send + Sync {
    /// How the model sees it.
    fn definition(&self) -> ToolDefinition;

    /// Does it. The token is cancelled where the caller gives up.
    async fn call(&self, input: Map<String, Value>, cancel: &CancellationToken) -> Result<ToolOutput>;
}

/// The tools of a workspace, to be listed for a model and called by name.
///
/// # Examples
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use workspace_memory::Memory;
/// use workspace_tools::{ToolSet, Workspace};
///
/// let tools = ToolSet::new(Workspace::builder(Memory::new()).build()?);
/// let input = serde_json::json!({"path": "missing.txt"});
/// let error = tools.call("read_file", input).await.unwrap_err();
/// assert_eq!(error.to_value("read_file")["kind"], "not-found");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ToolSet {
    workspace: Workspace,
    names: BTreeMap<ToolName, String>,
    own: Vec<Arc<dyn Tool>>,
}

impl ToolSet {
    /// The tools that a workspace vends.
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace, names: BTreeMap::new(), own: Vec::new() }
    }

    /// Gives a tool another name.
    #[must_use]
    pub fn renamed(mut self, tool: ToolName, name: impl Into<String>) -> Self {
        self.names.insert(tool, name.into());
        self
    }

    /// Adds a tool of your own, after those of the workspace.
    #[must_use]
    pub fn with(mut self, tool: impl Tool + 'static) -> Self {
        self.own.push(Arc::new(tool));
        self
    }

    /// The workspace behind the tools.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The same tools, for one call that counts what it has done so far.
    ///
    /// See [`Workspace::with_progress`].
    #[must_use]
    pub fn watched(&self, progress: Progress) -> Self {
        Self { workspace: self.workspace.with_progress(progress), ..self.clone() }
    }

    /// The definitions, in the fixed order.
    pub fn definitions(&self) -> Vec<ToolDefinition> {
        let tools = self.workspace.tools().into_iter();
        let ours = tools.map(|tool| {
            let mut definition = ToolDefinition::of(self.workspace.spec(tool), self.name(tool));
            for (tool, name) in &self.names {
                let own = format!("`{name}`");
                definition.description =
                    definition.description.replace(&format!("`{}`", tool.as_str()), &own);
            }
            definition
        });
        ours.chain(self.own.iter().map(|tool| tool.definition())).collect()
    }

    /// Calls a tool by its name.
    ///
    /// # Errors
    /// Whatever kept the tool from doing it, as data for the model; an unknown
    /// name is `invalid-input`.
    pub async fn call(&self, name: &str, input: Value) -> Result<ToolOutput> {
        self.call_with(name, input, &CancellationToken::new()).await
    }

    /// Calls a tool by its name, until the token is cancelled.
    ///
    /// # Errors
    /// As [`call`](Self::call), and `cancelled`.
    pub async fn call_with(
        &self,
        name: &str,
        input: Value,
        cancel: &CancellationToken,
    ) -> Result<ToolOutput> {
        let vended = self.workspace.tools();
        if let Some(tool) = vended.into_iter().find(|tool| self.name(*tool) == name) {
            let called = match read_input(tool.spec(), input) {
                Ok(input) => {
                    let workspace = self.workspace.with_cancel(cancel.clone());
                    // One future holds those of all tools.
                    Box::pin(self.run(tool, input, &workspace)).await
                }
                Err(error) => Err(error),
            };
            return called.map_err(|error| self.in_own_names(error));
        }
        if let Some(tool) = self.own.iter().find(|tool| tool.definition().name == name) {
            let Value::Object(input) = input else { return Err(no_object()) };
            return tool.call(input, cancel).await;
        }
        Err(self.unknown(name))
    }

    /// Reads and judges a call, and finds out what the owner would be asked. Nothing is changed or
    /// started: an edit is tried out, and its change is in the request.
    ///
    /// # Errors
    /// Whatever would keep the call from running before the owner is asked.
    pub async fn prepare(&self, name: &str, input: Value) -> Result<PreparedCall> {
        let vended = self.workspace.tools();
        let Some(tool) = vended.into_iter().find(|tool| self.name(*tool) == name) else {
            return match (self.own.iter().find(|tool| tool.definition().name == name), input) {
                (Some(_), Value::Object(input)) => {
                    Ok(PreparedCall { tool: name.to_owned(), input, needs_approval: false, request: None })
                }
                (Some(_), _) => Err(no_object()),
                (None, _) => Err(self.unknown(name)),
            };
        };
        let input = read_input(tool.spec(), input).map_err(|error| self.in_own_names(error))?;
        let mut prepared =
            PreparedCall { tool: name.to_owned(), input, needs_approval: false, request: None };
        let rehearsal = Rehearsal::default();
        let stage = self.workspace.with_consent(Consent::Rehearsed(rehearsal.clone()));
        let outcome = Box::pin(self.run(tool, prepared.input.clone(), &stage)).await;
        match (rehearsal.take(), outcome) {
            (Some((request, needed)), _) => {
                prepared.needs_approval = needed;
                prepared.request = Some(request);
                Ok(prepared)
            }
            (None, Err(error)) => Err(self.in_own_names(error)),
            // Every tool asks before it does anything.
            (None, Ok(_)) => Err(ToolError::new(
                ToolErrorKind::Unsupported,
                format!("`{name}` cannot be prepared without running it"),
            )),
        }
    }

    /// Whether the owner may have to be asked about calls of a tool at all, whatever their input.
    ///
    /// Where it is false, calls need not be prepared. It costs nothing to ask.
    pub fn may_need_approval(&self, name: &str) -> bool {
        let tool = self.workspace.tools().into_iter().find(|tool| self.name(*tool) == name);
        tool.is_some_and(|tool| self.workspace.may_ask(tool))
    }

    /// Whether the owner would be asked about a call.
    ///
    /// # Errors
    /// Those of [`prepare`](Self::prepare).
    pub async fn needs_approval(&self, name: &str, input: Value) -> Result<bool> {
        Ok(self.prepare(name, input).await?.needs_approval)
    }

    /// Runs a call that was prepared and that the owner has approved. The approver is not asked.
    ///
    /// What was approved is what runs: the call is judged again, and where it would now do
    /// anything else (a file has changed, the working directory leads elsewhere, the policy is
    /// another) it does nothing.
    ///
    /// # Errors
    /// `approval-required` for a call that is not the approved one any more, and those of
    /// [`call_with`](Self::call_with).
    pub async fn run_approved(&self, call: PreparedCall, cancel: &CancellationToken) -> Result<ToolOutput> {
        let consent = call.request.map_or(Consent::Asked, |request| Consent::Given(Arc::new(request)));
        let tools = Self { workspace: self.workspace.with_consent(consent), ..self.clone() };
        tools.call_with(&call.tool, Value::Object(call.input), cancel).await
    }

    fn name(&self, tool: ToolName) -> &str {
        self.names.get(&tool).map_or(tool.as_str(), String::as_str)
    }

    /// The same error with the names under which tools are vended here.
    fn in_own_names(&self, error: ToolError) -> ToolError {
        self.names.iter().fold(error, |error, (tool, name)| {
            error.with_word_replaced(&format!("`{}`", tool.as_str()), &format!("`{name}`"))
        })
    }

    fn unknown(&self, name: &str) -> ToolError {
        if let Some(tool) = ToolName::parse(name)
            && tool.changes_files()
            && let Err(error) = self.workspace.check_writable(tool)
        {
            return error;
        }
        if let Some(tool) = ToolName::parse(name)
            && let Err(error) = self.workspace.check_command_tool(tool)
        {
            return error;
        }
        let names: Vec<_> = self.definitions().into_iter().map(|tool| tool.name).collect();
        let error = ToolError::new(ToolErrorKind::InvalidInput, format!("there is no tool `{name}` here"))
            .with("field", "tool");
        match nearest(name, names.iter().map(String::as_str)) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint(format!("the tools are {}", names.join(", "))),
        }
    }

    async fn run(
        &self,
        tool: ToolName,
        mut input: Map<String, Value>,
        workspace: &Workspace,
    ) -> Result<ToolOutput> {
        /// Reads the input of a method, calls it, and writes its answer.
        macro_rules! call {
            ($method:ident) => {
                ToolOutput::of(&workspace.$method(typed(input)?).await?)
            };
        }
        match tool {
            ToolName::ReadFile => call!(read_file),
            ToolName::EditFile => call!(edit_file),
            ToolName::MultiEdit => call!(multi_edit),
            ToolName::WriteFile => call!(write_file),
            ToolName::ListDir => call!(list_dir),
            ToolName::RunShell if input.remove("background") == Some(Value::Bool(true)) => call!(start_shell),
            ToolName::RunShell => call!(run_shell),
            ToolName::ShellOutput => call!(shell_output),
            ToolName::ShellKill => call!(shell_kill),
            ToolName::RunTests => call!(run_tests),
            ToolName::ShellInput => call!(shell_input),
            ToolName::Grep => call!(grep),
            ToolName::Glob => call!(glob),
            ToolName::TodoWrite => call!(todo_write),
            ToolName::TodoRead => call!(todo_read),
            ToolName::Exists => call!(exists),
            ToolName::Stat => call!(stat),
            ToolName::Mkdir => call!(mkdir),
            ToolName::Remove => call!(remove),
            ToolName::Move => call!(r#move),
            ToolName::Copy => call!(copy),
            ToolName::ApplyPatch => call!(apply_patch),
        }
    }
}

impl fmt::Debug for ToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.definitions().into_iter().map(|tool| tool.name).collect();
        f.debug_struct("ToolSet").field("tools", &names).finish_non_exhaustive()
    }
}

fn no_object() -> ToolError {
    ToolError::new(ToolErrorKind::InvalidInput, "the input must be an object").with("field", "input")
}

/// The typed input of a method. What the check of the input let through is of its type.
fn typed<T: DeserializeOwned>(input: Map<String, Value>) -> Result<T> {
    serde_json::from_value(Value::Object(input)).map_err(|error| {
        ToolError::new(ToolErrorKind::InvalidInput, format!("the input could not be read: {error}"))
            .with("field", "input")
    })
}
