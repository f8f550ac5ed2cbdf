//! Judging commands: every rule on every command, the most severe reason first.

pub(crate) mod awk;
mod conditions;
mod flags;
mod git;
mod interpreters;
mod lists;
mod operands;
mod patterns;
mod programs;
mod regexes;
mod runners;
pub(crate) mod sed;
pub(crate) mod texts;

pub(crate) use operands::questions;
pub(crate) use programs::{Program, is_named, key_of};
pub(crate) use regexes::literal_start as regex_start;

use crate::course::Command;
use crate::{CommandContext, CommandDecision, CommandLine, Reason, Refusal, ShellPolicy};

/// The refusal of the first command that a rule refuses.
pub(crate) fn judge(
    policy: &ShellPolicy,
    commands: &[Command],
    line: &CommandLine<'_>,
) -> Option<Box<Refusal>> {
    for (number, command) in commands.iter().enumerate() {
        let Some(program) = command.program() else { continue };
        let refusal = programs::denied(policy, command, &program)
            .or_else(|| lists::not_allowed(policy, commands, number, &program, line))
            .or_else(|| nested(policy, command, &program))
            .or_else(|| patterns::denied(policy, command, &program))
            .or_else(|| {
                if policy.restricts() { flags::may_carry_command(policy, command, &program) } else { None }
            })
            .or_else(|| if policy.refuses_writes() { operands::writes(command, &program) } else { None });
        if let Some(refusal) = refusal {
            return Some(about(refusal, command));
        }
    }
    let predicate = policy.predicate()?;
    for (position, command) in commands.iter().enumerate() {
        let context = CommandContext {
            line: line.text,
            mode: line.mode,
            position,
            span: command.span.clone(),
            directories: command.directories.known(),
            background: line.background,
        };
        let words = command.to_words();
        let decide = std::panic::AssertUnwindSafe(|| predicate(&words, &context));
        let why = match std::panic::catch_unwind(decide) {
            Ok(CommandDecision::Allow) => continue,
            Ok(CommandDecision::Deny(why)) => why,
            Err(_) => "the rule for commands failed, so nothing is allowed".to_owned(),
        };
        let refusal = Refusal::new(Reason::NotAllowed, command.span.clone(), why).hint("run another command");
        return Some(about(refusal, command));
    }
    None
}

/// Whether a command hides another one: it could not be followed, it is a
/// runner, it is given program text, or an option carries a command.
fn nested(policy: &ShellPolicy, command: &Command, program: &Program<'_>) -> Option<Box<Refusal>> {
    if !policy.restricts() {
        return None;
    }
    if let Some(hidden) = &command.hidden {
        return Some(hidden.clone());
    }
    if policy.denies() && !is_named(policy, program, &command.directories) {
        let refusal =
            runners::opaque(command, program).or_else(|| interpreters::given_text(command, program));
        if refusal.is_some() {
            return refusal;
        }
    }
    flags::carries_command(policy, command, program)
}

/// Names the command in its refusal.
fn about(mut refusal: Box<Refusal>, command: &Command) -> Box<Refusal> {
    if refusal.command.is_empty() {
        refusal.command = command.to_words();
    }
    refusal
}
