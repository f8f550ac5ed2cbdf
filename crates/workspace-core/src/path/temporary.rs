//! The names of files in the making. Every backend hides them in the same way.

use super::MAX_NAME_BYTES;

const SUFFIX: &str = ".tmp";
const HEX_DIGITS: usize = 16;

/// The name of the temporary file beside `name`: `.NAME.<16 hex digits>.tmp`.
///
/// A long name is cut on a character boundary so that the result fits in
/// [`MAX_NAME_BYTES`].
pub fn temporary_name(name: &str, token: u64) -> String {
    let room = MAX_NAME_BYTES - HEX_DIGITS - SUFFIX.len() - 2;
    let name = &name[..name.floor_char_boundary(room)];
    format!(".{name}.{token:016x}{SUFFIX}")
}

/// Whether a name has the form of [`temporary_name`]. Listings, glob and grep leave it out.
///
/// # Examples
/// ```
/// use workspace_core::{is_temporary_name, temporary_name};
///
/// assert!(is_temporary_name(&temporary_name("a.txt", 7)));
/// assert!(!is_temporary_name(".a.txt.tmp"));
/// ```
pub fn is_temporary_name(name: &str) -> bool {
    let Some(rest) = name.strip_prefix('.').and_then(|name| name.strip_suffix(SUFFIX)) else {
        return false;
    };
    let Some((stem, token)) = rest.rsplit_once('.') else { return false };
    !stem.is_empty()
        && token.len() == HEX_DIGITS
        && token.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_cut_on_a_character_boundary() {
        let name = "ä".repeat(127);
        let made = temporary_name(&name, u64::MAX);
        assert!(made.len() <= MAX_NAME_BYTES);
        assert!(is_temporary_name(&made));
    }
}
