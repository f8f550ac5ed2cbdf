//! Bodies that come late, torn, cut up or twice.

use std::convert::Infallible;
use std::io;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use futures_util::stream::{self, Stream, StreamExt};

use crate::answer::set;
use crate::connect::{END, Envelopes, envelope};
use crate::fault::Effect;

/// Does to an answer what a fault says; faults that are not about answers change nothing.
pub(crate) async fn with_answer(effect: &Effect, mut response: Response) -> Response {
    match effect {
        Effect::ContentType(content_type) => {
            set(&mut response, CONTENT_TYPE, content_type);
            response
        }
        Effect::Truncated(missing) => truncated(response, *missing).await,
        Effect::CutAfter(bytes) => response.map(|body| cut(body, *bytes)),
        Effect::DuplicateFrames => {
            unframed(
                response,
                |flags, frame| if flags & END == 0 { vec![frame.clone(), frame] } else { vec![frame] },
            )
        }
        Effect::StderrFirst => unframed(response, stderr_first()),
        Effect::WithoutEnd => {
            unframed(response, |flags, frame| if flags & END == 0 { vec![frame] } else { Vec::new() })
        }
        Effect::Split(bytes) => in_pieces(response, *bytes, Duration::ZERO),
        Effect::SlowAnswer(bytes, every) => in_pieces(response, *bytes, *every),
        Effect::Join => joined(response).await,
        Effect::Padding(frames) => response.map(|body| padded(body, *frames)),
        _ => response,
    }
}

/// A body whose reader takes its time.
pub(crate) fn read_slowly(body: Body, bytes: usize, every: Duration) -> Body {
    Body::from_stream(pieces(body, bytes, every))
}

/// An answer of which nothing is sent: the connection ends instead.
pub(crate) fn nothing() -> Response {
    Response::new(Body::from_stream(stream::once(async { Err::<Bytes, _>(broken()) })))
}

async fn truncated(response: Response, missing: u64) -> Response {
    let (parts, body) = response.into_parts();
    let whole = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let said = whole.len() as u64 + missing;
    let sent = stream::iter([Ok(whole)]).chain(late_end());
    let mut response = Response::from_parts(parts, Body::from_stream(sent));
    response.headers_mut().remove(TRANSFER_ENCODING);
    set(&mut response, CONTENT_LENGTH, &said.to_string());
    response
}

fn cut(body: Body, bytes: usize) -> Body {
    let sent = stream::unfold((body.into_data_stream(), bytes), async |(mut body, left)| {
        if left == 0 {
            return None;
        }
        let mut chunk = body.next().await?.ok()?;
        chunk.truncate(left);
        let left = left - chunk.len();
        Some((Ok(chunk), (body, left)))
    });
    Body::from_stream(sent.chain(late_end()))
}

/// An end of the connection that leaves time for what was sent before it.
fn late_end() -> impl Stream<Item = io::Result<Bytes>> {
    stream::once(async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        Err(broken())
    })
}

fn broken() -> io::Error {
    io::ErrorKind::ConnectionAborted.into()
}

/// Holds back what stands on standard output until something has come on the other, or the end.
fn stderr_first() -> impl FnMut(u8, Bytes) -> Vec<Bytes> + Send {
    let mut held = Some(Vec::new());
    move |flags, frame| {
        let says = |name: &[u8]| frame.windows(name.len()).any(|part| part == name);
        match held.take() {
            Some(mut frames) if says(b"\"stdout\"") => {
                frames.push(frame);
                held = Some(frames);
                Vec::new()
            }
            Some(frames) if says(b"\"stderr\"") => std::iter::once(frame).chain(frames).collect(),
            Some(frames) if says(b"\"end\"") || flags & END != 0 => {
                frames.into_iter().chain([frame]).collect()
            }
            frames => {
                held = frames;
                vec![frame]
            }
        }
    }
}

/// Rewrites each envelope of a stream of them.
fn unframed(
    response: Response,
    mut rewrite: impl FnMut(u8, Bytes) -> Vec<Bytes> + Send + 'static,
) -> Response {
    let (mut parts, body) = response.into_parts();
    parts.headers.remove(CONTENT_LENGTH);
    let mut envelopes = Envelopes::default();
    let frames = body.into_data_stream().map(move |chunk| {
        let mut out = BytesMut::new();
        envelopes.push(&chunk?);
        while let Some((flags, payload)) = envelopes.next() {
            out.extend(rewrite(flags, envelope(flags, &payload)).into_iter().flatten());
        }
        Ok::<_, axum::Error>(out.freeze())
    });
    Response::from_parts(parts, Body::from_stream(frames))
}

fn in_pieces(response: Response, bytes: usize, every: Duration) -> Response {
    response.map(|body| Body::from_stream(pieces(body, bytes, every)))
}

fn pieces(body: Body, bytes: usize, every: Duration) -> impl Stream<Item = Result<Bytes, axum::Error>> {
    stream::unfold((body.into_data_stream(), Bytes::new()), move |(mut body, mut rest)| async move {
        while rest.is_empty() {
            match body.next().await? {
                Ok(chunk) => rest = chunk,
                Err(error) => return Some((Err(error), (body, rest))),
            }
        }
        // Without a pause, two pieces could leave in one write.
        tokio::time::sleep(every.max(Duration::from_micros(1))).await;
        let piece = rest.split_to(bytes.min(rest.len()));
        Some((Ok(piece), (body, rest)))
    })
}

fn padded(body: Body, frames: usize) -> Body {
    let empty = move || stream::repeat_with(|| Ok(Bytes::new())).take(frames);
    let bytes = body.into_data_stream().flat_map(move |chunk| empty().chain(stream::iter([chunk])));
    Body::from_stream(bytes)
}

async fn joined(response: Response) -> Response {
    let (parts, body) = response.into_parts();
    let whole = to_bytes(body, usize::MAX).await.unwrap_or_default();
    Response::from_parts(parts, Body::from_stream(stream::iter([Ok::<_, Infallible>(whole)])))
}
