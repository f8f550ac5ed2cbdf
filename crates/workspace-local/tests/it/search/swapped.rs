//! Directories that are swapped for links to the outside while searches run.

use std::fs;
use std::path::Path;

use workspace_core::{FsProvider, GlobAnswer, GrepAnswer};
use workspace_local::Local;

use super::{files, glob_query, grep_query};
use crate::race::{Swapping, operations};
use crate::support::{SECRET, Scene};

/// How many directories stand beside the one that is swapped, so that several threads search.
const OTHERS: usize = 12;

/// How many searches of each kind of base.
fn searches() -> usize {
    operations() / 10
}

/// A root with two directories that are swapped, one of them deeper down. Beside
/// each is a link to a directory outside that holds secrets, also further down.
///
/// Neither lies below the other: a swap is by path, and would take what is outside in.
fn scene() -> (Scene, Local, Vec<Swapping>) {
    let scene = Scene::new();
    for index in 0..OTHERS {
        scene.put(&format!("in/other{index:02}/file.txt"), "inside\n");
    }
    scene.put("in/top/mid/inside-only", "inside\n");
    scene.put("low/er/top/mid/inside-only", "inside\n");
    let outside = scene.outside();
    fs::create_dir_all(outside.join("mid/deep")).unwrap();
    for name in ["outside-only", "mid/outside-only", "mid/deep/outside-only"] {
        fs::write(outside.join(name), format!("inside? {SECRET}\n")).unwrap();
    }
    scene.link("in/link", "../../outside");
    scene.link("low/er/link", "../../../outside");
    let files = scene.open();
    let swapping = vec![
        Swapping::begin(scene.at("in/top"), scene.at("in/link")),
        Swapping::begin(scene.at("low/er/top"), scene.at("low/er/link")),
    ];
    (scene, files, swapping)
}

/// What looks safe: it passes links by, and goes into what is a directory.
fn naive_walk(dir: &Path, names: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => naive_walk(&entry.path(), names),
            Ok(kind) if kind.is_file() => names.push(entry.file_name().to_string_lossy().into_owned()),
            _ => {}
        }
    }
}

#[test]
fn r_jail_1_the_race_is_one_that_a_walk_by_path_loses() {
    let (scene, _, swapping) = scene();
    let leaked = (0..200_000).any(|_| {
        let mut names = Vec::new();
        naive_walk(&scene.root(), &mut names);
        names.iter().any(|name| name == "outside-only")
    });
    drop(swapping);
    assert!(leaked, "the swaps are too slow to show anything");
}

#[track_caller]
fn assert_inside(glob: &GlobAnswer, grep: &GrepAnswer) {
    let names = files(glob);
    assert!(names.iter().all(|name| !name.ends_with("outside-only")), "a name leaked: {names:?}");
    let lines = &grep.lines;
    assert!(lines.iter().all(|line| line.text == "inside"), "a content leaked: {lines:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_jail_1_a_swapped_directory_does_not_redirect_a_search() {
    let (scene, local, swapping) = scene();
    let (mut whole, mut partial) = (0, 0);
    for _ in 0..searches() / 2 {
        let glob = local.glob(glob_query("", "**")).await.unwrap();
        let grep = local.grep(grep_query("", "inside")).await.unwrap();
        assert_inside(&glob, &grep);
        // What is swapped is a link at times, or lies behind one, and then it is passed by.
        let deepest = grep.lines.iter().filter(|line| line.path.name() == Some("inside-only")).count();
        whole += usize::from(deepest == 2);
        partial += usize::from(deepest < 2);
    }
    drop(swapping);
    println!("{whole} searches came all the way down, {partial} did not, nothing leaked");
    assert!(whole > 0 && partial > 0, "{whole} came down, {partial} did not: no race took place");
    drop(scene);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_jail_1_a_swapped_base_does_not_redirect_a_search() {
    let (_scene, local, swapping) = scene();
    for _ in 0..searches() / 6 {
        for base in ["in/top", "in/top/mid", "low/er/top"] {
            let glob = local.glob(glob_query(base, "**")).await;
            let grep = local.grep(grep_query(base, "inside")).await;
            assert_inside(&glob.unwrap_or_default(), &grep.unwrap_or_default());
        }
    }
    drop(swapping);
}
