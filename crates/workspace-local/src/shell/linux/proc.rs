//! The processes of this machine, as `/proc` shows them.

use std::collections::HashSet;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, Dir, Mode, OFlags, openat, readlinkat};
use rustix::io::{Errno, read};
use rustix::process::{Pid, getpid};

use super::handle::Handle;

/// One process at the moment it was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) pid: i32,
    pub(super) group: i32,
    parent: i32,
    session: i32,
    /// Clock ticks since the machine was started. With the number, it names a process.
    born: u64,
    ended: bool,
}

/// How long after its start a command may have had so few descendants that
/// their numbers are still in one short row.
const YOUNG: Duration = Duration::from_millis(500);
const SHORT_ROW: i32 = 64;

/// Which processes are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// All there are.
    Everywhere,
    /// Those that may have been born since the command was started at this time: numbers are given
    /// in turn, so for a short command it is a handful, and the look costs microseconds.
    Since(Instant),
}

/// The living processes that hang on a root, without the roots: its group, its session, its
/// descendants, and the groups, sessions and descendants of those.
///
/// The numbers cannot mislead as long as the roots run or are not waited for. `root` is the
/// youngest of them.
pub(super) fn family(root: Pid, other: Option<Pid>, look: Look) -> Vec<Seen> {
    let Some(proc) = open_proc() else { return Vec::new() };
    let other = other.map(|other| other.as_raw_nonzero().get());
    let root = root.as_raw_nonzero().get();
    let row = match look {
        Look::Everywhere => None,
        Look::Since(start) => row_since(&proc, root, start),
    };
    let seen = match row {
        Some(row) => row.filter_map(|pid| see(&proc, pid)).collect(),
        None => see_all(&proc),
    };
    let roots = other.into_iter().chain([root]).collect();
    related(seen, roots, getpid().as_raw_nonzero().get())
}

/// Opens a process that was seen, and makes sure that it is still that one.
pub(super) fn open(seen: &Seen) -> Option<Handle> {
    let handle = Handle::open(Pid::from_raw(seen.pid)?).ok()?;
    let proc = open_proc()?;
    see(&proc, seen.pid).is_some_and(|now| now.born == seen.born && !now.ended).then_some(handle)
}

/// Opens `/proc`, where it counts processes as we do: in a namespace of their own, the numbers
/// that it shows may be those of others.
fn open_proc() -> Option<OwnedFd> {
    let proc = openat(CWD, "/proc", OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let me = readlinkat(&proc, "self", Vec::new()).ok()?;
    (me.to_str() == Ok(&*getpid().as_raw_nonzero().to_string())).then_some(proc)
}

fn related(mut rest: Vec<Seen>, roots: HashSet<i32>, host: i32) -> Vec<Seen> {
    let mut known = roots;
    let mut family = Vec::new();
    rest.retain(|seen| !known.contains(&seen.pid) && seen.pid != host);
    loop {
        let before = known.len();
        rest.retain(|seen| {
            let ours = [seen.parent, seen.group, seen.session].iter().any(|number| known.contains(number));
            if ours {
                known.insert(seen.pid);
                family.push(*seen);
            }
            !ours
        });
        if known.len() == before {
            // One that has ended still tells whose its children are, and is nothing to kill.
            family.retain(|seen| !seen.ended);
            return family;
        }
    }
}

/// The numbers given since a command was started, where that is sure to be one short row.
fn row_since(proc: &OwnedFd, root: i32, start: Instant) -> Option<std::ops::RangeInclusive<i32>> {
    if start.elapsed() > YOUNG {
        return None;
    }
    let mut buffer = [0; 128];
    let text = read_file(proc, "loadavg", &mut buffer).ok()?;
    let newest: i32 = std::str::from_utf8(text).ok()?.split_ascii_whitespace().last()?.parse().ok()?;
    (0..=SHORT_ROW).contains(&newest.checked_sub(root)?).then_some(root + 1..=newest)
}

fn see_all(proc: &OwnedFd) -> Vec<Seen> {
    let Ok(entries) = Dir::read_from(proc) else { return Vec::new() };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str().ok()?.parse().ok())
        .filter_map(|pid| see(proc, pid))
        .collect()
}

fn see(proc: &OwnedFd, pid: i32) -> Option<Seen> {
    let mut buffer = [0; 1024];
    parse(pid, read_file(proc, &format!("{pid}/stat"), &mut buffer).ok()?)
}

/// Reads the line of `/proc/PID/stat`. A program may have put anything into its
/// name, brackets and spaces included; after the last bracket there are only numbers.
fn parse(pid: i32, line: &[u8]) -> Option<Seen> {
    let after_name = line.iter().rposition(|byte| *byte == b')')?.checked_add(1)?;
    let mut fields = std::str::from_utf8(line.get(after_name..)?).ok()?.split_ascii_whitespace();
    let state = fields.next()?;
    let mut number = || fields.next()?.parse().ok();
    let (parent, group, session) = (number()?, number()?, number()?);
    // The 22nd field of all, the 19th after the state; three of those are taken.
    let born = fields.nth(15)?.parse().ok()?;
    Some(Seen { pid, parent, group, session, born, ended: matches!(state, "Z" | "X") })
}

/// The beginning of a small file, as far as the buffer goes.
pub(super) fn read_file<'a>(dir: &OwnedFd, name: &str, buffer: &'a mut [u8]) -> Result<&'a [u8], Errno> {
    let file = openat(dir.as_fd(), name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let length = read(&file, &mut *buffer)?;
    Ok(buffer.get(..length).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(pid: i32, parent: i32, group: i32, session: i32) -> Seen {
        Seen { pid, parent, group, session, born: 1, ended: false }
    }

    #[test]
    fn a_stat_line_is_read_whatever_the_program_is_called() {
        let rest = "S 7 8 9 0 -1 4194560 128 0 0 0 0 0 0 0 20 0 1 0 31415 2646016 248";
        for name in ["sh", "a b", ") S 1 1 1 (", "))"] {
            let line = format!("12 ({name}) {rest}");
            let expected = Seen { pid: 12, parent: 7, group: 8, session: 9, born: 31415, ended: false };
            assert_eq!(parse(12, line.as_bytes()), Some(expected), "{name}");
        }
        assert_eq!(parse(12, b"12 (sh) S 7"), None);
        assert_eq!(parse(12, b""), None);
    }

    #[test]
    fn a_family_is_all_that_hangs_on_its_root() {
        let ours = [
            seen(11, 10, 10, 10), // a child
            seen(12, 1, 10, 10),  // one whose parent has ended, of the group
            seen(13, 1, 13, 10),  // a group of its own, of the session
            seen(14, 11, 14, 14), // a session of its own
            seen(15, 1, 14, 14),  // and what belongs to it
        ];
        let others = [seen(1, 0, 1, 1), seen(2, 1, 2, 2), seen(16, 1, 16, 16), seen(20, 1, 1, 1)];
        // The children come before their parents, too.
        let all: Vec<_> = ours.iter().rev().chain(&others).chain(&[seen(10, 2, 10, 10)]).copied().collect();
        let mut family: Vec<_> = related(all, HashSet::from([10]), 2).iter().map(|seen| seen.pid).collect();
        family.sort_unstable();
        assert_eq!(family, [11, 12, 13, 14, 15]);
    }

    #[test]
    fn one_that_has_ended_leads_to_its_children_and_is_not_named() {
        let ended = Seen { ended: true, ..seen(11, 10, 10, 10) };
        assert_eq!(
            related(vec![ended, seen(12, 11, 12, 12)], HashSet::from([10]), 2),
            [seen(12, 11, 12, 12)]
        );
    }

    #[test]
    fn this_process_is_seen_and_can_be_opened() {
        let proc = open_proc().unwrap();
        let me = see(&proc, getpid().as_raw_nonzero().get()).unwrap();
        assert!(see_all(&proc).iter().any(|seen| seen.pid == me.pid && seen.born == me.born));
        assert!(open(&me).is_some());
        assert!(open(&Seen { born: me.born + 1, ..me }).is_none());
    }
}
