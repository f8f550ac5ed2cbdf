//! One case set up on one backend.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use workspace_core::{FsProvider, ReadOptions, SharedFs, StatOptions, WorkspacePath};
use workspace_memory::Memory;
use workspace_tools::{ApprovalPolicy, Policy, ToolError, ToolOutput, ToolSet, Workspace};

use super::case::{Case, File};
use super::container::Container;
use super::sandbox::Sandbox;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Backend {
    Local,
    Memory,
    Docker,
    E2b,
}

/// What a call gave, and how long it took.
pub(super) struct Answer {
    pub(super) tool: String,
    pub(super) result: Result<ToolOutput, ToolError>,
    pub(super) took: Duration,
}

pub(super) struct Scene {
    tools: ToolSet,
    /// Before the place: a mounted file cannot be removed.
    #[allow(dead_code)] // It is here for its end.
    mounts: Mounts,
    place: Place,
}

/// Files that are mount points for the time of a case.
#[derive(Default)]
struct Mounts(Vec<PathBuf>);

impl Mounts {
    /// Mounts a copy of a file over the file itself, or tells why that cannot be.
    fn add(&mut self, file: &Path, copy: &Path) -> Result<(), String> {
        std::fs::copy(file, copy).map_err(|error| error.to_string())?;
        let mounted = std::process::Command::new("mount").arg("--bind").args([copy, file]).output();
        if !mounted.is_ok_and(|output| output.status.success()) {
            return Err("it needs the right to mount a file (run as root)".into());
        }
        self.0.push(file.to_owned());
        Ok(())
    }
}

impl Drop for Mounts {
    fn drop(&mut self) {
        for file in &self.0 {
            drop(std::process::Command::new("umount").arg("--lazy").arg(file).status());
        }
    }
}

enum Place {
    /// The directory that holds `ws`.
    Disk(tempfile::TempDir),
    Tree(Memory),
    /// The same directory on this machine, and its root in a container.
    Inside(PathBuf, String),
}

/// Tools whose commands a tree in memory cannot run.
const COMMANDS: &[&str] = &["run_shell", "run_tests", "shell_output", "shell_kill"];

impl Scene {
    /// Why a case cannot run on a backend.
    fn refusal(case: &Case, backend: Backend) -> Result<(), String> {
        if case.via.is_some() {
            return Err("it is about the MCP server, whose tests run it".into());
        }
        if !case.backends.is_empty() && !case.backends.contains(&format!("{backend:?}").to_lowercase()) {
            return Err("it is for other backends".into());
        }
        let commands = case.calls.iter().any(|call| COMMANDS.contains(&call.tool.as_str()));
        if commands && backend == Backend::Memory {
            return Err("a tree in memory runs no real command".into());
        }
        if !case.setup.host_env.is_empty() {
            return Err("it changes the environment of the process: its own test".into());
        }
        for need in &case.requires {
            match need.as_str() {
                "unix" | "symlink" | "git" | "case_sensitive_fs" => {}
                bound if bound.starts_with("bind_mounted_file:") && backend == Backend::Local => {}
                other => return Err(format!("it needs a mount of its own ({other})")),
            }
        }
        Ok(())
    }

    /// Sets a case up in a container, or tells why it cannot run there.
    pub(super) async fn set_up_in(case: &Case, container: &Container) -> Result<Self, String> {
        Self::refusal(case, Backend::Docker)?;
        let (outer, root) = container.place();
        put_on_disk(case, &outer);
        let docker = container.attach(&outer, &root).await;
        let shell = docker.shell().ok_or("the image has no shell")?;
        let workspace = Workspace::builder(docker).shell(shell).policy(policy(&case.setup.policy)).build();
        let tools = ToolSet::new(workspace.unwrap());
        Ok(Self { tools, place: Place::Inside(outer, root), mounts: Mounts::default() })
    }

    /// Sets a case up in a sandbox, or tells why it cannot run there.
    pub(super) async fn set_up_there(case: &Case, sandbox: &Sandbox) -> Result<Self, String> {
        Self::refusal(case, Backend::E2b)?;
        let (outer, root) = sandbox.place();
        put_on_disk(case, &outer);
        let e2b = sandbox.attach(&outer, &root).await;
        let shell = e2b.shell();
        let workspace = Workspace::builder(e2b).shell(shell).policy(policy(&case.setup.policy)).build();
        let tools = ToolSet::new(workspace.unwrap());
        Ok(Self { tools, place: Place::Inside(outer, root), mounts: Mounts::default() })
    }

    /// Sets a case up, or tells why it cannot run here.
    pub(super) fn set_up(case: &Case, backend: Backend) -> Result<Self, String> {
        Self::refusal(case, backend)?;
        let policy = policy(&case.setup.policy);
        let place = match backend {
            Backend::Local | Backend::Docker | Backend::E2b => Place::Disk(on_disk(case)),
            Backend::Memory => Place::Tree(in_memory(case)),
        };
        let mut mounts = Mounts::default();
        for file in case.requires.iter().filter_map(|need| need.strip_prefix("bind_mounted_file:")) {
            if let Place::Disk(outer) = &place {
                mounts.add(&outer.path().join("ws").join(file), &outer.path().join("bound"))?;
            }
        }
        let workspace = match &place {
            Place::Disk(outer) => Workspace::local(outer.path().join("ws"), policy).unwrap().build(),
            Place::Tree(memory) => Workspace::memory(memory.clone(), policy).build(),
            Place::Inside(..) => return Err("it is set up in a container".into()),
        };
        Ok(Self { tools: ToolSet::new(workspace.unwrap()), place, mounts })
    }

    /// The absolute root as arguments and messages would spell it.
    pub(super) fn root_text(&self) -> String {
        match &self.place {
            Place::Disk(outer) => outer.path().join("ws").to_str().unwrap().to_owned(),
            Place::Tree(memory) => memory.path_rules().roots.first().cloned().unwrap_or_default(),
            Place::Inside(_, root) => root.clone(),
        }
    }

    /// Makes the calls in order; neighbours of one group start together.
    pub(super) async fn play(&self, case: &Case) -> Vec<Answer> {
        let mut answers: Vec<Answer> = Vec::new();
        let mut calls = case.calls.as_slice();
        while let Some(first) = calls.first() {
            let group = calls
                .iter()
                .take_while(|call| {
                    call.parallel_group.is_some() && call.parallel_group == first.parallel_group
                })
                .count()
                .max(1);
            let (now, later) = calls.split_at(group);
            calls = later;
            let mut running = Vec::new();
            for call in now {
                let args = fill(&call.args, &self.root_text(), &answers);
                running.push(tokio::spawn(make(
                    self.tools.clone(),
                    call.tool.clone(),
                    args,
                    call.cancel_after_ms,
                )));
            }
            for call in running {
                answers.push(call.await.expect("a tool must not panic"));
            }
        }
        answers
    }

    /// What is wrong with the files afterwards.
    pub(super) async fn check_files(&self, case: &Case) -> Vec<String> {
        let mut faults = Vec::new();
        for file in &case.expect.file_after {
            let wanted: Vec<&File> =
                if file.any_of.is_empty() { vec![file] } else { file.any_of.iter().collect() };
            let mut fault = None;
            for wanted in wanted {
                fault = self.differs(&file.path, wanted).await;
                if fault.is_none() {
                    break;
                }
            }
            faults.extend(fault);
        }
        faults
    }

    async fn differs(&self, path: &str, wanted: &File) -> Option<String> {
        let found = match &self.place {
            Place::Disk(outer) => Found::on_disk(&outer.path().join("ws").join(path)),
            Place::Tree(memory) => Found::in_memory(memory, path).await,
            Place::Inside(outer, _) => Found::on_disk(&outer.join("ws").join(path)),
        };
        if wanted.absent {
            return found.exists.then(|| format!("`{path}` exists"));
        }
        if let Some(target) = &wanted.symlink
            && found.link.as_ref() != Some(target)
        {
            return Some(format!("`{path}` is {:?} and not a link to `{target}`", found.link));
        }
        if let Some(bytes) = wanted.bytes()
            && found.bytes.as_deref() != Some(bytes.as_slice())
        {
            let shown = found.bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            return Some(format!("`{path}` holds {shown:?}, not {:?}", String::from_utf8_lossy(&bytes)));
        }
        if let Some(mode) = &wanted.mode {
            let mode = u32::from_str_radix(mode, 8).unwrap();
            if found.mode != Some(mode) {
                return Some(format!(
                    "`{path}` has mode {:?}, not 0o{mode:o}",
                    found.mode.map(|mode| format!("0o{mode:o}"))
                ));
            }
        }
        None
    }
}

#[derive(Default)]
struct Found {
    exists: bool,
    bytes: Option<Vec<u8>>,
    mode: Option<u32>,
    link: Option<String>,
}

impl Found {
    fn on_disk(path: &Path) -> Self {
        let Ok(meta) = std::fs::symlink_metadata(path) else { return Self::default() };
        Self {
            exists: true,
            bytes: std::fs::read(path).ok(),
            mode: Some(meta.permissions().mode() & 0o7777),
            link: std::fs::read_link(path).ok().map(|target| target.to_str().unwrap().to_owned()),
        }
    }

    async fn in_memory(memory: &Memory, path: &str) -> Self {
        let path = WorkspacePath::parse(path, &memory.path_rules()).unwrap();
        let files = SharedFs::new(memory.clone());
        let Ok(stat) = files.stat(&path, StatOptions::default().with_follow(false)).await else {
            return Self::default();
        };
        let bytes = match files.read(&path, ReadOptions::default()).await {
            Ok(file) => file.body.collect(1 << 30).await.ok(),
            Err(_) => None,
        };
        Self { exists: true, bytes, mode: stat.mode, link: memory.link_text_now(path.as_str()) }
    }
}

async fn make(tools: ToolSet, tool: String, args: Value, cancel_after_ms: Option<u64>) -> Answer {
    let cancel = CancellationToken::new();
    let started = Instant::now();
    let call = tools.call_with(&tool, args, &cancel);
    let result = match cancel_after_ms {
        None => call.await,
        Some(after) => {
            let later = async {
                tokio::time::sleep(Duration::from_millis(after)).await;
                cancel.cancel();
            };
            tokio::join!(call, later).0
        }
    };
    Answer { tool, result, took: started.elapsed() }
}

/// Puts in the root and the fields of earlier answers.
fn fill(args: &Value, root: &str, answers: &[Answer]) -> Value {
    match args {
        Value::String(text) => {
            let field = text.strip_prefix("{step:").and_then(|text| text.strip_suffix('}'));
            if let Some((step, name)) = field.and_then(|field| field.split_once('.')) {
                let answer = &answers[step.parse::<usize>().unwrap()];
                return answer.result.as_ref().map_or(Value::Null, |output| output.value[name].clone());
            }
            text.replace("{ROOT}", root).into()
        }
        Value::Array(items) => items.iter().map(|item| fill(item, root, answers)).collect(),
        Value::Object(fields) => Value::Object(
            fields.iter().map(|(name, value)| (name.clone(), fill(value, root, answers))).collect(),
        ),
        other => other.clone(),
    }
}

/// The policy of the cases, with what the case says of it.
fn policy(overrides: &Value) -> Policy {
    let mut base = json!({
        "shell": {
            "interpreter": "none", "allow": ["sh"], "inherit_env": ["PATH"], "timeout_ms": 10000,
            "max_output_bytes": 65536, "background": {"max_jobs": 4},
        },
        "read": {"default_lines": 2000, "max_bytes": 0},
        "list": {"ignore": ["node_modules", ".git"], "max_depth": 5, "max_entries": 500},
    });
    for (section, keys) in overrides.as_object().into_iter().flatten() {
        let into = base.as_object_mut().unwrap().entry(section.as_str()).or_insert_with(|| json!({}));
        for (key, value) in keys.as_object().unwrap() {
            into[key] = value.clone();
        }
    }
    let mut policy: Policy = serde_json::from_value(base).unwrap();
    policy.approval = ApprovalPolicy::never();
    policy
}

fn on_disk(case: &Case) -> tempfile::TempDir {
    let outer = tempfile::tempdir().unwrap();
    std::fs::create_dir(outer.path().join("ws")).unwrap();
    put_on_disk(case, outer.path());
    outer
}

/// Puts the files of a case beside and below `ws` in a directory.
fn put_on_disk(case: &Case, outer: &Path) {
    let root = outer.join("ws");
    let make = |path: PathBuf, file: &File| {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        if let Some(target) = &file.symlink {
            std::os::unix::fs::symlink(target, &path).unwrap();
        } else if file.fifo {
            assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        } else {
            std::fs::write(&path, file.bytes().unwrap_or_default()).unwrap();
            let mode = u32::from_str_radix(file.mode.as_deref().unwrap_or("0644"), 8).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    for file in &case.setup.files {
        make(root.join(&file.path), file);
    }
    for file in &case.setup.outside {
        make(outer.join(&file.path), file);
    }
    for (path, text) in case.setup.generate.iter().flat_map(super::case::Generate::files) {
        make(root.join(path), &File { content: Some(text), ..File::default() });
    }
}

fn in_memory(case: &Case) -> Memory {
    let mut memory = Memory::new();
    for file in &case.setup.files {
        if file.fifo {
            memory = memory.with_special(&file.path);
        } else if let Some(target) = &file.symlink {
            memory = memory.with_link(&file.path, target);
        } else {
            memory = memory.with_file(&file.path, file.bytes().unwrap_or_default());
            if let Some(mode) = &file.mode {
                memory = memory.with_mode(&file.path, u32::from_str_radix(mode, 8).unwrap());
            }
        }
    }
    for (path, text) in case.setup.generate.iter().flat_map(super::case::Generate::files) {
        memory = memory.with_file(&path, text);
    }
    memory
}
