//! Policies to begin with.

use super::{ArgPaths, DenyPattern, ShellPolicy, Substitution, Writes};

/// Programs that look at files and texts and change nothing by themselves.
const LOOKING: &[&str] = &[
    "[",
    "awk",
    "basename",
    "cat",
    "cksum",
    "cmp",
    "column",
    "comm",
    "cut",
    "date",
    "df",
    "diff",
    "dirname",
    "du",
    "egrep",
    "expand",
    "fd",
    "fgrep",
    "file",
    "find",
    "fold",
    "grep",
    "head",
    "hexdump",
    "id",
    "join",
    "jq",
    "ls",
    "md5sum",
    "nl",
    "nproc",
    "od",
    "paste",
    "readlink",
    "realpath",
    "rev",
    "rg",
    "sed",
    "seq",
    "sha1sum",
    "sha256sum",
    "sort",
    "stat",
    "strings",
    "tac",
    "tail",
    "test",
    "tr",
    "tree",
    "uname",
    "uniq",
    "wc",
    "which",
    "whoami",
    "xxd",
];

/// Builtins of the shell, and wrappers that are followed.
const SHELL: &[&str] = &[
    ":", "cd", "command", "echo", "exit", "false", "nice", "printf", "pwd", "set", "sleep", "time",
    "timeout", "true", "type",
];

/// What git may do for one who only looks.
const GIT_LOOKING: &[&str] = &[
    "blame",
    "branch --list",
    "branch --show-current",
    "branch -a",
    "branch -r",
    "cat-file",
    "check-ignore",
    "config --get",
    "config --list",
    "count-objects",
    "describe",
    "diff",
    "diff-tree",
    "for-each-ref",
    "grep",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "name-rev",
    "reflog show",
    "remote -v",
    "remote get-url",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-ref",
    "stash list",
    "stash show",
    "status",
    "submodule status",
    "tag --list",
    "tag -l",
    "version",
    "worktree list",
];

/// Options that make the subcommands above change something.
const GIT_CHANGING: &[&str] = &[
    "git branch --copy",
    "git branch --delete",
    "git branch --edit-description",
    "git branch --force",
    "git branch --move",
    "git branch --set-upstream-to",
    "git branch --unset-upstream",
    "git config --add",
    "git config --replace-all",
    "git config --unset",
    "git config --unset-all",
    "git remote add",
    "git remote prune",
    "git remote remove",
    "git remote rename",
    "git remote rm",
    "git remote set-branches",
    "git remote set-head",
    "git remote set-url",
    "git remote update",
    "git tag --delete",
    "git tag --force",
];

/// Programs that developers use, besides those that only look.
const DEVELOPING: &[&str] = &[
    // Version control.
    "gh",
    "git",
    // Languages and their tools.
    "./gradlew",
    "./mvnw",
    ".venv/bin/pip",
    ".venv/bin/pytest",
    ".venv/bin/python",
    "black",
    "bun",
    "bundle",
    "bunx",
    "c++",
    "cargo",
    "cc",
    "clang",
    "clang++",
    "cmake",
    "composer",
    "coverage",
    "ctest",
    "deno",
    "docker",
    "dotnet",
    "eslint",
    "flake8",
    "g++",
    "gcc",
    "go",
    "gofmt",
    "golangci-lint",
    "gradle",
    "isort",
    "java",
    "javac",
    "jest",
    "make",
    "meson",
    "mix",
    "mvn",
    "mypy",
    "next",
    "ninja",
    "node",
    "npm",
    "npx",
    "perl",
    "php",
    "pip",
    "pip3",
    "pnpm",
    "poetry",
    "prettier",
    "pytest",
    "python",
    "python3",
    "rake",
    "rspec",
    "ruby",
    "ruff",
    "rustc",
    "rustfmt",
    "rustup",
    "tox",
    "tsc",
    "tsx",
    "uv",
    "vite",
    "vitest",
    "yarn",
    // Files.
    "chmod",
    "cp",
    "gunzip",
    "gzip",
    "ln",
    "mkdir",
    "mktemp",
    "mv",
    "patch",
    "rm",
    "rmdir",
    "tar",
    "tee",
    "touch",
    "unzip",
    "xargs",
    "yq",
    "zip",
    // The network and the system, to look at.
    "curl",
    "hostname",
    "lsof",
    "ps",
    "ss",
    "wget",
    // More of the shell.
    "env",
    "exec",
    "export",
    "nohup",
    "read",
    "readonly",
    "shift",
    "umask",
    "unset",
    "wait",
];

/// What docker may do for a developer: look.
const DOCKER_LOOKING: &[&str] = &[
    "compose config",
    "compose logs",
    "compose ps",
    "images",
    "info",
    "inspect",
    "logs",
    "ps",
    "stats --no-stream",
    "version",
];

/// What a developer's agent must not do: publish, rewrite what others have,
/// lose work, or install for the whole user.
const DANGEROUS: &[&str] = &[
    "bundle config --global",
    "cargo install",
    "cargo login",
    "cargo owner",
    "cargo publish",
    "cargo uninstall",
    "cargo yank",
    "composer global",
    "gh api --method=DELETE",
    "gh auth",
    "gh cache delete",
    "gh gist",
    "gh issue delete",
    "gh label delete",
    "gh release create",
    "gh release delete",
    "gh release edit",
    "gh release upload",
    "gh repo archive",
    "gh repo delete",
    "gh repo rename",
    "gh run delete",
    "gh secret",
    "gh ssh-key",
    "gh variable",
    "git branch -D",
    "git checkout --force",
    "git clean --force",
    "git config --global",
    "git config --system",
    "git push --delete",
    "git push --force",
    "git push --mirror",
    "git push --prune",
    "git reflog delete",
    "git reflog expire",
    "git reset --hard",
    "git stash clear",
    "git stash drop",
    "git switch --discard-changes",
    "git switch --force",
    "git update-ref -d",
    "git worktree remove --force",
    "go install",
    "gradle publish",
    "gradlew publish",
    "mvn deploy",
    "mvnw deploy",
    "npm access",
    "npm add --global",
    "npm adduser",
    "npm deprecate",
    "npm dist-tag",
    "npm i --global",
    "npm install --global",
    "npm login",
    "npm owner",
    "npm publish",
    "npm token",
    "npm uninstall --global",
    "npm unpublish",
    "npm update --global",
    "pip install --user",
    "pnpm add --global",
    "pnpm install --global",
    "pnpm publish",
    "poetry publish",
    "poetry self",
    "rustup self",
    "uv publish",
    "uv tool install",
    "yarn global",
    "yarn npm publish",
    "yarn publish",
];

/// The programs that [`ShellPolicy::posix_utilities`] lets run, in alphabetical order.
pub const POSIX_UTILITIES: &[&str] = &[
    "awk",
    "base64",
    "basename",
    "cat",
    "chmod",
    "comm",
    "cp",
    "cut",
    "date",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "file",
    "find",
    "grep",
    "head",
    "join",
    "ln",
    "ls",
    "md5sum",
    "mkdir",
    "mv",
    "paste",
    "rm",
    "sed",
    "sha256sum",
    "shuf",
    "sleep",
    "sort",
    "stat",
    "tail",
    "tee",
    "test",
    "touch",
    "tr",
    "uniq",
    "wc",
    "xargs",
];

impl ShellPolicy {
    /// Programs that look around, with their options that write or start
    /// something closed, and the subcommands of git that only show.
    ///
    /// Nothing is written, also not by a redirection; operands that are paths
    /// stay inside. What git starts by the repository's own settings (an
    /// external diff, a text conversion) is out of sight.
    pub fn read_only() -> Self {
        Self::new()
            .allow(LOOKING.iter().chain(SHELL).chain(&["git"]).copied())
            .allow_subcommands("git", GIT_LOOKING)
            .denying(GIT_CHANGING)
            .arg_paths(ArgPaths::Jail)
            .writes(Writes::Refuse)
    }

    /// What developers do all day: git, cargo, npm, pytest and their like, and
    /// the common utilities; without publishing, forced pushes, discarding work,
    /// installing for the whole user, and leaving the workspace.
    ///
    /// Compilers, test runners and interpreters run the project's code, and the
    /// agent writes that code: this is a guard against slips, no wall. See
    /// [`warnings`](Self::warnings) for the programs concerned.
    pub fn developer() -> Self {
        Self::new()
            .allow(DEVELOPING.iter().chain(LOOKING).chain(SHELL).copied())
            .allow_subcommands("docker", DOCKER_LOOKING)
            .denying(DANGEROUS)
            .arg_paths(ArgPaths::Jail)
    }

    /// The POSIX utilities for texts and files, without substitution, and with
    /// operands held inside: for a workspace that lives only for a session.
    pub fn posix_utilities() -> Self {
        Self::new()
            .allow(POSIX_UTILITIES.iter().copied())
            .arg_paths(ArgPaths::Jail)
            .substitution(Substitution::Refuse)
    }

    /// Adds patterns of this file; a test reads each of them.
    fn denying(mut self, patterns: &[&str]) -> Self {
        self.deny_patterns.extend(patterns.iter().filter_map(|pattern| DenyPattern::words(pattern).ok()));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::{DANGEROUS, GIT_CHANGING};
    use crate::ShellPolicy;

    #[test]
    fn every_pattern_of_the_presets_is_read() {
        assert_eq!(ShellPolicy::developer().denied_patterns().len(), DANGEROUS.len());
        assert_eq!(ShellPolicy::read_only().denied_patterns().len(), GIT_CHANGING.len());
    }
}
