//! What the owner of a workspace allows, as one typed value.

mod approval;
mod commands;
mod files;
mod keys;
mod limits;
mod shell;

use serde::Deserialize;

pub use approval::{ApprovalMode, ApprovalPolicy};
pub use commands::{BackgroundPolicy, KillRule, LeftoverRule, OutputKeep};
pub use files::{
    AbsoluteRule, BackslashRule, EditEol, EditPolicy, EncodingRule, ExtraRoot, Guard, LinkRule, ListPolicy,
    PathPolicy, ReadPolicy, SearchPolicy, WriteAtomicity, WriteDurability, WriteEol, WritePolicy,
};
pub use keys::nearest_policy_key;
pub use limits::Limit;
pub use shell::{
    ArgPathRule, CommandPattern, EnvironmentBase, Interpreter, ShellPolicy, ShellPreset, SubstitutionRule,
    TestsPolicy,
};

/// What the owner of a workspace allows.
///
/// By default files are open to reading and writing and no command runs. It
/// deserialises from the TOML that `docs/policy.md` describes; an unknown key is an error.
///
/// # Examples
/// ```
/// use workspace_tools::{Policy, ShellPolicy};
///
/// let mut policy = Policy::default();
/// policy.paths.deny = vec!["secrets/**".into()];
/// policy.shell = Some(ShellPolicy::allowing(["cargo", "git"]));
/// ```
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// Which paths are open, and how they are written.
    pub paths: PathPolicy,
    /// How files are read.
    pub read: ReadPolicy,
    /// How files are written.
    pub write: WritePolicy,
    /// How files are edited.
    pub edit: EditPolicy,
    /// How directories are listed.
    pub list: ListPolicy,
    /// How files are searched.
    pub search: SearchPolicy,
    /// Which commands run; absent: none.
    pub shell: Option<ShellPolicy>,
    /// What `run_tests` runs; absent: the tool is not vended.
    pub tests: Option<TestsPolicy>,
    /// Which tools the owner is asked about.
    pub approval: ApprovalPolicy,
}

impl Policy {
    /// What the program uses without a policy file: no commands, and the
    /// repository's own data and dot-env files closed to writes.
    pub fn conservative() -> Self {
        let protect = [".git", ".git/**", "**/.git/**", ".env*", "**/.env*"];
        Self {
            paths: PathPolicy { protect: protect.map(str::to_owned).to_vec(), ..PathPolicy::default() },
            ..Self::default()
        }
    }
}
