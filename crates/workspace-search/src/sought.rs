//! A pattern as a call gives it, which may be no pattern and still a path.

use workspace_core::{Error, ErrorKind, GlobQuery, GrepQuery, PathRules, Result};

use crate::{FileTypes, Pattern};

/// What a text of a call looks for.
#[derive(Debug)]
pub struct Sought {
    /// The pattern, or the text as nothing but a path where it is none.
    pub pattern: Pattern,
    /// Why the text is no pattern. It is the answer where no file has it for its path.
    pub refusal: Option<Error>,
    /// The same pattern at any depth, for a glob without `/` that is about the base alone.
    pub deeper: Option<Pattern>,
}

impl Sought {
    /// Which files a glob is about.
    ///
    /// # Errors
    /// Those of [`Pattern::parse`], unless the text may still be a path.
    pub fn by_name(query: &GlobQuery, rules: &PathRules) -> Result<Self> {
        let mut sought = Self::parse(&query.pattern, rules)?;
        if sought.refusal.is_none() && sought.pattern.is_bare() {
            if query.bare_any_depth {
                sought.pattern = sought.pattern.at_any_depth();
            } else {
                sought.deeper = Some(sought.pattern.clone().at_any_depth());
            }
        }
        Ok(sought)
    }

    /// Which files a grep reads. Without `/` its glob is about names at any depth.
    ///
    /// # Errors
    /// Those of [`Pattern::parse`], unless the text may still be a path, and those of [`FileTypes::new`].
    pub fn to_read(query: &GrepQuery, rules: &PathRules) -> Result<Self> {
        let types = FileTypes::new(&query.types)?;
        let Some(glob) = &query.glob else {
            return Ok(Self { pattern: Pattern::all().of_types(types), refusal: None, deeper: None });
        };
        let mut sought = Self::parse(glob, rules)?;
        if sought.pattern.is_bare() {
            sought.pattern = sought.pattern.at_any_depth();
        }
        sought.pattern = sought.pattern.of_types(types);
        Ok(sought)
    }

    fn parse(text: &str, rules: &PathRules) -> Result<Self> {
        match Pattern::parse(text, rules) {
            Ok(pattern) => Ok(Self { pattern, refusal: None, deeper: None }),
            Err(refusal) if refusal.kind() == ErrorKind::InvalidPattern => {
                match Pattern::literal(text, rules) {
                    Ok(pattern) => Ok(Self { pattern, refusal: Some(refusal), deeper: None }),
                    Err(_) => Err(refusal),
                }
            }
            Err(error) => Err(error),
        }
    }
}
