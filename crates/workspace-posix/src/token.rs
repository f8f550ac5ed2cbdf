//! Numbers that nobody can guess.

use std::hash::{BuildHasher, Hasher, RandomState};

/// 64 random bits, from the keys that the standard library draws for each hasher.
pub(crate) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// The end of an answer: 128 random bits as text.
pub(crate) fn mark() -> String {
    format!("{:016x}{:016x}", random(), random())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_two_marks_are_equal() {
        let marks: HashSet<String> = (0..1000).map(|_| mark()).collect();
        assert_eq!(marks.len(), 1000);
        assert!(marks.iter().all(|mark| mark.len() == 32));
    }
}
