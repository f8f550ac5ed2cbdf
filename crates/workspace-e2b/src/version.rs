//! What an envd of a version can do.

/// A version in three numbers. One that cannot be read counts as old.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(u32, u32, u32);

impl Version {
    /// For a daemon that nobody tells about.
    pub(crate) const UNKNOWN: Self = Self(u32::MAX, 0, 0);

    pub(crate) fn parse(text: &str) -> Self {
        let mut numbers = text.trim().trim_start_matches('v').splitn(3, '.').map(|part| {
            let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            part.get(..digits).unwrap_or_default().parse().ok()
        });
        match (numbers.next().flatten(), numbers.next().flatten(), numbers.next().flatten()) {
            (Some(major), Some(minor), Some(patch)) => Self(major, minor, patch),
            _ => Self(0, 0, 0),
        }
    }

    /// Whether a user must be named in each request.
    pub(crate) fn wants_user(self) -> bool {
        self < Self(0, 4, 0)
    }

    /// Whether a file can be sent as the whole body of a request.
    pub(crate) fn takes_raw_bodies(self) -> bool {
        self >= Self(0, 5, 7)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        assert!(Version::parse("0.6.13").takes_raw_bodies());
        assert!(Version::parse("0.10.0-rc1") > Version::parse("0.9.9"));
        assert!(!Version::parse("0.5.6").takes_raw_bodies());
        assert!(Version::parse("0.3.9").wants_user() && !Version::parse("0.4.0").wants_user());
        assert!(Version::parse("newest").wants_user());
        assert!(Version::UNKNOWN.takes_raw_bodies() && !Version::UNKNOWN.wants_user());
    }
}
