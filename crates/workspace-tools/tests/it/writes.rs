//! What `write_file` does to the bytes and the file that it replaces.

use workspace_memory::Memory;
use workspace_tools::{
    EditFileInput, IfExists, Policy, ReadFileInput, ToolError, ToolErrorKind, Workspace, WriteEol,
    WriteFileInput,
};

/// Writes over a file, and gives the bytes that it has then and what was said.
async fn written(old: &str, new: &str, eol: WriteEol) -> (Vec<u8>, u64, Option<String>) {
    let memory = Memory::new().with_file("a.txt", old);
    let mut policy = Policy::default();
    policy.write.write_eol = eol;
    let workspace = Workspace::memory(memory.clone(), policy).build().unwrap();
    let output = workspace.write_file(WriteFileInput::new("a.txt", new)).await.unwrap();
    (memory.read_now("a.txt").unwrap(), output.bytes_written, output.notice)
}

#[track_caller]
fn holds(told: Option<&str>, words: &[&str]) {
    let told = told.unwrap_or_default();
    assert!(words.iter().all(|word| told.contains(word)) && words.is_empty() == told.is_empty(), "{told:?}");
}

#[tokio::test]
async fn r_write_4_endings_are_as_sent_and_a_change_of_them_is_told() {
    for (old, new, eol, bytes, words) in [
        ("a\n", "b\r\nc", WriteEol::AsSent, "b\r\nc", &[][..]),
        ("a\r\nb\r\n", "c\nd\n", WriteEol::AsSent, "c\nd\n", &["CRLF", "LF"]),
        ("a\r\nb\r\n", "c\r\nd\r\n", WriteEol::AsSent, "c\r\nd\r\n", &[]),
        ("a\r\nb\n", "c\nd\n", WriteEol::AsSent, "c\nd\n", &[]),
        ("a\r\nb\r\n", "c\nd\n", WriteEol::Keep, "c\r\nd\r\n", &["CRLF"]),
        ("a\nb\n", "c\nd\n", WriteEol::Keep, "c\nd\n", &[]),
    ] {
        let (found, count, told) = written(old, new, eol).await;
        assert_eq!(
            (String::from_utf8_lossy(&found).as_ref(), count),
            (bytes, bytes.len() as u64),
            "{old:?} {new:?}"
        );
        holds(told.as_deref(), words);
    }
}

#[tokio::test]
async fn r_write_4_a_byte_order_mark_is_kept_and_never_doubled() {
    for new in ["b\n", "\u{feff}b\n"] {
        let (found, count, told) = written("\u{feff}a\n", new, WriteEol::AsSent).await;
        assert_eq!(String::from_utf8(found).unwrap(), "\u{feff}b\n", "{new:?}");
        assert_eq!(count, 5);
        holds(told.as_deref(), if new.starts_with('b') { &["byte order mark"] } else { &[] });
    }
}

#[tokio::test]
async fn r_write_5_absent_refuses_what_is_there_and_tells_its_hash() {
    let memory = Memory::new().with_file("a.txt", "a\n");
    let workspace = Workspace::memory(memory.clone(), Policy::default()).build().unwrap();
    let hash = workspace.read_file(ReadFileInput::new("a.txt")).await.unwrap().hash;
    let there =
        workspace.write_file(WriteFileInput::new("a.txt", "b\n").expecting("absent")).await.unwrap_err();
    assert_eq!(
        (there.kind(), &there.fields()["current_hash"]),
        (ToolErrorKind::StaleHash, &hash.as_str().into())
    );
    let missing =
        workspace.write_file(WriteFileInput::new("b.txt", "b\n").expecting(&hash)).await.unwrap_err();
    assert_eq!(missing.kind(), ToolErrorKind::StaleHash);
    let fail = WriteFileInput { if_exists: IfExists::Fail, ..WriteFileInput::new("a.txt", "b\n") };
    assert_eq!(workspace.write_file(fail).await.unwrap_err().kind(), ToolErrorKind::AlreadyExists);
    assert_eq!(memory.read_now("a.txt").unwrap(), b"a\n");
    let made = workspace.write_file(WriteFileInput::new("b.txt", "b\n").expecting("absent")).await.unwrap();
    assert!(made.created && made.previous_hash.is_none());
    let over = workspace.write_file(WriteFileInput::new("a.txt", "c\n").expecting(&hash)).await.unwrap();
    assert_eq!((over.created, over.previous_hash), (false, Some(hash)));
}

#[tokio::test]
async fn r_lock_2_of_two_edits_of_one_hash_the_second_is_stale() {
    let memory = Memory::new().with_file("a.txt", "one two\n");
    let workspace = Workspace::memory(memory.clone(), Policy::default()).build().unwrap();
    let hash = workspace.read_file(ReadFileInput::new("a.txt")).await.unwrap().hash;
    let edit = |old: &str, new: &str| {
        let edit = EditFileInput::replace("a.txt", old, new).expecting(&hash);
        let workspace = workspace.clone();
        tokio::spawn(async move { workspace.edit_file(edit).await })
    };
    let (first, second) = tokio::join!(edit("one", "1"), edit("two", "2"));
    let ends = [first.unwrap(), second.unwrap()];
    let stale: Vec<_> = ends.iter().filter_map(|end| end.as_ref().err()).map(ToolError::kind).collect();
    assert_eq!(stale, [ToolErrorKind::StaleHash]);
    let text = memory.read_now("a.txt").unwrap();
    assert!(text == b"1 two\n" || text == b"one 2\n");
}
