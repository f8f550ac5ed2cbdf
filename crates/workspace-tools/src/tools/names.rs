//! The tools by name, in the order in which they are vended.

use serde::{Deserialize, Serialize};

use crate::spec::ToolSpec;

use super::{
    apply_patch, direct, edit_file, glob, grep, list_dir, multi_edit, read_file, run_shell, run_tests,
    shell_input, shell_kill, shell_output, todo, write_file,
};

/// A tool of a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolName {
    /// `read_file`
    ReadFile,
    /// `edit_file`
    EditFile,
    /// `multi_edit`
    MultiEdit,
    /// `write_file`
    WriteFile,
    /// `list_dir`
    ListDir,
    /// `run_shell`
    RunShell,
    /// `shell_output`
    ShellOutput,
    /// `shell_kill`
    ShellKill,
    /// `run_tests`
    RunTests,
    /// `grep`
    Grep,
    /// `glob`
    Glob,
    /// `todo_write`
    TodoWrite,
    /// `todo_read`
    TodoRead,
    /// `shell_input`: off by default
    ShellInput,
    /// `exists`: off by default
    Exists,
    /// `stat`: off by default
    Stat,
    /// `mkdir`: off by default
    Mkdir,
    /// `remove`: off by default
    Remove,
    /// `move`: off by default
    Move,
    /// `copy`: off by default
    Copy,
    /// `apply_patch`: off by default
    ApplyPatch,
}

impl ToolName {
    /// All tools, in the fixed order.
    pub const ALL: &'static [Self] = &[
        Self::ReadFile,
        Self::EditFile,
        Self::MultiEdit,
        Self::WriteFile,
        Self::ListDir,
        Self::RunShell,
        Self::ShellOutput,
        Self::ShellKill,
        Self::RunTests,
        Self::Grep,
        Self::Glob,
        Self::TodoWrite,
        Self::TodoRead,
        Self::ShellInput,
        Self::Exists,
        Self::Stat,
        Self::Mkdir,
        Self::Remove,
        Self::Move,
        Self::Copy,
        Self::ApplyPatch,
    ];

    /// The tool of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|tool| tool.as_str() == name)
    }

    /// Its name, as models see it.
    pub fn as_str(self) -> &'static str {
        self.spec().name
    }

    /// Whether it is vended without being picked by name.
    pub fn is_default(self) -> bool {
        !matches!(
            self,
            Self::ShellInput
                | Self::Exists
                | Self::Stat
                | Self::Mkdir
                | Self::Remove
                | Self::Move
                | Self::Copy
                | Self::ApplyPatch
        )
    }

    /// Whether it can change files by itself.
    pub fn changes_files(self) -> bool {
        matches!(
            self,
            Self::EditFile
                | Self::MultiEdit
                | Self::WriteFile
                | Self::Mkdir
                | Self::Remove
                | Self::Move
                | Self::Copy
                | Self::ApplyPatch
        )
    }

    /// Whether it runs commands.
    pub fn runs_commands(self) -> bool {
        matches!(self, Self::RunShell | Self::RunTests)
    }

    /// Whether it runs commands or deals with those that run.
    pub(crate) fn is_about_commands(self) -> bool {
        self.runs_commands() || matches!(self, Self::ShellOutput | Self::ShellKill | Self::ShellInput)
    }

    /// The field of an approval error that holds what was asked about.
    pub(crate) fn subject_field(self) -> &'static str {
        match self {
            Self::ShellOutput | Self::ShellKill => "id",
            Self::ShellInput => "input",
            Self::TodoWrite | Self::TodoRead => "list",
            Self::ApplyPatch => "files",
            _ if self.runs_commands() => "command",
            _ => "path",
        }
    }

    /// All that it can take.
    pub(crate) fn spec(self) -> &'static ToolSpec {
        match self {
            Self::ReadFile => &read_file::SPEC,
            Self::EditFile => &edit_file::SPEC,
            Self::MultiEdit => &multi_edit::SPEC,
            Self::WriteFile => &write_file::SPEC,
            Self::ListDir => &list_dir::SPEC,
            Self::RunShell => &run_shell::SPEC,
            Self::ShellOutput => &shell_output::SPEC,
            Self::ShellKill => &shell_kill::SPEC,
            Self::RunTests => &run_tests::SPEC,
            Self::ShellInput => &shell_input::SPEC,
            Self::Grep => &grep::SPEC,
            Self::Glob => &glob::SPEC,
            Self::TodoWrite => &todo::WRITE_SPEC,
            Self::TodoRead => &todo::READ_SPEC,
            Self::Exists => &direct::EXISTS_SPEC,
            Self::Stat => &direct::STAT_SPEC,
            Self::Mkdir => &direct::MKDIR_SPEC,
            Self::Remove => &direct::REMOVE_SPEC,
            Self::Move => &direct::MOVE_SPEC,
            Self::Copy => &direct::COPY_SPEC,
            Self::ApplyPatch => &apply_patch::SPEC,
        }
    }
}
