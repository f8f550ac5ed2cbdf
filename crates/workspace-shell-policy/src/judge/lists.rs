//! What an exhaustive list must cover.

use super::Program;
use super::programs::{is_named, key_of};
use crate::course::{Command, Directories};
use crate::syntax::Arg;
use crate::tables::builtins::is_shell_only;
use crate::tables::globals::{Global, global};
use crate::tables::instead::instead;
use crate::{CommandLine, Mode, Reason, Refusal, ShellPolicy};

/// Most names that a message lists.
const LISTED: usize = 10;

/// The refusal of a command that the policy's lists do not cover.
pub(super) fn not_allowed(
    policy: &ShellPolicy,
    commands: &[Command],
    number: usize,
    program: &Program<'_>,
    line: &CommandLine<'_>,
) -> Option<Box<Refusal>> {
    let command = commands.get(number)?;
    by_programs(policy, command, program, line)
        .or_else(|| by_patterns(policy, commands, number))
        .or_else(|| by_subcommands(policy, command, program))
        .or_else(|| without_shell(command, program, line))
}

fn refuse(command: &Command, message: String) -> Box<Refusal> {
    let span = command.args().first().map_or(command.span.clone(), |arg| arg.span.clone());
    Refusal::new(Reason::NotAllowed, span, message)
}

fn by_programs(
    policy: &ShellPolicy,
    command: &Command,
    program: &Program<'_>,
    line: &CommandLine<'_>,
) -> Option<Box<Refusal>> {
    let entries = policy.allowed_programs()?;
    if is_named(policy, program, &command.directories) {
        return None;
    }
    let mut shown: Vec<String> = entries.iter().take(LISTED).map(|entry| format!("`{entry}`")).collect();
    if entries.len() > LISTED {
        shown.push(format!("and {} more", entries.len() - LISTED));
    }
    let refusal = refuse(command, format!("the program `{}` is not allowed", program.name));
    let hint = if line.mode == Mode::Argv && command.level == 0 && is_assignment(program.name) {
        format!("to set a variable for one command, write `env {} …`", program.name)
    } else if program.name.contains(' ') {
        "leave out the quotes around the whole command".to_owned()
    } else if program.name.contains('/') && policy.allows_name(program.basename()) {
        format!("run it as `{}`, without a path", program.basename())
    } else if entries.is_empty() {
        "no program is allowed here; use the other tools".to_owned()
    } else if let Some(hint) = instead(program.key) {
        hint.to_owned()
    } else {
        format!("use one of {}", shown.join(", "))
    };
    Some(refusal.hint(hint))
}

/// Allow patterns cover a command whose first words are theirs, and what it
/// runs in turn where they reach into it or another pattern covers that.
fn by_patterns(policy: &ShellPolicy, commands: &[Command], number: usize) -> Option<Box<Refusal>> {
    let patterns = policy.allowed_patterns();
    if patterns.is_empty() {
        return None;
    }
    let command = commands.get(number)?;
    if patterns.iter().any(|pattern| begins(&pattern.words, command.args(), &command.directories)) {
        return None;
    }
    let outer = command.outer.and_then(|outer| commands.get(outer));
    let reached = outer.is_some_and(|outer| {
        patterns.iter().any(|pattern| {
            pattern.words.len() + outer.offset > command.offset
                && begins(&pattern.words, outer.args(), &outer.directories)
        })
    });
    if reached {
        return None;
    }
    let shown: Vec<String> =
        patterns.iter().take(LISTED).map(|pattern| format!("`{}`", pattern.words.join(" "))).collect();
    let words: Vec<&str> = command.args().iter().take(4).map(crate::syntax::Arg::shown).collect();
    Some(
        refuse(command, format!("the command `{}` is not allowed", words.join(" ")))
            .hint(format!("begin it with {}", shown.join(" or "))),
    )
}

fn begins(pattern: &[String], args: &[Arg], directories: &Directories) -> bool {
    let (Some((program, words)), Some((first, rest))) = (pattern.split_first(), args.split_first()) else {
        return false;
    };
    let named = first.text().is_some_and(|name| {
        let policy = ShellPolicy::new().allow([program.as_str()]);
        is_named(&policy, &Program::of(name, &key_of(name)), directories)
    });
    named && words.len() <= rest.len() && words.iter().zip(rest).all(|(word, arg)| arg.is(word))
}

fn by_subcommands(policy: &ShellPolicy, command: &Command, program: &Program<'_>) -> Option<Box<Refusal>> {
    let entries = policy.subcommands_of(program.key)?;
    let args = command.args();
    let rest = args.get(after_globals(program.profile.name, args)..).unwrap_or_default();
    let covered = entries
        .iter()
        .any(|entry| entry.len() <= rest.len() && entry.iter().zip(rest).all(|(word, arg)| arg.is(word)));
    if covered {
        return None;
    }
    let given = rest.first().map_or(String::new(), |arg| format!(" {}", arg.shown()));
    let shown: Vec<String> =
        entries.iter().take(LISTED).map(|entry| format!("`{} {}`", program.key, entry.join(" "))).collect();
    Some(
        refuse(
            command,
            format!("`{}{given}` is not among the allowed uses of `{}`", program.key, program.key),
        )
        .hint(format!("use one of {}", shown.join(", "))),
    )
}

/// A builtin of the shell, or an assignment, where no shell runs the line.
fn without_shell(command: &Command, program: &Program<'_>, line: &CommandLine<'_>) -> Option<Box<Refusal>> {
    if line.mode == Mode::Sh || command.level > 0 || command.in_shell {
        return None;
    }
    if is_assignment(program.name) {
        return Some(
            refuse(command, format!("`{}` is no program: no shell reads the line", program.name))
                .hint(format!("to set a variable for one command, write `env {} …`", program.name)),
        );
    }
    if !is_shell_only(program.name) {
        return None;
    }
    let hint = match program.name {
        "cd" | "chdir" | "pushd" | "popd" => "give the directory as the working directory of the call",
        "export" | "readonly" | "unset" => "set a variable for one command with `env NAME=value …`",
        _ => "leave it out",
    };
    Some(
        refuse(command, format!("`{}` has no effect here: no shell reads the line", program.name)).hint(hint),
    )
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| crate::syntax::is_name(name))
}

/// The place of the first word behind the program's own global options.
pub(super) fn after_globals(program: &str, args: &[Arg]) -> usize {
    let mut at = 1;
    while let Some(word) = args.get(at).and_then(Arg::text) {
        match global(program, word) {
            Global::Whole => at += 1,
            Global::Needs if args.get(at + 1).is_some_and(Arg::is_one) => at += 2,
            Global::Needs | Global::Other => break,
        }
    }
    at
}
