//! How a command is ended from outside.

use std::time::Duration;

use workspace_core::{Cause, KillReach};

use super::{beats, exit, first_line, program, run, spawn};
use crate::case::{Verdict, cases, holds, same, skipped};
use crate::scene::Scene;

cases! {
    a_timeout_ends_it_and_keeps_its_output [Shell],
    a_timeout_that_is_not_reached_changes_nothing [Shell],
    times_that_no_clock_holds_are_no_limit [Shell],
    output_arrives_while_it_runs [Shell, Streaming],
    a_kill_ends_it [Shell, Streaming, CancelKills],
    a_kill_after_the_end_is_no_error [Shell],
    it_runs_on_beside_other_calls [Shell, Background, Streaming, CancelKills],
    dropping_the_events_kills_it [Shell, Streaming, CancelKills, Real],
    a_kill_reaches_what_it_started [Shell, Streaming, CancelKills, Real],
    a_timeout_reaches_what_it_started [Shell, Real],
    it_is_over_when_its_program_is [Shell, Real],
}

async fn a_timeout_ends_it_and_keeps_its_output(scene: &Scene) -> Verdict {
    let command = program(scene.commands().hang.as_ref())?;
    let told = run(scene, command.with_timeout(Some(Duration::from_millis(400)))).await?;
    same("the cause", told.exit.cause, Cause::TimedOut)?;
    same("the output", told.stdout, "begun\n")
}

async fn a_timeout_that_is_not_reached_changes_nothing(scene: &Scene) -> Verdict {
    let command = program(scene.commands().exit_7.as_ref())?.with_timeout(Some(scene.patience()));
    let told = run(scene, command).await?;
    same("cause and exit code", (told.exit.cause, told.code()), (Cause::Exited, 7))
}

async fn times_that_no_clock_holds_are_no_limit(scene: &Scene) -> Verdict {
    let command = program(scene.commands().exit_7.as_ref())?;
    let command = command.with_timeout(Some(Duration::MAX)).with_kill_grace(Duration::MAX);
    let told = run(scene, command).await?;
    same("cause and exit code", (told.exit.cause, told.code()), (Cause::Exited, 7))
}

async fn output_arrives_while_it_runs(scene: &Scene) -> Verdict {
    let mut process = spawn(scene, program(scene.commands().hang.as_ref())?).await??;
    same("the first line", first_line(&mut process.events).await?, "begun\n")
}

async fn a_kill_ends_it(scene: &Scene) -> Verdict {
    let mut process = spawn(scene, program(scene.commands().hang.as_ref())?).await??;
    first_line(&mut process.events).await?;
    process.control.kill().await?;
    same("the cause", exit(&mut process.events).await?.cause, Cause::Killed)?;
    holds(process.events.next().await.is_none(), "something comes after the exit")?;
    process.control.kill().await?;
    Ok(())
}

async fn a_kill_after_the_end_is_no_error(scene: &Scene) -> Verdict {
    let mut process = spawn(scene, program(scene.commands().exit_7.as_ref())?).await??;
    let exit = exit(&mut process.events).await?;
    process.control.kill().await?;
    same("cause and exit code", (exit.cause, exit.status.code()), (Cause::Exited, 7))
}

async fn it_runs_on_beside_other_calls(scene: &Scene) -> Verdict {
    let mut process = spawn(scene, program(scene.commands().hang.as_ref())?).await??;
    first_line(&mut process.events).await?;
    scene.put("file", "x").await?;
    let other = run(scene, program(scene.commands().exit_7.as_ref())?).await?;
    same("the exit code of another command", other.code(), 7)?;
    same("a file", scene.text("file").await?, "x")?;
    process.control.kill().await?;
    same("the cause", exit(&mut process.events).await?.cause, Cause::Killed)
}

/// Cases that look for processes that a kill must reach.
fn needs_reach(scene: &Scene) -> Verdict {
    match scene.shell_capabilities().map(|shell| shell.kill_reach) {
        Some(KillReach::Nothing) | None => Err(skipped("a kill reaches no process for sure")),
        Some(_) => Ok(()),
    }
}

/// On a busy machine a process may miss a beat and live.
async fn silence(scene: &Scene) -> Verdict {
    const STILL_LOOKS: u32 = 5;
    let still = async || {
        for _ in 0..STILL_LOOKS {
            if beats(scene).await? {
                return Ok(false);
            }
        }
        Ok(true)
    };
    scene.eventually("no process of the command is left", still).await
}

async fn dropping_the_events_kills_it(scene: &Scene) -> Verdict {
    needs_reach(scene)?;
    let mut process = spawn(scene, program(scene.commands().beat.as_ref())?).await??;
    first_line(&mut process.events).await?;
    scene.eventually("the process beats", || beats(scene)).await?;
    let control = process.control;
    drop(process.events);
    silence(scene).await?;
    control.kill().await?;
    Ok(())
}

async fn a_kill_reaches_what_it_started(scene: &Scene) -> Verdict {
    needs_reach(scene)?;
    let mut process = spawn(scene, program(scene.commands().beat.as_ref())?).await??;
    first_line(&mut process.events).await?;
    scene.eventually("the process beats", || beats(scene)).await?;
    process.control.kill().await?;
    same("the cause", exit(&mut process.events).await?.cause, Cause::Killed)?;
    silence(scene).await
}

async fn a_timeout_reaches_what_it_started(scene: &Scene) -> Verdict {
    needs_reach(scene)?;
    let command = program(scene.commands().beat.as_ref())?.with_timeout(Some(Duration::from_millis(600)));
    let told = run(scene, command).await?;
    same("the cause", told.exit.cause, Cause::TimedOut)?;
    holds(
        scene.read("beat.txt").await.is_ok_and(|beats| !beats.is_empty()),
        "the process has not begun to beat",
    )?;
    silence(scene).await
}

/// The limit is far below the time that the process which it leaves would take.
async fn it_is_over_when_its_program_is(scene: &Scene) -> Verdict {
    let command = program(scene.commands().leave_a_child.as_ref())?;
    let ended = tokio::time::timeout(Duration::from_secs(20), run(scene, command)).await;
    let told =
        ended.map_err(|_| crate::case::failed("it waits for a process that its program has left"))??;
    same("output and exit code", (told.stdout.as_str(), told.code()), ("hi\n", 0))?;
    same("the cause", told.exit.cause, Cause::Exited)
}
