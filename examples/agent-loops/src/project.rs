//! A project whose test fails, in memory.

use workspace_core::Finished;
use workspace_memory::{Memory, MemoryShell, Script};
use workspace_tools::{ApprovalPolicy, Policy, Result, ShellPolicy, ToolSet, Workspace};

/// The file that is wrong.
const SOURCE: &str = "src/lib.rs";

/// A small project. `cargo test` passes in it as soon as its function is right.
pub struct Project {
    files: Memory,
    shell: MemoryShell,
    /// The tools of a workspace over it.
    pub tools: ToolSet,
}

impl Project {
    /// Lays it out.
    ///
    /// # Errors
    /// Where its policy is none that a workspace takes.
    pub fn new() -> Result<Self> {
        let files = Memory::new()
            .with_file("Cargo.toml", "[package]\nname = \"sums\"\n")
            .with_file(SOURCE, "pub fn add(a: u32, b: u32) -> u32 {\n    a - b\n}\n");
        let shell = files.shell(Script::new().with_function(|_, files| Some(tests(files))));
        let policy = Policy {
            shell: Some(ShellPolicy::allowing(["cargo"])),
            approval: ApprovalPolicy::never(),
            ..Policy::default()
        };
        let workspace = Workspace::builder(files.clone()).shell(shell.clone()).policy(policy).build()?;
        Ok(Self { files, shell, tools: ToolSet::new(workspace) })
    }

    /// What its source says by now.
    pub fn source(&self) -> String {
        let bytes = self.files.read_now(SOURCE).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// How often its tests were run.
    pub fn test_runs(&self) -> usize {
        self.shell.commands().len()
    }
}

/// Stands for `cargo test`, by what the source says.
fn tests(files: &Memory) -> Finished {
    let source = files.read_now(SOURCE).unwrap_or_default();
    if String::from_utf8_lossy(&source).contains("a + b") {
        Finished::new(0).with_stdout("test result: ok. 1 passed; 0 failed\n")
    } else {
        Finished::new(101).with_stdout("add(2, 2) is 0 and not 4\ntest result: FAILED. 0 passed; 1 failed\n")
    }
}
