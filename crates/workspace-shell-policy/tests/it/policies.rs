//! The rules of a policy.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use workspace_shell_policy::{
    CommandDecision, CommandLine, DenyPattern, LexicalJail, Mode, PolicyError, PolicyWarning, Reason,
    ShellPolicy, Word, check,
};

use crate::table::{refuses, runs, verdict};

#[test]
fn r_sh_1_allow_is_exhaustive() {
    let policy = ShellPolicy::new().allow(["git", "./run", "tools/x", "/opt/y"]);
    runs(
        &policy,
        Mode::Sh,
        &[
            "git a",
            "/usr/bin/git a",
            "/usr/local/bin/../bin/git",
            "./run",
            "run/../run",
            "tools/x",
            "./tools/x",
            "/opt/y",
        ][..3],
    );
    runs(&policy, Mode::Sh, &["./run", "tools/x", "./tools/./x", "/opt/y"]);
    refuses(
        &policy,
        Mode::Sh,
        Reason::NotAllowed,
        &[
            "GIT",
            "gitk",
            "./git",
            "/tmp/git",
            "/usr/bin/../../tmp/git",
            "run",
            "x",
            "/tools/x",
            "ls",
            "git; ls",
            "env git",
        ],
    );
    refuses(&ShellPolicy::new().allow(Vec::<String>::new()), Mode::Sh, Reason::NotAllowed, &["git", "true"]);
    refuses(&policy, Mode::Sh, Reason::NotAllowed, &["", " ", "# x", "\n"]);
    assert_eq!(check(None, Mode::Argv, "git", &LexicalJail::new("")).reason(), Some(Reason::NotAllowed));
}

#[test]
fn r_sh_1_a_relative_program_counts_from_the_root() {
    let policy = ShellPolicy::new().allow(["cd", "./run", "sub/run"]);
    runs(&policy, Mode::Sh, &["./run", "cd sub && ./run", "(cd sub && ./run) && ./run"]);
    refuses(
        &policy,
        Mode::Sh,
        Reason::NotAllowed,
        &["cd other && ./run", "cd sub; cd deeper && ./run", "cd sub && cd sub && ./run"],
    );
    let line = CommandLine::new(Mode::Argv, "./run").in_directory("sub");
    assert!(policy.review(&line).verdict().runs());
    let elsewhere = CommandLine::new(Mode::Argv, "./run").in_directory("other");
    assert!(!policy.review(&elsewhere).verdict().runs());
}

#[test]
fn r_sh_2_deny_matches_any_spelling() {
    let policy = ShellPolicy::new().deny(["rm", "Del.EXE"]);
    refuses(
        &policy,
        Mode::Sh,
        Reason::DeniedExecutable,
        &["rm", "RM", "./rm", "/x/Rm.exe", "'rm'", "a; rm", "a $(rm)", "env rm", "del", "a\\\\rm"],
    );
    runs(&policy, Mode::Sh, &["rmx", "git rm", "echo rm"]);
    // Deny wins over allow.
    refuses(&ShellPolicy::new().allow(["rm"]).deny(["rm"]), Mode::Sh, Reason::DeniedExecutable, &["rm"]);
}

fn patterns(list: &[&str]) -> ShellPolicy {
    ShellPolicy::new().deny_patterns(list).unwrap()
}

#[test]
fn r_sh_3_options_in_any_place_and_spelling() {
    let force = patterns(&["git push --force"]);
    refuses(
        &force,
        Mode::Argv,
        Reason::DeniedPattern,
        &[
            "git push --force",
            "git push a b --force",
            "git push -f",
            "git push -uf a",
            "git push -fu a",
            "git push --forc",
            "git push --f a",
            "git push a +b",
            "git push --mirror",
            "git -C x push -f",
            "git --no-pager -c a.b=c push -f",
            "git --git-dir x push -f",
            "GIT push -f",
            "env git push -f",
            "git push -o --force",
            "git push -o -- --force",
            "git push --force=x",
        ],
    );
    runs(
        &force,
        Mode::Argv,
        &[
            "git push",
            "git push --force-with-lease",
            "git push a b",
            "git commit -m push -f",
            "git log push --force",
            "git push -u a",
            "git push -- --force",
            "git push a f",
            "git push --follow-tags",
            "git push -o f",
            "git push -of",
        ],
    );
    let recursive = patterns(&["rm -rf"]);
    refuses(
        &recursive,
        Mode::Argv,
        Reason::DeniedPattern,
        &[
            "rm -rf a",
            "rm -fr a",
            "rm -r -f a",
            "rm a -Rf",
            "rm --recursive --force a",
            "rm -r --fo a",
            "rm -vrf a",
        ],
    );
    runs(&recursive, Mode::Argv, &["rm -r a", "rm -f a", "rm -- -rf", "rm a", "rmdir -rf"]);
    refuses(
        &patterns(&["git branch -D"]),
        Mode::Argv,
        Reason::DeniedPattern,
        &["git branch -D a", "git branch -d -f a", "git branch --delete --force a"],
    );
    runs(&patterns(&["git branch -D"]), Mode::Argv, &["git branch -d a", "git branch -a"]);
    refuses(
        &patterns(&["git push --delete"]),
        Mode::Argv,
        Reason::DeniedPattern,
        &["git push a :b", "git push -d a b"],
    );
    refuses(
        &patterns(&["find -delete"]),
        Mode::Argv,
        Reason::DeniedPattern,
        &["find . -delete", "find -delete"],
    );
    runs(&patterns(&["find -delete"]), Mode::Argv, &["find . -name -delet", "find -d"]);
    refuses(
        &patterns(&["npm publish"]),
        Mode::Argv,
        Reason::DeniedPattern,
        &["npm publish", "npm --loglevel silent publish", "npm -s publish x", "npm --unknown y publish"],
    );
    runs(&patterns(&["npm publish"]), Mode::Argv, &["npm run publish", "npm test publish"]);
    refuses(
        &patterns(&["cargo publish"]),
        Mode::Argv,
        Reason::DeniedPattern,
        &["cargo +nightly publish", "cargo --color never publish"],
    );
    refuses(&patterns(&["x --y=z"]), Mode::Argv, Reason::DeniedPattern, &["x --y=z", "x --y z"]);
    runs(&patterns(&["x --y=z"]), Mode::Argv, &["x --y=w", "x --y w"]);
}

#[test]
fn r_sh_3_run_time_words_count_where_they_could_match() {
    let force = patterns(&["git push --force"]);
    refuses(
        &force,
        Mode::Sh,
        Reason::DeniedPattern,
        &[
            "git push $X",
            "git push \"$X\"",
            "git push --fo$X",
            "git $X --force",
            "git push a \"$X\"",
            "git push a $X",
            "git push -- $X",
            "git push -$X",
            "xargs git push",
        ][..8],
    );
    runs(
        &force,
        Mode::Sh,
        &[
            "git push a \"b$X\"",
            "git push \"x/$X\"",
            "git log $X",
            "git commit -m \"$X\"",
            "echo $X",
            "git push a$?",
        ],
    );
    let recursive = patterns(&["rm -rf"]);
    refuses(&recursive, Mode::Sh, Reason::DeniedPattern, &["rm *", "rm $X", "rm -r \"$X\""]);
    runs(&recursive, Mode::Sh, &["rm ./*", "rm -- *", "rm -- $X", "rm src/*", "rm \"$X\""][..4]);
    let allowed = patterns(&["rm -rf", "git push --force"]).allow(["xargs", "rm", "git", "find"]);
    refuses(
        &allowed,
        Mode::Sh,
        Reason::DeniedPattern,
        &["xargs rm", "xargs -I% git push %", "xargs git push"],
    );
    runs(&allowed, Mode::Sh, &["xargs rm --", "find . -exec rm {} +", "xargs git log"]);
}

#[test]
fn r_sh_3_regular_expressions() {
    let policy = ShellPolicy::new().deny_pattern(DenyPattern::regex("^git reset --hard\\b").unwrap());
    refuses(
        &policy,
        Mode::Sh,
        Reason::DeniedPattern,
        &[
            "git reset --hard",
            "/usr/bin/git reset --hard x",
            "git -C a reset --hard",
            "GIT reset --hard",
            "env git reset --hard",
            "git reset $X",
            "git $X",
        ],
    );
    runs(
        &policy,
        Mode::Sh,
        &["git reset --soft", "echo git reset --hard", "echo $X", "git log $X", "git reset --harder"],
    );
    let open = ShellPolicy::new().deny_pattern(DenyPattern::regex("--force").unwrap());
    refuses(&open, Mode::Sh, Reason::DeniedPattern, &["x --force", "x $X"]);
    runs(&open, Mode::Sh, &["x y"]);
}

#[test]
fn allow_patterns_cover_one_simple_command() {
    let policy = ShellPolicy::new().allow_patterns(["git status", "timeout 60 npm test", "env"]).unwrap();
    runs(
        &policy,
        Mode::Sh,
        &[
            "git status",
            "git 'status' -s",
            "/usr/bin/git status",
            "git status *.c",
            "timeout 60 npm test -- x",
            "env",
        ],
    );
    refuses(
        &policy,
        Mode::Sh,
        Reason::NotAllowed,
        &[
            "git",
            "git statusx",
            "git log",
            "./git status",
            "A=1 git status",
            "timeout 60 npm run",
            "env ls",
            "A=1",
        ],
    );
    refuses(
        &policy,
        Mode::Sh,
        Reason::Metacharacter,
        &[
            "git status; ls",
            "git status > x",
            "git status $X",
            "git status \"$X\"",
            "git status &",
            "(git status)",
            "git status # x",
            "git status `x`",
        ],
    );
    let both = ShellPolicy::new().allow(["git"]).allow_patterns(["git status", "npm test"]).unwrap();
    runs(&both, Mode::Sh, &["git status"]);
    refuses(&both, Mode::Sh, Reason::NotAllowed, &["npm test", "git log"]);
}

#[test]
fn subcommands_narrow_a_program() {
    let policy = ShellPolicy::new().allow(["git", "ls"]).allow_subcommands("git", ["status", "remote -v"]);
    runs(&policy, Mode::Argv, &["git status -s", "git -C a status", "git --no-pager remote -v", "ls"]);
    refuses(
        &policy,
        Mode::Argv,
        Reason::NotAllowed,
        &["git", "git log", "git remote", "git remote add", "git statusx"],
    );
    refuses(&policy, Mode::Sh, Reason::NotAllowed, &["git $X", "git \"$X\" status"]);
}

#[test]
fn what_is_allowed_also_opens_that_and_nothing_else() {
    let base = || ShellPolicy::new().allow(["git", "ls"]).allow_subcommands("git", ["status"]);
    let whole = base().allow_also(["cat", "git"]);
    runs(&whole, Mode::Argv, &["git push", "git status", "cat a", "ls"]);
    refuses(&whole, Mode::Argv, Reason::NotAllowed, &["rm a"]);

    let wider =
        base().allow_subcommands_also("git", ["log"]).allow_subcommands_also("npm", ["test", "run lint"]);
    runs(&wider, Mode::Argv, &["git status", "git log -1", "npm test", "npm run lint", "ls"]);
    refuses(&wider, Mode::Argv, Reason::NotAllowed, &["git push", "npm publish", "npm run x", "cat a"]);

    // What is open already is not narrowed.
    runs(&base().allow_subcommands_also("ls", ["-l"]), Mode::Argv, &["ls -a"]);
    let all = ShellPolicy::new().allow_also(["cat"]).allow_subcommands_also("git", ["log"]);
    runs(&all, Mode::Argv, &["rm a", "git push"]);
}

#[test]
fn r_sh_4_the_predicate_is_asked_last() {
    let asked: Arc<Mutex<Vec<(Vec<String>, usize, Vec<String>, bool)>>> = Arc::default();
    let log = Arc::clone(&asked);
    let policy = ShellPolicy::new().deny(["rm"]).allow_command(move |words, context| {
        let words: Vec<String> = words.iter().map(|word| word.text().to_owned()).collect();
        let denied = words.iter().any(|word| word == "secret");
        log.lock().unwrap().push((words, context.position, context.directories.to_vec(), context.background));
        if denied {
            CommandDecision::Deny("keep out of the secret".to_owned())
        } else {
            CommandDecision::Allow
        }
    });
    let line = CommandLine::new(Mode::Sh, "cd sub && cat $X").in_background(true);
    assert!(policy.review(&line).verdict_with(&LexicalJail::new("")).runs());
    let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        *asked.lock().unwrap(),
        [(words(&["cd", "sub"]), 0, words(&[""]), true), (words(&["cat", "$X"]), 1, words(&["sub"]), true),]
    );
    let refusal = verdict(&policy, Mode::Sh, "ls; cat secret").refusal.unwrap();
    assert_eq!((refusal.reason, refusal.message.as_str()), (Reason::NotAllowed, "keep out of the secret"));
    assert_eq!(refusal.command, [Word::Known("cat".to_owned()), Word::Known("secret".to_owned())]);
    asked.lock().unwrap().clear();
    refuses(&policy, Mode::Sh, Reason::DeniedExecutable, &["ls; rm x"]);
    assert!(asked.lock().unwrap().is_empty());
}

#[test]
fn r_sh_4_a_panic_in_the_predicate_is_a_denial() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let policy = ShellPolicy::new().allow_command(move |_, _| {
        counted.fetch_add(1, Ordering::Relaxed);
        panic!("no");
    });
    refuses(&policy, Mode::Argv, Reason::NotAllowed, &["ls"]);
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}

#[test]
fn r_sh_5_warnings() {
    let warnings = |policy: ShellPolicy| policy.warnings();
    assert_eq!(warnings(ShellPolicy::new()), [PolicyWarning::AllowsEverything]);
    assert_eq!(warnings(ShellPolicy::new().deny(["rm"])), [PolicyWarning::DeniesWithoutAllow]);
    assert_eq!(warnings(ShellPolicy::new().allow(["git", "ls"])), []);
    let program = |name: &str| name.to_owned();
    assert_eq!(
        warnings(
            ShellPolicy::new()
                .allow(["bash", "/usr/bin/python3.11", "make", "docker", "git status", "rm"])
                .deny(["rm"])
        ),
        [
            PolicyWarning::AllowsRunner { program: program("bash") },
            PolicyWarning::AllowsInterpreter { program: program("/usr/bin/python3.11") },
            PolicyWarning::AllowsProjectCode { program: program("make") },
            PolicyWarning::AllowsRunner { program: program("docker") },
            PolicyWarning::EntryWithBlank { entry: program("git status") },
            PolicyWarning::NeverRuns { entry: program("rm") },
        ]
    );
    assert_eq!(warnings(ShellPolicy::new().allow(["docker"]).allow_subcommands("docker", ["ps"])), []);
    let regex = ShellPolicy::new().allow(["ls"]).deny_pattern(DenyPattern::regex("--force").unwrap());
    assert_eq!(warnings(regex), [PolicyWarning::UnanchoredRegex { pattern: program("--force") }]);
}

#[test]
fn rules_that_cannot_be_read_are_errors() {
    assert_eq!(DenyPattern::words(" ").unwrap_err(), PolicyError::Empty);
    assert_eq!(DenyPattern::regex("").unwrap_err(), PolicyError::Empty);
    assert!(matches!(DenyPattern::words("a 'b").unwrap_err(), PolicyError::Words { .. }));
    assert!(matches!(DenyPattern::regex("a(").unwrap_err(), PolicyError::Regex { .. }));
    assert!(matches!(DenyPattern::regex("(\\w{100}){100}").unwrap_err(), PolicyError::Regex { .. }));
    assert_eq!(ShellPolicy::new().deny_paths(["/"]).unwrap_err(), PolicyError::Empty);
    assert_eq!(ShellPolicy::new().allow_patterns([""]).unwrap_err(), PolicyError::Empty);
}

#[test]
fn the_most_severe_reason_comes_first() {
    let policy =
        ShellPolicy::new().allow(["git", "sort", "rm"]).deny(["rm"]).deny_patterns(["git push"]).unwrap();
    refuses(&policy, Mode::Sh, Reason::UnsupportedSyntax, &["rm x; a ;; b", "rm x; PATH=. git"]);
    refuses(&policy, Mode::Sh, Reason::DeniedExecutable, &["rm > /etc/x; ls"]);
    refuses(&policy, Mode::Sh, Reason::NotAllowed, &["ls; rm x", "ls; git push > /x"]);
    refuses(&policy, Mode::Sh, Reason::NestedCommand, &["git -c core.pager=x push"]);
    refuses(&policy, Mode::Sh, Reason::DeniedPattern, &["git push > /etc/x"]);
    refuses(&policy, Mode::Sh, Reason::PathEscape, &["git log > /etc/x"]);
}
