//! The files of a sandbox, reached from outside as its processes see them.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, Stat, openat2, readlinkat, statat};
use rustix::io::{Errno, Result};

/// As many as the kernel follows.
const MOST_LINKS: usize = 40;

/// A handle on the root of a sandbox. Links are resolved inside it, whatever they say.
#[derive(Debug)]
pub(crate) struct View {
    root: OwnedFd,
}

impl View {
    pub(super) fn new(root: OwnedFd) -> Self {
        Self { root }
    }

    /// Opens a path; links are followed, the last one too unless `NOFOLLOW` is asked for.
    pub(crate) fn open(&self, path: &str, flags: OFlags, mode: Mode) -> Result<OwnedFd> {
        loop {
            let opened = openat2(&self.root, path, flags | OFlags::CLOEXEC, mode, ResolveFlags::IN_ROOT);
            // The kernel asks to try again where a rename elsewhere disturbed the walk.
            if opened.as_ref().err() != Some(&Errno::AGAIN) {
                return opened;
            }
        }
    }

    /// A handle that serves to look and to walk, on what the path names.
    pub(crate) fn at(&self, path: &str) -> Result<OwnedFd> {
        self.open(path, OFlags::PATH, Mode::empty())
    }

    /// The same, where the last name may be a link that is not followed.
    pub(crate) fn at_link(&self, path: &str) -> Result<OwnedFd> {
        self.open(path, OFlags::PATH | OFlags::NOFOLLOW, Mode::empty())
    }

    /// The directory that holds a path's last name.
    pub(crate) fn parent(&self, path: &str) -> Result<OwnedFd> {
        let parent = Path::new(path).parent().and_then(Path::to_str).unwrap_or("/");
        self.open(parent, OFlags::PATH | OFlags::DIRECTORY, Mode::empty())
    }

    /// What a path is, with links followed.
    pub(crate) fn stat(&self, path: &str) -> Result<Stat> {
        stat_of(&self.at(path)?)
    }

    /// The path that a path leads to, with all links followed.
    pub(crate) fn real_path(&self, path: &str) -> Result<String> {
        let mut real = Vec::<String>::new();
        let mut waiting: Vec<String> = path.rsplit('/').map(str::to_owned).collect();
        let mut links = 0;
        while let Some(name) = waiting.pop() {
            match name.as_str() {
                "" | "." => continue,
                ".." => {
                    real.pop();
                    continue;
                }
                _ => real.push(name),
            }
            let handle = self.at_link(&format!("/{}", real.join("/")))?;
            if FileType::from_raw_mode(stat_of(&handle)?.st_mode) != FileType::Symlink {
                continue;
            }
            links += 1;
            if links > MOST_LINKS {
                return Err(Errno::LOOP);
            }
            let target = readlinkat(&handle, "", Vec::new())?.into_string().map_err(|_| Errno::ILSEQ)?;
            if target.starts_with('/') {
                real.clear();
            } else {
                real.pop();
            }
            waiting.extend(target.rsplit('/').map(str::to_owned));
        }
        Ok(format!("/{}", real.join("/")))
    }

    /// The whole of a small text, empty where it cannot be read.
    pub(crate) fn text(&self, path: &str) -> String {
        let read = || -> io::Result<String> {
            let file = self.open(path, OFlags::RDONLY, Mode::empty())?;
            io::read_to_string(std::fs::File::from(file))
        };
        read().unwrap_or_default()
    }

    /// How many processes live, without the first one and without zombies.
    pub(super) fn processes(&self) -> usize {
        let Ok(proc) = self.open("/proc", OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()) else {
            return 0;
        };
        let names = names(proc).unwrap_or_default();
        let pids = names.iter().filter_map(|name| name.to_str()?.parse::<u32>().ok()).filter(|pid| *pid != 1);
        pids.filter(|pid| {
            let stat = self.text(&format!("/proc/{pid}/stat"));
            let state = stat.rsplit(')').next().and_then(|rest| rest.trim_start().chars().next());
            !matches!(state, None | Some('Z' | 'X'))
        })
        .count()
    }
}

/// What a handle stands for.
pub(crate) fn stat_of(handle: impl AsFd) -> Result<Stat> {
    statat(handle, "", AtFlags::EMPTY_PATH)
}

/// The names in a directory, sorted by byte, without `.` and `..`.
pub(crate) fn names(directory: OwnedFd) -> Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in Dir::new(directory)? {
        let name = entry?.file_name().to_bytes().to_vec();
        if name != b"." && name != b".." {
            names.push(OsString::from_vec(name));
        }
    }
    names.sort();
    Ok(names)
}
