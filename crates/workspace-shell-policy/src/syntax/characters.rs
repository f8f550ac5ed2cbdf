//! Characters that a person does not see, or sees as a blank.

/// Whether a character outside quotes is refused because what is seen and what
/// the shell reads may differ: control and format characters, blanks of any
/// script, and letters that show as a blank. Space, tab and newline are not
/// meant.
pub(crate) fn is_deceptive(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control() && !matches!(c, '\t' | '\n');
    }
    c.is_control() || c.is_whitespace() || is_format(c) || is_filler(c)
}

/// Characters of the general category Cf, and the line and paragraph tags.
fn is_format(c: char) -> bool {
    matches!(
        u32::from(c),
        0x00AD
            | 0x0600..=0x0605
            | 0x061C
            | 0x06DD
            | 0x070F
            | 0x0890..=0x0891
            | 0x08E2
            | 0x180E
            | 0x200B..=0x200F
            | 0x202A..=0x202E
            | 0x2060..=0x206F
            | 0xFEFF
            | 0xFFF0..=0xFFFB
            | 0x110BD
            | 0x110CD
            | 0x13430..=0x1343F
            | 0x1BCA0..=0x1BCA3
            | 0x1D173..=0x1D17A
            | 0xE0000..=0xE0FFF
    )
}

/// Letters, marks and symbols that are drawn as a blank or not at all.
fn is_filler(c: char) -> bool {
    matches!(
        u32::from(c),
        0x034F | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F | 0x2800 | 0x3164 | 0xFFA0
    )
}

/// Shows a character by name or number, for a message.
pub(crate) fn name_of(c: char) -> String {
    match c {
        '\0' => "a NUL character".to_owned(),
        '\r' => "a carriage return".to_owned(),
        '\u{a0}' => "a no-break space".to_owned(),
        '\u{200b}' => "a zero-width space".to_owned(),
        c => format!("the character U+{:04X}", u32::from(c)),
    }
}

#[cfg(test)]
mod tests {
    use super::is_deceptive;

    #[test]
    fn what_looks_like_a_blank_is_deceptive() {
        for c in [
            '\0',
            '\r',
            '\u{b}',
            '\u{7f}',
            '\u{85}',
            '\u{a0}',
            '\u{200b}',
            '\u{2028}',
            '\u{3000}',
            '\u{202e}',
            '\u{feff}',
            '\u{3164}',
            '\u{e0041}',
        ] {
            assert!(is_deceptive(c), "{c:?}");
        }
        for c in ['a', ' ', '\t', '\n', 'é', '漢', '🎉', '\u{301}', '~'] {
            assert!(!is_deceptive(c), "{c:?}");
        }
    }
}
