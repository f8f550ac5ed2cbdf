//! Globs of closed paths.

use std::fmt;

use regex::{Regex, RegexBuilder};

use super::PolicyError;
use super::pattern::COMPILED_BYTES;

/// A glob over paths relative to the root.
#[derive(Clone)]
pub(crate) struct PathGlob {
    source: String,
    regex: Regex,
}

impl PathGlob {
    pub(crate) fn new(glob: &str) -> Result<Self, PolicyError> {
        let trimmed = glob.trim_start_matches("./").trim_matches('/');
        if trimmed.is_empty() {
            return Err(PolicyError::Empty);
        }
        // What a directory's `/**` closes begins with the directory itself.
        let body = trimmed.strip_suffix("/**").unwrap_or(trimmed);
        let start = if body.contains('/') || glob.starts_with('/') { "" } else { "(?:.*/)?" };
        let pattern = format!("^{start}{}(?:/.*)?$", translate(body));
        let regex = RegexBuilder::new(&pattern)
            .case_insensitive(true)
            .dot_matches_new_line(true)
            .size_limit(COMPILED_BYTES)
            .build()
            .map_err(|error| PolicyError::Regex { pattern: glob.to_owned(), message: error.to_string() })?;
        Ok(Self { source: glob.to_owned(), regex })
    }

    /// Whether the glob closes a folded path.
    pub(crate) fn closes(&self, path: &str) -> bool {
        self.regex.is_match(path)
    }

    pub(crate) fn source(&self) -> &str {
        &self.source
    }
}

impl fmt::Debug for PathGlob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.source, f)
    }
}

/// The glob as a regular expression without anchors. What cannot be a class or
/// a choice is text.
fn translate(glob: &str) -> String {
    let mut out = String::with_capacity(glob.len() * 2);
    let mut rest = glob;
    let mut choices = 0_usize;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '*' if rest.starts_with('*') => {
                rest = rest.trim_start_matches('*');
                match rest.strip_prefix('/') {
                    Some(after) => {
                        out.push_str("(?:.*/)?");
                        rest = after;
                    }
                    None => out.push_str(".*"),
                }
            }
            '*' => out.push_str("[^/]*"),
            '?' => out.push_str("[^/]"),
            '[' => match class(rest) {
                Some((class, length)) => {
                    out.push_str(&class);
                    rest = rest.get(length..).unwrap_or_default();
                }
                None => out.push_str("\\["),
            },
            '{' if rest.contains('}') => {
                choices += 1;
                out.push_str("(?:");
            }
            ',' if choices > 0 => out.push('|'),
            '}' if choices > 0 => {
                choices -= 1;
                out.push(')');
            }
            '\\' => {
                let escaped = rest.chars().next();
                out.push_str(&regex::escape(escaped.unwrap_or('\\').encode_utf8(&mut [0; 4])));
                rest = rest.get(escaped.map_or(0, char::len_utf8)..).unwrap_or_default();
            }
            c => out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
        }
    }
    out.extend(std::iter::repeat_n(')', choices));
    out
}

/// The class after a `[` as a regular expression, and its length in the glob.
fn class(rest: &str) -> Option<(String, usize)> {
    let negated = rest.starts_with(['!', '^']);
    let body = if negated { rest.get(1..)? } else { rest };
    // A `]` right at the start is a member.
    let first = body.chars().next().map_or(0, char::len_utf8);
    let end = first + body.get(first..)?.find(']')?;
    let members = body.get(..end)?;
    let mut class = String::from(if negated { "[^/" } else { "[" });
    for c in members.chars() {
        if matches!(c, '\\' | '[' | ']' | '^' | '&' | '~') {
            class.push('\\');
        }
        class.push(c);
    }
    class.push(']');
    Some((class, usize::from(negated) + end + 1))
}

#[cfg(test)]
mod tests {
    use super::PathGlob;

    #[track_caller]
    fn check(glob: &str, path: &str, closes: bool) {
        assert_eq!(PathGlob::new(glob).unwrap().closes(path), closes, "{glob} on {path}");
    }

    #[test]
    fn closes_what_it_names_and_what_that_holds() {
        check(".git/**", ".git", true);
        check(".git/**", ".git/config", true);
        check(".git/**", "sub/.git/config", true);
        check(".git/**", ".github/x", false);
        check(".env*", ".env", true);
        check(".env*", ".env.local", true);
        check(".env*", "app/.ENV", true);
        check(".env*", "src/env.txt", false);
        check("secrets", "secrets/key", true);
        check("secrets", "secretsx", false);
        check("a/*.pem", "a/k.pem", true);
        check("a/*.pem", "a/b/k.pem", false);
        check("a/**/k", "a/k", true);
        check("a/**/k", "a/b/c/k", true);
        check("/top", "top", true);
        check("/top", "sub/top", false);
        check("*.{pem,key}", "x.key", true);
        check("[!a]x", "bx", true);
        check("[!a]x", "ax", false);
        check("[", "[", true);
        check("é?", "éx", true);
    }
}
