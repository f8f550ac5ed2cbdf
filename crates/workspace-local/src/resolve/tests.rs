//! Links, compared with what the kernel makes of the same tree by itself.

use std::fs::{self, File};
use std::os::fd::AsFd;
use std::os::unix::fs::symlink;
use std::path::Path;

use proptest::prelude::*;
use rustix::fs::{Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use workspace_core::{ErrorKind, PathFilter, WorkspacePath};

use crate::Local;
use crate::attributes::Identity;
use crate::beneath::Beneath;
use crate::error::Fault;
use crate::jail::{Ask, Jail};
use crate::open_roots::open_roots;
use crate::resolve::Last;

/// What to put at a name, unless something is there already.
#[derive(Debug, Clone)]
enum Planted {
    Dir,
    File,
    Link(String),
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof!["a", "b", "c"]
}

fn place() -> impl Strategy<Value = String> {
    prop::collection::vec(name(), 1..4).prop_map(|names| names.join("/"))
}

fn planted() -> impl Strategy<Value = Planted> {
    let part = prop_oneof![4 => name(), 2 => Just("..".to_owned()), 1 => Just(".".to_owned())];
    let end = prop_oneof![3 => Just(""), 1 => Just("/")];
    let text = (prop::collection::vec(part, 1..5), end)
        .prop_map(|(parts, end)| Planted::Link(parts.join("/") + end));
    prop_oneof![2 => Just(Planted::Dir), 1 => Just(Planted::File), 3 => text]
}

fn plant(root: &Path, tree: &[(String, Planted)]) {
    for (place, planted) in tree {
        let at = root.join(place);
        // Without a directory inside the root there is nowhere to put it.
        let parent = at.parent().and_then(|parent| parent.canonicalize().ok());
        let is_inside = parent.is_some_and(|parent| parent.is_dir() && parent.starts_with(root));
        if !is_inside || at.symlink_metadata().is_ok() {
            continue;
        }
        match planted {
            Planted::Dir => fs::create_dir(at).unwrap(),
            Planted::File => fs::write(at, "x").unwrap(),
            Planted::Link(text) => symlink(text, at).unwrap(),
        }
    }
}

/// The file that the kernel finds when it follows the links itself, and may not leave the root.
fn by_the_kernel(root: &File, path: &WorkspacePath) -> Result<Identity, ErrorKind> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    loop {
        match rustix::fs::openat2(root, path.as_str(), OFlags::PATH, Mode::empty(), resolve) {
            Ok(file) => return Ok(Identity::of(&rustix::fs::fstat(file).unwrap())),
            Err(Errno::AGAIN) => {}
            Err(Errno::XDEV | Errno::LOOP) => return Err(ErrorKind::PathEscape),
            Err(Errno::NOENT) => return Err(ErrorKind::NotFound),
            Err(Errno::NOTDIR) => return Err(ErrorKind::NotADirectory),
            Err(errno) => panic!("{errno}"),
        }
    }
}

fn by_the_jail(jail: &Jail, path: &WorkspacePath) -> Result<Identity, ErrorKind> {
    let filter = PathFilter::default();
    let place = jail.place(Ask::read(path, &filter)).and_then(|place| Ok(place.raw.ok_or(Errno::NOENT)?));
    place.map(|raw| Identity::of(&raw)).map_err(|fault| fault.tell("stat", path).kind())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn r_jail_2_links_lead_where_the_kernel_says(
        tree in prop::collection::vec((place(), planted()), 1..14),
        asked in prop::collection::vec(place(), 12),
    ) {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        plant(&root, &tree);
        let handle = File::open(&root).unwrap();
        for beneath in [Beneath::Kernel, Beneath::ByHand] {
            let links = crate::LinkPolicy::Inside;
            let jail = Jail { roots: open_roots(&root, &[]).unwrap(), beneath, links };
            for path in &asked {
                let path = path.split('/').fold(WorkspacePath::root(), |path, name| path.child(name).unwrap());
                let (ours, theirs) = (by_the_jail(&jail, &path), by_the_kernel(&handle, &path));
                prop_assert_eq!(ours, theirs, "{} by {:?}", path, beneath);
            }
        }
    }
}

#[test]
fn a_walk_by_hand_meets_what_the_kernel_meets() {
    let home = tempfile::tempdir().unwrap();
    let tree = [
        ("dir", Planted::Dir),
        ("dir/file", Planted::File),
        ("link", Planted::Link("dir".into())),
        ("dir/link", Planted::Link("file".into())),
    ];
    let root = home.path().canonicalize().unwrap();
    plant(&root, &tree.map(|(place, planted)| (place.to_owned(), planted)));
    let handle = File::open(&root).unwrap();
    for (path, expected) in [
        ("", Ok(())),
        ("dir", Ok(())),
        ("dir/file", Ok(())),
        ("link", Err(Errno::LOOP)),
        ("link/file", Err(Errno::LOOP)),
        ("dir/link", Err(Errno::LOOP)),
        ("none", Err(Errno::NOENT)),
        ("none/x", Err(Errno::NOENT)),
        ("dir/file/x", Err(Errno::NOTDIR)),
    ] {
        for beneath in [Beneath::Kernel, Beneath::ByHand] {
            let path = path.split('/').filter(|name| !name.is_empty());
            let path = path.fold(WorkspacePath::root(), |path, name| path.child(name).unwrap());
            let opened = beneath.open(handle.as_fd(), &path, OFlags::CLOEXEC);
            assert_eq!(opened.map(drop), expected, "{path} by {beneath:?}");
        }
    }
}

#[test]
fn a_tree_that_never_rests_is_told() {
    let home = tempfile::tempdir().unwrap();
    let files = Local::open(home.path()).unwrap();
    let (path, filter) = (WorkspacePath::root().child("a").unwrap(), PathFilter::default());
    let mut tries = 0;
    let ask = Ask { last: Last::Keep, ..Ask::read(&path, &filter) };
    let outcome = files.0.jail.settle(ask, |_| -> Result<(), Fault> {
        tries += 1;
        Err(Errno::LOOP.into())
    });
    let error = outcome.unwrap_err().tell("read", &path);
    assert_eq!(error.kind(), ErrorKind::Io);
    // A search passes such a path by and counts it.
    assert_eq!(workspace_search::Failure::of(error).unwrap(), workspace_search::Failure::Unreadable);
    assert!((2..100).contains(&tries), "{tries}");
}
