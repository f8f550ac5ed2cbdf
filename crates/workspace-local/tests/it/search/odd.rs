//! Odd trees: loops of links, closed directories, long paths, names that are not UTF-8.

use std::ffi::OsString;
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;

use rustix::fs::{CWD, Mode, OFlags, mkdirat, mkfifoat, openat};
use workspace_core::{FsProvider, MAX_PATH_BYTES, SearchTally};
use workspace_local::Local;

use super::{files, glob_query, grep_query, places};
use crate::child::goes_on_without_rights;
use crate::support::Scene;

/// Both searches of the whole root, found to be equal to the portable ones.
async fn searched(local: &Local) -> (Vec<String>, SearchTally, Vec<String>, SearchTally) {
    let (by_name, by_line) = (glob_query("", "**"), grep_query("", "needle"));
    let glob = local.glob(by_name.clone()).await.unwrap();
    assert_eq!(glob, workspace_search::glob(local, &by_name).await.unwrap());
    let grep = local.grep(by_line.clone()).await.unwrap();
    assert_eq!(grep, workspace_search::grep(local, &by_line).await.unwrap());
    (files(&glob).into_iter().map(Into::into).collect(), glob.tally, places(&grep), grep.tally)
}

#[tokio::test]
async fn r_grep_5_loops_of_links_are_not_followed() {
    let scene = Scene::new();
    scene.put("a/b/file", "needle\n");
    scene.link("a/b/up", "../..");
    scene.link("a/self", "self");
    scene.link("a/one", "two");
    scene.link("a/two", "one");
    scene.link("a/to-file", "b/file");
    let (names, _, lines, _) = searched(&scene.open()).await;
    assert_eq!(names, ["a/b/file", "a/to-file"]);
    assert_eq!(lines, ["a/b/file:1"]);
}

#[tokio::test]
async fn r_jail_4_pipes_and_sockets_are_passed_by_and_never_opened() {
    let scene = Scene::new();
    scene.put("a/file", "needle\n");
    mkfifoat(CWD, scene.at("a/pipe"), Mode::from_raw_mode(0o666)).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(scene.at("a/socket")).unwrap();
    let (names, tally, lines, _) = searched(&scene.open()).await;
    assert_eq!((names, tally.files), (vec!["a/file".to_owned()], 1));
    assert_eq!(lines, ["a/file:1"]);
}

#[test]
fn r_list_2_closed_directories_and_files_are_counted() {
    if !goes_on_without_rights("search::odd::r_list_2_closed_directories_and_files_are_counted") {
        return;
    }
    let scene = Scene::new();
    for name in ["open/file", "closed/file", "listed/file", "file"] {
        scene.put(name, "needle\n");
    }
    let set =
        |name: &str, mode| fs::set_permissions(scene.at(name), fs::Permissions::from_mode(mode)).unwrap();
    set("file", 0o000);
    set("closed", 0o000);
    // Its names can be read, and nothing behind them.
    set("listed", 0o444);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (names, by_name, lines, by_line) = runtime.block_on(searched(&scene.open()));
    set("closed", 0o755);
    set("listed", 0o755);
    assert_eq!(names, ["file", "listed/file", "open/file"]);
    assert_eq!(by_name.skipped.unreadable, 1);
    assert_eq!(lines, ["open/file:1"]);
    assert_eq!(by_line.skipped.unreadable, 3);
}

#[tokio::test]
async fn r_list_3_names_that_are_not_utf8_are_counted() {
    let scene = Scene::new();
    scene.put("a/file", "needle\n");
    for name in [b"a\xff".to_vec(), b"\xfe\xfe".to_vec()] {
        fs::write(scene.at("a").join(OsString::from_vec(name)), "needle\n").unwrap();
    }
    let dir = scene.root().join(OsString::from_vec(b"d\xff".to_vec()));
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("file"), "needle\n").unwrap();
    let (names, by_name, lines, by_line) = searched(&scene.open()).await;
    assert_eq!((names, by_name.skipped.non_utf8), (vec!["a/file".to_owned()], 3));
    assert_eq!((lines, by_line.skipped.non_utf8), (vec!["a/file:1".to_owned()], 3));
}

/// Directories of long names, the path of the deepest as long as asked, with a
/// file `f` in each; made name by name, as no call takes such a path.
fn deep(scene: &Scene, bytes: usize) {
    let (dirs, mode) = (OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::from_raw_mode(0o755));
    let put_file = |dir: &OwnedFd| {
        let file = openat(dir, "f", OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC, mode).unwrap();
        rustix::io::write(&file, b"needle\n").unwrap();
    };
    let mut here: OwnedFd = openat(CWD, scene.root(), dirs, Mode::empty()).unwrap();
    put_file(&here);
    let mut length = 0;
    while length < bytes {
        let slash = usize::from(length > 0);
        let name = match bytes - length - slash {
            room @ ..=255 => "d".repeat(room),
            // A slash and one more byte must still fit.
            256 => "d".repeat(254),
            _ => "d".repeat(255),
        };
        length += slash + name.len();
        mkdirat(&here, &name, mode).unwrap();
        here = openat(&here, name.as_str(), dirs, Mode::empty()).unwrap();
        put_file(&here);
    }
}

#[tokio::test]
async fn r_path_1_paths_are_searched_up_to_their_longest_and_counted_beyond() {
    // The length of the deepest directory's path; how many files are named and
    // how many of those are read, as the path of a file is two bytes longer.
    for (bytes, named, read) in
        [(4093, 17, 17), (4094, 17, 17), (4095, 17, 16), (4096, 18, 17), (4097, 17, 16)]
    {
        let scene = Scene::new();
        deep(&scene, bytes);
        let (names, by_name, lines, by_line) = searched(&scene.open()).await;
        assert_eq!((names.len(), lines.len()), (named, read), "{bytes} bytes");
        let closed = u64::from(bytes > MAX_PATH_BYTES);
        assert_eq!(by_name.skipped.unreadable, closed, "{bytes} bytes");
        assert_eq!(by_line.skipped.unreadable, closed + (named - read) as u64, "{bytes} bytes");
    }
}
