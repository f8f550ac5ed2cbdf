//! Writers that are killed.
//!
//! `WORKSPACE_KILL_ROUNDS` sets how many; 15 by default.

use std::env;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;
use std::task::Poll;
use std::time::{Duration, SystemTime};

use rustix::process::{Signal, getpid, kill_process};
use workspace_core::{Body, FsProvider, WriteOptions, is_temporary_name};
use workspace_local::Local;

use crate::child::{is_child, this_binary};
use crate::support::{Scene, names_in, path, write};

const SIZE: usize = 1 << 20;
const ROOT: &str = "WORKSPACE_TEST_ROOT";

/// A file of one megabyte, of which every part says which one it is.
fn content(index: u64) -> Vec<u8> {
    format!("{index:015}\n").repeat(SIZE / 16).into_bytes()
}

#[track_caller]
fn assert_whole(file: &Path) {
    let bytes = fs::read(file).unwrap();
    assert_eq!(bytes.len(), SIZE, "a torn file");
    let first = &bytes[..16];
    assert!(bytes.chunks(16).all(|part| part == first), "a torn file");
}

/// Writes for ever, until it is killed.
#[tokio::test]
async fn a_writer_without_end() {
    let Some(root) = env::var_os(ROOT).filter(|_| is_child()) else { return };
    let files = Local::open(root).unwrap();
    for index in 0.. {
        for name in ["top", "dir/below"] {
            let body = Body::from_items(content(index).chunks(100_000).map(|piece| Ok(piece.to_vec())));
            files.write(&path(name), body, WriteOptions::default()).await.unwrap();
        }
        if index == 0 {
            println!("both are there");
        }
    }
}

#[test]
fn r_write_1_a_killed_writer_tears_nothing_and_its_leftovers_go() {
    let rounds = env::var("WORKSPACE_KILL_ROUNDS").map_or(15, |rounds| rounds.parse().unwrap());
    let scene = Scene::new();
    scene.dir("dir");
    let mut leftovers = 0;
    for round in 0..rounds {
        let mut writer = this_binary()
            .args(["--exact", "kill::a_writer_without_end", "--nocapture"])
            .env(ROOT, scene.root())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut told = Vec::new();
        let mut output = writer.stdout.take().unwrap();
        while !told.ends_with(b"both are there\n") {
            let mut byte = [0];
            assert_eq!(output.read(&mut byte).unwrap(), 1, "the writer ended by itself");
            told.push(byte[0]);
        }
        // A moment that no one chose.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        std::thread::sleep(Duration::from_micros(u64::from(now.subsec_nanos()) / 7 % 20_000));
        writer.kill().unwrap();
        writer.wait().unwrap();

        for name in ["top", "dir/below"] {
            assert_whole(&scene.at(name));
        }
        leftovers += [scene.names(""), scene.names("dir")].concat().len() - 3;
        // The next one to start finds them, and the next one to write there.
        let files = scene.open();
        assert_eq!(scene.names(""), ["dir", "top"], "round {round}");
        if round % 2 == 0 {
            tokio::runtime::Runtime::new().unwrap().block_on(write(&files, "dir/other", "x")).unwrap();
            assert_eq!(scene.names("dir"), ["below", "other"], "round {round}");
            fs::remove_file(scene.at("dir/other")).unwrap();
        } else {
            // Nobody writes there in this round, so what is left would stay: it is cleared by hand.
            for name in scene.names("dir").iter().filter(|name| is_temporary_name(name)) {
                fs::remove_file(scene.at("dir").join(name)).unwrap();
            }
        }
    }
    println!("{rounds} writers killed, {leftovers} leftovers, no torn file");
    assert!(leftovers > 0, "no writer was killed in the middle, so the test has shown nothing");
}

/// Dies in the middle of a write.
#[tokio::test]
async fn a_writer_that_dies() {
    let Some(root) = env::var_os(ROOT).filter(|_| is_child()) else { return };
    let mut pieces = 0;
    let body = Body::from_poll_fn(move |_| {
        pieces += 1;
        if pieces > 2 {
            kill_process(getpid(), Signal::KILL).unwrap();
        }
        Poll::Ready(Some(Ok(vec![b'x'; 400_000])))
    });
    let _ = Local::open(root).unwrap().write(&path("a"), body, WriteOptions::default()).await;
}

/// Puts what a killed writer leaves into a directory, which is made.
pub(crate) fn leave_a_leftover(dir: &Path) {
    fs::create_dir(dir).unwrap();
    let status = this_binary()
        .args(["--exact", "kill::a_writer_that_dies", "--nocapture"])
        .env(ROOT, dir)
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(!status.success());
    let names = names_in(dir);
    assert!(names.len() == 1 && is_temporary_name(&names[0]), "{names:?}");
}

#[tokio::test]
async fn r_write_1_a_living_writer_keeps_its_temporary_file() {
    let scene = Scene::new();
    let files = scene.open();
    let mut pieces = 0;
    let root = scene.root();
    let body = Body::from_poll_fn(move |_| {
        pieces += 1;
        if pieces <= 3 {
            return Poll::Ready(Some(Ok(vec![b'x'; 400_000])));
        }
        // Others start in the middle of the write.
        assert_eq!(names_in(&root).len(), 1);
        Local::open(&root).unwrap();
        assert_eq!(names_in(&root).len(), 1);
        Poll::Ready(None)
    });
    files.write(&path("a"), body, WriteOptions::default()).await.unwrap();
    assert_eq!(scene.text("a").len(), 1_200_000);
}
