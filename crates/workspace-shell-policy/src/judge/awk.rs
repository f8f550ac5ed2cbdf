//! Programs of awk: what they run, read and write.

use super::texts::may_be_option;
use crate::steps::step;
use crate::syntax::Arg;

/// What a program does besides printing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Doings {
    /// It starts a command, or may.
    pub(super) runs: bool,
    /// Files that are named, and whether each is written; without a name where
    /// that is known only when it runs.
    pub(super) files: Vec<(Option<String>, bool)>,
    /// It may change which files are read.
    pub(super) arguments: bool,
}

/// Where a program that starts a command, or a word that may be one, stands.
pub(super) fn carrier(args: &[Arg]) -> Option<&Arg> {
    match programs(args) {
        Err(arg) => Some(arg),
        Ok(programs) => programs.iter().find(|(text, _)| doings(text).runs).map(|(_, arg)| *arg),
    }
}

/// What the programs on the command line do; `Err` gives the word that hides one.
pub(super) fn doings_of(args: &[Arg]) -> Result<Vec<Doings>, &Arg> {
    Ok(programs(args)?.iter().map(|(text, _)| doings(text)).collect())
}

type Program<'a> = (&'a str, &'a Arg);

/// The program texts, or the word that may hide one or loads code.
fn programs(args: &[Arg]) -> Result<Vec<Program<'_>>, &Arg> {
    let mut programs = Vec::new();
    let mut given = false;
    let mut words = args.iter().skip(1);
    while let Some(arg) = words.next() {
        let Some(word) = arg.text() else {
            return if given && !arg.runtime().is_some_and(may_be_option) { Ok(programs) } else { Err(arg) };
        };
        let letters = match word.strip_prefix('-') {
            None | Some("") => {
                // The first operand; options end here.
                if !given {
                    programs.push((word, arg));
                }
                return Ok(programs);
            }
            Some("-") => {
                if !given {
                    let next = words.next().ok_or(arg)?;
                    programs.push((next.text().ok_or(next)?, next));
                }
                return Ok(programs);
            }
            Some(letters) => letters,
        };
        let (kind, attached) = match letters.strip_prefix('-') {
            Some(long) => {
                let (name, value) =
                    long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                (long_kind(name), value)
            }
            None => cluster(letters),
        };
        match kind {
            Kind::Flag => {}
            Kind::Code => return Err(arg),
            Kind::Value => {
                if attached.is_none() && words.next().is_none_or(|next| !next.is_one()) {
                    return Err(arg);
                }
            }
            Kind::Text => {
                given = true;
                if let Some(text) = attached {
                    programs.push((text, arg));
                } else {
                    let next = words.next().ok_or(arg)?;
                    programs.push((next.text().ok_or(next)?, next));
                }
            }
        }
    }
    Ok(programs)
}

/// What an option of awk takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Flag,
    Value,
    Text,
    /// Code in a file, which is not seen, or a form that some kinds of awk read as code.
    Code,
}

fn long_kind(name: &str) -> Kind {
    let begins = |whole: &str| !name.is_empty() && whole.starts_with(name);
    if begins("source") {
        Kind::Text
    } else if begins("assign") || begins("field-separator") {
        Kind::Value
    } else if begins("file") || begins("exec") || begins("include") || begins("load") || begins("debug") {
        Kind::Code
    } else {
        Kind::Flag
    }
}

fn cluster(letters: &str) -> (Kind, Option<&str>) {
    for (at, letter) in letters.char_indices() {
        let rest = letters.get(at + letter.len_utf8()..).filter(|rest| !rest.is_empty());
        let kind = match letter {
            'F' | 'v' => Kind::Value,
            'e' => Kind::Text,
            'f' | 'E' | 'i' | 'l' | 'W' | 'D' => Kind::Code,
            'o' | 'p' | 'd' | 'L' => return (Kind::Flag, rest),
            _ => continue,
        };
        return (kind, rest);
    }
    (Kind::Flag, None)
}

/// Reads a program text.
pub(super) fn doings(text: &str) -> Doings {
    let dangerous = text.contains(['|', '@']) || text.contains("system");
    if !dangerous
        && !text.contains('>')
        && !text.contains("getline")
        && !text.contains("ARG")
        && !text.contains("SYMTAB")
    {
        return Doings::default();
    }
    let mut reader =
        Reader { chars: text.chars().collect(), at: 0, doings: Doings::default(), unsure: false };
    reader.program();
    // Where the text can be read in two ways, all of it counts as code.
    reader.doings.runs |= reader.unsure && dangerous;
    if reader.unsure && text.contains('>') {
        reader.doings.files.push((None, true));
    }
    reader.doings
}

/// What stood before: it decides whether a `/` divides or begins an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Operator,
    Operand,
    Parenthesis,
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    doings: Doings,
    unsure: bool,
}

impl Reader {
    fn program(&mut self) {
        let mut before = Before::Operator;
        let mut depth = 0_usize;
        // The depth of parentheses at a `print`, where `>` names a file.
        let mut print: Option<usize> = None;
        let mut getline = false;
        while let Some(c) = self.peek(0) {
            let start = self.at;
            self.at += 1;
            match c {
                ' ' | '\t' | '\r' => continue,
                '\\' => {
                    self.at += 1;
                    continue;
                }
                '\n' => {
                    if before != Before::Operator {
                        (print, getline) = (None, false);
                    }
                    before = Before::Operator;
                    continue;
                }
                '#' => {
                    while self.peek(0).is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                    continue;
                }
                '"' => {
                    self.string();
                    before = Before::Operand;
                    continue;
                }
                '/' if before == Before::Operator => {
                    self.expression();
                    before = Before::Operand;
                    continue;
                }
                '/' => self.unsure |= before == Before::Parenthesis,
                '|' if self.peek(0) == Some('|') => self.at += 1,
                '|' | '@' => self.doings.runs = true,
                '>' if self.peek(0) == Some('=') => self.at += 1,
                '>' if print == Some(depth) => {
                    self.at += usize::from(self.peek(0) == Some('>'));
                    self.target(true);
                }
                '<' if getline && self.peek(0) != Some('=') => self.target(false),
                '(' | '[' => depth += 1,
                ')' | ']' => {
                    depth = depth.saturating_sub(1);
                    getline &= c != ')';
                    before = if c == ')' { Before::Parenthesis } else { Before::Operand };
                    continue;
                }
                ';' | '{' | '}' => (print, getline) = (None, false),
                '.' | '0'..='9' => {
                    before = Before::Operand;
                    continue;
                }
                c if c == '_' || c.is_alphabetic() => {
                    while self.peek(0).is_some_and(|c| c == '_' || c.is_alphanumeric()) {
                        self.at += 1;
                    }
                    let word: String = self.chars.get(start..self.at).unwrap_or_default().iter().collect();
                    before = Before::Operator;
                    match word.as_str() {
                        "print" | "printf" => print = Some(depth),
                        "getline" => getline = true,
                        "system" if self.next_visible() == Some('(') => self.doings.runs = true,
                        "ARGV" | "ARGC" | "ARGIND" | "SYMTAB" => {
                            self.doings.arguments = true;
                            before = Before::Operand;
                        }
                        "return" | "in" | "else" | "do" | "case" | "if" | "while" | "for" | "switch"
                        | "exit" | "delete" => {}
                        _ => before = Before::Operand,
                    }
                    continue;
                }
                '+' | '-' if self.peek(0) == Some(c) => {
                    self.at += 1;
                    continue;
                }
                _ => {}
            }
            before = Before::Operator;
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        step(1);
        self.chars.get(self.at + ahead).copied()
    }

    fn next_visible(&self) -> Option<char> {
        let rest = self.chars.get(self.at..).unwrap_or_default();
        rest.iter().copied().find(|c| !matches!(c, ' ' | '\t'))
    }

    /// Passes a string; its text where it holds no backslash.
    fn string(&mut self) -> Option<String> {
        let mut text = String::new();
        let mut plain = true;
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                '"' => return plain.then_some(text),
                '\\' => {
                    self.at += 1;
                    plain = false;
                }
                '\n' => {
                    self.unsure = true;
                    return None;
                }
                c => text.push(c),
            }
        }
        self.unsure = true;
        None
    }

    /// Passes a regular expression. Kinds of awk differ on a slash in brackets.
    fn expression(&mut self) {
        let mut brackets = false;
        while let Some(c) = self.peek(0) {
            self.at += 1;
            match c {
                '\\' => self.at += 1,
                '[' => brackets = true,
                ']' => brackets = false,
                '/' if brackets => {
                    self.unsure = true;
                    return;
                }
                '/' => return,
                '\n' => break,
                _ => {}
            }
        }
        self.unsure = true;
    }

    /// The file after `>` or `<`: a lone string, or something else.
    fn target(&mut self, writes: bool) {
        while matches!(self.peek(0), Some(' ' | '\t')) {
            self.at += 1;
        }
        let mut name = None;
        if self.peek(0) == Some('"') {
            self.at += 1;
            name = self.string();
            if !matches!(self.next_visible(), None | Some(';' | '}' | '\n' | ')' | '#')) {
                name = None;
            }
        }
        self.doings.files.push((name, writes));
    }
}

#[cfg(test)]
mod tests {
    use super::{Doings, doings};

    #[track_caller]
    fn runs(text: &str, runs: bool) {
        assert_eq!(doings(text).runs, runs, "{text}");
    }

    #[test]
    fn r_wrap_2_awk_programs_that_run() {
        runs("BEGIN { system(\"rm x\") }", true);
        runs("BEGIN { system (\"rm x\") }", true);
        runs("BEGIN { \"rm x\" | getline }", true);
        runs("{ print | \"rm x\" }", true);
        runs("{ print |& \"rm x\" }", true);
        runs("@load \"system\"", true);
        runs("BEGIN { f = \"system\"; @f(\"rm x\") }", true);
        runs("{ system_time += $1 } END { print system_time }", false);
        runs("/a|b/ { print $1 }", false);
        runs("$1 ~ /a|b/ || $2 { print \"a|b\" } # system(\"x\")", false);
        runs("{ x = a / b; print \"|\" / c }", false);
        runs("{ if ($1) /a|b/ }", true);
        runs("/[/|]/", true);
        runs("{ print \"a", false);
    }

    #[test]
    fn files_of_awk_programs() {
        let files = |text: &str| doings(text).files;
        assert_eq!(files("{ print > \"out\" }"), [(Some("out".to_owned()), true)]);
        assert_eq!(files("{ print $1, $2 >> \"out\" }"), [(Some("out".to_owned()), true)]);
        assert_eq!(files("{ print > $1 }"), [(None, true)]);
        assert_eq!(files("{ print > \"a\" $1 }"), [(None, true)]);
        assert_eq!(files("$1 > 5 { print ($2 > 3) }"), []);
        assert_eq!(files("{ while ((getline line < \"in\") > 0) n++ }"), [(Some("in".to_owned()), false)]);
        assert_eq!(
            doings("BEGIN { ARGV[1] = \"/etc/passwd\" }"),
            Doings { arguments: true, ..Doings::default() }
        );
    }
}
