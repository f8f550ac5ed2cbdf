//! Lines to be judged: from a grammar of nasty pieces, and by mutation.

use serde_json::Value;

use crate::pieces::{
    BODIES, BUILTINS, DOCUMENTS, FINDS, JOINTS, PIECES, PROGRAMS, REDIRECTS, SUBSTITUTIONS, WORDS, WRAPPERS,
};

const CASES: &str = include_str!("../../testdata/shell-policy.jsonl");

/// A small generator of numbers, the same for the same seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).unwrap_or_default()
    }

    fn one_in(&mut self, odds: usize) -> bool {
        self.below(odds) == 0
    }

    fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }
}

pub(crate) struct Generator {
    random: Random,
    cases: Vec<String>,
}

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        let cases = CASES
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .filter(|case| case["mode"] == "sh")
            .filter_map(|case| {
                case["line"].as_str().map(|line| line.replace("@JAIL@", "/jail").replace("@OUT@", "/out"))
            })
            .filter(|line| line.len() < 400)
            .collect();
        Self { random: Random::new(seed), cases }
    }

    pub(crate) fn line(&mut self) -> String {
        let mut line = match self.random.below(8) {
            0 | 1 => self.case(),
            2 => {
                let (left, right) = (self.case(), self.case());
                let joint = self.random.pick(JOINTS);
                format!("{left}{joint}{right}")
            }
            _ => self.list(0),
        };
        if self.random.one_in(2) {
            for _ in 0..=self.random.below(3) {
                self.mutate(&mut line);
            }
        }
        line
    }

    fn case(&mut self) -> String {
        let at = self.random.below(self.cases.len());
        self.cases.get(at).cloned().unwrap_or_default()
    }

    fn list(&mut self, depth: usize) -> String {
        let mut line = String::new();
        let mut bodies = String::new();
        for at in 0..=self.random.below(4) {
            if at > 0 {
                let joint = self.random.pick(JOINTS);
                line.push_str(joint);
                if joint.contains('\n') && !joint.starts_with('\\') {
                    line.push_str(&std::mem::take(&mut bodies));
                }
            }
            line.push_str(&self.stage(depth, &mut bodies));
        }
        if !bodies.is_empty() {
            line.push('\n');
            line.push_str(&bodies);
            if self.random.one_in(3) {
                line.push_str(&self.stage(depth, &mut String::new()));
            }
        }
        line
    }

    fn stage(&mut self, depth: usize, bodies: &mut String) -> String {
        match self.random.below(12) {
            0 if depth < 3 => format!("({})", self.list(depth + 1)),
            1 => self.random.pick(BUILTINS).to_owned(),
            2 => self.random.pick(FINDS).to_owned(),
            _ => self.simple(depth, bodies),
        }
    }

    fn simple(&mut self, depth: usize, bodies: &mut String) -> String {
        let mut words: Vec<String> = Vec::new();
        if self.random.one_in(8) {
            words.push(format!("A={}", self.word(depth)));
        }
        if self.random.one_in(12) {
            words.push(self.random.pick(REDIRECTS).to_owned());
        }
        while self.random.one_in(5) {
            words.push(self.random.pick(WRAPPERS).to_owned());
        }
        words.push(if self.random.one_in(15) {
            self.word(depth)
        } else {
            self.random.pick(PROGRAMS).to_owned()
        });
        for _ in 0..self.random.below(4) {
            words.push(self.word(depth));
        }
        if self.random.one_in(4) {
            words.push(self.random.pick(REDIRECTS).to_owned());
        }
        if self.random.one_in(7) {
            let (operator, end) = DOCUMENTS[self.random.below(DOCUMENTS.len())];
            words.push(operator.to_owned());
            for _ in 0..self.random.below(3) {
                bodies.push_str(self.random.pick(BODIES));
                bodies.push('\n');
            }
            bodies.push_str(end);
            bodies.push('\n');
        }
        let blank = self.random.pick(&[" ", " ", " ", "  ", "\t", " \\\n"]);
        words.join(blank)
    }

    fn word(&mut self, depth: usize) -> String {
        if depth >= 3 || !self.random.one_in(6) {
            let mut word = self.random.pick(WORDS).to_owned();
            if self.random.one_in(6) {
                word.push_str(self.random.pick(WORDS));
            }
            return word;
        }
        let inner = if self.random.one_in(2) {
            self.random.pick(SUBSTITUTIONS).to_owned()
        } else {
            self.list(depth + 1)
        };
        match self.random.below(5) {
            0 => format!("$({inner})"),
            1 => format!("\"$({inner})\""),
            2 => format!("`{}`", inner.replace('\\', "\\\\").replace('`', "\\`").replace('$', "\\$")),
            3 => format!("\"`{}`\"", inner.replace('\\', "\\\\").replace('`', "\\`")),
            _ => format!("a$({inner})b"),
        }
    }

    fn mutate(&mut self, line: &mut String) {
        let places: Vec<usize> = line.char_indices().map(|(at, _)| at).chain([line.len()]).collect();
        let from = places[self.random.below(places.len())];
        let to = places[self.random.below(places.len())];
        let (from, to) = (from.min(to), from.max(to));
        match self.random.below(6) {
            0..=2 => line.insert_str(from, self.random.pick(PIECES)),
            3 if to - from < 12 => line.replace_range(from..to, ""),
            4 => {
                let part = line.get(from..to).unwrap_or_default().to_owned();
                if part.len() < 40 {
                    line.insert_str(to, &part);
                }
            }
            _ => {
                let next = line.get(from..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
                line.replace_range(from..from + next, self.random.pick(PIECES));
            }
        }
    }
}
