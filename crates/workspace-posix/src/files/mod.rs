//! The files: the contract over scripts.

mod change;
mod look;
mod read;
mod write;

use std::fmt;
use std::sync::Arc;

use tokio::sync::Mutex;
use workspace_core::{
    Body, Capabilities, CreateDirOptions, Entry, Feed, FileBody, FsProvider, GlobAnswer, GlobQuery,
    GrepAnswer, GrepQuery, ListOptions, PathFilter, PathRules, ReadOptions, RemoveOptions, RenameOptions,
    ResolveOptions, Result, RunOnce, Stat, StatOptions, WalkOptions, WorkspacePath, WriteOptions, Written,
};

use crate::facts::{Facts, Find, questions};
use crate::sessions::SharedSessions;
use crate::wire::{Again, Asking, Commands, Pool, Requests, SharedCommands, SharedRequests, Wire};
use crate::{PosixConfig, Sessions, quote};

pub use look::AtTheEnd;
pub(crate) use look::{Found, inside};

/// The functions that each shell knows.
const FUNCTIONS: &str = include_str!("../prelude.sh");

/// Files on the other side of a shell. A clone is the same files.
///
/// It is an [`FsProvider`] with links, modes, versions, atomic replacement and,
/// where the other side has `find` and `xargs`, search of its own.
///
/// # Limits
/// - A listing, a walk and a search are held in memory; see
///   [`PosixConfig::with_largest_answer`].
/// - A new file gets the mode 644, a new directory 755.
/// - Owners, access lists and extended attributes of a replaced file are not kept.
#[derive(Clone)]
pub struct PosixFiles(Arc<Shared>);

struct Shared {
    wire: Wire,
    facts: Facts,
    rules: PathRules,
    durable: bool,
    /// Writers that demand a state take turns at the moment of the move.
    turn: Mutex<()>,
}

/// What a shell is told before anything else: where it is to be, and how it is to speak.
fn enter(root: &str) -> String {
    format!(
        "exec 2>/dev/null\ncd -P -- {} 2>/dev/null || exit 1\nLC_ALL=C TZ=UTC0\nexport LC_ALL TZ\n",
        quote::word(root)
    )
}

fn shells(sessions: impl Sessions, greeting: String, config: &PosixConfig) -> Wire {
    let sessions = SharedSessions::new(sessions);
    Wire::Shells(Arc::new(Pool::new(sessions, greeting, config.shells, config.deadline, config.answer)))
}

impl PosixFiles {
    /// Files over shells that stay open.
    ///
    /// # Errors
    /// [`Unsupported`](workspace_core::ErrorKind::Unsupported) where the other side lacks a tool,
    /// [`Unavailable`](workspace_core::ErrorKind::Unavailable) where its root cannot be entered,
    /// and those of the vendor.
    pub async fn over_sessions(sessions: impl Sessions, config: PosixConfig) -> Result<Self> {
        let wire = shells(sessions, enter(&config.root), &config);
        Self::connect(wire, &config).await
    }

    /// The same files over other shells. Nothing is asked again, and no shell is
    /// opened before it is needed.
    #[must_use]
    pub fn over_other_sessions(&self, sessions: impl Sessions, config: &PosixConfig) -> Self {
        let Shared { facts, rules, durable, .. } = &*self.0;
        let greeting = format!("{}{}{FUNCTIONS}{}", enter(&facts.root), facts.settings(), facts.aide());
        let wire = shells(sessions, greeting, config);
        let (facts, rules) = (facts.clone(), rules.clone());
        Self(Arc::new(Shared { wire, facts, rules, durable: *durable, turn: Mutex::default() }))
    }

    /// Files over a vendor that runs one command at a time and hands back its output.
    ///
    /// The vendor is given lines for `sh` alone, with a time limit to keep.
    ///
    /// # Errors
    /// Those of [`over_sessions`](Self::over_sessions).
    pub async fn over_commands(vendor: impl RunOnce, config: PosixConfig) -> Result<Self> {
        let vendor = SharedCommands::new(vendor);
        let commands = Commands::new(vendor, enter(&config.root), config.deadline, config.answer);
        Self::connect(Wire::Commands(Arc::new(commands)), &config).await
    }

    /// Files over a vendor that runs a script a request and streams its answer.
    ///
    /// The shells, their deadline and their number in the configuration have no meaning here.
    ///
    /// # Errors
    /// Those of [`over_sessions`](Self::over_sessions).
    pub async fn over_requests(vendor: impl Requests, config: PosixConfig) -> Result<Self> {
        let vendor = SharedRequests::new(vendor);
        let asking = Asking::new(vendor, enter(&config.root), config.answer);
        Self::connect(Wire::Requests(Arc::new(asking)), &config).await
    }

    async fn connect(wire: Wire, config: &PosixConfig) -> Result<Self> {
        let facts = Facts::parse(&wire.ask(&questions(), Again::Yes).await?)?;
        let aide = if matches!(wire, Wire::Shells(_)) { facts.aide() } else { String::new() };
        wire.greet(&format!("{}{FUNCTIONS}{aide}", facts.settings())).await?;
        let rules = PathRules::default().with_root(&config.root).with_root(&facts.root);
        Ok(Self(Arc::new(Shared { wire, facts, rules, durable: config.durable, turn: Mutex::default() })))
    }

    pub(crate) fn wire(&self) -> &Wire {
        &self.0.wire
    }

    pub(crate) fn facts(&self) -> &Facts {
        &self.0.facts
    }

    /// The root on the other side, without links.
    pub fn root(&self) -> &str {
        &self.0.facts.root
    }

    /// Where a command may start: the absolute path on the other side, without links.
    ///
    /// # Errors
    /// [`NotFound`](workspace_core::ErrorKind::NotFound), [`NotADirectory`](workspace_core::ErrorKind::NotADirectory),
    /// [`PathEscape`](workspace_core::ErrorKind::PathEscape), and the filter's refusal; each names the path.
    pub async fn working_directory(&self, path: &WorkspacePath, filter: &PathFilter) -> Result<String> {
        let real = self.directory_at(path, filter).await.map_err(|error| error.during("spawn").at(path))?;
        let root = self.root().trim_end_matches('/');
        Ok(if real.is_root() { self.root().to_owned() } else { format!("{root}/{real}") })
    }

    /// Runs a script in one of the shells, in the root, and gives what it prints:
    /// for a backend that has more to ask than files.
    ///
    /// It must not read its standard input. Its standard error is lost.
    ///
    /// # Errors
    /// [`TimedOut`](workspace_core::ErrorKind::TimedOut), [`Unavailable`](workspace_core::ErrorKind::Unavailable),
    /// [`TooLarge`](workspace_core::ErrorKind::TooLarge), and those of the vendor.
    pub async fn script(&self, text: &str) -> Result<Vec<u8>> {
        self.wire().ask(text, Again::No).await
    }

    /// What of an absolute link lies below the root, or `None` where it lies elsewhere.
    pub(crate) fn below_root<'a>(&self, text: &'a str) -> Option<&'a str> {
        self.0.rules.roots.iter().find_map(|root| {
            let mut inside = text;
            for name in root.split('/').filter(|name| !name.is_empty()) {
                inside = inside.trim_start_matches('/').strip_prefix(name)?;
                if !(inside.is_empty() || inside.starts_with('/')) {
                    return None;
                }
            }
            Some(inside)
        })
    }

    /// Whether a tree can be had in one command.
    pub(crate) fn finds(&self) -> bool {
        self.0.facts.find != Find::Missing
    }
}

impl fmt::Debug for PosixFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PosixFiles").field("facts", &self.0.facts).finish_non_exhaustive()
    }
}

impl FsProvider for PosixFiles {
    fn capabilities(&self) -> Capabilities {
        let searches = self.finds() && self.0.facts.batches;
        Capabilities::default()
            .with_write(true)
            .with_links(true)
            .with_modes(true)
            .with_atomic_replace(true)
            .with_versions(true)
            .with_glob(searches)
            .with_grep(searches)
    }

    fn path_rules(&self) -> PathRules {
        self.0.rules.clone()
    }

    async fn stat(&self, path: &WorkspacePath, options: StatOptions) -> Result<Stat> {
        self.look_at(path, &options).await.map_err(|error| error.during("stat").at(path))
    }

    async fn read(&self, path: &WorkspacePath, options: ReadOptions) -> Result<FileBody> {
        self.open(path, &options).await.map_err(|error| error.during("read").at(path))
    }

    async fn write(&self, path: &WorkspacePath, body: Body, options: WriteOptions) -> Result<Written> {
        self.put(path, body, &options).await.map_err(|error| error.during("write").at(path))
    }

    async fn list(&self, path: &WorkspacePath, options: ListOptions) -> Result<Vec<Entry>> {
        self.entries(path, &options).await.map_err(|error| error.during("list").at(path))
    }

    async fn create_dir(&self, path: &WorkspacePath, options: CreateDirOptions) -> Result<bool> {
        self.make(path, &options).await.map_err(|error| error.during("create_dir").at(path))
    }

    async fn remove(&self, path: &WorkspacePath, options: RemoveOptions) -> Result<()> {
        self.take_away(path, &options).await.map_err(|error| error.during("remove").at(path))
    }

    async fn rename(&self, from: &WorkspacePath, to: &WorkspacePath, options: RenameOptions) -> Result<()> {
        self.move_to(from, to, &options).await.map_err(|error| error.during("rename"))
    }

    async fn resolve(&self, path: &WorkspacePath, options: ResolveOptions) -> Result<WorkspacePath> {
        self.resolved(path, &options).await.map_err(|error| error.during("resolve").at(path))
    }

    async fn walk(&self, path: &WorkspacePath, options: WalkOptions) -> Result<Feed<Entry>> {
        self.tree(path, &options).await.map_err(|error| error.during("walk").at(path))
    }

    async fn glob(&self, query: GlobQuery) -> Result<GlobAnswer> {
        self.find_names(query).await
    }

    async fn grep(&self, query: GrepQuery) -> Result<GrepAnswer> {
        self.find_lines(query).await
    }
}
