//! Which runner the files in the root speak for.

use workspace_core::{FileKind, FsProvider, ListOptions, ReadOptions, WorkspacePath};

use super::quoted;
use crate::{Result, ToolError, ToolErrorKind, Workspace};

/// A manifest over this size in bytes is not looked into.
const MOST: u64 = 1 << 20;

/// What runs the tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Runner {
    command: String,
    /// The option that makes an argument a pattern.
    option: Option<&'static str>,
    /// The file that spoke for it, where it was not the owner who chose.
    because: Option<String>,
}

impl Runner {
    /// The command line, with the pattern as its last argument.
    pub(super) fn line(&self, pattern: Option<&str>) -> String {
        let mut line = self.command.clone();
        if let Some(pattern) = pattern {
            for word in [self.option, Some(&*quoted(pattern))].into_iter().flatten() {
                line.push(' ');
                line.push_str(word);
            }
        }
        line
    }

    /// How it was chosen, where that is worth telling.
    pub(super) fn note(&self) -> Option<String> {
        self.because.as_ref().map(|file| format!("`{}` was chosen because of `{file}`", self.command))
    }
}

/// A runner and what speaks for it.
struct Known {
    command: &'static str,
    option: Option<&'static str>,
    /// Names of files, and what their content must hold.
    signs: &'static [(&'static str, Sign)],
}

enum Sign {
    /// That it is there.
    There,
    /// That it mentions a word.
    Mentions(&'static str),
    /// That it has a script `test` that somebody has written.
    TestScript,
}

/// The first one that fits is taken.
const KNOWN: &[Known] = &[
    Known { command: "cargo test", option: None, signs: &[("Cargo.toml", Sign::There)] },
    Known { command: "go test ./...", option: Some("-run"), signs: &[("go.mod", Sign::There)] },
    Known { command: "npm test", option: None, signs: &[("package.json", Sign::TestScript)] },
    Known {
        command: "pytest",
        option: None,
        signs: &[
            ("pytest.ini", Sign::There),
            ("conftest.py", Sign::There),
            ("pyproject.toml", Sign::Mentions("pytest")),
            ("setup.cfg", Sign::Mentions("pytest")),
            ("tox.ini", Sign::Mentions("pytest")),
        ],
    },
];

impl Workspace {
    /// What runs the tests of this workspace.
    ///
    /// # Errors
    /// `not-found` where nothing was recognised, and those of the root's listing.
    pub(super) async fn test_runner(&self) -> Result<Runner> {
        let configured = self.policy().tests.as_ref().map(|tests| tests.command.trim()).unwrap_or_default();
        if !configured.is_empty() {
            return Ok(Runner { command: configured.to_owned(), option: None, because: None });
        }
        let root = WorkspacePath::root();
        let entries = match self.files().list(&root, ListOptions::default()).await {
            Ok(entries) => entries,
            Err(error) => return Err(self.explain(error, &root).await),
        };
        for known in KNOWN {
            for (name, sign) in known.signs {
                let entry = entries.iter().find(|entry| entry.path.as_str() == *name);
                let is_file =
                    entry.is_some_and(|entry| matches!(entry.kind, FileKind::File | FileKind::Link));
                if is_file && self.holds(&root.child(name)?, sign).await {
                    return Ok(Runner {
                        command: known.command.to_owned(),
                        option: known.option,
                        because: Some((*name).to_owned()),
                    });
                }
            }
        }
        let commands: Vec<_> = KNOWN.iter().map(|known| format!("`{}`", known.command)).collect();
        Err(ToolError::new(
            ToolErrorKind::NotFound,
            format!("no test runner was recognised in the root; known are {}", commands.join(", ")),
        )
        .hint("the owner can name the command as `tests.command` in the policy"))
    }

    async fn holds(&self, path: &WorkspacePath, sign: &Sign) -> bool {
        if matches!(sign, Sign::There) {
            return true;
        }
        // A file that cannot be read speaks for nothing.
        let Ok(file) = self.files().read(path, ReadOptions::default()).await else { return false };
        let Ok(bytes) = file.body.collect(MOST).await else { return false };
        sign.is_in(&bytes)
    }
}

impl Sign {
    fn is_in(&self, bytes: &[u8]) -> bool {
        match self {
            Self::There => true,
            Self::Mentions(word) => memchr::memmem::find(bytes, word.as_bytes()).is_some(),
            Self::TestScript => {
                let manifest: serde_json::Value = serde_json::from_slice(bytes).unwrap_or_default();
                // What `npm init` writes is no test.
                manifest["scripts"]["test"]
                    .as_str()
                    .is_some_and(|script| !script.contains("no test specified"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(option: Option<&'static str>, pattern: Option<&str>, line: &str) {
        let runner = Runner { command: "go test ./...".into(), option, because: None };
        assert_eq!(runner.line(pattern), line);
    }

    #[test]
    fn r_test_1_the_pattern_is_the_last_argument() {
        check(None, None, "go test ./...");
        check(Some("-run"), None, "go test ./...");
        check(None, Some("a b"), "go test ./... 'a b'");
        check(Some("-run"), Some("TestA"), "go test ./... -run 'TestA'");
    }

    #[test]
    fn a_manifest_speaks_for_npm_where_somebody_wrote_a_test_script() {
        for (manifest, speaks) in [
            (r#"{"scripts": {"test": "vitest run"}}"#, true),
            (r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#, false),
            (r#"{"scripts": {"build": "tsc"}}"#, false),
            (r#"{"scripts": []}"#, false),
            ("[]", false),
            ("{", false),
        ] {
            assert_eq!(Sign::TestScript.is_in(manifest.as_bytes()), speaks, "{manifest}");
        }
    }
}
