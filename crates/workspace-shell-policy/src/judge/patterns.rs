//! Deny patterns.

use super::lists::after_globals;
use super::texts::{is_option, may_be_option, may_equal};
use super::{Program, regexes};
use crate::course::Command;
use crate::policy::{MAX_PARTS, OptionPattern, Rule, WordPattern};
use crate::syntax::{Arg, Count, Runtime};
use crate::tables::options::Spelling;
use crate::tables::outputs::Shape;
use crate::{Reason, Refusal, ShellPolicy};

/// The refusal of a command that a deny pattern matches, or may match.
pub(super) fn denied(policy: &ShellPolicy, command: &Command, program: &Program<'_>) -> Option<Box<Refusal>> {
    if policy.denied_patterns().is_empty() {
        return None;
    }
    let args = command.args_with_input();
    let mut subcommand = None;
    let pattern = policy.denied_patterns().iter().find(|pattern| match pattern.rule() {
        Rule::Words(words) if words.program != program.key => false,
        rule => {
            let subcommand = *subcommand.get_or_insert_with(|| after_globals(program.profile.name, &args));
            match rule {
                Rule::Words(words) if begins_otherwise(words, args.get(subcommand)) => false,
                Rule::Words(words) => Match::new(words, program, &args, subcommand).matches(),
                Rule::Regex(regex) => regexes::matches(regex, program.basename(), &args, subcommand),
            }
        }
    })?;
    let unknown = args.iter().find(|arg| arg.runtime().is_some());
    let refusal = match unknown {
        None => Refusal::new(
            Reason::DeniedPattern,
            command.span.clone(),
            format!("the command matches the denied `{}`", pattern.as_str()),
        )
        .hint(way_out(pattern.as_str())),
        Some(arg) => Refusal::new(
            Reason::DeniedPattern,
            command.span.clone(),
            format!("with `{}` the command may become the denied `{}`", arg.shown(), pattern.as_str()),
        )
        .hint(match arg.runtime() {
            Some(runtime) if runtime.source == "…" => "end the options with `--` before what `xargs` adds",
            Some(runtime) if runtime.count == Count::Glob => "begin the file names with `./`",
            _ => "write the value itself",
        }),
    };
    Some(refusal)
}

/// What to try instead of a command that matches a pattern.
fn way_out(pattern: &str) -> String {
    let options: Vec<String> = pattern
        .split_whitespace()
        .filter(|word| word.starts_with('-'))
        .map(|word| format!("`{word}`"))
        .collect();
    if options.is_empty() {
        "do it another way".to_owned()
    } else {
        format!("leave out {}, whatever its spelling, or do it another way", options.join(" or "))
    }
}

/// Whether the first word is an operand, and not that of the pattern: most
/// patterns are settled by that.
fn begins_otherwise(pattern: &WordPattern, first: Option<&Arg>) -> bool {
    let operand = first.and_then(Arg::text).filter(|word| !word.starts_with('-'));
    matches!((operand, pattern.operands.first()), (Some(word), Some(wanted)) if word != wanted)
}

/// A pattern of words held against a command.
struct Match<'a> {
    pattern: &'a WordPattern,
    program: &'a Program<'a>,
    /// The words between the program and the subcommand.
    before: &'a [Arg],
    /// The words from the subcommand on.
    args: &'a [Arg],
    subcommand: Option<&'a str>,
    /// How many operands of the pattern may be matched by now, as bits.
    reached: u64,
    /// Which options of the pattern were found, as bits.
    found: u64,
}

impl<'a> Match<'a> {
    fn new(pattern: &'a WordPattern, program: &'a Program<'a>, args: &'a [Arg], subcommand: usize) -> Self {
        let before = args.get(1..subcommand).unwrap_or_default();
        let args = args.get(subcommand..).unwrap_or_default();
        let subcommand = pattern.operands.first().map(String::as_str);
        Self { pattern, program, before, args, subcommand, reached: 1, found: 0 }
    }

    fn table(&self) -> &'static str {
        self.program.profile.name
    }

    fn matches(mut self) -> bool {
        let operands = self.pattern.operands.len().min(MAX_PARTS);
        let options = self.pattern.options.len().min(MAX_PARTS);
        let mut options_end = false;
        let mut after_option = false;
        // `npm -g install x`. The global options of git are no options of a subcommand.
        let before = if self.table() == "git" { &[] } else { self.before };
        for (at, arg) in before.iter().enumerate() {
            if is_option(arg) {
                self.take_option(arg, before.get(at + 1));
            }
        }
        for (at, arg) in self.args.iter().enumerate() {
            if self.reached == 0 {
                return false;
            }
            if !options_end && arg.is("--") {
                // Behind an option, `--` may be its value.
                options_end = !after_option;
                after_option = false;
                continue;
            }
            if !options_end && is_option(arg) {
                self.take_option(arg, self.args.get(at + 1));
            }
            match arg.runtime() {
                None if !options_end && is_option(arg) => {
                    after_option = self.may_take_next(arg.shown());
                    continue;
                }
                None => self.take_operand(arg.shown(), after_option, options_end),
                Some(runtime) => self.take_unknown(runtime, after_option, options_end),
            }
            after_option = arg.runtime().is_some_and(may_be_option) && !options_end;
        }
        self.reached & (1 << operands) != 0 && self.found == (1 << options) - 1
    }

    fn may_take_next(&self, word: &str) -> bool {
        !word.contains('=') && self.pattern.table.may_take_next(word)
    }

    /// A word that is an operand, or behind an option perhaps its value.
    fn take_operand(&mut self, word: &str, after_option: bool, options_end: bool) {
        let last = self.pattern.operands.len().min(MAX_PARTS);
        let mut next = if after_option && !options_end { self.reached } else { self.reached & (1 << last) };
        for (at, operand) in self.pattern.operands.iter().take(last).enumerate() {
            if self.reached & (1 << at) != 0 && operand == word {
                next |= 1 << (at + 1);
            }
        }
        self.take_refspec(|mark| word.starts_with(mark));
        self.reached = next;
    }

    fn take_unknown(&mut self, runtime: &Runtime, after_option: bool, options_end: bool) {
        let last = self.pattern.operands.len().min(MAX_PARTS);
        let skips = runtime.count != Count::One || after_option || (!options_end && may_be_option(runtime));
        let mut next = if skips { self.reached } else { self.reached & (1 << last) };
        for (at, operand) in self.pattern.operands.iter().take(last).enumerate() {
            // One word may be one operand, several words several in a row.
            let from = if runtime.count == Count::One { self.reached } else { next | self.reached };
            if from & (1 << at) != 0 && may_equal(runtime, operand) {
                next |= 1 << (at + 1);
            }
        }
        self.take_refspec(|start| {
            runtime.count == Count::Many
                || runtime.prefix.starts_with(start)
                || (runtime.prefix.is_empty() && runtime.shape == Shape::Any)
        });
        self.reached = next;
    }

    /// `git push origin +main` forces, and `:main` deletes.
    fn take_refspec(&mut self, begins: impl Fn(char) -> bool) {
        for (mark, places) in &self.pattern.refspecs {
            if begins(*mark) {
                self.found |= places;
            }
        }
    }

    /// Notes which options of the pattern a word is, or may be.
    fn take_option(&mut self, arg: &Arg, next: Option<&Arg>) {
        for (at, option) in self.pattern.options.iter().take(MAX_PARTS).enumerate() {
            let is = match (arg.text(), arg.runtime()) {
                (Some(word), _) => self.is(option, word, next),
                (None, Some(runtime)) => self.may_be(option, runtime),
                (None, None) => false,
            };
            if is {
                self.found |= 1 << at;
            }
        }
    }

    fn is(&self, option: &OptionPattern, word: &str, next: Option<&Arg>) -> bool {
        let table = self.table();
        let value_is = |attached: Option<&str>| match (&option.value, attached) {
            (None, _) => true,
            (Some(wanted), Some(given)) => wanted == given,
            (Some(wanted), None) => next.is_some_and(|next| super::runners::could_be(next, wanted)),
        };
        option.spellings.iter().any(|spelling| match spelling {
            Spelling::Long(name) => word.strip_prefix("--").is_some_and(|long| {
                let (given, value) =
                    long.split_once('=').map_or((long, None), |(given, value)| (given, Some(value)));
                let same =
                    given == name || (name.starts_with(given) && self.pattern.table.may_abbreviate(given));
                // `git push --mirror` forces too.
                let forces =
                    table == "git" && self.subcommand == Some("push") && name == "force" && given == "mirror";
                (same && value_is(value)) || forces
            }),
            Spelling::Single(name) => {
                let bare = word.trim_start_matches('-');
                let (given, value) =
                    bare.split_once('=').map_or((bare, None), |(given, value)| (given, Some(value)));
                given == name && value_is(value)
            }
            Spelling::Short(letter) => self.cluster_has(word, *letter, &value_is),
        })
    }

    fn cluster_has(&self, word: &str, wanted: char, value_is: &dyn Fn(Option<&str>) -> bool) -> bool {
        let table = &self.pattern.table;
        let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.starts_with('-')) else {
            return false;
        };
        if table.single_dash {
            return letters.chars().eq([wanted]) && value_is(None);
        }
        for (at, letter) in letters.char_indices() {
            let rest = letters.get(at + letter.len_utf8()..).filter(|rest| !rest.is_empty());
            let several = table.combined(letter);
            if letter == wanted || several.is_some_and(|several| several.contains(wanted)) {
                return value_is(rest) || value_is(rest.and_then(|rest| rest.strip_prefix('=')));
            }
            if table.takes_rest(letter) {
                return false;
            }
        }
        false
    }

    /// Whether a word that may be an option may be this one.
    #[allow(clippy::unused_self)] // It stands beside its sibling, which asks the tables.
    fn may_be(&self, option: &OptionPattern, runtime: &Runtime) -> bool {
        let prefix = runtime.prefix.as_str();
        if runtime.count == Count::Many || prefix.is_empty() || prefix == "-" {
            return may_be_option(runtime);
        }
        option.spellings.iter().any(|spelling| match spelling {
            Spelling::Long(name) => prefix.strip_prefix("--").is_some_and(|long| {
                let given = long.split('=').next().unwrap_or(long);
                name.starts_with(given)
            }),
            Spelling::Single(name) => name.starts_with(prefix.trim_start_matches('-')),
            Spelling::Short(letter) => {
                !prefix.starts_with("--")
                    && (runtime.shape != Shape::Digits || letter.is_ascii_digit() || prefix.contains(*letter))
            }
        })
    }
}
