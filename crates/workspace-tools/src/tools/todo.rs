//! `todo_write` and `todo_read`: what the agent means to do.

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::answer::Answer;
use crate::spec::{Field, Shape, ToolSpec};
use crate::{Result, ToolError, ToolErrorKind, Workspace};

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

pub(crate) const WRITE_SPEC: ToolSpec = ToolSpec {
    name: "todo_write",
    title: "Write the todo list",
    description: "Replaces the todo list of this workspace by the items given, in their order.",
    input: &[Field::new(
        "todos",
        Shape::List(&Shape::Object(&[
            Field::new("content", Shape::Text, "What to do, 1 to 500 characters.").required(),
            Field::new("status", STATUSES, "How far it is.").required(),
            Field::new("id", Shape::Text, "The id of an item that exists, to keep it."),
        ])),
        "The whole list, at most 100 items.",
    )
    .required()],
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

/// The most items of a list.
const MAX_TODOS: usize = 100;
/// The longest item, in characters.
const MAX_CHARS: usize = 500;

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

/// What `todo_write` takes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct TodoWriteInput {
    /// The whole list, at most 100 items.
    pub todos: Vec<TodoInput>,
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

#[derive(Debug, Default)]
struct List {
    todos: Vec<Todo>,
    given: u64,
}

impl Workspace {
    /// Replaces the todo list. It lives in memory and is shared by all projections.
    ///
    /// # Errors
    /// `invalid-input`, naming the item at fault; the old list stays.
    #[allow(clippy::unused_async)] // Every tool is asynchronous, so that all are called alike.
    pub async fn todo_write(&self, input: TodoWriteInput) -> Result<TodosOutput> {
        self.check_cancelled()?;
        if input.todos.len() > MAX_TODOS {
            let message =
                format!("`todos` has {} items; it must have at most {MAX_TODOS}", input.todos.len());
            return Err(refuse("todos".into(), message));
        }
        let mut ids: Vec<&str> = Vec::new();
        for (index, todo) in input.todos.iter().enumerate() {
            let chars = todo.content.chars().count();
            if chars == 0 || chars > MAX_CHARS {
                let field = format!("todos[{index}].content");
                let message = format!("`{field}` has {chars} characters; it must have 1 to {MAX_CHARS}");
                return Err(refuse(field, message));
            }
            if let Some(id) = todo.id.as_deref() {
                let field = format!("todos[{index}].id");
                if id.is_empty() {
                    let message = format!("`{field}` is empty; leave it out for a new item");
                    return Err(refuse(field, message));
                }
                if ids.contains(&id) {
                    let message = format!("`{field}` stands twice in the list: \"{id}\"");
                    return Err(refuse(field, message));
                }
                ids.push(id);
            }
        }
        let mut list = self.shared().todos.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut todos = Vec::with_capacity(input.todos.len());
        for todo in &input.todos {
            let id = match &todo.id {
                Some(id) => id.clone(),
                None => loop {
                    list.given += 1;
                    let id = list.given.to_string();
                    if !ids.contains(&id.as_str()) {
                        break id;
                    }
                },
            };
            todos.push(Todo { id, content: todo.content.clone(), status: todo.status });
        }
        list.todos = todos;
        Ok(list.output())
    }

    /// Gives the todo list.
    ///
    /// # Errors
    /// `cancelled`.
    #[allow(clippy::unused_async)] // Every tool is asynchronous, so that all are called alike.
    pub async fn todo_read(&self, _: TodoReadInput) -> Result<TodosOutput> {
        self.check_cancelled()?;
        Ok(self.shared().todos.0.lock().unwrap_or_else(PoisonError::into_inner).output())
    }
}

impl List {
    fn output(&self) -> TodosOutput {
        let count = |status| self.todos.iter().filter(|todo| todo.status == status).count() as u64;
        TodosOutput {
            counts: TodoCounts {
                pending: count(TodoStatus::Pending),
                in_progress: count(TodoStatus::InProgress),
                completed: count(TodoStatus::Completed),
            },
            todos: self.todos.clone(),
        }
    }
}

fn refuse(field: String, message: String) -> ToolError {
    ToolError::new(ToolErrorKind::InvalidInput, message)
        .with("field", field)
        .hint("correct this item and send the whole list again; the old list stays")
}
