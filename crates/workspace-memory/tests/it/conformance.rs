//! The kit over the tree and over scripted commands.

use std::collections::BTreeSet;
use std::time::Duration;

use workspace_core::{Command, Finished, Program, Stdin};
use workspace_memory::{Memory, Reply, Script};
use workspace_testkit::{Commands, Subject, conform, run_blocking};

use crate::plant::MemoryPlant;

conform!(|| async { subject() });

fn subject() -> Subject {
    let memory = Memory::new();
    Subject::new(memory.clone())
        .with_shell(memory.shell(script()), commands())
        .with_plant(MemoryPlant::new(memory))
        .with_effort(256)
        .with_patience(Duration::from_secs(30))
}

fn sh(line: &str) -> Program {
    Program::Sh(line.to_owned())
}

fn argv(words: &[&str]) -> Program {
    Program::Argv(words.iter().copied().map(str::to_owned).collect())
}

fn commands() -> Commands {
    Commands::none()
        .with_exit_7(sh("exit 7"))
        .with_both_streams(sh("both"))
        .with_marker(sh("cat marker.txt"))
        .with_make_file(sh("make"))
        .with_copy_stdin(argv(&["cat"]))
        .with_arguments(argv(&["print", "a b", "$HOME", "*", ";", ""]))
        .with_hang(sh("hang"))
        .with_signal_9(sh("die"))
        .with_missing(argv(&["nobody-scripted-it"]))
        .with_flood(sh("flood"))
}

fn script() -> Script {
    Script::new()
        .with_line("exit 7", Finished::new(7))
        .with_line("both", Finished::new(0).with_stdout("out\n").with_stderr("err\n"))
        .with_line("hang", Reply::new().with_stdout("begun\n").without_end())
        .with_line("die", Reply::new().with_signal(9))
        .with_line("flood", Finished::new(0).with_stdout("x".repeat(4 << 20)))
        .with_function(in_the_tree)
        .with_function(|command, _| match (&command.program, &command.stdin) {
            (Program::Argv(words), Stdin::Bytes(bytes)) if words == &["cat"] => {
                Some(Finished::new(0).with_stdout(bytes.clone()))
            }
            (Program::Argv(words), _) if words == &["cat"] => Some(Finished::new(0)),
            (Program::Argv(words), _) if words[0] == "print" => {
                Some(Finished::new(0).with_stdout(words[1..].join("|") + "|"))
            }
            _ => None,
        })
}

/// Lines that read and make a file where they run.
fn in_the_tree(command: &Command, files: &Memory) -> Option<Finished> {
    let Program::Sh(line) = &command.program else { return None };
    match line.as_str() {
        "cat marker.txt" => {
            let marker = files.read_now(command.cwd.child("marker.txt").unwrap().as_str());
            Some(Finished::new(0).with_stdout(marker.unwrap()))
        }
        "make" => {
            files.write_now(command.cwd.child("made.txt").unwrap().as_str(), "made").unwrap();
            Some(Finished::new(0))
        }
        _ => None,
    }
}

/// What is skipped is skipped for these reasons and no other.
#[test]
fn nothing_is_skipped_that_memory_can_do() {
    let report = run_blocking(|| async { subject().with_effort(1) }, &[]);
    let reasons: BTreeSet<&str> = report.skipped().map(|(_, why)| why).collect();
    let expected = [
        "names tell case",
        "standard input cannot be fed",
        "the commands are scripted",
        "the files can be written",
        "the plant makes no names that are not UTF-8",
        "there are links",
        "there are permission bits",
        "there are versions",
        "there is no command for it",
        "there is no native glob",
        "there is no native grep",
    ];
    assert_eq!(reasons, BTreeSet::from(expected));
}
