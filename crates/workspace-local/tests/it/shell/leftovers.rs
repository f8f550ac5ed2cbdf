//! R-EXEC-8: a command is over when its program is, whatever it leaves behind.

use std::time::{Duration, Instant};

use workspace_core::{Command, KillReach, Leftovers};

use super::{Mark, Stage};

/// Runs a line that leaves sleepers behind, and gives how many were killed.
async fn left_by(stage: &Stage, mark: &Mark, line: &str) -> u32 {
    let start = Instant::now();
    let ran = stage.sh(&line.replace("SLEEP", &format!("sleep {}", mark.0))).await;
    ran.assert("done\n", "", 0);
    // 250 ms to drain and 100 ms to end politely, on a machine that does other things as well.
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    ran.exit.leftovers_killed
}

#[tokio::test]
async fn r_exec_8_a_process_in_the_background_does_not_hold_the_call() {
    for stage in Stage::levels() {
        let mark = Mark::new();
        for line in [
            "SLEEP & echo done",
            // Only one of the pipes is held, or none.
            "SLEEP >/dev/null & echo done",
            "SLEEP 2>/dev/null & echo done",
            "SLEEP </dev/null >/dev/null 2>&1 & echo done",
            // A group of its own, in the session of the program.
            "timeout 500 SLEEP & echo done",
        ] {
            let killed = left_by(&stage, &mark, line).await;
            assert_eq!(killed, if line.contains("timeout") { 2 } else { 1 }, "{line}");
            mark.wait_for(0).await;
        }
    }
}

#[tokio::test]
async fn r_exec_8_what_ignores_a_polite_signal_is_killed() {
    for stage in Stage::levels() {
        let mark = Mark::new();
        assert_eq!(left_by(&stage, &mark, "trap '' TERM; SLEEP & SLEEP & echo done").await, 2);
        mark.wait_for(0).await;
    }
}

#[tokio::test]
async fn r_exec_8_what_has_left_the_session_survives_at_the_lowest_level_alone() {
    for stage in Stage::levels() {
        let mark = Mark::new();
        // The shell ends when the other has a session of its own.
        let line = "setsid SLEEP >/dev/null 2>&1 &
            while read -r pid name state parent group session rest </proc/$!/stat && [ $session != $! ]; do :; done
            echo done";
        let tree = stage.reach() == KillReach::Tree;
        assert_eq!(left_by(&stage, &mark, line).await, u32::from(tree));
        mark.wait_for(usize::from(!tree)).await;
        mark.clear();
        mark.wait_for(0).await;
    }
}

#[tokio::test]
async fn r_exec_8_output_that_comes_soon_after_the_exit_is_kept() {
    for stage in Stage::levels() {
        stage.sh("(sleep 0.05; echo late) & echo soon").await.assert("soon\nlate\n", "", 0);
    }
}

#[tokio::test]
async fn r_exec_8_leave_lets_them_live_and_print() {
    for stage in Stage::levels() {
        let mark = Mark::new();
        let line = format!(
            "(while [ ! -e go ]; do sleep 0.01; done; echo unheard || exit 1; touch heard; exec sleep {}) & echo done",
            mark.0
        );
        let ran = stage.run(Command::sh(line).with_leftovers(Leftovers::Leave)).await;
        ran.assert("done\n", "", 0);
        assert_eq!(ran.exit.leftovers_killed, 0);
        stage.scene.put("go", "");
        super::eventually(
            || stage.scene.at("heard").exists(),
            || "what was left alone to go on printing".into(),
        )
        .await;
        mark.wait_for(1).await;
    }
}
