//! The todo list, by a program and by a model.

use serde_json::{Value, json};
use workspace_memory::Memory;
use workspace_tools::{
    Todo, TodoInput, TodoReadInput, TodoStatus, TodoUpdate, TodoWriteInput, ToolSet, Workspace,
};

fn workspace() -> Workspace {
    Workspace::builder(Memory::new()).build().unwrap()
}

fn todo(id: &str, content: &str, status: TodoStatus) -> Todo {
    Todo { id: id.into(), content: content.into(), status }
}

async fn write(workspace: &Workspace, input: Value) -> Value {
    let output = ToolSet::new(workspace.clone()).call("todo_write", input).await.unwrap();
    Value::Object(output.value)
}

#[tokio::test]
async fn a_write_replaces_the_list_and_a_read_gives_it() {
    let workspace = workspace();
    let first = write(
        &workspace,
        json!({"todos": [
            {"content": "look", "status": "completed"},
            {"content": "mend", "status": "in_progress", "id": "m"},
        ]}),
    )
    .await;
    assert_eq!(
        first,
        json!({
            "todos": [
                {"id": "1", "content": "look", "status": "completed"},
                {"id": "m", "content": "mend", "status": "in_progress"},
            ],
            "counts": {"pending": 0, "in_progress": 1, "completed": 1},
        })
    );
    write(&workspace, json!({"todos": [{"content": "rest", "status": "pending"}]})).await;
    let list = workspace.todo_read(TodoReadInput {}).await.unwrap();
    assert_eq!(list.todos, [todo("2", "rest", TodoStatus::Pending)]);
}

#[tokio::test]
async fn an_update_changes_what_it_names_and_keeps_ids_and_order() {
    let workspace = workspace();
    let plan = TodoWriteInput::replacing(["a", "b", "c"].map(TodoInput::new));
    workspace.todo_write(plan).await.unwrap();
    let list = workspace
        .todo_write(TodoWriteInput::updating([
            TodoUpdate::content("3", "d"),
            TodoUpdate::status("1", TodoStatus::Completed),
        ]))
        .await
        .unwrap();
    let expected = [
        todo("1", "a", TodoStatus::Completed),
        todo("2", "b", TodoStatus::Pending),
        todo("3", "d", TodoStatus::Pending),
    ];
    assert_eq!(list.todos, expected);
    let both = json!({"update": [{"id": "2", "status": "in_progress", "content": "e"}], "todos": null});
    assert_eq!(
        write(&workspace, both).await["todos"][1],
        json!({"id": "2", "content": "e", "status": "in_progress"})
    );
    // The list is one for all that stand for this workspace, also where nothing else may change.
    let seen = workspace.readonly().todo_read(TodoReadInput {}).await.unwrap();
    assert_eq!(seen.todos[1].content, "e");
    let readonly = workspace.readonly();
    let done = TodoWriteInput::updating([TodoUpdate::status("2", TodoStatus::Completed)]);
    assert_eq!(readonly.todo_write(done).await.unwrap().counts.completed, 2);
}

#[tokio::test]
async fn an_id_is_given_once() {
    let workspace = workspace();
    let of = |items: Value| json!({"todos": items});
    write(&workspace, of(json!([{"content": "a", "status": "pending"}]))).await;
    write(&workspace, of(json!([]))).await;
    let list = write(
        &workspace,
        of(json!([
            {"content": "b", "status": "pending"},
            {"content": "c", "status": "pending", "id": "2"},
        ])),
    )
    .await;
    let ids: Vec<_> = list["todos"].as_array().unwrap().iter().map(|todo| &todo["id"]).collect();
    assert_eq!(ids, ["3", "2"]);
}

#[tokio::test]
async fn one_bad_item_refuses_the_whole_write_and_is_named() {
    let workspace = workspace();
    let plan = TodoWriteInput::replacing(["a", "b"].map(TodoInput::new));
    let before = workspace.todo_write(plan).await.unwrap();
    let item = |content: &str| json!({"content": content, "status": "pending"});
    let many: Vec<Value> = (0..101).map(|_| item("x")).collect();
    for (input, field) in [
        (json!({}), "todos"),
        (json!({"todos": null, "update": null}), "todos"),
        (json!({"todos": [], "update": []}), "update"),
        (json!({"todos": [item("x"), item("")]}), "todos[1].content"),
        (json!({"todos": [item(&"é".repeat(501))]}), "todos[0].content"),
        (json!({"todos": [item("x"), {"content": "y", "status": "done"}]}), "todos[1].status"),
        (json!({"todos": [{"content": "x"}]}), "todos[0].status"),
        (json!({"todos": [{"content": "x", "status": "pending", "id": ""}]}), "todos[0].id"),
        (
            json!({"todos": [
                {"content": "x", "status": "pending", "id": "z"},
                {"content": "y", "status": "pending", "id": "z"},
            ]}),
            "todos[1].id",
        ),
        (json!({"todos": many}), "todos"),
        (
            json!({"update": [{"id": "1", "status": "completed"}, {"id": "9", "content": "x"}]}),
            "update[1].id",
        ),
        (
            json!({"update": [{"id": "1", "content": "x"}, {"id": "1", "status": "completed"}]}),
            "update[1].id",
        ),
        (json!({"update": [{"id": "1", "content": "x"}, {"id": "2"}]}), "update[1]"),
        (json!({"update": [{"id": "1", "content": ""}]}), "update[0].content"),
        (json!({"update": [{"status": "completed"}]}), "update[0].id"),
        (json!({"update": [{"id": "1", "status": "completed", "order": 1}]}), "update[0].order"),
    ] {
        let error = ToolSet::new(workspace.clone()).call("todo_write", input.clone()).await.unwrap_err();
        let told = (error.kind().as_str(), error.fields()["field"].as_str());
        assert_eq!(told, ("invalid-input", Some(field)), "{input}");
        assert_eq!(workspace.todo_read(TodoReadInput {}).await.unwrap(), before, "{input}");
    }
    let longest = TodoUpdate::content("1", "é".repeat(500));
    workspace.todo_write(TodoWriteInput::updating([longest])).await.unwrap();
}

#[tokio::test]
async fn an_id_that_no_item_has_is_answered_with_those_that_there_are() {
    let workspace = workspace();
    let change = || TodoWriteInput::updating([TodoUpdate::status("tets", TodoStatus::Completed)]);
    let empty = workspace.todo_write(change()).await.unwrap_err();
    assert_eq!(empty.next_step(), Some("the list is empty: write it whole, as `todos`"));
    let named = TodoInput { id: Some("test".into()), ..TodoInput::new("x") };
    workspace.todo_write(TodoWriteInput::replacing([named])).await.unwrap();
    let near = workspace.todo_write(change()).await.unwrap_err();
    assert_eq!(near.message(), "`update[0].id` is \"tets\", which no item of the list has");
    assert_eq!(near.next_step(), Some("did you mean \"test\"? send the update again; the list is as it was"));
}
