//! The script of the build-loop example over a tree in memory, with scripted commands.

#[path = "../../examples/build_loop/agent.rs"]
mod agent;
#[path = "../../examples/build_loop/project.rs"]
mod project;

use std::sync::Mutex;

use workspace_core::Finished;
use workspace_memory::{Memory, Script};
use workspace_tools::{ApprovalPolicy, Policy, ShellPolicy, ToolSet, Workspace};

/// Stands for `cargo test` by what the files hold.
fn tests_of(memory: &Memory) -> Finished {
    let holds = |path: &str, text: &str| {
        memory.read_now(path).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(text))
    };
    let failing = [
        ("every_price_counts", holds("src/total.rs", "prices.iter().sum()")),
        ("small_prices_are_discounted_too", holds("src/discount.rs", "price * percent / 100")),
    ];
    match failing.iter().find(|(_, mended)| !mended) {
        Some((test, _)) => Finished::new(101).with_stdout(format!("test tests::{test} ... FAILED\n")),
        None => Finished::new(0).with_stdout("test result: ok. 2 passed; 0 failed\n"),
    }
}

#[tokio::test]
async fn the_agent_gets_the_tests_green_on_a_tree_in_memory() {
    let memory =
        project::FILES.iter().fold(Memory::new(), |memory, (path, text)| memory.with_file(path, *text));
    let script = Script::new().with_function(|_, memory: &Memory| Some(tests_of(memory)));
    let shell = memory.shell(script);
    let policy = Policy {
        shell: Some(ShellPolicy::allowing(["cargo"])),
        approval: ApprovalPolicy::never(),
        ..Policy::default()
    };
    let workspace = Workspace::memory(memory.clone(), policy).shell(shell.clone()).build().unwrap();

    let said = Mutex::new(Vec::new());
    let green =
        agent::work(&ToolSet::new(workspace), |line| said.lock().unwrap().push(line.to_owned())).await;

    let said = said.into_inner().unwrap().join("\n");
    assert!(green, "{said}");
    assert_eq!(shell.commands().len(), 3, "{said}");
    let discount = String::from_utf8(memory.read_now("src/discount.rs").unwrap()).unwrap();
    let before = project::FILES.iter().find(|(path, _)| *path == "src/discount.rs").unwrap().1;
    assert_eq!(discount, before.replace("price - price / 100 * percent", "price - price * percent / 100"));
}
