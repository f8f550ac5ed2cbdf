//! What a command is given: its environment and its standard input.

use workspace_core::ErrorKind::Unsupported;
use workspace_core::{Environment, Event, Stdin, Stream};

use super::{only, program, run, spawn};
use crate::case::{Verdict, cases, failed, holds, refused, same};
use crate::scene::Scene;

cases! {
    the_environment_is_what_the_command_says [Shell],
    the_minimal_environment_finds_programs [Shell],
    the_minimal_environment_inherits_nothing_else [Shell],
    a_variable_set_wins [Shell],
    a_value_is_not_interpreted [Shell],
    empty_input_ends_at_once [Shell],
    given_bytes_are_the_input [Shell],
    many_bytes_are_read_whole [Shell],
    input_can_be_sent [Shell, Stdin],
    input_cannot_be_sent [Shell, NoStdin],
    closed_input_takes_nothing [Shell],
}

/// What shells set by themselves, whatever they are given.
const OF_THE_SHELL: [&str; 4] = ["OLDPWD", "PWD", "SHLVL", "_"];

async fn environment(scene: &Scene, env: Environment) -> Verdict<Vec<String>> {
    let told = run(scene, program(scene.commands().environment.as_ref())?.with_env(env)).await?;
    same("the exit code", told.code(), 0)?;
    let by_shell = |line: &str| OF_THE_SHELL.iter().any(|name| line.split('=').next() == Some(name));
    let mut lines: Vec<String> =
        told.stdout.lines().filter(|line| !by_shell(line)).map(str::to_owned).collect();
    lines.sort();
    Ok(lines)
}

async fn the_environment_is_what_the_command_says(scene: &Scene) -> Verdict {
    let given = only(&[("KIT_B", "two words"), ("KIT_A", "")]);
    same("the variables", environment(scene, given).await?, ["KIT_A=", "KIT_B=two words"])
}

async fn the_minimal_environment_finds_programs(scene: &Scene) -> Verdict {
    let lines = environment(scene, Environment::default()).await?;
    let has = |start: &str| lines.iter().any(|line| line.starts_with(start) && line.len() > start.len());
    for start in ["PATH=", "HOME="] {
        holds(has(start), format!("there is no `{start}…` among {lines:?}"))?;
    }
    for line in ["NO_COLOR=1", "TERM=dumb"] {
        holds(lines.iter().any(|told| told == line), format!("there is no `{line}` among {lines:?}"))?;
    }
    Ok(())
}

/// A backend may set more than the contract names, but to nothing that this process would give it.
async fn the_minimal_environment_inherits_nothing_else(scene: &Scene) -> Verdict {
    const OF_THE_BASE: [&str; 8] = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "NO_COLOR", "TERM"];
    // A short value is as well a constant of the backend.
    const SHORT: usize = 4;
    let lines = environment(scene, Environment::default()).await?;
    for (name, value) in std::env::vars() {
        if !OF_THE_BASE.contains(&name.as_str()) && value.len() > SHORT {
            let inherited = lines.contains(&format!("{name}={value}"));
            holds(!inherited, format!("the command has `{name}` as this process has it"))?;
        }
    }
    Ok(())
}

async fn a_variable_set_wins(scene: &Scene) -> Verdict {
    let env = Environment::default().with_set("TERM", "first").with_set("TERM", "xterm");
    let lines = environment(scene, env).await?;
    let terms: Vec<&String> = lines.iter().filter(|line| line.starts_with("TERM=")).collect();
    same("the variable", terms, ["TERM=xterm"])
}

async fn a_value_is_not_interpreted(scene: &Scene) -> Verdict {
    let value = "$HOME `id` $(id) ; 'quoted' \"twice\" \\ *";
    same("the variable", environment(scene, only(&[("KIT", value)])).await?, [format!("KIT={value}")])
}

async fn empty_input_ends_at_once(scene: &Scene) -> Verdict {
    let told = run(scene, program(scene.commands().copy_stdin.as_ref())?).await?;
    same("output and exit code", (told.stdout.as_str(), told.code()), ("", 0))
}

async fn given_bytes_are_the_input(scene: &Scene) -> Verdict {
    for text in ["one\ntwo", "", "\0"] {
        let command = program(scene.commands().copy_stdin.as_ref())?;
        let told = run(scene, command.with_stdin(Stdin::Bytes(text.as_bytes().to_vec()))).await?;
        same("output and exit code", (told.stdout.as_str(), told.code()), (text, 0))?;
    }
    Ok(())
}

/// More than pipes hold: input and output must be served together.
async fn many_bytes_are_read_whole(scene: &Scene) -> Verdict {
    let bytes = vec![b'y'; 2 << 20];
    let command = program(scene.commands().copy_stdin.as_ref())?.with_stdin(Stdin::Bytes(bytes));
    let told = run(scene, command).await?;
    same("the number of bytes", told.stdout.len(), 2 << 20)?;
    same("the exit code", told.code(), 0)
}

async fn input_can_be_sent(scene: &Scene) -> Verdict {
    let command = program(scene.commands().copy_stdin.as_ref())?.with_stdin(Stdin::Open);
    let mut process = spawn(scene, command).await??;
    process.control.write_stdin(b"one ".to_vec()).await?;
    process.control.write_stdin(b"two".to_vec()).await?;
    process.control.close_stdin().await?;
    let mut output = Vec::new();
    loop {
        match process.events.next().await {
            Some(Ok(Event::Output(Stream::Stdout, bytes))) => output.extend(bytes),
            Some(Ok(Event::Exit(exit))) => {
                same("the output", String::from_utf8_lossy(&output), "one two")?;
                return same("the exit code", exit.status.code(), 0);
            }
            other => return Err(failed(format!("instead of the exit came {other:?}"))),
        }
    }
}

async fn input_cannot_be_sent(scene: &Scene) -> Verdict {
    let command = program(scene.commands().copy_stdin.as_ref())?.with_stdin(Stdin::Open);
    match spawn(scene, command).await? {
        Err(error) => same("the refusal", error.kind(), Unsupported),
        Ok(process) => {
            refused("send", process.control.write_stdin(b"x".to_vec()).await, &[Unsupported]).map(drop)
        }
    }
}

async fn closed_input_takes_nothing(scene: &Scene) -> Verdict {
    let process = spawn(scene, program(scene.commands().copy_stdin.as_ref())?).await??;
    refused("send", process.control.write_stdin(b"x".to_vec()).await, &[Unsupported])?;
    Ok(())
}
