//! The error of a Connect call: in the end of a stream, or as the body of an answer.

use serde::Deserialize;

/// What went wrong, in the words of the protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) code: Code,
    /// The vendor's own text: for logs.
    pub(crate) text: String,
}

/// The codes that lead to different next steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    Canceled,
    InvalidArgument,
    DeadlineExceeded,
    NotFound,
    PermissionDenied,
    ResourceExhausted,
    Unimplemented,
    Unavailable,
    Unauthenticated,
    Other,
}

#[derive(Deserialize)]
struct Wire {
    /// A name in a Connect error, a number in another one.
    code: Option<serde_json::Value>,
    message: Option<String>,
}

#[derive(Deserialize)]
struct Ending {
    error: Option<Wire>,
}

impl Code {
    fn of(name: &str) -> Self {
        match name {
            "canceled" => Self::Canceled,
            "invalid_argument" => Self::InvalidArgument,
            "deadline_exceeded" => Self::DeadlineExceeded,
            "not_found" => Self::NotFound,
            "permission_denied" => Self::PermissionDenied,
            "resource_exhausted" => Self::ResourceExhausted,
            "unimplemented" => Self::Unimplemented,
            "unavailable" => Self::Unavailable,
            "unauthenticated" => Self::Unauthenticated,
            _ => Self::Other,
        }
    }

    /// For an answer that says no code of its own.
    pub(crate) fn of_status(status: u16) -> Self {
        match status {
            400 => Self::InvalidArgument,
            401 => Self::Unauthenticated,
            403 => Self::PermissionDenied,
            404 => Self::NotFound,
            413 | 429 => Self::ResourceExhausted,
            499 => Self::Canceled,
            501 => Self::Unimplemented,
            502 | 503 => Self::Unavailable,
            504 => Self::DeadlineExceeded,
            _ => Self::Other,
        }
    }
}

/// How a stream ended; `None` for a message that is no end.
pub(crate) fn ending(message: &[u8]) -> Option<Result<(), Refusal>> {
    let ending: Ending = serde_json::from_slice(message).ok()?;
    Some(match ending.error {
        None => Ok(()),
        Some(error) => {
            let code = error.code.as_ref().and_then(|code| code.as_str()).map_or(Code::Other, Code::of);
            Err(Refusal { code, text: error.message.unwrap_or_default() })
        }
    })
}

/// What an answer of this status says.
pub(crate) fn refusal(status: u16, body: &[u8]) -> Refusal {
    let wire: Option<Wire> = serde_json::from_slice(body).ok();
    let (code, text) = wire.map(|wire| (wire.code, wire.message)).unwrap_or_default();
    let code = code.as_ref().and_then(|code| code.as_str()).map_or_else(|| Code::of_status(status), Code::of);
    Refusal { code, text: text.unwrap_or_else(|| String::from_utf8_lossy(body).into_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_is_read() {
        assert_eq!(ending(b"{}"), Some(Ok(())));
        let error = br#"{"error":{"code":"not_found","message":"process with pid 9 not found"}}"#;
        let text = "process with pid 9 not found".to_owned();
        assert_eq!(ending(error), Some(Err(Refusal { code: Code::NotFound, text })));
        assert_eq!(ending(b"<html>"), None);
    }

    #[test]
    fn an_answer_of_any_kind_has_a_code() {
        let of = |status, body: &str| refusal(status, body.as_bytes()).code;
        assert_eq!(of(404, r#"{"code":"unavailable","message":"x"}"#), Code::Unavailable);
        assert_eq!(of(502, r#"{"code":502,"message":"The sandbox was not found"}"#), Code::Unavailable);
        assert_eq!(of(504, "upstream request timeout"), Code::DeadlineExceeded);
        assert_eq!(of(418, ""), Code::Other);
    }
}
