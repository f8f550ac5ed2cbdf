//! Patterns over the words of a command.

use std::fmt;

use regex::{Regex, RegexBuilder};

use super::PolicyError;
use crate::judge::key_of;
use crate::syntax::split;
use crate::tables::options::{OptionTable, Spelling};
use crate::tables::programs::profile;

/// Most bytes of a compiled expression.
pub(super) const COMPILED_BYTES: usize = 1 << 20;

/// A pattern of commands that never run.
///
/// A deny pattern is a seat belt. What a command does through a script, a
/// makefile or a hook is out of its sight.
#[derive(Clone)]
pub struct DenyPattern(Rule);

#[derive(Clone)]
pub(crate) enum Rule {
    Words(WordPattern),
    Regex(Regex),
}

impl DenyPattern {
    /// A pattern of words: `git push --force`.
    ///
    /// The first word is the program, by basename and in any case. The other
    /// words that are no options must be the first operands, in order; each
    /// option must be among the options before `--`, wherever it stands. Known
    /// short and long names of one option, clusters (`-fu`) and abbreviations
    /// count; a word that is known only when the line runs counts where it
    /// could complete the match.
    ///
    /// # Errors
    /// No word at all, or an open quote.
    pub fn words(pattern: &str) -> Result<Self, PolicyError> {
        let words = words_of(pattern)?;
        let (program, rest) = words.split_first().ok_or(PolicyError::Empty)?;
        Ok(Self(Rule::Words(WordPattern::new(pattern, program, rest))))
    }

    /// A regular expression that is searched in the command's words joined by
    /// one blank, the program by its basename.
    ///
    /// It is weaker than a pattern of words: it sees no option behind another
    /// spelling. Anchor it (`^git reset --hard\b`): without a program at its
    /// start it refuses every command that has a word known only when the line
    /// runs, since it cannot be shown not to match.
    ///
    /// # Errors
    /// An expression that does not compile or compiles to more than 1 MiB.
    pub fn regex(pattern: &str) -> Result<Self, PolicyError> {
        if pattern.is_empty() {
            return Err(PolicyError::Empty);
        }
        let regex = RegexBuilder::new(pattern).size_limit(COMPILED_BYTES).build().map_err(|error| {
            PolicyError::Regex { pattern: pattern.to_owned(), message: error.to_string() }
        })?;
        Ok(Self(Rule::Regex(regex)))
    }

    /// The pattern as it was given.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Rule::Words(pattern) => &pattern.source,
            Rule::Regex(regex) => regex.as_str(),
        }
    }

    pub(crate) const fn rule(&self) -> &Rule {
        &self.0
    }
}

impl fmt::Debug for DenyPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Rule::Words(_) => write!(f, "Words({:?})", self.as_str()),
            Rule::Regex(_) => write!(f, "Regex({:?})", self.as_str()),
        }
    }
}

fn words_of(pattern: &str) -> Result<Vec<String>, PolicyError> {
    let words = split(pattern)
        .map_err(|refusal| PolicyError::Words { pattern: pattern.to_owned(), message: refusal.message })?;
    Ok(words.iter().filter_map(|word| word.text().map(str::to_owned)).collect())
}

/// A pattern of words, taken apart for the program it names.
#[derive(Clone)]
pub(crate) struct WordPattern {
    source: String,
    pub(crate) program: String,
    pub(crate) operands: Vec<String>,
    pub(crate) options: Vec<OptionPattern>,
    /// What is known of the options of its program.
    pub(crate) table: OptionTable,
    /// Operands of `git push` that stand for an option: their first character,
    /// and the places of the option among those of the pattern, as bits.
    pub(crate) refspecs: Vec<(char, u64)>,
}

/// Beyond so many operands or options, the rest of a pattern is taken as
/// matched: the places of the first ones are kept as bits.
pub(crate) const MAX_PARTS: usize = 60;

/// One option that must be among those of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OptionPattern {
    /// All names of the option.
    pub(crate) spellings: Vec<Spelling>,
    /// The value it must have, where the pattern gives one.
    pub(crate) value: Option<String>,
}

impl WordPattern {
    fn new(source: &str, program: &str, rest: &[String]) -> Self {
        let program = key_of(program).into_owned();
        let mut operands = Vec::new();
        let mut options = Vec::new();
        let mut ended = false;
        for word in rest {
            if ended || !word.starts_with('-') || word == "-" {
                operands.push(word.clone());
            } else if word == "--" {
                ended = true;
            } else {
                options.push(word.as_str());
            }
        }
        let known = profile(&program).name;
        let name = if known.is_empty() { program.as_str() } else { known };
        let table = OptionTable::of(name, operands.first().map(String::as_str));
        let pushes = name == "git" && operands.first().is_some_and(|operand| operand == "push");
        let options = options.into_iter().flat_map(|word| read_option(&table, word)).collect();
        let mut pattern =
            Self { source: source.to_owned(), program, operands, options, table, refspecs: Vec::new() };
        if pushes {
            pattern.refspecs = vec![('+', pattern.places("force")), (':', pattern.places("delete"))];
        }
        pattern
    }

    /// The places of the options that have this long name, as bits.
    fn places(&self, long: &str) -> u64 {
        let named = |option: &OptionPattern| option.spellings.contains(&Spelling::Long(long.to_owned()));
        let places = self.options.iter().enumerate().take(MAX_PARTS).filter(|(_, option)| named(option));
        places.fold(0, |bits, (place, _)| bits | 1 << place)
    }
}

/// The options that a word of a pattern stands for: a cluster is several.
fn read_option(table: &OptionTable, word: &str) -> Vec<OptionPattern> {
    let named = |spelling: Spelling, value: Option<&str>| OptionPattern {
        spellings: table.spellings(&spelling),
        value: value.map(str::to_owned),
    };
    if let Some(long) = word.strip_prefix("--") {
        let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
        return vec![named(Spelling::Long(name.to_owned()), value)];
    }
    let letters = word.strip_prefix('-').unwrap_or(word);
    if table.single_dash && letters.chars().count() > 1 {
        return vec![named(Spelling::Single(letters.to_owned()), None)];
    }
    let mut single = [0; 4];
    let mut found = Vec::new();
    for letter in letters.chars() {
        let several = table.combined(letter).unwrap_or(letter.encode_utf8(&mut single));
        found.extend(several.chars().map(|letter| named(Spelling::Short(letter), None)));
    }
    found
}

/// A pattern with whose words an allowed line begins.
#[derive(Debug, Clone)]
pub(crate) struct AllowPattern {
    pub(crate) words: Vec<String>,
}

impl AllowPattern {
    pub(super) fn new(pattern: &str) -> Result<Self, PolicyError> {
        let words = words_of(pattern)?;
        if words.is_empty() {
            return Err(PolicyError::Empty);
        }
        Ok(Self { words })
    }
}
