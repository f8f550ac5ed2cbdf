//! Numbers that nobody can guess.

use std::hash::{BuildHasher, Hasher, RandomState};

/// 64 random bits, from the keys that the standard library draws for each hasher.
pub(crate) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// 128 random bits as text of digits and lower-case letters.
pub(crate) fn token() -> String {
    format!("{:016x}{:016x}", random(), random())
}
