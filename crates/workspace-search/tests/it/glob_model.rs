//! Glob against a matcher that does the obvious, slow thing.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use workspace_core::{PathRules, WorkspacePath};
use workspace_search::Pattern;

use crate::glob::{answer, files, query};
use crate::tree::{Tree, path};

/// Every text that the braces of a pattern stand for, the outermost first brace first.
fn spelled_out(pattern: &str) -> Vec<String> {
    let Some(open) = pattern.find('{') else { return vec![pattern.to_owned()] };
    let mut depth = 0;
    let mut commas = vec![open];
    for (at, c) in pattern.char_indices().skip_while(|(at, _)| *at < open) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => commas.push(at),
            _ => {}
        }
        if depth == 0 {
            commas.push(at);
            break;
        }
    }
    let (start, end) = (&pattern[..open], &pattern[commas[commas.len() - 1] + 1..]);
    let branches = commas.windows(2).map(|pair| &pattern[pair[0] + 1..pair[1]]);
    branches.flat_map(|branch| spelled_out(&format!("{start}{branch}{end}"))).collect()
}

fn name_matches(pattern: &[char], name: &[char]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        (['*', rest @ ..], _) => {
            name_matches(rest, name) || (!name.is_empty() && name_matches(pattern, &name[1..]))
        }
        (['[', rest @ ..], [c, others @ ..]) => {
            let close = rest.iter().position(|c| *c == ']').unwrap();
            let (members, negated) = match &rest[..close] {
                ['!', members @ ..] => (members, true),
                members => (members, false),
            };
            let holds = match members {
                [first, '-', last] => (first..=last).contains(&c),
                members => members.contains(c),
            };
            holds != negated && name_matches(&rest[close + 1..], others)
        }
        (['?', rest @ ..], [_, others @ ..]) => name_matches(rest, others),
        ([a, rest @ ..], [b, others @ ..]) if a == b => name_matches(rest, others),
        _ => false,
    }
}

fn path_matches(pattern: &[&str], names: &[&str]) -> bool {
    match (pattern, names) {
        ([], []) => true,
        (["**"], names) => !names.is_empty(),
        (["**", rest @ ..], _) => {
            path_matches(rest, names) || (!names.is_empty() && path_matches(pattern, &names[1..]))
        }
        ([component, rest @ ..], [name, others @ ..]) => {
            let [component, name] = [component, name].map(|text| text.chars().collect::<Vec<_>>());
            name_matches(&component, &name) && path_matches(rest, others)
        }
        _ => false,
    }
}

fn matches(pattern: &str, path: &str) -> bool {
    if pattern == path {
        return true;
    }
    let names: Vec<&str> = path.split('/').collect();
    let mut patterns = spelled_out(pattern).into_iter();
    patterns.any(|pattern| {
        let components: Vec<&str> = pattern.split('/').filter(|component| !component.is_empty()).collect();
        path_matches(&components, &names)
    })
}

fn component() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec!["a", "b", "é", "."]),
        3 => prop::sample::select(vec!["*", "?", "**"]),
        1 => prop::sample::select(vec!["[ab]", "[!a]", "[a-é]", "[!a-b]"]),
        1 => prop::sample::select(vec!["{a,b}", "{,a}", "{a*,{b,é}}", "{a/b,é}", "{**,a}", "{a/,}"]),
    ];
    vec(piece, 1..4).prop_map(|pieces| pieces.concat())
}

fn pattern() -> impl Strategy<Value = String> {
    let component = prop_oneof![3 => component(), 1 => Just("**".to_owned()), 2 => Just("*".to_owned())];
    vec(component, 1..4)
        .prop_map(|components| components.join("/"))
        .prop_filter("`.` and `..` are not names", |pattern| {
            let mut texts = spelled_out(pattern).into_iter();
            texts.all(|text| text.split('/').all(|name| name != "." && name != ".."))
        })
        .prop_filter("it names a file", |pattern| {
            spelled_out(pattern).iter().all(|text| text.chars().any(|c| c != '/'))
        })
}

fn names() -> impl Strategy<Value = Vec<String>> {
    let name = "[abé]{1,3}|\\.a|a\\.b|\\[ab\\]|\\*";
    vec(vec(name, 1..4).prop_map(|names| names.join("/")), 1..24)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn a_pattern_matches_what_the_plain_matcher_does(pattern in pattern(), names in names()) {
        let compiled = Pattern::parse(&pattern, &PathRules::default()).unwrap();
        for name in names {
            prop_assert_eq!(compiled.matches(&path(&name)), matches(&pattern, &name), "`{}` on `{}`", pattern, name);
        }
    }

    #[test]
    fn glob_finds_what_matches_in_order_and_cuts_exactly(
        pattern in pattern(), names in names(), limit in 0..6_usize,
    ) {
        let mut tree = Tree::new();
        let mut there = BTreeSet::new();
        for name in names.iter().map(|name| path(name)) {
            // A file cannot stand where a directory does.
            if there.iter().all(|other| !name.starts_with(other) && !other.starts_with(&name)) {
                tree = tree.file(name.as_str(), "");
                there.insert(name);
            }
        }
        let expected: Vec<_> = there.iter().map(WorkspacePath::as_str).filter(|path| matches(&pattern, path)).collect();
        let mut query = query(&pattern);
        let found = answer(&tree, &query);
        prop_assert_eq!(files(&found), expected.clone());
        prop_assert!(!found.tally.truncated);

        query.limits.max_results = Some(limit);
        let found = answer(&tree, &query);
        prop_assert_eq!(files(&found), &expected[..limit.min(expected.len())]);
        prop_assert_eq!(found.tally.truncated, expected.len() > limit);
    }
}
