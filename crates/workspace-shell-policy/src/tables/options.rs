//! How options are written: spellings of one option, values, abbreviations.

use super::option_names::{NAMES, Names};

/// How an option is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// `-f`, also inside a cluster.
    Short(char),
    /// `--force`.
    Long(String),
    /// `-delete`: a long name behind one dash.
    Single(String),
}

/// Letters that stand for several options at once: program, subcommand, letter, options.
const COMBINED: &[(&str, &str, char, &str)] =
    &[("git", "branch", 'D', "df"), ("git", "branch", 'M', "mf"), ("git", "branch", 'C', "cf")];

/// Programs with long option names behind one dash, and so without clusters.
const LONG_SINGLE_DASH: &[&str] = &[
    "find",
    "go",
    "java",
    "javac",
    "openssl",
    "terraform",
    "tofu",
    "ffmpeg",
    "ffprobe",
    "magick",
    "convert",
    "identify",
    "xcodebuild",
    "nmap",
    "dotnet",
    "msbuild",
    "adb",
    "emulator",
    "qemu",
    "javadoc",
    "keytool",
    "jarsigner",
];

/// Programs that take no abbreviated option names.
const NO_ABBREVIATIONS: &[&str] = &[
    "cargo",
    "rustup",
    "rustc",
    "docker",
    "kubectl",
    "helm",
    "gh",
    "glab",
    "go",
    "terraform",
    "tofu",
    "fd",
    "rg",
    "bat",
    "eza",
    "yarn",
    "pnpm",
    "bun",
    "deno",
    "node",
    "aws",
    "gcloud",
    "az",
    "terragrunt",
    "poetry",
    "uv",
    "ruff",
    "dotnet",
    "mvn",
    "gradle",
];

/// Complete option names that begin others: they are no abbreviation.
const WHOLE: &[(&str, &[&str])] = &[
    (
        "git",
        &[
            "all",
            "exec",
            "force",
            "mirror",
            "no-verify",
            "edit",
            "hard",
            "prune",
            "delete",
            "quiet",
            "verbose",
            "keep",
            "merge",
            "soft",
            "mixed",
        ],
    ),
    ("npm", &["save", "no-save", "all", "force", "global"]),
    ("rm", &["no-preserve-root", "interactive"]),
    ("rsync", &["delete", "recursive", "backup", "compress"]),
    ("curl", &["output", "data", "proxy", "remote-name", "form", "user"]),
];

fn tables<'t>(program: &'t str, subcommand: Option<&'t str>) -> impl Iterator<Item = &'static Names> + 't {
    NAMES.iter().filter(move |names| {
        names.programs.contains(&program)
            && (names.subcommands.is_empty()
                || subcommand.is_some_and(|name| names.subcommands.contains(&name)))
    })
}

/// All spellings of an option.
pub(crate) fn spellings(program: &str, subcommand: Option<&str>, spelling: Spelling) -> Vec<Spelling> {
    let mut all = vec![spelling.clone()];
    for names in tables(program, subcommand) {
        for (letters, long) in names.pairs {
            let named = match &spelling {
                Spelling::Short(letter) => letters.contains(*letter),
                Spelling::Long(name) => name == long,
                Spelling::Single(_) => false,
            };
            if named {
                let others = letters.chars().map(Spelling::Short).chain([Spelling::Long((*long).to_owned())]);
                for other in others {
                    if !all.contains(&other) {
                        all.push(other);
                    }
                }
            }
        }
    }
    all
}

/// The options that a letter stands for, where it stands for several.
pub(crate) fn combined(program: &str, subcommand: Option<&str>, letter: char) -> Option<&'static str> {
    let found = COMBINED.iter().find(|(known, name, combined, _)| {
        *known == program && subcommand == Some(name) && *combined == letter
    });
    found.map(|(.., letters)| *letters)
}

/// Whether an option of a program takes the next word as its value; `None` where that is not known.
pub(crate) fn takes_next(program: &str, subcommand: Option<&str>, word: &str) -> Option<bool> {
    let mut known = None;
    for names in tables(program, subcommand) {
        let takes = if let Some(long) = word.strip_prefix("--") {
            names.long_valued.contains(&long)
        } else {
            // Only the last letter of a cluster can still want its value.
            let letters = word.strip_prefix('-').unwrap_or(word);
            letters.find(|letter| names.valued.contains(letter)).is_some_and(|at| at + 1 == letters.len())
        };
        known = Some(takes || known == Some(true));
    }
    known
}

/// Whether a letter of a cluster takes the rest of the word as its value.
pub(crate) fn takes_rest(program: &str, subcommand: Option<&str>, letter: char) -> bool {
    tables(program, subcommand).any(|names| names.valued.contains(letter))
}

/// Whether a program writes long option names behind one dash.
pub(crate) fn has_long_single_dash(program: &str) -> bool {
    LONG_SINGLE_DASH.contains(&program)
}

/// Whether a program may accept `name` for a longer option name.
pub(crate) fn may_abbreviate(program: &str, name: &str) -> bool {
    !name.is_empty()
        && !NO_ABBREVIATIONS.contains(&program)
        && !WHOLE.iter().any(|(known, names)| *known == program && names.contains(&name))
}
