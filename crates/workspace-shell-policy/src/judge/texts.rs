//! What a word that only the shell knows may turn out to be.

use crate::syntax::{Arg, Count, Runtime};

/// Whether one of the words it becomes may be this text.
pub(super) fn may_equal(runtime: &Runtime, text: &str) -> bool {
    match runtime.count {
        Count::Many => true,
        Count::One | Count::Glob => {
            let digits = || {
                text.get(runtime.prefix.len()..)
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            };
            text.len() >= runtime.prefix.len() + runtime.suffix.len()
                && text.starts_with(runtime.prefix.as_str())
                && text.ends_with(runtime.suffix.as_str())
                && (!runtime.digits || digits())
        }
    }
}

/// Whether one of the words it becomes may begin with a dash.
pub(super) fn may_be_option(runtime: &Runtime) -> bool {
    runtime.count == Count::Many
        || runtime.prefix.starts_with('-')
        || (runtime.prefix.is_empty() && !runtime.digits)
}

/// Whether a word, known or not, may begin with a dash.
pub(super) fn is_option(arg: &Arg) -> bool {
    match (arg.text(), arg.runtime()) {
        (Some(text), _) => text.len() > 1 && text.starts_with('-'),
        (None, Some(runtime)) => may_be_option(runtime),
        (None, None) => false,
    }
}
