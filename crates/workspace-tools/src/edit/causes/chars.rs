//! Characters that are easily taken for another, or not seen at all.

/// Whether `c` is a blank that anyone can type. Other blanks are [`unseen`].
pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}')
}

/// What a reader takes an unseen character for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unseen {
    /// For nothing: it has no width.
    Nothing,
    /// For a plain space.
    Space,
}

/// Tells characters without a shape of their own.
pub(super) fn unseen(c: char) -> Option<Unseen> {
    match c {
        '\u{85}'
        | '\u{a0}'
        | '\u{1680}'
        | '\u{2000}'..='\u{200a}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{202f}'
        | '\u{205f}'
        | '\u{3000}' => Some(Unseen::Space),
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{e0000}'..='\u{e0fff}' => Some(Unseen::Nothing),
        _ => None,
    }
}

/// What stands on a keyboard for a typographic quote, dash or ellipsis.
pub(super) fn typed(c: char) -> Option<&'static str> {
    match c {
        '\u{b4}' | '\u{2bc}' | '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2035}' => Some("'"),
        '\u{ab}' | '\u{bb}' | '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{2036}' => Some("\""),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Some("-"),
        '\u{2026}' => Some("..."),
        _ => None,
    }
}

/// A character as a hint names it: code point, then its shape or its name.
pub(super) fn named(c: char) -> String {
    let code = u32::from(c);
    let name = match c {
        ' ' => "space",
        '\t' => "tab",
        '\n' => "line feed",
        '\r' => "carriage return",
        '\u{a0}' => "no-break space",
        '\u{ad}' => "soft hyphen",
        '\u{200b}' => "zero width space",
        '\u{200c}' => "zero width non-joiner",
        '\u{200d}' => "zero width joiner",
        '\u{200e}' => "left-to-right mark",
        '\u{200f}' => "right-to-left mark",
        '\u{2028}' => "line separator",
        '\u{202f}' => "narrow no-break space",
        '\u{2060}' => "word joiner",
        '\u{3000}' => "ideographic space",
        '\u{feff}' => "byte order mark",
        _ if unseen(c).is_some() => "not visible",
        _ if c.is_control() => "control character",
        _ => return format!("U+{code:04X} (`{c}`)"),
    };
    format!("U+{code:04X} ({name})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_is_of_two_classes() {
        for c in '\0'..=char::MAX {
            let classes = [is_blank(c), unseen(c).is_some(), typed(c).is_some()];
            assert!(classes.iter().filter(|&&is| is).count() <= 1, "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn r_edit_3_characters_are_named_by_code_point() {
        assert_eq!(named('\u{a0}'), "U+00A0 (no-break space)");
        assert_eq!(named('\u{2019}'), "U+2019 (`\u{2019}`)");
        assert_eq!(named('\u{2003}'), "U+2003 (not visible)");
        assert_eq!(named('\u{1}'), "U+0001 (control character)");
    }
}
