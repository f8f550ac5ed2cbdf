//! Reading the options of a wrapper by its exact grammar.

use crate::syntax::{Arg, Span};
use crate::tables::wrappers::{Opt, Takes};

/// An option as given.
#[derive(Debug)]
pub(super) struct Given<'a> {
    pub(super) option: &'static Opt,
    /// Its value, where it has one that is known.
    pub(super) value: Option<&'a str>,
    pub(super) span: Span,
}

/// The options from `from` on, and the place of the first operand.
///
/// # Errors
/// The place of the first word that the grammar does not explain.
pub(super) fn read<'a>(
    options: &'static [Opt],
    numbers: bool,
    args: &'a [Arg],
    from: usize,
) -> Result<(Vec<Given<'a>>, usize), usize> {
    let mut given = Vec::new();
    let mut at = from;
    while let Some(arg) = args.get(at) {
        let Some(word) = arg.text() else {
            // A word whose start is known and is no dash is an operand, if it is one word.
            let operand = arg.is_one() && arg.prefix().starts_with(|c| c != '-');
            return if operand { Ok((given, at)) } else { Err(at) };
        };
        if word == "--" {
            return Ok((given, at + 1));
        }
        let used = if let Some(long) = word.strip_prefix("--") {
            read_long(options, long, args, at, &mut given).or_else(|| number(numbers, long))
        } else if word.len() > 1 && word.starts_with('-') {
            let letters = word.get(1..).unwrap_or_default();
            number(numbers, letters).or_else(|| read_cluster(options, letters, args, at, &mut given))
        } else {
            return Ok((given, at));
        };
        at += used.ok_or(at)?;
    }
    Ok((given, at))
}

/// `nice -5`, `nice --5`, `nice -+5`.
fn number(numbers: bool, text: &str) -> Option<usize> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    (numbers && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(1)
}

/// How many words a long option uses.
fn read_long<'a>(
    options: &'static [Opt],
    text: &'a str,
    args: &'a [Arg],
    at: usize,
    given: &mut Vec<Given<'a>>,
) -> Option<usize> {
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    let mut candidates =
        options.iter().filter(|option| !option.long.is_empty() && option.long.starts_with(name));
    let exact = options.iter().find(|option| option.long == name && !name.is_empty());
    let option = if let Some(option) = exact {
        option
    } else {
        let first = candidates.next().filter(|_| !name.is_empty())?;
        if candidates.next().is_some() {
            return None;
        }
        first
    };
    let span = args.get(at)?.span.clone();
    match (option.takes, value) {
        (Takes::Nothing, Some(_)) => None,
        (Takes::Value, None) => next_value(option, args, at, given),
        (_, value) => {
            given.push(Given { option, value, span });
            Some(1)
        }
    }
}

/// How many words a cluster of short options uses.
fn read_cluster<'a>(
    options: &'static [Opt],
    letters: &'a str,
    args: &'a [Arg],
    at: usize,
    given: &mut Vec<Given<'a>>,
) -> Option<usize> {
    let span = args.get(at)?.span.clone();
    for (offset, letter) in letters.char_indices() {
        let option = options.iter().find(|option| option.short == letter && letter != '\0')?;
        let rest = letters.get(offset + letter.len_utf8()..).unwrap_or_default();
        match option.takes {
            Takes::Nothing => given.push(Given { option, value: None, span: span.clone() }),
            Takes::Value if rest.is_empty() => return next_value(option, args, at, given),
            Takes::Value | Takes::Attached => {
                let value = Some(rest).filter(|rest| !rest.is_empty());
                given.push(Given { option, value, span });
                return Some(1);
            }
        }
    }
    Some(1)
}

/// Takes the next word, whatever it is, as the value: it must be exactly one word.
fn next_value<'a>(
    option: &'static Opt,
    args: &'a [Arg],
    at: usize,
    given: &mut Vec<Given<'a>>,
) -> Option<usize> {
    let next = args.get(at + 1).filter(|next| next.is_one())?;
    given.push(Given { option, value: next.text(), span: next.span.clone() });
    Some(2)
}
