//! Scripts of sed: what they run, read and write.

use super::texts::may_be_option;
use crate::steps::step;
use crate::syntax::Arg;

/// What a script does besides editing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Doings {
    /// It runs a command, or was not understood.
    pub(super) runs: bool,
    /// Files, and whether each is written.
    pub(super) files: Vec<(String, bool)>,
}

/// Where a script that runs a command, or a word that may be one, stands.
pub(super) fn carrier(args: &[Arg]) -> Option<&Arg> {
    match scripts(args) {
        Err(arg) => Some(arg),
        Ok(scripts) => {
            let last = *scripts.last()?;
            doings(&joined(&scripts)).runs.then_some(last.arg)
        }
    }
}

/// What the scripts of a command do; `Err` gives the word that hides a script.
pub(super) fn doings_of(args: &[Arg]) -> Result<Doings, &Arg> {
    scripts(args).map(|scripts| doings(&joined(&scripts)))
}

fn joined(scripts: &[Script<'_>]) -> String {
    let texts: Vec<&str> = scripts.iter().map(|script| script.text).collect();
    texts.join("\n")
}

#[derive(Debug, Clone, Copy)]
struct Script<'a> {
    text: &'a str,
    arg: &'a Arg,
}

/// The scripts on the command line, or the word that may hide one.
fn scripts(args: &[Arg]) -> Result<Vec<Script<'_>>, &Arg> {
    let mut scripts = Vec::new();
    let mut first = None;
    let mut given = false;
    let mut options_end = false;
    let mut words = args.iter().skip(1);
    while let Some(arg) = words.next() {
        let Some(word) = arg.text() else {
            if (!options_end && arg.runtime().is_some_and(may_be_option)) || first.is_none() && !given {
                return Err(arg);
            }
            continue;
        };
        if options_end || !word.starts_with('-') || word == "-" {
            first = first.or(Some(Script { text: word, arg }));
            continue;
        }
        if word == "--" {
            options_end = true;
            continue;
        }
        let option = match word.strip_prefix("--") {
            Some(long) => long_option(long),
            None => cluster(word.get(1..).unwrap_or_default()),
        };
        match option {
            Sed::Script(Some(text)) => scripts.push(Script { text, arg }),
            Sed::Script(None) => {
                let next = words.next().ok_or(arg)?;
                scripts.push(Script { text: next.text().ok_or(next)?, arg: next });
            }
            // What stands in a file is not seen: it may run commands.
            Sed::File => return Err(arg),
            Sed::Number { attached: false } => {
                words.next();
            }
            _ => {}
        }
        given |= matches!(option, Sed::Script(_));
    }
    if !given {
        scripts.extend(first);
    }
    Ok(scripts)
}

/// An option of sed, as far as scripts are concerned.
#[derive(Clone, Copy)]
enum Sed<'a> {
    Script(Option<&'a str>),
    File,
    Number { attached: bool },
    Other,
}

fn long_option(long: &str) -> Sed<'_> {
    let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
    let begins = |whole: &str| !name.is_empty() && whole.starts_with(name);
    if begins("expression") {
        Sed::Script(value)
    } else if begins("file") {
        Sed::File
    } else if begins("line-length") {
        Sed::Number { attached: value.is_some() }
    } else {
        Sed::Other
    }
}

fn cluster(letters: &str) -> Sed<'_> {
    for (at, letter) in letters.char_indices() {
        let rest = letters.get(at + letter.len_utf8()..).filter(|rest| !rest.is_empty());
        match letter {
            'e' => return Sed::Script(rest),
            'f' => return Sed::File,
            'l' => return Sed::Number { attached: rest.is_some() },
            // The rest is the ending of backup files.
            'i' | 'I' => return Sed::Other,
            _ => {}
        }
    }
    Sed::Other
}

/// Reads a script.
pub(super) fn doings(script: &str) -> Doings {
    step(script.len());
    let mut reader = Reader {
        rest: script.chars().collect::<Vec<char>>().into_iter().peekable(),
        doings: Doings::default(),
    };
    if reader.script().is_none() {
        reader.doings.runs = true;
    }
    reader.doings
}

struct Reader {
    rest: std::iter::Peekable<std::vec::IntoIter<char>>,
    doings: Doings,
}

impl Reader {
    /// Reads to the end; `None` where something is not understood.
    fn script(&mut self) -> Option<()> {
        loop {
            self.pass(|c| c.is_whitespace() || matches!(c, ';' | '}'));
            let Some(c) = self.rest.peek().copied() else { return Some(()) };
            if c == '#' {
                self.line();
                continue;
            }
            self.addresses()?;
            let command = self.rest.next()?;
            self.command(command)?;
        }
    }

    fn addresses(&mut self) -> Option<()> {
        if self.address()? {
            self.blanks();
            if self.rest.next_if_eq(&',').is_some() {
                self.blanks();
                if self.rest.next_if(|c| matches!(c, '+' | '~')).is_some() {
                    self.pass(|c| c.is_ascii_digit());
                } else if !self.address()? {
                    return None;
                }
            }
        }
        self.pass(|c| matches!(c, ' ' | '\t' | '!'));
        Some(())
    }

    fn address(&mut self) -> Option<bool> {
        match self.rest.peek()? {
            '$' => {
                self.rest.next();
            }
            '0'..='9' => {
                self.pass(|c| c.is_ascii_digit());
                if self.rest.next_if_eq(&'~').is_some() {
                    self.pass(|c| c.is_ascii_digit());
                }
            }
            '/' => {
                self.rest.next();
                self.up_to('/')?;
                self.pass(|c| matches!(c, 'I' | 'M'));
            }
            '\\' => {
                self.rest.next();
                let delimiter = self.rest.next()?;
                self.up_to(delimiter)?;
                self.pass(|c| matches!(c, 'I' | 'M'));
            }
            _ => return Some(false),
        }
        Some(true)
    }

    fn command(&mut self, command: char) -> Option<()> {
        match command {
            '{' => Some(()),
            '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => self.end(),
            'l' | 'L' | 'q' | 'Q' => {
                self.blanks();
                self.pass(|c| c.is_ascii_digit());
                self.end()
            }
            'a' | 'i' | 'c' => {
                self.text();
                Some(())
            }
            ':' | 'b' | 't' | 'T' | 'v' => {
                self.blanks();
                self.pass(|c| !c.is_whitespace() && !matches!(c, ';' | '}'));
                self.end()
            }
            'r' | 'R' | 'w' | 'W' => {
                self.blanks();
                let name = self.line();
                self.doings.files.push((name, command.eq_ignore_ascii_case(&'w')));
                Some(())
            }
            's' => {
                let delimiter = self.rest.next()?;
                self.up_to(delimiter)?;
                self.up_to(delimiter)?;
                self.flags()
            }
            'y' => {
                let delimiter = self.rest.next()?;
                self.up_to(delimiter)?;
                self.up_to(delimiter)?;
                self.end()
            }
            // `e` runs a command; anything else is not known.
            _ => None,
        }
    }

    fn flags(&mut self) -> Option<()> {
        loop {
            match self.rest.peek() {
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {
                    self.rest.next();
                }
                Some('w') => {
                    self.rest.next();
                    self.blanks();
                    let name = self.line();
                    self.doings.files.push((name, true));
                    return Some(());
                }
                _ => return self.end(),
            }
        }
    }

    /// What may stand behind a command.
    fn end(&mut self) -> Option<()> {
        self.blanks();
        match self.rest.peek() {
            None | Some(';' | '\n' | '}' | '#') => Some(()),
            Some(_) => None,
        }
    }

    /// Passes a part up to its delimiter. A backslash takes the next character.
    fn up_to(&mut self, delimiter: char) -> Option<()> {
        if matches!(delimiter, '\n' | '\\') {
            return None;
        }
        loop {
            match self.rest.next()? {
                '\\' => {
                    self.rest.next()?;
                }
                '\n' => return None,
                c if c == delimiter => return Some(()),
                _ => {}
            }
        }
    }

    /// Passes the text of `a`, `i` or `c`: lines that end in a backslash go on.
    fn text(&mut self) {
        while let Some(c) = self.rest.next() {
            match c {
                '\\' => {
                    self.rest.next();
                }
                '\n' => return,
                _ => {}
            }
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        while let Some(c) = self.rest.next_if(|c| *c != '\n') {
            line.push(c);
        }
        line
    }

    fn blanks(&mut self) {
        self.pass(|c| matches!(c, ' ' | '\t'));
    }

    fn pass(&mut self, takes: impl Fn(char) -> bool) {
        while self.rest.next_if(|c| takes(*c)).is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::{Doings, doings};

    #[track_caller]
    fn check(script: &str, runs: bool, files: &[(&str, bool)]) {
        let files = files.iter().map(|(name, writes)| ((*name).to_owned(), *writes)).collect();
        assert_eq!(doings(script), Doings { runs, files }, "{script}");
    }

    #[test]
    fn r_wrap_2_sed_scripts() {
        check("s/foo/bar/g", false, &[]);
        check("1,10p; /x/d; $!N", false, &[]);
        check("s|/a/e|/b|", false, &[]);
        check("s/a/b/e", true, &[]);
        check("s/a/b/ge", true, &[]);
        check("1e rm x", true, &[]);
        check("e", true, &[]);
        check("/x/{s/e/f/;p}", false, &[]);
        check("a\\\ne rm x", false, &[]);
        check("a text\ne rm x", true, &[]);
        check("w out", false, &[("out", true)]);
        check("s/a/b/w out\nr in", false, &[("out", true), ("in", false)]);
        check("\\,x,d", false, &[]);
        check("y/abc/xyz/;1~2p;0,/re/Id", false, &[]);
        check(":a;N;$!ba;s/\\n/ /g", false, &[]);
        check("# e\np", false, &[]);
        check("s/[/]/x/", true, &[]);
        check("s/a", true, &[]);
        check("", false, &[]);
    }
}
