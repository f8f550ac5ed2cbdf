//! Scripts, and what is recorded of the commands that they answer.

use std::time::{Duration, UNIX_EPOCH};

use workspace_core::{
    Cause, Command, EnvBase, Environment, ErrorKind, Event, Exit, ExitStatus, Finished, PathFilter, Program,
    ShellProvider, Stdin, Stream,
};
use workspace_memory::{ManualClock, Memory, MemoryConfig, MemoryShell, Outcome, Reply, Script};

use crate::files::path;

pub(crate) async fn events(shell: &MemoryShell, command: Command) -> Vec<Event> {
    shell.spawn(command).await.unwrap().events.collect_items(100).await.unwrap()
}

pub(crate) fn out(text: &str) -> Event {
    Event::Output(Stream::Stdout, text.into())
}

pub(crate) fn err(text: &str) -> Event {
    Event::Output(Stream::Stderr, text.into())
}

pub(crate) const fn exited(code: i32) -> Event {
    Event::Exit(Exit::new(ExitStatus::Code(code)))
}

#[tokio::test]
async fn r_mem_1_a_table_answers_exactly_its_commands() {
    let script = Script::new()
        .with_argv(["git", "status"], Finished::new(0).with_stdout("clean\n"))
        .with_line("git status", Finished::new(1).with_stderr("as a line\n"))
        .with_line("git status", Finished::new(2));
    let shell = Memory::new().shell(script);
    assert_eq!(events(&shell, Command::argv(["git", "status"])).await, [out("clean\n"), exited(0)]);
    assert_eq!(events(&shell, Command::sh("git status")).await, [err("as a line\n"), exited(1)]);
    for other in [Command::argv(["git", "status", "-s"]), Command::argv(["git"]), Command::sh("git status ")]
    {
        assert_eq!(events(&shell, other).await.last(), Some(&exited(127)));
    }
}

#[tokio::test]
async fn r_mem_1_an_unscripted_command_ends_with_127_and_says_how_to_script_it() {
    let shell = Memory::new().shell(Script::new());
    assert_eq!(
        events(&shell, Command::argv(["car\ngo", "test"])).await,
        [
            err("`car\\ngo`: not scripted; add it to the script of this shell with `Script::with_argv`\n"),
            exited(127),
        ]
    );
    assert_eq!(
        events(&shell, Command::sh("  make all")).await,
        [
            err("`make`: not scripted; add it to the script of this shell with `Script::with_line`\n"),
            exited(127)
        ]
    );
    assert_eq!(events(&shell, Command::argv([""; 0])).await.last(), Some(&exited(127)));
}

#[tokio::test]
async fn r_mem_1_a_function_reads_and_changes_the_tree() {
    let memory = Memory::new().with_file("dir/in", "hello");
    let shell = memory.shell(Script::new().with_function(|command, files| {
        let at = |name| command.cwd.child(name).unwrap();
        let text = files.read_now(at("in").as_str()).ok()?;
        files.write_now(at("out").as_str(), text.to_ascii_uppercase()).unwrap();
        Some(Finished::new(0))
    }));
    assert_eq!(events(&shell, Command::sh("upper").with_cwd(path("dir"))).await, [exited(0)]);
    assert_eq!(memory.read_now("dir/out").unwrap(), b"HELLO");
    // Where it has no answer the next one is asked, and at last nobody.
    assert_eq!(events(&shell, Command::sh("upper")).await.last(), Some(&exited(127)));
}

#[tokio::test]
async fn a_function_sees_the_whole_command() {
    let shell = Memory::new().shell(Script::new().with_function(|command, _| {
        let Stdin::Bytes(bytes) = &command.stdin else { return None };
        let (_, value) = command.env.set.first()?;
        Some(Finished::new(0).with_stdout([value.as_bytes(), bytes].concat()))
    }));
    let command = Command::sh("x")
        .with_env(Environment::default().with_set("KEY", "value "))
        .with_stdin(Stdin::Bytes(b"input".to_vec()));
    assert_eq!(events(&shell, command).await, [out("value input"), exited(0)]);
}

#[tokio::test]
async fn r_mem_1_each_command_is_recorded_in_full() {
    let clock = ManualClock::new(UNIX_EPOCH + Duration::from_secs(7));
    let memory = MemoryConfig::new().with_clock(clock).build().unwrap().with_dir("dir");
    let shell = memory.shell(Script::new().with_line("test", Finished::new(3)));
    let env = Environment::default()
        .with_base(EnvBase::Empty)
        .with_inherited("TOKEN")
        .with_set("B", "secret value")
        .with_set("A", "secret value")
        .with_set("B", "again");
    let command =
        Command::sh("test").with_cwd(path("dir")).with_env(env).with_timeout(Some(Duration::from_secs(9)));
    events(&shell, command).await;
    let [recorded] = &shell.commands()[..] else { panic!("{:?}", shell.commands()) };
    assert_eq!(recorded.program, Program::Sh("test".into()));
    assert_eq!(recorded.cwd, path("dir"));
    assert_eq!(recorded.env_base, EnvBase::Empty);
    assert_eq!(recorded.env_names, ["A", "B", "TOKEN"]);
    assert_eq!(recorded.timeout, Some(Duration::from_secs(9)));
    assert_eq!(recorded.started, Some(UNIX_EPOCH + Duration::from_secs(7)));
    assert_eq!(recorded.outcome, Outcome::Exited(Exit::new(ExitStatus::Code(3))));
    assert!(!format!("{shell:?}").contains("secret"), "{shell:?}");
}

#[tokio::test]
async fn r_mem_1_commands_are_recorded_in_their_order_and_by_every_clone() {
    let shell = Memory::new().shell(Script::new().with_line("a", Finished::new(0)));
    let clone = shell.clone();
    events(&shell, Command::sh("a")).await;
    events(&clone, Command::argv(["b"])).await;
    let ended = |code| Outcome::Exited(Exit::new(ExitStatus::Code(code)));
    let commands: Vec<_> = shell.commands().into_iter().map(|told| (told.program, told.outcome)).collect();
    assert_eq!(
        commands,
        [(Program::Sh("a".into()), ended(0)), (Program::Argv(vec!["b".into()]), ended(127))]
    );
}

#[tokio::test]
async fn r_mem_1_refusals_are_recorded_apart() {
    let memory = Memory::new().with_file("file", "").with_dir("secret").with_link("out", "/etc");
    let shell = memory.shell(Script::new().with_line("a", Finished::new(0)));
    let closed = PathFilter::deny("closed", |path, _| path.name() == Some("secret"));
    for (command, kind) in [
        (Command::sh("a").with_cwd(path("missing")), ErrorKind::NotFound),
        (Command::sh("a").with_cwd(path("file")), ErrorKind::NotADirectory),
        (Command::sh("a").with_cwd(path("out")), ErrorKind::PathEscape),
        (Command::sh("a").with_cwd(path("secret")).with_filter(closed), ErrorKind::DeniedPath),
        (Command::sh("a").with_stdin(Stdin::Open), ErrorKind::Unsupported),
    ] {
        assert_eq!(shell.spawn(command).await.unwrap_err().kind(), kind);
        let last = shell.refused().pop().unwrap();
        assert_eq!((last.outcome, last.started), (Outcome::Refused(kind), None));
    }
    assert_eq!(shell.commands(), []);
    assert_eq!(shell.refused().len(), 5);
}

#[tokio::test]
async fn dropping_the_events_of_a_running_command_is_told() {
    let shell = Memory::new().shell(Script::new().with_line("hang", Reply::new().without_end()));
    let process = shell.spawn(Command::sh("hang")).await.unwrap();
    assert_eq!(shell.commands()[0].outcome, Outcome::Running);
    drop(process);
    assert_eq!(shell.commands()[0].outcome, Outcome::Dropped);
}

#[tokio::test]
async fn dropping_the_events_of_a_command_that_is_over_changes_nothing() {
    let shell = Memory::new().shell(Script::new().with_line("a", Finished::new(4)));
    drop(shell.spawn(Command::sh("a")).await.unwrap());
    assert_eq!(shell.commands()[0].outcome, Outcome::Exited(Exit::new(ExitStatus::Code(4))));
}

#[tokio::test]
async fn a_killed_command_gives_what_it_has_printed() {
    let reply = Reply::new().with_stdout("one").with_stderr("two").without_end();
    let shell = Memory::new().shell(Script::new().with_line("hang", reply));
    let process = shell.spawn(Command::sh("hang")).await.unwrap();
    process.control.kill().await.unwrap();
    let exit = Exit::new(ExitStatus::Signal(15)).with_cause(Cause::Killed);
    let events = process.events.collect_items(10).await.unwrap();
    assert_eq!(events, [out("one"), err("two"), Event::Exit(exit)]);
    assert_eq!(shell.commands()[0].outcome, Outcome::Exited(exit));
}
