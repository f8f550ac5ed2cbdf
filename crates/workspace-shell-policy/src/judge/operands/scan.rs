//! The options and operands of a program, by its rules.

use super::Touch;
use super::special::{FOLLOWS, LEAVES, LISTED};
use crate::judge::texts::may_be_option;
use crate::syntax::{Arg, Count};
use crate::tables::operands::{Operands, PathRules};
use crate::tables::outputs::Shape;

/// What the options and operands of a program touch.
pub(super) fn touches<'a>(rules: &'static PathRules, name: &str, args: &'a [Arg]) -> Vec<Touch<'a>> {
    let mut scan = Scan {
        rules,
        touches: Vec::new(),
        operands: Vec::new(),
        given: false,
        takes_files: matches!(name, "curl" | "gh"),
    };
    scan.words(args, name);
    scan.touches
}

struct Scan<'a> {
    rules: &'static PathRules,
    touches: Vec<Touch<'a>>,
    operands: Vec<&'a Arg>,
    /// An option gave the text that is the first operand otherwise.
    given: bool,
    /// A text of its options can name a file, as `@file`.
    takes_files: bool,
}

/// What becomes of the next word.
enum Wants {
    Nothing,
    Text,
    Path { writes: bool },
}

impl<'a> Scan<'a> {
    fn words(&mut self, args: &'a [Arg], name: &str) {
        let mut wants = Wants::Nothing;
        let mut options_end = false;
        let mut skip = 0;
        // `tar xhf a`: the first word is a cluster, with or without a dash.
        if let Some(bundle) = args.first().filter(|arg| name == "tar" && !arg.prefix().starts_with('-')) {
            bundle.prefix().chars().for_each(|letter| self.unseen_letter(letter, bundle));
        }
        for arg in args {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let prefix = arg.prefix();
            match std::mem::replace(&mut wants, Wants::Nothing) {
                Wants::Text => {
                    if self.takes_files {
                        self.at_file(prefix, arg);
                    }
                    continue;
                }
                Wants::Path { writes } => {
                    if self.takes_files {
                        self.at_file(prefix, arg);
                    }
                    self.word(arg, writes);
                    continue;
                }
                Wants::Nothing => {}
            }
            if options_end || !prefix.starts_with('-') || arg.is("-") {
                self.operands.push(arg);
                // What follows a script is the script's own.
                if self.rules.operands == Operands::Script {
                    break;
                }
                continue;
            }
            if arg.is("--") {
                options_end = true;
                if self.rules.operands == Operands::UntilDashes {
                    break;
                }
                continue;
            }
            if name == "jq" {
                skip = match prefix {
                    "--arg" | "--argjson" => 2,
                    "--slurpfile" | "--rawfile" => {
                        wants = Wants::Path { writes: false };
                        1
                    }
                    "--args" | "--jsonargs" => args.len(),
                    _ => 0,
                };
                if skip > 0 {
                    continue;
                }
            }
            wants = match prefix.strip_prefix("--") {
                Some(long) => self.long(long, arg),
                None => self.cluster(prefix.get(1..).unwrap_or_default(), arg),
            };
            // The text of a program follows; behind it stand its own arguments.
            if self.rules.operands == Operands::Script
                && matches!(wants, Wants::Text)
                && prefix.contains(['c', 'm', 'e'])
            {
                break;
            }
        }
        self.take_operands();
    }

    fn long(&mut self, long: &'a str, arg: &'a Arg) -> Wants {
        let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
        let rules = self.rules;
        self.given |= rules.gives.has_long(name);
        if rules.follows.has_long(name) && !rules.text.has_whole(name) {
            self.unseen(arg, FOLLOWS, false);
        }
        if rules.lists.has_long(name) {
            self.unseen(arg, LISTED, false);
        }
        if rules.leaves.has_long(name) {
            self.unseen(arg, LEAVES, false);
        }
        if rules.changes.has_long(name) {
            self.unseen(arg, "it changes its operands", true);
        }
        let writes = rules.write.has_long(name);
        let text = rules.text.has_whole(name)
            || (rules.text.has_long(name) && !writes && !rules.read.has_long(name));
        match value {
            _ if arg.runtime().is_some() && !(text && arg.is_one()) => {
                self.word(arg, writes);
                Wants::Nothing
            }
            Some(_) if text => Wants::Nothing,
            Some(value) => {
                self.path(value, arg, writes);
                Wants::Nothing
            }
            None if rules.text.has_whole(name) => Wants::Text,
            None if writes || rules.read.has_long(name) => Wants::Path { writes },
            None => Wants::Nothing,
        }
    }

    fn cluster(&mut self, letters: &'a str, arg: &'a Arg) -> Wants {
        let rules = self.rules;
        for (at, letter) in letters.char_indices() {
            let rest = letters.get(at + letter.len_utf8()..).unwrap_or_default();
            self.given |= rules.gives.has_letter(letter);
            self.unseen_letter(letter, arg);
            if rules.changes.has_letter(letter) {
                self.unseen(arg, "it changes its operands", true);
            }
            let writes = rules.write.has_letter(letter);
            if rules.lists.has_letter(letter) {
                return Wants::Path { writes: false };
            }
            if rules.text.has_letter(letter) {
                if self.takes_files {
                    self.at_file(rest, arg);
                }
                return if rest.is_empty() && arg.text().is_some() { Wants::Text } else { Wants::Nothing };
            }
            if rules.attached.contains(letter) {
                // `sed -i../out/*` puts the copies there.
                if matches!(letter, 'i' | 'I') && rest.contains('/') {
                    self.path(rest, arg, true);
                }
                return Wants::Nothing;
            }
            if writes || rules.read.has_letter(letter) {
                if rest.is_empty() && arg.text().is_some() {
                    return Wants::Path { writes };
                }
                if arg.runtime().is_some() {
                    self.word(arg, writes);
                } else {
                    self.path(rest.trim_start_matches('='), arg, writes);
                }
                return Wants::Nothing;
            }
        }
        // No letter that is known takes the rest; it may be a path all the same.
        if arg.runtime().is_some_and(|runtime| runtime.shape != Shape::Digits) {
            self.word(arg, false);
        } else if letters.contains(['/', '.', '~']) {
            let at = letters.find(['/', '.', '~']).unwrap_or_default();
            self.path(letters.get(at..).unwrap_or_default(), arg, false);
            let first = letters.chars().next().map_or(0, char::len_utf8);
            self.path(letters.get(first..).unwrap_or_default(), arg, false);
        }
        Wants::Nothing
    }

    /// A letter of an option that makes a program touch files that are not on its command line.
    fn unseen_letter(&mut self, letter: char, arg: &'a Arg) {
        let rules = self.rules;
        for (set, why) in [(rules.follows, FOLLOWS), (rules.lists, LISTED), (rules.leaves, LEAVES)] {
            if set.has_letter(letter) {
                self.unseen(arg, why, false);
            }
        }
    }

    /// `-d @file`, `-F name=@file`, `-F name=<file`.
    fn at_file(&mut self, value: &'a str, arg: &'a Arg) {
        if let Some((_, file)) = value.split_once(['@', '<']) {
            self.path(file, arg, false);
        }
    }

    fn take_operands(&mut self) {
        let operands = std::mem::take(&mut self.operands);
        let kind = self.rules.operands;
        for (place, arg) in operands.into_iter().enumerate() {
            let text = match kind {
                Operands::Words => true,
                Operands::TextThenPaths => {
                    place == 0 && !self.given && !arg.runtime().is_some_and(may_be_option)
                }
                _ => false,
            };
            if text {
                self.file_address(arg);
                self.named_file(arg);
                self.looked_up(arg);
                continue;
            }
            let writes = match kind {
                Operands::Written => true,
                Operands::SecondWritten => place == 1,
                _ => false,
            };
            self.word(arg, writes);
        }
    }

    /// A word may be an address: `file:///etc/passwd`.
    fn file_address(&mut self, arg: &'a Arg) {
        if let Some(path) = arg.prefix().strip_prefix("file:") {
            self.path(path.trim_start_matches("//"), arg, false);
        }
    }

    /// A word that names no file itself may name one as `@file`.
    fn named_file(&mut self, arg: &'a Arg) {
        if let Some(path) = arg.prefix().strip_prefix('@').filter(|path| path.starts_with(['/', '.'])) {
            self.path(path, arg, false);
        }
    }

    /// The shell itself looks up a glob, whatever the word means to the program.
    fn looked_up(&mut self, arg: &'a Arg) {
        let glob = arg.runtime().filter(|runtime| runtime.count == Count::Glob);
        if glob.is_some_and(|glob| glob.source.starts_with(['/', '~']) || glob.source.contains("..")) {
            self.touches.push(Touch::word(arg, false));
        }
    }

    fn word(&mut self, arg: &'a Arg, writes: bool) {
        self.file_address(arg);
        self.touches.push(Touch::word(arg, writes));
    }

    fn path(&mut self, path: &'a str, arg: &'a Arg, writes: bool) {
        if !path.is_empty() {
            self.touches.push(Touch::path(path, &arg.span, writes));
        }
    }

    fn unseen(&mut self, arg: &'a Arg, why: &'static str, writes: bool) {
        // A change of what is named is judged by the names.
        if writes && self.rules.operands != Operands::Words {
            self.touches.push(Touch::path(".", &arg.span, writes));
        } else {
            self.touches.push(Touch::unseen(why, &arg.span, writes));
        }
    }
}
