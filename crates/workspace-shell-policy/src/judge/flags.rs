//! Options that carry a command.

use super::texts::may_be_option;
use super::{Program, awk, conditions, git, sed};
use crate::course::Command;
use crate::syntax::{Arg, Count, Runtime};
use crate::tables::flags::CommandFlags;
use crate::tables::outputs::Shape;
use crate::{Reason, Refusal, ShellPolicy};

/// The refusal of a command with an option that carries another command.
pub(super) fn carries_command(
    policy: &ShellPolicy,
    command: &Command,
    program: &Program<'_>,
) -> Option<Box<Refusal>> {
    let word = carrying_word(policy, command, program)?;
    if word.runtime().is_some() {
        return None;
    }
    let name = program.profile.name;
    if matches!(name, "sed" | "awk") && names_script_file(word) {
        let message =
            format!("the script that `{}` gives to `{}` is not seen here", word.shown(), program.key);
        return Some(
            Refusal::new(Reason::NestedCommand, word.span.clone(), message)
                .hint("write the script itself on the command line"),
        );
    }
    let message = format!("`{}` makes `{}` start another program", word.shown(), program.key);
    let hint = match name {
        "sed" | "awk" => "leave out the part of the script that starts a program",
        "fd" => "use `find … -exec … {} +`, which is read",
        _ => "leave the option out and run the other program on its own",
    };
    Some(Refusal::new(Reason::NestedCommand, word.span.clone(), message).hint(hint))
}

/// Whether an option of `sed` or `awk` takes the script from a file.
fn names_script_file(word: &Arg) -> bool {
    let letters = word.prefix().trim_start_matches('-');
    word.prefix().starts_with('-')
        && letters.find(['e', 'f']).is_some_and(|at| letters[at..].starts_with('f'))
}

/// The refusal of a command with a word that may turn out to be such an option.
pub(super) fn may_carry_command(
    policy: &ShellPolicy,
    command: &Command,
    program: &Program<'_>,
) -> Option<Box<Refusal>> {
    let word = carrying_word(policy, command, program)?;
    let runtime = word.runtime()?;
    let message = format!(
        "`{}` is known only when the line runs, and could make `{}` start another program",
        word.shown(),
        program.key
    );
    let hint = if runtime.prefix.is_empty() && runtime.count == Count::Glob {
        "begin the file names with `./`"
    } else {
        "write the value itself"
    };
    Some(Refusal::new(Reason::NestedCommand, word.span.clone(), message).hint(hint))
}

/// The word that carries a command, or may turn out to.
fn carrying_word<'a>(policy: &ShellPolicy, command: &'a Command, program: &Program<'_>) -> Option<&'a Arg> {
    let args = command.args();
    let name = program.profile.name;
    match name {
        "git" => git::carrier(policy, args),
        "sed" => sed::carrier(args),
        "awk" => awk::carrier(args),
        _ => {
            let tables = program.profile.flags.iter();
            tables.copied().find_map(|flags| carrier(flags, args)).or_else(|| conditions::carrier(name, args))
        }
    }
}

/// Where an option of the table, or a word that may be one, stands.
fn carrier<'a>(flags: &CommandFlags, args: &'a [Arg]) -> Option<&'a Arg> {
    let rest = args.get(1..).unwrap_or_default();
    if !flags.subcommands.is_empty() {
        let has = |arg: &Arg| arg.text().is_some_and(|word| flags.subcommands.contains(&word));
        if !rest.iter().any(has) {
            return None;
        }
    }
    let table = Table {
        short: flags.short,
        long: flags.long,
        single: flags.single,
        valued: flags.valued,
        harmless: flags.harmless,
    };
    table.find(rest)
}

/// Options to look for.
pub(super) struct Table {
    pub(super) short: &'static str,
    pub(super) long: &'static [&'static str],
    pub(super) single: &'static [&'static str],
    pub(super) valued: &'static str,
    pub(super) harmless: &'static [&'static str],
}

impl Table {
    /// Where one of the options, or a word that may be one, stands.
    ///
    /// Values of other options are looked at too, since which options take one
    /// is not known. So is a word behind a `--` that may itself be a value.
    pub(super) fn find<'a>(&self, args: &'a [Arg]) -> Option<&'a Arg> {
        let mut after_option = false;
        for arg in args {
            let found = match (arg.text(), arg.runtime()) {
                (Some("--"), _) if !after_option => return None,
                (Some(word), _) => {
                    after_option =
                        word.len() > 1 && word.starts_with('-') && !word.contains('=') && word != "--";
                    self.is(word)
                }
                (None, Some(runtime)) => {
                    after_option = false;
                    self.may_be(runtime)
                }
                (None, None) => false,
            };
            if found {
                return Some(arg);
            }
        }
        None
    }

    fn is(&self, word: &str) -> bool {
        if let Some(long) = word.strip_prefix("--") {
            let name = long.split('=').next().unwrap_or(long);
            return !name.is_empty()
                && !self.harmless.contains(&name)
                && (self.long.iter().any(|carrier| carrier.starts_with(name))
                    || self.single.contains(&name));
        }
        let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            return false;
        };
        // A value may be attached.
        self.single.iter().any(|carrier| letters.starts_with(carrier)) || self.in_cluster(letters)
    }

    fn in_cluster(&self, letters: &str) -> bool {
        for letter in letters.chars() {
            if self.short.contains(letter) {
                return true;
            }
            if self.valued.contains(letter) {
                return false;
            }
        }
        false
    }

    /// Whether a word that only the shell knows may be one of the options.
    fn may_be(&self, runtime: &Runtime) -> bool {
        if !may_be_option(runtime) {
            return false;
        }
        let prefix = runtime.prefix.as_str();
        if runtime.count == Count::Many || matches!(prefix, "" | "-" | "--") {
            return true;
        }
        match prefix.strip_prefix("--") {
            Some(long) if long.contains('=') => self.is(prefix),
            Some(long) => self.long.iter().chain(self.single).any(|carrier| carrier.starts_with(long)),
            None => {
                let letters = prefix.strip_prefix('-').unwrap_or(prefix);
                let valued = letters.chars().any(|letter| self.valued.contains(letter));
                self.in_cluster(letters)
                    || self.single.iter().any(|carrier| carrier.starts_with(letters))
                    || (!self.short.is_empty() && !valued && runtime.shape != Shape::Digits)
            }
        }
    }
}
