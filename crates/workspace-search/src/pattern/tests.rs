//! The rules of patterns by number.

use workspace_core::{ErrorKind, PathRules, WorkspacePath};

use super::Pattern;

fn rules() -> PathRules {
    PathRules::default()
}

#[track_caller]
fn check(pattern: &str, matching: &[&str], others: &[&str]) {
    let compiled = Pattern::parse(pattern, &rules()).unwrap();
    let path = |path: &&str| WorkspacePath::parse(path, &rules()).unwrap();
    for expected in matching {
        assert!(compiled.matches(&path(expected)), "`{pattern}` should match `{expected}`");
    }
    for other in others {
        assert!(!compiled.matches(&path(other)), "`{pattern}` should not match `{other}`");
    }
}

#[track_caller]
fn check_refused(pattern: &str, kind: ErrorKind) {
    let refused = Pattern::parse(pattern, &rules()).map_err(|error| error.kind());
    assert_eq!(refused.map(|_| ()).unwrap_err(), kind, "{pattern:?}");
}

#[test]
fn r_glob_1_a_star_stays_in_its_component() {
    check("*", &["a", ".env", "a.b"], &["a/b"]);
    check("*.rs", &["main.rs", ".rs"], &["src/main.rs", "main.rs.bak", "rs"]);
    check("a*c", &["ac", "abc", "a*c"], &["a/c", "acb"]);
    check("a*a", &["aa", "aba"], &["a"]);
    check("a*b*c", &["abc", "a-b-c", "abbcc"], &["acb", "a/b/c"]);
    check("src/*/mod.rs", &["src/a/mod.rs"], &["src/mod.rs", "src/a/b/mod.rs"]);
}

#[test]
fn r_glob_1_two_stars_span_any_number_of_components() {
    check("**", &["a", "a/b", ".git/x"], &[]);
    check("**/a", &["a", "x/a", "x/y/a"], &["a/b", "xa"]);
    check("src/**", &["src/a", "src/a/b"], &["src", "lib/a"]);
    check("a/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["a", "b", "ab"]);
    check("a/**/**/b", &["a/b", "a/x/b"], &["a"]);
    check("**/a/**/b/*", &["a/b/c", "x/a/a/b/b/c"], &["a/c", "b/a/c"]);
    // Anything but a whole component is two single stars.
    check("**.rs", &["a.rs"], &["a/b.rs"]);
    check("a**b", &["ab", "axb"], &["a/b"]);
    check("***", &["a"], &["a/b"]);
}

#[test]
fn r_glob_5_a_question_mark_and_a_class_are_one_character() {
    check("?", &["a", "é", "日", "?"], &["ab", "e\u{301}"]);
    check("a?c", &["abc", "aéc", "a\nc"], &["ac", "a/c"]);
    check("a?c*", &["a\ncd\n"], &["ac"]);
    check("[à-ï]x", &["éx"], &["ex", "éx/y"]);
    check("[!a]", &["b", "é", "\n"], &["a", "bb"]);
    check("[^a]", &["b"], &["a"]);
    check("[]x-]", &["]", "x", "-"], &["y"]);
    check("v[0-9].[0-9]*", &["v1.0", "v1.2-rc"], &["v1.x", "va.0"]);
    check("[a.^]x", &["ax", ".x", "^x"], &["bx"]);
}

#[test]
fn r_glob_1_braces_are_alternatives_nested_two_deep() {
    check("*.{ts,tsx}", &["a.ts", "b.tsx"], &["a.js", "a.ts.x"]);
    check("*.{js,ts{,x}}", &["a.js", "a.ts", "a.tsx"], &["a.jsx"]);
    check("{src,test/unit}/*.rs", &["src/a.rs", "test/unit/a.rs"], &["test/a.rs", "unit/a.rs"]);
    check("{src/,}a.rs", &["a.rs", "src/a.rs"], &["src"]);
    check("{**,x}/a", &["a", "b/c/a", "x/a"], &["a/b"]);
    check("a{,b}{,c}", &["a", "ab", "ac", "abc"], &["acb"]);
    check("{a}", &["a"], &["b"]);
    check("a,b", &["a,b"], &["a", "b"]);
}

#[test]
fn r_glob_1_a_backslash_separates_and_escapes_nothing() {
    check("src\\*.rs", &["src/a.rs"], &["src*.rs"]);
    check("a\\[b]", &["a/b"], &["a[b]"]);
    let literal = rules().with_backslash(workspace_core::Backslash::Literal);
    let path = WorkspacePath::root().child("a\\b").unwrap();
    assert!(Pattern::parse("a\\*", &literal).unwrap().matches(&path));
}

#[test]
fn r_glob_1_what_leads_nowhere_is_dropped() {
    for pattern in ["src/a.rs", "/src/a.rs", "./src/a.rs", "src//a.rs", "src/./a.rs", "src/a.rs/"] {
        check(pattern, &["src/a.rs"], &["a.rs"]);
    }
    for pattern in ["", "/", ".", "./", "././/"] {
        check_refused(pattern, ErrorKind::InvalidPattern);
    }
}

#[test]
fn r_glob_1_a_pattern_never_climbs() {
    for pattern in ["..", "../a", "a/../b", "a\\..\\b", "{../a,b}", "{.,a}./b", "**/../x"] {
        check_refused(pattern, ErrorKind::PathEscape);
    }
    check("..a", &["..a"], &["a"]);
    check("a[...x]", &["a.", "ax"], &["a"]);
}

#[test]
fn a_pattern_that_is_also_a_path_finds_it() {
    check("app/[id]/page.js", &["app/[id]/page.js", "app/i/page.js"], &["app/x/page.js"]);
    check("{a,b}", &["{a,b}", "a", "b"], &[]);
    check_refused("app/[[...z-up]]/page.js", ErrorKind::InvalidPattern);
    let literal = Pattern::literal("app/[[...z-up]]/page.js", &rules()).unwrap();
    assert!(literal.matches(&WorkspacePath::parse("app/[[...z-up]]/page.js", &rules()).unwrap()));
}

#[test]
fn a_pattern_is_bounded() {
    check_refused(&"a".repeat(4097), ErrorKind::InvalidPattern);
    check_refused(&"{a,b}".repeat(10), ErrorKind::UnsafePattern);
    check_refused(&"{a,b}".repeat(300), ErrorKind::UnsafePattern);
    assert!(Pattern::parse(&"{a,b}".repeat(9), &rules()).is_ok());
    check_refused(&"*?".repeat(2048), ErrorKind::UnsafePattern);
    assert!(Pattern::parse(&"*?".repeat(255), &rules()).is_ok());
}

#[test]
fn a_position_tells_what_can_still_match() {
    let pattern = Pattern::parse("a/**/b/c", &rules()).unwrap();
    assert_eq!(pattern.enter(&pattern.start(), "b"), None);
    let in_a = pattern.enter(&pattern.start(), "a").unwrap();
    let in_b = pattern.enter(&in_a, "b").unwrap();
    assert!(pattern.accepts_file(&in_b, "c"));
    assert!(!pattern.accepts_file(&in_a, "c"));
    let deeper = pattern.enter(&in_a, "x").unwrap();
    assert_eq!(pattern.enter(&deeper, "x").unwrap(), deeper);
    let top = Pattern::parse("*.rs", &rules()).unwrap();
    assert_eq!(top.enter(&top.start(), "src"), None);
}

#[test]
fn r_glob_5_only_a_literal_component_names() {
    let pattern = Pattern::parse("{target,o*}/**/x.{rs,c?}", &rules()).unwrap();
    let start = pattern.start();
    assert!(pattern.names_directory(&start, "target"));
    assert!(!pattern.names_directory(&start, "out"));
    let below = pattern.enter(&start, "out").unwrap();
    assert!(pattern.names_file(&below, "x.rs"));
    assert!(pattern.accepts_file(&below, "x.cc") && !pattern.names_file(&below, "x.cc"));
    // The last component is a file's name and not a directory's.
    assert!(!pattern.names_directory(&below, "x.rs"));
}

#[test]
fn a_pattern_is_bare_where_it_is_written_without_a_separator() {
    let bare = |text| Pattern::parse(text, &rules()).unwrap().is_bare();
    assert!(bare("*.rs") && bare("{a,b}"));
    assert!(!bare("/a") && !bare("./a") && !bare("a\\b") && !bare("{a,b/c}"));
    assert!(
        Pattern::parse("*.rs", &rules())
            .unwrap()
            .at_any_depth()
            .matches(&{ WorkspacePath::parse("a/b/c.rs", &rules()).unwrap() })
    );
}
