//! Control groups: a box for a command's processes that none of them leaves by forking.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::mem::take;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, mkdirat, openat, unlinkat};
use rustix::io::{Errno, read, write};
use rustix::process::getpid;
use rustix::rand::{GetRandomFlags, getrandom};

use super::proc::read_file;
use super::spawn::can_start_within;

const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

/// A directory of ours in the tree of control groups; each command gets one below it.
///
/// It is made with the first of those, and removed with the value. A group is
/// used again when its command has ended by itself: to make and remove one for
/// each costs a tenth of what a short command takes. One that was killed is
/// not: newer kernels kill whatever is started in it later as well.
#[derive(Debug)]
pub(super) struct Boxes {
    /// Where it lies, for the watchdog, which has no descriptors of ours.
    path: PathBuf,
    name: String,
    /// The group that it is made in.
    above: OwnedFd,
    made: AtomicU64,
    /// Groups to be used again.
    free: Mutex<Vec<String>>,
}

impl Boxes {
    /// One in the control group of this process. `None` where that is not allowed, or is no
    /// version 2.
    pub(super) fn in_own_group() -> Option<Arc<Self>> {
        let mounts = whole_file("/proc/self/mountinfo").ok()?;
        let groups = whole_file("/proc/self/cgroup").ok()?;
        Self::within(&own_group(&mounts, &groups)?).ok()
    }

    /// One in a given control group.
    ///
    /// # Errors
    /// Where the directory cannot be written, is no control group of version 2, is too old to kill
    /// its members, or does not let processes start in it.
    pub(super) fn within(above: &Path) -> Result<Arc<Self>, Errno> {
        let name = format!("workspace-{}-{}", getpid().as_raw_nonzero(), random_hex()?);
        let boxes = Self {
            path: above.join(&name),
            name,
            above: openat(CWD, above, DIRECTORY, Mode::empty())?,
            made: AtomicU64::new(0),
            free: Mutex::default(),
        };
        let boxes = Arc::new(boxes);
        boxes.make()?.probe()?;
        // Until a command comes, nothing is there that could stay behind.
        boxes.free().clear();
        remove(&boxes.above, &boxes.name);
        Ok(boxes)
    }

    /// A box for one command.
    pub(super) fn make(self: &Arc<Self>) -> Result<Cgroup, Errno> {
        let free = self.free().pop();
        let path =
            free.unwrap_or_else(|| format!("{}/{}", self.name, self.made.fetch_add(1, Ordering::Relaxed)));
        let mut made = self.mkdir(&path);
        if made == Err(Errno::NOENT) {
            match self.mkdir(&self.name) {
                // Another command may make it at this moment as well.
                Ok(()) | Err(Errno::EXIST) => made = self.mkdir(&path),
                Err(errno) => return Err(errno),
            }
        }
        match made {
            // A free one is there, unless somebody has cleaned up.
            Ok(()) | Err(Errno::EXIST) => {
                Ok(Cgroup { path, boxes: Arc::clone(self), killed: AtomicBool::new(false) })
            }
            Err(errno) => Err(errno),
        }
    }

    fn free(&self) -> MutexGuard<'_, Vec<String>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn mkdir(&self, path: &str) -> Result<(), Errno> {
        mkdirat(&self.above, path, Mode::from_raw_mode(0o755))
    }

    /// Where it lies on the host.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Boxes {
    fn drop(&mut self) {
        // Processes that were left alone keep theirs; then this stays with it.
        remove(&self.above, &self.name);
    }
}

/// The control group of one command. It holds no descriptor, so that many can run at once.
///
/// Dropped, it is free for another, or removed; it stays where a member lives.
#[derive(Debug)]
pub(super) struct Cgroup {
    /// Seen from the group that the boxes are in.
    path: String,
    boxes: Arc<Boxes>,
    killed: AtomicBool,
}

impl Cgroup {
    /// Opens it, to start a process in it.
    pub(super) fn open(&self) -> Result<OwnedFd, Errno> {
        openat(&self.boxes.above, self.path.as_str(), DIRECTORY, Mode::empty())
    }

    /// Makes sure that it is what it should be.
    fn probe(&self) -> Result<(), Errno> {
        let dir = self.open()?;
        // An ordinary directory has no such file, and a group that may have no members another word.
        openat(&dir, "cgroup.kill", OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
        let is_domain = read_file(&dir, "cgroup.type", &mut [0; 32])?.trim_ascii() == b"domain";
        if is_domain && can_start_within(dir.as_fd()) { Ok(()) } else { Err(Errno::OPNOTSUPP) }
    }

    /// Whether a member lives, here or in a group that a member has made below.
    pub(super) fn is_populated(&self) -> bool {
        let mut buffer = [0; 256];
        read_file(&self.boxes.above, &format!("{}/cgroup.events", self.path), &mut buffer)
            .is_ok_and(|text| text.split(|byte| *byte == b'\n').any(|line| line == b"populated 1"))
    }

    /// The members that live.
    pub(super) fn members(&self) -> Vec<i32> {
        let mut members = Vec::new();
        if let Ok(group) = self.open() {
            members_below(&group, &mut members);
        }
        members
    }

    /// Kills every member at once, with all that they fork meanwhile.
    pub(super) fn kill(&self) {
        self.killed.store(true, Ordering::Relaxed);
        let _ = write_word(&self.boxes.above, &format!("{}/cgroup.kill", self.path), b"1");
    }

    /// Stands still until no member lives, for two seconds at most.
    pub(super) fn settle(&self) {
        for _ in 0..400 {
            if !self.is_populated() {
                return;
            }
            sleep(Duration::from_millis(5));
        }
    }

    /// Lets the members go: they move to the host's own group.
    pub(super) fn release(&self) {
        for pid in self.members() {
            let _ = write_word(&self.boxes.above, "cgroup.procs", pid.to_string().as_bytes());
        }
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        if !self.killed.load(Ordering::Relaxed) && !self.is_populated() {
            self.boxes.free().push(take(&mut self.path));
        } else {
            remove(&self.boxes.above, &self.path);
        }
    }
}

fn members_below(group: &OwnedFd, members: &mut Vec<i32>) {
    let list = openat(group, "cgroup.procs", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
    let text = list.and_then(|list| read_to_end(&list)).unwrap_or_default();
    members.extend(text.split(|byte| *byte == b'\n').filter_map(number));
    for name in groups_in(group) {
        if let Ok(below) = openat(group, name.as_str(), DIRECTORY, Mode::empty()) {
            members_below(&below, members);
        }
    }
}

/// Removes a group with those below it, as far as they are empty.
fn remove(above: &OwnedFd, name: &str) {
    // With directories in it, a group says that it is busy, and an ordinary directory that it is not empty.
    let below = [Err(Errno::BUSY), Err(Errno::NOTEMPTY)];
    if !below.contains(&unlinkat(above, name, AtFlags::REMOVEDIR)) {
        return;
    }
    if let Ok(group) = openat(above, name, DIRECTORY, Mode::empty()) {
        for below in groups_in(&group) {
            remove(&group, &below);
        }
    }
    let _ = unlinkat(above, name, AtFlags::REMOVEDIR);
}

fn groups_in(group: &OwnedFd) -> Vec<String> {
    let Ok(entries) = Dir::read_from(group) else { return Vec::new() };
    entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type() == FileType::Directory)
        .filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned))
        .filter(|name| !matches!(name.as_str(), "." | ".."))
        .collect()
}

fn write_word(dir: &OwnedFd, name: &str, word: &[u8]) -> Result<(), Errno> {
    let file = openat(dir, name, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    write(&file, word).map(drop)
}

fn whole_file(path: &str) -> Result<Vec<u8>, Errno> {
    openat(CWD, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).and_then(|file| read_to_end(&file))
}

fn read_to_end(file: &OwnedFd) -> Result<Vec<u8>, Errno> {
    let (mut text, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        match read(file, &mut piece)? {
            0 => return Ok(text),
            length => text.extend_from_slice(piece.get(..length).unwrap_or_default()),
        }
    }
}

fn number(line: &[u8]) -> Option<i32> {
    std::str::from_utf8(line).ok()?.parse().ok()
}

fn random_hex() -> Result<String, Errno> {
    let mut bytes = [0; 4];
    getrandom(&mut bytes, GetRandomFlags::empty())?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

/// Where the control group of this process lies, from its tables of mounts and of groups.
fn own_group(mounts: &[u8], groups: &[u8]) -> Option<PathBuf> {
    let group = groups.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(b"0::"))?;
    mounts.split(|byte| *byte == b'\n').find_map(|line| {
        // Number, parent, device, root, mount point, options …, `-`, type, source, options.
        let fields: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
        let dash = fields.iter().position(|field| *field == b"-")?;
        let (root, point, kind) = (fields.get(3)?, fields.get(4)?, fields.get(dash + 1)?);
        // A space is written as a backslash and digits. Such a mount is nobody's habit, and not worth a decoder.
        if *kind != b"cgroup2" || point.contains(&b'\\') {
            return None;
        }
        let below = Path::new(OsStr::from_bytes(group)).strip_prefix(OsStr::from_bytes(root)).ok()?;
        Some(Path::new(OsStr::from_bytes(point)).join(below))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(mounts: &str, groups: &str, expected: Option<&str>) {
        assert_eq!(own_group(mounts.as_bytes(), groups.as_bytes()), expected.map(PathBuf::from));
    }

    #[test]
    fn the_own_group_is_found_through_the_mount_table() {
        let unified = "25 20 0:22 / /proc rw - proc proc rw\n30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";
        check(unified, "0::/user.slice/app.scope\n", Some("/sys/fs/cgroup/user.slice/app.scope"));
        check(unified, "0::/\n", Some("/sys/fs/cgroup/"));
        let hybrid = "31 25 0:27 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n32 25 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
        check(hybrid, "8:pids:/a\n0::/b\n", Some("/sys/fs/cgroup/unified/b"));
        // Part of the tree, mounted into a container.
        let part = "30 25 0:26 /docker/a1 /sys/fs/cgroup rw - cgroup2 cgroup rw\n";
        check(part, "0::/docker/a1/inner\n", Some("/sys/fs/cgroup/inner"));
        check(part, "0::/docker/a12\n", None);
    }

    #[test]
    fn version_1_alone_gives_none() {
        check("31 25 0:27 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n", "8:pids:/a\n", None);
        check("", "", None);
    }

    #[test]
    fn an_ordinary_directory_is_no_control_group() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Boxes::within(dir.path()).unwrap_err(), Errno::NOENT);
        let file = openat(CWD, dir.path(), DIRECTORY, Mode::empty()).unwrap();
        assert_eq!(groups_in(&file), [""; 0], "nothing is left behind");
    }
}
