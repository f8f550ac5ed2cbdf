//! From text to path, and names of every kind.

use workspace_core::ErrorKind::{InvalidInput, IsADirectory, PathEscape};
use workspace_core::{
    AbsolutePaths, Backslash, FileKind, FsProvider, MAX_NAME_BYTES, Platform, WorkspacePath,
};

use crate::case::{Verdict, cases, holds, refused, same, skipped};
use crate::scene::Scene;

cases! {
    text_that_leads_outside_is_refused,
    absolute_text_outside_is_refused,
    a_sibling_with_a_common_prefix_is_outside,
    absolute_text_inside_is_the_same_file,
    unusual_names_are_plain_names,
    the_longest_name_works,
    a_deep_path_works,
    case_tells_names_apart [CaseSensitive],
    case_tells_no_names_apart [CaseInsensitive],
    the_root_is_a_directory,
    the_root_stays [Write],
}

async fn text_that_leads_outside_is_refused(scene: &Scene) -> Verdict {
    let rules = scene.fs().path_rules();
    if rules.backslash == Backslash::Separator {
        refused("a\\..\\..\\x", WorkspacePath::parse("a\\..\\..\\x", &rules), &[PathEscape])?;
    }
    for text in [
        "..",
        "../x",
        "a/../../x",
        "/..",
        "~/x",
        "//server/share",
        "\\\\server\\share",
        "C:\\x",
        "C:x",
        "a\0b",
        "\\\\?\\x",
    ] {
        refused(format!("{text:?}"), WorkspacePath::parse(text, &rules), &[PathEscape])?;
    }
    Ok(())
}

async fn absolute_text_outside_is_refused(scene: &Scene) -> Verdict {
    let rules = scene.fs().path_rules();
    for text in ["/", "/etc/passwd", "/tmp", "/proc/self/environ"] {
        refused(text, WorkspacePath::parse(text, &rules), &[PathEscape])?;
    }
    Ok(())
}

async fn a_sibling_with_a_common_prefix_is_outside(scene: &Scene) -> Verdict {
    let root = scene.root()?;
    let name = root.rsplit('/').next().unwrap_or_default();
    scene.put_outside(&format!("{name}-evil/secret"), "outside").await?;
    let rules = scene.fs().path_rules();
    for text in [format!("{root}-evil/secret"), format!("../{name}-evil/secret"), format!("{root}-evil")] {
        refused("a sibling of the root", WorkspacePath::parse(&text, &rules), &[PathEscape])?;
    }
    Ok(())
}

async fn absolute_text_inside_is_the_same_file(scene: &Scene) -> Verdict {
    let root = scene.root()?;
    scene.put("dir/a.txt", "inside").await?;
    let rules = scene.fs().path_rules();
    if rules.absolute == AbsolutePaths::Never {
        refused("an absolute path", WorkspacePath::parse(&root, &rules), &[PathEscape])?;
        return Err(skipped("absolute paths are not accepted"));
    }
    for text in
        [format!("{root}/dir/a.txt"), format!("{root}/./x/../dir//a.txt"), format!("{root}/dir/a.txt/")]
    {
        let path = WorkspacePath::parse(&text, &rules)?;
        same("an absolute path inside", path.as_str(), "dir/a.txt")?;
        same("its content", scene.text(path.as_str()).await?, "inside")?;
    }
    same("the root itself", WorkspacePath::parse(&root, &rules)?, WorkspacePath::root())
}

async fn unusual_names_are_plain_names(scene: &Scene) -> Verdict {
    if scene.fs().path_rules().platform != Platform::Posix {
        return Err(skipped("the names are not those of POSIX"));
    }
    let mut names = [
        " ",
        "$HOME",
        "%2e%2e",
        "'",
        "*",
        "--help",
        "-rf",
        "...",
        "..hidden",
        ".hidden",
        "?",
        "@name",
        "[...slug]",
        "a b",
        "a\tb",
        "a\nb",
        "a\\b",
        "a\u{7f}b",
        "report..final.md",
        "x:y",
        "{a,b}",
        "~",
        "ä",
        "日本語",
        "🦀",
    ];
    for name in names {
        scene.put(&format!("dir/{name}"), name).await?;
    }
    for name in names {
        let at = format!("dir/{name}");
        same(format!("the content of {name:?}"), scene.text(&at).await?, name)?;
        same(format!("the kind of {name:?}"), scene.stat(&at).await?.kind, FileKind::File)?;
    }
    names.sort_unstable();
    let listed = scene.list("dir").await?;
    let listed: Vec<&str> = listed.iter().filter_map(|entry| entry.path.name()).collect();
    same("the listing", listed, names)
}

async fn the_longest_name_works(scene: &Scene) -> Verdict {
    let name = "n".repeat(MAX_NAME_BYTES);
    scene.put(&name, "first").await?;
    if scene.capabilities().write {
        scene.write(&name, "second").await?;
        same("the content", scene.text(&name).await?, "second")?;
    }
    same("the listing", scene.names("").await?, [name])
}

async fn a_deep_path_works(scene: &Scene) -> Verdict {
    let directory = vec!["deep"; 60].join("/");
    let at = format!("{directory}/a.txt");
    scene.put(&at, "deep").await?;
    same("the content", scene.text(&at).await?, "deep")?;
    same("the entries of a walk", scene.walk("", None).await?.len(), 61)
}

async fn case_tells_names_apart(scene: &Scene) -> Verdict {
    scene.put("a.txt", "lower").await?;
    scene.put("A.TXT", "upper").await?;
    same("the lower one", scene.text("a.txt").await?, "lower")?;
    same("the upper one", scene.text("A.TXT").await?, "upper")?;
    same("the listing", scene.names("").await?, ["A.TXT", "a.txt"])
}

async fn case_tells_no_names_apart(scene: &Scene) -> Verdict {
    scene.put("a.txt", "lower").await?;
    scene.put("A.TXT", "upper").await?;
    same("the file by its other spelling", scene.text("a.txt").await?, "upper")?;
    same("the number of entries", scene.list("").await?.len(), 1)?;
    same("the resolved path", scene.resolve("A.TXT").await?, scene.resolve("a.txt").await?)
}

async fn the_root_is_a_directory(scene: &Scene) -> Verdict {
    let stat = scene.stat("").await?;
    same("kind and size", (stat.kind, stat.size), (FileKind::Dir, 0))?;
    same("the listing", scene.names("").await?, Vec::<String>::new())?;
    same("the walk", scene.walk("", None).await?, [])?;
    same("where it resolves to", scene.resolve("").await?, ".")
}

async fn the_root_stays(scene: &Scene) -> Verdict {
    scene.put("a.txt", "text").await?;
    scene.put_dir("dir").await?;
    let before = scene.tree().await?;
    refused("remove", scene.remove("").await, &[InvalidInput])?;
    refused("remove all", scene.remove_all("").await, &[InvalidInput])?;
    refused("rename the root", scene.rename("", "dir/root").await, &[InvalidInput])?;
    refused("rename onto the root", scene.rename("a.txt", "").await, &[InvalidInput])?;
    refused("replace the root", scene.rename_over("dir", "").await, &[InvalidInput])?;
    refused("write", scene.write("", "x").await, &[IsADirectory])?;
    holds(!scene.create_dir("").await?, "making the root tells that it is new")?;
    same("the tree", scene.tree().await?, before)
}
