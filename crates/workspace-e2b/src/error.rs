//! The vendor's answers, as errors of the contract.

use std::time::Duration;

use workspace_core::{Error, ErrorKind};

use crate::connect::{Code, Refusal};
use crate::failure::{Again, Failure};
use crate::http::Answer;

/// Who has answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The control plane, which makes and ends sandboxes.
    Control,
    /// A sandbox, or the proxy before it.
    Sandbox,
}

/// The texts by which the proxy tells its own failures from those of a sandbox: it
/// gives them no code of their own.
const ABSENT: &str = "was not found";
const CLOSED: &str = "port is not open";

/// Chooses the kind by what the caller does next. The vendor's own words are kept for logs.
pub(crate) fn answered(place: Place, answer: &Answer) -> Failure {
    if answer.is_page() {
        return page(answer);
    }
    let refusal = answer.refusal();
    let failure = match place {
        Place::Control => controlled(answer, &refusal),
        Place::Sandbox => refused(&refusal, answer.status, answer.retry_after),
    };
    Failure { error: failure.error.because(refusal.text), ..failure }
}

/// The task that had a sandbox made did not come to its end.
pub(crate) fn interrupted() -> Error {
    Error::new(ErrorKind::Unavailable, "the runtime ended while the sandbox was made")
        .hint("open it in a runtime that goes on; a sandbox that was made ends at its timeout")
}

/// A web page where none is expected: something between has answered.
fn page(answer: &Answer) -> Failure {
    let error = Error::new(
        ErrorKind::Unavailable,
        format!("a web page with status {} came instead of an answer", answer.status),
    )
    .hint("see whether the address is right and no proxy stands in the way");
    let again =
        if matches!(answer.status, 429 | 503) { Again::Unsent(answer.retry_after) } else { Again::Unknown };
    Failure::new(error, again)
}

fn controlled(answer: &Answer, refusal: &Refusal) -> Failure {
    let stands =
        |kind, message: &'static str, hint: &'static str| Failure::told(Error::new(kind, message).hint(hint));
    let failure = match answer.status {
        400 | 422 => stands(
            ErrorKind::InvalidInput,
            "the service refuses a setting of the sandbox",
            "look at the cause in the log: the template, the timeout and the metadata are set by the caller",
        ),
        401 => stands(
            ErrorKind::Permission,
            "the service does not accept the API key",
            "make a key in the dashboard of the service and set `E2B_API_KEY`",
        ),
        403 => stands(
            ErrorKind::Permission,
            "the service refuses this to the team of the API key",
            "see in the dashboard whether the team is blocked and the template is its own",
        ),
        404 => stands(ErrorKind::NotFound, "the service knows nothing of this name", "list what there is"),
        405 => {
            stands(ErrorKind::Unsupported, "the service has no such call", "see whether the address is right")
        }
        409 => Failure::new(
            Error::new(ErrorKind::Unavailable, "the sandbox is about to change its state")
                .hint("try again in a moment"),
            Again::Unsent(answer.retry_after),
        ),
        429 if is_quota(&refusal.text) => stands(
            ErrorKind::Unavailable,
            "the team runs as many sandboxes as it may",
            "kill one that is not needed, or have the limit raised",
        ),
        429 => slow_down(answer.retry_after),
        502..=504 => Failure::new(
            Error::new(ErrorKind::Unavailable, "the service is busy").hint("try again in a moment"),
            if answer.status == 503 { Again::Unsent(answer.retry_after) } else { Again::Unknown },
        ),
        status => Failure::new(
            Error::new(ErrorKind::Unavailable, format!("the service failed with status {status}"))
                .hint("try again in a moment"),
            Again::Unknown,
        ),
    };
    match answer.may_repeat {
        Some(false) => Failure { again: Again::No, ..failure },
        _ => failure,
    }
}

/// The service gives its two limits one status and no code.
fn is_quota(text: &str) -> bool {
    text.contains("concurrent")
}

fn slow_down(after: Option<Duration>) -> Failure {
    let error = Error::new(ErrorKind::Unavailable, "too many requests were sent").hint(match after {
        Some(after) => format!("try again in {} seconds", after.as_secs()),
        None => "try again in a moment".to_owned(),
    });
    Failure::new(error, Again::Unsent(after))
}

/// What a sandbox, or the proxy before it, refuses.
pub(crate) fn refused(refusal: &Refusal, status: u16, after: Option<Duration>) -> Failure {
    if status == 507 {
        return Failure::told(
            Error::new(ErrorKind::NoSpace, "the disk of the sandbox is full, nothing has changed")
                .hint("remove files that are not needed"),
        );
    }
    match refusal.code {
        Code::Unavailable if refusal.text.contains(ABSENT) => Failure::new(gone(), Again::No).absent(),
        Code::Unavailable if refusal.text.contains(CLOSED) => Failure::new(
            Error::new(ErrorKind::Unavailable, "nothing listens in the sandbox")
                .hint("it may be starting: try again in a moment"),
            Again::Unsent(after),
        ),
        Code::Unavailable | Code::Canceled => Failure::broken(None),
        Code::ResourceExhausted => slow_down(after),
        Code::DeadlineExceeded => Failure::silent(),
        Code::Unauthenticated => Failure::told(
            Error::new(ErrorKind::Permission, "the sandbox does not accept the access token or the user")
                .hint("attach to the sandbox again, and see whether the user exists in it"),
        ),
        Code::PermissionDenied => Failure::told(
            Error::new(ErrorKind::Permission, "the sandbox refuses access")
                .hint("attach to the sandbox with the API key of its team"),
        ),
        Code::NotFound => Failure::told(
            Error::new(ErrorKind::Unavailable, "no sandbox of this kind answers at the address")
                .hint("see whether the address is that of an envd"),
        ),
        Code::Unimplemented => Failure::told(
            Error::new(ErrorKind::Unsupported, "the envd of this sandbox is too old for it")
                .hint("build the template anew"),
        ),
        Code::InvalidArgument => Failure::told(
            Error::new(ErrorKind::InvalidInput, "the sandbox refuses the request")
                .hint("look at the cause in the log"),
        ),
        Code::Other if status == 409 => Failure::new(
            Error::new(ErrorKind::Unavailable, "the sandbox is about to change its state")
                .hint("try again in a moment"),
            Again::Unsent(after),
        ),
        Code::Other => Failure::new(
            Error::new(ErrorKind::Unavailable, format!("the sandbox failed with status {status}"))
                .hint("try again in a moment"),
            Again::Unknown,
        ),
    }
}

/// Where nobody knows more.
pub(crate) fn gone() -> Error {
    Error::new(ErrorKind::Unavailable, "the sandbox is not running: it has ended, or is paused")
        .hint("list the sandboxes; a paused one runs again when it is attached to")
}

pub(crate) fn ended() -> Error {
    Error::new(ErrorKind::Unavailable, "the sandbox has ended").hint("make a new one: what was in it is lost")
}

pub(crate) fn paused() -> Error {
    Error::new(ErrorKind::Unavailable, "the sandbox is paused").hint("resume it, then try again")
}

pub(crate) fn no_root() -> Error {
    Error::new(ErrorKind::Unavailable, "the root cannot be made or entered in the sandbox")
        .hint("name a directory in which the user of the sandbox may write")
}

/// Where a change was sent and no word came back.
pub(crate) fn unknown(error: Error) -> Error {
    Error::new(
        error.kind(),
        "the connection was lost after the change was sent: whether it was made is not known",
    )
    .hint("look at the file before you change it again")
    .because(error)
}

/// The output of a command of which a part is lost.
pub(crate) fn gap() -> Error {
    Error::new(ErrorKind::Unavailable, "output of the command was lost while the connection was broken")
        .hint("run it again with its output in a file")
}

/// The end of one output of a command that has ended never came.
pub(crate) fn lost_output() -> Error {
    Error::new(ErrorKind::Unavailable, "the command has ended, but the end of its output was lost")
        .hint("see what it has done, or run it again with its output in a file")
}

/// A command whose launcher was ended from outside, or whose sandbox was.
pub(crate) fn lost_command() -> Error {
    Error::new(ErrorKind::Unavailable, "the command was lost: how it ended is not known")
        .hint("see what it has done before you run it again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(place: Place, status: u16, body: &str, kind: ErrorKind, again: Again) {
        let answer = Answer::of(status, body);
        let failure = answered(place, &answer);
        assert_eq!((failure.error.kind(), failure.again), (kind, again), "{body}");
        assert!(failure.error.next_step().is_some(), "{body}");
    }

    #[test]
    fn r_e2b_1_each_answer_has_its_kind_and_says_whether_it_may_be_sent_again() {
        use ErrorKind::{InvalidInput, NoSpace, NotFound, Permission, TimedOut, Unavailable, Unsupported};
        use Place::{Control, Sandbox};

        let unsent = Again::Unsent(None);
        check(Control, 400, r#"{"code":400,"message":"Invalid sandbox ID"}"#, InvalidInput, Again::No);
        check(Control, 401, r#"{"code":401,"message":"Invalid API key"}"#, Permission, Again::No);
        check(Control, 403, r#"{"code":403,"message":"blocked"}"#, Permission, Again::No);
        check(Control, 404, r#"{"code":404,"message":"doesn't exist"}"#, NotFound, Again::No);
        check(Control, 405, "", Unsupported, Again::No);
        check(Control, 409, r#"{"code":409,"message":"is being killed"}"#, Unavailable, unsent);
        check(Control, 429, r#"{"code":429,"message":"Rate limit exceeded"}"#, Unavailable, unsent);
        let quota =
            r#"{"code":429,"message":"you have reached the maximum number of concurrent E2B sandboxes (3)"}"#;
        check(Control, 429, quota, Unavailable, Again::No);
        check(
            Control,
            500,
            r#"{"code":500,"message":"Failed to create sandbox"}"#,
            Unavailable,
            Again::Unknown,
        );
        check(Control, 503, r#"{"code":503,"message":"no capacity"}"#, Unavailable, unsent);
        check(Control, 504, "upstream request timeout", Unavailable, Again::Unknown);
        check(Control, 502, "<!DOCTYPE html><html></html>", Unavailable, Again::Unknown);
        check(Sandbox, 502, r#"{"code":502,"message":"The sandbox was not found"}"#, Unavailable, Again::No);
        let closed = r#"{"code":502,"message":"The sandbox is running but port is not open","port":49983}"#;
        check(Sandbox, 502, closed, Unavailable, unsent);
        check(Sandbox, 502, "<html></html>", Unavailable, Again::Unknown);
        check(Sandbox, 409, r#"{"code":409,"message":"still transitioning"}"#, Unavailable, unsent);
        check(Sandbox, 429, r#"{"code":429,"message":"too many"}"#, Unavailable, unsent);
        check(Sandbox, 401, r#"{"code":401,"message":"unauthorized access"}"#, Permission, Again::No);
        check(Sandbox, 401, r#"{"code":"unauthenticated","message":"x"}"#, Permission, Again::No);
        check(Sandbox, 504, r#"{"code":"deadline_exceeded"}"#, TimedOut, Again::Unknown);
        check(Sandbox, 507, r#"{"code":507,"message":"not enough disk"}"#, NoSpace, Again::No);
        check(Sandbox, 500, "", Unavailable, Again::Unknown);
    }
}
