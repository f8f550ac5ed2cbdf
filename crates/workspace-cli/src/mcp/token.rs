//! The secret that a client of the HTTP server must know.

use std::path::Path;

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use subtle::ConstantTimeEq;

use crate::failure::Failure;

/// Where the token is looked for when no file is named.
const VARIABLE: &str = "WORKSPACE_MCP_TOKEN";

/// The fewest characters of a token that was chosen elsewhere.
const FEWEST: usize = 16;

/// A bearer token. It is never printed but where it was made here.
pub(super) struct Token {
    secret: String,
    /// Whether it was made here, so that the owner has to be told.
    made_here: bool,
}

impl Token {
    /// From a file, from the environment, or made anew.
    pub(super) fn new(file: Option<&Path>) -> Result<Self, Failure> {
        if let Some(file) = file {
            #[allow(clippy::disallowed_methods)] // The program's own configuration, outside of any workspace.
            let text = std::fs::read_to_string(file).map_err(|error| {
                Failure::usage(
                    format!("the token file `{}` could not be read: {error}", file.display()),
                    format!("name a file that holds the token alone, or set {VARIABLE}"),
                )
            })?;
            return Self::chosen(&text, &format!("the token file `{}`", file.display()));
        }
        match std::env::var(VARIABLE) {
            Ok(text) => Self::chosen(&text, VARIABLE),
            Err(std::env::VarError::NotPresent) => Self::random(),
            Err(std::env::VarError::NotUnicode(_)) => Self::chosen("", VARIABLE),
        }
    }

    fn chosen(text: &str, source: &str) -> Result<Self, Failure> {
        let secret = text.trim();
        if secret.len() < FEWEST || !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Failure::usage(
                format!("{source} holds no token: it takes at least {FEWEST} visible ASCII characters"),
                "make one by `openssl rand -hex 32`, or leave it out and take the one that is printed",
            ));
        }
        Ok(Self { secret: secret.to_owned(), made_here: false })
    }

    fn random() -> Result<Self, Failure> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| Failure::Mcp(error.to_string()))?;
        Ok(Self { secret: URL_SAFE_NO_PAD.encode(bytes), made_here: true })
    }

    /// The token, where the owner cannot know it from elsewhere.
    pub(super) fn to_be_told(&self) -> Option<&str> {
        self.made_here.then_some(self.secret.as_str())
    }

    /// Whether a request carries it. How long that takes does not depend on how much of it is right.
    pub(super) fn is_in(&self, headers: &HeaderMap) -> bool {
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let (Some(value), None) = (values.next(), values.next()) else { return false };
        let Some((scheme, given)) = value.to_str().ok().and_then(|value| value.split_once(' ')) else {
            return false;
        };
        scheme.eq_ignore_ascii_case("bearer") && bool::from(given.as_bytes().ct_eq(self.secret.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(values: &[&str], admitted: bool) {
        let token = Token::chosen("0123456789abcdef\n", "a test").unwrap();
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, value.parse().unwrap());
        }
        assert_eq!(token.is_in(&headers), admitted, "{values:?}");
    }

    #[test]
    fn one_header_with_the_whole_token_is_admitted() {
        check(&["Bearer 0123456789abcdef"], true);
        check(&["bearer 0123456789abcdef"], true);
        check(&[], false);
        check(&["0123456789abcdef"], false);
        check(&["Basic 0123456789abcdef"], false);
        check(&["Bearer 0123456789abcde"], false);
        check(&["Bearer 0123456789abcdef0"], false);
        check(&["Bearer "], false);
        check(&["Bearer 0123456789abcdef", "Bearer 0123456789abcdef"], false);
    }

    #[test]
    fn a_token_is_long_and_can_be_a_header() {
        for wrong in ["", "short", "0123456789 abcdef", "0123456789abcdé0"] {
            assert!(Token::chosen(wrong, "a test").is_err(), "{wrong:?}");
        }
        let (one, other) = (Token::random().unwrap(), Token::random().unwrap());
        assert_eq!((one.secret.len(), one.secret == other.secret), (43, false));
    }
}
