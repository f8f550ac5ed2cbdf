//! Programs by name: which one is meant, and whether a rule names it.

use std::borrow::Cow;

use crate::course::{Command, Directories};
use crate::jail::fold;
use crate::tables::programs::{EXECUTABLE_ENDINGS, Profile, SYSTEM_DIRECTORIES, profile};
use crate::{Reason, Refusal, ShellPolicy};

/// The program that a command names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Program<'a> {
    /// The word as given.
    pub(crate) name: &'a str,
    /// Its basename, in lower case and without the ending of a program file.
    pub(crate) key: &'a str,
    pub(crate) profile: &'static Profile,
}

impl<'a> Program<'a> {
    /// The program of a name, with its [`key_of`].
    pub(crate) fn of(name: &'a str, key: &'a str) -> Self {
        Self { name, key, profile: profile(key) }
    }

    /// The basename as given.
    pub(crate) fn basename(&self) -> &'a str {
        basename(self.name)
    }
}

fn basename(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

/// What names a program whatever its directory, case and ending.
pub(crate) fn key_of(name: &str) -> Cow<'_, str> {
    if name
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_'))
    {
        return Cow::Borrowed(name);
    }
    let base = basename(name);
    // Windows drops dots and blanks at the end of a name; `.` alone is a builtin.
    let trimmed = base.trim_end_matches(['.', ' ']);
    let mut key = if trimmed.is_empty() { base } else { trimmed }.to_lowercase();
    for ending in EXECUTABLE_ENDINGS {
        if let Some(length) = key.strip_suffix(ending).map(str::len).filter(|length| *length > 0) {
            key.truncate(length);
            break;
        }
    }
    Cow::Owned(key)
}

/// Whether `allow` names the program.
///
/// A bare entry covers the bare name and that name in a system directory; an
/// entry with a slash covers exactly that path, from wherever it is named.
pub(crate) fn is_named(policy: &ShellPolicy, program: &Program<'_>, directories: &Directories) -> bool {
    let Some(entries) = policy.allowed_programs() else { return false };
    if !program.name.contains('/') {
        return policy.allows_name(program.name);
    }
    let Some(paths) = directories.join(program.name) else { return false };
    let folded: Option<Vec<String>> = paths.iter().map(|path| fold(path)).collect();
    let Some(folded) = folded.filter(|folded| !folded.is_empty()) else { return false };
    folded.iter().all(|path| {
        let system = path.rsplit_once('/').is_some_and(|(directory, name)| {
            SYSTEM_DIRECTORIES.contains(&directory) && policy.allows_name(name)
        });
        system || entries.iter().any(|entry| entry.contains('/') && fold(entry).as_ref() == Some(path))
    })
}

/// The refusal of a program that `deny` names.
pub(super) fn denied(policy: &ShellPolicy, command: &Command, program: &Program<'_>) -> Option<Box<Refusal>> {
    let denied = policy.denied_programs();
    if denied.is_empty() {
        return None;
    }
    let span = command.args().first().map_or(command.span.clone(), |arg| arg.span.clone());
    if denied.contains(program.key) {
        let message = format!("the program `{}` is denied", program.key);
        return Some(
            Refusal::new(Reason::DeniedExecutable, span, message).hint("do it without this program"),
        );
    }
    // A trusted runner whose grammar is not known: a denied name among its words counts.
    if program.profile.opaque
        && program.profile.wrapper.is_none()
        && is_named(policy, program, &command.directories)
    {
        let inner = command.args().iter().skip(1).find_map(|arg| {
            let key = key_of(arg.text()?);
            denied.contains(key.as_ref()).then_some((key, arg))
        })?;
        let message = format!("the program `{}` is denied, also when `{}` runs it", inner.0, program.key);
        return Some(
            Refusal::new(Reason::DeniedExecutable, inner.1.span.clone(), message)
                .hint("do it without this program"),
        );
    }
    None
}

#[cfg(test)]
mod tests {
    use super::key_of;

    #[test]
    fn r_sh_2_names_compare_by_basename() {
        for (name, key) in [
            ("rm", "rm"),
            ("/bin//RM", "rm"),
            ("Rm.EXE", "rm"),
            ("C:\\bin\\rm.cmd", "rm"),
            ("rm.exe.", "rm"),
            (".exe", ".exe"),
            ("a.com", "a"),
            (".", "."),
            ("", ""),
        ] {
            assert_eq!(key_of(name), key, "{name}");
        }
    }
}
