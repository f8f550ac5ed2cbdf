//! Where lines stand among others, in time that grows with both and no faster.

/// Every place from `start` on at which the lines of `needle` stand in `lines`, overlapping ones
/// included, as `same` compares them. `same` must be an equivalence.
pub(super) fn places<'a>(
    lines: &'a [&'a str],
    needle: &'a [&'a str],
    start: usize,
    same: impl Fn(&str, &str) -> bool + 'a,
) -> impl Iterator<Item = usize> + 'a {
    let borders = borders(needle, &same);
    let mut matched = 0;
    let mut at = start;
    std::iter::from_fn(move || {
        while let Some(line) = lines.get(at) {
            at += 1;
            while matched > 0 && !needle.get(matched).is_some_and(|next| same(next, line)) {
                matched = borders.get(matched - 1).copied().unwrap_or(0);
            }
            if needle.get(matched).is_some_and(|next| same(next, line)) {
                matched += 1;
            }
            if matched == needle.len() && matched > 0 {
                matched = borders.get(matched - 1).copied().unwrap_or(0);
                return Some(at - needle.len());
            }
        }
        None
    })
}

/// For each start of `needle`, how long the longest shorter one is that is also its end.
fn borders(needle: &[&str], same: &impl Fn(&str, &str) -> bool) -> Vec<usize> {
    let mut borders = Vec::with_capacity(needle.len());
    let mut matched = 0;
    for (at, line) in needle.iter().enumerate() {
        if at > 0 {
            while matched > 0 && !needle.get(matched).is_some_and(|next| same(next, line)) {
                matched = borders.get(matched - 1).copied().unwrap_or(0);
            }
            if needle.get(matched).is_some_and(|next| same(next, line)) {
                matched += 1;
            }
        }
        borders.push(matched);
    }
    borders
}

/// Whether two lines are equal.
pub(super) fn exact(a: &str, b: &str) -> bool {
    a == b
}

/// Whether two lines are equal but for spaces, tabs and returns at their ends.
pub(super) fn but_for_blank_ends(a: &str, b: &str) -> bool {
    let trimmed = |text: &str| text.trim_end_matches([' ', '\t', '\r']).len();
    a[..trimmed(a)] == b[..trimmed(b)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(lines: &str, needle: &str, start: usize, expected: &[usize]) {
        let lines: Vec<_> = lines.split_terminator(' ').collect();
        let needle: Vec<_> = needle.split_terminator(' ').collect();
        assert_eq!(places(&lines, &needle, start, exact).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn places_are_found_in_order_overlapping_ones_too() {
        check("a b a b a", "a b a", 0, &[0, 2]);
        check("a a a a", "a a", 1, &[1, 2]);
        check("a b a c a b a b", "a b a b", 0, &[4]);
        check("a b", "c", 0, &[]);
        check("a b", "a b c", 0, &[]);
        check("a b", "", 0, &[]);
        check("a", "a", 7, &[]);
    }

    #[test]
    fn equal_lines_without_number_take_linear_time() {
        let lines = vec!["x"; 200_000];
        let mut needle = vec!["x"; 100_000];
        needle.push("y");
        assert_eq!(places(&lines, &needle, 0, exact).next(), None);
    }
}
