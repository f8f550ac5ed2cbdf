//! The way down a path: links are followed here, one by one, and never by the shell.

use workspace_core::{Access, Body, PathFilter, Result, WorkspacePath};

use crate::files::PosixFiles;
use crate::wire::{Again, Wire};
use crate::{error, quote};

/// How many links may follow each other.
const MAX_LINKS: usize = 40;
/// No system has a longer text in a link, in bytes.
const LONGEST_LINK: u64 = 1 << 16;

/// What to do with a link at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaf {
    Follow,
    Keep,
}

/// What stands at the end of the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stands {
    Directory,
    File,
    /// A link that was not to be followed.
    Link,
    Other,
    /// Nothing; the first so many components are directories that exist.
    Nothing {
        below: usize,
    },
}

/// A path without links, and what the script said that acted on it.
#[derive(Debug)]
pub(crate) struct Arrived {
    pub(crate) path: WorkspacePath,
    pub(crate) stands: Stands,
    /// Nothing stands there, and a link pointed to it.
    pub(crate) dangling: bool,
    /// Whether the act was part of the script.
    pub(crate) acted: bool,
    /// What it printed.
    pub(crate) answer: Vec<u8>,
    /// What it printed after that, for an act that streams.
    pub(crate) body: Body,
}

/// How a path is walked.
pub(crate) struct Walk<'a> {
    pub(crate) leaf: Leaf,
    pub(crate) filter: &'a PathFilter,
    pub(crate) access: Access,
    pub(crate) again: Again,
}

/// A component still to be walked: a name, or `..` of a link's text.
#[derive(Debug, Clone)]
struct Ahead {
    name: String,
    /// It comes from the text of a link, not from the caller.
    from_link: bool,
}

/// The first line of an answer.
struct Header {
    kind: u8,
    /// How many components were passed.
    passed: usize,
}

impl PosixFiles {
    /// Follows a path to its end and judges it by the filter; where the filter
    /// lets it, the act for the path is part of the same script.
    ///
    /// # Errors
    /// The filter's refusal, and
    /// [`NotADirectory`](workspace_core::ErrorKind::NotADirectory),
    /// [`Permission`](workspace_core::ErrorKind::Permission),
    /// [`PathEscape`](workspace_core::ErrorKind::PathEscape) on the way.
    pub(crate) async fn arrive<'b>(
        &self,
        path: &WorkspacePath,
        walk: Walk<'_>,
        act: impl Fn(&WorkspacePath, bool) -> Option<Act<'b>> + Send,
    ) -> Result<Arrived> {
        let mut at = WorkspacePath::root();
        // The next one last.
        let mut ahead = ahead_of(path.components(), false);
        let mut links = 0;
        loop {
            let mut run = Vec::new();
            while let Some(next) = ahead.pop_if(|next| next.name != "..") {
                run.push(next);
            }
            let climbs = ahead.pop().is_some();
            let target = run.iter().try_fold(at.clone(), |path, next| path.child(&next.name))?;
            let linked = run.iter().any(|next| next.from_link);
            let keep = walk.leaf == Leaf::Keep && !climbs;

            let refusal = if climbs { None } else { walk.filter.check(&target, walk.access).err() };
            let wanted = if climbs || refusal.is_some() { None } else { act(&target, linked) };
            let acted = wanted.is_some();
            let (answer, body) = send(self.wire(), &target, keep, wanted, walk.again).await?;
            let (header, mut rest) = header(answer)?;

            let depth = at.depth();
            match header.kind {
                b'l' => {
                    links += 1;
                    if links > MAX_LINKS {
                        return Err(error::too_many_links(MAX_LINKS));
                    }
                    rest.extend(body.collect(LONGEST_LINK).await?);
                    let text = String::from_utf8(rest).map_err(|_| error::leaves_root())?;
                    if climbs {
                        ahead.push(Ahead { name: "..".into(), from_link: true });
                    }
                    let names: Vec<String> = target.components().map(str::to_owned).collect();
                    let after = names.get(header.passed + 1..).unwrap_or_default();
                    let after_from = |index: usize| {
                        (header.passed + 1 + index)
                            .checked_sub(depth)
                            .and_then(|at| run.get(at))
                            .is_some_and(|next| next.from_link)
                    };
                    for (index, name) in after.iter().enumerate().rev() {
                        ahead.push(Ahead { name: name.clone(), from_link: after_from(index) });
                    }
                    let mut inside = text.as_str();
                    if text.starts_with('/') {
                        inside = self.below_root(&text).ok_or_else(error::leaves_root)?;
                        at = WorkspacePath::root();
                    } else {
                        at = names
                            .iter()
                            .take(header.passed)
                            .try_fold(WorkspacePath::root(), |path, name| path.child(name))?;
                    }
                    let names = inside.split('/').filter(|name| !name.is_empty() && *name != ".");
                    ahead.extend(ahead_of(names, true));
                }
                b'd' if climbs => at = target.parent().ok_or_else(error::leaves_root)?,
                b'f' | b'o' | b's' | b'n' if climbs => return Err(error::not_a_directory()),
                b'n' => return Err(error::not_a_directory()),
                b'p' => return Err(error::permission()),
                b'm' => {
                    let missing = header.passed.saturating_sub(depth);
                    let dangling = run.get(missing..).unwrap_or_default().iter().any(|next| next.from_link)
                        || climbs
                        || ahead.iter().any(|next| next.from_link);
                    let refusal =
                        if climbs { walk.filter.check(&target, walk.access).err() } else { refusal };
                    return match refusal {
                        Some(refusal) => Err(refusal),
                        None => Ok(Arrived {
                            path: target,
                            stands: Stands::Nothing { below: header.passed },
                            dangling,
                            acted,
                            answer: rest,
                            body,
                        }),
                    };
                }
                kind => {
                    let stands = match kind {
                        b'd' => Stands::Directory,
                        b'f' => Stands::File,
                        b's' => Stands::Link,
                        b'o' => Stands::Other,
                        _ => return Err(error::garbled()),
                    };
                    return match refusal {
                        Some(refusal) => Err(refusal),
                        None => {
                            Ok(Arrived { path: target, stands, dangling: false, acted, answer: rest, body })
                        }
                    };
                }
            }
        }
    }
}

/// What a script does at the end of the way.
pub(crate) struct Act<'a> {
    script: String,
    bytes: Option<&'a [u8]>,
    lines: Option<usize>,
}

impl<'a> Act<'a> {
    /// A script whose answer is read whole.
    pub(crate) const fn new(script: String) -> Self {
        Self { script, bytes: None, lines: None }
    }

    /// A script that takes bytes in.
    pub(crate) const fn giving(script: String, bytes: &'a [u8]) -> Self {
        Self { script, bytes: Some(bytes), lines: None }
    }

    /// A script whose answer has a few lines first and may be long after them.
    pub(crate) const fn streaming(script: String, lines: usize) -> Self {
        Self { script, bytes: None, lines: Some(lines) }
    }
}

/// The script that looks at each component of a path.
pub(crate) fn look(path: &WorkspacePath, keep: bool) -> String {
    let mut script = format!("w_go {}", u8::from(keep));
    let mut at = WorkspacePath::root();
    for name in path.components() {
        if let Ok(next) = at.child(name) {
            at = next;
        }
        script.push(' ');
        script.push_str(&quote::path(&at));
    }
    script
}

async fn send(
    wire: &Wire,
    target: &WorkspacePath,
    keep: bool,
    act: Option<Act<'_>>,
    again: Again,
) -> Result<(Vec<u8>, Body)> {
    let look = look(target, keep);
    let answer = match act {
        None => wire.ask(&look, Again::Yes).await?,
        Some(Act { script, lines: Some(lines), .. }) => {
            let streamed = wire.stream(&format!("{look}\n{script}"), 1 + lines).await?;
            return Ok((streamed.head, streamed.body));
        }
        Some(Act { script, bytes: Some(bytes), .. }) => {
            wire.give(&format!("{look}\n{script}"), bytes).await?
        }
        Some(Act { script, .. }) => wire.ask(&format!("{look}\n{script}"), again).await?,
    };
    Ok((answer, Body::empty()))
}

/// Cuts the first line off an answer.
fn header(mut answer: Vec<u8>) -> Result<(Header, Vec<u8>)> {
    let end = memchr::memchr(b'\n', &answer).ok_or_else(error::garbled)?;
    let rest = answer.split_off(end + 1);
    let text = std::str::from_utf8(&answer).map_err(|_| error::garbled())?;
    let (kind, passed) = text.trim_end().split_once(' ').ok_or_else(error::garbled)?;
    match (kind.as_bytes(), passed.parse()) {
        ([kind], Ok(passed)) => Ok((Header { kind: *kind, passed }, rest)),
        _ => Err(error::garbled()),
    }
}

fn ahead_of<'a>(names: impl DoubleEndedIterator<Item = &'a str>, from_link: bool) -> Vec<Ahead> {
    names.rev().map(|name| Ahead { name: name.to_owned(), from_link }).collect()
}
