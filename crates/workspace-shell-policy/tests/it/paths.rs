//! Redirections, `cd`, closed paths, and operands.

use std::cell::RefCell;

use workspace_shell_policy::{
    ArgPaths, CommandLine, MAX_PATH_BYTES, Mode, Place, Reason, ShellPolicy, Writes, check,
};

use crate::jail::Tree;
use crate::table::{refuses, runs};

fn open() -> ShellPolicy {
    ShellPolicy::new()
}

#[track_caller]
fn inside(tree: &Tree, lines: &[&str]) {
    for line in lines {
        let verdict = check(Some(&open()), Mode::Sh, &tree.text(line), tree);
        assert!(verdict.runs(), "{line}: {:?}", verdict.refusal);
    }
}

#[track_caller]
fn outside(tree: &Tree, lines: &[&str]) {
    for line in lines {
        let verdict = check(Some(&open()), Mode::Sh, &tree.text(line), tree);
        assert_eq!(verdict.reason(), Some(Reason::PathEscape), "{line}: {:?}", verdict.refusal);
    }
}

#[test]
fn r_parse_2_targets_follow_links_as_the_system_does() {
    let tree = Tree::new();
    inside(
        &tree,
        &[
            "a > src/x",
            "a > link-in/x",
            "a > link-in/../x",
            "a > @JAIL@/src/x",
            "a > new/x",
            "a > src/../logs/x",
            "a >/dev/null",
            "a < src/a.txt",
        ],
    );
    outside(
        &tree,
        &[
            "a > ../x",
            "a > link-out/x",
            "a > link-out/../x",
            "a > link-file-out",
            "a > link-dangling",
            "a > @OUT@/x",
            "a > /dev/sda",
            "a > $X",
            "a > ~/x",
            "a > x*",
            "a > ''",
            "a 2> /tmp/x",
            "a > link-in/../../x",
            "a <> ../x",
        ],
    );
}

#[test]
fn r_parse_2_cd_moves_what_follows() {
    let tree = Tree::new();
    inside(
        &tree,
        &[
            "cd src && a > ../x",
            "cd src && cd .. && a > x",
            "(cd src && a > ../x)",
            "cd src/sub && cd ../.. && a > x",
            "cd link-in && cd .. && a > x",
            "cd src && (cd sub && a > ../../x) && a > ../x",
            "cd @JAIL@/src && a > ../x",
            "cd -P src && a > ../x",
            "cd -- src",
        ],
    );
    outside(
        &tree,
        &[
            "cd ..",
            "cd src; a > ../x",
            "cd src || a > ../x",
            "(cd src) && a > ../x",
            "cd src | a > ../x",
            "a $(cd src) > ../x",
            "cd src && cd ../..",
            "cd",
            "cd -",
            "cd ~",
            "cd $X",
            "cd a b",
            "cd ''",
            "cd link-out",
            "pushd src",
            "popd",
            "chdir src",
            "env -C .. a",
            "cd src & x",
        ][..18],
    );
    // After a failure nothing moved; after a success it did.
    inside(&tree, &["cd src && a > ../x || b > x", "! cd src || a > ../x"]);
    outside(&tree, &["! cd src && a > ../x", "cd src && true; a > ../x", "eval 'cd src'; a > ../x"]);
    outside(&tree, &[". src/a.sh; a > x", "eval $X; a > x"]);
}

#[test]
fn r_parse_2_cd_through_wrappers_may_or_may_not_move() {
    let tree = Tree::new();
    inside(
        &tree,
        &["command cd src && a > ../x", "env -C src a", "env -C src env -C .. a", "env --chdir=link-in a"],
    );
    outside(
        &tree,
        &[
            "time cd src && a > ../x",
            "env cd src && a > ../x",
            "command cd ..",
            "env -C src env -C ../.. a",
            "env -C \"$X\" a",
            "time -o ../x a",
        ][..5],
    );
    let argv = check(Some(&open()), Mode::Argv, "time -o ../x a", &tree);
    assert_eq!(argv.reason(), Some(Reason::PathEscape));
}

#[test]
fn paths_that_nothing_can_open_are_refused() {
    let long = |length: usize| format!("a > {}", "x/".repeat(length / 2));
    runs(&open(), Mode::Sh, &[&long(MAX_PATH_BYTES)]);
    refuses(
        &open(),
        Mode::Sh,
        Reason::PathEscape,
        &[&long(MAX_PATH_BYTES + 2), &format!("{}cd a", "cd a && ".repeat(4000))],
    );
}

#[test]
fn many_directories_are_not_known() {
    let line = format!("{} a > x", (0..12).map(|at| format!("cd d{at};")).collect::<String>());
    refuses(&open(), Mode::Sh, Reason::PathEscape, &[&line]);
    runs(&open(), Mode::Sh, &["cd a; cd b; cd c; d > x"]);
}

#[test]
fn closed_paths_are_closed_as_asked_and_as_resolved() {
    let tree = Tree::new();
    let policy = open().deny_paths([".git/**", ".env*", "secrets", "src/sub"]).unwrap();
    let verdict = |line: &str| check(Some(&policy), Mode::Sh, line, &tree).reason();
    for line in [
        "a > .env",
        "a > .ENV.local",
        "a < .git/config",
        "cd .git",
        "a > secrets/x",
        "cd secrets",
        "a > link-in/sub/x",
        "a > src/../.env",
        "cd src && a > ../.env",
    ] {
        assert_eq!(verdict(line), Some(Reason::PathEscape), "{line}");
    }
    for line in ["a > env", "a > src/x", "cd src", "cat .env"] {
        assert_eq!(verdict(line), None, "{line}");
    }
}

#[test]
fn operands_are_held_inside() {
    let policy = open().arg_paths(ArgPaths::Jail);
    runs(
        &policy,
        Mode::Sh,
        &[
            "cat a src/b",
            "grep -n '/x' a",
            "sed -n '/a/,/b/p' f",
            "awk -F/ '{print $1}' f",
            "cut -d / -f1 f",
            "git log --format='%h /x'",
            "git commit -m '/x'",
            "cat *.c",
            "ls src/*",
            "head -n -5 a",
            "echo /x $Y",
            "unknown a",
            "cat /dev/null",
            "cat -",
            "sort -t / a",
            "find . -path '/x'",
            "curl http://h/../x",
            "env A=/x cat a",
            "python3 -c 'open(\"/x\")'",
            "[ a = /x ]",
        ],
    );
    refuses(
        &policy,
        Mode::Sh,
        Reason::PathEscape,
        &[
            "cat /x",
            "cat ../x",
            "cat $X",
            "cat ~",
            "cat .*/x",
            "cat a/../../x",
            "sed -n p /x",
            "sed 'w /x' f",
            "awk '{print > \"/x\"}' f",
            "awk 'BEGIN{ARGV[1]=\"/x\"}'",
            "sort -o/x a",
            "tar -C.. -xf a",
            "cp a /x",
            "unknown --y=/x",
            "unknown -z../x",
            "xargs cat",
            "find / -name a",
            "find -L . -name a",
            "grep -R a .",
            "ln -s / a",
            "git -C .. log",
            "wc --files0-from=a",
            "cd a && cat ../../x",
            "cat \"$X/a\"",
            "test -f /x",
            "grep --regexp=a /x",
            "grep --color a /x",
        ],
    );
}

#[test]
fn writes_are_refused() {
    let policy = open().writes(Writes::Refuse);
    runs(
        &policy,
        Mode::Sh,
        &[
            "cat a",
            "a 2>&1",
            "a >/dev/null",
            "a < b",
            "sed -n p f",
            "sort a",
            "uniq a",
            "tee /dev/null",
            "find . -name a",
        ],
    );
    refuses(
        &policy,
        Mode::Sh,
        Reason::PathEscape,
        &["a > b", "a >> b", "a <> b", "exec > b", "command time -o b a"],
    );
    refuses(
        &policy,
        Mode::Sh,
        Reason::DeniedPattern,
        &[
            "sort -o b a",
            "sed -i p f",
            "sed 'w b' f",
            "find . -delete",
            "find . -fprint b",
            "tee b",
            "uniq a b",
            "cp a b",
            "git diff --output=b",
            "date -s x",
            "awk '{print > \"b\"}' f",
            "touch a",
            "rm a",
        ],
    );
}

#[test]
fn a_review_asks_for_each_path_once_and_in_order() {
    let policy = open();
    let line = CommandLine::new(Mode::Sh, "cd link && a > x/../y > z > z").in_directory("sub");
    let mut review = policy.review(&line);
    let mut asked = Vec::new();
    while let Some(path) = review.next_path() {
        asked.push(path.clone());
        let place = match path.strip_prefix("sub/link") {
            Some(rest) => Place::Inside(format!("real{rest}")),
            None => Place::Inside(path.clone()),
        };
        review.answer(path, place);
    }
    assert_eq!(asked, ["sub/link", "sub/link/x", "real/y", "sub/link/z"]);
    assert!(review.clone().verdict().runs());
    // A second look may end otherwise.
    review.forget_places();
    assert_eq!(review.next_path().as_deref(), Some("sub/link"));
    assert_eq!(review.clone().verdict().reason(), Some(Reason::PathEscape));
    review.answer("sub/link".to_owned(), Place::Outside);
    assert_eq!(review.next_path(), None);
    assert_eq!(review.verdict().reason(), Some(Reason::PathEscape));
}

#[test]
fn a_refused_line_asks_nothing_and_a_failing_view_refuses() {
    let asked = RefCell::new(0);
    let view = |_: &str| {
        *asked.borrow_mut() += 1;
        Place::Outside
    };
    let deny = open().deny(["rm"]);
    assert_eq!(check(Some(&deny), Mode::Sh, "a > b; rm c", &view).reason(), Some(Reason::DeniedExecutable));
    assert_eq!(*asked.borrow(), 0);
    let failing = |_: &str| -> Place { panic!("no disk") };
    assert_eq!(check(Some(&open()), Mode::Sh, "a > b", &failing).reason(), Some(Reason::PathEscape));
}
