//! The variables of a command.

use std::ffi::{OsStr, OsString};

use workspace_core::{EnvBase, Environment, Error, ErrorKind, Result, Visible};

/// Taken from the host where it has them.
const KEPT: [&str; 6] = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR"];

/// Set by the minimal base: plain output, and nothing that waits for a person.
///
/// git runs the editor `:` without starting anything, so a commit without a
/// message ends at once.
const PLAIN: [(&str, &str); 6] = [
    ("NO_COLOR", "1"),
    ("TERM", "dumb"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", ":"),
    ("GIT_TERMINAL_PROMPT", "0"),
];

/// Variables by which a program runs other code before its own.
const HOOKS: [&str; 8] = [
    "ENV",
    "BASH_ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "PROMPT_COMMAND",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "LD_AUDIT",
];
const HOOK_FAMILIES: [&str; 2] = ["BASH_FUNC_", "DYLD_"];

/// What a command begins with: each name once, in the order of its first mention.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Variables(Vec<(OsString, OsString)>);

impl Variables {
    /// Builds them; `host` looks a variable up where the backend runs.
    pub(super) fn build(asked: &Environment, host: impl Fn(&str) -> Option<OsString>) -> Result<Self> {
        let mut variables = Self::default();
        let inherit = |variables: &mut Self, name: &str| {
            if let Some(value) = host(name) {
                variables.set(name, &value);
            }
        };
        match asked.base {
            EnvBase::Empty => {}
            EnvBase::Minimal => {
                for name in KEPT {
                    inherit(&mut variables, name);
                }
                for (name, value) in PLAIN {
                    variables.set(name, OsStr::new(value));
                }
            }
            _ => {
                return Err(Error::new(
                    ErrorKind::Unsupported,
                    "this backend does not know that base of variables",
                ));
            }
        }
        for name in &asked.inherit {
            check_name(name)?;
            if asked.allow_hooks || !is_hook(name) {
                inherit(&mut variables, name);
            }
        }
        for (name, value) in &asked.set {
            check_name(name)?;
            if value.contains('\0') {
                return Err(Error::new(
                    ErrorKind::InvalidInput,
                    format!("the value of the variable `{}` holds a NUL byte", Visible(name)),
                ));
            }
            variables.set(name, OsStr::new(value));
        }
        Ok(variables)
    }

    /// The value of a variable.
    pub(super) fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_os_str())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    fn set(&mut self, name: &str, value: &OsStr) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => value.clone_into(old),
            None => self.0.push((name.into(), value.into())),
        }
    }
}

fn is_hook(name: &str) -> bool {
    HOOKS.contains(&name) || HOOK_FAMILIES.iter().any(|family| name.starts_with(family))
}

fn check_name(name: &str) -> Result<()> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return Err(Error::new(
            ErrorKind::InvalidInput,
            format!("`{}` is no name for a variable", Visible(name)),
        )
        .hint("use a name of letters, digits and `_`"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(name: &str) -> Option<OsString> {
        match name {
            "PATH" => Some("/usr/bin:/bin".into()),
            "HOME" => Some("/home/a".into()),
            "TOKEN" => Some("secret".into()),
            "LD_PRELOAD" => Some("/evil.so".into()),
            "BASH_FUNC_ls%%" => Some("() { :; }".into()),
            _ => None,
        }
    }

    const MINIMAL: [&str; 8] = [
        "PATH=/usr/bin:/bin",
        "HOME=/home/a",
        "NO_COLOR=1",
        "TERM=dumb",
        "PAGER=cat",
        "GIT_PAGER=cat",
        "GIT_EDITOR=:",
        "GIT_TERMINAL_PROMPT=0",
    ];

    fn built(asked: &Environment) -> Vec<String> {
        let text = |word: &OsStr| word.to_str().unwrap().to_owned();
        let variables = Variables::build(asked, host).unwrap();
        variables.iter().map(|(name, value)| format!("{}={}", text(name), text(value))).collect()
    }

    #[test]
    fn r_exec_2_minimal_is_the_list_and_nothing_else() {
        assert_eq!(built(&Environment::default()), MINIMAL);
    }

    #[test]
    fn r_exec_2_empty_inherits_nothing() {
        let empty = Environment::default().with_base(EnvBase::Empty);
        assert_eq!(built(&empty), [""; 0]);
        assert_eq!(built(&empty.with_inherited("HOME").with_set("A", "b=c")), ["HOME=/home/a", "A=b=c"]);
    }

    #[test]
    fn r_exec_2_the_later_wins() {
        let asked = Environment::default()
            .with_base(EnvBase::Empty)
            .with_inherited("TOKEN")
            .with_inherited("PATH")
            .with_set("TOKEN", "mine")
            .with_set("TOKEN", "last");
        assert_eq!(built(&asked), ["TOKEN=last", "PATH=/usr/bin:/bin"]);
    }

    #[test]
    fn r_exec_2_hooks_are_not_inherited_unless_allowed() {
        let asked = Environment::default()
            .with_base(EnvBase::Empty)
            .with_inherited("LD_PRELOAD")
            .with_inherited("BASH_FUNC_ls%%")
            .with_inherited("HOME");
        assert_eq!(built(&asked), ["HOME=/home/a"]);
        assert_eq!(
            built(&asked.with_hooks(true)),
            ["LD_PRELOAD=/evil.so", "BASH_FUNC_ls%%=() { :; }", "HOME=/home/a"],
        );
        for name in HOOKS.iter().chain(&["BASH_FUNC_x%%", "DYLD_INSERT_LIBRARIES"]) {
            assert!(is_hook(name), "{name}");
        }
    }

    #[test]
    fn a_name_that_is_none_is_refused() {
        for name in ["", "A=B", "A\0"] {
            for asked in
                [Environment::default().with_set(name, ""), Environment::default().with_inherited(name)]
            {
                assert_eq!(
                    Variables::build(&asked, host).unwrap_err().kind(),
                    ErrorKind::InvalidInput,
                    "{name:?}"
                );
            }
        }
        let asked = Environment::default().with_set("A", "b\0c");
        assert_eq!(Variables::build(&asked, host).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
}
