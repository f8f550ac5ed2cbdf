//! The native search gives what the portable one gives, to the last count, on any tree.

use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use workspace_core::{
    Access, FsProvider, GlobQuery, GlobSort, GrepMode, GrepQuery, PathFilter, SearchLimits, SearchScope,
};
use workspace_local::{HardLinks, LinkPolicy, Local};

use super::told;
use crate::support::{Scene, path};

const DIRS: [&str; 9] =
    ["", "a/", "a/b/", "a/b/c/", "z/", "z/deep/er/", ".git/", ".git/info/", "node_modules/m/"];
const NAMES: [&str; 9] =
    ["a.txt", "b.rs", ".env", ".gitignore", ".ignore", "exclude", "日.rs", "B.RS", "a b"];
const CONTENTS: [&[u8]; 10] = [
    b"",
    b"*.rs\n!b.rs\n",
    b"/a\nb/\n# needle\n",
    b"needle\r\nx needle needle\n\nplain\nNEEDLE",
    b"\xef\xbb\xbfneedle\n",
    b"needle\0needle\n",
    b"needle \xff\xfe\nx\n",
    b"one\ntwo needle\nthree\nfour\nneedle five\n",
    b"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx needle xxxxxxxxxxxxxxxxxxxxxxxxxx\nneedle\n",
    b"nothing of interest\n",
];
const TARGETS: [&str; 8] = ["a", "a.txt", "../a.txt", "../../x", "nowhere", "z/deep", "link", "a/b/b.rs"];
const PATTERNS: [&str; 11] = [
    "**",
    "*.rs",
    "a/**",
    "**/*.{rs,txt}",
    "{a,.git}/*",
    "**/l?nk*",
    "node_modules/**",
    "none",
    "**/[!a]*",
    "[a",
    "../*",
];
const TEXTS: [&str; 8] =
    ["needle", "^needle$", "n[aeiou]+dle.*e", "^$", "x", "(needle", r"needle\s+\w", r"(?s)o.*four"];
const BASES: [&str; 9] = ["", "a", "a/b", "link", "link/b", "z", "a/a.txt", "missing", "a/link"];

/// What stands in a tree.
#[derive(Debug, Clone)]
struct Plan {
    files: Vec<(&'static str, &'static str, &'static [u8])>,
    links: Vec<(&'static str, &'static str)>,
    /// So many directories of so many files, for the threads to share.
    wide: (usize, usize),
    non_utf8: bool,
    second_name: bool,
    /// 0 as by default, 1 another root inside, 2 no links, 3 no second names.
    config: u8,
}

fn plan() -> impl Strategy<Value = Plan> {
    (
        vec((select(&DIRS[..]), select(&NAMES[..]), select(&CONTENTS[..])), 0..24),
        vec((select(&["link", "a/link", "z/link", "link.rs"][..]), select(&TARGETS[..])), 0..4),
        prop_oneof![2 => Just((0, 0)), 1 => (1..24_usize, 1..40_usize)],
        any::<bool>(),
        any::<bool>(),
        0..4_u8,
    )
        .prop_map(|(files, links, wide, non_utf8, second_name, config)| Plan {
            files,
            links,
            wide,
            non_utf8,
            second_name,
            config,
        })
}

impl Plan {
    /// Lays the tree. What cannot stand beside what is there already is left out.
    fn lay(&self, root: &Path) {
        fs::create_dir_all(root.join("a/b")).unwrap();
        let put = |at: &Path, bytes: &[u8]| {
            let _ = fs::create_dir_all(at.parent().unwrap()).and_then(|()| fs::write(at, bytes));
        };
        for (dir, name, bytes) in &self.files {
            put(&root.join(format!("{dir}{name}")), bytes);
        }
        for (at, target) in &self.links {
            let _ = std::os::unix::fs::symlink(target, root.join(at));
        }
        for dir in 0..self.wide.0 {
            for file in 0..self.wide.1 {
                let text = if (dir + file) % 7 == 0 { "a needle\nb\nneedle\n" } else { "hay\n" };
                put(&root.join(format!("wide/{dir:02}/{file:02}.rs")), text.as_bytes());
            }
        }
        if self.non_utf8 {
            let name = std::ffi::OsString::from_vec(b"b\xffd.rs".to_vec());
            put(&root.join("a").join(name), b"needle\n");
        }
        if self.second_name {
            let _ = fs::hard_link(root.join("a.txt"), root.join("z.txt"));
        }
    }

    fn open(&self, root: &Path) -> Local {
        let builder = Local::builder(root);
        match self.config {
            1 => builder.root("inner", root.join("a/b"), false),
            2 => builder.links(LinkPolicy::Never),
            3 => builder.hard_links(HardLinks::Refuse),
            _ => builder,
        }
        .build()
        .unwrap()
    }
}

fn scope() -> impl Strategy<Value = SearchScope> {
    (select(&BASES[..]), any::<bool>(), any::<bool>()).prop_map(|(base, gitignore, skips)| {
        let mut scope = SearchScope::default();
        (scope.base, scope.gitignore) = (path(base), gitignore);
        if !skips {
            scope.skip_dirs.clear();
        }
        scope
    })
}

fn limits() -> impl Strategy<Value = SearchLimits> {
    let few =
        || prop_oneof![3 => Just(None), 1 => (0..6_usize).prop_map(Some), 1 => (6..200_usize).prop_map(Some)];
    let time = prop_oneof![12 => Just(None), 1 => Just(Some(Duration::ZERO))];
    (few(), few(), time).prop_map(|(results, files, time)| {
        let mut limits = SearchLimits::default();
        (limits.max_results, limits.max_files, limits.max_time) = (results, files, time);
        limits
    })
}

fn filter() -> impl Strategy<Value = PathFilter> {
    (0..6_u8).prop_map(|which| match which {
        0 => PathFilter::deny("b", |path, _| path.name() == Some("b") || path.name() == Some(".gitignore")),
        1 => PathFilter::deny("unseen", |path, access| access == Access::See && path.name() == Some("a")),
        2 => PathFilter::deny("unread", |path, access| {
            access == Access::Read && path.name().is_some_and(|name| name.starts_with(['b', '@']))
        }),
        _ => PathFilter::default(),
    })
}

fn glob_query() -> impl Strategy<Value = GlobQuery> {
    (scope(), select(&PATTERNS[..]), any::<bool>(), any::<bool>(), limits(), filter()).prop_map(
        |(scope, pattern, bare, newest, limits, filter)| {
            let mut query = GlobQuery::default();
            (query.scope, query.pattern, query.limits, query.filter) =
                (scope, pattern.into(), limits, filter);
            query.bare_any_depth = bare;
            query.sort = if newest { GlobSort::Modified } else { GlobSort::Path };
            query
        },
    )
}

fn grep_query() -> impl Strategy<Value = GrepQuery> {
    let glob = prop_oneof![2 => Just(None), 1 => select(&PATTERNS[..]).prop_map(Some)];
    let modes = select(&[GrepMode::Content, GrepMode::Files, GrepMode::Count][..]);
    let lines = (prop_oneof![2 => Just(2000_usize), 1 => Just(20)], any::<bool>(), 0..3_usize);
    let size = prop_oneof![3 => Just(Some(8 << 20)), 1 => Just(Some(30_u64)), 1 => Just(None)];
    (
        scope(),
        select(&TEXTS[..]),
        any::<(bool, bool, bool, bool)>(),
        glob,
        modes,
        lines,
        size,
        limits(),
        filter(),
    )
        .prop_map(
            |(
                scope,
                text,
                (literal, ignore_case, multiline, typed),
                glob,
                mode,
                (longest, skip, context),
                size,
                limits,
                filter,
            )| {
                let mut query = GrepQuery::default();
                (query.scope, query.pattern, query.limits, query.filter) =
                    (scope, text.into(), limits, filter);
                (query.literal, query.ignore_case, query.mode) = (literal, ignore_case, mode);
                query.glob = glob.map(Into::into);
                query.multiline = multiline;
                if typed {
                    query.types.push("rust".into());
                }
                (query.max_line_chars, query.cut_line_chars) = (longest, 10);
                (query.skip_long_lines, query.context, query.max_file_bytes) = (skip, context, size);
                query
            },
        )
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(32) })]

    #[test]
    fn r_glob_4_native_equals_portable_on_any_tree(
        plan in plan(), queries in vec(glob_query(), 8),
    ) {
        let scene = Scene::new();
        plan.lay(&scene.root());
        let files = plan.open(&scene.root());
        let runtime = runtime();
        for query in queries {
            let native = runtime.block_on(files.glob(query.clone()));
            let portable = runtime.block_on(workspace_search::glob(&files, &query));
            prop_assert_eq!(told(native), told(portable), "{:?}", query);
        }
    }

    #[test]
    fn r_grep_3_native_equals_portable_on_any_tree(
        plan in plan(), queries in vec(grep_query(), 8),
    ) {
        let scene = Scene::new();
        plan.lay(&scene.root());
        let files = plan.open(&scene.root());
        let runtime = runtime();
        for query in queries {
            let native = runtime.block_on(files.grep(query.clone()));
            let portable = runtime.block_on(workspace_search::grep(&files, &query));
            prop_assert_eq!(told(native), told(portable), "{:?}", query);
        }
    }
}
