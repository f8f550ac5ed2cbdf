//! Folds: ways to look away from one kind of difference.

use unicode_normalization::char::{canonical_combining_class, decompose_compatible};

use super::chars::{Unseen, is_blank, typed, unseen};

/// A kind of difference to look away from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    /// CRLF against LF.
    Eol,
    /// Blanks, however many and wherever they are.
    Blanks,
    /// Typographic against typed quotes, dashes and ellipses.
    Quotes,
    /// Characters of no width, and other spaces against the plain one.
    Unseen,
    /// Unicode normal forms, compatibility forms included.
    Form,
    /// Letter case.
    Case,
}

/// A set of folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Folds(u8);

impl Folds {
    pub(super) const ALL: Self = Self(0b11_1111);

    pub(super) fn has(self, fold: Fold) -> bool {
        self.0 & 1 << fold as u8 != 0
    }

    pub(super) fn with(self, fold: Fold) -> Self {
        Self(self.0 | 1 << fold as u8)
    }

    pub(super) fn without(self, fold: Fold) -> Self {
        Self(self.0 & !(1 << fold as u8))
    }
}

/// A character of a folded text, and the offset of the one it came from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Atom {
    pub(super) c: char,
    pub(super) at: usize,
}

/// `text` as it is seen through `folds`.
pub(super) fn fold(text: &str, folds: Folds) -> Vec<Atom> {
    let mut atoms = Vec::with_capacity(text.len());
    let mut chars = text.char_indices().peekable();
    while let Some((at, mut c)) = chars.next() {
        if c == '\r' && folds.has(Fold::Eol) && chars.peek().is_some_and(|&(_, next)| next == '\n') {
            continue;
        }
        if folds.has(Fold::Unseen) {
            match unseen(c) {
                Some(Unseen::Nothing) => continue,
                Some(Unseen::Space) => c = ' ',
                None => {}
            }
        }
        match typed(c).filter(|_| folds.has(Fold::Quotes)) {
            Some(typed) => atoms.extend(typed.chars().map(|c| Atom { c, at })),
            None => push(c, at, folds, &mut atoms),
        }
    }
    if folds.has(Fold::Form) {
        order_accents(&mut atoms);
    }
    atoms
}

fn push(c: char, at: usize, folds: Folds, atoms: &mut Vec<Atom>) {
    let mut push_cased = |c: char| {
        if folds.has(Fold::Blanks) && is_blank(c) {
            return;
        }
        if folds.has(Fold::Case) {
            atoms.extend(c.to_lowercase().map(|c| Atom { c, at }));
        } else {
            atoms.push(Atom { c, at });
        }
    };
    if folds.has(Fold::Form) && !c.is_ascii() {
        decompose_compatible(c, push_cased);
    } else {
        push_cased(c);
    }
}

/// Puts the accents of each letter in the order that normal forms have.
fn order_accents(atoms: &mut [Atom]) {
    let class = |atom: &Atom| canonical_combining_class(atom.c);
    for accents in atoms.split_mut(|atom| class(atom) == 0) {
        accents.sort_by_key(class);
    }
}

/// Where two texts first differ when seen through `folds`: an offset in each.
pub(super) fn first_difference(text: &str, old: &str, folds: Folds) -> Option<(usize, usize)> {
    let (ours, theirs) = (fold(text, folds), fold(old, folds));
    let same = ours.iter().zip(&theirs).take_while(|(a, b)| a.c == b.c).count();
    match (ours.get(same), theirs.get(same)) {
        (None, None) => None,
        (a, b) => Some((a.map_or(text.len(), |a| a.at), b.map_or(old.len(), |b| b.at))),
    }
}

/// The folds without which `text` and `old` still differ; `None` where they
/// differ through all of them.
///
/// A fold that sees more than its own kind is left out first: compatibility
/// forms make a no-break space a space, and blanks hide an ending.
pub(super) fn needed(text: &str, old: &str) -> Option<Folds> {
    if first_difference(text, old, Folds::ALL).is_some() {
        return None;
    }
    let mut folds = Folds::ALL;
    for one in [Fold::Form, Fold::Blanks, Fold::Case, Fold::Quotes, Fold::Unseen, Fold::Eol] {
        let fewer = folds.without(one);
        if first_difference(text, old, fewer).is_none() {
            folds = fewer;
        }
    }
    Some(folds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, old: &str, expected: &[Fold]) {
        let folds = needed(text, old).unwrap();
        let all = [Fold::Eol, Fold::Blanks, Fold::Quotes, Fold::Unseen, Fold::Form, Fold::Case];
        let got: Vec<_> = all.into_iter().filter(|&fold| folds.has(fold)).collect();
        assert_eq!(got, expected, "{text:?} {old:?}");
    }

    #[test]
    fn the_fewest_folds_are_found() {
        check("a", "a", &[]);
        check("a\r\nb", "a\nb", &[Fold::Eol]);
        check("a b", "ab", &[Fold::Blanks]);
        check("a\r\nb ", "a\nb", &[Fold::Blanks]);
        check("\u{2018}a\u{2019}\u{2026}", "'a'...", &[Fold::Quotes]);
        check("a\u{a0}b", "a b", &[Fold::Unseen]);
        check("a\u{200b}b", "ab", &[Fold::Unseen]);
        check("\u{e9}", "e\u{301}", &[Fold::Form]);
        check("a\u{323}\u{302}", "\u{1ead}", &[Fold::Form]);
        check("a\u{302}\u{323}", "\u{1ead}", &[Fold::Form]);
        check("\u{ff08}x\u{ff09}", "(x)", &[Fold::Form]);
        check("\u{c9}", "\u{e9}", &[Fold::Case]);
        check("\u{c9}", "e\u{301}", &[Fold::Form, Fold::Case]);
        check(
            "a\u{a0} \u{201c}B\u{201d}",
            "a \"b\"",
            &[Fold::Blanks, Fold::Quotes, Fold::Unseen, Fold::Case],
        );
    }

    #[test]
    fn a_real_difference_is_none_of_them() {
        assert_eq!(needed("cafe", "caf\u{e9}"), None);
        assert_eq!(needed("a", "b"), None);
        assert_eq!(needed("a", ""), None);
    }
}
