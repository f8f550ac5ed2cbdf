//! Lines that no shell reads.

use workspace_shell_policy::{MAX_WORDS, Mode, Reason, ShellPolicy};

use crate::table::{commands, refuses, runs, verdict};

fn open() -> ShellPolicy {
    ShellPolicy::new()
}

#[track_caller]
fn splits(line: &str, words: &[&str]) {
    let argv = verdict(&open(), Mode::Argv, line).argv();
    assert_eq!(
        argv.as_deref(),
        Some(words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>().as_slice()),
        "{line:?}"
    );
}

#[test]
fn r_argv_1_quotes_and_backslashes() {
    splits("a 'b c' \"d e\" f\\ g", &["a", "b c", "d e", "f g"]);
    splits("a '' \"\"", &["a", "", ""]);
    splits("a 'b'\"c\"d", &["a", "bcd"]);
    splits("a \"b\\\"c\\\\d\\$e\\`f\\g\"", &["a", "b\"c\\d$e`f\\g"]);
    splits("a '\\b'", &["a", "\\b"]);
    splits("a \"b\\\nc\"", &["a", "bc"]);
    splits("a \\\n b", &["a", "b"]);
    splits("a\\\nb", &["ab"]);
    splits("\ta\t b ", &["a", "b"]);
    splits("a b#c *.rs ~ {x,y} !z %n", &["a", "b#c", "*.rs", "~", "{x,y}", "!z", "%n"]);
    splits("é '\u{a0}' \"a\nb\"", &["é", "\u{a0}", "a\nb"]);
}

#[test]
fn r_argv_1_operators_are_refused() {
    for operator in
        ["&&", "||", ";", "|", "&", "<", ">", ">>", "$X", "$(x)", "`x`", "(", ")", "\n", "\r", " #x"]
    {
        refuses(&open(), Mode::Argv, Reason::Metacharacter, &[&format!("a b{operator}c")]);
    }
    refuses(
        &open(),
        Mode::Argv,
        Reason::Metacharacter,
        &["a\0b", "'a\0'", "a\u{a0}b", "a\u{200b}", "a \u{1b}[1m", "#a"],
    );
}

#[test]
fn r_argv_1_open_quotes_are_refused() {
    refuses(&open(), Mode::Argv, Reason::UnbalancedQuotes, &["a 'b", "a \"b", "a \"b\\\"", "a\\", "'it's'"]);
}

#[test]
fn r_argv_1_the_split_gives_the_commands() {
    let split = |line: &str| verdict(&open(), Mode::Argv, line).refusal.unwrap().split;
    assert_eq!(split("npm test && git push"), ["npm test", "git push"]);
    assert_eq!(split("a 'x && y'; b\nc;"), ["a 'x && y'", "b", "c"]);
    assert_eq!(split("git commit -m \"$x\" && git push"), ["git commit -m \"$x\"", "git push"]);
    // What is piped or redirected means nothing on its own.
    assert_eq!(split("a && b | c"), <[&str; 0]>::default());
    assert_eq!(split("a;"), <[&str; 0]>::default());
}

#[test]
fn r_argv_1_builtins_and_assignments_have_no_effect() {
    refuses(
        &open(),
        Mode::Argv,
        Reason::NotAllowed,
        &["cd src", "export A=1", "A=1 npm test", "set -e", "", "  \t"],
    );
    let hint = |line: &str| verdict(&open(), Mode::Argv, line).refusal.unwrap().hint.unwrap();
    assert_eq!(hint("A=1 npm test"), "to set a variable for one command, write `env A=1 …`");
    assert_eq!(hint("cd src"), "give the directory as the working directory of the call");
}

#[test]
fn the_first_command_is_what_is_spawned() {
    assert_eq!(
        commands(&open(), Mode::Argv, "timeout 5 env A=1 ls -l"),
        ["timeout 5 env A=1 ls -l", "env A=1 ls -l", "ls -l"]
    );
    splits("timeout 5 env A=1 ls -l", &["timeout", "5", "env", "A=1", "ls", "-l"]);
    assert_eq!(verdict(&open(), Mode::Argv, "a; b").argv(), None);
    assert_eq!(verdict(&open(), Mode::Sh, "a $X").argv(), None);
}

#[test]
fn long_lines_are_refused_whole() {
    let line = format!("echo {}", "a".repeat(64 * 1024));
    refuses(&open(), Mode::Argv, Reason::UnsupportedSyntax, &[&line]);
    runs(&open(), Mode::Argv, &[&line[..64 * 1024], &"a ".repeat(MAX_WORDS - 1)]);
    refuses(&open(), Mode::Argv, Reason::UnsupportedSyntax, &[&"a ".repeat(MAX_WORDS + 1)]);
}
