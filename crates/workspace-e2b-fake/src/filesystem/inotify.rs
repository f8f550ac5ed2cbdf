//! What happens in a directory, as the kernel tells it.

use std::collections::HashMap;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;

use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use serde_json::{Value, json};
use tokio::io::unix::AsyncFd;

use super::entry;
use crate::ready::ready;
use crate::sandbox::{Sandbox, names, stat_of};

/// A directory that is watched, with those below it where that was asked for.
pub(super) struct Watch {
    sandbox: Arc<Sandbox>,
    root: String,
    recursive: bool,
    with_entry: bool,
    queue: AsyncFd<OwnedFd>,
    /// What a watch is on, relative to the root; the root itself is empty.
    places: HashMap<i32, String>,
}

impl Watch {
    /// Starts to watch; what happens from now on is told.
    pub(super) fn open(
        sandbox: Arc<Sandbox>,
        root: &str,
        recursive: bool,
        with_entry: bool,
    ) -> io::Result<Self> {
        let queue = ready(init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?)?;
        let root = root.trim_end_matches('/').to_owned();
        let mut watch = Self { sandbox, root, recursive, with_entry, queue, places: HashMap::new() };
        watch.add(String::new())?;
        Ok(watch)
    }

    /// The next events; at least one.
    pub(super) async fn next(&mut self) -> io::Result<Vec<Value>> {
        loop {
            let happened = {
                let mut ready = self.queue.readable().await?;
                match ready.try_io(|queue| Ok(drain(queue.get_ref())?)) {
                    Ok(happened) => happened?,
                    Err(_would_block) => continue,
                }
            };
            let events: Vec<_> = happened.into_iter().filter_map(|event| self.event(&event)).collect();
            if !events.is_empty() {
                return Ok(events);
            }
        }
    }

    fn event(&mut self, happened: &Happened) -> Option<Value> {
        let place = self.places.get(&happened.watch)?;
        let name = match (place.as_str(), happened.name.as_str()) {
            ("", "") => ".".to_owned(),
            ("", name) => name.to_owned(),
            // The directory above tells it too.
            (_, "") => return None,
            (place, name) => format!("{place}/{name}"),
        };
        let kind = happened.kind()?;
        if kind == CREATE && self.recursive {
            // It may be no directory, or be gone.
            let _ = self.add(name.clone());
        }
        let mut event = json!({ "name": name, "type": kind });
        let shown = self.with_entry && !matches!(kind, REMOVE | RENAME);
        if let Some(Ok(entry)) =
            shown.then(|| entry::of(self.sandbox.view(), &format!("{}/{name}", self.root)))
        {
            event["entry"] = entry;
        }
        Some(event)
    }

    /// Watches a directory, and those below it.
    fn add(&mut self, place: String) -> io::Result<()> {
        let mut waiting = vec![place];
        while let Some(place) = waiting.pop() {
            let path =
                if place.is_empty() { format!("{}/", self.root) } else { format!("{}/{place}", self.root) };
            let handle = if place.is_empty() {
                self.sandbox.view().at(&path)
            } else {
                self.sandbox.view().at_link(&path)
            }?;
            if FileType::from_raw_mode(stat_of(&handle)?.st_mode) != FileType::Directory {
                continue;
            }
            let reached = format!("/proc/self/fd/{}", handle.as_raw_fd());
            let watch = add_watch(&self.queue, reached, watched())?;
            self.places.insert(watch, place.clone());
            if self.recursive {
                let opened =
                    self.sandbox.view().open(&path, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())?;
                let below = names(opened)?.into_iter().filter_map(|name| name.into_string().ok());
                waiting.extend(
                    below.map(|name| if place.is_empty() { name } else { format!("{place}/{name}") }),
                );
            }
        }
        Ok(())
    }
}

const CREATE: &str = "EVENT_TYPE_CREATE";
const REMOVE: &str = "EVENT_TYPE_REMOVE";
const RENAME: &str = "EVENT_TYPE_RENAME";

/// One event of the kernel.
struct Happened {
    watch: i32,
    flags: ReadFlags,
    name: String,
}

impl Happened {
    fn kind(&self) -> Option<&'static str> {
        let any = |flags| self.flags.intersects(flags);
        Some(if any(ReadFlags::CREATE | ReadFlags::MOVED_TO) {
            CREATE
        } else if any(ReadFlags::MODIFY) {
            "EVENT_TYPE_WRITE"
        } else if any(ReadFlags::DELETE | ReadFlags::DELETE_SELF) {
            REMOVE
        } else if any(ReadFlags::MOVED_FROM | ReadFlags::MOVE_SELF) {
            RENAME
        } else if any(ReadFlags::ATTRIB) {
            "EVENT_TYPE_CHMOD"
        } else {
            return None;
        })
    }
}

fn watched() -> WatchFlags {
    WatchFlags::CREATE
        | WatchFlags::MOVED_TO
        | WatchFlags::MODIFY
        | WatchFlags::DELETE
        | WatchFlags::DELETE_SELF
        | WatchFlags::MOVED_FROM
        | WatchFlags::MOVE_SELF
        | WatchFlags::ATTRIB
}

/// All that waits in a queue; an error where that is nothing.
fn drain(queue: &OwnedFd) -> Result<Vec<Happened>, Errno> {
    let mut buffer = [MaybeUninit::uninit(); 16 << 10];
    let mut reader = Reader::new(queue, &mut buffer);
    let mut happened = Vec::new();
    loop {
        match reader.next() {
            Ok(event) => happened.push(Happened {
                watch: event.wd(),
                flags: event.events(),
                name: event.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            }),
            Err(Errno::WOULDBLOCK) if !happened.is_empty() => return Ok(happened),
            Err(error) => return Err(error),
        }
    }
}
