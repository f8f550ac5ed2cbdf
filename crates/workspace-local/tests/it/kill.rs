//! Writers that are killed.
//!
//! `WORKSPACE_KILL_ROUNDS` sets how many; 15 by default.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use workspace_core::{Body, FsProvider, WriteOptions};
use workspace_local::Local;

use crate::child::{is_child, this_binary};
use crate::support::{Scene, path};

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

/// Writes for ever, until it is killed, and tells when a write begins and when it has ended.
#[tokio::test]
async fn a_writer_without_end() {
    let Some(root) = env::var_os(ROOT).filter(|_| is_child()) else { return };
    let files = Local::open(root).unwrap();
    for index in 0.. {
        for name in ["top", "dir/below"] {
            println!("begins");
            let body = Body::from_items(content(index).chunks(100_000).map(|piece| Ok(piece.to_vec())));
            files.write(&path(name), body, WriteOptions::default()).await.unwrap();
            println!("ended");
        }
    }
}

#[test]
fn r_write_1_a_killed_writer_tears_nothing_and_its_leftovers_go() {
    let rounds = env::var("WORKSPACE_KILL_ROUNDS").map_or(15, |rounds| rounds.parse().unwrap());
    let scene = Scene::new();
    scene.dir("dir");
    let (mut in_the_middle, mut leftovers) = (0, 0);
    for round in 0..rounds {
        let mut writer = this_binary()
            .args(["--exact", "kill::a_writer_without_end", "--nocapture"])
            .env(ROOT, scene.root())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut told = BufReader::new(writer.stdout.take().unwrap()).lines().map_while(Result::ok);
        let ended = told.by_ref().filter(|line| line.ends_with("ended")).take(2).count();
        assert_eq!(ended, 2, "the writer ended by itself");
        // A moment that no one chose.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        std::thread::sleep(Duration::from_micros(u64::from(now.subsec_nanos()) / 7 % 20_000));
        writer.kill().unwrap();
        writer.wait().unwrap();
        in_the_middle += u32::from(told.last().is_some_and(|line| line.ends_with("begins")));

        for name in ["top", "dir/below"] {
            assert_whole(&scene.at(name));
        }
        leftovers += [scene.names(""), scene.names("dir")].concat().len() - 3;
        // The next one to start finds nothing, or removes it.
        scene.open();
        assert_eq!(
            (scene.names(""), scene.names("dir")),
            (names(["dir", "top"]), names(["below"])),
            "round {round}"
        );
    }
    println!(
        "{rounds} writers killed, {in_the_middle} in the middle of a write; \
         no torn file, {leftovers} leftovers, each gone after the next start"
    );
    assert!(in_the_middle > 0, "no writer was killed in the middle, so the test has shown nothing");
}

fn names<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}
