//! `GET /files`.

use std::io::{self, SeekFrom};
use std::time::{Duration, SystemTime};

use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::StatusCode;
use axum::http::header::{
    ACCEPT_RANGES, CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, LAST_MODIFIED, VARY,
};
use axum::http::request::Parts;
use axum::response::Response;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rustix::fs::{FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt};
use tokio_util::io::ReaderStream;

use super::encoding::{Encoding, compressed, identity_is_accepted, preferred};
use super::paths::resolve;
use super::range::{Share, is_conditional, share};
use super::signature::Query;
use crate::answer::{Refused, empty, problem, refused, set, with_body};
use crate::sandbox::{Sandbox, stat_of};

/// How much of a file decides what type it is said to have.
const SNIFFED: usize = 512;

/// What stands as it is in the extended form of a file name.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

pub(super) async fn download(sandbox: &Sandbox, parts: &Parts) -> Response {
    let query = Query::of(parts);
    match authorized(sandbox, parts, &query) {
        Ok((path, file, stat)) => answer(&parts.headers, &path, file, &stat).await.unwrap_or_else(|error| {
            problem(StatusCode::INTERNAL_SERVER_ERROR, format!("error reading file '{path}': {error}"))
        }),
        Err(refused) => refused.into(),
    }
}

fn authorized(sandbox: &Sandbox, parts: &Parts, query: &Query) -> Result<(String, File, Stat), Refused> {
    query.authorize(sandbox, parts, "read")?;
    let user = query.user(sandbox)?;
    let path = resolve(query.path.as_deref().unwrap_or_default(), &user).map_err(|error| {
        problem(StatusCode::BAD_REQUEST, format!("error expanding and resolving path: {error}"))
    })?;
    // A pipe without a writer is not waited for.
    let opened = sandbox.view().open(&path, OFlags::RDONLY | OFlags::NONBLOCK, Mode::empty());
    let opened = opened.and_then(|file| Ok((stat_of(&file)?, file)));
    match opened {
        Ok((stat, _)) if FileType::from_raw_mode(stat.st_mode) == FileType::Directory => {
            Err(refused(StatusCode::BAD_REQUEST, format!("path '{path}' is a directory")))
        }
        Ok((stat, file)) => Ok((path, std::fs::File::from(file).into(), stat)),
        Err(Errno::NOENT | Errno::NOTDIR) => {
            Err(refused(StatusCode::NOT_FOUND, format!("path '{path}' does not exist")))
        }
        Err(error) => {
            let message = format!("error opening file '{path}': {error}");
            Err(refused(StatusCode::INTERNAL_SERVER_ERROR, message))
        }
    }
}

async fn answer(headers: &HeaderMap, path: &str, mut file: File, stat: &Stat) -> io::Result<Response> {
    let size = u64::try_from(stat.st_size).unwrap_or_default();
    let modified =
        SystemTime::UNIX_EPOCH + Duration::from_secs(u64::try_from(stat.st_mtime).unwrap_or_default());
    let conditional = is_conditional(headers);
    let encoding = match preferred(headers) {
        Encoding::None => Encoding::None,
        _ if conditional && identity_is_accepted(headers) => Encoding::Identity,
        _ if conditional => Encoding::None,
        encoding => encoding,
    };
    let mut beginning = Vec::with_capacity(SNIFFED);
    (&mut file).take(SNIFFED as u64).read_to_end(&mut beginning).await?;
    file.seek(SeekFrom::Start(0)).await?;
    let content_type = guess(path, &beginning);

    let mut response = match encoding {
        Encoding::None => {
            problem(StatusCode::NOT_ACCEPTABLE, "no acceptable encoding found, supported: gzip, identity")
        }
        Encoding::Gzip => {
            let body = Body::from_stream(compressed(ReaderStream::new(file)));
            let mut response = with_body(StatusCode::OK, content_type, body);
            set(&mut response, CONTENT_ENCODING, "gzip");
            response
        }
        Encoding::Identity => {
            let (status, from, length) = match share(headers, size, modified) {
                Share::Whole => (StatusCode::OK, 0, size),
                Share::Part(from, length) => (StatusCode::PARTIAL_CONTENT, from, length),
                Share::Unchanged => return Ok(empty(StatusCode::NOT_MODIFIED)),
                Share::Changed => return Ok(empty(StatusCode::PRECONDITION_FAILED)),
                Share::NotThere => return Ok(not_there(size)),
            };
            file.seek(SeekFrom::Start(from)).await?;
            let body = Body::from_stream(ReaderStream::new(file.take(length)));
            let mut response = with_body(status, content_type, body);
            set(&mut response, CONTENT_LENGTH, &length.to_string());
            if status == StatusCode::PARTIAL_CONTENT {
                let last = from + length - 1;
                set(&mut response, CONTENT_RANGE, &format!("bytes {from}-{last}/{size}"));
            }
            set(&mut response, ACCEPT_RANGES, "bytes");
            set(&mut response, LAST_MODIFIED, &httpdate::fmt_http_date(modified));
            response
        }
    };
    set(&mut response, VARY, "Accept-Encoding");
    if response.status().is_success() {
        set(&mut response, CONTENT_DISPOSITION, &disposition(path));
    }
    Ok(response)
}

fn not_there(size: u64) -> Response {
    let status = StatusCode::RANGE_NOT_SATISFIABLE;
    let mut response = with_body(status, "text/plain; charset=utf-8", "invalid range: failed to overlap\n");
    set(&mut response, CONTENT_RANGE, &format!("bytes */{size}"));
    response
}

fn disposition(path: &str) -> String {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.bytes().all(token) {
        format!("inline; filename={name}")
    } else if name.is_ascii() {
        let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
        format!("inline; filename=\"{quoted}\"")
    } else {
        format!("inline; filename*=utf-8''{}", utf8_percent_encode(name, PLAIN))
    }
}

/// A type by the name, else by how the bytes begin.
fn guess(path: &str, beginning: &[u8]) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" | "htm" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "xml" => "text/xml; charset=utf-8",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "svg" => "image/svg+xml",
        "pdf" => "application/pdf",
        "wasm" => "application/wasm",
        _ if beginning.iter().any(|byte| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f)) => {
            "application/octet-stream"
        }
        _ => "text/plain; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use super::disposition;

    #[test]
    fn file_names_take_the_form_that_they_need() {
        for (path, expected) in [
            ("/home/user/hello.txt", "inline; filename=hello.txt"),
            ("/a b.txt", "inline; filename=\"a b.txt\""),
            ("/ß.txt", "inline; filename*=utf-8''%C3%9F.txt"),
        ] {
            assert_eq!(disposition(path), expected);
        }
    }
}
