//! Variables that a line must not set.

use crate::Refusal;
use crate::syntax::Span;
use crate::tables::variables::{is_pager, is_special};

/// The refusal of a line that sets or unsets a variable.
pub(super) fn refused(name: &str, span: &Span) -> Option<Box<Refusal>> {
    if !is_special(name) {
        return None;
    }
    let message = format!("`{name}` changes what commands mean or start, so it cannot be set here");
    Some(Refusal::syntax(span.clone(), message).hint(if is_pager(name) {
        "leave it out: there is no terminal here, so no pager starts"
    } else {
        "leave the variable as it is; use an option of the program"
    }))
}
