//! The kit over a good backend, alone and under each layer: handle, read-only, scope, rules.

use workspace_core::{
    Collected, Command, Finished, FsProvider, Guarded, PathFilter, PathRules, Program, ReadOnly, Result,
    RunOnce, Scoped, ScopedShell, SharedFs, SharedShell, WorkspacePath,
};
use workspace_memory::Memory;
use workspace_testkit::{Commands, Subject, conform};

use crate::acting::Acting;
use crate::plant::MemoryPlant;

conform!(memory, || async {
    let memory = Memory::new();
    Subject::new(memory.clone())
        .with_shell(Acting::new(memory.clone()), Commands::posix())
        .with_plant(MemoryPlant::new(memory))
});

conform!(shared, || async {
    let memory = Memory::new();
    Subject::new(SharedFs::new(SharedFs::new(memory.clone())))
        .with_shell(SharedShell::new(SharedShell::new(Acting::new(memory.clone()))), Commands::posix())
        .with_plant(MemoryPlant::new(memory))
});

conform!(read_only, || async {
    let memory = Memory::new();
    Subject::new(ReadOnly::new(memory.clone())).with_seed(memory.clone()).with_plant(MemoryPlant::new(memory))
});

conform!(scoped, || async {
    let (memory, directory) = with_siblings();
    let plant = MemoryPlant::below(memory.clone(), directory.clone());
    let shell = ScopedShell::new(Acting::new(memory.clone()), directory.clone());
    Subject::new(Scoped::new(memory, directory))
        .with_shell(shell, Commands::posix())
        .with_plant(plant)
        .with_forbidden_text("outer/")
});

conform!(guarded, || async {
    let memory = Memory::new();
    Subject::new(Guarded::new(memory.clone(), unused_rule())).with_plant(MemoryPlant::new(memory))
});

conform!(stacked, || async {
    let (memory, directory) = with_siblings();
    let plant = MemoryPlant::below(memory.clone(), directory.clone());
    let inner = Guarded::new(SharedFs::new(Guarded::new(memory, unused_rule())), unused_rule());
    let scoped = Guarded::new(Scoped::new(inner, directory), unused_rule());
    Subject::new(SharedFs::new(scoped)).with_plant(plant).with_forbidden_text("outer/")
});

conform!(read_only_scope, || async {
    let (memory, directory) = with_siblings();
    let plant = MemoryPlant::below(memory.clone(), directory.clone());
    let seed = Scoped::new(memory.clone(), directory.clone());
    let stack = Scoped::new(Guarded::new(ReadOnly::new(memory), unused_rule()), directory);
    Subject::new(stack).with_seed(seed).with_plant(plant).with_forbidden_text("outer/")
});

conform!(scope_in_a_scope, || async {
    let (memory, directory) = with_siblings();
    let plant = MemoryPlant::below(memory.clone(), directory.clone());
    let outer = Scoped::new(memory, directory.parent().unwrap());
    let inner = Scoped::new(outer, WorkspacePath::root().child(directory.name().unwrap()).unwrap());
    Subject::new(inner).with_plant(plant).with_forbidden_text("outer/")
});

conform!(collected, || async {
    Subject::new(Memory::new()).with_shell(
        Collected::new(AtOnce),
        Commands::none()
            .with_exit_7(Program::Sh("exit 7".into()))
            .with_both_streams(Program::Sh("both".into())),
    )
}, [
    "shell::place::what_is_no_directory_is_refused" => "this vendor has no files",
    "shell::place::a_closed_directory_is_refused" => "this vendor has no files",
]);

/// A directory to scope to, with much beside it.
fn with_siblings() -> (Memory, WorkspacePath) {
    let memory = Memory::new()
        .with_file("outer/beside.txt", "beside")
        .with_file("outer/scope-evil/secret", "beside")
        .with_file("top.txt", "above")
        .with_dir("outer/scope");
    let directory = WorkspacePath::parse("outer/scope", &PathRules::default()).unwrap();
    (memory, directory)
}

/// A rule over names that no case uses.
fn unused_rule() -> PathFilter {
    PathFilter::deny("unused", |path, _| path.components().any(|name| name == "closed-by-the-layer"))
}

/// The smallest vendor there is.
struct AtOnce;

impl RunOnce for AtOnce {
    async fn run(&self, command: Command) -> Result<Finished> {
        Ok(match command.program {
            Program::Sh(line) if line == "exit 7" => Finished::new(7),
            _ => Finished::new(0).with_stdout("out\n").with_stderr("err\n"),
        })
    }
}

/// What the layers themselves close, seen from outside.
#[test]
fn a_scope_has_its_own_root() {
    let (memory, directory) = with_siblings();
    let scope = Scoped::new(memory, directory);
    assert_eq!(scope.path_rules().roots, ["/workspace/outer/scope"]);
}
