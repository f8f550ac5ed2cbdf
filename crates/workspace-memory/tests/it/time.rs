//! Scripted commands against the clock.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use workspace_core::{Cause, Command, Event, Exit, ExitStatus, Result, ShellProvider};
use workspace_memory::{
    Alarm, Clock, ManualClock, Memory, MemoryConfig, MemoryShell, Outcome, Reply, Ring, Script,
};

use crate::commands::{err, events, exited, out};

const SECOND: Duration = Duration::from_secs(1);

/// Two lines, a second apart, then another second to the end.
fn slow() -> Reply {
    Reply::new()
        .with_stdout("one\n")
        .with_delay(SECOND)
        .with_stderr("two\n")
        .with_delay(SECOND)
        .with_exit_code(5)
}

fn shell(clock: &ManualClock) -> MemoryShell {
    let memory = MemoryConfig::new().with_clock(clock.clone()).build().unwrap();
    memory.shell(
        Script::new()
            .with_line("slow", slow())
            .with_line("hang", Reply::new().with_stdout("begun\n").without_end()),
    )
}

const fn ended(cause: Cause) -> Event {
    Event::Exit(Exit::new(ExitStatus::Signal(15)).with_cause(cause))
}

/// The next event, if there is one without waiting.
async fn ready(process: &mut workspace_core::Process) -> Option<Event> {
    tokio::select! {
        biased;
        event = process.events.next() => event.map(workspace_core::Result::unwrap),
        () = std::future::ready(()) => None,
    }
}

#[tokio::test]
async fn output_comes_when_its_time_has_come() {
    let clock = ManualClock::new(UNIX_EPOCH);
    let shell = shell(&clock);
    let mut process = shell.spawn(Command::sh("slow")).await.unwrap();
    assert_eq!(ready(&mut process).await, Some(out("one\n")));
    assert_eq!(ready(&mut process).await, None);
    clock.advance(SECOND);
    assert_eq!(ready(&mut process).await, Some(err("two\n")));
    assert_eq!(ready(&mut process).await, None);
    assert_eq!(shell.commands()[0].outcome, Outcome::Running);
    clock.advance(SECOND);
    // Over, though nobody has read it yet.
    assert_eq!(shell.commands()[0].outcome, Outcome::Exited(Exit::new(ExitStatus::Code(5))));
    assert_eq!(ready(&mut process).await, Some(exited(5)));
    assert!(process.events.next().await.is_none());
}

#[tokio::test]
async fn a_reader_who_waits_is_woken() {
    let clock = ManualClock::new(UNIX_EPOCH);
    let shell = shell(&clock);
    let mut process = shell.spawn(Command::sh("slow")).await.unwrap();
    let reading = tokio::spawn(async move {
        let mut told = Vec::new();
        while let Some(event) = process.events.next().await {
            told.push(event.unwrap());
        }
        told
    });
    for _ in 0..2 {
        while clock.alarms() == 0 {
            tokio::task::yield_now().await;
        }
        clock.advance(SECOND);
    }
    assert_eq!(reading.await.unwrap(), [out("one\n"), err("two\n"), exited(5)]);
    assert_eq!(clock.alarms(), 0);
}

#[tokio::test]
async fn a_timeout_ends_a_command_without_end() {
    let clock = ManualClock::new(UNIX_EPOCH);
    let shell = shell(&clock);
    let command = Command::sh("hang").with_timeout(Some(SECOND * 3));
    let mut process = shell.spawn(command).await.unwrap();
    assert_eq!(ready(&mut process).await, Some(out("begun\n")));
    clock.advance(SECOND * 2);
    assert_eq!(ready(&mut process).await, None);
    clock.advance(SECOND);
    assert_eq!(ready(&mut process).await, Some(ended(Cause::TimedOut)));
    assert_eq!(
        shell.commands()[0].outcome,
        Outcome::Exited(Exit::new(ExitStatus::Signal(15)).with_cause(Cause::TimedOut))
    );
}

/// What each timeout leaves of the slow command, which takes two seconds.
#[tokio::test]
async fn a_timeout_keeps_what_was_printed_before_it() {
    for (timeout, want) in [
        (Duration::ZERO, vec![out("one\n"), ended(Cause::TimedOut)]),
        (SECOND / 2, vec![out("one\n"), ended(Cause::TimedOut)]),
        (SECOND, vec![out("one\n"), err("two\n"), ended(Cause::TimedOut)]),
        (SECOND * 2, vec![out("one\n"), err("two\n"), exited(5)]),
        (Duration::MAX, vec![out("one\n"), err("two\n"), exited(5)]),
    ] {
        let clock = ManualClock::new(UNIX_EPOCH);
        let shell = shell(&clock);
        let process = shell.spawn(Command::sh("slow").with_timeout(Some(timeout))).await.unwrap();
        clock.advance(SECOND * 10);
        assert_eq!(process.events.collect_items(10).await.unwrap(), want, "{timeout:?}");
    }
}

#[tokio::test]
async fn a_kill_comes_between() {
    let clock = ManualClock::new(UNIX_EPOCH);
    let shell = shell(&clock);
    let process = shell.spawn(Command::sh("slow")).await.unwrap();
    clock.advance(SECOND + SECOND / 2);
    process.control.kill().await.unwrap();
    clock.advance(SECOND * 10);
    let told = process.events.collect_items(10).await.unwrap();
    assert_eq!(told, [out("one\n"), err("two\n"), ended(Cause::Killed)]);
    // It is over: a second kill is no error and changes nothing.
    process.control.kill().await.unwrap();
    let killed = Exit::new(ExitStatus::Signal(15)).with_cause(Cause::Killed);
    assert_eq!(shell.commands()[0].outcome, Outcome::Exited(killed));
}

#[tokio::test]
async fn a_kill_wakes_who_waits() {
    let clock = ManualClock::new(UNIX_EPOCH);
    let shell = shell(&clock);
    let mut process = shell.spawn(Command::sh("hang").with_timeout(Some(SECOND * 100))).await.unwrap();
    assert_eq!(ready(&mut process).await, Some(out("begun\n")));
    let control = process.control.clone();
    let reading = tokio::spawn(async move { process.events.next().await.unwrap().unwrap() });
    while clock.alarms() == 0 {
        tokio::task::yield_now().await;
    }
    control.kill().await.unwrap();
    assert_eq!(reading.await.unwrap(), ended(Cause::Killed));
    assert_eq!(clock.alarms(), 0);
}

#[tokio::test]
async fn the_clock_of_the_machine_times_out_too() {
    let shell = Memory::new().shell(Script::new().with_line("hang", Reply::new().without_end()));
    let command = Command::sh("hang").with_timeout(Some(Duration::from_millis(30)));
    assert_eq!(events(&shell, command).await, [ended(Cause::TimedOut)]);
}

/// A test that fixes the time of its files must not wait for ever.
#[tokio::test]
async fn a_clock_that_stands_still_does_not_hold_a_command_up() {
    let memory = MemoryConfig::new().with_clock(|| UNIX_EPOCH).build().unwrap();
    let reply = Reply::new()
        .with_delay(Duration::from_millis(20))
        .with_stdout("one\n")
        .with_delay(Duration::from_millis(20))
        .without_end();
    let shell = memory.shell(Script::new().with_line("slow", reply));
    let command = Command::sh("slow").with_timeout(Some(Duration::from_millis(60)));
    assert_eq!(events(&shell, command).await, [out("one\n"), ended(Cause::TimedOut)]);
}

/// It shows one time for ever, and each alarm rings at once.
#[derive(Clone, Default)]
struct Frozen(Arc<Mutex<Vec<SystemTime>>>);

impl Clock for Frozen {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH
    }

    fn alarm(&self, at: SystemTime, ring: Ring) -> Result<Alarm> {
        self.0.lock().unwrap().push(at);
        std::thread::spawn(ring);
        Ok(Alarm::new(|| ()))
    }
}

/// A clock that stands still counts each wait from its own time.
#[tokio::test]
async fn the_time_waited_on_a_clock_that_stands_still_is_not_waited_again() {
    let clock = Frozen::default();
    let memory = MemoryConfig::new().with_clock(clock.clone()).build().unwrap();
    let shell = memory.shell(Script::new().with_line("slow", slow()));
    let command = Command::sh("slow").with_timeout(Some(SECOND * 5));
    assert_eq!(events(&shell, command).await, [out("one\n"), err("two\n"), exited(5)]);
    assert_eq!(*clock.0.lock().unwrap(), [UNIX_EPOCH + SECOND; 2]);
}
