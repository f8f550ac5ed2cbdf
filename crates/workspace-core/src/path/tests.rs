//! Every lexical rule by its number. Both platforms' rules run on any host.

use super::{AbsolutePaths, Backslash, Mount, PathRules, Platform, WorkspacePath};
use crate::{Error, ErrorKind};

fn posix() -> PathRules {
    PathRules::default().with_root("/data/ws").with_root("/real/ws")
}

fn windows() -> PathRules {
    PathRules::default().with_platform(Platform::Windows).with_root("C:\\data\\ws")
}

#[track_caller]
fn check(rules: &PathRules, input: &str, expected: Result<&str, ErrorKind>) {
    let parsed = WorkspacePath::parse(input, rules);
    let parsed = parsed.as_ref().map(WorkspacePath::as_str).map_err(Error::kind);
    assert_eq!(parsed, expected, "{input:?}");
}

const ESCAPE: Result<&str, ErrorKind> = Err(ErrorKind::PathEscape);

#[test]
fn r_path_1_empty_is_the_root_and_lengths_are_limited() {
    for root in ["", ".", "./", "a/.."] {
        check(&posix(), root, Ok(""));
    }
    let name = "n".repeat(255);
    check(&posix(), &name, Ok(&name));
    check(&posix(), &"n".repeat(256), Err(ErrorKind::InvalidInput));
    check(&posix(), &"a/".repeat(2049), Err(ErrorKind::InvalidInput));
    let longest = format!("{}ab", "a/".repeat(2047));
    check(&posix(), &longest, Ok(&longest));
}

#[test]
fn r_path_2_nul_is_refused_and_other_controls_are_names() {
    check(&posix(), "a\0b", ESCAPE);
    check(&posix(), "a\nb\x1b", Ok("a\nb\x1b"));
    let error = WorkspacePath::parse("../a\nb", &posix()).unwrap_err();
    assert_eq!(error.to_string(), "`../a\\nb`: the path climbs above the root of the workspace");
}

#[test]
fn r_path_3_a_backslash_separates_unless_it_is_literal() {
    check(&posix(), "src\\main.rs", Ok("src/main.rs"));
    check(&posix(), "src\\..\\..\\x", ESCAPE);
    let literal = posix().with_backslash(Backslash::Literal);
    check(&literal, "src\\main.rs", Ok("src\\main.rs"));
    check(&literal, "a\\..\\..\\x", Ok("a\\..\\..\\x"));
    check(&windows().with_backslash(Backslash::Literal), "src\\..\\..\\x", ESCAPE);
}

#[test]
fn r_path_4_dots_fold_lexically_and_never_climb() {
    check(&posix(), "a/../b", Ok("b"));
    check(&posix(), "link/../x", Ok("x"));
    check(&posix(), "./a//b/.", Ok("a/b"));
    check(&posix(), "report..final.md", Ok("report..final.md"));
    check(&posix(), "src/[...slug]/..hidden", Ok("src/[...slug]/..hidden"));
    for out in ["..", "../x", "a/../../b", "../ws/a"] {
        check(&posix(), out, ESCAPE);
    }
}

#[test]
fn r_path_5_absolute_paths_are_taken_where_they_lie_in_a_root() {
    check(&posix(), "/data/ws/a/b", Ok("a/b"));
    check(&posix(), "/real/ws", Ok(""));
    check(&posix(), "/data/ws/../ws/a", Ok("a"));
    for out in ["/data/ws-evil/a", "/data", "/etc/passwd", "/data/ws/../x", "/.."] {
        check(&posix(), out, ESCAPE);
    }
    check(&posix().with_absolute(AbsolutePaths::Never), "/data/ws/a", ESCAPE);
    check(&PathRules::default(), "/a", ESCAPE);
    check(&windows(), "c:\\DATA\\ws\\a", Ok("a"));
    check(&windows(), "C:\\data\\other", ESCAPE);
}

#[test]
fn r_path_6_drives_shares_and_devices_are_refused_everywhere() {
    for rules in [posix(), windows(), posix().with_backslash(Backslash::Literal)] {
        for out in [
            "C:\\x",
            "C:x",
            "c:",
            "./C:/x",
            "a/../C:x",
            "\\\\server\\share",
            "//server/share",
            "\\\\?\\C:\\x",
            "\\\\.\\pipe\\x",
            "/\\server\\share",
            "//data/ws/a",
        ] {
            check(&rules, out, ESCAPE);
        }
    }
    for home in ["~", "~/x", "~\\x"] {
        let error = WorkspacePath::parse(home, &posix()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PathEscape);
        assert!(error.next_step().is_some_and(|hint| hint.contains("`./~`")), "{error:?}");
    }
    check(&posix(), "./~/x", Ok("~/x"));
    check(&posix(), "~user", Ok("~user"));
}

#[test]
fn r_path_7_windows_names_are_refused_on_windows_alone() {
    for name in [
        "a:stream", "CON", "con", "Nul.txt", "COM1", "com0", "LPT9.log", "lpt¹", "COM³.x", "CONIN$",
        "conout$", "aux .txt", "nul ", "a.", "a ", "...", " . ", "a<b", "a>b", "a\"b", "a|b", "a?b", "a*b",
    ] {
        check(&windows(), &format!("src/{name}"), ESCAPE);
        check(&posix(), &format!("src/{name}"), Ok(&format!("src/{name}")));
    }
    for name in ["CONFIG", "com10", "lpt", "nullable.rs", ".env", "a.b"] {
        check(&windows(), name, Ok(name));
    }
}

fn mounted() -> PathRules {
    posix()
        .with_mount(Mount::new("docs", vec!["/srv/docs".into()]))
        .with_mount(Mount::new("vendor", vec!["/data/ws/third/vendor".into()]))
        .with_mount(Mount::new("all", vec!["/data".into()]))
}

#[test]
fn r_root_2_a_further_root_is_reached_by_name_or_absolute_path() {
    check(&mounted(), "@docs/a.md", Ok("@docs/a.md"));
    check(&mounted(), "/srv/docs/a.md", Ok("@docs/a.md"));
    check(&mounted(), "/srv/docs", Ok("@docs"));
    // The longest root decides, whatever the spelling.
    check(&mounted(), "/data/ws/a", Ok("a"));
    check(&mounted(), "/data/other/a", Ok("@all/other/a"));
    check(&mounted(), "/data/ws/third/vendor/x", Ok("@vendor/x"));
    check(&mounted(), "third/vendor/x", Ok("@vendor/x"));
    check(&mounted(), "third/vendors/x", Ok("third/vendors/x"));
    check(&posix(), "@docs/a.md", Ok("@docs/a.md"));
}

#[test]
fn r_root_3_no_path_crosses_from_one_root_to_another() {
    check(&mounted(), "@docs/../a", ESCAPE);
    check(&mounted(), "@docs/x/../../a", ESCAPE);
    check(&posix(), "@docs/../a", Ok("a"));
}

#[test]
fn a_scope_knows_its_own_absolute_spelling_and_no_other_root() {
    let dir = WorkspacePath::parse("pkg/a", &mounted()).unwrap();
    let scoped = mounted().scoped(&dir);
    check(&scoped, "/data/ws/pkg/a/x", Ok("x"));
    check(&scoped, "/data/ws/pkg/b", ESCAPE);
    check(&scoped, "/srv/docs/a", ESCAPE);
    let dir = WorkspacePath::parse("@docs/guide", &mounted()).unwrap();
    check(&mounted().scoped(&dir), "/srv/docs/guide/x", Ok("x"));
}
