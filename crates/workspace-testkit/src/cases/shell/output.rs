//! What a command prints and how it ends by itself.

use workspace_core::ErrorKind::SpawnFailed;
use workspace_core::ErrorKind::Unsupported;
use workspace_core::{Cause, Command, ExitStatus, ShellProvider};

use super::{Told, program, run, spawn};
use crate::case::{Verdict, brief, cases, failed, holds, refused, same};
use crate::scene::Scene;

cases! {
    the_exit_code_is_the_programs_own [Shell],
    both_streams_arrive_each_on_its_own [Shell],
    an_exit_by_itself_tells_no_other_cause [Shell],
    a_signal_gives_128_and_its_number [Shell],
    a_missing_program_is_told [Shell],
    arguments_arrive_as_they_are [Shell],
    much_output_arrives_whole [Shell],
    commands_run_beside_each_other [Shell],
    what_is_not_offered_is_unsupported [Shell],
}

async fn the_exit_code_is_the_programs_own(scene: &Scene) -> Verdict {
    let told = run(scene, program(scene.commands().exit_7.as_ref())?).await?;
    same("the exit", (told.exit.status, told.code()), (ExitStatus::Code(7), 7))?;
    same("the output", (told.stdout, told.stderr), (String::new(), String::new()))
}

async fn both_streams_arrive_each_on_its_own(scene: &Scene) -> Verdict {
    let told = run(scene, program(scene.commands().both_streams.as_ref())?).await?;
    same("the output", (told.stdout.as_str(), told.stderr.as_str()), ("out\n", "err\n"))?;
    same("the exit code", told.code(), 0)
}

async fn an_exit_by_itself_tells_no_other_cause(scene: &Scene) -> Verdict {
    let command = program(scene.commands().both_streams.as_ref())?;
    let told = run(scene, command.with_timeout(Some(scene.patience()))).await?;
    same("the cause", told.exit.cause, Cause::Exited)?;
    same("how many leftovers were killed", told.exit.leftovers_killed, 0)
}

async fn a_signal_gives_128_and_its_number(scene: &Scene) -> Verdict {
    let told = run(scene, program(scene.commands().signal_9.as_ref())?).await?;
    same("the exit code", told.code(), 137)?;
    same("the cause", told.exit.cause, Cause::Exited)
}

/// Where a program cannot be started the call says so, or a shell in between
/// gives its code for it and a word of why.
async fn a_missing_program_is_told(scene: &Scene) -> Verdict {
    match spawn(scene, program(scene.commands().missing.as_ref())?).await? {
        Err(error) => same("the refusal", error.kind(), SpawnFailed),
        Ok(process) => {
            drop(process);
            let Told { stderr, exit, .. } = run(scene, program(scene.commands().missing.as_ref())?).await?;
            same("the exit code", exit.status.code(), 127)?;
            holds(!stderr.is_empty(), "exit code 127 comes without a word on standard error")
        }
    }
}

async fn arguments_arrive_as_they_are(scene: &Scene) -> Verdict {
    scene.put("a-file-that-a-star-would-name", "").await?;
    let told = run(scene, program(scene.commands().arguments.as_ref())?).await?;
    same("the output", told.stdout, "a b|$HOME|*|;||")
}

async fn much_output_arrives_whole(scene: &Scene) -> Verdict {
    let told = run(scene, program(scene.commands().flood.as_ref())?).await?;
    same("the number of bytes", told.stdout.len(), 4 << 20)?;
    holds(told.stdout.bytes().all(|byte| byte == b'x'), "the bytes differ")?;
    same("the exit code", told.code(), 0)
}

async fn commands_run_beside_each_other(scene: &Scene) -> Verdict {
    let command = program(scene.commands().both_streams.as_ref())?;
    let running = (0..4).map(|_| {
        let (scene, command) = (scene.clone(), command.clone());
        tokio::spawn(async move { run(&scene, command).await })
    });
    for running in running.collect::<Vec<_>>() {
        let told = running.await.map_err(failed)??;
        same("the output", (told.stdout.as_str(), told.stderr.as_str()), ("out\n", "err\n"))?;
    }
    Ok(())
}

async fn what_is_not_offered_is_unsupported(scene: &Scene) -> Verdict {
    let shell = scene.shell()?;
    let capabilities = shell.capabilities();
    if !capabilities.argv {
        refused("a program without a shell", shell.spawn(Command::argv(["true"])).await, &[Unsupported])?;
    }
    if !capabilities.sh {
        refused("a line", shell.spawn(Command::sh("true")).await, &[Unsupported])?;
    }
    holds(capabilities.argv || capabilities.sh, format!("nothing can be run: {}", brief(&capabilities)))
}
