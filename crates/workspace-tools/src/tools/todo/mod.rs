//! `todo_write` and `todo_read`: what the agent means to do.

mod list;

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::answer::Answer;
use super::names::ToolName;
use crate::approval::ApprovalRequest;
use crate::spec::{Field, Shape, ToolSpec};
use crate::{Result, Workspace};
use list::{List, refuse};

/// What the owner is asked about, where these calls are to be asked about.
const SUBJECT: &str = "the todo list";

const STATUSES: Shape = Shape::Choice(&["pending", "in_progress", "completed"]);

const OUTPUT: &[Field] = &[
    Field::new(
        "todos",
        Shape::List(&Shape::Object(&[
            Field::new("id", Shape::Text, "Its id, which stays the same.").required(),
            Field::new("content", Shape::Text, "What to do.").required(),
            Field::new("status", STATUSES, "How far it is.").required(),
        ])),
        "The list.",
    )
    .required(),
    Field::new(
        "counts",
        Shape::Object(&[
            Field::new("pending", Shape::COUNT, "Not begun.").required(),
            Field::new("in_progress", Shape::COUNT, "Begun.").required(),
            Field::new("completed", Shape::COUNT, "Done.").required(),
        ]),
        "How many of each status.",
    )
    .required(),
];

const WRITTEN: Shape = Shape::List(&Shape::Object(&[
    Field::new("content", Shape::Text, "What to do, 1 to 500 characters.").required(),
    Field::new("status", STATUSES, "How far it is.").required(),
    Field::new("id", Shape::Text, "The id of an item that exists, to keep it."),
]));

const CHANGED: Shape = Shape::List(&Shape::Object(&[
    Field::new("id", Shape::Text, "The id of the item.").required(),
    Field::new("status", STATUSES, "How far it is now."),
    Field::new("content", Shape::Text, "What to do instead, 1 to 500 characters."),
]));

pub(crate) const WRITE_SPEC: ToolSpec = ToolSpec {
    name: "todo_write",
    title: "Write the todo list",
    description: "Writes the todo list of this workspace. `todos` replaces the whole list by the items given, in their \
                  order. `update` changes the items that it names by their ids and leaves the others as they are. \
                  Give one of the two.",
    input: &[
        Field::new("todos", WRITTEN, "The whole list, at most 100 items."),
        Field::new(
            "update",
            CHANGED,
            "Only what changes: for each item its id, with its new status or content.",
        ),
    ],
    output: OUTPUT,
    read_only: false,
    destructive: false,
    idempotent: true,
    open_world: false,
};

pub(crate) const READ_SPEC: ToolSpec = ToolSpec {
    name: "todo_read",
    title: "Read the todo list",
    description: "Gives the todo list of this workspace.",
    input: &[],
    output: OUTPUT,
    read_only: true,
    destructive: false,
    idempotent: true,
    open_world: false,
};

/// How far an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    /// Not begun.
    Pending,
    /// Begun.
    InProgress,
    /// Done.
    Completed,
}

/// One item of the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Todo {
    /// Its id, which stays the same while the list is written anew with it.
    pub id: String,
    /// What to do.
    pub content: String,
    /// How far it is.
    pub status: TodoStatus,
}

/// One item to write.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TodoInput {
    /// What to do; 1 to 500 characters.
    pub content: String,
    /// How far it is.
    pub status: TodoStatus,
    /// The id of an item that exists, to keep it.
    #[serde(default)]
    pub id: Option<String>,
}

impl TodoInput {
    /// A new item that is not begun.
    pub fn new(content: impl Into<String>) -> Self {
        Self { content: content.into(), status: TodoStatus::Pending, id: None }
    }
}

/// What changes in one item.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct TodoUpdate {
    /// The id of the item.
    pub id: String,
    /// What to do instead; 1 to 500 characters.
    #[serde(default)]
    pub content: Option<String>,
    /// How far it is now.
    #[serde(default)]
    pub status: Option<TodoStatus>,
}

impl TodoUpdate {
    /// An item that has come so far.
    pub fn status(id: impl Into<String>, status: TodoStatus) -> Self {
        Self { id: id.into(), status: Some(status), ..Self::default() }
    }

    /// An item that is another thing to do, as far as it was.
    pub fn content(id: impl Into<String>, content: impl Into<String>) -> Self {
        Self { id: id.into(), content: Some(content.into()), ..Self::default() }
    }
}

/// What `todo_write` takes: a whole list, or what changes in the one that there is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct TodoWriteInput {
    /// The whole list, at most 100 items.
    pub todos: Option<Vec<TodoInput>>,
    /// What changes, at most 100 items, each named once.
    pub update: Option<Vec<TodoUpdate>>,
}

impl TodoWriteInput {
    /// Replaces the whole list.
    pub fn replacing(todos: impl IntoIterator<Item = TodoInput>) -> Self {
        Self { todos: Some(todos.into_iter().collect()), update: None }
    }

    /// Changes some items and leaves the others as they are.
    pub fn updating(changes: impl IntoIterator<Item = TodoUpdate>) -> Self {
        Self { todos: None, update: Some(changes.into_iter().collect()) }
    }
}

/// What `todo_read` takes: nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub struct TodoReadInput {}

/// How many items of each status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct TodoCounts {
    /// Not begun.
    pub pending: u64,
    /// Begun.
    pub in_progress: u64,
    /// Done.
    pub completed: u64,
}

/// What the todo tools give.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TodosOutput {
    /// The list.
    pub todos: Vec<Todo>,
    /// How many of each status.
    pub counts: TodoCounts,
}

impl Answer for TodosOutput {
    fn text(&self) -> String {
        if self.todos.is_empty() {
            return "the todo list is empty".into();
        }
        let lines: Vec<_> = self
            .todos
            .iter()
            .map(|todo| {
                let mark = match todo.status {
                    TodoStatus::Pending => ' ',
                    TodoStatus::InProgress => '~',
                    TodoStatus::Completed => 'x',
                };
                format!("[{mark}] {} ({})", todo.content, todo.id)
            })
            .collect();
        lines.join("\n")
    }
}

/// The one list of a workspace.
#[derive(Debug, Default)]
pub(crate) struct TodoList(Mutex<List>);

impl TodoList {
    fn open(&self) -> MutexGuard<'_, List> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Workspace {
    /// Replaces the todo list, or changes items of it by their ids.
    ///
    /// It lives in memory, and all projections share it. An item keeps its id for as long as
    /// each new list names it; the id of an item that has gone is not given again.
    ///
    /// # Examples
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use workspace_memory::Memory;
    /// use workspace_tools::{TodoInput, TodoStatus, TodoUpdate, TodoWriteInput, Workspace};
    ///
    /// let workspace = Workspace::builder(Memory::new()).build()?;
    /// let plan = ["read the code", "mend it"].map(TodoInput::new);
    /// let list = workspace.todo_write(TodoWriteInput::replacing(plan)).await?;
    ///
    /// let done = TodoUpdate::status(&list.todos[0].id, TodoStatus::Completed);
    /// let list = workspace.todo_write(TodoWriteInput::updating([done])).await?;
    /// assert_eq!((list.counts.completed, list.counts.pending), (1, 1));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `invalid-input`, naming the item at fault; the old list stays.
    #[allow(clippy::unused_async)] // Every tool is asynchronous, so that all are called alike.
    pub async fn todo_write(&self, input: TodoWriteInput) -> Result<TodosOutput> {
        self.check_cancelled()?;
        self.approve(ToolName::TodoWrite, || ApprovalRequest::new(ToolName::TodoWrite, SUBJECT)).await?;
        let mut list = self.shared().todos.open();
        match (input.todos, input.update) {
            (Some(todos), None) => list.replace(todos),
            (None, Some(changes)) => list.update(changes),
            (Some(_), Some(_)) => Err(refuse(
                "update".into(),
                "`todos` and `update` are both given; it must be one of them".into(),
            )),
            (None, None) => Err(refuse(
                "todos".into(),
                "`todos` is missing; it must be the whole list, or `update` what changes in it".into(),
            )),
        }
    }

    /// Gives the todo list.
    ///
    /// # Errors
    /// `cancelled`.
    #[allow(clippy::unused_async)] // Every tool is asynchronous, so that all are called alike.
    pub async fn todo_read(&self, _: TodoReadInput) -> Result<TodosOutput> {
        self.check_cancelled()?;
        self.approve(ToolName::TodoRead, || ApprovalRequest::new(ToolName::TodoRead, SUBJECT)).await?;
        Ok(self.shared().todos.open().output())
    }
}
