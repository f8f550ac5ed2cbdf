//! The backend next to one `docker exec` a call and to `docker cp`.
//!
//! `cargo run --release -p workspace-docker --example bench -- IMAGE [SOCKET]`; it needs the
//! `docker` program. Times are medians in milliseconds; compare them, do not quote them.
#![allow(clippy::disallowed_methods)] // It starts the program that it is measured against.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // A program for people at a terminal.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use workspace_core::{
    Body, FsProvider, GrepMode, GrepQuery, Precondition, ReadOptions, StatOptions, Version, WorkspacePath,
    WriteOptions,
};
use workspace_docker::{Docker, PullOptions, PushOptions};
use workspace_local::Local;

const ROUNDS: usize = 60;
const FILES: usize = 20_000;
const LARGE: usize = 100 << 20;

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1000.0
}

struct Exec {
    socket: String,
    id: String,
}

impl Exec {
    fn docker(&self, words: &[&str]) -> Command {
        let mut command = Command::new("docker");
        command.args(["-H", &format!("unix://{}", self.socket)]).args(words).stdout(Stdio::null());
        command
    }

    /// One call a process, as the user of the sandbox.
    fn run(&self, line: &str) -> Duration {
        let begun = Instant::now();
        let words = ["exec", "-u", "1000:1000", "-w", "/workspace", &self.id, "sh", "-c", line];
        assert!(self.docker(&words).status().unwrap().success(), "{line}");
        begun.elapsed()
    }

    fn copy(&self, from: &str, to: &str) -> Duration {
        let begun = Instant::now();
        assert!(self.docker(&["cp", from, to]).status().unwrap().success());
        begun.elapsed()
    }
}

fn row(what: &str, ours: f64, theirs: f64) {
    println!("{what:<24} {ours:>10.2} {theirs:>10.2} {:>8.1}", theirs / ours);
}

fn path(text: &str) -> WorkspacePath {
    text.split('/').try_fold(WorkspacePath::root(), |path, name| path.child(name)).unwrap()
}

async fn timed<T>(rounds: usize, call: impl AsyncFn() -> T) -> f64 {
    let mut times = Vec::new();
    for _ in 0..rounds {
        let begun = Instant::now();
        call().await;
        times.push(begun.elapsed());
    }
    median(times)
}

async fn read(docker: &Docker, at: &WorkspacePath) -> (Vec<u8>, Version) {
    let file = docker.read(at, ReadOptions::default()).await.unwrap();
    let version = file.stat.version.clone().unwrap();
    (file.body.collect(1 << 30).await.unwrap(), version)
}

async fn small(docker: &Docker, exec: &Exec) {
    let at = path("small");
    let bytes = vec![b'x'; 1024];
    docker.write(&at, Body::from(bytes.clone()), WriteOptions::default()).await.unwrap();
    let theirs = |line: &str| median((0..ROUNDS / 3).map(|_| exec.run(line)).collect());
    let stat = timed(ROUNDS, async || docker.stat(&at, StatOptions::default()).await.unwrap()).await;
    row("stat", stat, theirs("stat small"));
    row("read 1 kB", timed(ROUNDS, async || read(docker, &at).await).await, theirs("cat small"));
    let write = async || docker.write(&at, Body::from(bytes.clone()), WriteOptions::default()).await.unwrap();
    row("write 1 kB", timed(ROUNDS, write).await, theirs("head -c 1024 /dev/zero >new && mv new small"));
    let edit = async || {
        let (bytes, version) = read(docker, &at).await;
        let options = WriteOptions::default().with_if_match(Precondition::Version(version));
        docker.write(&at, Body::from(bytes), options).await.unwrap()
    };
    let (cat, put) = (theirs("cat small"), theirs("head -c 1024 /dev/zero >new && mv new small"));
    row("edit 1 kB", timed(ROUNDS, edit).await, cat + put);
}

async fn search(docker: &Docker, exec: &Exec) {
    let fill = format!(
        "mkdir -p tree && cd tree && i=0; while [ $i -lt {FILES} ]; do d=$((i/100)); [ -d $d ] || mkdir $d; \
         printf 'line one\\nfn name_%s() {{\\n    call(%s);\\n}}\\n' $i $i >$d/f$i.rs; i=$((i+1)); done; echo needle >>7/f777.rs"
    );
    exec.run(&fill);
    for (what, pattern, basic) in
        [("a rare word", "needle", "needle"), ("a common one", r"call\(1\d*7\)", "call[(]1[0-9]*7[)]")]
    {
        let mut query = GrepQuery::default();
        query.pattern = pattern.into();
        query.scope.base = path("tree");
        query.mode = GrepMode::Files;
        (query.limits.max_results, query.limits.max_time) = (None, None);
        let found = docker.grep(query.clone()).await.unwrap().files.len();
        let ours = timed(7, async || docker.grep(query.clone()).await.unwrap()).await;
        let theirs = median((0..7).map(|_| exec.run(&format!("grep -rlE '{basic}' tree | sort"))).collect());
        row(&format!("grep {what}, {found}"), ours, theirs);
    }
}

async fn transfer(docker: &Docker, exec: &Exec) {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("large");
    let bytes: Vec<u8> = (0..LARGE).map(|n| n.to_le_bytes()[n % 3]).collect();
    std::fs::write(&file, &bytes).unwrap();
    let local = Local::open(home.path()).unwrap();
    let name = file.to_str().unwrap();
    let up = timed(5, async || docker.push(&local, PushOptions::default()).await.unwrap()).await;
    row(
        "100 MB up",
        up,
        median((0..5).map(|_| exec.copy(name, &format!("{}:/workspace/", exec.id))).collect()),
    );
    exec.run("rm -rf tree small new; ls");
    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    for _ in 0..5 {
        let back = tempfile::tempdir().unwrap();
        let to = Local::open(back.path()).unwrap();
        let begun = Instant::now();
        docker.pull(&to, PullOptions::default()).await.unwrap();
        ours.push(begun.elapsed());
        let back = tempfile::tempdir().unwrap();
        theirs.push(exec.copy(&format!("{}:/workspace/large", exec.id), back.path().to_str().unwrap()));
    }
    row("100 MB down", median(ours), median(theirs));
}

#[tokio::main]
async fn main() {
    let mut words = std::env::args().skip(1);
    let image = words.next().unwrap_or_else(|| "workspace-test:debian".into());
    let socket = words.next().unwrap_or_else(|| "/var/run/docker.sock".into());
    let docker = Docker::from_image(&image).with_engine(&socket).open().await.unwrap();
    let exec = Exec { socket, id: docker.id().to_owned() };
    println!("{image}\n{:<24} {:>10} {:>10} {:>8}", "", "ours", "theirs", "times");
    small(&docker, &exec).await;
    search(&docker, &exec).await;
    transfer(&docker, &exec).await;
    docker.dispose().await.unwrap();
}
