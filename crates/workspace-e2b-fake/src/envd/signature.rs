//! Whether a request for a file may be answered: by token or by signature.

use std::time::SystemTime;

use axum::http::StatusCode;
use axum::http::request::Parts;
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use sha2::{Digest, Sha256};

use crate::answer::{Refused, refused};
use crate::sandbox::{DEFAULT_USER, Sandbox, User};

/// The query of a request for a file.
#[derive(Debug, Default)]
pub(super) struct Query {
    pub(super) path: Option<String>,
    username: Option<String>,
    signature: Option<String>,
    expiration: Option<String>,
}

impl Query {
    pub(super) fn of(parts: &Parts) -> Self {
        let mut query = Self::default();
        for (name, value) in form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()) {
            let field = match name.as_ref() {
                "path" => &mut query.path,
                "username" => &mut query.username,
                "signature" => &mut query.signature,
                "signature_expiration" => &mut query.expiration,
                _ => continue,
            };
            *field = Some(value.into_owned());
        }
        query
    }

    /// The user that it names, or the default one.
    pub(super) fn user(&self, sandbox: &Sandbox) -> Result<User, Refused> {
        named(sandbox, self.username.as_deref())
    }

    /// Refuses a request that shows neither the token nor a signature made with it.
    pub(super) fn authorize(&self, sandbox: &Sandbox, parts: &Parts, operation: &str) -> Result<(), Refused> {
        let Some(token) = &sandbox.token else { return Ok(()) };
        let refuse = |message: &str| Err(refused(StatusCode::UNAUTHORIZED, message));
        match parts.headers.get("x-access-token") {
            Some(given) if given.as_bytes() == token.as_bytes() => return Ok(()),
            Some(_) => return refuse("access token present in header but does not match"),
            None => {}
        }
        let Some(signature) = &self.signature else { return refuse("missing signature query parameter") };
        let path = self.path.as_deref().unwrap_or_default();
        let user = self.username.as_deref().unwrap_or_default();
        if *signature != sign(path, operation, user, token, self.expiration.as_deref()) {
            return refuse("invalid signature");
        }
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        match self.expiration.as_deref().map(str::parse::<u64>) {
            None => Ok(()),
            Some(Ok(end)) if end >= now => Ok(()),
            Some(_) => refuse("signature is already expired"),
        }
    }
}

/// The user of that name, or the default one.
pub(super) fn named(sandbox: &Sandbox, name: Option<&str>) -> Result<User, Refused> {
    let name = name.filter(|name| !name.is_empty()).unwrap_or(DEFAULT_USER);
    User::named(sandbox.view(), name).ok_or_else(|| {
        let message = format!("error looking up user '{name}': user: unknown user {name}");
        refused(StatusCode::UNAUTHORIZED, message)
    })
}

fn sign(path: &str, operation: &str, user: &str, token: &str, expiration: Option<&str>) -> String {
    let mut text = format!("{path}:{operation}:{user}:{token}");
    if let Some(expiration) = expiration {
        text = format!("{text}:{expiration}");
    }
    format!("v1_{}", STANDARD_NO_PAD.encode(Sha256::digest(text)))
}
