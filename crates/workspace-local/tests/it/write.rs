//! Writing files: R-WRITE-1 to R-WRITE-5, and what the contract adds.

use std::fs;
use std::future::poll_fn;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use sha2::{Digest, Sha256};
use workspace_core::{
    Body, Durability, Error, ErrorKind, FileKind, FsProvider, ListOptions, Precondition, ReadOptions,
    StatOptions, WalkOptions, WriteMode, WriteOptions,
};

use crate::support::{Scene, names_in, path, read, refused, write, write_with};

fn demanding(if_match: Precondition) -> WriteOptions {
    WriteOptions::default().with_if_match(if_match)
}

fn sha256(text: &str) -> Precondition {
    Precondition::Sha256(Sha256::digest(text).into())
}

#[tokio::test]
async fn r_write_1_a_write_tells_what_it_did() {
    let scene = Scene::new();
    let files = scene.open();
    let first = write(&files, "a", "one").await.unwrap();
    assert!(first.created && first.atomic);
    let second = write(&files, "a", "twenty").await.unwrap();
    assert!(!second.created && second.atomic);
    assert_eq!(second.stat, files.stat(&path("a"), StatOptions::default()).await.unwrap());
    assert_eq!((second.stat.kind, second.stat.size), (FileKind::File, 6));
    assert_ne!(first.stat.version, second.stat.version);
    assert_eq!(scene.names(""), ["a"]);
}

#[tokio::test]
async fn r_write_1_each_durability_writes_the_same() {
    let scene = Scene::new();
    let files = scene.open();
    for (index, durability) in [Durability::None, Durability::Data, Durability::Full].into_iter().enumerate()
    {
        let text = format!("text {index}");
        write_with(&files, "a", &text, WriteOptions::default().with_durability(durability)).await.unwrap();
        assert_eq!(scene.text("a"), text);
    }
    assert_eq!(scene.names(""), ["a"]);
}

#[tokio::test]
async fn r_write_1_a_body_of_any_size_arrives_whole() {
    let scene = Scene::new();
    let files = scene.open();
    for size in [0_usize, 1, 4096, 256 * 1024, 256 * 1024 + 1, 3_000_000] {
        let bytes: Vec<u8> = (0..=250).cycle().take(size).collect();
        for piece in [size.max(1), 1000, 300_000] {
            let pieces: Vec<_> = bytes.chunks(piece).map(|piece| Ok(piece.to_vec())).collect();
            files.write(&path("a"), Body::from_items(pieces), WriteOptions::default()).await.unwrap();
            assert_eq!(fs::read(scene.at("a")).unwrap(), bytes, "{size} bytes in pieces of {piece}");
            let body = files.read(&path("a"), ReadOptions::default()).await.unwrap().body;
            assert_eq!(body.collect(1 << 30).await.unwrap(), bytes);
        }
    }
}

#[tokio::test]
async fn r_write_1_a_body_that_fails_leaves_the_old_state_and_no_temporary_file() {
    let scene = Scene::new();
    scene.put("old", "old");
    let files = scene.open();
    for name in ["old", "new"] {
        for size in [10, 600_000] {
            let broken = Body::from_items([
                Ok(vec![b'x'; size]),
                Ok(vec![b'y'; size]),
                Err(Error::new(ErrorKind::TimedOut, "the sender fell silent")),
            ]);
            let error = files.write(&path(name), broken, WriteOptions::default()).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::TimedOut);
            assert_eq!(error.to_string(), format!("write `{name}`: the sender fell silent"));
        }
    }
    assert_eq!(scene.names(""), ["old"]);
    assert_eq!(scene.text("old"), "old");
}

#[tokio::test]
async fn r_write_1_a_write_shows_no_name_before_its_end() {
    let scene = Scene::new();
    scene.put("a", "old");
    scene.dir("dir");
    let files = scene.open();
    for (target, before) in [("a", ["a", "dir"]), ("dir/new", ["a", "dir"])] {
        let root = scene.root();
        let mut pieces = 0;
        let body = Body::from_poll_fn(move |_| {
            pieces += 1;
            // The first piece is on the disk by now.
            if pieces == 3 && cfg!(target_os = "linux") {
                assert_eq!(names_in(&root), before);
                assert_eq!(names_in(&root.join("dir")), [""; 0]);
            }
            Poll::Ready((pieces <= 3).then(|| Ok(vec![b'x'; 400_000])))
        });
        files.write(&path(target), body, WriteOptions::default()).await.unwrap();
    }
    assert_eq!((scene.names(""), scene.names("dir")), (vec!["a".into(), "dir".into()], vec!["new".into()]));
    for name in ["a", "dir/new"] {
        assert_eq!(scene.text(name).len(), 1_200_000);
    }
}

#[tokio::test]
async fn r_write_1_a_dropped_write_leaves_the_old_state() {
    let scene = Scene::new();
    scene.put("a", "old");
    let files = scene.open();
    let staged = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&staged);
    let mut pieces = 0;
    // Two pieces, then silence. The second one is asked for when the first is on the disk.
    let body = Body::from_poll_fn(move |_| {
        pieces += 1;
        if pieces <= 2 {
            return Poll::Ready(Some(Ok(vec![b'x'; 400_000])));
        }
        seen.store(true, Ordering::Relaxed);
        Poll::Pending
    });
    let path = path("a");
    let mut writing = Box::pin(files.write(&path, body, WriteOptions::default()));
    poll_fn(|cx| {
        assert!(writing.as_mut().poll(cx).is_pending());
        if staged.load(Ordering::Relaxed) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    drop(writing);
    assert_eq!(scene.names(""), ["a"]);
    assert_eq!(scene.text("a"), "old");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_write_1_a_reader_sees_the_old_or_the_new_content() {
    let scene = Scene::new();
    let content = |index: u32| format!("{index:010}").repeat(10_000);
    scene.put("a", &content(0));
    let files = scene.open();
    let done = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..2)
        .map(|_| {
            let (files, done) = (files.clone(), Arc::clone(&done));
            tokio::spawn(async move {
                let mut reads = 0;
                while !done.load(Ordering::Relaxed) || reads == 0 {
                    let text = read(&files, "a").await.expect("the file is never missing");
                    let index: u32 = text[..10].parse().unwrap();
                    assert_eq!(text, format!("{index:010}").repeat(10_000), "a torn file");
                    reads += 1;
                }
                reads
            })
        })
        .collect();
    for index in 1..=100 {
        let options = WriteOptions::default().with_durability(Durability::None);
        write_with(&files, "a", &content(index), options).await.unwrap();
    }
    done.store(true, Ordering::Relaxed);
    for reader in readers {
        assert!(reader.await.unwrap() > 0);
    }
}

#[tokio::test]
async fn r_write_2_the_mode_of_a_file_is_kept_and_a_new_file_follows_the_umask() {
    let scene = Scene::new();
    let files = scene.open();
    for mode in [0o644, 0o755, 0o600, 0o640, 0o4755, 0o2755, 0o1644] {
        scene.put("a", "old");
        fs::set_permissions(scene.at("a"), fs::Permissions::from_mode(mode)).unwrap();
        let written = write(&files, "a", "new").await.unwrap();
        // The rights that a program lends were lent to the old content.
        let expected = mode & 0o1777;
        assert_eq!(scene.at("a").metadata().unwrap().mode() & 0o7777, expected, "{mode:o}");
        assert_eq!(written.stat.mode, Some(expected));
    }
    write(&files, "new", "x").await.unwrap();
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let umask = status.lines().find_map(|line| line.strip_prefix("Umask:")).unwrap();
    let umask = u32::from_str_radix(umask.trim(), 8).unwrap();
    assert_eq!(scene.at("new").metadata().unwrap().mode() & 0o7777, 0o666 & !umask);
}

#[tokio::test]
async fn r_write_2_a_mode_may_be_set_outright() {
    let scene = Scene::new();
    scene.put("old", "old");
    let files = scene.open();
    for name in ["old", "new"] {
        let options = WriteOptions::default().with_mode(WriteMode::Set(0o751));
        write_with(&files, name, "x", options).await.unwrap();
        assert_eq!(scene.at(name).metadata().unwrap().mode() & 0o7777, 0o751);
    }
}

#[tokio::test]
async fn r_write_2_a_file_closed_to_its_owner_is_not_replaced() {
    let scene = Scene::new();
    let files = scene.open();
    for mode in [0o444, 0o555, 0o400, 0o466, 0o000] {
        scene.put("a", "old");
        fs::set_permissions(scene.at("a"), fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(refused(write(&files, "a", "new").await), ErrorKind::Permission, "{mode:o}");
        fs::set_permissions(scene.at("a"), fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(scene.text("a"), "old");
    }
    assert_eq!(scene.names(""), ["a"]);
}

#[tokio::test]
async fn r_write_3_each_precondition_is_held() {
    let scene = Scene::new();
    scene.put("a", "old");
    let files = scene.open();
    let version = files.stat(&path("a"), StatOptions::default()).await.unwrap().version.unwrap();
    let conflict = ErrorKind::Conflict;
    for wrong in [Precondition::Absent, sha256("other")] {
        assert_eq!(refused(write_with(&files, "a", "x", demanding(wrong)).await), conflict);
    }
    for wrong in [Precondition::Version(version.clone()), sha256("")] {
        assert_eq!(refused(write_with(&files, "none", "x", demanding(wrong)).await), conflict);
    }
    assert_eq!((scene.text("a").as_str(), scene.names("")), ("old", vec!["a".to_owned()]));

    write_with(&files, "a", "second", demanding(Precondition::Version(version.clone()))).await.unwrap();
    let stale = write_with(&files, "a", "third", demanding(Precondition::Version(version))).await;
    assert_eq!(refused(stale), conflict);
    let written = write_with(&files, "a", "third", demanding(sha256("second"))).await.unwrap();
    let version = Precondition::Version(written.stat.version.unwrap());
    write_with(&files, "a", "fourth", demanding(version)).await.unwrap();
    assert!(write_with(&files, "b", "new", demanding(Precondition::Absent)).await.unwrap().created);
    assert_eq!((scene.text("a").as_str(), scene.text("b").as_str()), ("fourth", "new"));
}

#[tokio::test]
async fn r_write_3_a_write_that_cannot_be_is_refused_before_its_bytes_have_come() {
    let scene = Scene::new();
    scene.put("a", "old");
    scene.dir("dir");
    let files = scene.open();
    for (name, demanded, expected) in [
        ("a", Precondition::Absent, ErrorKind::Conflict),
        ("a", sha256("other"), ErrorKind::Conflict),
        ("none", sha256("other"), ErrorKind::Conflict),
        ("dir", Precondition::Any, ErrorKind::IsADirectory),
    ] {
        let mut pieces = 0;
        let endless = Body::from_poll_fn(move |_| {
            pieces += 1;
            if pieces == 1 { Poll::Ready(Some(Ok(vec![b'x'; 400_000]))) } else { Poll::Pending }
        });
        let name = path(name);
        let writing = files.write(&name, endless, demanding(demanded));
        let outcome = tokio::time::timeout(Duration::from_secs(20), writing).await;
        assert_eq!(refused(outcome.expect("it waits for bytes that it cannot use")), expected, "{name}");
    }
}

#[tokio::test]
async fn r_write_3_of_a_writer_and_a_stranger_who_make_one_file_one_succeeds() {
    let scene = Scene::new();
    let files = scene.open();
    let round = Arc::new(std::sync::Barrier::new(2));
    let (rounds, stranger_waits, target) = (400, Arc::clone(&round), scene.root());
    let stranger = std::thread::spawn(move || {
        let make = |index: usize| {
            stranger_waits.wait();
            // As late as the writer, who has more to do.
            std::thread::sleep(Duration::from_micros(index as u64 % 120));
            fs::File::create_new(target.join(format!("file-{index}"))).is_ok()
        };
        (0..rounds).map(make).collect::<Vec<_>>()
    });
    let mut ours = Vec::new();
    for index in 0..rounds {
        let options = demanding(Precondition::Absent).with_durability(Durability::None);
        round.wait();
        let written = write_with(&files, &format!("file-{index}"), "ours", options).await;
        ours.push(written.map(|_| ()).map_err(|error| error.kind()));
    }
    for (index, (ours, theirs)) in ours.into_iter().zip(stranger.join().unwrap()).enumerate() {
        let expected = if theirs { Err(ErrorKind::Conflict) } else { Ok(()) };
        assert_eq!(ours, expected, "round {index}");
    }
}

#[tokio::test]
async fn r_write_3_a_precondition_is_judged_again_before_the_last_step() {
    for (demanded, meddle) in
        [(sha256("old"), "changed"), (Precondition::Absent, "made"), (sha256("old"), "removed")]
    {
        let scene = Scene::new();
        if demanded != Precondition::Absent {
            scene.put("a", "old");
        }
        let files = scene.open();
        let target = scene.at("a");
        let mut pieces = 0;
        let body = Body::from_poll_fn(move |_| {
            pieces += 1;
            match pieces {
                1 | 2 => Poll::Ready(Some(Ok(vec![b'x'; 400_000]))),
                // By now the write has begun.
                _ => {
                    if meddle == "removed" { fs::remove_file(&target) } else { fs::write(&target, meddle) }
                        .unwrap();
                    Poll::Ready(None)
                }
            }
        });
        let outcome = files.write(&path("a"), body, demanding(demanded)).await;
        assert_eq!(refused(outcome), ErrorKind::Conflict, "{meddle}");
        let left = if meddle == "removed" { vec![] } else { vec!["a"] };
        assert_eq!(scene.names(""), left);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_write_3_of_many_writers_with_one_demand_one_succeeds() {
    let scene = Scene::new();
    let files = scene.open();
    for round in 0..20 {
        scene.put("a", &format!("round {round}"));
        let name = if round % 2 == 0 { "a".to_owned() } else { format!("new-{round}") };
        let demanded = if round % 2 == 0 { sha256(&format!("round {round}")) } else { Precondition::Absent };
        let writers: Vec<_> = (0..8)
            .map(|writer| {
                let (files, name, demanded) = (files.clone(), name.clone(), demanded.clone());
                tokio::spawn(async move {
                    write_with(&files, &name, &format!("writer {writer}"), demanding(demanded)).await
                })
            })
            .collect();
        let mut won = Vec::new();
        for (index, writer) in writers.into_iter().enumerate() {
            match writer.await.unwrap() {
                Ok(_) => won.push(index),
                Err(error) => assert_eq!(error.kind(), ErrorKind::Conflict),
            }
        }
        assert_eq!(won.len(), 1, "{demanded:?}");
        assert_eq!(scene.text(&name), format!("writer {}", won[0]));
    }
}

#[tokio::test]
async fn r_write_4_content_is_written_byte_for_byte() {
    let scene = Scene::new();
    let files = scene.open();
    let bytes: Vec<u8> = (0..=255).chain(*b"\r\n\n\r\0").collect();
    files.write(&path("a"), Body::from(bytes.clone()), WriteOptions::default()).await.unwrap();
    assert_eq!(fs::read(scene.at("a")).unwrap(), bytes);
}

#[tokio::test]
async fn r_write_5_temporary_files_are_not_listed() {
    let scene = Scene::new();
    scene.put("dir/a", "x");
    scene.put("dir/.a.0123456789abcdef.tmp", "in the making");
    scene.put("dir/.a.tmp", "a name like any other");
    let files = scene.open();
    let listed = files.list(&path("dir"), ListOptions::default()).await.unwrap();
    let names: Vec<_> = listed.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(names, ["dir/.a.tmp", "dir/a"]);
    let walked =
        files.walk(&path("dir"), WalkOptions::default()).await.unwrap().collect_items(9).await.unwrap();
    assert_eq!(walked.iter().map(|entry| entry.path.as_str()).collect::<Vec<_>>(), names);
}

#[tokio::test]
async fn a_missing_parent_is_made_on_request_alone() {
    let scene = Scene::new();
    scene.put("file", "x");
    let files = scene.open();
    assert_eq!(refused(write(&files, "a/b/c", "x").await), ErrorKind::NotFound);
    let parents = || WriteOptions::default().with_create_parents(true);
    assert_eq!(refused(write_with(&files, "file/c", "x", parents()).await), ErrorKind::NotADirectory);
    assert_eq!(scene.names(""), ["file"]);
    write_with(&files, "a/b/c", "x", parents()).await.unwrap();
    assert_eq!(scene.text("a/b/c"), "x");
}

#[tokio::test]
async fn no_parent_is_made_that_a_rule_closes() {
    let scene = Scene::new();
    let files = scene.open();
    let closed = workspace_core::PathFilter::deny("closed", |path, _| path.name() == Some("closed"));
    let options = WriteOptions::default().with_create_parents(true).with_filter(closed);
    assert_eq!(refused(write_with(&files, "a/closed/b", "x", options).await), ErrorKind::DeniedPath);
    assert_eq!(scene.names(""), [""; 0]);
}

#[tokio::test]
async fn writers_of_different_files_and_of_one_file_do_not_disturb_each_other() {
    let scene = Scene::new();
    let files = scene.open();
    let writers: Vec<_> = (0..64)
        .map(|writer| {
            let files = files.clone();
            tokio::spawn(async move {
                let parents = WriteOptions::default().with_create_parents(true);
                let name = format!("dir-{}/file-{}", writer % 4, writer % 16);
                write_with(&files, &name, &"x".repeat(1000), parents).await.unwrap();
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    for dir in 0..4 {
        let names = scene.names(&format!("dir-{dir}"));
        assert_eq!(names.len(), 4, "{names:?}");
    }
}

#[test]
fn a_runtime_is_not_needed() {
    let scene = Scene::new();
    let files = scene.open();
    let mut all = Box::pin(async {
        write(&files, "a", &"x".repeat(600_000)).await.unwrap();
        assert_eq!(read(&files, "a").await.unwrap().len(), 600_000);
        let walked = files.walk(&path(""), WalkOptions::default()).await.unwrap();
        assert_eq!(walked.collect_items(9).await.unwrap().len(), 1);
    });
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(all.as_mut().poll(&mut cx).is_ready());
}

#[tokio::test]
async fn a_write_that_waits_for_its_body_does_not_block_others() {
    let scene = Scene::new();
    let files = scene.open();
    let silent = Body::from_poll_fn(|_| Poll::Pending);
    let path = path("a");
    let waiting = files.write(&path, silent, WriteOptions::default());
    let other = write(&files, "a", "other");
    tokio::select! {
        _ = waiting => panic!("a silent body has an end"),
        written = other => { written.unwrap(); }
        () = tokio::time::sleep(Duration::from_secs(20)) => panic!("the other write hangs"),
    }
}
