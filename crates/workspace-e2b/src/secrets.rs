//! What must never be told: the key, and the tokens of sandboxes.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};
use workspace_core::{Error, ErrorKind, Result};

/// Shorter texts are no secret, and cutting them out would spoil messages.
const SHORTEST: usize = 8;

/// All secrets of one account or sandbox. A clone is the same.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Arc<Mutex<Vec<SecretString>>>);

impl Secrets {
    pub(crate) fn keep(&self, secret: &SecretString) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !all.iter().any(|kept| kept.expose_secret() == secret.expose_secret()) {
            all.push(secret.clone());
        }
    }

    /// A text of the other side without them: a server may send back what it was sent.
    pub(crate) fn without(&self, text: &str) -> String {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let secrets = all.iter().map(ExposeSecret::expose_secret).filter(|secret| secret.len() >= SHORTEST);
        secrets.fold(text.to_owned(), |text, secret| text.replace(secret, "[secret]"))
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets")
    }
}

/// A secret as the value of a header that no log of a client shows.
///
/// # Errors
/// [`InvalidInput`](ErrorKind::InvalidInput) for a text that no header holds.
pub(crate) fn header(secret: &SecretString) -> Result<HeaderValue> {
    let mut value = HeaderValue::from_str(secret.expose_secret()).map_err(|_| {
        Error::new(ErrorKind::InvalidInput, "a key or token holds characters that none has")
            .hint("see whether it was copied whole, without line feeds")
    })?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_e2b_1_a_secret_that_comes_back_is_cut_out() {
        let secrets = Secrets::default();
        secrets.keep(&SecretString::from("e2b_0123456789"));
        secrets.keep(&SecretString::from("x"));
        assert_eq!(secrets.without("the key e2b_0123456789 is next"), "the key [secret] is next");
        assert_eq!(format!("{secrets:?}"), "Secrets");
        assert!(header(&SecretString::from("a\nb")).is_err());
        assert!(!format!("{:?}", header(&SecretString::from("e2b_0123456789"))).contains("0123"));
    }
}
