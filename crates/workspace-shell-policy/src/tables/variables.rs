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
    "EXECIGNORE",
    "FPATH",
    "IFS",
    "PATH",
    "POSIXLY_CORRECT",
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
    // Where programs look for their settings.
    "CURL_HOME",
    "DOCKER_CONFIG",
    "DOCKER_HOST",
    "GH_CONFIG_DIR",
    "HOME",
    "OPENSSL_CONF",
    "OPENSSL_ENGINES",
    "OPENSSL_MODULES",
    "SYSTEM_WGETRC",
    "WGETRC",
    "XDG_CONFIG_HOME",
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
    "GIT_ALLOW_PROTOCOL",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_EXEC_PATH",
    "GIT_EXTERNAL_DIFF",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PROTOCOL_FROM_USER",
    "GIT_PROXY_COMMAND",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_TEMPLATE_DIR",
    "GIT_WORK_TREE",
    "SSH_SK_PROVIDER",
    // Archivers and copiers.
    "RSYNC_CONNECT_PROG",
    "RSYNC_RSH",
    "TAPE",
    "TAR_OPTIONS",
    "UNZIP",
    "UNZIPOPT",
    "ZIP",
    "ZIPOPT",
    // Build tools.
    "CARGO_BUILD_RUSTC",
    "CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CARGO_BUILD_RUSTDOC",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "GNUMAKEFLAGS",
    "MAKEFILES",
    "MAKEFLAGS",
    "RIPGREP_CONFIG_PATH",
    "RUSTC",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTDOC",
];

/// Beginnings of such names.
const PREFIXES: &[&str] =
    &["BASH_FUNC_", "DYLD_", "GIT_CONFIG", "GIT_REDIRECT_", "GIT_TRACE", "LD_", "MALLOC_"];

/// Ends of such names: `GIT_PAGER`, `KUBE_EDITOR`, `GH_BROWSER`, `SUDO_ASKPASS`.
const SUFFIXES: &[&str] = &["_ASKPASS", "_BROWSER", "_CREDENTIAL_PROVIDER", "_EDITOR", "_PAGER"];

/// Settings of npm, by the part behind `npm_config_`.
const NPM: &[&str] =
    &["editor", "git", "globalconfig", "node_options", "script_shell", "shell", "userconfig", "viewer"];

/// Whether a line must not set or unset this variable.
pub(crate) fn is_special(name: &str) -> bool {
    NAMES.contains(&name)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
        || is_cargo_program(name)
        || is_npm_setting(name)
}

/// Whether a variable names a program that shows pages on a terminal.
pub(crate) fn is_pager(name: &str) -> bool {
    name.ends_with("PAGER")
}

/// The names in these tables, and the beginnings of names.
#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().chain(PREFIXES).chain(SUFFIXES).chain(NPM).copied()
}

/// `npm_config_script_shell` and its like, in any case.
fn is_npm_setting(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.strip_prefix("npm_config_").is_some_and(|setting| NPM.contains(&setting))
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
        for name in [
            "PATH",
            "LD_PRELOAD",
            "GIT_CONFIG_COUNT",
            "CARGO_TARGET_X_LINKER",
            "NPM_CONFIG_SCRIPT_SHELL",
            "HOME",
            "GIT_TRACE2_EVENT",
            "AWS_PAGER",
            "GIT_SEQUENCE_EDITOR",
        ] {
            assert!(is_special(name), "{name}");
        }
        for name in
            ["CI", "NODE_ENV", "PYTHONPATH", "path", "GIT_AUTHOR_NAME", "CARGO_TARGET_DIR", "RUSTFLAGS"]
        {
            assert!(!is_special(name), "{name}");
        }
    }
}
