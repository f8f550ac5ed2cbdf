//! What a tree in memory has beyond the contract: seeds, limits, snapshots, its clock.

use std::time::{Duration, UNIX_EPOCH};

use workspace_core::{
    Body, ErrorKind, FileKind, FsProvider, PathRules, ReadOptions, RenameOptions, Stat, StatOptions,
    WalkOptions, WorkspacePath, WriteOptions,
};
use workspace_memory::{ManualClock, Memory, MemoryConfig};

pub(crate) fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text, &PathRules::default()).unwrap()
}

async fn stat(memory: &Memory, at: &str) -> Stat {
    memory.stat(&path(at), StatOptions::default()).await.unwrap()
}

async fn write(memory: &Memory, at: &str, bytes: &[u8]) -> Result<(), ErrorKind> {
    let written = memory.write(&path(at), Body::from(bytes.to_vec()), WriteOptions::default()).await;
    written.map(drop).map_err(|error| error.kind())
}

#[test]
fn a_tree_is_filled_in_one_expression() {
    let memory = Memory::new()
        .with_file("src/main.rs", "fn main() {}\n")
        .with_dir("empty/deep")
        .with_link("main", "src/main.rs")
        .with_special("run/socket")
        .with_file("bytes", [0, 255]);
    let paths: Vec<String> = memory.paths_now().iter().map(ToString::to_string).collect();
    assert_eq!(paths, ["bytes", "empty", "empty/deep", "main", "run", "run/socket", "src", "src/main.rs"]);
    assert_eq!(memory.read_now("main").unwrap(), b"fn main() {}\n");
}

#[test]
#[should_panic(
    expected = "the tree cannot be filled: write `a/b`: a file stands where a directory is needed"
)]
fn a_tree_that_cannot_be_filled_says_why() {
    let _ = Memory::new().with_file("a", "").with_file("a/b", "");
}

#[test]
fn r_mem_1_paths_of_seeds_pass_the_path_rules() {
    let memory = Memory::new();
    memory.write_now("/workspace/dir/../a.txt", "absolute").unwrap();
    assert_eq!(memory.read_now("a.txt").unwrap(), b"absolute");
    for text in ["../a", "/etc/passwd", "C:\\a", "a\0"] {
        assert_eq!(memory.write_now(text, "").unwrap_err().kind(), ErrorKind::PathEscape, "{text:?}");
    }
}

#[test]
fn a_root_is_an_absolute_path() {
    for (root, shown) in [("/srv/ws", "/srv/ws"), ("/srv//ws/", "/srv/ws")] {
        let memory = Memory::configure().with_root(root).build().unwrap();
        assert_eq!(memory.path_rules().roots, [shown]);
    }
    for root in ["", "/", "ws", "/a/../b", "///"] {
        let error = MemoryConfig::new().with_root(root).build().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{root:?}");
    }
}

#[test]
fn an_absolute_link_lies_where_the_root_says() {
    let memory = MemoryConfig::new().with_root("/srv/ws").build().unwrap().with_file("dir/a", "inside");
    for (text, want) in [
        ("/srv/ws/dir/a", Ok(b"inside".to_vec())),
        ("//srv/ws//./dir/../dir/a", Ok(b"inside".to_vec())),
        ("/srv/ws/../ws/dir/a", Err(ErrorKind::PathEscape)),
        ("/srv/ws-evil/dir/a", Err(ErrorKind::PathEscape)),
        ("/workspace/dir/a", Err(ErrorKind::PathEscape)),
        ("/srv", Err(ErrorKind::PathEscape)),
        ("/srv/ws/dir", Err(ErrorKind::IsADirectory)),
        ("/srv/ws/missing", Err(ErrorKind::NotFound)),
    ] {
        memory.create_link_now("link", text).unwrap();
        assert_eq!(memory.read_now("link").map_err(|error| error.kind()), want, "{text}");
        memory.remove_now("link").unwrap();
    }
}

/// As on a disk, and not as the text would be folded.
#[test]
fn parents_in_a_link_are_those_of_what_is_there() {
    let memory = Memory::new().with_file("real/a", "real").with_dir("real/deep").with_file("a", "top");
    let memory = memory.with_link("alias", "real/deep").with_link("link", "alias/../a");
    assert_eq!(memory.read_now("link").unwrap(), b"real");
    for (text, want) in [
        ("a/../a", ErrorKind::NotADirectory),
        ("missing/../a", ErrorKind::NotFound),
        ("alias/../../../a", ErrorKind::PathEscape),
    ] {
        memory.remove_now("link").unwrap();
        memory.create_link_now("link", text).unwrap();
        assert_eq!(memory.read_now("link").unwrap_err().kind(), want, "{text}");
    }
}

#[tokio::test]
async fn r_mem_1_a_full_tree_takes_no_more() {
    let memory = MemoryConfig::new().with_max_bytes(10).build().unwrap().with_file("a", "12345");
    assert_eq!(write(&memory, "b", b"123456").await, Err(ErrorKind::NoSpace));
    assert_eq!(memory.paths_now(), [path("a")]);
    assert_eq!(write(&memory, "b", b"12345").await, Ok(()));
    assert_eq!(memory.used_bytes(), 10);
    // What is replaced or removed gives its bytes back.
    assert_eq!(write(&memory, "a", b"1234567").await, Err(ErrorKind::NoSpace));
    assert_eq!(memory.read_now("a").unwrap(), b"12345");
    assert_eq!(write(&memory, "a", b"54321").await, Ok(()));
    memory.remove_now("b").unwrap();
    assert_eq!(memory.used_bytes(), 5);
    assert_eq!(write(&memory, "a", b"1234567890").await, Ok(()));
    assert_eq!(write(&memory, "empty", b"").await, Ok(()));
}

#[tokio::test]
async fn a_body_without_end_stops_at_the_limit() {
    let memory = MemoryConfig::new().with_max_bytes(1000).build().unwrap();
    let endless = Body::unfold((), |()| async { Ok(Some((vec![0; 64], ()))) });
    let error = memory.write(&path("a"), endless, WriteOptions::default()).await.unwrap_err();
    assert_eq!((error.kind(), error.path()), (ErrorKind::NoSpace, Some("a")));
    assert_eq!(memory.paths_now(), []);
}

#[tokio::test]
async fn r_mem_1_a_snapshot_is_the_tree_as_it_was() {
    let memory = Memory::new().with_file("dir/a", "old").with_link("link", "dir/a").with_mode("dir/a", 0o600);
    let then = stat(&memory, "dir/a").await;
    let snapshot = memory.snapshot();
    memory.write_now("dir/a", "new").unwrap();
    memory.write_now("b", "b").unwrap();
    memory.remove_now("link").unwrap();
    memory.restore(&snapshot);
    assert_eq!(memory.paths_now(), ["dir", "dir/a", "link"].map(path));
    assert_eq!(memory.read_now("link").unwrap(), b"old");
    assert_eq!(stat(&memory, "dir/a").await, then);
    assert_eq!(memory.used_bytes(), 3);
    // And once more: a snapshot is not used up.
    memory.remove_now("dir").unwrap();
    memory.restore(&snapshot);
    assert_eq!(memory.read_now("dir/a").unwrap(), b"old");
}

#[tokio::test]
async fn a_version_is_not_given_twice_after_a_restore() {
    let memory = Memory::new().with_file("a", "0");
    let snapshot = memory.snapshot();
    memory.write_now("a", "1").unwrap();
    let first = stat(&memory, "a").await.version;
    memory.restore(&snapshot);
    memory.write_now("a", "2").unwrap();
    assert_ne!(stat(&memory, "a").await.version, first);
}

#[test]
fn a_clone_is_the_same_tree() {
    let memory = Memory::new();
    let clone = memory.clone();
    clone.write_now("a", "x").unwrap();
    assert_eq!(memory.read_now("a").unwrap(), b"x");
}

#[tokio::test]
async fn r_mem_1_times_come_from_the_clock() {
    let clock = ManualClock::new(UNIX_EPOCH);
    let memory = MemoryConfig::new().with_clock(clock.clone()).build().unwrap();
    let at = |seconds| Some(UNIX_EPOCH + Duration::from_secs(seconds));
    clock.advance(Duration::from_secs(1));
    memory.write_now("dir/a", "x").unwrap();
    clock.advance(Duration::from_secs(1));
    memory.write_now("dir/b", "x").unwrap();
    clock.advance(Duration::from_secs(1));
    memory.write_now("dir/b", "y").unwrap();
    assert_eq!(stat(&memory, "dir/a").await.modified, at(1));
    assert_eq!(stat(&memory, "dir/b").await.modified, at(3));
    // A directory changes with its entries, not with what they hold.
    assert_eq!(stat(&memory, "dir").await.modified, at(2));
    assert_eq!(stat(&memory, "").await.modified, at(1));
}

#[tokio::test]
async fn a_walk_sees_the_tree_as_it_was() {
    let memory = Memory::new().with_file("a/b", "x").with_file("c", "x");
    let mut walk = memory.walk(&WorkspacePath::root(), WalkOptions::default()).await.unwrap();
    assert_eq!(walk.next().await.unwrap().unwrap().path, path("a"));
    memory.remove_now("a").unwrap();
    memory.write_now("d", "x").unwrap();
    let rest = walk.collect_items(10).await.unwrap();
    assert_eq!(rest.into_iter().map(|entry| entry.path).collect::<Vec<_>>(), ["a/b", "c"].map(path));
}

#[tokio::test]
async fn a_big_file_comes_in_pieces() {
    let memory = Memory::new().with_file("big", vec![7; 200_000]);
    let opened = memory.read(&path("big"), ReadOptions::default()).await.unwrap();
    let pieces = opened.body.collect_items(100).await.unwrap();
    assert_eq!(pieces.iter().map(Vec::len).collect::<Vec<_>>(), [65_536, 65_536, 65_536, 3_392]);
}

#[tokio::test]
async fn a_tree_whose_paths_would_be_too_long_stays() {
    let name = |letter: &str| letter.repeat(250);
    let deep = [&name("d"); 10].map(String::as_str).join("/");
    let long = [&name("e"); 8].map(String::as_str).join("/");
    let memory = Memory::new().with_dir(&deep).with_dir(&long);
    let to = path(&format!("{long}/moved"));
    let error = memory.rename(&path(&name("d")), &to, RenameOptions::default()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert_eq!(stat(&memory, &deep).await.kind, FileKind::Dir);
}

#[test]
fn a_link_needs_a_text_and_a_free_name() {
    let memory = Memory::new().with_file("a", "");
    assert_eq!(memory.create_link_now("link", "").unwrap_err().kind(), ErrorKind::InvalidInput);
    assert_eq!(memory.create_link_now("a", "b").unwrap_err().kind(), ErrorKind::AlreadyExists);
    assert_eq!(memory.create_special_now("a").unwrap_err().kind(), ErrorKind::AlreadyExists);
}
