//! What a tool gives: an object for programs, a text for models.

use serde::Serialize;

/// An output that a model can read.
pub(crate) trait Answer: Serialize {
    /// The answer as a model reads it best; it holds all that the next step needs.
    fn text(&self) -> String;
}

/// A text with a notice below it, in brackets.
pub(crate) fn with_notice(mut text: String, notice: Option<&str>) -> String {
    if let Some(notice) = notice {
        if !text.is_empty() {
            text.push_str(if text.ends_with('\n') { "\n" } else { "\n\n" });
        }
        text.push('[');
        text.push_str(notice);
        text.push(']');
    }
    text
}
