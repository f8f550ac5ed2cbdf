//! A cap that can be absent: in a policy file, `0` means none.

use serde::{Deserialize, Deserializer};

/// A cap on a count, a size or a time; `None` is no cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit(pub Option<u64>);

impl Limit {
    /// A cap at this number.
    pub const fn of(number: u64) -> Self {
        Self(Some(number))
    }

    /// No cap.
    pub const NONE: Self = Self(None);

    /// The cap as a length in memory.
    pub fn as_usize(self) -> Option<usize> {
        self.0.map(|number| usize::try_from(number).unwrap_or(usize::MAX))
    }

    /// Whether a number is over it.
    pub fn is_exceeded_by(self, number: u64) -> bool {
        self.0.is_some_and(|limit| number > limit)
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = u64::deserialize(deserializer)?;
        Ok(Self(Some(number).filter(|&number| number != 0)))
    }
}
