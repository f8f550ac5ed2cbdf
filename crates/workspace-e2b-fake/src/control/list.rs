//! Lists of sandboxes, filtered and page by page.

use std::sync::Arc;

use axum::http::{HeaderName, StatusCode};
use axum::response::Response;
use percent_encoding::percent_decode_str;

use super::describe::listed;
use crate::answer::{json, problem, set};
use crate::sandbox::{Phase, Sandbox};
use crate::state::State;

const PAGE: usize = 100;

/// `GET /v2/sandboxes`, and `GET /sandboxes` where only running ones are told.
pub(super) fn list(state: &State, path: &str, query: &str) -> Response {
    let old = !path.starts_with("/v2/");
    let ask = match Ask::read(query, old) {
        Ok(ask) => ask,
        Err(message) => return problem(StatusCode::BAD_REQUEST, message),
    };
    let mut found: Vec<_> = state.sandboxes().into_iter().filter(|sandbox| ask.wants(sandbox)).collect();
    let running = found.iter().filter(|sandbox| sandbox.life.phase() == Phase::Running).count();
    found.sort_by(|a, b| (a.started_at, &a.id).cmp(&(b.started_at, &b.id)));
    if !ask.ascending {
        found.reverse();
    }
    let from = match &ask.next {
        None => 0,
        Some(next) => match found.iter().position(|sandbox| sandbox.id == *next) {
            Some(last) => last + 1,
            None => return problem(StatusCode::BAD_REQUEST, "validation error: invalid next token"),
        },
    };
    let page: Vec<_> = found.iter().skip(from).take(ask.limit).collect();
    let more = found.len() > from + page.len();
    let items: Vec<_> = page.iter().map(|sandbox| listed(state, sandbox)).collect();
    let mut response = json(StatusCode::OK, &items);
    if !old {
        set(&mut response, HeaderName::from_static("x-total-running"), &running.to_string());
        if let Some(last) = page.last().filter(|_| more) {
            set(&mut response, HeaderName::from_static("x-next-token"), &last.id);
        }
    }
    response
}

struct Ask {
    metadata: Vec<(String, String)>,
    running: bool,
    paused: bool,
    ascending: bool,
    limit: usize,
    next: Option<String>,
    template: Option<String>,
}

impl Ask {
    fn read(query: &str, old: bool) -> Result<Self, String> {
        let mut ask = Self {
            metadata: Vec::new(),
            running: true,
            paused: !old,
            ascending: false,
            limit: if old { usize::MAX } else { PAGE },
            next: None,
            template: None,
        };
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match name.as_ref() {
                "metadata" => ask.metadata = metadata(&value)?,
                "state" if !old => {
                    ask.running = value.split(',').any(|state| state == "running");
                    ask.paused = value.split(',').any(|state| state == "paused");
                    if value.split(',').any(|state| !matches!(state, "running" | "paused")) {
                        return Err(format!("validation error: unknown state `{value}`"));
                    }
                }
                "order" => ask.ascending = value == "asc",
                "limit" if !old => {
                    let limit = value.parse().ok().filter(|limit| (1..=PAGE).contains(limit));
                    ask.limit = limit.ok_or("validation error: limit must be between 1 and 100")?;
                }
                "nextToken" => ask.next = Some(value.into_owned()),
                "template" => ask.template = Some(value.into_owned()),
                _ => {}
            }
        }
        Ok(ask)
    }

    fn wants(&self, sandbox: &Arc<Sandbox>) -> bool {
        let phase = match sandbox.life.phase() {
            Phase::Running => self.running,
            Phase::Paused => self.paused,
            Phase::Dead => false,
        };
        phase
            && self.template.as_ref().is_none_or(|template| *template == sandbox.wish.template)
            && self.metadata.iter().all(|(key, value)| sandbox.wish.metadata.get(key) == Some(value))
    }
}

/// Pairs inside one parameter: the text is encoded as a whole, and each part once more.
fn metadata(text: &str) -> Result<Vec<(String, String)>, String> {
    let text = unescape(text);
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| match pair.split('=').collect::<Vec<_>>().as_slice() {
            [key, value] => Ok((unescape(key), unescape(value))),
            _ => Err(format!("invalid metadata query: `{pair}`")),
        })
        .collect()
}

fn unescape(text: &str) -> String {
    percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::metadata;

    #[track_caller]
    fn check(parameter: &str, expected: Result<&[(&str, &str)], ()>) {
        let pairs = metadata(parameter).map_err(drop);
        let expected = expected.map(|pairs| pairs.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect());
        assert_eq!(pairs, expected, "{parameter}");
    }

    #[test]
    fn metadata_is_decoded_twice_after_the_query() {
        check("user=a%2520b", Ok(&[("user", "a b")]));
        check("k=a%252526b%25253Dc&x=1", Ok(&[("k", "a%26b%3Dc"), ("x", "1")]));
        check("", Ok(&[]));
        check("a=b=c", Err(()));
        check("a", Err(()));
    }
}
