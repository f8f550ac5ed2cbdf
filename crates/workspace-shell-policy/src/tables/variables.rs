//! Variables whose value changes what a command means or starts.
//!
//! Everything that is not listed is ordinary: it reaches only programs that
//! run the project's code anyway.

/// What the shells and the dynamic loader read, and names of programs,
/// directories and settings that common programs take from the environment.
const NAMES: &[&str] = &[
    // Shells.
    "BASHOPTS",
    "BASH_ENV",
    "CDPATH",
    "ENV",
    "FPATH",
    "IFS",
    "PATH",
    "PROMPT_COMMAND",
    "PS4",
    "SHELL",
    "SHELLOPTS",
    "ZDOTDIR",
    // The C library.
    "GCONV_PATH",
    "GLIBC_TUNABLES",
    "LOCPATH",
    "NLSPATH",
    // Editors, pagers, openers.
    "BROWSER",
    "EDITOR",
    "FCEDIT",
    "LESSCLOSE",
    "LESSOPEN",
    "MANPAGER",
    "PAGER",
    "VISUAL",
    // git.
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ASKPASS",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_EDITOR",
    "GIT_EXEC_PATH",
    "GIT_EXTERNAL_DIFF",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PAGER",
    "GIT_PROXY_COMMAND",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_TEMPLATE_DIR",
    "GIT_WORK_TREE",
    "SSH_ASKPASS",
    // Archivers and copiers.
    "RSYNC_CONNECT_PROG",
    "RSYNC_RSH",
    "TAPE",
    "TAR_OPTIONS",
    // Build tools.
    "GNUMAKEFLAGS",
    "MAKEFILES",
    "MAKEFLAGS",
    "RIPGREP_CONFIG_PATH",
    "RUSTC",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
];

/// Beginnings of such names.
const PREFIXES: &[&str] = &["BASH_FUNC_", "DYLD_", "GIT_CONFIG", "LD_", "MALLOC_"];

/// Whether a line must not set or unset this variable.
pub(crate) fn is_special(name: &str) -> bool {
    NAMES.contains(&name)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || is_cargo_program(name)
        || name.eq_ignore_ascii_case("npm_config_script_shell")
}

/// The names in these tables, and the beginnings of names.
#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().chain(PREFIXES).copied()
}

/// `CARGO_TARGET_<triple>_RUNNER` and `…_LINKER`.
fn is_cargo_program(name: &str) -> bool {
    name.starts_with("CARGO_TARGET_") && (name.ends_with("_RUNNER") || name.ends_with("_LINKER"))
}

#[cfg(test)]
mod tests {
    use super::is_special;

    #[test]
    fn r_parse_1_special_variables() {
        for name in
            ["PATH", "LD_PRELOAD", "GIT_CONFIG_COUNT", "CARGO_TARGET_X_LINKER", "NPM_CONFIG_SCRIPT_SHELL"]
        {
            assert!(is_special(name), "{name}");
        }
        for name in
            ["CI", "NODE_ENV", "PYTHONPATH", "path", "GIT_AUTHOR_NAME", "CARGO_TARGET_DIR", "RUSTFLAGS"]
        {
            assert!(!is_special(name), "{name}");
        }
    }
}
