//! What a word that only the shell knows may turn out to be.

use crate::syntax::{Arg, Count, Runtime};
use crate::tables::outputs::Shape;

/// Whether one of the words it becomes may be this text.
pub(crate) fn may_equal(runtime: &Runtime, text: &str) -> bool {
    if runtime.count == Count::Many {
        return true;
    }
    let filled = text
        .strip_prefix(runtime.prefix.as_str())
        .and_then(|rest| rest.strip_suffix(runtime.suffix.as_str()));
    filled.is_some_and(|filled| match runtime.shape {
        Shape::Any => true,
        Shape::Plain => filled.starts_with(|c: char| c.is_ascii_alphanumeric()),
        Shape::Digits => !filled.is_empty() && filled.bytes().all(|byte| byte.is_ascii_digit()),
    })
}

/// Whether one of the words it becomes may begin with a dash.
pub(crate) fn may_be_option(runtime: &Runtime) -> bool {
    runtime.count == Count::Many
        || runtime.prefix.starts_with('-')
        || (runtime.prefix.is_empty() && runtime.shape == Shape::Any)
}

/// Whether a word, known or not, may begin with a dash.
pub(crate) fn is_option(arg: &Arg) -> bool {
    match (arg.text(), arg.runtime()) {
        (Some(text), _) => text.len() > 1 && text.starts_with('-'),
        (None, Some(runtime)) => may_be_option(runtime),
        (None, None) => false,
    }
}
