//! One line of attributes, as `stat` prints it.

use std::ops::Range;
use std::time::{Duration, SystemTime};

use workspace_core::{Entry, FileKind, Stat, Version, WorkspacePath};

use crate::facts::Facts;

const KIND: u32 = 0o170_000;
const DIRECTORY: u32 = 0o040_000;
const REGULAR: u32 = 0o100_000;
const LINK: u32 = 0o120_000;

/// The attributes between two `//`, which no path can hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) kind: FileKind,
    pub(crate) size: u64,
    pub(crate) mode: u32,
    user: u32,
    group: u32,
    pub(crate) modified: Option<SystemTime>,
    version: Option<String>,
}

impl Record {
    /// Reads `MODE SIZE USER GROUP DEVICE:INODE TIME TIME`, the mode in hexadecimal.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut fields = text.split(' ');
        let raw = u32::from_str_radix(fields.next()?, 16).ok()?;
        let size = fields.next()?;
        let (user, group) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        let place = fields.next()?;
        let times = text.get(text.find(place)? + place.len() + 1..)?;
        Some(Self {
            kind: match raw & KIND {
                DIRECTORY => FileKind::Dir,
                REGULAR => FileKind::File,
                LINK => FileKind::Link,
                _ => FileKind::Other,
            },
            size: size.parse().ok()?,
            mode: raw & 0o7777,
            user,
            group,
            modified: moment(times),
            version: Some(format!("{place} {size} {times}")),
        })
    }

    /// Reads `LETTER SIZE SECONDS MODE USER GROUP`, as `find` prints it.
    pub(crate) fn parse_found(text: &str) -> Option<Self> {
        let mut fields = text.split(' ');
        let kind = match fields.next()? {
            "d" => FileKind::Dir,
            "f" => FileKind::File,
            "l" => FileKind::Link,
            _ => FileKind::Other,
        };
        let size = fields.next()?.parse().ok()?;
        let modified = since_epoch(fields.next()?);
        let mode = u32::from_str_radix(fields.next()?, 8).ok()?;
        let (user, group) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        Some(Self { kind, size, mode, user, group, modified, version: None })
    }

    /// The attributes of the contract.
    pub(crate) fn stat(&self) -> Stat {
        let size = if self.kind == FileKind::File { self.size } else { 0 };
        let mut stat = Stat::new(self.kind, size).with_mode(self.mode);
        if let Some(modified) = self.modified {
            stat = stat.with_modified(modified);
        }
        match &self.version {
            Some(version) => stat.with_version(Version::new(version.clone().into_bytes())),
            None => stat,
        }
    }

    pub(crate) fn entry(&self, path: WorkspacePath) -> Entry {
        let mut entry = Entry::new(path, self.kind);
        if self.kind == FileKind::File {
            entry = entry.with_size(self.size);
        }
        match self.modified {
            Some(modified) => entry.with_modified(modified),
            None => entry,
        }
    }

    /// Whether the user of the shell may read it, by its permission bits.
    pub(crate) fn is_readable(&self, facts: &Facts) -> bool {
        let bits = if self.kind == FileKind::Dir { 5 } else { 4 };
        let shift = if facts.user == self.user {
            6
        } else if facts.groups.contains(&self.group) {
            3
        } else {
            0
        };
        facts.user == 0 || (self.mode >> shift) & bits == bits
    }
}

/// Cuts `//ATTRIBUTES//NAME` and a line feed, again and again. A name holds no
/// `//` and the next record begins with one, so that even a line feed in a name
/// deceives nobody.
pub(crate) fn records(bytes: &[u8]) -> impl Iterator<Item = (&str, &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..)?.strip_prefix(b"//")?;
        let attributes = memchr::memmem::find(rest, b"//")?;
        let name_at = attributes + 2;
        let name = rest.get(name_at..)?;
        let end = memchr::memmem::find(name, b"\n//").unwrap_or(name.len().saturating_sub(1));
        at += 2 + name_at + end + 1;
        Some((str_of(rest, 0..attributes)?, name.get(..end)?))
    })
}

fn str_of(bytes: &[u8], range: Range<usize>) -> Option<&str> {
    std::str::from_utf8(bytes.get(range)?).ok()
}

/// `YYYY-MM-DD HH:MM:SS.NNNNNNNNN …`, in UTC.
fn moment(text: &str) -> Option<SystemTime> {
    let mut fields = text.split(' ');
    let mut date = fields.next()?.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let (clock, fraction) = fields.next()?.split_once('.')?;
    let mut clock = clock.splitn(3, ':').map(|part| part.parse::<i64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    // Days since 1970-01-01, with years that begin in March so that a leap day comes last.
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let year_of_era = shifted.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days =
        era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468;
    at(days * 86_400 + hour * 3600 + minute * 60 + second, nanoseconds(fraction)?)
}

/// `SECONDS.NNNNNNNNNN` since 1970.
fn since_epoch(text: &str) -> Option<SystemTime> {
    let (seconds, fraction) = text.split_once('.')?;
    at(seconds.parse().ok()?, nanoseconds(fraction)?)
}

fn nanoseconds(fraction: &str) -> Option<u32> {
    fraction.get(..9)?.parse().ok()
}

fn at(seconds: i64, nanoseconds: u32) -> Option<SystemTime> {
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let epoch = SystemTime::UNIX_EPOCH;
    let moment = if seconds < 0 { epoch.checked_sub(whole) } else { epoch.checked_add(whole) };
    moment?.checked_add(Duration::from_nanos(nanoseconds.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, seconds: i64, nanoseconds: u32) {
        assert_eq!(moment(text), at(seconds, nanoseconds), "{text}");
    }

    #[test]
    fn a_moment_is_read_in_utc() {
        check("1970-01-01 00:00:00.000000000 +0000", 0, 0);
        check("2000-02-29 23:59:59.000000001 +0000", 951_868_799, 1);
        check("2026-11-30 15:33:29.181900592 +0000", 1_796_052_809, 181_900_592);
        check("1969-12-31 23:59:59.500000000 +0000", -1, 500_000_000);
        assert_eq!(moment("yesterday"), None);
    }

    #[test]
    fn both_forms_tell_the_same_time() {
        let stat = Record::parse(
            "81a4 3 1000 1000 39:7 2026-11-30 15:33:29.181900592 +0000 2026-11-30 15:33:30.000000000 +0000",
        );
        let found = Record::parse_found("f 3 1796052809.1819005920 644 1000 1000");
        let (stat, found) = (stat.unwrap(), found.unwrap());
        assert_eq!(stat.modified, found.modified);
        assert_eq!((stat.kind, stat.size, stat.mode), (found.kind, found.size, found.mode));
    }

    #[test]
    fn a_name_with_line_feeds_is_one_name() {
        let text = b"//a 1//./x\n//b 2//./two\n/lines\n\n//c 3//./y\n";
        let read: Vec<_> = records(text).collect();
        assert_eq!(read, [("a 1", &b"./x"[..]), ("b 2", b"./two\n/lines\n"), ("c 3", b"./y")]);
        assert_eq!(records(b"").count(), 0);
        assert_eq!(records(b"noise").count(), 0);
    }
}
