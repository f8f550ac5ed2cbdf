//! What holds for any sequence of calls.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use workspace_core::FsProvider;
use workspace_memory::{Memory, Script};
use workspace_tools::{
    ApprovalPolicy, EditFileInput, Policy, ReadFileInput, ReadFormat, ShellPolicy, ToolSet, Workspace,
    WriteFileInput,
};

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

const PATHS: &[&str] = &["a.txt", "b.txt", "d/a.txt", "d/e/c.txt", "d", "d/e", "a.txt/under"];
/// None is a part of another or of two others in a row.
const WORDS: &[&str] = &["alpha ", "beta\n", "gamma ", "délta\n", "\u{1f980} "];

fn text() -> impl Strategy<Value = String> {
    vec(select(WORDS), 0..8).prop_map(|words| words.concat())
}

fn some_words() -> impl Strategy<Value = String> {
    vec(select(WORDS), 1..3).prop_map(|words| words.concat())
}

/// One call, as a model would send it.
fn call() -> impl Strategy<Value = (&'static str, Value)> {
    let path = || select(PATHS);
    prop_oneof![
        3 => (path(), text()).prop_map(|(path, content)| ("write_file", json!({"path": path, "content": content}))),
        4 => (path(), some_words(), text(), any::<bool>()).prop_map(|(path, old, new, all)| {
            ("edit_file", json!({"path": path, "old_string": old, "new_string": new, "replace_all": all}))
        }),
        2 => (path(), 0u64..6, some_words()).prop_map(|(path, line, new)| {
            ("edit_file", json!({"path": path, "insert_line": line, "new_string": new}))
        }),
        3 => (path(), vec((some_words(), text()), 1..4)).prop_map(|(path, edits)| {
            let edits: Vec<_> =
                edits.iter().map(|(old, new)| json!({"old_string": old, "new_string": new})).collect();
            ("multi_edit", json!({"path": path, "edits": edits}))
        }),
        2 => path().prop_map(|path| ("read_file", json!({"path": path}))),
        1 => path().prop_map(|path| ("list_dir", json!({"path": path, "depth": 3}))),
        1 => Just(("glob", json!({"pattern": "**/*.txt"}))),
        1 => select(WORDS).prop_map(|word| ("grep", json!({"pattern": word.trim(), "literal": true}))),
        1 => path().prop_map(|path| ("mkdir", json!({"path": path}))),
        1 => (path(), any::<bool>())
            .prop_map(|(path, recursive)| ("remove", json!({"path": path, "recursive": recursive}))),
        1 => (path(), path()).prop_map(|(from, to)| ("move", json!({"from": from, "to": to}))),
        1 => (path(), path()).prop_map(|(from, to)| ("copy", json!({"from": from, "to": to}))),
    ]
}

/// Every tool that needs no command.
fn tools(files: impl FsProvider) -> ToolSet {
    let workspace = Workspace::builder(files).build().unwrap();
    let names = [
        "read_file",
        "edit_file",
        "multi_edit",
        "write_file",
        "list_dir",
        "grep",
        "glob",
        "mkdir",
        "remove",
        "move",
        "copy",
    ];
    ToolSet::new(workspace.pick_strict(names).unwrap())
}

async fn answer(tools: &ToolSet, name: &str, input: &Value) -> Value {
    match tools.call(name, input.clone()).await {
        Ok(output) => json!({"value": output.value, "text": output.text}),
        Err(error) => {
            // Each backend has its words for what stands in the way; all else is one contract.
            let mut error = error.to_value(name);
            error.as_object_mut().unwrap().remove("message");
            json!({"error": error})
        }
    }
}

/// Every file by its path.
async fn tree(tools: &ToolSet) -> BTreeMap<String, String> {
    let found = tools.call("glob", json!({"pattern": "**/*", "no_ignore": true})).await.unwrap();
    let mut tree = BTreeMap::new();
    for path in found.value["paths"].as_array().unwrap() {
        let path = path.as_str().unwrap().to_owned();
        let input = ReadFileInput { format: ReadFormat::Raw, ..ReadFileInput::new(&path) };
        if let Ok(page) = tools.workspace().read_file(input).await {
            tree.insert(path, page.content);
        }
    }
    tree
}

/// What exact replacement means, and nothing more: the text after it, if it is made.
fn replaced(text: &str, old: &str, new: &str, all: bool) -> Option<String> {
    // Places may overlap: each of them could be meant.
    match text.char_indices().filter(|(at, _)| text[*at..].starts_with(old)).count() {
        1 => Some(text.replacen(old, new, 1)),
        2.. if all => Some(text.replace(old, new)),
        _ => None,
    }
}

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn r_call_4_memory_and_a_directory_give_equal_answers_and_equal_trees(calls in vec(call(), 1..24)) {
        let root = tempfile::tempdir().unwrap();
        block_on(async {
            let memory = tools(Memory::new());
            let local = tools(workspace_local::Local::open(root.path()).unwrap());
            for (name, input) in &calls {
                let (one, other) = (answer(&memory, name, input).await, answer(&local, name, input).await);
                prop_assert_eq!(one, other, "{} {}", name, input);
            }
            prop_assert_eq!(tree(&memory).await, tree(&local).await);
            Ok(())
        })?;
    }

    #[test]
    fn r_edit_1_an_edit_is_exact_replacement_on_every_backend(
        text in text(),
        edits in vec((some_words(), self::text(), any::<bool>()), 1..12),
    ) {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("f"), &text).unwrap();
        let memory = Memory::new().with_file("f", text.clone());
        let workspaces = [
            Workspace::builder(memory).build().unwrap(),
            Workspace::builder(workspace_local::Local::open(root.path()).unwrap()).build().unwrap(),
        ];
        for workspace in workspaces {
            let mut expected = text.clone();
            for (old, new, all) in &edits {
                let mut input = EditFileInput::replace("f", old, new);
                input.replace_all = *all;
                let edited = block_on(workspace.edit_file(input)).is_ok();
                let after = replaced(&expected, old, new, *all).filter(|after| *after != expected);
                prop_assert_eq!(edited, after.is_some(), "{:?} in {:?}", old, expected);
                expected = after.unwrap_or(expected);
                let input = ReadFileInput { format: ReadFormat::Raw, ..ReadFileInput::new("f") };
                prop_assert_eq!(&block_on(workspace.read_file(input)).unwrap().content, &expected);
            }
        }
    }

    #[test]
    fn r_proj_1_no_sequence_of_projections_gains_a_right(steps in vec(step(), 0..8)) {
        block_on(async {
            let files = Memory::new()
                .with_file("top.txt", "top")
                .with_file("in/mid.txt", "mid")
                .with_file("in/er/leaf.txt", "leaf");
            let shell = files.shell(Script::new());
            let policy = Policy {
                shell: Some(ShellPolicy::allowing(["make"])),
                approval: ApprovalPolicy::never(),
                ..Policy::default()
            };
            let mut view = Workspace::builder(files).shell(shell).policy(policy).build().unwrap();
            let (mut tools, mut reach) = (rights(&view), reach(&view).await);
            for step in steps {
                let Some(next) = step.take(&view).await else { continue };
                let (fewer, nearer) = (rights(&next), self::reach(&next).await);
                // Tools that are off by default come by their names alone, and are no right more.
                let off = ["shell_input", "exists", "stat", "mkdir", "remove", "move", "copy"];
                prop_assert!(
                    fewer.iter().all(|tool| tools.contains(tool) || off.contains(tool)), "{:?}: {:?}", step, fewer
                );
                prop_assert!(nearer.is_subset(&reach), "{:?}: {:?}", step, nearer);
                (view, tools, reach) = (next, fewer, nearer);
                if !may_write(&view).await {
                    prop_assert!(!tools.iter().any(|tool| tool.contains("write_file") || tool.contains("edit")));
                }
            }
            Ok(())
        })?;
    }
}

/// A step from one projection to the next.
#[derive(Debug, Clone)]
enum Step {
    ReadOnly,
    Scope(&'static str),
    Pick(Vec<&'static str>),
}

fn step() -> impl Strategy<Value = Step> {
    let names = select(&["read_file", "write_file", "edit_file", "run_shell", "glob", "remove"][..]);
    prop_oneof![
        1 => Just(Step::ReadOnly),
        2 => select(&["in", "er", "in/er", ".", "..", "top.txt"][..]).prop_map(Step::Scope),
        2 => vec(names, 0..5).prop_map(Step::Pick),
    ]
}

impl Step {
    async fn take(&self, view: &Workspace) -> Option<Workspace> {
        match self {
            Self::ReadOnly => Some(view.readonly()),
            Self::Scope(dir) => view.scope(dir).await.ok(),
            Self::Pick(names) => Some(view.pick(names.iter().copied())),
        }
    }
}

fn rights(view: &Workspace) -> BTreeSet<&'static str> {
    view.tools().into_iter().map(workspace_tools::ToolName::as_str).collect()
}

/// The contents of all files that can be read.
async fn reach(view: &Workspace) -> BTreeSet<String> {
    let mut reach = BTreeSet::new();
    for path in
        ["top.txt", "in/mid.txt", "in/er/leaf.txt", "mid.txt", "er/leaf.txt", "leaf.txt", "../top.txt"]
    {
        let input = ReadFileInput { format: ReadFormat::Raw, ..ReadFileInput::new(path) };
        if let Ok(page) = view.read_file(input).await {
            reach.insert(page.content);
        }
    }
    reach
}

async fn may_write(view: &Workspace) -> bool {
    view.write_file(WriteFileInput::new("probe", "")).await.is_ok()
}

/// Everybody adds a line to one file, and tries again where another was faster.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn r_lock_1_a_thousand_concurrent_edits_lose_none() {
    const TASKS: usize = 1000;
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("f"), "end\n").unwrap();
    let workspaces = [
        Workspace::builder(Memory::new().with_file("f", "end\n")).build().unwrap(),
        Workspace::builder(workspace_local::Local::open(root.path()).unwrap()).build().unwrap(),
    ];
    for workspace in workspaces {
        let gate = Arc::new(tokio::sync::Semaphore::new(8));
        let mut tasks = tokio::task::JoinSet::new();
        for task in 0..TASKS {
            let (workspace, gate) = (workspace.clone(), Arc::clone(&gate));
            tasks.spawn(async move {
                let _turn = gate.acquire_owned().await.unwrap();
                loop {
                    let hash = workspace.read_file(ReadFileInput::new("f")).await.unwrap().hash;
                    let edit =
                        EditFileInput::replace("f", "end\n", format!("line {task}\nend\n")).expecting(hash);
                    match workspace.edit_file(edit).await {
                        Ok(_) => return,
                        Err(error) => assert_eq!(error.kind().as_str(), "stale-hash"),
                    }
                }
            });
        }
        tasks.join_all().await;
        let input = ReadFileInput { format: ReadFormat::Raw, limit: Some(2000), ..ReadFileInput::new("f") };
        let content = workspace.read_file(input).await.unwrap().content;
        let mut lines: Vec<_> = content.lines().collect();
        assert_eq!(lines.pop(), Some("end"));
        let mut numbers: Vec<usize> =
            lines.iter().map(|line| line.strip_prefix("line ").unwrap().parse().unwrap()).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..TASKS).collect::<Vec<_>>());
    }
}
