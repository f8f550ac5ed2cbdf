//! What guards an edit: hashes, the identity of the file, limits.

use std::sync::atomic::{AtomicBool, Ordering};

use workspace_core::{
    Body, Capabilities, CreateDirOptions, Entry, FileBody, FsProvider, ListOptions, PathRules, ReadOptions,
    RemoveOptions, RenameOptions, ResolveOptions, Result, Stat, StatOptions, WorkspacePath, WriteOptions,
    Written,
};
use workspace_memory::Memory;
use workspace_tools::{
    EditFileInput, Guard, Limit, MultiEditInput, Policy, ReadFileInput, TextEdit, ToolErrorKind, Workspace,
    WriteFileInput,
};

fn with_edit(memory: &Memory, change: impl FnOnce(&mut Policy)) -> Workspace {
    let mut policy = Policy::default();
    change(&mut policy);
    Workspace::builder(memory.clone()).policy(policy).build().unwrap()
}

fn one() -> EditFileInput {
    EditFileInput::replace("a.txt", "one", "1")
}

#[tokio::test]
async fn r_edit_5_a_hash_that_is_not_the_files_refuses_and_tells_the_right_one() {
    let memory = Memory::new().with_file("a.txt", "one\n");
    let workspace = with_edit(&memory, |_| {});
    let hash = workspace.read_file(ReadFileInput::new("a.txt")).await.unwrap().hash;
    let stale = workspace.edit_file(one().expecting("0".repeat(64))).await.unwrap_err();
    assert_eq!(stale.kind(), ToolErrorKind::StaleHash);
    assert_eq!(stale.fields()["current_hash"], hash.as_str());
    assert_eq!(stale.next_step(), Some("call `read_file` again, then retry with what it shows"));
    let several = MultiEditInput::new("a.txt", [TextEdit::new("one", "1")]).expecting("0".repeat(64));
    assert_eq!(workspace.multi_edit(several).await.unwrap_err().kind(), ToolErrorKind::StaleHash);
    assert_eq!(memory.read_now("a.txt").unwrap(), b"one\n");
    let edited = workspace.edit_file(one().expecting(&hash)).await.unwrap();
    assert_eq!((edited.previous_hash, memory.read_now("a.txt").unwrap()), (hash, b"1\n".to_vec()));
}

#[tokio::test]
async fn r_edit_5_by_default_nobody_has_to_have_read_the_file() {
    let memory = Memory::new().with_file("a.txt", "one\n");
    with_edit(&memory, |_| {}).edit_file(one()).await.unwrap();
}

#[tokio::test]
async fn r_edit_5_read_first_wants_the_file_read_here_and_unchanged_since() {
    let memory = Memory::new().with_file("a.txt", "one\none more\n");
    let workspace = with_edit(&memory, |policy| policy.edit.guard = Guard::ReadFirst);
    let edit = || EditFileInput::replace("a.txt", "one more", "1 more");
    assert_eq!(workspace.edit_file(edit()).await.unwrap_err().kind(), ToolErrorKind::StaleHash);
    workspace.read_file(ReadFileInput::new("./a.txt").lines(1)).await.unwrap();
    memory.write_now("a.txt", "one\none more\nand another\n").unwrap();
    assert_eq!(workspace.edit_file(edit()).await.unwrap_err().kind(), ToolErrorKind::StaleHash);
    workspace.readonly().read_file(ReadFileInput::new("a.txt")).await.unwrap();
    workspace.edit_file(edit()).await.unwrap();
    // What was written here is known here.
    workspace.edit_file(EditFileInput::replace("a.txt", "1 more", "2 more")).await.unwrap();
    assert_eq!(memory.read_now("a.txt").unwrap(), b"one\n2 more\nand another\n");
}

/// What another program does right before a write, by the path that is written.
type Other = Box<dyn Fn(&Memory, &str) -> Result<()> + Send + Sync>;

/// Files that another program changes between the read of an edit and its write.
pub(crate) struct Contested {
    files: Memory,
    other: Other,
}

impl Contested {
    pub(crate) fn over(
        files: Memory,
        other: impl Fn(&Memory, &str) -> Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self { files, other: Box::new(other) }
    }
}

impl FsProvider for Contested {
    fn capabilities(&self) -> Capabilities {
        self.files.capabilities()
    }

    fn path_rules(&self) -> PathRules {
        self.files.path_rules()
    }

    async fn stat(&self, path: &WorkspacePath, options: StatOptions) -> Result<Stat> {
        self.files.stat(path, options).await
    }

    async fn read(&self, path: &WorkspacePath, options: ReadOptions) -> Result<FileBody> {
        self.files.read(path, options).await
    }

    async fn write(&self, path: &WorkspacePath, body: Body, options: WriteOptions) -> Result<Written> {
        (self.other)(&self.files, path.as_str())?;
        self.files.write(path, body, options).await
    }

    async fn list(&self, path: &WorkspacePath, options: ListOptions) -> Result<Vec<Entry>> {
        self.files.list(path, options).await
    }

    async fn create_dir(&self, path: &WorkspacePath, options: CreateDirOptions) -> Result<bool> {
        self.files.create_dir(path, options).await
    }

    async fn remove(&self, path: &WorkspacePath, options: RemoveOptions) -> Result<()> {
        self.files.remove(path, options).await
    }

    async fn rename(&self, from: &WorkspacePath, to: &WorkspacePath, options: RenameOptions) -> Result<()> {
        self.files.rename(from, to, options).await
    }

    async fn resolve(&self, path: &WorkspacePath, options: ResolveOptions) -> Result<WorkspacePath> {
        self.files.resolve(path, options).await
    }
}

#[tokio::test]
async fn r_edit_6_a_file_that_another_changes_during_the_edit_keeps_that_change() {
    let several = MultiEditInput::new("a.txt", [TextEdit::new("one", "1")]);
    for is_several in [false, true] {
        let files = Memory::new().with_file("a.txt", "one\n");
        let done = AtomicBool::new(false);
        let contested = Contested::over(files.clone(), move |files, path| {
            if done.swap(true, Ordering::Relaxed) {
                return Ok(());
            }
            files.write_now(path, "one, by another\n")
        });
        let workspace = Workspace::builder(contested).build().unwrap();
        let refused = if is_several {
            workspace.multi_edit(several.clone()).await.unwrap_err()
        } else {
            workspace.edit_file(one()).await.unwrap_err()
        };
        assert_eq!(refused.kind(), ToolErrorKind::ChangedDuringEdit);
        assert_eq!(refused.fields()["path"], "a.txt");
        assert_eq!(files.read_now("a.txt").unwrap(), b"one, by another\n");
        // It is a look at one moment, and the next one finds the file at rest.
        workspace.edit_file(one()).await.unwrap();
        assert_eq!(files.read_now("a.txt").unwrap(), b"1, by another\n");
    }
}

#[tokio::test]
async fn r_edit_7_what_is_too_large_or_no_text_is_refused() {
    let memory = Memory::new()
        .with_file("large.txt", "one\n".repeat(5))
        .with_file("binary.txt", b"one\0".to_vec())
        .with_file("latin.txt", b"one \xe9\n".to_vec())
        .with_file("fits.txt", "one\n1234567890");
    let workspace = with_edit(&memory, |policy| policy.edit.max_file_bytes = Limit::of(16));
    for (path, kind) in [
        ("large.txt", ToolErrorKind::TooLarge),
        ("binary.txt", ToolErrorKind::Binary),
        ("latin.txt", ToolErrorKind::NotUtf8),
    ] {
        let before = memory.read_now(path).unwrap();
        let edit = workspace.edit_file(EditFileInput::replace(path, "one", "1").all()).await;
        assert_eq!(edit.unwrap_err().kind(), kind, "{path}");
        let several =
            workspace.multi_edit(MultiEditInput::new(path, [TextEdit::new("one", "1").all()])).await;
        assert_eq!(several.unwrap_err().kind(), kind, "{path}");
        assert_eq!(memory.read_now(path).unwrap(), before, "{path}");
    }
    // Neither may an edit make a file that it could not read again.
    let grown = workspace.edit_file(EditFileInput::replace("fits.txt", "one", "three hundred")).await;
    assert_eq!(grown.unwrap_err().kind(), ToolErrorKind::TooLarge);
    workspace.edit_file(EditFileInput::replace("fits.txt", "one", "two")).await.unwrap();
    assert_eq!(Policy::default().edit.max_file_bytes, Limit::of(32 << 20));
}

#[tokio::test]
async fn r_edit_7_an_edit_keeps_the_bits_of_the_file() {
    let memory = Memory::new().with_file("run.sh", "one\n").with_mode("run.sh", 0o755);
    let workspace = with_edit(&memory, |_| {});
    workspace.edit_file(EditFileInput::replace("run.sh", "one", "two")).await.unwrap();
    workspace.write_file(WriteFileInput::new("other.sh", "")).await.unwrap();
    let mode = |path: &str| {
        let path = WorkspacePath::parse(path, &memory.path_rules()).unwrap();
        let memory = memory.clone();
        async move { memory.stat(&path, StatOptions::default()).await.unwrap().mode }
    };
    assert_eq!(mode("run.sh").await, Some(0o755));
    assert_ne!(mode("other.sh").await, Some(0o755));
}
