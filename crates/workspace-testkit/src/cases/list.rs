//! Listing a directory.

use workspace_core::ErrorKind::{NotADirectory, NotFound};
use workspace_core::{Entry, FileKind, temporary_name};

use crate::case::{Verdict, cases, holds, refused, same};
use crate::scene::Scene;

cases! {
    entries_are_sorted_by_their_bytes,
    entries_tell_kind_and_size,
    only_direct_entries_are_listed,
    an_empty_directory_has_no_entries,
    a_file_is_not_listed,
    a_missing_directory_is_not_found,
    temporary_names_are_left_out,
    dot_files_are_shown,
    links_and_special_files_are_told_as_such,
    entries_are_found_below_the_path_as_asked [Links],
    a_name_that_is_not_utf8_is_marked,
    many_entries_are_all_listed,
}

async fn entries_are_sorted_by_their_bytes(scene: &Scene) -> Verdict {
    let names = ["B", "Z", "_", "a", "a-b", "a.b", "a0", "b", "ä", "日"];
    for name in ["b", "a.b", "日", "Z", "a", "_", "a-b", "ä", "a0", "B"] {
        scene.put(&format!("dir/{name}"), "").await?;
    }
    same("the listing", scene.names("dir").await?, names.map(|name| format!("dir/{name}")))
}

async fn entries_tell_kind_and_size(scene: &Scene) -> Verdict {
    scene.put("dir/file", "12345").await?;
    scene.put_dir("dir/sub").await?;
    let told = |entry: &Entry| (entry.path.to_string(), entry.kind, entry.non_utf8, entry.unreadable);
    let entries = scene.list("dir").await?;
    same(
        "path, kind and marks",
        entries.iter().map(told).collect::<Vec<_>>(),
        [
            ("dir/file".to_owned(), FileKind::File, false, false),
            ("dir/sub".to_owned(), FileKind::Dir, false, false),
        ],
    )?;
    for entry in entries {
        match entry.kind {
            FileKind::File => holds(
                entry.size.is_none_or(|size| size == 5),
                format!("the size of a file of 5 bytes is told as {:?}", entry.size),
            )?,
            _ => same("the size of a directory", entry.size.unwrap_or(0), 0)?,
        }
    }
    Ok(())
}

async fn only_direct_entries_are_listed(scene: &Scene) -> Verdict {
    for at in ["a/b/c/d.txt", "a/x.txt", "z.txt", "ab/y.txt"] {
        scene.put(at, "").await?;
    }
    same("the root", scene.names("").await?, ["a", "ab", "z.txt"])?;
    same("a directory", scene.names("a").await?, ["a/b", "a/x.txt"])?;
    same("one below it", scene.names("a/b").await?, ["a/b/c"])
}

async fn an_empty_directory_has_no_entries(scene: &Scene) -> Verdict {
    scene.put_dir("dir").await?;
    same("the listing", scene.list("dir").await?, [])
}

async fn a_file_is_not_listed(scene: &Scene) -> Verdict {
    scene.put("file", "").await?;
    refused("a file", scene.list("file").await, &[NotADirectory])?;
    refused("below a file", scene.list("file/below").await, &[NotADirectory])?;
    Ok(())
}

async fn a_missing_directory_is_not_found(scene: &Scene) -> Verdict {
    scene.put_dir("dir").await?;
    refused("missing", scene.list("missing").await, &[NotFound])?;
    refused("below a directory", scene.list("dir/missing/below").await, &[NotFound])?;
    Ok(())
}

async fn temporary_names_are_left_out(scene: &Scene) -> Verdict {
    let hidden = temporary_name("a.txt", 0xfeed);
    scene.put(&format!("dir/{hidden}"), "in the making").await?;
    scene.put(&format!("dir/sub/{hidden}"), "in the making").await?;
    scene.put("dir/.a.txt.tmp", "a plain file").await?;
    scene.put("dir/a.txt", "a plain file").await?;
    same("the listing", scene.names("dir").await?, ["dir/.a.txt.tmp", "dir/a.txt", "dir/sub"])?;
    let walked = scene.walk("dir", None).await?;
    let walked: Vec<&str> = walked.iter().map(|entry| entry.path.as_str()).collect();
    same("the walk", walked, ["dir/.a.txt.tmp", "dir/a.txt", "dir/sub"])
}

async fn dot_files_are_shown(scene: &Scene) -> Verdict {
    for at in [".env", ".git/HEAD", "node_modules/x", ".gitignore", "visible"] {
        scene.put(at, "*").await?;
    }
    same("the listing", scene.names("").await?, [".env", ".git", ".gitignore", "node_modules", "visible"])
}

async fn links_and_special_files_are_told_as_such(scene: &Scene) -> Verdict {
    scene.put("file", "12345").await?;
    scene.put_dir("dir").await?;
    scene.put_link("to-file", "file").await?;
    scene.put_link("to-dir", "dir").await?;
    scene.put_link("to-nothing", "missing").await?;
    scene.put_special("pipe").await?;
    let entries = scene.list("").await?;
    let told: Vec<_> = entries.iter().map(|entry| (entry.path.as_str(), entry.kind)).collect();
    same(
        "paths and kinds",
        told,
        [
            ("dir", FileKind::Dir),
            ("file", FileKind::File),
            ("pipe", FileKind::Other),
            ("to-dir", FileKind::Link),
            ("to-file", FileKind::Link),
            ("to-nothing", FileKind::Link),
        ],
    )?;
    let sized = entries.iter().filter(|entry| entry.kind != FileKind::File && entry.size.unwrap_or(0) != 0);
    same("entries with a size that are no files", sized.count(), 0)
}

async fn entries_are_found_below_the_path_as_asked(scene: &Scene) -> Verdict {
    scene.put("real/sub/file", "").await?;
    scene.put_link("alias", "real").await?;
    same("the listing", scene.names("alias").await?, ["alias/sub"])?;
    same("the listing below", scene.names("alias/sub").await?, ["alias/sub/file"])?;
    let walked = scene.walk("alias", None).await?;
    let walked: Vec<&str> = walked.iter().map(|entry| entry.path.as_str()).collect();
    same("the walk", walked, ["alias/sub", "alias/sub/file"])
}

async fn a_name_that_is_not_utf8_is_marked(scene: &Scene) -> Verdict {
    scene.put_dir("dir").await?;
    scene.put_non_utf8("dir").await?;
    scene.put("dir/plain", "").await?;
    let entries = scene.list("dir").await?;
    let told: Vec<_> = entries.iter().map(|entry| (entry.path.as_str(), entry.non_utf8)).collect();
    same("the listing", told, [("dir/bad\u{fffd}name", true), ("dir/plain", false)])?;
    refused("the name as shown", scene.read("dir/bad\u{fffd}name").await, &[NotFound])?;
    Ok(())
}

async fn many_entries_are_all_listed(scene: &Scene) -> Verdict {
    let names: Vec<String> = (0..300).map(|n| format!("dir/{n:04}-{}", "long".repeat(20))).collect();
    for name in &names {
        scene.put(name, "").await?;
    }
    same("the listing", scene.names("dir").await?, names)
}
