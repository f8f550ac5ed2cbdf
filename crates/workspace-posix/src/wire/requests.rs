//! One request a script, for vendors whose answers are bytes and come as a stream.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use memchr::memmem;
use workspace_core::{Body, Error, ErrorKind, Feed, Result};

use super::{Again, Streamed, split_lines};
use crate::{error, quote, token};

/// How many bytes a script takes in at most: it travels as text.
pub(super) const PIECE: usize = 512 << 10;
/// Up to this many bytes of a body are read at once.
const AT_ONCE: usize = 4 << 20;

/// A script for a vendor.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// What `sh` is to run, without input and without a terminal. It may have some
    /// hundred KiB, more than one argument of a process holds on Linux.
    pub script: String,
    /// Whether it changes nothing, so that it may run again. One that is not must
    /// run once or not at all, whatever the way there does.
    pub repeatable: bool,
    /// How many bytes it may print.
    pub limit: usize,
}

/// A vendor that runs a script a request and streams what it prints, as it is.
///
/// Its deadlines and its retries are its own: it alone knows what was sent.
pub trait Requests: Send + Sync + 'static {
    /// Runs a script and gives all that it printed.
    ///
    /// # Errors
    /// [`Unavailable`](ErrorKind::Unavailable), [`TimedOut`](ErrorKind::TimedOut), and
    /// [`TooLarge`](ErrorKind::TooLarge) over the request's limit.
    fn run(&self, request: Request) -> impl Future<Output = Result<Vec<u8>>> + Send;

    /// Runs a script that changes nothing and gives what it prints while it prints it.
    /// The feed ends where the script has.
    ///
    /// # Errors
    /// Those of [`run`](Self::run).
    fn stream(&self, script: String) -> impl Future<Output = Result<Body>> + Send;

    /// Whether [`upload`](Self::upload) can be used.
    fn uploads(&self) -> bool {
        false
    }

    /// Fills a file that exists, named by its absolute path, and gives how many bytes it sent.
    ///
    /// # Errors
    /// Those of [`run`](Self::run), [`NoSpace`](ErrorKind::NoSpace), and the body's own.
    fn upload(&self, path: String, body: Body) -> impl Future<Output = Result<u64>> + Send {
        drop((path, body));
        async { Err(Error::new(ErrorKind::Unsupported, "this vendor takes files in scripts alone")) }
    }
}

/// The arguments with which `sh` runs a script of any length: on Linux one argument
/// holds 128 KiB.
///
/// # Examples
/// ```
/// assert_eq!(workspace_posix::script_arguments("echo"), ["-c", "echo"]);
/// let long = workspace_posix::script_arguments(&":\n".repeat(100_000));
/// assert_eq!(&long[..3], ["-c", "eval \"${1}${2}${3}\"", "sh"]);
/// ```
pub fn script_arguments(script: &str) -> Vec<String> {
    const LONGEST: usize = 96 << 10;
    let mut parts = Vec::new();
    let mut rest = script;
    while !rest.is_empty() {
        let (part, after) = rest.split_at(rest.floor_char_boundary(LONGEST));
        parts.push(part.to_owned());
        rest = after;
    }
    if parts.len() < 2 {
        return vec!["-c".to_owned(), script.to_owned()];
    }
    let all: Vec<_> = (1..=parts.len()).map(|number| format!("${{{number}}}")).collect();
    ["-c".to_owned(), format!("eval \"{}\"", all.concat()), "sh".to_owned()]
        .into_iter()
        .chain(parts)
        .collect()
}

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// The dispatchable twin of [`Requests`].
trait ErasedRequests: Send + Sync {
    fn run(&self, request: Request) -> BoxFuture<'_, Vec<u8>>;
    fn stream(&self, script: String) -> BoxFuture<'_, Body>;
    fn uploads(&self) -> bool;
    fn upload(&self, path: String, body: Body) -> BoxFuture<'_, u64>;
}

impl<T: Requests> ErasedRequests for T {
    fn run(&self, request: Request) -> BoxFuture<'_, Vec<u8>> {
        Box::pin(Requests::run(self, request))
    }

    fn stream(&self, script: String) -> BoxFuture<'_, Body> {
        Box::pin(Requests::stream(self, script))
    }

    fn uploads(&self) -> bool {
        Requests::uploads(self)
    }

    fn upload(&self, path: String, body: Body) -> BoxFuture<'_, u64> {
        Box::pin(Requests::upload(self, path, body))
    }
}

/// Any [`Requests`], shared.
#[derive(Clone)]
pub(crate) struct SharedRequests(Arc<dyn ErasedRequests>);

impl SharedRequests {
    pub(crate) fn new(vendor: impl Requests) -> Self {
        Self(Arc::new(vendor))
    }
}

/// The scripts of one workspace, each a request of its own.
pub(crate) struct Asking {
    vendor: SharedRequests,
    greeting: Mutex<String>,
    answer: usize,
}

impl Asking {
    pub(crate) fn new(vendor: SharedRequests, greeting: String, answer: usize) -> Self {
        Self { vendor, greeting: Mutex::new(greeting), answer }
    }

    /// Adds to what each script begins with.
    pub(super) fn greet(&self, more: &str) {
        self.greeting.lock().unwrap_or_else(PoisonError::into_inner).push_str(more);
    }

    pub(super) fn uploads(&self) -> bool {
        self.vendor.0.uploads()
    }

    pub(crate) async fn upload(&self, path: String, body: Body) -> Result<u64> {
        self.vendor.0.upload(path, body).await
    }

    pub(super) async fn ask(&self, script: &str, again: Again) -> Result<Vec<u8>> {
        let (script, mark) = self.marked(script);
        let request = Request { script, repeatable: again == Again::Yes, limit: self.answer };
        let mut answer = self.vendor.0.run(request).await?;
        // The mark ends the answer and stands nowhere else: bytes that come twice are noticed.
        match memmem::find(&answer, mark.as_bytes()) {
            Some(at) if at + mark.len() == answer.len() => answer.truncate(at),
            Some(_) => return Err(error::garbled()),
            None => return Err(error::lost()),
        }
        Ok(answer)
    }

    pub(super) async fn give(&self, script: &str, bytes: &[u8], again: Again) -> Result<Vec<u8>> {
        let script = format!("w_ready() {{ :; }}\nw_in() {{\n{}}}\n{script}", quote::document(bytes));
        self.ask(&script, again).await
    }

    pub(super) async fn stream(&self, script: &str, lines: usize) -> Result<Streamed> {
        let (script, mark) = self.marked(script);
        let mut feed = self.vendor.0.stream(script).await?;
        let mut tail = Tail { mark: mark.into_bytes(), held: Vec::new(), ended: false };
        while !tail.ended && tail.held.len() <= AT_ONCE {
            match feed.next().await {
                Some(piece) => tail.take(piece?)?,
                None => tail.end()?,
            }
        }
        let (head, rest) = split_lines(&tail.held, lines).ok_or_else(error::garbled)?;
        let (head, rest) = (head.to_vec(), rest.to_vec());
        tail.held = rest;
        let body = if tail.ended { Body::from(tail.held) } else { tail.body(feed) };
        Ok(Streamed { head, body })
    }

    fn marked(&self, script: &str) -> (String, String) {
        let mark = token::mark();
        let greeting = self.greeting.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let script = format!(
            "{{ {greeting}\nw_h= w_end=\n{script}\nprintf %s \"${{w_h}}{mark}\"\n}} 2>/dev/null </dev/null"
        );
        (script, mark)
    }
}

/// The rest of a long answer, up to its mark.
struct Tail {
    mark: Vec<u8>,
    held: Vec<u8>,
    ended: bool,
}

impl Tail {
    /// # Errors
    /// Where bytes follow the mark.
    fn take(&mut self, piece: Vec<u8>) -> Result<()> {
        let from = self.held.len().saturating_sub(self.mark.len());
        if self.held.is_empty() {
            self.held = piece;
        } else {
            self.held.extend_from_slice(&piece);
        }
        let fresh = self.held.get(from..).unwrap_or_default();
        match memmem::find(fresh, &self.mark) {
            Some(at) if from + at + self.mark.len() < self.held.len() => Err(error::garbled()),
            _ => Ok(()),
        }
    }

    /// # Errors
    /// Where the mark has not come.
    fn end(&mut self) -> Result<()> {
        if !self.held.ends_with(&self.mark) {
            return Err(error::lost());
        }
        self.held.truncate(self.held.len() - self.mark.len());
        self.ended = true;
        Ok(())
    }

    fn body(self, feed: Body) -> Body {
        Feed::unfold((self, feed), |(mut tail, mut feed)| async move {
            loop {
                if tail.ended {
                    let rest = std::mem::take(&mut tail.held);
                    return Ok((!rest.is_empty()).then_some((rest, (tail, feed))));
                }
                // What may be the begin of the mark is held back.
                let safe = tail.held.len().saturating_sub(tail.mark.len());
                if safe > 0 {
                    let after = tail.held.split_off(safe);
                    let piece = std::mem::replace(&mut tail.held, after);
                    return Ok(Some((piece, (tail, feed))));
                }
                match feed.next().await {
                    Some(piece) => tail.take(piece?)?,
                    None => tail.end()?,
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail() -> Tail {
        Tail { mark: b"<end>".to_vec(), held: Vec::new(), ended: false }
    }

    #[test]
    fn the_mark_is_the_end_however_it_is_cut() {
        for pieces in [&["ab<end>"][..], &["ab<", "end>"], &["a", "b<end", ">"]] {
            let mut tail = tail();
            for piece in pieces {
                tail.take(piece.as_bytes().to_vec()).unwrap();
            }
            tail.end().unwrap();
            assert_eq!(tail.held, b"ab");
        }
    }

    #[test]
    fn bytes_that_come_twice_or_not_at_all_are_no_answer() {
        let mut twice = tail();
        twice.take(b"ab<end>".to_vec()).unwrap();
        assert_eq!(twice.take(b"ab<end>".to_vec()).unwrap_err().kind(), ErrorKind::Io);
        let mut cut = tail();
        cut.take(b"ab<en".to_vec()).unwrap();
        assert_eq!(cut.end().unwrap_err().kind(), ErrorKind::Unavailable);
    }
}
