//! What holds for every line.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use workspace_shell_policy::{Mode, ShellPolicy, Word};

use crate::cases::{cases, mode, policy};
use crate::everywhere::{POLICIES, judge, judge_everywhere};
use crate::table::{runs, verdict};

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

    /// What is not text at all arrives with replacement characters.
    #[test]
    fn no_bytes_break_the_checker(bytes in vec(any::<u8>(), 0..200)) {
        judge_everywhere(&String::from_utf8_lossy(&bytes));
    }

    /// A case of which bytes were changed, doubled and left out is judged too.
    #[test]
    fn no_damage_breaks_the_checker(
        at in any::<prop::sample::Index>(),
        damage in vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 1..8),
    ) {
        let mut bytes = at.get(cases())["line"].as_str().unwrap().as_bytes().to_vec();
        bytes.truncate(2000);
        for (place, byte, kind) in damage {
            let place = place.index(bytes.len() + 1);
            match kind {
                0 => bytes.insert(place, byte),
                1 if place < bytes.len() => { bytes.remove(place); }
                2 if place < bytes.len() => bytes[place] = byte & 0x7f,
                _ => bytes.extend_from_within(place..),
            }
        }
        judge_everywhere(&String::from_utf8_lossy(&bytes));
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
