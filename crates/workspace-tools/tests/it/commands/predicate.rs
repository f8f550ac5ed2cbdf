//! Commands about which the owner decides in code.

use std::sync::{Arc, Mutex};

use serde_json::json;
use workspace_memory::Memory;
use workspace_tools::{
    CommandContext, CommandDecision, Interpreter, Policy, RunShellInput, ShellPolicy, Word, Workspace,
};

use super::puppet::Shell;
use super::{refused, with_shell};

/// What the predicate was asked: the words, where, and whether in the background.
type Asked = Arc<Mutex<Vec<(String, Vec<String>, bool)>>>;

/// Notes what it is asked, and denies each command that has the word `evil`.
fn no_evil(
    asked: &Asked,
) -> impl Fn(&[Word], &CommandContext<'_>) -> CommandDecision + Send + Sync + use<> + 'static {
    let asked = Arc::clone(asked);
    move |words, context| {
        let words: Vec<&str> = words.iter().map(Word::text).collect();
        let entry = (words.join(" "), context.directories.to_vec(), context.background);
        asked.lock().unwrap().push(entry);
        if words.contains(&"evil") {
            CommandDecision::Deny("nothing evil, please".into())
        } else {
            CommandDecision::Allow
        }
    }
}

fn workspace(shell: &Shell, policy: Policy, asked: &Asked) -> Workspace {
    Workspace::builder(Memory::new().with_file("src/a.txt", "text\n"))
        .shell(shell.clone())
        .policy(policy)
        .allow_command(no_evil(asked))
        .build()
        .unwrap()
}

fn sh() -> Policy {
    with_shell(|shell| shell.interpreter = Interpreter::Sh)
}

#[tokio::test]
async fn r_sh_4_every_command_of_a_line_is_asked_about() {
    let (shell, asked) = (Shell::new(), Asked::default());
    let workspace = workspace(&shell, sh(), &asked);
    assert!(workspace.check_command("cd src && timeout 5 cat a.txt | wc -l $(id -u)").await.runs());
    let heard = |words: &str, directory: &str| (words.to_owned(), vec![directory.to_owned()], false);
    let mut list = std::mem::take(&mut *asked.lock().unwrap());
    list.sort();
    assert_eq!(
        list,
        [
            heard("cat a.txt", "src"),
            heard("cd src", ""),
            heard("id -u", "src"),
            heard("timeout 5 cat a.txt", "src"),
            heard("wc -l $(id -u)", "src"),
        ]
    );
    assert!(!workspace.check_command("ls; timeout 5 evil").await.runs());
}

#[tokio::test]
async fn r_sh_4_the_reason_of_a_denial_reaches_the_model_and_nothing_starts() {
    let (shell, asked) = (Shell::new(), Asked::default());
    let workspace = workspace(&shell, sh(), &asked);
    let error = workspace.run_shell(RunShellInput::new("git log; git evil")).await.unwrap_err();
    assert_eq!(error.message(), "nothing evil, please; nothing has run");
    let fields = refused::<()>(Err(error), "denied-command");
    assert_eq!(fields, json!({ "reason": "not-allowed", "command": "git evil", "token": "git evil" }));
    assert!(!shell.has_started());
}

#[tokio::test]
async fn r_sh_4_the_predicate_learns_where_and_how() {
    let (shell, asked) = (Shell::new(), Asked::default());
    let workspace = workspace(&shell, sh(), &asked);
    let input = RunShellInput { cwd: Some("src".into()), ..RunShellInput::new("cat a.txt") };
    workspace.start_shell(input).await.unwrap();
    assert_eq!(*asked.lock().unwrap(), [("cat a.txt".to_owned(), vec!["src".to_owned()], true)]);
    workspace.dispose().await;
}

#[tokio::test]
async fn r_sh_4_the_predicate_narrows_and_opens_nothing() {
    let (shell, asked) = (Shell::new(), Asked::default());
    let closed = workspace(&shell, Policy::default(), &asked);
    assert!(!closed.check_command("git log").await.runs());
    let listed = workspace(&shell, with_shell(|shell| shell.allow = Some(vec!["git".into()])), &asked);
    assert!(!listed.check_command("ls").await.runs());
    // The lists come first: nobody was asked.
    assert!(asked.lock().unwrap().is_empty());
    assert!(listed.check_command("git log").await.runs());
    let scoped = listed.scope("src").await.unwrap();
    assert!(!scoped.check_command("git evil").await.runs());
}

#[tokio::test]
async fn r_sh_4_a_panic_in_the_predicate_is_a_denial() {
    let policy = Policy { shell: Some(ShellPolicy::default()), ..Policy::default() };
    let workspace = Workspace::builder(Memory::new())
        .policy(policy)
        .allow_command(|_, _| panic!("the predicate is broken"))
        .build()
        .unwrap();
    let verdict = workspace.check_command("git log").await;
    assert_eq!(verdict.reason().map(workspace_tools::Reason::as_str), Some("not-allowed"));
}
