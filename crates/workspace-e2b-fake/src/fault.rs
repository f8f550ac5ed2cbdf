//! What can go wrong on purpose, and with which request.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;

use crate::Call;

/// One thing that goes wrong, once, with the next request that it fits.
///
/// [`Fault::on`] narrows it to a call, [`Fault::after`] lets some requests
/// pass first, [`Fault::times`] and [`Fault::always`] repeat it. A request
/// meets one fault at most: the first of those that were injected and fit.
///
/// ```
/// use workspace_e2b_fake::{Call, Fault};
///
/// // The third and the fourth upload are answered, but the answers are lost.
/// let fault = Fault::reset_after().on(Call::Upload).after(2).times(2);
/// # let _ = fault;
/// ```
#[derive(Debug, Clone)]
pub struct Fault {
    pub(crate) effect: Effect,
    call: Option<Call>,
    skip: usize,
    times: usize,
}

/// What happens to a request or to its answer.
#[derive(Debug, Clone)]
pub(crate) enum Effect {
    Delay(Duration),
    ResetBefore,
    ResetAfter,
    DeliverTwice,
    Instead(Canned),
    Replaced(Canned),
    NotFoundByProxy,
    PortNotOpen,
    CutAfter(usize),
    Truncated(u64),
    ContentType(String),
    DuplicateFrames,
    StderrFirst,
    WithoutEnd,
    Split(usize),
    Join,
    SlowAnswer(usize, Duration),
    SlowReader(usize, Duration),
    Padding(usize),
}

/// An answer made beforehand.
#[derive(Debug, Clone)]
pub(crate) struct Canned {
    pub(crate) status: StatusCode,
    pub(crate) content_type: String,
    pub(crate) body: Vec<u8>,
    pub(crate) headers: Vec<(&'static str, String)>,
}

impl Fault {
    fn new(effect: Effect) -> Self {
        Self { effect, call: None, skip: 0, times: 1 }
    }

    /// The request is answered after this time.
    pub fn delay(time: Duration) -> Self {
        Self::new(Effect::Delay(time))
    }

    /// The connection is reset before the request is looked at: it has no effect.
    pub fn reset_before() -> Self {
        Self::new(Effect::ResetBefore)
    }

    /// The request takes effect, and the connection is reset instead of an answer.
    pub fn reset_after() -> Self {
        Self::new(Effect::ResetAfter)
    }

    /// The request takes effect twice, as where a proxy sends it again; the
    /// second answer is the one that is seen.
    pub fn deliver_twice() -> Self {
        Self::new(Effect::DeliverTwice)
    }

    /// This answer, and no effect. A status that HTTP does not know is 500.
    pub fn answer(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::new(Effect::Instead(Canned::new(status, content_type, body)))
    }

    /// The request takes effect, and this answer stands in for the real one.
    pub fn answer_after(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::new(Effect::Replaced(Canned::new(status, content_type, body)))
    }

    /// 502 of the sandbox proxy, as for a sandbox that is gone or paused.
    pub fn not_found_by_proxy() -> Self {
        Self::new(Effect::NotFoundByProxy)
    }

    /// 502 of the sandbox proxy, as for a port on which nothing listens.
    pub fn port_not_open() -> Self {
        Self::new(Effect::PortNotOpen)
    }

    /// 429, with `Retry-After` in whole seconds where it is given.
    pub fn rate_limited(retry_after: Option<Duration>) -> Self {
        let body = r#"{"code":429,"message":"Rate limit exceeded"}"#;
        let mut canned = Canned::new(429, crate::answer::JSON, body);
        if let Some(time) = retry_after {
            canned.headers.push(("retry-after", time.as_secs().to_string()));
        }
        for (name, value) in
            [("ratelimit-limit", "1"), ("ratelimit-remaining", "0"), ("ratelimit-reset", "1")]
        {
            canned.headers.push((name, value.to_owned()));
        }
        Self::new(Effect::Instead(canned))
    }

    /// 507 on an upload: the disk of the sandbox is full.
    pub fn no_space() -> Self {
        let body =
            r#"{"code":507,"message":"attempted to write 1024 bytes: not enough disk space available"}"#;
        Self::answer(507, crate::answer::JSON, body).on(Call::Upload)
    }

    /// 502 with a page of HTML, as an edge in between answers.
    pub fn html() -> Self {
        let body = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n\
                    <body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n";
        Self::answer(502, "text/html", body)
    }

    /// The right answer, said to be of another type.
    pub fn content_type(content_type: impl Into<String>) -> Self {
        Self::new(Effect::ContentType(content_type.into()))
    }

    /// The connection ends after this many bytes of the answer's body.
    pub fn cut_after(bytes: usize) -> Self {
        Self::new(Effect::CutAfter(bytes))
    }

    /// `Content-Length` says this many bytes more than come before the connection ends.
    pub fn truncated(missing: u64) -> Self {
        Self::new(Effect::Truncated(missing))
    }

    /// Each envelope of a Connect stream, but for the last, comes twice.
    pub fn duplicate_frames() -> Self {
        Self::new(Effect::DuplicateFrames)
    }

    /// What a process says on its standard output comes after the first word on its standard
    /// error: nothing orders the two.
    pub fn stderr_first() -> Self {
        Self::new(Effect::StderrFirst)
    }

    /// A Connect stream ends as HTTP, but without the envelope that ends it.
    pub fn without_end() -> Self {
        Self::new(Effect::WithoutEnd)
    }

    /// The answer comes in pieces of this many bytes, wherever that cuts it. At least one byte.
    pub fn split_frames(bytes: usize) -> Self {
        Self::new(Effect::Split(bytes.max(1)))
    }

    /// The answer comes in one piece once it is whole.
    pub fn join_frames() -> Self {
        Self::new(Effect::Join)
    }

    /// The answer comes in pieces of this many bytes, with this time between them.
    pub fn slow_answer(bytes: usize, every: Duration) -> Self {
        Self::new(Effect::SlowAnswer(bytes.max(1), every))
    }

    /// The body of the request is read in pieces of this many bytes, with this time between them.
    pub fn slow_reader(bytes: usize, every: Duration) -> Self {
        Self::new(Effect::SlowReader(bytes.max(1), every))
    }

    /// The answer's bytes come between this many empty frames of data, as the
    /// edge pads downloads over HTTP/2. Nothing changes over HTTP/1.1.
    pub fn padding(frames: usize) -> Self {
        Self::new(Effect::Padding(frames))
    }

    /// Only requests of this call count.
    #[must_use]
    pub fn on(mut self, call: Call) -> Self {
        self.call = Some(call);
        self
    }

    /// How many requests that fit are let through first.
    #[must_use]
    pub fn after(mut self, requests: usize) -> Self {
        self.skip = requests;
        self
    }

    /// How often it happens before it is used up.
    #[must_use]
    pub fn times(mut self, times: usize) -> Self {
        self.times = times;
        self
    }

    /// It never is used up.
    #[must_use]
    pub fn always(self) -> Self {
        self.times(usize::MAX)
    }
}

impl Canned {
    fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            content_type: content_type.to_owned(),
            body: body.into(),
            headers: Vec::new(),
        }
    }
}

/// The faults that wait for their requests.
#[derive(Debug, Default)]
pub(crate) struct Armed(Mutex<Vec<Fault>>);

impl Armed {
    pub(crate) fn arm(&self, fault: Fault) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(fault);
    }

    pub(crate) fn disarm(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// What happens to a request of this call, if anything does.
    pub(crate) fn take(&self, call: Option<Call>) -> Option<Effect> {
        let mut armed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken = None;
        for fault in armed.iter_mut().filter(|fault| fault.call.is_none() || fault.call == call) {
            if fault.skip > 0 {
                fault.skip -= 1;
            } else if taken.is_none() && fault.times > 0 {
                fault.times = if fault.times == usize::MAX { usize::MAX } else { fault.times - 1 };
                taken = Some(fault.effect.clone());
            }
        }
        armed.retain(|fault| fault.times > 0);
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_meets_the_requests_it_is_meant_for() {
        let armed = Armed::default();
        armed.arm(Fault::join_frames().on(Call::Start).after(1).times(2));
        let met = |call| armed.take(Some(call)).is_some();
        let calls = [Call::Start, Call::Stat, Call::Start, Call::Start, Call::Start];
        assert_eq!(calls.map(met), [false, false, true, true, false]);
        armed.arm(Fault::html().always());
        assert_eq!(calls.map(met), [true; 5]);
        armed.disarm();
        assert_eq!(calls.map(met), [false; 5]);
    }
}
