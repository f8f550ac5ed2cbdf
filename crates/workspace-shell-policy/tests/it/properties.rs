//! What holds for every line.

use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use workspace_shell_policy::{ArgPaths, DenyPattern, Mode, ShellPolicy, Word, Writes};

use crate::cases::{cases, mode, policy};
use crate::table::{runs, verdict};

/// Policies that between them reach every rule.
static POLICIES: LazyLock<Vec<ShellPolicy>> = LazyLock::new(|| {
    vec![
        ShellPolicy::new(),
        ShellPolicy::developer(),
        ShellPolicy::posix_utilities(),
        ShellPolicy::read_only(),
        ShellPolicy::new().deny(["rm"]).arg_paths(ArgPaths::Jail).writes(Writes::Refuse),
        ShellPolicy::new()
            .deny_patterns(["git push --force", "rm -rf", "find -delete"])
            .unwrap()
            .deny_pattern(DenyPattern::regex("^x y").unwrap()),
        ShellPolicy::new().allow_patterns(["git status"]).unwrap().deny_paths(["a/**"]).unwrap(),
    ]
});

/// Judges a line in every way, and checks what holds for every verdict.
#[track_caller]
fn judge_everywhere(line: &str) {
    for policy in POLICIES.iter() {
        for mode in [Mode::Argv, Mode::Sh] {
            judge(policy, mode, line);
        }
    }
}

#[track_caller]
fn judge(policy: &ShellPolicy, mode: Mode, line: &str) {
    let verdict = verdict(policy, mode, line);
    match &verdict.refusal {
        Some(refusal) => {
            assert!(line.get(refusal.span.clone()).is_some(), "{line:?}: {:?}", refusal.span);
            assert_ne!(refusal.message, "the checker failed on this line", "{line:?}");
            refusal.underlined(line);
        }
        None => assert!(mode == Mode::Sh || verdict.argv().is_some(), "{line:?}"),
    }
}

#[test]
fn every_prefix_of_every_case_is_judged() {
    for (number, case) in cases().iter().enumerate() {
        let line = case["line"].as_str().unwrap();
        for (at, _) in line.char_indices().take(200) {
            judge(&POLICIES[(number + at) % POLICIES.len()], mode(case), &line[..at]);
        }
    }
}

#[test]
fn a_case_that_runs_reports_a_program_for_each_command() {
    for case in cases() {
        let policy = policy(&case["policy"]).unwrap_or_default();
        for words in verdict(&policy, mode(case), case["line"].as_str().unwrap()).commands {
            assert!(matches!(words.first(), Some(Word::Known(name)) if !name.is_empty()), "{case}");
        }
    }
}

/// Pieces from which strange lines are made.
const PIECES: &[&str] = &[
    "git",
    "rm",
    "a",
    "push",
    "--force",
    "-rf",
    "-",
    "--",
    " ",
    " ",
    "\t",
    "\n",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "(",
    ")",
    "{",
    "}",
    "<",
    ">",
    ">>",
    "<<",
    "<<E\n",
    "\nE\n",
    "<<-'E F'\n",
    "'",
    "\"",
    "\\",
    "`",
    "$",
    "$(",
    "${",
    "$X",
    "${X}",
    "#",
    " #",
    "!",
    "~",
    "*",
    "[",
    "]",
    "?",
    "=",
    "A=",
    "+=",
    ",",
    "..",
    "/",
    "../",
    "2>&1",
    "10>",
    "find . -exec ",
    "{} +",
    "\\;",
    "env ",
    "env -S",
    "timeout 5 ",
    "xargs -I{} ",
    "sh -c ",
    "eval ",
    "cd ",
    "cd ..",
    "export ",
    "set -",
    "sed ",
    "s/a/b/e",
    "awk ",
    "{print >",
    "system(",
    "tar -I",
    "make SHELL=",
    "if ",
    "time ",
    "é",
    "\u{a0}",
    "\0",
    "\r",
    "\u{1F600}",
    "\\\n",
    "git -c alias.x=",
    "ext::x",
    "dd of=",
    "test -f ",
    "ln -s ",
    "jq --arg ",
    "curl -d @",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_line_of_pieces_breaks_the_checker(pieces in vec(select(PIECES), 0..24)) {
        judge_everywhere(&pieces.concat());
    }

    #[test]
    fn no_text_breaks_the_checker(line in any::<String>()) {
        judge_everywhere(&line);
    }

    /// A mutation of a case is judged too.
    #[test]
    fn no_mutation_breaks_the_checker(at in any::<prop::sample::Index>(), place in any::<prop::sample::Index>(), piece in select(PIECES)) {
        let cases = cases();
        let mut line = at.get(cases)["line"].as_str().unwrap().to_owned();
        if line.len() < 2000 {
            let places: Vec<usize> = line.char_indices().map(|(at, _)| at).collect();
            line.insert_str(if places.is_empty() { 0 } else { *place.get(&places) }, piece);
            judge_everywhere(&line);
        }
    }

    /// For plain lines, all commands are reported: a splitter that knows
    /// nothing but blanks and joints finds the same.
    #[test]
    fn plain_lines_report_all_their_commands(
        commands in vec(vec("[a-z]{1,6}", 1..4), 1..6),
        joints in vec(select(&[" && ", " || ", "; ", " | ", "\n"][..]), 5),
    ) {
        let reserved = ["if", "do", "fi", "in", "for", "case", "then", "else", "done", "cd", "exec", "env", "time", "set", "let", "trap", "alias", "read", "unset", "nice", "find", "hash", "local", "bind"];
        prop_assume!(commands.iter().all(|words| !reserved.contains(&words[0].as_str())));
        let mut line = String::new();
        for (at, words) in commands.iter().enumerate() {
            if at > 0 {
                line.push_str(joints[at - 1]);
            }
            line.push_str(&words.join(" "));
        }
        let found: Vec<Vec<String>> = verdict(&ShellPolicy::new(), Mode::Sh, &line)
            .commands
            .iter()
            .map(|words| words.iter().map(|word| word.text().to_owned()).collect())
            .collect();
        let expected: Vec<Vec<String>> = line
            .split(['&', '|', ';', '\n'])
            .filter(|part| !part.trim().is_empty())
            .map(|part| part.split_whitespace().map(str::to_owned).collect())
            .collect();
        prop_assert_eq!(found, expected);
    }

    /// A denied program is found wherever a plain line has it.
    #[test]
    fn a_denied_program_is_found_anywhere(before in vec("[a-z]{3,6}", 0..40), after in vec("[a-z]{3,6}", 0..4)) {
        let deny = ShellPolicy::new().deny(["rm"]);
        let line = format!("{}rm x{}", before.iter().map(|word| format!("qq{word}; ")).collect::<String>(), after.iter().map(|word| format!(" | qq{word}")).collect::<String>());
        prop_assert!(!verdict(&deny, Mode::Sh, &line).runs());
        runs(&deny, Mode::Sh, &[&line.replace("rm x", "qqrm x")]);
    }
}
