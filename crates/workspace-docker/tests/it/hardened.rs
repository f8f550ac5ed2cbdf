//! What the sandbox cannot do by default.

use workspace_core::{Cause, Command, Event, ShellProvider};
use workspace_docker::{Docker, DockerBuilder, Memory};

use crate::engine::{fresh, has, runtime};

/// Runs a line and gives its output, both streams, and its exit code.
async fn run(docker: &Docker, line: &str) -> (String, i32, Cause) {
    let mut process = docker.shell().unwrap().spawn(Command::sh(line)).await.unwrap();
    let mut output = Vec::new();
    loop {
        match process.events.next().await.expect("the events end with an exit").unwrap() {
            Event::Output(_, bytes) => output.extend(bytes),
            Event::Exit(exit) => {
                return (String::from_utf8_lossy(&output).trim().to_owned(), exit.status.code(), exit.cause);
            }
            _ => {}
        }
    }
}

fn with(
    test: &str,
    change: impl FnOnce(DockerBuilder) -> DockerBuilder,
) -> Option<(tokio::runtime::Runtime, Docker)> {
    if !has("debian") {
        return None;
    }
    let runtime = runtime();
    let docker = runtime.block_on(change(fresh("debian", test)).open()).unwrap();
    Some((runtime, docker))
}

#[test]
fn the_sandbox_has_no_rights_and_no_network() {
    let Some((runtime, docker)) = with("hardened", |builder| builder) else { return };
    runtime.block_on(async {
        for (line, expected) in [
            ("id -u; id -g", "1000\n1000"),
            (
                "grep -E '^Cap(Eff|Prm|Bnd|Inh):' /proc/self/status | awk '{print $2}' | sort -u",
                "0000000000000000",
            ),
            ("awk '/NoNewPrivs/ {print $2}' /proc/self/status", "1"),
            ("ls /sys/class/net", "lo"),
            ("touch /etc/x 2>&1 | grep -c Read-only", "1"),
            ("touch /tmp/x && echo fine", "fine"),
            ("touch x && echo fine", "fine"),
            ("kill -9 1 2>&1 | grep -ci 'not permitted'", "1"),
            ("ulimit -n", "4096"),
            ("ls -d /var/run/docker.sock 2>/dev/null | wc -l", "0"),
        ] {
            assert_eq!(run(&docker, line).await.0, expected, "{line}");
        }
        docker.dispose().await.unwrap();
    });
}

#[test]
fn r_exec_2_no_variable_comes_from_outside() {
    let Some((runtime, docker)) = with("environment", |builder| builder) else { return };
    runtime.block_on(async {
        let (output, ..) = run(&docker, "env | cut -d= -f1 | sort | tr '\\n' ' '").await;
        assert_eq!(output, "HOME NO_COLOR PATH PWD TERM");
        docker.dispose().await.unwrap();
    });
}

#[test]
fn r_exec_1_a_program_that_takes_too_much_memory_is_told_so() {
    let Some((runtime, docker)) = with("memory", |builder| builder.with_memory(Memory::mebibytes(64))) else {
        return;
    };
    runtime.block_on(async {
        let (_, code, cause) = run(&docker, "python3 -c 'x = bytearray(1 << 28)'").await;
        assert_eq!((code, cause), (137, Cause::OutOfMemory));
        // The workspace lives on, and another end by the same signal is not taken for it.
        assert_eq!(run(&docker, "echo alive").await.0, "alive");
        assert_eq!(run(&docker, "kill -9 $$").await.2, Cause::Exited);
        docker.dispose().await.unwrap();
    });
}

#[test]
fn the_limit_of_processes_holds_and_the_workspace_lives_on() {
    let Some((runtime, docker)) = with("processes", |builder| builder.with_processes(48)) else { return };
    runtime.block_on(async {
        let flood = "for i in $(seq 100); do sleep 100 & done; wait";
        let command = Command::sh(flood).with_timeout(Some(std::time::Duration::from_secs(5)));
        let mut process = docker.shell().unwrap().spawn(command).await.unwrap();
        while let Some(event) = process.events.next().await {
            if let Event::Exit(exit) = event.unwrap() {
                assert!(matches!(exit.cause, Cause::TimedOut | Cause::Exited), "{exit:?}");
            }
        }
        assert_eq!(run(&docker, "echo alive").await.0, "alive");
        docker.dispose().await.unwrap();
    });
}
