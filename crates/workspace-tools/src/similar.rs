//! Names that a model may have meant.

use unicode_normalization::UnicodeNormalization;

/// How alike two names must be to be worth a question, from 0 to 1.
const ALIKE: f64 = 0.6;

/// The known name nearest to the one given, where one is near.
pub(crate) fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest_few(given, known, 1).into_iter().next()
}

/// Up to `most` known names that are like the one given, the nearest first.
///
/// Names that differ in case or Unicode form alone come before all others:
/// they look the same to whoever asked.
pub(crate) fn nearest_few<'a>(
    given: &str,
    known: impl IntoIterator<Item = &'a str>,
    most: usize,
) -> Vec<&'a str> {
    let folded = fold(given);
    let mut scored: Vec<(f64, &str)> = known
        .into_iter()
        .map(|name| (score(&folded, &fold(name)), name))
        .filter(|&(score, _)| score >= ALIKE)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.into_iter().take(most).map(|(_, name)| name).collect()
}

fn fold(name: &str) -> String {
    name.nfc().flat_map(char::to_lowercase).collect()
}

fn score(given: &str, known: &str) -> f64 {
    if given == known { 1.0 } else { strsim::normalized_damerau_levenshtein(given, known) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_come_first() {
        let names = ["main.rs", "Main.rs", "mian.rs", "lib.rs", "other.txt"];
        assert_eq!(nearest_few("main.rs", names, 3), ["Main.rs", "main.rs", "mian.rs"]);
        assert_eq!(nearest("helprs", ["helpers", "tests"]), Some("helpers"));
        assert_eq!(nearest("zzz", names), None);
    }

    #[test]
    fn unicode_forms_of_one_name_are_one() {
        assert_eq!(nearest_few("M\u{e4}rz", ["Ma\u{308}rz", "Matz"], 1), ["Ma\u{308}rz"]);
    }
}
