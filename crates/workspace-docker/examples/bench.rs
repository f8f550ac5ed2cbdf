//! The backend next to one `docker exec` a call, to `grep -r` in the container and to `docker cp`.
//!
//! `cargo xtask bench docker` builds and starts it; it needs the `docker` program. Each row
//! measures ours and theirs in turns, so that whatever else the machine does is borne by both.
#![allow(clippy::disallowed_methods)] // It starts the program that it is measured against.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // A program for people at a terminal.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use workspace_core::{
    Body, FsProvider, GrepMode, GrepQuery, Precondition, ReadOptions, StatOptions, Version, WorkspacePath,
    WriteOptions,
};
use workspace_docker::{Docker, PullOptions, PushOptions};
use workspace_local::Local;

const FILES: usize = 20_000;
const LARGE: usize = 100 << 20;
/// How many calls of ours are measured for each one of theirs, where a call is small.
const SMALL: usize = 10;
/// What a caller without this crate would run to write a file: the bytes by the standard input, and one rename.
const WRITE: &str = "cat >new && mv new small";

struct Bench {
    docker: Docker,
    socket: String,
    turns: usize,
    only: String,
}

impl Bench {
    /// A command of the `docker` program.
    fn theirs(&self, words: &[&str]) -> Duration {
        let begun = Instant::now();
        let mut command = Command::new("docker");
        command.args(["-H", &format!("unix://{}", self.socket)]).args(words).stdout(Stdio::null());
        assert!(command.status().unwrap().success(), "{words:?}");
        begun.elapsed()
    }

    /// One call a process, as the user of the sandbox.
    fn exec(&self, line: &str) -> Duration {
        let words = ["exec", "-u", "1000:1000", "-w", self.docker.root(), self.docker.id(), "sh", "-c", line];
        self.theirs(&words)
    }

    /// The same, with bytes on its standard input.
    fn exec_with(&self, line: &str, bytes: &[u8]) -> Duration {
        let begun = Instant::now();
        let mut command = Command::new("docker");
        command.args(["-H", &format!("unix://{}", self.socket), "exec", "-i", "-u", "1000:1000"]);
        command.args(["-w", self.docker.root(), self.docker.id(), "sh", "-c", line]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(bytes).unwrap();
        assert!(child.wait().unwrap().success(), "{line}");
        begun.elapsed()
    }

    /// A row: `ours` so many times, then `theirs` once, again and again.
    async fn row(
        &self,
        what: &str,
        times: usize,
        ours: impl AsyncFn() -> Duration,
        theirs: impl Fn() -> Duration,
    ) {
        if !what.contains(&self.only) {
            return;
        }
        let (mut first, mut second) = (Vec::new(), Vec::new());
        // Once before it counts.
        ours().await;
        theirs();
        for _ in 0..self.turns {
            for _ in 0..times {
                first.push(ours().await);
            }
            second.push(theirs());
        }
        let (ours, theirs) = (median(first), median(second));
        println!("| {what} | {ours:.2} | {theirs:.1} | {:.1} | {:.2} |", theirs / ours, ours / theirs);
    }
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1000.0
}

fn path(text: &str) -> WorkspacePath {
    text.split('/').try_fold(WorkspacePath::root(), |path, name| path.child(name)).unwrap()
}

async fn timed<T>(call: impl Future<Output = T>) -> Duration {
    let begun = Instant::now();
    call.await;
    begun.elapsed()
}

async fn read(docker: &Docker, at: &WorkspacePath) -> (Vec<u8>, Version) {
    let file = docker.read(at, ReadOptions::default()).await.unwrap();
    let version = file.stat.version.clone().unwrap();
    (file.body.collect(1 << 30).await.unwrap(), version)
}

async fn small(bench: &Bench) {
    let (docker, at) = (&bench.docker, path("small"));
    let text = "a line of a text file\n".repeat(47).into_bytes();
    docker.write(&at, Body::from(text.clone()), WriteOptions::default()).await.unwrap();
    let stat = async || timed(docker.stat(&at, StatOptions::default())).await;
    bench.row("stat", SMALL, stat, || bench.exec("stat small")).await;
    bench.row("read 1 kB", SMALL, async || timed(read(docker, &at)).await, || bench.exec("cat small")).await;
    let write = async || timed(docker.write(&at, Body::from(text.clone()), WriteOptions::default())).await;
    bench.row("write 1 kB", SMALL, write, || bench.exec_with(WRITE, &text)).await;
    let edit = async || {
        let edit = async {
            let (bytes, version) = read(docker, &at).await;
            let options = WriteOptions::default().with_if_match(Precondition::Version(version));
            docker.write(&at, Body::from(bytes), options).await.unwrap()
        };
        timed(edit).await
    };
    let theirs = || bench.exec("cat small") + bench.exec_with(WRITE, &text);
    bench.row("edit 1 kB", SMALL, edit, theirs).await;
    bench.exec("rm -f small new");
}

async fn search(bench: &Bench) {
    if !"grep".contains(&bench.only) && !bench.only.contains("grep") {
        return;
    }
    let fill = format!(
        "mkdir -p tree && cd tree && i=0; while [ $i -lt {FILES} ]; do d=$((i/100)); [ -d $d ] || mkdir $d; \
         printf 'line one\\nfn name_%s() {{\\n    call(%s);\\n}}\\n' $i $i >$d/f$i.rs; i=$((i+1)); done; echo needle >>7/f777.rs"
    );
    bench.exec(&fill);
    for (what, pattern, theirs) in [
        ("grep, a rare word", "needle", "needle"),
        ("grep, a common pattern", r"call\(1\d*7\)", "call[(]1[0-9]*7[)]"),
    ] {
        let mut query = GrepQuery::default();
        query.pattern = pattern.into();
        query.scope.base = path("tree");
        query.mode = GrepMode::Files;
        (query.limits.max_results, query.limits.max_time) = (None, None);
        let found = bench.docker.grep(query.clone()).await.unwrap().files.len();
        let ours = async || timed(bench.docker.grep(query.clone())).await;
        let theirs = || bench.exec(&format!("grep -rlE '{theirs}' tree | sort"));
        bench.row(&format!("{what}: {found} of {FILES} files"), 1, ours, theirs).await;
    }
    bench.exec("rm -rf tree");
}

async fn transfer(bench: &Bench) {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("large");
    let bytes: Vec<u8> = (0..LARGE).map(|n| n.to_le_bytes()[n % 3]).collect();
    std::fs::write(&file, &bytes).unwrap();
    let local = Local::open(home.path()).unwrap();
    let there = format!("{}:{}/", bench.docker.id(), bench.docker.root());
    let up = async || timed(bench.docker.push(&local, PushOptions::default())).await;
    bench.row("100 MB up", 1, up, || bench.theirs(&["cp", file.to_str().unwrap(), &there])).await;
    let down = async || {
        let back = tempfile::tempdir().unwrap();
        let to = Local::open(back.path()).unwrap();
        timed(bench.docker.pull(&to, PullOptions::default())).await
    };
    let theirs = || {
        let back = tempfile::tempdir().unwrap();
        bench.theirs(&["cp", &format!("{there}large"), back.path().to_str().unwrap()])
    };
    bench.row("100 MB down", 1, down, theirs).await;
}

#[tokio::main]
async fn main() {
    let mut words = std::env::args().skip(1);
    let mut next = |default: &str| words.next().unwrap_or_else(|| default.into());
    let image = next("workspace-test:debian");
    let socket = next("/var/run/docker.sock");
    let turns = next("15").parse().unwrap();
    let only = next("");
    let docker = Docker::from_image(&image).with_engine(&socket).open().await.unwrap();
    let bench = Bench { docker, socket, turns, only };
    println!("{image}, {turns} turns, medians\n");
    println!("| call | ours, ms | theirs, ms | times faster | ours / theirs |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    small(&bench).await;
    search(&bench).await;
    transfer(&bench).await;
    bench.docker.dispose().await.unwrap();
}
