//! `run_tests`: the tests of the workspace, and what their runner told of them.

mod detect;
mod summary;

use serde::{Deserialize, Serialize};
use workspace_core::Stdin;

use self::detect::Runner;
use self::summary::{Reading, Summary};
use super::answer::Answer;
use super::command::{Asked, never_started};
use super::names::ToolName;
use super::run_shell::{ENDED, RunShellOutput, TIMEOUT};
use crate::spec::{Field, Shape, ToolSpec, joined};
use crate::{Result, ToolError, ToolErrorKind, Workspace};

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "run_tests",
    title: "Run the tests",
    description: "Runs the tests of the workspace with the command that its owner has set, and gives the exit code, the \
                  output, and what the runner told: how many tests passed, failed and were skipped, and the names of those \
                  that failed.",
    input: &[
        Field::new(
            "pattern",
            Shape::Text,
            "Which tests, as the runner takes it: a name or a file. It is the last argument. Default: all.",
        ),
        TIMEOUT,
    ],
    output: &joined::<17>(&ENDED, &TOLD),
    read_only: false,
    destructive: true,
    idempotent: false,
    open_world: true,
};

const TOLD: [Field; 5] = [
    Field::new("ok", Shape::Boolean, "Whether the command ended by itself with exit code 0.").required(),
    Field::new("passed", Shape::COUNT, "How many tests passed, where the runner tells."),
    Field::new("failed", Shape::COUNT, "How many failed, where the runner tells."),
    Field::new("skipped", Shape::COUNT, "How many were skipped, where the runner tells."),
    Field::new(
        "failures",
        Shape::TEXTS,
        "The first 20 names of tests that failed, and of files and packages whose tests could not be run.",
    ),
];

/// What `run_tests` takes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct RunTestsInput {
    /// Which tests, as the runner takes it: its last argument. By default all.
    pub pattern: Option<String>,
    /// How long it may run, in milliseconds; lowered to the policy's ceiling.
    pub timeout_ms: Option<u64>,
}

impl RunTestsInput {
    /// All tests.
    pub fn all() -> Self {
        Self::default()
    }

    /// The tests of a pattern.
    pub fn matching(pattern: impl Into<String>) -> Self {
        Self { pattern: Some(pattern.into()), ..Self::default() }
    }
}

/// What `run_tests` gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunTestsOutput {
    /// How the command ended and what it printed.
    #[serde(flatten)]
    pub run: RunShellOutput,
    /// Whether the command ended by itself with exit code 0.
    pub ok: bool,
    /// How many tests passed, where the runner tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passed: Option<u64>,
    /// How many failed, where the runner tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<u64>,
    /// How many were skipped, where the runner tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<u64>,
    /// The first 20 names of tests that failed, and of files and packages whose tests could
    /// not be run; `None` where the runner is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failures: Option<Vec<String>>,
}

impl Answer for RunTestsOutput {
    fn text(&self) -> String {
        let mut text = self.run.text();
        let counts = [(self.passed, "passed"), (self.failed, "failed"), (self.skipped, "skipped")];
        let counts: Vec<_> =
            counts.iter().filter_map(|(count, word)| Some(format!("{} {word}", (*count)?))).collect();
        if !counts.is_empty() {
            text.push_str("\ntests: ");
            text.push_str(&counts.join(", "));
        }
        for name in self.failures.iter().flatten() {
            text.push_str("\nfailed: ");
            text.push_str(name);
        }
        text
    }
}

impl Workspace {
    /// Runs the tests of the workspace to their end.
    ///
    /// The command is the policy's `tests.command`, or that of the runner that the files in
    /// the root speak for, where `tests.detect` is on. It starts in the root and passes the
    /// gates of [`run_shell`](Self::run_shell): the shell policy must allow it. A test that fails is an answer.
    ///
    /// Counts and names are read from all that the command prints, also from what is left
    /// out of the answer. The words of cargo test, nextest, pytest, go test, jest, vitest and
    /// node's runner are known; go tells how many passed with `-v` alone.
    ///
    /// # Errors
    /// `invalid-input` for a pattern that is empty, begins with `-`, or holds a quotation
    /// mark, a line break or NUL; `unsupported` where no tests are set; `not-found` where no
    /// runner was recognised; and those of [`run_shell`](Self::run_shell).
    pub async fn run_tests(&self, input: RunTestsInput) -> Result<RunTestsOutput> {
        self.shell()?;
        self.check_command_tool(ToolName::RunTests)?;
        if let Some(pattern) = &input.pattern {
            check_pattern(pattern)?;
        }
        let runner = self.test_runner().await?;
        let asked = Asked {
            tool: ToolName::RunTests,
            line: &runner.line(input.pattern.as_deref()),
            cwd: None,
            timeout_ms: input.timeout_ms,
            no_timeout: false,
            background: false,
            stdin: Stdin::Empty,
        };
        let allowed = match self.allow(asked).await {
            Ok(allowed) => allowed,
            Err(error) if error.kind() == ToolErrorKind::Cancelled => {
                return Ok(told(never_started(), None, &runner));
            }
            Err(error) => return Err(error),
        };
        let mut reading = Reading::default();
        let run = self.run(allowed, &mut |stream, bytes| reading.push(stream, bytes)).await?;
        Ok(told(run, reading.finish(), &runner))
    }
}

fn told(mut run: RunShellOutput, summary: Option<Summary>, runner: &Runner) -> RunTestsOutput {
    let notes = [run.note.take(), runner.note()];
    let notes: Vec<_> = notes.into_iter().flatten().collect();
    run.note = (!notes.is_empty()).then(|| notes.join("; "));
    let ok = run.exit_code == 0 && !run.timed_out && !run.cancelled;
    let (counts, failures) = match summary {
        Some(summary) => (summary.counts, Some(summary.failures)),
        None => Default::default(),
    };
    RunTestsOutput {
        run,
        ok,
        passed: counts.passed,
        failed: counts.failed,
        skipped: counts.skipped,
        failures,
    }
}

/// A pattern must be a pattern and nothing else: no option, and one argument on every platform.
fn check_pattern(pattern: &str) -> Result<()> {
    let why = if pattern.is_empty() {
        "is empty; leave it out for all tests"
    } else if pattern.starts_with('-') {
        "begins with `-`, which would be an option of the runner"
    } else if pattern.contains(['\n', '\r']) {
        "holds a line break"
    } else if pattern.contains('\0') {
        "holds a NUL"
    } else if pattern.contains('"') {
        "holds a quotation mark"
    } else {
        return Ok(());
    };
    Err(ToolError::new(ToolErrorKind::InvalidInput, format!("`pattern` {why}; nothing has run"))
        .with("field", "pattern")
        .hint("give the name of a test, a part of it, or a file"))
}

/// A text as one word of a command line, whatever reads the line.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(pattern: &str) {
        let error = check_pattern(pattern).unwrap_err();
        assert_eq!(error.kind(), ToolErrorKind::InvalidInput, "{pattern:?}");
        assert_eq!(error.fields()["field"], "pattern");
    }

    #[test]
    fn r_test_1_a_pattern_is_no_option_and_one_argument() {
        for pattern in ["", "-x", "--config=evil", "a\nb", "a\rb", "a\0b", "a\"b"] {
            refused(pattern);
        }
        for pattern in
            ["cart", "tests::a b", "it's", "$(x) `y` ; z", "a-b", "tests/test_a.py::test_b[1]", "é"]
        {
            assert_eq!(check_pattern(pattern), Ok(()), "{pattern:?}");
        }
    }

    #[test]
    fn r_test_1_a_pattern_is_quoted_for_every_reader() {
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
    }
}
