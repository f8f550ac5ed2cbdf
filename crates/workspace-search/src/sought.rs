//! A pattern as a call gives it, which may be no pattern and still a path.

use workspace_core::{Error, ErrorKind, PathRules, Result};

use crate::Pattern;

/// What a text of a call looks for.
#[derive(Debug)]
pub(crate) struct Sought {
    pub(crate) pattern: Pattern,
    /// Why the text is no pattern. It is the answer where no file has it for its path.
    pub(crate) refusal: Option<Error>,
}

impl Sought {
    pub(crate) fn parse(text: &str, rules: &PathRules) -> Result<Self> {
        match Pattern::parse(text, rules) {
            Ok(pattern) => Ok(Self { pattern, refusal: None }),
            Err(refusal) if refusal.kind() == ErrorKind::InvalidPattern => {
                match Pattern::literal(text, rules) {
                    Ok(pattern) => Ok(Self { pattern, refusal: Some(refusal) }),
                    Err(_) => Err(refusal),
                }
            }
            Err(error) => Err(error),
        }
    }
}
