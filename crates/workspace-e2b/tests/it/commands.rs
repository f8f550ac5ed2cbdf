//! Commands over a network that breaks off: nothing lost, nothing twice, nothing that runs on.

use std::time::{Duration, Instant};

use workspace_core::{
    Cause, Command, ErrorKind, Event, Exit, Leftovers, Process, Result, ShellProvider, Stdin, Stream,
};
use workspace_e2b::{E2b, E2bShell};
use workspace_e2b_fake::{Call, Fake, Fault, Options};

use crate::shared::{Shared, account, started};

/// Five ways to live on: a plain child, one that ignores the signal, a new
/// session, a double fork, and one without the variables of its parent.
const FIVE: &str = "
sleep 4711 &
( trap '' TERM; while :; do sleep 4711; done ) &
setsid sleep 4711 &
( setsid sleep 4711 & ) &
( env -i setsid sh -c 'trap \"\" TERM HUP; sleep 4711; sleep 4711' </dev/null >/dev/null 2>&1 & ) &
sleep 1; echo begun; wait";

struct Told {
    stdout: String,
    stderr: String,
    exit: Exit,
}

async fn told(mut process: Process) -> Result<Told> {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    loop {
        match process.events.next().await.expect("the events end with an exit or an error")? {
            Event::Output(Stream::Stdout, bytes) => stdout.extend(bytes),
            Event::Output(Stream::Stderr, bytes) => stderr.extend(bytes),
            Event::Exit(exit) => {
                let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
                return Ok(Told { stdout: text(stdout), stderr: text(stderr), exit });
            }
            other => panic!("{other:?}"),
        }
    }
}

async fn run(shell: &E2bShell, command: Command) -> Result<Told> {
    told(shell.spawn(command).await?).await
}

/// A sandbox whose calls are given up soon.
async fn open(fake: &Fake) -> (E2b, E2bShell) {
    let patient = account(fake).with_deadline(Duration::from_secs(6));
    let sandbox = E2b::from_template(patient, "base").open().await.unwrap();
    let shell = sandbox.shell();
    (sandbox, shell)
}

/// Waits until nothing is under way, and no process is left.
async fn settled(fake: &Fake) {
    let settled = tokio::time::timeout(Duration::from_secs(40), fake.settled()).await;
    assert!(settled.is_ok(), "a process goes on for ever");
}

/// Waits until no process of the sandbox is left.
async fn emptied(fake: &Fake, sandbox: &E2b, before: usize) {
    let id = sandbox.id().unwrap();
    let waiting = async {
        while fake.processes(id) > before {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_mins(1), waiting).await;
    assert!(waited.is_ok(), "{} processes are left, {before} are the sandbox's own", fake.processes(id));
}

async fn begun(process: &mut Process) {
    let mut stdout = Vec::new();
    while !stdout.starts_with(b"begun") {
        match process.events.next().await.unwrap().unwrap() {
            Event::Output(Stream::Stdout, bytes) => stdout.extend(bytes),
            other => panic!("{other:?}"),
        }
    }
}

/// Both outputs, in pieces that take their time, and what they are.
const TALK: &str = "i=0; while [ $i -lt 40 ]; do echo \"line $i\"; echo \"word $i\" >&2; i=$((i+1)); sleep 0.02; done; exit 7";

fn lines(word: &str) -> String {
    let lines: Vec<_> = (0..40).map(|number| format!("{word} {number}\n")).collect();
    lines.concat()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_e2b_1_a_stream_that_breaks_off_is_gone_on_with_where_it_ended() {
    let Some(fake) = started(Options::default()).await else { return };
    let (sandbox, shell) = open(&fake).await;
    for fault in [
        Fault::cut_after(0),
        Fault::cut_after(60),
        Fault::cut_after(400).times(2),
        Fault::cut_after(1500),
        Fault::without_end(),
        Fault::reset_after(),
        Fault::deliver_twice(),
        Fault::split_frames(1),
        Fault::content_type("text/html"),
        Fault::answer_after(502, "text/html", "<html>"),
    ] {
        let shown = format!("{fault:?}");
        fake.inject(fault.on(Call::Start));
        let told = run(&shell, Command::sh(TALK)).await.unwrap();
        assert_eq!(told.exit.status.code(), 7, "{shown}");
        assert_eq!((told.stdout, told.stderr), (lines("line"), lines("word")), "{shown}");
        fake.clear_faults();
    }
    sandbox.dispose().await.unwrap();
}

/// Each stream after the first breaks off too, again and again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_may_break_off_many_times() {
    let Some(fake) = started(Options::default()).await else { return };
    let (sandbox, shell) = open(&fake).await;
    fake.inject(Fault::cut_after(700).on(Call::Start).always());
    let told = run(&shell, Command::sh(TALK)).await.unwrap();
    fake.clear_faults();
    assert_eq!((told.stdout, told.stderr), (lines("line"), lines("word")));
    assert_eq!(told.exit.status.code(), 7);
    sandbox.dispose().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_e2b_1_a_command_runs_once_however_often_its_start_arrives() {
    let Some(fake) = started(Options::default()).await else { return };
    let (sandbox, shell) = open(&fake).await;
    let mut expected = 0;
    for fault in [
        Fault::deliver_twice(),
        Fault::reset_after().times(3),
        Fault::answer_after(503, "text/plain", "busy"),
    ] {
        fake.inject(fault.on(Call::Start));
        let told = run(&shell, Command::sh("echo ran >>log; cat log | wc -l")).await.unwrap();
        fake.clear_faults();
        expected += 1;
        assert_eq!(told.stdout.trim(), expected.to_string());
    }
    sandbox.dispose().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_e2b_1_a_start_that_arrives_after_its_kill_starts_nothing_and_does_not_stay() {
    let Some(fake) = started(Options::default()).await else { return };
    let hasty = account(&fake).with_deadline(Duration::from_secs(1)).with_retries(0);
    let sandbox = E2b::from_template(account(&fake), "base").open().await.unwrap();
    let hasty = E2b::attach(hasty, sandbox.id().unwrap()).with_keep_alive(false).open().await.unwrap();
    fake.inject(Fault::delay(Duration::from_secs(4)).on(Call::Start));
    let failed = hasty.shell().spawn(Command::sh("echo ran >>log")).await.unwrap_err();
    assert_eq!(failed.kind(), ErrorKind::TimedOut);
    settled(&fake).await;
    let told = run(&sandbox.shell(), Command::sh("cat log")).await.unwrap();
    assert_eq!(told.exit.status.code(), 1, "{}", told.stdout);
    sandbox.dispose().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_e2b_1_what_follows_a_command_ends_when_its_output_is_swept_away() {
    let Some(fake) = started(Options::default()).await else { return };
    let (sandbox, shell) = open(&fake).await;
    fake.inject(Fault::deliver_twice().on(Call::Start));
    // The first has a listener of its own in the sandbox, which looks on for two seconds.
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_millis(1500) {
        let told = run(&shell, Command::sh("echo said")).await.unwrap();
        assert_eq!(told.stdout, "said\n");
    }
    settled(&fake).await;
    sandbox.dispose().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_stands_on_one_output_may_come_before_the_other_begins() {
    let Some(fake) = started(Options::default()).await else { return };
    let (sandbox, shell) = open(&fake).await;
    fake.inject(Fault::stderr_first().on(Call::Start));
    let told = run(&shell, Command::sh("echo out; echo err >&2")).await.unwrap();
    assert_eq!((told.stdout.as_str(), told.stderr.as_str()), ("out\n", "err\n"));
    sandbox.dispose().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_e2b_1_a_command_whose_end_is_not_told_is_no_success() {
    let Some(fake) = started(Options::default()).await else { return };
    let (sandbox, shell) = open(&fake).await;
    let mut process = shell.spawn(Command::sh("echo begun; sleep 4711")).await.unwrap();
    begun(&mut process).await;
    assert!(fake.expire(sandbox.id().unwrap()).await);
    let last = loop {
        match process.events.next().await {
            Some(Ok(Event::Output(..))) => {}
            last => break last,
        }
    };
    let error = last.expect("the end is told").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    sandbox.dispose().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bytes_that_come_twice_are_no_success() {
    let Some(fake) = started(Options::default()).await else { return };
    let (sandbox, shell) = open(&fake).await;
    fake.inject(Fault::duplicate_frames().on(Call::Start).always());
    let outcome = run(&shell, Command::sh("echo once")).await;
    assert!(outcome.is_err_and(|error| error.kind() == ErrorKind::Unavailable));
    fake.clear_faults();
    sandbox.dispose().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_job_1_a_cancel_a_timeout_and_a_drop_leave_none_of_five() {
    let Some(fake) = started(Options::default()).await else { return };
    let (sandbox, shell) = open(&fake).await;
    let before = fake.processes(sandbox.id().unwrap());

    let mut process = shell.spawn(Command::sh(FIVE)).await.unwrap();
    begun(&mut process).await;
    process.control.kill().await.unwrap();
    assert_eq!(told(process).await.unwrap().exit.cause, Cause::Killed);
    emptied(&fake, &sandbox, before).await;

    let command = Command::sh(FIVE).with_timeout(Some(Duration::from_secs(4)));
    let ended = run(&shell, command).await.unwrap();
    assert_eq!((ended.stdout.as_str(), ended.exit.cause), ("begun\n", Cause::TimedOut));
    emptied(&fake, &sandbox, before).await;

    let mut process = shell.spawn(Command::sh(FIVE)).await.unwrap();
    begun(&mut process).await;
    drop(process);
    emptied(&fake, &sandbox, before).await;

    // A program that ends while they go on.
    let line = FIVE.replace("; wait", "");
    let ended = run(&shell, Command::sh(line)).await.unwrap();
    assert_eq!((ended.stdout.as_str(), ended.exit.cause), ("begun\n", Cause::Exited));
    assert!(ended.exit.leftovers_killed >= 5, "{:?}", ended.exit);
    emptied(&fake, &sandbox, before).await;
    sandbox.dispose().await.unwrap();
}

/// The clock of a command runs in the sandbox, also where no network is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_e2b_1_a_time_limit_holds_where_the_sandbox_cannot_be_reached() {
    let Some(fake) = started(Options::default()).await else { return };
    let (sandbox, shell) = open(&fake).await;
    let before = fake.processes(sandbox.id().unwrap());
    let command = Command::sh(FIVE).with_timeout(Some(Duration::from_secs(3)));
    fake.inject(Fault::cut_after(200).on(Call::Start));
    fake.inject(Fault::reset_before().always());
    let outcome = shell.spawn(command).await;
    emptied(&fake, &sandbox, before).await;
    fake.clear_faults();
    if let Ok(process) = outcome {
        match told(process).await {
            Ok(told) => assert_eq!(told.exit.cause, Cause::TimedOut),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Unavailable),
        }
    }
    sandbox.dispose().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn input_arrives_once_and_in_order() {
    let Some(fake) = started(Options::default()).await else { return };
    let (sandbox, shell) = open(&fake).await;
    for fault in [None, Some(Fault::deliver_twice()), Some(Fault::reset_after()), Some(Fault::cut_after(90))]
    {
        let process = shell.spawn(Command::argv(["cat"]).with_stdin(Stdin::Open)).await.unwrap();
        let control = process.control.clone();
        if let Some(fault) = fault {
            fake.inject(fault.on(Call::Start).times(3));
        }
        for piece in ["one ", "two ", "three"] {
            control.write_stdin(piece.as_bytes().to_vec()).await.unwrap();
        }
        control.close_stdin().await.unwrap();
        fake.clear_faults();
        assert_eq!(control.close_stdin().await.unwrap_err().kind(), ErrorKind::Unsupported);
        assert_eq!(told(process).await.unwrap().stdout, "one two three");
    }
    // Input that is known from the start, small and large.
    for size in [10, 100_000, 3_000_000] {
        let command = Command::sh("wc -c").with_stdin(Stdin::Bytes(vec![b'x'; size]));
        assert_eq!(run(&shell, command).await.unwrap().stdout.trim(), size.to_string());
    }
    sandbox.dispose().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_left_to_itself_goes_on() {
    let Some(shared) = Shared::new().await else { return };
    let shell = shared.sandbox.shell();
    let line = "( sleep 1; echo late >left ) & echo now";
    let ended = run(&shell, Command::sh(line).with_leftovers(Leftovers::Leave)).await.unwrap();
    assert_eq!(ended.stdout, "now\n");
    let seen = run(&shell, Command::sh("while [ ! -e left ]; do sleep 0.1; done; cat left")).await.unwrap();
    assert_eq!(seen.stdout, "late\n");
    shared.sandbox.dispose().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn much_output_is_kept_within_bounds_in_the_sandbox() {
    let Some(shared) = Shared::new().await else { return };
    let shell = shared.sandbox.shell();
    let mut process = shell.spawn(Command::sh("head -c 120000000 /dev/zero; sleep 4711")).await.unwrap();
    let mut size = 0;
    while size < 120_000_000 {
        match process.events.next().await.unwrap().unwrap() {
            Event::Output(Stream::Stdout, bytes) => size += bytes.len(),
            other => panic!("{other:?}"),
        }
    }
    let held = run(&shell, Command::sh("du -sm /tmp | cut -f1")).await.unwrap();
    let held: u32 = held.stdout.trim().parse().unwrap();
    // Four files of 8 MiB and what is written meanwhile; where the pieces are small, each has up to 16 MiB.
    assert!((16..=80).contains(&held), "{held} MiB");
    process.control.kill().await.unwrap();
    told(process).await.unwrap();
    shared.sandbox.dispose().await.unwrap();
}

/// A program may end all that it can, its launcher included.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_ends_its_launcher_is_told() {
    let Some(shared) = Shared::new().await else { return };
    let shell = shared.sandbox.shell();
    let outcome = run(&shell, Command::sh("kill -9 -1; sleep 1")).await;
    match outcome {
        Ok(told) => assert_ne!(told.exit.status.code(), 0),
        Err(error) => assert_eq!(error.kind(), ErrorKind::Unavailable),
    }
    assert_eq!(run(&shell, Command::sh("echo again")).await.unwrap().stdout, "again\n");
    shared.sandbox.dispose().await.unwrap();
}
