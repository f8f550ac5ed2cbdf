//! The words of a line that no shell will see.

use super::characters::{is_deceptive, name_of};
use super::operators::{Operator, first_operator};
use super::{Arg, Parse, Span};
use crate::limits::MAX_WORDS;
use crate::steps::step;
use crate::{Reason, Refusal};

/// Splits a line into words: quotes and backslashes are undone, nothing else
/// is expanded, and an operator outside quotes is refused.
pub(crate) fn split(line: &str) -> Parse<Vec<Arg>> {
    if let Some(at) = line.find('\0') {
        return Err(hidden(at, '\0'));
    }
    let mut words = Vec::new();
    let mut word: Option<(String, usize)> = None;
    let mut at = 0;
    while let Some(c) = char_at(line, at) {
        if words.len() == MAX_WORDS {
            return Err(Refusal::syntax(at..line.len(), format!("the line has more than {MAX_WORDS} words"))
                .hint("split it into several calls"));
        }
        let rest = line.get(at..).unwrap_or_default();
        match c {
            ' ' | '\t' => {
                finish(&mut word, &mut words, at);
                at += 1;
            }
            '\\' => match char_at(line, at + 1) {
                Some('\n') => at += 2,
                Some(escaped) => {
                    open(&mut word, at).push(escaped);
                    at += 1 + escaped.len_utf8();
                }
                None => {
                    return Err(Refusal::new(
                        Reason::UnbalancedQuotes,
                        at..at + 1,
                        "the line ends in a backslash",
                    )
                    .hint("remove the backslash, or write it as `\\\\`"));
                }
            },
            '\'' => {
                let Some(length) = rest.get(1..).and_then(|rest| rest.find('\'')) else {
                    return Err(unclosed(at..line.len(), '\''));
                };
                open(&mut word, at).push_str(rest.get(1..=length).unwrap_or_default());
                at += length + 2;
            }
            '"' => at = double_quoted(line, at, open(&mut word, at))?,
            c => {
                if let Some((operator, length)) = Operator::at(rest, word.is_none()) {
                    return Err(operator_refused(line, operator, at..at + length));
                }
                if is_deceptive(c) {
                    return Err(hidden(at, c));
                }
                open(&mut word, at).push(c);
                at += c.len_utf8();
            }
        }
    }
    finish(&mut word, &mut words, line.len());
    Ok(words)
}

fn char_at(line: &str, at: usize) -> Option<char> {
    step(1);
    line.get(at..)?.chars().next()
}

fn open(word: &mut Option<(String, usize)>, at: usize) -> &mut String {
    &mut word.get_or_insert_with(|| (String::new(), at)).0
}

fn finish(word: &mut Option<(String, usize)>, words: &mut Vec<Arg>, end: usize) {
    if let Some((text, start)) = word.take() {
        words.push(Arg::known(text, start..end));
    }
}

/// Reads from the quote at `open` to behind the one that closes it.
fn double_quoted(line: &str, open: usize, text: &mut String) -> Parse<usize> {
    let mut at = open + 1;
    loop {
        match char_at(line, at) {
            None => return Err(unclosed(open..line.len(), '"')),
            Some('"') => return Ok(at + 1),
            Some('\\') => match char_at(line, at + 1) {
                Some('\n') => at += 2,
                Some(escaped @ ('"' | '\\' | '$' | '`')) => {
                    text.push(escaped);
                    at += 2;
                }
                _ => {
                    text.push('\\');
                    at += 1;
                }
            },
            Some(c) => {
                text.push(c);
                at += c.len_utf8();
            }
        }
    }
}

fn unclosed(span: Span, quote: char) -> Box<Refusal> {
    Refusal::new(Reason::UnbalancedQuotes, span, format!("a `{quote}` quote is not closed")).hint(
        if quote == '\'' {
            "close the quote; to write a `'` inside single quotes, use double quotes around the word"
        } else {
            "close the quote; to write a `\"` inside double quotes, put a backslash before it"
        },
    )
}

fn hidden(at: usize, c: char) -> Box<Refusal> {
    Refusal::new(
        Reason::Metacharacter,
        at..at + c.len_utf8(),
        format!("{} stands outside quotes", name_of(c)),
    )
    .hint("separate words by spaces, and put quotes around text that needs the character")
}

/// The refusal of an operator, with what to do instead.
pub(crate) fn operator_refused(line: &str, operator: Operator, span: Span) -> Box<Refusal> {
    let token = line.get(span.clone()).unwrap_or_default().to_owned();
    let named = match token.as_str() {
        "\n" => "a newline".to_owned(),
        "\r" => "a carriage return".to_owned(),
        "`" => "a backtick".to_owned(),
        token => format!("`{token}`"),
    };
    let refusal = Refusal::new(
        Reason::Metacharacter,
        span,
        format!("{named} is not supported here: no shell reads the line"),
    );
    match operator {
        Operator::And | Operator::Sequence | Operator::Newline => {
            let parts = separate_commands(line);
            let mut refusal = match parts.len() {
                0 | 1 => return refusal.hint(format!("run one command without {named}")),
                2..=5 => {
                    let list: Vec<String> = parts.iter().map(|part| format!("`{part}`")).collect();
                    refusal.hint(format!("run {} as separate commands", list.join(", then ")))
                }
                count => refusal.hint(format!("run its {count} commands one after the other, each in a call of its own")),
            };
            refusal.split = parts;
            refusal
        }
        Operator::Or => refusal.hint("run the first command, look at its exit code, then run the second if it failed"),
        Operator::Pipe => refusal.hint("run the first command alone and work on its output; most programs have an option that filters"),
        Operator::Background => refusal.hint("leave out `&`; to run a command in the background use the background option of the call"),
        Operator::Redirect => refusal.hint("leave out the redirection: the output is returned; write files with the write tool"),
        Operator::Expansion => refusal.hint("nothing is expanded here: write the value itself, or put single quotes around a literal `$`"),
        Operator::Substitution => refusal.hint("run the inner command first and write its output into this one, or put single quotes around literal text"),
        Operator::Group => refusal.hint("put quotes around a literal parenthesis; commands cannot be grouped"),
        Operator::Comment => refusal.hint("leave out the comment, or put quotes around a word that begins with `#`"),
    }
}

/// The line cut at `&&`, `;` and newlines outside quotes; empty where another
/// operator makes the parts useless on their own.
fn separate_commands(line: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = line;
    loop {
        match first_operator(rest, false) {
            None => {
                parts.push(rest.trim().to_owned());
                break;
            }
            Some((Operator::And | Operator::Sequence | Operator::Newline, span)) => {
                parts.push(rest.get(..span.start).unwrap_or_default().trim().to_owned());
                rest = rest.get(span.end..).unwrap_or_default();
            }
            Some(_) => return Vec::new(),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}
