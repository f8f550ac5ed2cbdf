//! Writing: a temporary file beside the target, then one move.

use tokio::runtime::Handle;
use workspace_core::{
    Access, Atomicity, Body, Durability, Feed, PathFilter, Precondition, Result, WorkspacePath, WriteMode,
    WriteOptions, Written, temporary_name,
};

use super::PosixFiles;
use super::look::{code_of, record_of};
use crate::way::{Act, Arrived, Leaf, Stands, Walk, look};
use crate::wire::{Again, Wire, split_lines};
use crate::{error, quote, token};

/// What a write demands and wants, in the words of the script.
struct Terms {
    condition: &'static str,
    value: String,
    parents: bool,
    mode: String,
    durability: u8,
    atomicity: &'static str,
}

impl Terms {
    fn new(options: &WriteOptions, durable: bool) -> Result<Self> {
        let (condition, value) = match &options.if_match {
            Precondition::Any => ("any", String::new()),
            Precondition::Absent => ("absent", String::new()),
            // What no `stat` prints is the version of no file.
            Precondition::Version(version) => ("version", version_text(version).unwrap_or_default()),
            Precondition::Sha256(hash) => {
                ("sha256", hash.iter().flat_map(|byte| [byte >> 4, byte & 15]).filter_map(digit).collect())
            }
            _ => return Err(error::invalid("this precondition is not known here")),
        };
        Ok(Self {
            condition,
            value,
            parents: options.create_parents,
            mode: match options.mode {
                WriteMode::Set(mode) => format!("{:o}", mode & 0o7777),
                _ => String::new(),
            },
            durability: match (durable, options.durability) {
                (false, _) | (_, Durability::None) => 0,
                (true, Durability::Full) => 2,
                (true, _) => 1,
            },
            atomicity: if options.atomicity == Atomicity::Required { "required" } else { "preferred" },
        })
    }

    /// The script asks whether the write may happen.
    fn may(&self) -> String {
        format!("w_can {} {}", self.condition, quote::word(&self.value))
    }

    fn parents(&self, target: &WorkspacePath) -> String {
        format!("w_parents {} {}", quote::path(target), u8::from(self.parents))
    }

    /// The script moves the temporary file to the target.
    ///
    /// `closed` says that the temporary file has the mode of one that is being filled.
    fn commit(&self, temporary: &str, target: &WorkspacePath, closed: bool) -> String {
        format!(
            "w_p={} && w_commit {temporary} '{}' {} {} {} {}",
            quote::path(target),
            self.mode,
            self.condition,
            self.durability,
            u8::from(closed),
            self.atomicity,
        )
    }
}

fn digit(value: u8) -> Option<char> {
    char::from_digit(value.into(), 16)
}

/// The text that a version holds, read back from how it shows itself.
fn version_text(version: &workspace_core::Version) -> Option<String> {
    let shown = format!("{version:?}");
    let hex = shown.strip_prefix("Version(")?.strip_suffix(')')?;
    let bytes = hex.as_bytes().chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair).ok()?;
        u8::from_str_radix(pair, 16).ok()
    });
    let text = String::from_utf8(bytes.collect::<Option<Vec<u8>>>()?).ok()?;
    (!text.contains('\0')).then_some(text)
}

impl PosixFiles {
    pub(super) async fn put(
        &self,
        path: &WorkspacePath,
        mut body: Body,
        options: &WriteOptions,
    ) -> Result<Written> {
        let terms = Terms::new(options, self.0.durable)?;
        let mut bytes = Vec::new();
        while bytes.len() <= self.wire().small() {
            match body.next().await {
                None => return self.put_at_once(path, &bytes, &terms, &options.filter).await,
                Some(piece) => bytes.extend(piece?),
            }
        }
        self.put_in_pieces(path, bytes, body, &terms, &options.filter).await
    }

    async fn put_at_once(
        &self,
        path: &WorkspacePath,
        bytes: &[u8],
        terms: &Terms,
        filter: &PathFilter,
    ) -> Result<Written> {
        let _turn = self.turn(terms).await;
        let act = |target: &WorkspacePath, linked: bool| {
            let temporary = temporary(target)?;
            let place = may_create(target, linked, terms.parents, filter)?;
            let fill = format!("w_ready; w_fill {temporary} '{}'", terms.mode);
            let script = format!(
                "{place}{} && {} && {{ {fill}; }} && {{ {}; }}",
                terms.may(),
                terms.parents(target),
                terms.commit(&temporary, target, false),
            );
            Some(Act::giving(script, bytes))
        };
        let arrived = self.arrive(path, writing(filter), act).await?;
        // Nothing is said where the script saw that it may not decide.
        if arrived.acted && !arrived.answer.is_empty() {
            return whole(written(&arrived.answer, &arrived), bytes);
        }
        // A directory that is missing, or the end of a link: what must be made is known only now.
        may_be_written(&arrived, terms, filter)?;
        let target = &arrived.path;
        let temporary = temporary(target).ok_or_else(error::is_a_directory)?;
        let script = format!(
            "{}\n{} && {} && {{ w_ready; w_fill {temporary} '{}'; }} && {{ {}; }}",
            look(target, false),
            terms.may(),
            terms.parents(target),
            terms.mode,
            terms.commit(&temporary, target, false),
        );
        let answer = self.wire().give(&script, bytes).await?;
        let (_, rest) = split_lines(&answer, 1).ok_or_else(error::garbled)?;
        whole(written(rest, &arrived), bytes)
    }

    async fn put_in_pieces(
        &self,
        path: &WorkspacePath,
        bytes: Vec<u8>,
        body: Body,
        terms: &Terms,
        filter: &PathFilter,
    ) -> Result<Written> {
        let act = |_: &WorkspacePath, _| Some(Act::new(terms.may()));
        let arrived = self.arrive(path, writing(filter), act).await?;
        if let Some(code) = code_of(&arrived.answer) {
            return Err(error::told(code));
        }
        may_be_written(&arrived, terms, filter)?;
        let target = arrived.path.clone();
        let token = token::random();
        let name = temporary_path(&target, token).ok_or_else(error::is_a_directory)?;
        let name = quote::path(&name);
        let mut leftover = Leftover { wire: self.wire().clone(), name: Some(name.clone()) };
        let start = format!("{}\n{} && {} && ", look(&target, false), terms.may(), terms.parents(&target));
        let mut check = String::new();
        if let Some(asking) = self.wire().uploads() {
            let script = format!("{start}{{ w_ready; w_add {name}; }} && w_tell ok");
            added(&self.wire().give(&script, &[]).await?)?;
            let root = self.root().trim_end_matches('/');
            let at = temporary_path(&target, token).ok_or_else(error::is_a_directory)?;
            let sent = asking.upload(format!("{root}/{at}"), followed(bytes, body)).await?;
            check =
                format!("{{ [ \"$(stat -c %s -- {name})\" = {sent} ] || {{ w_tell 'E io'; false; }}; }} && ");
        } else {
            self.fill_in_pieces(&name, &start, bytes, body).await?;
        }
        let _turn = self.turn(terms).await;
        let script = format!(
            "{}\n{} && {check}{{ {}; }}",
            look(&target, false),
            terms.may(),
            terms.commit(&name, &target, true)
        );
        let answer = self.wire().ask(&script, Again::No).await?;
        let (_, rest) = split_lines(&answer, 1).ok_or_else(error::garbled)?;
        let outcome = written(rest, &arrived);
        if outcome.is_ok() {
            leftover.name = None;
        }
        outcome
    }

    /// Fills a temporary file by scripts that each add to it; the first one begins with `start`.
    async fn fill_in_pieces(
        &self,
        name: &str,
        start: &str,
        mut bytes: Vec<u8>,
        mut body: Body,
    ) -> Result<()> {
        let mut first = true;
        let size = self.wire().piece();
        loop {
            let mut over = false;
            while bytes.len() < size && !over {
                match body.next().await {
                    None => over = true,
                    Some(piece) => bytes.extend(piece?),
                }
            }
            let rest = if bytes.len() > size { bytes.split_off(size) } else { Vec::new() };
            let last = over && rest.is_empty();
            if first || !bytes.is_empty() {
                let append = format!("{{ w_ready; w_add {name}; }}");
                let script = if first {
                    format!("{start}{append} && w_tell ok")
                } else {
                    format!("{append} && w_tell ok")
                };
                let answer = self.wire().give(&script, &bytes).await?;
                added(&answer)?;
                first = false;
            }
            bytes = rest;
            if last {
                return Ok(());
            }
        }
    }

    async fn turn(&self, terms: &Terms) -> Option<tokio::sync::MutexGuard<'_, ()>> {
        if terms.condition == "any" { None } else { Some(self.0.turn.lock().await) }
    }
}

/// # Errors
/// Where nothing may be made at the end of the way.
fn may_be_written(arrived: &Arrived, terms: &Terms, filter: &PathFilter) -> Result<()> {
    match arrived.stands {
        Stands::Directory => return Err(error::is_a_directory()),
        Stands::Link | Stands::Other => return Err(error::not_a_file()),
        Stands::File => return Ok(()),
        Stands::Nothing { .. } => {}
    }
    if arrived.dangling {
        return Err(error::dangling_write());
    }
    let missing = missing_parents(arrived);
    missing.iter().try_for_each(|directory| filter.check(directory, Access::Write))?;
    if missing.is_empty() || terms.parents { Ok(()) } else { Err(error::parent_not_found()) }
}

/// The directories that are missing on the way to what is not there.
pub(super) fn missing_parents(arrived: &Arrived) -> Vec<WorkspacePath> {
    let Stands::Nothing { below } = arrived.stands else { return Vec::new() };
    let mut missing: Vec<_> = std::iter::successors(arrived.path.parent(), WorkspacePath::parent)
        .take_while(|parent| parent.depth() > below)
        .collect();
    missing.reverse();
    missing
}

/// The begin of a script that acts on its own only where a new file would be
/// made without a question: not at the end of a link, and below directories
/// that the filter lets be made. `None` where it cannot be said before a look.
fn may_create(target: &WorkspacePath, linked: bool, parents: bool, filter: &PathFilter) -> Option<String> {
    if linked {
        // What is there is written; what is missing is not made.
        return Some("[ \"$w_k\" = f ] && ".into());
    }
    let open = !parents
        || std::iter::successors(target.parent(), WorkspacePath::parent)
            .take_while(|parent| !parent.is_root())
            .all(|parent| filter.check(&parent, Access::Write).is_ok());
    open.then(String::new)
}

const fn writing(filter: &PathFilter) -> Walk<'_> {
    Walk { leaf: Leaf::Follow, filter, access: Access::Write, again: Again::No }
}

fn temporary(target: &WorkspacePath) -> Option<String> {
    Some(quote::path(&temporary_path(target, token::random())?))
}

fn temporary_path(target: &WorkspacePath, token: u64) -> Option<WorkspacePath> {
    target.parent()?.child(&temporary_name(target.name()?, token)).ok()
}

/// These bytes, then the rest of the body.
fn followed(bytes: Vec<u8>, body: Body) -> Body {
    Feed::unfold((Some(bytes), body), |(bytes, mut body)| async move {
        match bytes {
            Some(bytes) => Ok(Some((bytes, (None, body)))),
            None => Ok(body.next().await.transpose()?.map(|piece| (piece, (None, body)))),
        }
    })
}

/// # Errors
/// Where a piece was not added.
fn added(answer: &[u8]) -> Result<()> {
    let text = std::str::from_utf8(answer).map_err(|_| error::garbled())?;
    match text.lines().last() {
        Some("ok") => Ok(()),
        Some(line) => Err(line.strip_prefix("E ").map_or_else(error::garbled, error::told)),
        None => Err(error::garbled()),
    }
}

/// # Errors
/// Where not all bytes have arrived, whatever the tools said.
fn whole(written: Result<Written>, bytes: &[u8]) -> Result<Written> {
    let written = written?;
    if written.stat.size == bytes.len() as u64 { Ok(written) } else { Err(error::told("io")) }
}

/// `W CREATED ATOMIC` and the attributes.
fn written(answer: &[u8], arrived: &Arrived) -> Result<Written> {
    if let Some(code) = code_of(answer) {
        return Err(error::told(code));
    }
    let (line, rest) = split_lines(answer, 1).ok_or_else(error::garbled)?;
    match line {
        [b'W', b' ', created, b' ', atomic, b'\n'] => {
            let stat = record_of(rest)?.stat();
            Ok(Written::new(*created == b'1', stat).with_atomic(*atomic == b'1'))
        }
        _ => Err(match arrived.stands {
            Stands::Directory => error::is_a_directory(),
            Stands::Other | Stands::Link => error::not_a_file(),
            _ => error::garbled(),
        }),
    }
}

/// A temporary file that goes when the write does not come to its end.
struct Leftover {
    wire: Wire,
    name: Option<String>,
}

impl Drop for Leftover {
    fn drop(&mut self) {
        if let (Some(name), Ok(runtime)) = (self.name.take(), Handle::try_current()) {
            let wire = self.wire.clone();
            runtime.spawn(async move {
                // Nobody waits for it; what stays is hidden by its name.
                let _ = wire.ask(&format!("rm -f -- {name}"), Again::Yes).await;
            });
        }
    }
}
