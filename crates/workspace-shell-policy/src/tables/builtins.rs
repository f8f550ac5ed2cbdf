//! Builtins of the shells.

/// Builtins that only one kind of shell has, or that the kinds read differently.
const DIFFERENT: &[&str] = &[
    "bind",
    "caller",
    "compgen",
    "complete",
    "compopt",
    "declare",
    "dirs",
    "disown",
    "enable",
    "function",
    "help",
    "history",
    "let",
    "local",
    "logout",
    "mapfile",
    "readarray",
    "shopt",
    "suspend",
    "typeset",
    "vared",
    "autoload",
    "emulate",
    "setopt",
    "unsetopt",
    "zmodload",
    "noglob",
    "nocorrect",
    "print",
    "whence",
];

/// Builtins that POSIX names and that may follow `builtin`.
const COMMON: &[&str] = &[
    ".", ":", "[", "alias", "bg", "break", "cd", "command", "continue", "echo", "eval", "exec", "exit",
    "export", "false", "fc", "fg", "getopts", "hash", "jobs", "kill", "printf", "pwd", "read", "readonly",
    "return", "set", "shift", "test", "times", "trap", "true", "type", "ulimit", "umask", "unalias", "unset",
    "wait",
];

/// Builtins that do something only inside a shell: no program does it.
const SHELL_ONLY: &[&str] =
    &["cd", "chdir", "export", "popd", "pushd", "readonly", "set", "shift", "umask", "unset"];

/// Whether shells do not agree on a builtin.
pub(crate) fn is_different(name: &str) -> bool {
    DIFFERENT.contains(&name)
}

/// Whether `builtin` may be followed by this name.
pub(crate) fn is_common(name: &str) -> bool {
    COMMON.contains(&name)
}

/// Whether a command without a shell cannot have the effect of this builtin.
pub(crate) fn is_shell_only(name: &str) -> bool {
    SHELL_ONLY.contains(&name)
}

/// Letters of `set` that change nothing about what a command means.
pub(crate) const SET_LETTERS: &str = "aCefhnuvx";

/// Names of `set -o` of the same kind.
pub(crate) const SET_NAMES: &[&str] =
    &["allexport", "errexit", "noclobber", "noexec", "noglob", "nounset", "pipefail", "verbose", "xtrace"];
