//! Native search equals the portable one, filters and limits included.

use workspace_core::{
    Access, ErrorKind, FsProvider, GlobQuery, GlobSort, GrepMode, GrepQuery, PathFilter, Result, SearchLimits,
};

use crate::case::{Verdict, cases, failed, holds, refused, same};
use crate::scene::{Scene, path};

cases! {
    native_glob_equals_portable_glob [Glob],
    native_grep_equals_portable_grep [Grep],
    native_glob_with_a_filter_equals_portable_glob [Glob],
    native_grep_with_a_filter_equals_portable_grep [Grep],
    native_glob_refuses_what_portable_glob_refuses [Glob],
    native_grep_refuses_what_portable_grep_refuses [Grep],
    a_limited_glob_keeps_the_first [Glob],
    a_limited_grep_keeps_the_first [Grep],
}

async fn put_tree(scene: &Scene) -> Verdict {
    let long = format!("{}needle{}\n", "x".repeat(3000), "y".repeat(3000));
    for (at, text) in [
        ("src/main.rs", "fn main() {\n    needle();\n}\n"),
        ("src/lib.rs", "// needle one\nplain\n// needle two\n// Needle three\n"),
        ("src/deep/er/mod.rs", "needle\r\nwindows\r\nneedle at the end"),
        ("src/deep-er/x.rs", "nothing here\n"),
        ("src/long.txt", &long),
        ("README.md", "\u{feff}needle after a mark\n"),
        (".hidden/a.rs", "needle\n"),
        (".env", "NEEDLE=needle\n"),
        ("target/out.rs", "needle\n"),
        ("node_modules/m/index.js", "needle\n"),
        (".git/config", "needle\n"),
        (".gitignore", "target/\n*.log\n!keep.log\n"),
        ("debug.log", "needle\n"),
        ("keep.log", "needle\n"),
        ("secret/key.rs", "needle in secret\n"),
        ("binary.rs", "needle\0needle\n"),
        ("empty.rs", ""),
        ("[odd] name.rs", "needle\n"),
        ("ä.rs", "ä needle ä needle\n"),
    ] {
        scene.put(at, text).await?;
    }
    scene.put("not-utf8.rs", b"needle \xff\xfe\n").await?;
    scene.put_dir("empty-dir").await?;
    Ok(())
}

/// Links belong to the tree where the plant makes them.
async fn put_links(scene: &Scene) {
    let links =
        [("link.rs", "src/main.rs"), ("link-dir", "src"), ("gone.rs", "missing"), ("out.rs", "../x.rs")];
    for (at, text) in links {
        let _ = scene.put_link(at, text).await;
    }
    let _ = scene.put_link("to-secret.rs", "secret/key.rs").await;
}

fn globs() -> Result<Vec<GlobQuery>> {
    let mut queries = Vec::new();
    for pattern in [
        "*.rs",
        "**/*.rs",
        "src/**",
        "**",
        "*",
        "{src,secret}/*.rs",
        "**/[!a-m]*.rs",
        "?.rs",
        ".hidden/*",
        "**/.env",
        "none*",
        "node_modules/**",
        "target/*.rs",
    ] {
        let mut query = GlobQuery::default();
        query.pattern = pattern.into();
        query.limits = unlimited();
        queries.push(query.clone());
        query.scope.gitignore = false;
        query.scope.skip_dirs.clear();
        queries.push(query.clone());
        query.scope.base = path("src")?;
        query.bare_any_depth = true;
        query.sort = GlobSort::Modified;
        queries.push(query);
    }
    Ok(queries)
}

fn greps() -> Result<Vec<GrepQuery>> {
    let mut queries = Vec::new();
    for pattern in ["needle", "^needle$", "Needle|plain", "n[aeiou]+dle.*e", "x{10}", "ä", "no such text"] {
        for mode in [GrepMode::Content, GrepMode::Files, GrepMode::Count] {
            let mut query = GrepQuery::default();
            query.pattern = pattern.into();
            query.mode = mode;
            query.limits = unlimited();
            queries.push(query.clone());
            query.scope.gitignore = false;
            query.scope.skip_dirs.clear();
            query.ignore_case = true;
            query.context = 2;
            query.glob = Some("*.rs".into());
            queries.push(query.clone());
            query.scope.base = path("src")?;
            query.literal = true;
            query.glob = Some("deep/**".into());
            queries.push(query.clone());
            query.glob = None;
            query.max_line_chars = 10;
            query.cut_line_chars = 8;
            query.max_file_bytes = Some(40);
            queries.push(query.clone());
            query.skip_long_lines = true;
            query.scope.base = path("src/lib.rs")?;
            queries.push(query);
        }
    }
    Ok(queries)
}

fn unlimited() -> SearchLimits {
    let mut limits = SearchLimits::default();
    (limits.max_results, limits.max_files, limits.max_time) = (None, None, None);
    limits
}

fn filters() -> Result<Vec<PathFilter>> {
    let secret = path("secret")?;
    Ok(vec![
        PathFilter::deny("secrets", move |path, _| {
            path.starts_with(&secret)
                || path.name().is_some_and(|name| name == ".env" || name == ".gitignore")
        }),
        PathFilter::deny("unseen", |path, access| access == Access::See && path.name() == Some("deep")),
        PathFilter::deny("unread", |path, access| access == Access::Read && path.name() == Some("lib.rs")),
        PathFilter::deny("everything", |path, _| !path.is_root()),
    ])
}

async fn same_glob(scene: &Scene, query: GlobQuery) -> Verdict {
    let asked = brief(&query.pattern, &query.scope, &query.filter);
    let native = scene.fs().glob(query.clone()).await;
    let portable = (scene.search()?.glob)(scene.fs().clone(), query).await;
    same(format!("native glob of {asked}, against the portable one"), told(native), told(portable))
}

async fn same_grep(scene: &Scene, query: GrepQuery) -> Verdict {
    let asked = brief(&query.pattern, &query.scope, &query.filter);
    let native = scene.fs().grep(query.clone()).await;
    let portable = (scene.search()?.grep)(scene.fs().clone(), query).await;
    same(format!("native grep of {asked}, against the portable one"), told(native), told(portable))
}

/// Answers are compared whole, refusals by their kind.
fn told<T>(answer: Result<T>) -> Result<T, ErrorKind> {
    answer.map_err(|error| error.kind())
}

fn brief(pattern: &str, scope: &workspace_core::SearchScope, filter: &PathFilter) -> String {
    format!("`{pattern}` in `{}`, {filter:?}, ignore files {}", scope.base, scope.gitignore)
}

async fn native_glob_equals_portable_glob(scene: &Scene) -> Verdict {
    put_tree(scene).await?;
    put_links(scene).await;
    for query in globs()? {
        same_glob(scene, query).await?;
    }
    Ok(())
}

async fn native_grep_equals_portable_grep(scene: &Scene) -> Verdict {
    put_tree(scene).await?;
    put_links(scene).await;
    for query in greps()? {
        same_grep(scene, query).await?;
    }
    Ok(())
}

async fn native_glob_with_a_filter_equals_portable_glob(scene: &Scene) -> Verdict {
    put_tree(scene).await?;
    put_links(scene).await;
    for filter in filters()? {
        for mut query in globs()? {
            query.filter = filter.clone();
            same_glob(scene, query).await?;
        }
    }
    let mut query = GlobQuery::default();
    (query.pattern, query.filter) = ("**/*.rs".into(), filters()?.swap_remove(0));
    let files = scene.fs().glob(query).await?.files;
    let told = files.iter().find(|(at, _)| at.as_str().contains("secret"));
    holds(told.is_none(), format!("a glob tells a closed file: {told:?}"))
}

async fn native_grep_with_a_filter_equals_portable_grep(scene: &Scene) -> Verdict {
    put_tree(scene).await?;
    put_links(scene).await;
    for filter in filters()? {
        for mut query in greps()? {
            query.filter = filter.clone();
            same_grep(scene, query).await?;
        }
    }
    let mut query = GrepQuery::default();
    (query.pattern, query.filter) = ("needle".into(), filters()?.swap_remove(0));
    let lines = scene.fs().grep(query).await?.lines;
    let told = lines.iter().find(|line| line.text.contains("secret") || line.text.contains("NEEDLE"));
    holds(told.is_none(), format!("a grep tells a line of a closed file: {told:?}"))
}

async fn native_glob_refuses_what_portable_glob_refuses(scene: &Scene) -> Verdict {
    scene.put("dir/file", "x").await?;
    for (base, pattern) in [("missing", "*"), ("", "[a"), ("", "../*"), ("", "{a"), ("dir/file/below", "*")] {
        let mut query = GlobQuery::default();
        (query.scope.base, query.pattern) = (path(base)?, pattern.into());
        let portable = match (scene.search()?.glob)(scene.fs().clone(), query.clone()).await {
            Err(error) => error.kind(),
            Ok(answer) => return Err(failed(format!("portable glob of `{pattern}` gives {answer:?}"))),
        };
        refused(format!("`{pattern}` in `{base}`"), scene.fs().glob(query).await, &[portable])?;
    }
    Ok(())
}

async fn native_grep_refuses_what_portable_grep_refuses(scene: &Scene) -> Verdict {
    scene.put("dir/file", "x").await?;
    let nested = "(".repeat(300) + &")".repeat(300);
    for (base, pattern) in
        [("missing", "x"), ("", "(x"), ("", "(?=x)"), ("", &nested), ("dir/file/below", "x")]
    {
        let mut query = GrepQuery::default();
        (query.scope.base, query.pattern) = (path(base)?, pattern.into());
        let portable = match (scene.search()?.grep)(scene.fs().clone(), query.clone()).await {
            Err(error) => error.kind(),
            Ok(answer) => return Err(failed(format!("portable grep of `{pattern}` gives {answer:?}"))),
        };
        refused(format!("`{pattern}` in `{base}`"), scene.fs().grep(query).await, &[portable])?;
    }
    Ok(())
}

/// How much was looked at before a limit ended it is not compared: a native search may look in parallel.
async fn a_limited_glob_keeps_the_first(scene: &Scene) -> Verdict {
    put_tree(scene).await?;
    let mut query = GlobQuery::default();
    (query.pattern, query.limits) = ("**/*.rs".into(), unlimited());
    let all = scene.fs().glob(query.clone()).await?.files;
    for limit in [0, 1, 2, all.len().saturating_sub(1), all.len(), all.len() + 1] {
        query.limits.max_results = Some(limit);
        let answer = scene.fs().glob(query.clone()).await?;
        same(format!("the first {limit} files"), &answer.files[..], &all[..limit.min(all.len())])?;
        same(format!("truncated at {limit}"), answer.tally.truncated, limit < all.len())?;
    }
    Ok(())
}

async fn a_limited_grep_keeps_the_first(scene: &Scene) -> Verdict {
    put_tree(scene).await?;
    let mut query = GrepQuery::default();
    (query.pattern, query.limits) = ("needle".into(), unlimited());
    let all = scene.fs().grep(query.clone()).await?.lines;
    for limit in [0, 1, 2, all.len().saturating_sub(1), all.len(), all.len() + 1] {
        query.limits.max_results = Some(limit);
        let answer = scene.fs().grep(query.clone()).await?;
        let places = |lines: &[workspace_core::GrepLine]| -> Vec<_> {
            lines.iter().map(|line| (line.path.clone(), line.line, line.column)).collect()
        };
        same(format!("the first {limit} lines"), places(&answer.lines), {
            let mut first = places(&all);
            first.truncate(limit);
            first
        })?;
        same(format!("truncated at {limit}"), answer.tally.truncated, limit < all.len())?;
    }
    Ok(())
}
