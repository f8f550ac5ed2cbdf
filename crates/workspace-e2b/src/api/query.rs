//! The query of a list of sandboxes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Percent-encodes all that is not unreserved.
pub(crate) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// Metadata as the service wants it before the encoding of the query itself: each
/// key and value encoded twice.
pub(crate) fn metadata(pairs: &BTreeMap<String, String>) -> String {
    let twice = |text: &str| encoded(&encoded(text));
    let pairs: Vec<_> = pairs.iter().map(|(key, value)| format!("{}={}", twice(key), twice(value))).collect();
    pairs.join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_travels_in_three_layers() {
        let pairs = BTreeMap::from([("user".to_owned(), "a b".to_owned())]);
        assert_eq!(encoded(&metadata(&pairs)), "user%3Da%252520b");
        assert_eq!(encoded("ä/~"), "%C3%A4%2F~");
    }
}
