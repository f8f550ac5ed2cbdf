//! Why an old text was not found: the differences that alone kept it from
//! matching.
//!
//! The file is searched for the skeleton of the old text (`skeleton`), and each
//! place found is compared with it through folds (`fold`, `candidate`). Two
//! passes over the file at most; the places compared are bounded by
//! [`MAX_WORK`], so that a file full of near matches costs no more than others.

mod candidate;
mod chars;
mod fold;
mod hints;
mod numbers;
mod skeleton;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, ops::Range};

use self::{
    candidate::{Candidate, Witness, compare, other_endings},
    chars::{is_blank, unseen},
    numbers::Numbered,
    skeleton::{Skeleton, skeleton},
};
use super::{
    change::EolMode,
    closest::{self, Region},
    matching::Search,
};

/// The longest old text, in bytes, that is compared by folds.
const MAX_OLD: usize = 256 << 10;

/// Bytes of old text compared with places of the file; one place is always
/// compared.
const MAX_WORK: usize = 1 << 20;

/// What comparing one place costs besides its length.
const COMPARING: usize = 256;

/// The most causes reported.
const MAX_CAUSES: usize = 2;

/// A kind of difference, in the order in which they are tested and reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CauseKind {
    /// CRLF against LF; never under [`EolMode::Adapt`].
    LineEndings,
    /// Line numbers pasted along with the text.
    LineNumbers,
    /// More, fewer or other blanks.
    Whitespace,
    /// Tabs against spaces.
    Tabs,
    /// Typographic quotes, dashes or ellipses against typed ones.
    Quotes,
    /// Characters of no width, or spaces other than the plain one.
    InvisibleCharacters,
    /// Another Unicode normal form, or a compatibility form.
    UnicodeForm,
    /// Upper against lower case.
    Case,
}

impl CauseKind {
    /// The name used in results.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::LineEndings => "line-endings",
            Self::LineNumbers => "line-numbers",
            Self::Whitespace => "whitespace",
            Self::Tabs => "tabs",
            Self::Quotes => "quotes",
            Self::InvisibleCharacters => "invisible-characters",
            Self::UnicodeForm => "unicode-form",
            Self::Case => "case",
        }
    }
}

/// A difference that kept the old text from matching.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cause {
    /// Its kind.
    pub(crate) kind: CauseKind,
    /// Where it shows, and what to do about it.
    pub(crate) hint: String,
}

/// Finds why `old`, which does not stand in `text`, was not found: at most two
/// causes, and the region where the first of them shows, or else the one most
/// like `old`.
///
/// A place that differs by one kind alone is preferred; two such places give
/// two causes. Otherwise the place with the fewest kinds gives its first two.
pub(super) fn explain(text: &str, old: &str, mode: EolMode) -> (Vec<Cause>, Option<Region>) {
    let numbered = Numbered::read(old);
    let findings = find(text, old, numbered.as_ref(), mode);
    if let Some(region) = findings.region(text) {
        return (findings.causes(text), Some(region));
    }
    if let Some(Numbered { bare, is_counting: true }) = &numbered {
        let cause = Cause { kind: CauseKind::LineNumbers, hint: hints::numbers_only() };
        return (vec![cause], closest::find(text, bare.first().map_or(old, String::as_str)));
    }
    (unseen_only(old).into_iter().collect(), closest::find(text, old))
}

/// The places that `old` means but for causes.
fn find<'a>(text: &str, old: &'a str, numbered: Option<&'a Numbered>, mode: EolMode) -> Findings<'a> {
    let mut findings = Findings::default();
    if mode != EolMode::Adapt
        && let Some(place) = Search::new(text, old, EolMode::Adapt).regions().next()
    {
        findings.add(other_endings(text, place, old), old);
        return findings;
    }
    if old.len() > MAX_OLD {
        return findings;
    }
    let bones = skeleton(old);
    if bones.is_empty() {
        return findings;
    }
    let file = Skeleton::new(text);
    for place in worth_comparing(&file, &bones, old) {
        findings.extend(compare(text, place, old, mode), old);
    }
    let bare = numbered.map(|numbered| &*numbered.bare).unwrap_or_default();
    let bare_bones = bare.first().map(|bare| skeleton(bare)).unwrap_or_default();
    if !bare_bones.is_empty() {
        for place in worth_comparing(&file, &bare_bones, old) {
            for bare in bare {
                let candidate = compare(text, place.clone(), bare, mode);
                findings.extend(candidate.map(Candidate::numbered), bare);
            }
        }
    }
    findings
}

/// The places with the skeleton `bones` that the budget allows to compare.
fn worth_comparing(file: &Skeleton<'_>, bones: &str, old: &str) -> impl Iterator<Item = Range<usize>> {
    let count = MAX_WORK / (old.len() + COMPARING) + 1;
    let longest = old.len() * 4 + COMPARING;
    file.places(bones).take(count).filter(move |place| place.len() <= longest)
}

/// What an old text of nothing but blanks and unseen characters is told.
fn unseen_only(old: &str) -> Option<Cause> {
    if old.chars().any(|c| !is_blank(c) && unseen(c).is_none()) {
        return None;
    }
    let c = old.chars().find(|&c| unseen(c).is_some())?;
    Some(Cause { kind: CauseKind::InvisibleCharacters, hint: hints::unseen_only(c) })
}

/// A candidate, and the old text it was compared with: the one given, or the
/// one without line numbers.
struct Finding<'a> {
    candidate: Candidate,
    old: &'a str,
}

/// The candidates worth reporting.
#[derive(Default)]
struct Findings<'a> {
    /// The first place that differs by this kind alone.
    alone: BTreeMap<CauseKind, Finding<'a>>,
    /// The first place with the fewest kinds.
    mixed: Option<Finding<'a>>,
}

impl<'a> Findings<'a> {
    fn extend(&mut self, candidate: Option<Candidate>, old: &'a str) {
        if let Some(candidate) = candidate {
            self.add(candidate, old);
        }
    }

    fn add(&mut self, candidate: Candidate, old: &'a str) {
        let kinds = candidate.witnesses.len();
        if let [witness] = candidate.witnesses[..] {
            self.alone.entry(witness.kind).or_insert(Finding { candidate, old });
        } else if kinds > 0 && self.mixed.as_ref().is_none_or(|best| kinds < best.candidate.witnesses.len()) {
            self.mixed = Some(Finding { candidate, old });
        }
    }

    /// The differences to report, in order.
    fn chosen(&self) -> impl Iterator<Item = (&Finding<'a>, &Witness)> {
        let mixed = self.mixed.iter().filter(|_| self.alone.is_empty());
        let findings = self.alone.values().chain(mixed);
        findings.flat_map(|finding| finding.candidate.witnesses.iter().map(move |witness| (finding, witness)))
    }

    fn causes(&self, text: &str) -> Vec<Cause> {
        let cause = |(finding, witness): (&Finding<'_>, &Witness)| Cause {
            kind: witness.kind,
            hint: hints::hint(text, finding.old, witness),
        };
        self.chosen().take(MAX_CAUSES).map(cause).collect()
    }

    fn region(&self, text: &str) -> Option<Region> {
        let (finding, witness) = self.chosen().next()?;
        Some(closest::region_at(text, &finding.candidate.place, witness.text_at))
    }
}
