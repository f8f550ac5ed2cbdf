//! Names of programs, and what the tables hold about each.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::flags::{self, CommandFlags};
use super::interpreters::{self, Interpreter};
use super::operands::{self, PathRules};
use super::runners;
use super::wrappers::{self, Wrapper};

/// Directories whose files a bare `allow` entry covers when they are named by path.
pub(crate) const SYSTEM_DIRECTORIES: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/opt/homebrew/bin",
    "/opt/homebrew/sbin",
    "/run/current-system/sw/bin",
];

/// Endings of program files that a `deny` entry does not name.
pub(crate) const EXECUTABLE_ENDINGS: &[&str] = &[".exe", ".cmd", ".bat", ".com"];

/// Second names of programs; among them the GNU programs that other systems
/// install with a `g` before the name.
const ALIASES: &[(&str, &[&str])] = &[
    ("awk", &["gawk", "mawk", "nawk", "original-awk"]),
    ("bat", &["batcat"]),
    ("chmod", &["gchmod"]),
    ("cp", &["gcp"]),
    ("dd", &["gdd"]),
    ("docker", &["podman", "nerdctl", "docker-compose"]),
    ("env", &["genv"]),
    ("fd", &["fdfind"]),
    ("find", &["gfind"]),
    ("grep", &["egrep", "fgrep", "ggrep", "rgrep", "zgrep"]),
    ("ln", &["gln"]),
    ("lua", &["luajit"]),
    ("make", &["gmake", "bmake"]),
    ("mkdir", &["gmkdir"]),
    ("mv", &["gmv"]),
    ("nice", &["gnice"]),
    ("node", &["nodejs"]),
    ("nohup", &["gnohup"]),
    ("pip", &["pip3"]),
    ("python", &["ipython", "pypy", "pythonw"]),
    ("rm", &["grm"]),
    ("sed", &["gsed"]),
    ("sort", &["gsort"]),
    ("split", &["gsplit"]),
    ("stdbuf", &["gstdbuf"]),
    ("tar", &["bsdtar", "gtar"]),
    ("tee", &["gtee"]),
    ("test", &["["]),
    ("time", &["gtime"]),
    ("timeout", &["gtimeout"]),
    ("touch", &["gtouch"]),
    ("vim", &["gvim", "view", "vimdiff"]),
    ("xargs", &["gxargs"]),
];

/// What the tables hold about a program.
#[derive(Debug, Default)]
pub(crate) struct Profile {
    /// The name under which the tables know it; empty where they do not.
    pub(crate) name: &'static str,
    pub(crate) wrapper: Option<&'static Wrapper>,
    /// Every use of it is opaque.
    pub(crate) opaque: bool,
    pub(crate) interpreter: Option<&'static Interpreter>,
    pub(crate) flags: Vec<&'static CommandFlags>,
    pub(crate) paths: Option<&'static PathRules>,
}

static PROFILES: LazyLock<HashMap<&'static str, Profile>> = LazyLock::new(profiles);
static UNKNOWN: LazyLock<Profile> = LazyLock::new(Profile::default);
static LOADER: LazyLock<Profile> = LazyLock::new(|| Profile { opaque: true, ..Profile::default() });

fn profiles() -> HashMap<&'static str, Profile> {
    let names = wrappers::names()
        .chain(runners::names())
        .chain(interpreters::names())
        .chain(flags::names())
        .chain(operands::names());
    let mut profiles: HashMap<&'static str, Profile> = names.map(|name| (name, profile_of(name))).collect();
    for (name, others) in ALIASES {
        for other in *others {
            profiles.insert(other, profile_of(name));
        }
    }
    profiles
}

fn profile_of(name: &'static str) -> Profile {
    Profile {
        name,
        wrapper: wrappers::wrapper(name),
        opaque: runners::is_always(name),
        interpreter: interpreters::interpreter(name),
        flags: flags::command_flags(name).collect(),
        paths: operands::path_rules(name),
    }
}

/// What the tables hold about a program, by its key: basename, lower case, no ending.
///
/// A version number at the end is left out where programs come with one:
/// `python3.12` is `python`.
pub(crate) fn profile(key: &str) -> &'static Profile {
    if let Some(profile) = PROFILES.get(key) {
        return profile;
    }
    if runners::is_loader(key) {
        return &LOADER;
    }
    let plain = key.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    match PROFILES.get(plain) {
        Some(profile) if plain.len() < key.len() && interpreters::is_versioned(profile.name) => profile,
        _ => &UNKNOWN,
    }
}

#[cfg(test)]
mod tests {
    use super::profile;

    #[test]
    fn second_names_and_versions_share_a_profile() {
        for (key, name) in [
            ("python3.12", "python"),
            ("gawk", "awk"),
            ("[", "test"),
            ("gtimeout", "timeout"),
            ("vim", "vim"),
            ("pypy3", "python"),
            ("md5sum", "md5sum"),
            ("unknown-tool", ""),
            ("", ""),
        ] {
            assert_eq!(profile(key).name, name, "{key}");
        }
        assert!(profile("ld-linux-x86-64.so.2").opaque);
    }
}
