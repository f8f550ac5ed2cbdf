//! gzip, of downloads and of uploads.

use std::io::{self, Write};

use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::ACCEPT_ENCODING;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::{GzDecoder, GzEncoder};
use futures_util::stream::{self, Stream, StreamExt};

/// How a download may travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Gzip,
    Identity,
    /// Neither of the two is accepted.
    None,
}

/// What `Accept-Encoding` prefers; gzip where it likes both alike and names gzip.
pub(super) fn preferred(headers: &HeaderMap) -> Encoding {
    let accepted = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let (mut gzip, mut identity, mut any) = (None, None, None);
    for item in accepted.split(',') {
        let mut parts = item.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default().to_ascii_lowercase();
        let weight = parts.find_map(|part| part.strip_prefix("q=")?.parse::<f32>().ok()).unwrap_or(1.0);
        match name.as_str() {
            "gzip" => gzip = Some(weight),
            "identity" => identity = Some(weight),
            "*" => any = Some(weight),
            _ => {}
        }
    }
    let gzip = gzip.or(any).unwrap_or(0.0);
    // Identity is accepted unless it is ruled out, by its name or by `*`.
    let plain = identity.or(any.filter(|weight| *weight == 0.0)).unwrap_or(f32::MIN_POSITIVE);
    match (gzip > 0.0, plain > 0.0) {
        (true, _) if gzip >= plain => Encoding::Gzip,
        (_, true) => Encoding::Identity,
        _ => Encoding::None,
    }
}

/// Whether the bytes may travel as they are.
pub(super) fn identity_is_accepted(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let plain = accepted.to_ascii_lowercase().replace(' ', "");
    !plain.split(',').any(|item| item == "identity;q=0" || item == "identity;q=0.0")
}

/// The same bytes, compressed as they come.
pub(super) fn compressed(
    bytes: impl Stream<Item = io::Result<Bytes>> + Send + Unpin + 'static,
) -> impl Stream<Item = io::Result<Bytes>> + Send {
    let encoder = GzEncoder::new(Vec::new(), Compression::fast());
    stream::unfold((bytes, Some(encoder)), async |(mut bytes, encoder)| {
        let mut encoder = encoder?;
        loop {
            match bytes.next().await {
                None => return Some((encoder.finish().map(Bytes::from), (bytes, None))),
                Some(Err(error)) => return Some((Err(error), (bytes, None))),
                Some(Ok(chunk)) => {
                    if let Err(error) = encoder.write_all(&chunk) {
                        return Some((Err(error), (bytes, None)));
                    }
                    let ready = std::mem::take(encoder.get_mut());
                    if !ready.is_empty() {
                        return Some((Ok(ready.into()), (bytes, Some(encoder))));
                    }
                }
            }
        }
    })
}

/// A body that was compressed, as it was before. An error where it is not gzip or ends early.
pub(super) fn decompressed(body: Body) -> Body {
    let decoder = GzDecoder::new(Vec::new());
    Body::from_stream(stream::unfold(
        (body.into_data_stream(), Some(decoder)),
        async |(mut body, decoder)| {
            let mut decoder = decoder?;
            loop {
                match body.next().await {
                    None => return Some((decoder.finish().map(Bytes::from), (body, None))),
                    Some(Err(error)) => return Some((Err(io::Error::other(error)), (body, None))),
                    Some(Ok(chunk)) => {
                        if let Err(error) = decoder.write_all(&chunk) {
                            return Some((Err(error), (body, None)));
                        }
                        let ready = std::mem::take(decoder.get_mut());
                        if !ready.is_empty() {
                            return Some((Ok(ready.into()), (body, Some(decoder))));
                        }
                    }
                }
            }
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(accepted: &'static str, expected: Encoding) {
        let headers = [(ACCEPT_ENCODING, axum::http::HeaderValue::from_static(accepted))];
        assert_eq!(preferred(&headers.into_iter().collect()), expected, "{accepted}");
    }

    #[test]
    fn gzip_is_taken_where_it_is_liked_as_much() {
        check("", Encoding::Identity);
        check("gzip, deflate", Encoding::Gzip);
        check("identity", Encoding::Identity);
        check("gzip;q=0.5, identity", Encoding::Identity);
        check("gzip, identity", Encoding::Gzip);
        check("br", Encoding::Identity);
        check("*", Encoding::Gzip);
        check("br, identity;q=0", Encoding::None);
        check("*;q=0", Encoding::None);
        check("gzip;q=0", Encoding::Identity);
    }
}
