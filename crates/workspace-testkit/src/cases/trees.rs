//! Native search equals the portable one on random trees.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use workspace_core::{
    ErrorKind, FsProvider, GlobQuery, GrepMode, GrepQuery, Result, SearchLimits, SearchScope, SearchTally,
};

use crate::case::{Verdict, cases, failed, same};
use crate::scene::{Scene, path};

cases! {
    any_tree_is_searched_as_the_portable_search_does [Write, Glob, Grep],
}

/// Where each tree is laid, and what the searches begin from.
const TOP: &str = "tree";

const DIRS: [&str; 6] = ["", "a/", "a/b/", "z/", ".git/", "node_modules/m/"];
const NAMES: [&str; 7] = ["a.txt", "b.rs", ".env", ".gitignore", ".ignore", "日.rs", "x y"];
const TEXTS: [&str; 7] = [
    "",
    "*.rs\n!b.rs\n",
    "/a\nz/\n# needle\n",
    "needle\r\nx needle needle\n\nNEEDLE",
    "\u{feff}needle\n",
    "needle\0needle\n",
    "one\ntwo needle\nthree\n",
];
const GLOBS: [&str; 7] = ["**", "*.rs", "a/**", "**/*.{rs,txt}", "{a,.git}/*", "node_modules/**", "none"];
const PATTERNS: [&str; 5] = ["needle", "^needle$", "n[aeiou]+dle.*e", "^$", r"needle\s+\w"];
const BASES: [&str; 4] = ["", "/a", "/a/b", "/a/a.txt"];

/// A tree and what is sought in it.
#[derive(Debug, Clone)]
struct Search {
    files: Vec<(&'static str, &'static str, &'static str)>,
    globs: Vec<GlobQuery>,
    greps: Vec<GrepQuery>,
}

fn search() -> impl Strategy<Value = Search> {
    let files = vec((select(&DIRS[..]), select(&NAMES[..]), select(&TEXTS[..])), 0..16);
    (files, vec(glob_query(), 4), vec(grep_query(), 4)).prop_map(|(files, globs, greps)| Search {
        files,
        globs,
        greps,
    })
}

fn scope() -> impl Strategy<Value = SearchScope> {
    (select(&BASES[..]), any::<bool>(), any::<bool>()).prop_filter_map(
        "the bases are paths",
        |(base, gitignore, skips)| {
            let mut scope = SearchScope::default();
            scope.base = path(&format!("{TOP}{base}")).ok()?;
            scope.gitignore = gitignore;
            if !skips {
                scope.skip_dirs.clear();
            }
            Some(scope)
        },
    )
}

fn limits() -> impl Strategy<Value = SearchLimits> {
    prop_oneof![2 => Just(None), 1 => (0..5_usize).prop_map(Some)].prop_map(|results| {
        let mut limits = SearchLimits::default();
        (limits.max_results, limits.max_files, limits.max_time) = (results, None, None);
        limits
    })
}

fn glob_query() -> impl Strategy<Value = GlobQuery> {
    (scope(), select(&GLOBS[..]), any::<bool>(), limits()).prop_map(|(scope, pattern, bare, limits)| {
        let mut query = GlobQuery::default();
        (query.scope, query.pattern, query.limits) = (scope, pattern.into(), limits);
        query.bare_any_depth = bare;
        query
    })
}

fn grep_query() -> impl Strategy<Value = GrepQuery> {
    let modes = select(&[GrepMode::Content, GrepMode::Files, GrepMode::Count][..]);
    let glob = prop_oneof![Just(None), select(&GLOBS[..]).prop_map(Some)];
    let flags = any::<(bool, bool, bool)>();
    (scope(), select(&PATTERNS[..]), glob, modes, 0..3_usize, flags, limits()).prop_map(
        |(scope, pattern, glob, mode, context, (ignore_case, multiline, typed), limits)| {
            let mut query = GrepQuery::default();
            (query.scope, query.pattern, query.limits) = (scope, pattern.into(), limits);
            (query.mode, query.context, query.ignore_case) = (mode, context, ignore_case);
            query.glob = glob.map(Into::into);
            query.multiline = multiline;
            if typed {
                query.types.push("rust".into());
            }
            query
        },
    )
}

/// The same trees each time, so that a failure can be seen again.
async fn any_tree_is_searched_as_the_portable_search_does(scene: &Scene) -> Verdict {
    scene.search()?;
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    for _ in 0..scene.effort() {
        let search = search().new_tree(&mut runner).map_err(failed)?.current();
        scene.put_dir(TOP).await?;
        for (dir, name, text) in &search.files {
            scene.put(&format!("{TOP}/{dir}{name}"), text).await?;
        }
        compare(scene, &search).await?;
        scene.remove_all(TOP).await?;
    }
    Ok(())
}

/// Results are compared and, where no limit of them ended the search, all that was counted.
async fn compare(scene: &Scene, search: &Search) -> Verdict {
    let portable = scene.search()?;
    for query in &search.globs {
        let mut answers =
            [scene.fs().glob(query.clone()).await, (portable.glob)(scene.fs().clone(), query.clone()).await];
        for answer in answers.iter_mut().flatten().filter(|answer| answer.tally.truncated) {
            answer.tally = cut_short();
        }
        let [native, expected] = answers.map(told);
        same(format!("{query:?}, of the files {:?}", search.files), native, expected)?;
    }
    for query in &search.greps {
        let mut answers =
            [scene.fs().grep(query.clone()).await, (portable.grep)(scene.fs().clone(), query.clone()).await];
        for answer in answers.iter_mut().flatten().filter(|answer| answer.tally.truncated) {
            answer.tally = cut_short();
        }
        let [native, expected] = answers.map(told);
        same(format!("{query:?}, of the files {:?}", search.files), native, expected)?;
    }
    Ok(())
}

/// All that is compared of the count of a search that ended early: it may have looked ahead.
fn cut_short() -> SearchTally {
    let mut tally = SearchTally::default();
    tally.truncated = true;
    tally
}

/// Answers are compared whole, refusals by their kind.
fn told<T>(answer: Result<T>) -> Result<T, ErrorKind> {
    answer.map_err(|error| error.kind())
}
