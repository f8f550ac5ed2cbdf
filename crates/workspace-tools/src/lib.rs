//! Safe, fast hands for a coding agent: read, write, edit, list, search and run,
//! over any backend of `workspace-core`.
//!
//! A [`Workspace`] holds the files and commands of a backend under a
//! [`Policy`]. Each tool is a method with a typed input and output; a
//! [`ToolSet`] lists the same tools for a model and calls them by name with
//! JSON. Both go through one operation: identical results for identical arguments.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use workspace_memory::Memory;
//! use workspace_tools::{GrepInput, ToolSet, Workspace};
//!
//! let files = Memory::new().with_file("src/lib.rs", "pub fn answer() -> u32 { 41 }\n");
//! let workspace = Workspace::builder(files).build()?;
//!
//! // By a Rust program …
//! let found = workspace.grep(GrepInput::new(r"fn \w+")).await?;
//! assert_eq!(found.matches.unwrap()[0].line, 1);
//!
//! // … or by a model.
//! let tools = ToolSet::new(workspace.readonly());
//! let names: Vec<_> = tools.definitions().into_iter().map(|tool| tool.name).collect();
//! assert_eq!(names, ["read_file", "list_dir", "grep", "glob", "todo_write", "todo_read"]);
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//! | feature | gives |
//! | --- | --- |
//! | `local` (default) | [`Workspace::local`]: a directory of this machine; `BashSession::open`: a temporary one |
//! | `memory` | `Workspace::memory`: a tree in memory, for tests |
//! | `docker` | `Workspace::docker`: a hardened container |
//! | `e2b` | `Workspace::e2b`: a sandbox of E2B, over the network |
//!
//! # Limits
//! The policy of commands is a filter for an agent that one trusts, not
//! isolation: an allowed program can do what its user can. Locks hold between
//! the calls of one workspace, not against other programs; against those there
//! are hashes and a check of the file's identity right before it is replaced.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod adapters;
mod approval;
mod constructors;
mod copy_tree;
mod edit;
mod ephemeral;
mod error;
mod exec;
mod guard;
#[cfg(doctest)]
mod guides;
mod output;
mod patch;
mod policy;
mod render;
mod similar;
mod spec;
mod spill;
mod state;
mod timestamp;
mod tools;
mod toolset;
mod window;
mod workspace;

pub use adapters::{
    BashTool, MemoryTool, PatchTool, ShellShape, ShellTool, TextEditorTool, VendorAnswer, VendorTool,
    VendorTools,
};
pub use approval::{
    ApprovalRequest, ApprovalRule, Approver, Decision, PreparedCall, ProposedChange, ProposedFile,
};
pub use copy_tree::{Copied, copy_tree};
pub use ephemeral::{
    BashExecInput, BashSession, BashSessionBuilder, GetFileInput, GetFileOutput, PutFileInput, PutFileOutput,
};
pub use error::{Result, ToolError, ToolErrorKind};
pub use exec::JobStatus;
pub use policy::{
    AbsoluteRule, ApprovalMode, ApprovalPolicy, ArgPathRule, BackgroundPolicy, BackslashRule, CommandPattern,
    EditEol, EditPolicy, EncodingRule, EnvironmentBase, ExtraRoot, Guard, Interpreter, KillRule,
    LeftoverRule, Limit, LinkRule, ListPolicy, OutputKeep, PathPolicy, Policy, ReadPolicy, SearchPolicy,
    ShellPolicy, ShellPreset, SubstitutionRule, TestsPolicy, WriteAtomicity, WriteDurability, WriteEol,
    WritePolicy, nearest_policy_key,
};
pub use tools::{
    ApplyPatchInput, ApplyPatchOutput, CopyInput, CopyOutput, EditCount, EditFileInput, EditFileOutput,
    ExistsInput, ExistsOutput, FileNames, GlobInput, GlobOrder, GlobOutput, GrepCount, GrepInput, GrepMatch,
    GrepOutput, GrepShow, GrepSkipped, IfExists, ListDirInput, ListDirOutput, ListedEntry, MkdirInput,
    MkdirOutput, MoveInput, MoveOutput, MultiEditInput, MultiEditOutput, OmittedBytes, PatchAction,
    PatchedFile, ReadFileInput, ReadFileOutput, ReadFormat, RemoveInput, RemoveOutput, RunShellInput,
    RunShellOutput, RunTestsInput, RunTestsOutput, ShellInputInput, ShellInputOutput, ShellJob,
    ShellKillInput, ShellKillOutput, ShellOutputInput, ShellOutputOutput, StartedShell, StatInput,
    StatOutput, TextEdit, Todo, TodoCounts, TodoInput, TodoReadInput, TodoStatus, TodoUpdate, TodoWriteInput,
    TodosOutput, ToolName, WriteFileInput, WriteFileOutput,
};
pub use toolset::{Tool, ToolDefinition, ToolOutput, ToolSet};
pub use workspace::{Workspace, WorkspaceBuilder};
pub use workspace_core::Progress;
pub use workspace_shell_policy::{CommandContext, CommandDecision, Reason, Refusal, Verdict, Word};
