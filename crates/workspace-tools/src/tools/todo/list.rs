//! The list itself: what is written takes hold as a whole or not at all.

use super::{Todo, TodoCounts, TodoInput, TodoStatus, TodoUpdate, TodosOutput};
use crate::similar::nearest;
use crate::{Result, ToolError, ToolErrorKind};

/// The most items of a list.
const MAX_TODOS: usize = 100;
/// The longest item, in characters.
const MAX_CHARS: usize = 500;

/// What is to be done, and the ids that were given.
#[derive(Debug, Default)]
pub(super) struct List {
    todos: Vec<Todo>,
    /// How many ids were made so far: none is made twice, also after its item has gone.
    given: u64,
}

impl List {
    /// Puts other items in the place of all.
    ///
    /// # Errors
    /// `invalid-input`, naming the item at fault; the list is as it was.
    pub(super) fn replace(&mut self, items: Vec<TodoInput>) -> Result<TodosOutput> {
        check_count("todos", items.len())?;
        let mut ids = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let at = format!("todos[{index}]");
            check_content(&at, &item.content)?;
            if let Some(id) = item.id.as_deref() {
                check_id(&at, id, &ids)?;
                ids.push(id.to_owned());
            }
        }
        let mut todos = Vec::with_capacity(items.len());
        for TodoInput { content, status, id } in items {
            let id = id.unwrap_or_else(|| self.new_id(&ids));
            todos.push(Todo { id, content, status });
        }
        self.todos = todos;
        Ok(self.output())
    }

    /// Changes some items, each in its place.
    ///
    /// # Errors
    /// As [`replace`](Self::replace); also for an id that no item has and for an item that names no change.
    pub(super) fn update(&mut self, changes: Vec<TodoUpdate>) -> Result<TodosOutput> {
        check_count("update", changes.len())?;
        let mut todos = self.todos.clone();
        let mut ids = Vec::new();
        for (index, TodoUpdate { id, content, status }) in changes.into_iter().enumerate() {
            let at = format!("update[{index}]");
            check_id(&at, &id, &ids)?;
            let Some(todo) = todos.iter_mut().find(|todo| todo.id == id) else {
                return Err(self.no_such_id(&at, &id));
            };
            if content.is_none() && status.is_none() {
                let message = format!("`{at}` names no change; it must have `status`, `content` or both");
                return Err(refuse(at, message));
            }
            if let Some(content) = content {
                check_content(&at, &content)?;
                todo.content = content;
            }
            todo.status = status.unwrap_or(todo.status);
            ids.push(id);
        }
        self.todos = todos;
        Ok(self.output())
    }

    pub(super) fn output(&self) -> TodosOutput {
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

    /// An id that no item has had, and none of the ids that a call names has.
    fn new_id(&mut self, named: &[String]) -> String {
        loop {
            self.given += 1;
            let id = self.given.to_string();
            if !named.contains(&id) && !self.todos.iter().any(|todo| todo.id == id) {
                return id;
            }
        }
    }

    fn no_such_id(&self, at: &str, id: &str) -> ToolError {
        let message = format!("`{at}.id` is {id:?}, which no item of the list has");
        let error = refuse(format!("{at}.id"), message);
        match nearest(id, self.todos.iter().map(|todo| todo.id.as_str())) {
            Some(near) => {
                error.hint(format!("did you mean {near:?}? send the update again; the list is as it was"))
            }
            None if self.todos.is_empty() => error.hint("the list is empty: write it whole, as `todos`"),
            None => {
                let ids: Vec<_> = self.todos.iter().map(|todo| format!("{:?}", todo.id)).collect();
                error.hint(format!("the ids are {}; the list is as it was", ids.join(", ")))
            }
        }
    }
}

fn check_count(field: &str, count: usize) -> Result<()> {
    if count <= MAX_TODOS {
        return Ok(());
    }
    Err(refuse(field.to_owned(), format!("`{field}` has {count} items; it must have at most {MAX_TODOS}")))
}

fn check_content(at: &str, content: &str) -> Result<()> {
    let chars = content.chars().count();
    if (1..=MAX_CHARS).contains(&chars) {
        return Ok(());
    }
    let field = format!("{at}.content");
    let message = format!("`{field}` has {chars} characters; it must have 1 to {MAX_CHARS}");
    Err(refuse(field, message))
}

fn check_id(at: &str, id: &str, earlier: &[String]) -> Result<()> {
    let field = format!("{at}.id");
    if id.is_empty() {
        let message =
            format!("`{field}` is empty; it must be the id of an item, or be left out for a new one");
        return Err(refuse(field, message));
    }
    if earlier.iter().any(|known| known == id) {
        let message = format!("`{field}` stands twice in the call: {id:?}");
        return Err(refuse(field, message));
    }
    Ok(())
}

/// The refusal of a whole write for one fault in it.
pub(super) fn refuse(field: String, message: String) -> ToolError {
    ToolError::new(ToolErrorKind::InvalidInput, message)
        .with("field", field)
        .hint("correct this and send all of it again; the list is as it was")
}
