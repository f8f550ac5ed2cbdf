//! Every fault at every kind of request: no success that is none, nothing done twice,
//! nothing left behind, nobody kept waiting.
//!
//! `E2B_FAULT_RUNS` says how many random runs are made; few by default.

use std::time::{Duration, Instant};

use workspace_core::{
    Command, CreateDirOptions, Error, ErrorKind, Event, FsProvider, GlobQuery, GrepQuery, ListOptions,
    ReadOptions, RemoveOptions, RenameOptions, Result, ShellProvider, Stream,
};
use workspace_e2b::E2b;
use workspace_e2b_fake::{Call, Fake, Fault, Options};

use crate::shared::{account, path, put, started};

/// How long a call may take before it is given up.
const DEADLINE: Duration = Duration::from_secs(4);
/// How long a call with its setup, its explanation and a busy machine may take all in all.
const PATIENCE: Duration = Duration::from_secs(40);

/// All that can go wrong with a request, by number.
const FAULTS: usize = 27;

fn fault(number: usize) -> Fault {
    const JSON: &str = "application/json";
    let milliseconds = Duration::from_millis;
    match number {
        0 => Fault::delay(milliseconds(300)),
        1 => Fault::delay(milliseconds(2500)),
        2 => Fault::reset_before(),
        3 => Fault::reset_after(),
        4 => Fault::deliver_twice(),
        5 => Fault::answer(500, JSON, r#"{"code":500,"message":"x"}"#),
        6 => Fault::answer_after(500, JSON, r#"{"code":500,"message":"x"}"#),
        7 => Fault::answer(200, JSON, "{}"),
        8 => Fault::answer_after(200, JSON, "[]"),
        9 => Fault::answer_after(503, JSON, r#"{"code":503,"message":"busy"}"#),
        10 => Fault::answer(504, "text/plain", "upstream request timeout"),
        11 => Fault::answer_after(504, "text/plain", "upstream request timeout"),
        12 => Fault::not_found_by_proxy(),
        13 => Fault::port_not_open(),
        14 => Fault::rate_limited(None),
        15 => Fault::rate_limited(Some(Duration::from_secs(1))),
        16 => Fault::html(),
        17 => Fault::content_type("text/html"),
        18 => Fault::cut_after(0),
        19 => Fault::cut_after(70),
        20 => Fault::cut_after(200),
        21 => Fault::truncated(3),
        22 => Fault::duplicate_frames(),
        23 => Fault::without_end(),
        24 => Fault::split_frames(3),
        25 => Fault::slow_answer(20, milliseconds(5)),
        _ => Fault::slow_reader(2000, milliseconds(5)),
    }
}

/// What is done while something goes wrong.
const DEEDS: usize = 11;

/// The sandbox, and what its disk holds.
struct World {
    fake: Fake,
    sandbox: E2b,
    /// The same sandbox for what comes before each deed, with a deadline that a busy machine keeps.
    calm: E2b,
    disk: std::path::PathBuf,
    /// How often each deed was done, for contents that tell them apart.
    turn: usize,
}

impl World {
    async fn new() -> Option<Self> {
        let fake = started(Options::default()).await?;
        let hurried = account(&fake).with_deadline(DEADLINE);
        // Nothing but what a deed needs is asked for, so nobody puts the end off.
        let builder = E2b::from_template(hurried, "base").with_keep_alive(false);
        let sandbox = builder.with_timeout(Duration::from_hours(1)).open().await.unwrap();
        let calm = E2b::attach(account(&fake).with_deadline(PATIENCE), sandbox.id().unwrap());
        let calm = calm.with_keep_alive(false).open().await.unwrap();
        let root = sandbox.root().trim_start_matches('/');
        let disk = fake.directory(sandbox.id().unwrap()).unwrap().join(root);
        Some(Self { fake, sandbox, calm, disk, turn: 0 })
    }

    fn on_disk(&self, name: &str) -> Option<Vec<u8>> {
        std::fs::read(self.disk.join(name)).ok()
    }

    /// Does a deed under a fault and says what was wrong with its answer.
    async fn check(&mut self, deed: usize, shown: &str, inject: impl FnOnce(&Fake)) {
        self.turn += 1;
        let turn = self.turn;
        for name in self.leftovers() {
            std::fs::remove_file(self.disk.join(name)).unwrap();
        }
        put(&self.calm, "file", format!("old {turn}")).await.unwrap();
        put(&self.calm, "other", format!("needle {turn}\n")).await.unwrap();
        let _ = std::fs::remove_file(self.disk.join("moved"));
        let _ = std::fs::remove_dir(self.disk.join("made"));
        let logged = self.on_disk("log").unwrap_or_default().len();
        inject(&self.fake);
        let begun = Instant::now();
        let outcome = tokio::time::timeout(PATIENCE, self.done(deed, turn)).await;
        let outcome = outcome.unwrap_or_else(|_| panic!("{shown}: deed {deed} hangs"));
        self.fake.clear_faults();
        if let Err(error) = &outcome {
            let kinds = [ErrorKind::Unavailable, ErrorKind::TimedOut, ErrorKind::Io, ErrorKind::InvalidInput];
            assert!(kinds.contains(&error.kind()), "{shown}: deed {deed} says {error:?}");
            assert!(!format!("{error} {error:?}").contains(self.fake.api_key()), "{shown}: {error:?}");
        }
        assert!(begun.elapsed() < PATIENCE, "{shown}: deed {deed} took {:?}", begun.elapsed());
        // What arrives late or twice is judged too, and disturbs no later deed.
        let settled = tokio::time::timeout(PATIENCE, self.fake.settled()).await;
        assert!(settled.is_ok(), "{shown}: something of deed {deed} goes on for ever");
        self.judge(deed, turn, logged, shown, &outcome);
        let left = self.leftovers();
        assert!(outcome.is_err() || left.is_empty(), "{shown}: deed {deed} leaves {left:?}");
    }

    /// Temporary files.
    fn leftovers(&self) -> Vec<std::ffi::OsString> {
        let names = std::fs::read_dir(&self.disk).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().ends_with(".tmp")).collect()
    }

    async fn done(&self, deed: usize, turn: usize) -> Result<()> {
        let (sandbox, file) = (&self.sandbox, path("file"));
        match deed {
            0 => {
                let read = sandbox.read(&file, ReadOptions::default()).await?.body.collect(1 << 20).await?;
                assert_eq!(read, format!("old {turn}").as_bytes());
            }
            1 => put(sandbox, "file", format!("new {turn}")).await?,
            2 => put(sandbox, "file", vec![b'n'; 700_000]).await?,
            3 => sandbox.rename(&file, &path("moved"), RenameOptions::default()).await?,
            4 => sandbox.remove(&file, RemoveOptions::default()).await?,
            5 => drop(sandbox.create_dir(&path("made"), CreateDirOptions::default()).await?),
            6 => {
                let names = sandbox.list(&path(""), ListOptions::default()).await?;
                let names: Vec<_> = names.iter().filter_map(|entry| entry.path.name()).collect();
                assert!(names.contains(&"file") && names.contains(&"other"), "{names:?}");
            }
            7 => {
                let mut query = GrepQuery::default();
                query.pattern = format!("needle {turn}$");
                let found = sandbox.grep(query).await?;
                // What could not be read is told as skipped, never as searched in vain.
                assert!(found.lines.len() == 1 || found.tally.skipped.unreadable > 0, "{found:?}");
            }
            8 => {
                let mut query = GlobQuery::default();
                query.pattern = "o*r".into();
                assert_eq!(sandbox.glob(query).await?.files.len(), 1);
            }
            9 => {
                let told = output(sandbox, &format!("echo turn {turn}; echo x >>log")).await?;
                assert_eq!(told, format!("turn {turn}\n"));
            }
            _ => {
                let told = output(sandbox, "cat log; echo x >>log; cat other").await?;
                assert!(told.ends_with(&format!("needle {turn}\n")), "{told}");
            }
        }
        Ok(())
    }

    #[track_caller]
    fn judge(&self, deed: usize, turn: usize, logged: usize, shown: &str, outcome: &Result<(), Error>) {
        let (file, moved) = (self.on_disk("file"), self.on_disk("moved"));
        let old = format!("old {turn}").into_bytes();
        let before = file.as_ref() == Some(&old) && moved.is_none();
        let after = match deed {
            1 => file == Some(format!("new {turn}").into_bytes()),
            2 => file == Some(vec![b'n'; 700_000]),
            3 => file.is_none() && moved == Some(old),
            4 => file.is_none(),
            5 => self.disk.join("made").is_dir(),
            _ => before,
        };
        let grown = self.on_disk("log").unwrap_or_default().len() - logged;
        match outcome {
            Ok(()) => {
                assert!(after, "{shown}: deed {deed} was no success");
                assert_eq!(grown, if deed >= 9 { 2 } else { 0 }, "{shown}: deed {deed}");
            }
            Err(error) => {
                assert!(before || after, "{shown}: deed {deed} left neither the old nor the new: {error}");
                assert!(grown == 0 || grown == 2, "{shown}: deed {deed} ran twice");
            }
        }
    }
}

async fn output(sandbox: &E2b, line: &str) -> Result<String> {
    let mut process = sandbox.shell().spawn(Command::sh(line)).await?;
    let mut stdout = Vec::new();
    loop {
        match process.events.next().await.expect("the events end with an exit or an error")? {
            Event::Output(Stream::Stdout, bytes) => stdout.extend(bytes),
            Event::Exit(exit) => {
                assert_eq!(exit.status.code(), 0);
                return Ok(String::from_utf8(stdout).unwrap());
            }
            _ => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_e2b_1_every_fault_at_every_request_is_told_or_mended() {
    let Some(mut world) = World::new().await else { return };
    for deed in 0..DEEDS {
        for number in 0..FAULTS {
            let shown = format!("{:?}", fault(number));
            world.check(deed, &shown, |fake| fake.inject(fault(number))).await;
        }
    }
    world.sandbox.dispose().await.unwrap();
    assert_eq!(world.fake.sandboxes_alive(), Vec::<String>::new());
}

/// Numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_e2b_1_random_faults_in_a_row_do_no_harm() {
    let number = |name: &str, default| std::env::var(name).map_or(default, |value| value.parse().unwrap());
    let (runs, seed) = (number("E2B_FAULT_RUNS", 60), number("E2B_FAULT_SEED", 4711));
    let mut numbers = Numbers(seed);
    let Some(mut world) = World::new().await else { return };
    for run in 0..runs {
        let deed = numbers.below(DEEDS);
        let faults: Vec<_> = (0..=numbers.below(3))
            .map(|_| fault(numbers.below(FAULTS)).after(numbers.below(4)).times(1 + numbers.below(2)))
            .collect();
        let shown = format!("run {run}, {faults:?}");
        world.check(deed, &shown, |fake| faults.into_iter().for_each(|fault| fake.inject(fault))).await;
    }
    world.sandbox.dispose().await.unwrap();
    assert_eq!(world.fake.sandboxes_alive(), Vec::<String>::new());
}

/// The control plane too: each call under each fault, and no sandbox is left at the end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_e2b_1_every_fault_at_the_control_plane_leaves_no_sandbox() {
    let Some(fake) = started(Options::default()).await else { return };
    let account = account(&fake).with_deadline(DEADLINE);
    for call in [Call::Create, Call::Kill, Call::Connect, Call::Pause] {
        for number in 0..FAULTS {
            let shown = format!("{call:?} under {:?}", fault(number));
            let begun = Instant::now();
            if call == Call::Create {
                fake.inject(fault(number).on(call));
            }
            let opened = E2b::from_template(account.clone(), "base").with_keep_alive(false).open().await;
            if let Ok(sandbox) = opened {
                let id = sandbox.id().unwrap().to_owned();
                fake.inject(fault(number).on(call));
                match call {
                    Call::Connect => drop(E2b::attach(account.clone(), id.clone()).open().await),
                    Call::Pause => drop(sandbox.pause().await),
                    _ => {}
                }
                if sandbox.dispose().await.is_err() {
                    fake.clear_faults();
                    sandbox.dispose().await.unwrap();
                }
            }
            fake.clear_faults();
            assert_eq!(fake.sandboxes_alive(), Vec::<String>::new(), "{shown}");
            assert!(begun.elapsed() < PATIENCE, "{shown} took {:?}", begun.elapsed());
        }
    }
}
