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

/// What is known of the options of a program, or of one of its subcommands.
#[derive(Clone)]
pub(crate) struct OptionTable {
    names: Vec<&'static Names>,
    combined: Vec<(char, &'static str)>,
    whole: &'static [&'static str],
    /// Long option names stand behind one dash, and there are no clusters.
    pub(crate) single_dash: bool,
    abbreviates: bool,
}

impl OptionTable {
    pub(crate) fn of(program: &str, subcommand: Option<&str>) -> Self {
        let applies = |names: &&Names| {
            names.programs.contains(&program)
                && (names.subcommands.is_empty()
                    || subcommand.is_some_and(|name| names.subcommands.contains(&name)))
        };
        let combined =
            COMBINED.iter().filter(|(known, name, ..)| *known == program && subcommand == Some(name));
        Self {
            names: NAMES.iter().filter(applies).collect(),
            combined: combined.map(|(.., letter, letters)| (*letter, *letters)).collect(),
            whole: WHOLE.iter().find(|(known, _)| *known == program).map_or(&[], |(_, names)| names),
            single_dash: LONG_SINGLE_DASH.contains(&program),
            abbreviates: !NO_ABBREVIATIONS.contains(&program),
        }
    }

    /// All spellings of an option.
    pub(crate) fn spellings(&self, spelling: &Spelling) -> Vec<Spelling> {
        let named = |(letters, long): &&(&str, &str)| match spelling {
            Spelling::Short(letter) => letters.contains(*letter),
            Spelling::Long(name) => name == long,
            Spelling::Single(_) => false,
        };
        let mut all = vec![spelling.clone()];
        for (letters, long) in self.names.iter().flat_map(|names| names.pairs).filter(named) {
            let others = letters.chars().map(Spelling::Short).chain([Spelling::Long((*long).to_owned())]);
            for other in others {
                if !all.contains(&other) {
                    all.push(other);
                }
            }
        }
        all
    }

    /// The options that a letter stands for, where it stands for several.
    pub(crate) fn combined(&self, letter: char) -> Option<&'static str> {
        self.combined.iter().find(|(combined, _)| *combined == letter).map(|(_, letters)| *letters)
    }

    /// Whether an option may take the next word as its value. It may where it is not known.
    pub(crate) fn may_take_next(&self, word: &str) -> bool {
        if let Some(long) = word.strip_prefix("--") {
            let takes = self.names.iter().any(|names| names.long_valued.contains(&long));
            return takes || !self.names.iter().flat_map(|names| names.pairs).any(|(_, name)| *name == long);
        }
        let mut letters = word.chars().skip(1).peekable();
        while let Some(letter) = letters.next() {
            let valued = self.takes_rest(letter);
            let known =
                self.names.iter().flat_map(|names| names.pairs).any(|(names, _)| names.contains(letter));
            if valued || !known {
                // The rest of the cluster is the value, if there is a rest.
                return letters.peek().is_none() || !valued;
            }
        }
        false
    }

    /// Whether a letter of a cluster takes the rest of the word as its value.
    pub(crate) fn takes_rest(&self, letter: char) -> bool {
        self.names.iter().any(|names| names.valued.contains(letter))
    }

    /// Whether the program may accept `name` for a longer option name.
    pub(crate) fn may_abbreviate(&self, name: &str) -> bool {
        !name.is_empty() && self.abbreviates && !self.whole.contains(&name)
    }
}
