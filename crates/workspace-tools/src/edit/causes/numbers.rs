//! Line numbers that were pasted along with the text.

/// What a display puts between the number and the line.
const SEPARATORS: [char; 6] = ['\t', '\u{2192}', ':', '|', '\u{2502}', '-'];

/// An old text with a number at the start of each line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Numbered {
    /// The text without them; two readings where the blank behind each number
    /// may belong to the display or to the line.
    pub(super) bare: Vec<String>,
    /// Whether the numbers count up line by line, so that they are hardly text.
    pub(super) is_counting: bool,
}

impl Numbered {
    /// Reads `old`; `None` where a line has no number. Blank lines, and the
    /// first of three or more lines, may lack one.
    pub(super) fn read(old: &str) -> Option<Self> {
        let lines: Vec<&str> = old.split_inclusive('\n').collect();
        let mut numbers = Vec::new();
        let mut bare = Vec::with_capacity(lines.len());
        for (i, line) in lines.into_iter().enumerate() {
            if let Some((number, rest)) = split_number(line) {
                numbers.push(number);
                bare.push(rest);
            } else if i == 0 || line.trim().is_empty() {
                bare.push(line);
            } else {
                return None;
            }
        }
        let first_lacks = old.split('\n').next().is_some_and(|line| split_number(line).is_none());
        if numbers.is_empty() || first_lacks && numbers.len() < 2 {
            return None;
        }
        let mut readings = vec![bare.concat()];
        if bare.iter().all(|line| line.starts_with(' ') || line.trim().is_empty()) {
            let narrower = bare.iter().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
            readings.insert(0, narrower);
        }
        let is_counting = numbers.len() > 1 && numbers.is_sorted_by(|a, b| a < b);
        Some(Self { bare: readings, is_counting })
    }
}

/// The number of a line, and what follows it and its separator: `12:`, `12|`,
/// `    12→`, `L12: `, `12. `, a number alone.
fn split_number(line: &str) -> Option<(u32, &str)> {
    let start = line.trim_start_matches(' ');
    let start = start.strip_prefix('L').unwrap_or(start);
    let rest = start.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = &start[..start.len() - rest.len()];
    if digits.len() > 7 {
        return None;
    }
    let number = digits.parse().ok()?;
    if matches!(rest, "" | "\n" | "\r\n") {
        return Some((number, rest));
    }
    let behind = match rest.strip_prefix(['.', ')']) {
        Some(behind) => Some(behind).filter(|behind| behind.starts_with(' ')),
        None => rest.strip_prefix(' ').unwrap_or(rest).strip_prefix(SEPARATORS),
    };
    Some((number, behind?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, expected: &[&str]) {
        let bare = Numbered::read(old).map(|numbered| numbered.bare).unwrap_or_default();
        assert_eq!(bare, expected);
    }

    #[test]
    fn r_edit_3_the_usual_displays_are_known() {
        check("     7\tfn a() {\n     8\t    b();\n", &["fn a() {\n    b();\n"]);
        check("12|a\n13|b", &["a\nb"]);
        check("12:a\n13:b", &["a\nb"]);
        check("12: a\n13:  b", &["a\n b", " a\n  b"]);
        check("  9\u{2192}a\n 10\u{2192}b", &["a\nb"]);
        check("9 | a", &["a", " a"]);
        check("L3: a", &["a", " a"]);
        check("1. a\n2. b", &["a\nb", " a\n b"]);
        check("3-a\n4:b", &["a\nb"]);
        check("1\ta\r\n2\tb\r\n", &["a\r\nb\r\n"]);
    }

    #[test]
    fn r_edit_3_blank_lines_and_a_cut_first_line_may_lack_a_number() {
        check("     1\ta\n     2\n     3\tb", &["a\n\nb"]);
        check("1\ta\n\n3\tb\n", &["a\n\nb\n"]);
        check("tail of one\n2\tb\n3\tc", &["tail of one\nb\nc"]);
    }

    #[test]
    fn numbers_that_count_up_are_hardly_text() {
        let is_counting = |old| Numbered::read(old).unwrap().is_counting;
        assert!(is_counting("1: a\n2: b"));
        assert!(is_counting("8\ta\n\n10\tb"));
        assert!(!is_counting("1: a"));
        assert!(!is_counting("1: a\n1: b"));
    }

    #[test]
    fn other_text_has_no_numbers() {
        check("", &[]);
        check("a", &[]);
        check("a\n2: b", &[]);
        check("1: a\nb", &[]);
        check("2024 was", &[]);
        check("3.5", &[]);
        check("123456789: a", &[]);
    }
}
