//! Parts of a file, and files that have not changed.

use std::time::{Duration, SystemTime};

use axum::http::HeaderMap;
use axum::http::header::{IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, IF_UNMODIFIED_SINCE, RANGE};

/// What of a file is sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Share {
    Whole,
    /// From a byte, this many.
    Part(u64, u64),
    Unchanged,
    Changed,
    NotThere,
}

/// Whether a request asks for a part, or on a condition.
pub(super) fn is_conditional(headers: &HeaderMap) -> bool {
    [RANGE, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, IF_UNMODIFIED_SINCE]
        .iter()
        .any(|name| headers.contains_key(name))
}

/// What of a file of that size, changed at that time, a request asks for. Several
/// ranges at once are answered with the whole.
pub(super) fn share(headers: &HeaderMap, size: u64, modified: SystemTime) -> Share {
    let text = |name| headers.get(name).and_then(|value: &axum::http::HeaderValue| value.to_str().ok());
    let date = |name| text(name).and_then(|text| httpdate::parse_http_date(text).ok());
    // Dates in headers have whole seconds.
    let modified = whole_seconds(modified);
    if date(IF_UNMODIFIED_SINCE).is_some_and(|date| modified > date) {
        return Share::Changed;
    }
    if text(IF_NONE_MATCH).is_some_and(|tags| tags.trim() == "*") {
        return Share::Unchanged;
    }
    if text(IF_NONE_MATCH).is_none() && date(IF_MODIFIED_SINCE).is_some_and(|date| modified <= date) {
        return Share::Unchanged;
    }
    // A file has no entity tag, so that no tag is its own.
    let same = text(IF_RANGE).is_none() || date(IF_RANGE) == Some(modified);
    match text(RANGE).filter(|_| same) {
        Some(range) => part(range, size),
        None => Share::Whole,
    }
}

fn whole_seconds(time: SystemTime) -> SystemTime {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    SystemTime::UNIX_EPOCH + Duration::from_secs(since.as_secs())
}

fn part(range: &str, size: u64) -> Share {
    let Some(spec) = range.strip_prefix("bytes=") else { return Share::NotThere };
    if spec.contains(',') {
        return Share::Whole;
    }
    let Some((first, last)) = spec.trim().split_once('-') else { return Share::NotThere };
    match (first.parse::<u64>(), last.parse::<u64>()) {
        (Ok(first), _) if first >= size => Share::NotThere,
        (Ok(first), Ok(last)) if last >= first => Share::Part(first, last.min(size - 1) - first + 1),
        (Ok(first), Err(_)) if last.is_empty() => Share::Part(first, size - first),
        (Err(_), Ok(last)) if first.is_empty() && last > 0 && size > 0 => {
            let length = last.min(size);
            Share::Part(size - length, length)
        }
        _ => Share::NotThere,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_cut_to_the_file() {
        for (range, expected) in [
            ("bytes=0-4", Share::Part(0, 5)),
            ("bytes=5-", Share::Part(5, 5)),
            ("bytes=-3", Share::Part(7, 3)),
            ("bytes=-30", Share::Part(0, 10)),
            ("bytes=8-99", Share::Part(8, 2)),
            ("bytes=10-", Share::NotThere),
            ("bytes=3-1", Share::NotThere),
            ("bytes=-0", Share::NotThere),
            ("bytes=x-1", Share::NotThere),
            ("lines=1-2", Share::NotThere),
            ("bytes=0-1,4-5", Share::Whole),
        ] {
            assert_eq!(part(range, 10), expected, "{range}");
        }
        assert_eq!(part("bytes=0-", 0), Share::NotThere);
    }

    #[test]
    fn conditions_are_judged_by_whole_seconds() {
        let modified = SystemTime::UNIX_EPOCH + Duration::from_millis(1500);
        let (same, before) = ("Thu, 01 Jan 1970 00:00:01 GMT", "Thu, 01 Jan 1970 00:00:00 GMT");
        for (name, value, expected) in [
            (IF_MODIFIED_SINCE, same, Share::Unchanged),
            (IF_MODIFIED_SINCE, before, Share::Whole),
            (IF_UNMODIFIED_SINCE, same, Share::Whole),
            (IF_UNMODIFIED_SINCE, before, Share::Changed),
            (IF_NONE_MATCH, "*", Share::Unchanged),
        ] {
            let value = axum::http::HeaderValue::from_static(value);
            let headers = [(name.clone(), value)].into_iter().collect();
            assert_eq!(share(&headers, 10, modified), expected, "{name}");
        }
    }
}
