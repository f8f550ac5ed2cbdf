//! The tools of a session, for programs and for models.

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::BashSession;
use crate::spec::{Field, Shape, ToolSpec, object, read_input};
use crate::tools::{Answer, FOREGROUND_SPEC};
use crate::{Result, Tool, ToolDefinition, ToolError, ToolErrorKind, ToolOutput, ToolSet, Workspace};

const NAME: Field = Field::new("name", Shape::Text, "The file, relative to the root: `data/in.txt`.")
    .required()
    .aliases(&["path", "file_path", "filePath", "filename"]);

const HASH: Field = Field::new("hash", Shape::Text, "SHA-256 of the file.").required();

const PUT_FILE: ToolSpec = ToolSpec {
    name: "put_file",
    title: "Put a file",
    description: "Writes a text file into the session, making its directories where they are missing, or replacing \
                  what it held. The content is written exactly as it is sent.",
    input: &[NAME, Field::new("content", Shape::Text, "All that the file is to hold.").required()],
    output: &[
        Field::new("name", Shape::Text, "The file.").required(),
        Field::new("bytes_written", Shape::COUNT, "Bytes that the file has now.").required(),
        HASH,
        Field::new("created", Shape::Boolean, "Whether the file is new.").required(),
        Field::new("notice", Shape::Text, "What to know about this answer."),
    ],
    read_only: false,
    destructive: true,
    idempotent: true,
    open_world: false,
};

const GET_FILE: ToolSpec = ToolSpec {
    name: "get_file",
    title: "Get a file",
    description: "Gives all that a text file of the session holds, exactly as it is.",
    input: &[NAME],
    output: &[
        Field::new("name", Shape::Text, "The file.").required(),
        Field::new("content", Shape::Text, "All that it holds.").required(),
        Field::new("bytes", Shape::COUNT, "How many bytes it has.").required(),
        HASH,
    ],
    read_only: true,
    destructive: false,
    idempotent: true,
    open_world: false,
};

const BASH_EXEC: ToolSpec = ToolSpec {
    name: "bash_exec",
    title: "Run a line",
    description: "Runs a line of POSIX utilities on the files of the session and gives its exit code and output. There \
                  are awk, base64, basename, cat, chmod, comm, cp, cut, date, diff, dirname, du, echo, egrep, file, \
                  find, grep, head, join, ln, ls, md5sum, mkdir, mv, paste, rm, sed, sha256sum, shuf, sleep, sort, \
                  stat, tail, tee, test, touch, tr, uniq, wc and xargs, joined by `|`, `&&`, `||`, `;` and \
                  redirections. There is no `$( )`, no backtick, no loop, no other program, and no path out of the \
                  root, where every line starts. A non-zero exit code is an answer, not an error of the tool.",
    input: &[Field::new("command", Shape::Text, "The line.").required()],
    output: FOREGROUND_SPEC.output,
    read_only: false,
    destructive: true,
    idempotent: false,
    open_world: false,
};

/// What `put_file` takes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct PutFileInput {
    /// The file, relative to the root.
    pub name: String,
    /// All that it is to hold; 1 MiB at most, unless the session was opened with another limit.
    pub content: String,
}

impl PutFileInput {
    /// Puts a content into a file.
    pub fn new(name: impl Into<String>, content: impl Into<String>) -> Self {
        Self { name: name.into(), content: content.into() }
    }
}

/// What `put_file` gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PutFileOutput {
    /// The file, relative to the root.
    pub name: String,
    /// Bytes that the file has now.
    pub bytes_written: u64,
    /// SHA-256 of the file, lower-case hex.
    pub hash: String,
    /// Whether the file is new.
    pub created: bool,
    /// What to know about this answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

impl Answer for PutFileOutput {
    fn text(&self) -> String {
        let verb = if self.created { "created" } else { "replaced" };
        let text = format!("{verb} {} ({} bytes)", self.name, self.bytes_written);
        match &self.notice {
            Some(notice) => format!("{text}\n\n[{notice}]"),
            None => text,
        }
    }
}

/// What `get_file` takes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct GetFileInput {
    /// The file, relative to the root.
    pub name: String,
}

impl GetFileInput {
    /// Gets a file.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into() }
    }
}

/// What `get_file` gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GetFileOutput {
    /// The file, relative to the root.
    pub name: String,
    /// All that it holds, but for a byte order mark at its start.
    pub content: String,
    /// How many bytes it has.
    pub bytes: u64,
    /// SHA-256 of the file, lower-case hex.
    pub hash: String,
}

impl Answer for GetFileOutput {
    fn text(&self) -> String {
        self.content.clone()
    }
}

/// What `bash_exec` takes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct BashExecInput {
    /// The line, for `/bin/sh`.
    pub command: String,
}

impl BashExecInput {
    /// Runs a line.
    pub fn new(command: impl Into<String>) -> Self {
        Self { command: command.into() }
    }
}

/// The tools of a session beside those of its workspace, which vends none.
pub(super) fn tool_set(workspace: &Workspace, session: &BashSession) -> ToolSet {
    [Name::PutFile, Name::GetFile, Name::BashExec]
        .into_iter()
        .fold(ToolSet::new(workspace.clone()), |tools, name| {
            tools.with(SessionTool { name, session: session.clone() })
        })
}

#[derive(Debug, Clone, Copy)]
enum Name {
    PutFile,
    GetFile,
    BashExec,
}

impl Name {
    const fn spec(self) -> &'static ToolSpec {
        match self {
            Self::PutFile => &PUT_FILE,
            Self::GetFile => &GET_FILE,
            Self::BashExec => &BASH_EXEC,
        }
    }
}

/// One tool of a session as a model's call reaches it.
struct SessionTool {
    name: Name,
    session: BashSession,
}

#[async_trait]
impl Tool for SessionTool {
    fn definition(&self) -> ToolDefinition {
        let spec = self.name.spec();
        ToolDefinition {
            title: spec.title.to_owned(),
            output_schema: object(spec.output),
            read_only: spec.read_only,
            destructive: spec.destructive,
            idempotent: spec.idempotent,
            open_world: spec.open_world,
            ..ToolDefinition::new(spec.name, spec.description, object(spec.input))
        }
    }

    async fn call(&self, input: Map<String, Value>, cancel: &CancellationToken) -> Result<ToolOutput> {
        let input = read_input(self.name.spec(), Value::Object(input))?;
        let session = self.session.with_cancel(cancel.clone());
        match self.name {
            Name::PutFile => output(&session.put_file(typed(input)?).await?),
            Name::GetFile => output(&session.get_file(typed(input)?).await?),
            Name::BashExec => output(&session.bash_exec(typed(input)?).await?),
        }
    }
}

/// The typed input of a method. What the check of the input let through is of its type.
fn typed<T: DeserializeOwned>(input: Map<String, Value>) -> Result<T> {
    serde_json::from_value(Value::Object(input)).map_err(|error| {
        ToolError::new(ToolErrorKind::InvalidInput, format!("the input could not be read: {error}"))
            .with("field", "input")
    })
}

fn output(answer: &impl Answer) -> Result<ToolOutput> {
    match serde_json::to_value(answer) {
        Ok(Value::Object(value)) => Ok(ToolOutput::new(value, answer.text())),
        _ => Err(ToolError::new(ToolErrorKind::Io, "the answer could not be written as an object")),
    }
}
