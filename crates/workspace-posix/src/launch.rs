//! A command as one line for `sh`.

use workspace_core::{Command, EnvBase, Environment, Error, ErrorKind, Program, Result, Visible};

use crate::quote::word;

/// Variables that make programs run other code before their own.
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
/// What a command finds programs with where the other side says nothing.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// How a line is made of a command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LaunchOptions {
    directory: String,
    before: String,
}

impl LaunchOptions {
    /// A command that starts in this directory: an absolute path of the other
    /// side, which has been resolved and judged.
    pub fn new(directory: impl Into<String>) -> Self {
        Self { directory: directory.into(), before: String::new() }
    }

    /// Sets what stands before the program on the line, for example `timeout 5`.
    #[must_use]
    pub fn with_prefix(mut self, before: impl Into<String>) -> Self {
        self.before = before.into();
        self
    }
}

/// The line that changes into the directory and becomes the command, with its
/// own variables and no others.
///
/// A program that is missing ends with 127 and a word on standard error, as in
/// any shell; a directory that has gone, with 126.
///
/// # Errors
/// [`InvalidInput`](ErrorKind::InvalidInput) for a command without a word, a NUL
/// byte, or a name that no variable can have.
///
/// # Examples
/// ```
/// use workspace_core::{Command, EnvBase, Environment};
/// use workspace_posix::{LaunchOptions, launch_line};
///
/// let env = Environment::default().with_base(EnvBase::Empty).with_set("A", "it's");
/// let line = launch_line(&Command::sh("echo $A").with_env(env), &LaunchOptions::new("/w"))?;
/// assert_eq!(line, r"cd -P -- '/w' || exit 126; exec env -i 'A=it'\''s' /bin/sh -c 'echo $A'");
/// # Ok::<(), workspace_core::Error>(())
/// ```
pub fn launch_line(command: &Command, options: &LaunchOptions) -> Result<String> {
    let mut line = format!("cd -P -- {} || exit 126; exec ", plain(&options.directory, "the directory")?);
    if !options.before.is_empty() {
        line.push_str(&options.before);
        line.push(' ');
    }
    line.push_str("env -i");
    variables(&command.env, &mut line)?;
    match &command.program {
        Program::Sh(text) => {
            line.push_str(" /bin/sh -c ");
            line.push_str(&plain(text, "the line")?);
        }
        Program::Argv(words) if words.is_empty() => {
            return Err(Error::new(ErrorKind::InvalidInput, "the command has no program"));
        }
        Program::Argv(words) => {
            // `env` takes such a first word for a variable or an option.
            if words.first().is_some_and(|program| program.contains('=') || program.starts_with('-')) {
                line.push_str(" /bin/sh -c 'exec \"$@\"' sh");
            }
            for argument in words {
                line.push(' ');
                line.push_str(&plain(argument, "an argument")?);
            }
        }
        _ => return Err(Error::new(ErrorKind::Unsupported, "this kind of command is not known here")),
    }
    Ok(line)
}

fn plain(text: &str, what: &str) -> Result<String> {
    if text.contains('\0') {
        return Err(Error::new(ErrorKind::InvalidInput, format!("{what} holds a NUL byte")));
    }
    Ok(word(text))
}

fn variables(env: &Environment, line: &mut String) -> Result<()> {
    if env.base == EnvBase::Minimal {
        line.push_str(" \"PATH=${PATH:-");
        line.push_str(PATH);
        line.push_str("}\" \"HOME=${HOME:-/}\"");
        for name in ["USER", "LANG", "LC_ALL", "TMPDIR"] {
            inherit(name, line);
        }
        line.push_str(" NO_COLOR=1 TERM=dumb");
    }
    for name in &env.inherit {
        let hook =
            HOOKS.contains(&name.as_str()) || HOOK_FAMILIES.iter().any(|family| name.starts_with(family));
        if is_name(name) && (env.allow_hooks || !hook) {
            inherit(name, line);
        }
    }
    for (name, value) in &env.set {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(Error::new(
                ErrorKind::InvalidInput,
                format!("`{}` is no name for a variable", Visible(name)),
            )
            .hint("use a name of letters, digits and `_`"));
        }
        line.push(' ');
        line.push_str(&plain(&format!("{name}={value}"), "the value of a variable")?);
    }
    Ok(())
}

/// A variable of the other side, where it is set.
fn inherit(name: &str, line: &mut String) {
    line.extend([" ${", name, "+\"", name, "=$", name, "\"}"]);
}

/// What a shell can expand.
fn is_name(name: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &Command, expected: &str) {
        let line = launch_line(command, &LaunchOptions::new("/w")).unwrap();
        assert_eq!(line.strip_prefix("cd -P -- '/w' || exit 126; exec env -i").unwrap(), expected);
    }

    fn bare() -> Environment {
        Environment::default().with_base(EnvBase::Empty)
    }

    #[test]
    fn arguments_are_words() {
        let command = Command::argv(["a=b", "$HOME", "it's", ""]).with_env(bare());
        check(&command, r#" /bin/sh -c 'exec "$@"' sh 'a=b' '$HOME' 'it'\''s' ''"#);
        check(&Command::argv(["ls", "-l"]).with_env(bare()), " 'ls' '-l'");
    }

    #[test]
    fn r_exec_2_hooks_and_odd_names_are_not_inherited() {
        let env = bare().with_inherited("LD_PRELOAD").with_inherited("A").with_inherited("x; id");
        check(&Command::sh("x").with_env(env.clone()), " ${A+\"A=$A\"} /bin/sh -c 'x'");
        let hooked = " ${LD_PRELOAD+\"LD_PRELOAD=$LD_PRELOAD\"} ${A+\"A=$A\"} /bin/sh -c 'x'";
        check(&Command::sh("x").with_env(env.with_hooks(true)), hooked);
    }

    #[test]
    fn what_no_line_can_hold_is_refused() {
        for command in [
            Command::argv(Vec::<String>::new()),
            Command::argv(["a\0b"]),
            Command::sh("a\0b"),
            Command::sh("x").with_env(bare().with_set("A=B", "x")),
            Command::sh("x").with_env(bare().with_set("A", "\0")),
        ] {
            let error = launch_line(&command, &LaunchOptions::new("/w")).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{command:?}");
        }
    }
}
