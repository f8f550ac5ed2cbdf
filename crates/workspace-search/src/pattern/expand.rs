//! Tokens to alternatives: braces are multiplied out, so that what is left is plain lists of components.

use workspace_core::{Error, ErrorKind, Result};

use super::parse::Token;

/// Into how many alternatives the braces of a pattern may multiply.
const MAX_ALTERNATIVES: usize = 512;

/// Every pattern without braces that the tokens stand for, by components.
///
/// Empty components and `.` are dropped, as they are in paths.
pub(super) fn expand(tokens: &[Token]) -> Result<Vec<Vec<Vec<&Token>>>> {
    Ok(multiply(tokens)?.into_iter().map(|tokens| split(&tokens)).collect())
}

fn multiply(tokens: &[Token]) -> Result<Vec<Vec<&Token>>> {
    let mut made: Vec<Vec<&Token>> = vec![Vec::new()];
    for token in tokens {
        let Token::Choice(branches) = token else {
            for alternative in &mut made {
                alternative.push(token);
            }
            continue;
        };
        let mut ends = Vec::new();
        for branch in branches {
            ends.extend(multiply(branch)?);
        }
        if made.len().saturating_mul(ends.len()) > MAX_ALTERNATIVES {
            return Err(too_many());
        }
        made = made.iter().flat_map(|start| ends.iter().map(move |end| [&start[..], end].concat())).collect();
    }
    Ok(made)
}

fn split<'a>(tokens: &[&'a Token]) -> Vec<Vec<&'a Token>> {
    tokens
        .split(|token| **token == Token::Separator)
        .filter(|component| !matches!(component, [] | [Token::Char('.')]))
        .map(<[&Token]>::to_vec)
        .collect()
}

fn too_many() -> Error {
    Error::new(
        ErrorKind::UnsafePattern,
        format!("the braces of the pattern multiply to more than {MAX_ALTERNATIVES} alternatives"),
    )
    .hint("use fewer braces, or search several times")
}
