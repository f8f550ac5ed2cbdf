//! The conformance kit over `sh`, by whichever shell stands behind that name.

use workspace_core::{GlobQuery, GrepQuery, Result, SharedFs};
use workspace_local::Local;
use workspace_posix::{PosixConfig, PosixFiles, PosixShell};
use workspace_testkit::{Commands, DiskPlant, Subject, run_where};

use crate::child::{Child, Home};

pub(crate) fn has(program: &str) -> bool {
    let there = std::process::Command::new(program).arg("--help").output().is_ok();
    if !there {
        println!("skipped: this machine has no `{program}`");
    }
    there
}

fn config(home: &Home) -> PosixConfig {
    PosixConfig::new(home.text()).with_durable_writes(false)
}

fn subject(files: PosixFiles, home: Home) -> Subject {
    let forbidden = home.home.path().to_str().unwrap().to_owned();
    let root = home.root.clone();
    Subject::new(files)
        .with_plant(DiskPlant::new(root).unwrap())
        .with_portable_search(
            |files: SharedFs, query: GlobQuery| async move { workspace_search::glob(&files, &query).await },
            |files: SharedFs, query: GrepQuery| async move { workspace_search::grep(&files, &query).await },
        )
        .with_forbidden_text(forbidden)
        .with_effort(6)
        .with_patience(std::time::Duration::from_mins(10))
        .with_guard(home.home)
}

/// Files over shells that stay open.
async fn open_shells(words: &[&str]) -> Result<Subject> {
    let home = Home::new();
    let files = PosixFiles::over_sessions(Child::new(&home, words), config(&home)).await?;
    Ok(subject(files, home))
}

/// Files and commands over one command a request.
async fn one_by_one(words: &[&str]) -> Result<Subject> {
    let home = Home::new();
    let vendor = Child::new(&home, words);
    let files = PosixFiles::over_commands(vendor.clone(), config(&home)).await?;
    let shell = PosixShell::new(vendor, files.clone());
    let disk = Local::open(&home.root)?;
    Ok(searched_on_disk(subject(files, home), disk).with_shell(shell, Commands::posix()))
}

/// A portable search through such a vendor would take a process for each file: it goes to the disk itself.
fn searched_on_disk(subject: Subject, disk: Local) -> Subject {
    let (names, lines) = (disk.clone(), disk);
    subject.with_effort(3).with_portable_search(
        move |_: SharedFs, query: GlobQuery| {
            let disk = names.clone();
            async move { workspace_search::glob(&disk, &query).await }
        },
        move |_: SharedFs, query: GrepQuery| {
            let disk = lines.clone();
            async move { workspace_search::grep(&disk, &query).await }
        },
    )
}

/// Files over one script a request.
async fn by_requests(words: &[&str]) -> Result<Subject> {
    let home = Home::new();
    let files = PosixFiles::over_requests(Child::new(&home, words), config(&home)).await?;
    let disk = Local::open(&home.root)?;
    Ok(searched_on_disk(subject(files, home), disk))
}

/// Runs the cases that are wanted, where the machine has the shell.
#[track_caller]
fn run<Fut: Future<Output = Result<Subject>>>(
    program: &str,
    factory: impl Fn() -> Fut,
    wanted: impl Fn(&str) -> bool,
) {
    if has(program) {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let report = runtime.block_on(run_where(factory, &[], wanted));
        println!("{report}");
        assert!(report.is_success(), "{program} does not hold to the contract:\n{report}");
    }
}

#[track_caller]
fn check<Fut: Future<Output = Result<Subject>>>(program: &str, factory: impl Fn() -> Fut) {
    run(program, factory, |_| true);
}

#[test]
fn sh_that_stays_open() {
    check("sh", || open_shells(&["sh"]));
}

#[test]
fn bash_that_stays_open() {
    check("bash", || open_shells(&["bash"]));
}

#[test]
fn busybox_that_stays_open() {
    check("busybox", || open_shells(&["busybox", "sh"]));
}

/// A shell that finds no `perl`, which answers what a process is started for otherwise.
#[test]
fn sh_that_stays_open_without_perl() {
    let programs = tempfile::tempdir().unwrap();
    for directory in std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()) {
        for entry in std::fs::read_dir(directory).into_iter().flatten() {
            let entry = entry.unwrap();
            if !entry.file_name().to_string_lossy().starts_with("perl") {
                // The first one of a name is the one that is found.
                let _ = std::os::unix::fs::symlink(entry.path(), programs.path().join(entry.file_name()));
            }
        }
    }
    let path = format!("PATH={}", programs.path().display());
    let words = ["env", &path, "sh"];
    check("sh", || open_shells(&words));
}

#[test]
fn sh_one_command_at_a_time() {
    check("sh", || one_by_one(&["sh"]));
}

#[test]
fn busybox_one_command_at_a_time() {
    check("busybox", || one_by_one(&["busybox", "sh"]));
}

#[test]
fn sh_one_script_a_request() {
    check("sh", || by_requests(&["sh"]));
}

#[test]
fn busybox_one_script_a_request() {
    check("busybox", || by_requests(&["busybox", "sh"]));
}
