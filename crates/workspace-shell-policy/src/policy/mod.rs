//! What a host allows and denies.

mod globs;
mod pattern;
mod presets;
mod settings;
mod warnings;

pub use presets::POSIX_UTILITIES;

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

pub(crate) use globs::PathGlob;
pub use pattern::DenyPattern;
pub(crate) use pattern::{AllowPattern, MAX_PARTS, OptionPattern, Rule, WordPattern};
pub use settings::{ArgPaths, PolicyError, Substitution, Writes};
pub use warnings::PolicyWarning;

use crate::{Mode, Word};

/// What the predicate of [`ShellPolicy::allow_command`] says about a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandDecision {
    /// The command may run.
    Allow,
    /// It may not, for this reason, which is shown to the model.
    Deny(String),
}

/// Where a command stands, for the predicate of [`ShellPolicy::allow_command`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandContext<'a> {
    /// The whole line.
    pub line: &'a str,
    /// How the line would be run.
    pub mode: Mode,
    /// The command's place among those of the line, from 0, wrappers before what they run.
    pub position: usize,
    /// Its place in the line, in bytes.
    pub span: Range<usize>,
    /// The directories it may run in, relative to the root or absolute; empty where that is not known.
    pub directories: &'a [String],
    /// Whether the line is to run as a background job.
    pub background: bool,
}

pub(crate) type Predicate = dyn Fn(&[Word], &CommandContext<'_>) -> CommandDecision + Send + Sync;

/// Which command lines may run.
///
/// A policy is a filter for an agent that makes mistakes or is talked into
/// them. It is no sandbox: a program that it allows does whatever that program
/// can do, and an allowed `make` runs whatever the project says.
///
/// By default nothing is denied and every program is allowed. An
/// [`allow`](Self::allow) list is exhaustive; a denial wins over it. Every
/// command of a line passes every rule, those inside wrappers (`env`,
/// `timeout`, `find -exec`), subshells and substitutions too; one refusal
/// refuses the line.
///
/// # Examples
/// ```
/// use workspace_shell_policy::{LexicalJail, Mode, Reason, ShellPolicy, check};
///
/// let policy = ShellPolicy::new().allow(["git", "cargo"]).deny_patterns(["git push --force"])?;
/// let jail = LexicalJail::new("/work");
///
/// assert!(check(Some(&policy), Mode::Sh, "git fetch && cargo test", &jail).runs());
/// let verdict = check(Some(&policy), Mode::Sh, "git -C . push -fu origin main", &jail);
/// assert_eq!(verdict.reason(), Some(Reason::DeniedPattern));
/// # Ok::<(), workspace_shell_policy::PolicyError>(())
/// ```
#[derive(Clone, Default)]
pub struct ShellPolicy {
    allow: Option<Allow>,
    subcommands: Vec<(String, Vec<Vec<String>>)>,
    deny: HashSet<String>,
    deny_patterns: Vec<DenyPattern>,
    allow_patterns: Vec<AllowPattern>,
    allow_command: Option<Arc<Predicate>>,
    deny_paths: Vec<PathGlob>,
    arg_paths: ArgPaths,
    substitution: Substitution,
    writes: Writes,
}

/// The programs of an exhaustive list.
#[derive(Debug, Clone, Default)]
struct Allow {
    entries: Vec<String>,
    names: HashSet<String>,
}

impl ShellPolicy {
    /// A policy without any rule: every program may run.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the exhaustive list of programs; an empty one allows none.
    ///
    /// An entry without a slash is a name looked up on the trusted `PATH`: it
    /// covers the bare name and that name in a system directory such as
    /// `/usr/bin`, and no other file of that name. An entry with a slash covers
    /// exactly that path; a relative one counts from the root. Case matters.
    #[must_use]
    pub fn allow(mut self, programs: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let entries: Vec<String> = programs.into_iter().map(Into::into).collect();
        let names = entries.iter().filter(|entry| !entry.contains('/')).cloned().collect();
        self.allow = Some(Allow { entries, names });
        self
    }

    /// Adds programs to the exhaustive list, with all their subcommands; where there is no
    /// list, every program is allowed already.
    #[must_use]
    pub fn allow_also(mut self, programs: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let programs: Vec<String> = programs.into_iter().map(Into::into).collect();
        let keys: Vec<_> = programs.iter().map(|program| crate::judge::key_of(program)).collect();
        self.subcommands.retain(|(narrowed, _)| !keys.iter().any(|key| key == narrowed));
        match self.allow.take() {
            Some(Allow { entries, .. }) => self.allow(entries.into_iter().chain(programs)),
            None => self,
        }
    }

    /// Adds subcommands of a program to what the policy allows: the program itself, narrowed to
    /// these, where the list does not name it, and these beside those that it is narrowed to
    /// already. A program that is allowed with all its subcommands stays so.
    #[must_use]
    pub fn allow_subcommands_also(
        self,
        program: &str,
        subcommands: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Self {
        let joined = |words: &Vec<String>| words.join(" ");
        let narrowed = self.subcommands_of(&crate::judge::key_of(program)).map(|all| all.iter().map(joined));
        let narrowed: Option<Vec<String>> = narrowed.map(Iterator::collect);
        let is_named =
            self.allow.as_ref().is_none_or(|allow| allow.entries.iter().any(|name| name == program));
        if is_named && narrowed.is_none() {
            return self;
        }
        let subcommands = subcommands.into_iter().map(|entry| entry.as_ref().to_owned());
        let all: Vec<String> = narrowed.into_iter().flatten().chain(subcommands).collect();
        let policy = if is_named { self } else { self.allow_also([program]) };
        policy.allow_subcommands(program, all)
    }

    /// Narrows a program to some of its subcommands.
    ///
    /// Each entry is one or more words with which the command must begin once
    /// the program's own global options are dropped: `"status"`,
    /// `"remote -v"`, `"stash list"`. A program without such a list is not
    /// narrowed. Does not allow the program: [`allow`](Self::allow) does.
    #[must_use]
    pub fn allow_subcommands(
        mut self,
        program: impl Into<String>,
        subcommands: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Self {
        let words = |entry: &str| entry.split_whitespace().map(str::to_owned).collect();
        let entries = subcommands.into_iter().map(|entry| words(entry.as_ref())).collect();
        self.subcommands.push((crate::judge::key_of(&program.into()).into_owned(), entries));
        self
    }

    /// Adds programs that never run, by basename: any path to them counts, case
    /// and a trailing `.exe`, `.cmd`, `.bat` or `.com` are ignored.
    #[must_use]
    pub fn deny(mut self, programs: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        self.deny
            .extend(programs.into_iter().map(|program| crate::judge::key_of(program.as_ref()).into_owned()));
        self
    }

    /// Adds deny patterns of words; see [`DenyPattern::words`].
    ///
    /// # Errors
    /// A pattern that names no program or has an open quote.
    pub fn deny_patterns(
        mut self,
        patterns: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, PolicyError> {
        for pattern in patterns {
            self.deny_patterns.push(DenyPattern::words(pattern.as_ref())?);
        }
        Ok(self)
    }

    /// Adds one deny pattern.
    #[must_use]
    pub fn deny_pattern(mut self, pattern: DenyPattern) -> Self {
        self.deny_patterns.push(pattern);
        self
    }

    /// Adds allow patterns: the line must be one simple command that begins
    /// with the words of one of them. With any shell operator the line is
    /// refused whole. Where [`allow`](Self::allow) is set too, both must cover
    /// the command.
    ///
    /// # Errors
    /// A pattern that names no program or has an open quote.
    pub fn allow_patterns(
        mut self,
        patterns: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, PolicyError> {
        for pattern in patterns {
            self.allow_patterns.push(AllowPattern::new(pattern.as_ref())?);
        }
        Ok(self)
    }

    /// Sets a predicate that is asked last, about every command of the line.
    /// A panic in it is a denial.
    #[must_use]
    pub fn allow_command(
        mut self,
        predicate: impl Fn(&[Word], &CommandContext<'_>) -> CommandDecision + Send + Sync + 'static,
    ) -> Self {
        self.allow_command = Some(Arc::new(predicate));
        self
    }

    /// Takes over the predicate of another policy, where that has one.
    #[must_use]
    pub fn predicate_of(mut self, other: &Self) -> Self {
        self.allow_command = other.allow_command.clone().or(self.allow_command);
        self
    }

    /// Adds globs of paths that are closed even inside the jail.
    ///
    /// They are matched on the path relative to the root, as asked and with
    /// links resolved; case is ignored. `*` and `?` stay within a name, `**`
    /// crosses names, `[…]` and `{a,b}` choose. A glob without a slash is
    /// matched at any depth, and whatever matches closes all that it holds.
    ///
    /// # Errors
    /// A glob that is empty or too large.
    pub fn deny_paths(
        mut self,
        globs: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, PolicyError> {
        for glob in globs {
            self.deny_paths.push(PathGlob::new(glob.as_ref())?);
        }
        Ok(self)
    }

    /// Sets whether operands that are paths are held inside the jail too.
    #[must_use]
    pub const fn arg_paths(mut self, arg_paths: ArgPaths) -> Self {
        self.arg_paths = arg_paths;
        self
    }

    /// Sets whether `$( )` and backticks are read or refused.
    #[must_use]
    pub const fn substitution(mut self, substitution: Substitution) -> Self {
        self.substitution = substitution;
        self
    }

    /// Sets whether the line may write files: by a redirection, or by an
    /// option or operand that the checker knows to name an output file.
    #[must_use]
    pub const fn writes(mut self, writes: Writes) -> Self {
        self.writes = writes;
        self
    }

    pub(crate) fn allowed_programs(&self) -> Option<&[String]> {
        self.allow.as_ref().map(|allow| allow.entries.as_slice())
    }

    /// Whether `allow` has this bare name.
    pub(crate) fn allows_name(&self, name: &str) -> bool {
        self.allow.as_ref().is_some_and(|allow| allow.names.contains(name))
    }

    pub(crate) fn subcommands_of(&self, key: &str) -> Option<&[Vec<String>]> {
        self.subcommands
            .iter()
            .rev()
            .find(|(program, _)| program == key)
            .map(|(_, entries)| entries.as_slice())
    }

    pub(crate) const fn denied_programs(&self) -> &HashSet<String> {
        &self.deny
    }

    pub(crate) fn denied_patterns(&self) -> &[DenyPattern] {
        &self.deny_patterns
    }

    pub(crate) fn allowed_patterns(&self) -> &[AllowPattern] {
        &self.allow_patterns
    }

    pub(crate) fn predicate(&self) -> Option<&Predicate> {
        self.allow_command.as_deref()
    }

    pub(crate) fn closed_paths(&self) -> &[PathGlob] {
        &self.deny_paths
    }

    pub(crate) fn holds_operands(&self) -> bool {
        self.arg_paths == ArgPaths::Jail
    }

    pub(crate) fn reads_substitutions(&self) -> bool {
        self.substitution == Substitution::Check
    }

    pub(crate) fn refuses_writes(&self) -> bool {
        self.writes == Writes::Refuse
    }

    /// Whether a rule that names what must not run is in force.
    pub(crate) fn denies(&self) -> bool {
        !self.deny.is_empty() || !self.deny_patterns.is_empty() || self.allow_command.is_some()
    }

    /// Whether it matters which programs a line starts.
    pub(crate) fn restricts(&self) -> bool {
        self.denies()
            || self.allow.is_some()
            || !self.allow_patterns.is_empty()
            || !self.subcommands.is_empty()
    }
}

impl fmt::Debug for ShellPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShellPolicy")
            .field("allow", &self.allowed_programs())
            .field("subcommands", &self.subcommands)
            .field("deny", &self.deny)
            .field("deny_patterns", &self.deny_patterns)
            .field("allow_patterns", &self.allow_patterns)
            .field("allow_command", &self.allow_command.is_some())
            .field("deny_paths", &self.deny_paths)
            .field("arg_paths", &self.arg_paths)
            .field("substitution", &self.substitution)
            .field("writes", &self.writes)
            .finish()
    }
}
