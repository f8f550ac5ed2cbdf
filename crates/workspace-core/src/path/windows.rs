//! What Windows makes of a name that looks harmless, as a pure function.

/// Why Windows would not take the name for what it says, or `None` where it does.
pub(super) fn refuses(name: &str) -> Option<&'static str> {
    if name.contains(':') {
        return Some("`:` in a name opens another stream on Windows");
    }
    if name.contains(['<', '>', '"', '|', '?', '*']) || name.chars().any(|c| c < ' ') {
        return Some("the name holds a character that Windows does not allow");
    }
    if name.ends_with(['.', ' ']) {
        // This covers names of dots and spaces only.
        return Some("Windows drops a dot or a space at the end of a name");
    }
    is_device(name).then_some("the name is that of a device on Windows")
}

/// `CON`, `NUL.txt`, `com1`, `LPT² .log`: with or without extension and trailing spaces.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end_matches(' ');
    let stem = stem.to_uppercase();
    if matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$") {
        return true;
    }
    ["COM", "LPT"].iter().filter_map(|device| stem.strip_prefix(device)).any(|number| {
        let mut digits = number.chars();
        matches!((digits.next(), digits.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
    })
}
