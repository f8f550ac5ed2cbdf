//! What git is made to start.

use super::flags::Table;
use super::lists::after_globals;
use super::texts::may_be_option;
use crate::ShellPolicy;
use crate::syntax::Arg;
use crate::tables::git::{REMOTE, RUNNING, RUNNING_WITH, flags, is_alias_key, is_command_key};
use crate::tables::globals::{Global, global};

/// Where a word that makes git start another program stands.
pub(super) fn carrier<'a>(policy: &ShellPolicy, args: &'a [Arg]) -> Option<&'a Arg> {
    if let Some(arg) = global_carrier(args) {
        return Some(arg);
    }
    let at = after_globals("git", args);
    let subcommand = args.get(at)?;
    let rest = args.get(at + 1..).unwrap_or_default();
    let Some(name) = subcommand.text() else { return Some(subcommand) };
    // An option that is not known may take the next word: the subcommand is not known.
    if name.starts_with('-') {
        return (!rest.is_empty() && global("git", name) == Global::Other && !is_question(name))
            .then_some(subcommand);
    }
    if RUNNING.contains(&name) {
        return Some(subcommand);
    }
    for flags in flags(name) {
        let table =
            Table { short: flags.short, long: flags.long, single: &[], valued: flags.valued, harmless: &[] };
        if let Some(arg) = table.find(rest) {
            return Some(arg);
        }
    }
    let found = by_operand(name, rest).or_else(|| match name {
        "config" => setting(policy, rest),
        "clone" => config_values(rest).find(|(key, _)| names_command(key)).map(|(_, arg)| arg),
        _ => None,
    });
    found.or_else(|| address(name, rest))
}

/// Options that only print something.
fn is_question(option: &str) -> bool {
    matches!(
        option,
        "--version"
            | "-v"
            | "--help"
            | "-h"
            | "--html-path"
            | "--man-path"
            | "--info-path"
            | "--exec-path"
            | "--build-options"
    )
}

/// A global option that sets a command, or moves git's own programs.
fn global_carrier(args: &[Arg]) -> Option<&Arg> {
    let mut at = 1;
    while let Some(arg) = args.get(at) {
        let prefix = arg.prefix();
        let setting = prefix.strip_prefix("-c").filter(|rest| !rest.is_empty());
        let setting = setting.or_else(|| prefix.strip_prefix("--config-env="));
        if setting.is_some_and(names_command) || prefix.starts_with("--exec-path=") {
            return Some(arg);
        }
        let Some(word) = arg.text() else {
            return (at == 1 || arg.prefix().starts_with('-'))
                .then_some(arg)
                .filter(|arg| arg.runtime().is_some_and(may_be_option));
        };
        match global("git", word) {
            Global::Whole => at += 1,
            Global::Needs => {
                let value = args.get(at + 1)?;
                if matches!(word, "-c" | "--config-env")
                    && (value.prefix().is_empty() || names_command(value.prefix()))
                {
                    return Some(value);
                }
                at += 2;
            }
            Global::Other => return None,
        }
    }
    None
}

/// Whether a setting in `key=value` names a command or makes a new subcommand.
fn names_command(setting: &str) -> bool {
    let key = setting.split('=').next().unwrap_or(setting);
    is_command_key(key) || is_alias_key(key)
}

fn by_operand<'a>(name: &str, rest: &'a [Arg]) -> Option<&'a Arg> {
    let (_, words) = RUNNING_WITH.iter().find(|(subcommand, _)| *subcommand == name)?;
    let first = rest.iter().find(|arg| !arg.text().is_some_and(|word| word.starts_with('-')))?;
    first.text().is_none_or(|word| words.contains(&word)).then_some(first)
}

/// `-c key=value` and `--config key=value` of `clone`.
fn config_values(rest: &[Arg]) -> impl Iterator<Item = (&str, &Arg)> {
    let mut wanted = false;
    rest.iter().filter_map(move |arg| {
        let word = arg.prefix();
        if std::mem::take(&mut wanted) {
            return Some((word, arg));
        }
        if let Some(value) = word.strip_prefix("--config=") {
            return Some((value, arg));
        }
        if word == "--config" {
            wanted = true;
            return None;
        }
        let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
        let (_, value) = letters.split_once('c')?;
        wanted = value.is_empty();
        (!value.is_empty()).then_some((value, arg))
    })
}

/// A `git config` that stores a setting which names a command, or opens an editor.
fn setting<'a>(policy: &ShellPolicy, rest: &'a [Arg]) -> Option<&'a Arg> {
    for (at, arg) in rest.iter().enumerate() {
        let Some(word) = arg.text() else {
            return Some(arg).filter(|_| !reads(rest));
        };
        let edits = matches!(word, "-e")
            || (word.len() > 3 && "--edit".starts_with(word))
            || at == 0 && word == "edit";
        if edits && !reads(rest) {
            return Some(arg);
        }
        if reads(rest) {
            return None;
        }
        // Any section can become one whose settings name commands.
        let renames = word.len() > 4 && "--rename-section".starts_with(word);
        if renames || at == 0 && word == "rename-section" {
            return Some(arg);
        }
        let value = rest.get(at + 1);
        if is_command_key(word) && value.is_some() {
            return Some(arg);
        }
        if is_alias_key(word) {
            let value = value?;
            let shell = value.text().is_none_or(|text| text.starts_with('!'));
            return (shell || !policy.denied_patterns().is_empty()).then_some(value);
        }
    }
    None
}

/// Whether a `git config` only reads: its action stands before anything that takes a value.
fn reads(rest: &[Arg]) -> bool {
    for arg in rest {
        match arg.text() {
            Some(
                "--global" | "--local" | "--system" | "--worktree" | "-z" | "--null" | "--name-only"
                | "--show-origin" | "--show-scope",
            ) => {}
            Some(word) => {
                return word.starts_with("--get")
                    || matches!(
                        word,
                        "get" | "list" | "-l" | "--list" | "--unset" | "--unset-all" | "unset"
                    );
            }
            None => return false,
        }
    }
    false
}

/// An address that names a helper program: `ext::…`.
fn address<'a>(name: &str, rest: &'a [Arg]) -> Option<&'a Arg> {
    if !REMOTE.contains(&name) {
        return None;
    }
    rest.iter().find(|arg| {
        let text = arg.prefix();
        let text = text.rsplit_once('=').map_or(text, |(_, value)| value);
        let helper = text.split_once("::").is_some_and(|(helper, _)| {
            !helper.is_empty() && helper.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        });
        helper || text.contains("-oProxyCommand")
    })
}
