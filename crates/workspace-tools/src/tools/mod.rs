//! One tool a file: what it takes, what it gives, what it does.

mod answer;
mod apply_patch;
mod command;
mod content;
mod direct;
mod edit_file;
mod failure;
mod glob;
mod grep;
mod jobs;
mod list_dir;
mod multi_edit;
mod names;
mod read_file;
mod resources;
mod run_shell;
mod run_tests;
mod shell_input;
mod shell_kill;
mod shell_output;
mod todo;
mod write_file;

pub(crate) use answer::{Answer, with_notice};
pub(crate) use apply_patch::no_patch;
pub use apply_patch::{ApplyPatchInput, ApplyPatchOutput, PatchAction, PatchedFile};
pub(crate) use content::hash_of;
pub use direct::{
    CopyInput, CopyOutput, ExistsInput, ExistsOutput, MkdirInput, MkdirOutput, MoveInput, MoveOutput,
    RemoveInput, RemoveOutput, StatInput, StatOutput,
};
pub use edit_file::{EditFileInput, EditFileOutput};
pub use glob::{GlobInput, GlobOrder, GlobOutput};
pub use grep::{GrepCount, GrepInput, GrepMatch, GrepOutput, GrepShow, GrepSkipped};
pub use jobs::ShellJob;
pub use list_dir::{ListDirInput, ListDirOutput, ListedEntry};
pub use multi_edit::{EditCount, MultiEditInput, MultiEditOutput, TextEdit};
pub use names::ToolName;
pub use read_file::{ReadFileInput, ReadFileOutput, ReadFormat};
pub use resources::FileNames;
pub(crate) use run_shell::FOREGROUND_SPEC;
pub use run_shell::{OmittedBytes, RunShellInput, RunShellOutput, StartedShell};
pub use run_tests::{RunTestsInput, RunTestsOutput};
pub use shell_input::{ShellInputInput, ShellInputOutput};
pub use shell_kill::{ShellKillInput, ShellKillOutput};
pub use shell_output::{ShellOutputInput, ShellOutputOutput};
pub(crate) use todo::TodoList;
pub use todo::{
    Todo, TodoCounts, TodoInput, TodoReadInput, TodoStatus, TodoUpdate, TodoWriteInput, TodosOutput,
};
pub use write_file::{IfExists, WriteFileInput, WriteFileOutput};
