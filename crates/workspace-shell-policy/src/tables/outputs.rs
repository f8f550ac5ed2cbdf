//! Commands whose output is one harmless word.
//!
//! Inside `$( )` such a command can become neither an option nor several
//! words nor a path that leads anywhere. What they print is fixed by the
//! program, not by a file.

/// What a part of a word that the shell fills in looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shape {
    /// Not known.
    Any,
    /// Begins with a letter or digit; letters, digits, `_`, `-`, `.` and `:` follow.
    Plain,
    /// Digits only.
    Digits,
}

/// Commands by their words; `…` stands for any number of words that are no options.
const OUTPUTS: &[(&[&str], Shape)] = &[
    (&["date", "+%F"], Shape::Plain),
    (&["date", "+%Y-%m-%d"], Shape::Plain),
    (&["date", "+%Y%m%d"], Shape::Digits),
    (&["date", "+%s"], Shape::Digits),
    (&["git", "merge-base", "…"], Shape::Plain),
    (&["git", "rev-parse", "--short", "HEAD"], Shape::Plain),
    (&["git", "rev-parse", "HEAD"], Shape::Plain),
    (&["id", "-g"], Shape::Digits),
    (&["id", "-u"], Shape::Digits),
    (&["nproc"], Shape::Digits),
    (&["uname", "-m"], Shape::Plain),
    (&["uname", "-s"], Shape::Plain),
];

/// What a command prints, by its words; those that are not known are `None`.
pub(crate) fn output(words: &[Option<&str>]) -> Shape {
    let prints = |pattern: &[&str]| match pattern.split_last() {
        Some((&"…", start)) => {
            words.len() > start.len()
                && words.iter().zip(start).all(|(word, known)| *word == Some(known))
                && words.iter().skip(start.len()).all(|word| word.is_some_and(|word| !word.starts_with('-')))
        }
        _ => {
            words.len() == pattern.len()
                && words.iter().zip(pattern).all(|(word, known)| *word == Some(known))
        }
    };
    OUTPUTS.iter().find(|(pattern, _)| prints(pattern)).map_or(Shape::Any, |(_, shape)| *shape)
}
