//! Lines that agents send every day, under the policy for developers.

use workspace_shell_policy::{Mode, ShellPolicy};

use crate::table::verdict;

const LINES: &str = include_str!("../../testdata/daily-lines.txt");

/// The lines that are refused, and the hint that makes the next try right.
const REFUSED: &[(&str, &str)] = &[
    ("fd -e rs -x wc -l", "use `find … -exec … {} +`, which is read"),
    ("diff <(ls a) <(ls b)", "use a pipe, or write to a file first"),
    ("git push --force origin main", "leave out what the pattern names, or do it another way"),
    ("git reset --hard HEAD", "leave out what the pattern names, or do it another way"),
    (
        "npm run dev &",
        "leave out `&`; to run a command in the background use the background option of the call",
    ),
    (
        "source .venv/bin/activate && pip install -r requirements.txt",
        "run the environment's programs by their path, such as `.venv/bin/python`",
    ),
    ("ln -s ../shared lib", "use a path inside the workspace"),
    (
        "grep -rl 'old_name' src | xargs sed -i 's/old_name/new_name/g'",
        "use `find … -exec … {} +`, which is read",
    ),
    ("git ls-files '*.py' | xargs wc -l | tail -1", "use `find … -exec … {} +`, which is read"),
    ("for f in src/*.ts; do echo $f; done", "run the commands one by one, or use `find … -exec … {} +`"),
];

#[test]
fn nearly_all_daily_lines_run() {
    let policy = ShellPolicy::developer();
    let lines: Vec<String> =
        LINES.lines().filter(|line| !line.starts_with("##")).map(|line| line.replace('⏎', "\n")).collect();
    let mut refused = Vec::new();
    for line in &lines {
        if let Some(refusal) = verdict(&policy, Mode::Sh, line).refusal {
            refused.push((line.as_str(), refusal.hint.unwrap_or_default()));
        }
    }
    let expected: Vec<(&str, String)> =
        REFUSED.iter().map(|(line, hint)| (*line, (*hint).to_owned())).collect();
    assert_eq!(refused, expected);
    assert!(lines.len() >= 200, "{} lines", lines.len());
    assert!(refused.len() * 20 <= lines.len(), "{} of {} lines are refused", refused.len(), lines.len());
}

#[test]
fn the_next_try_that_a_hint_names_runs() {
    let policy = ShellPolicy::developer();
    for line in [
        "find . -name '*.rs' -exec wc -l {} +",
        "ls a > logs/a; ls b > logs/b; diff logs/a logs/b",
        "git push --force-with-lease origin main",
        "npm run dev",
        ".venv/bin/pip install -r requirements.txt",
        "find src -type f -exec sed -i 's/old_name/new_name/g' {} +",
    ] {
        let verdict = verdict(&policy, Mode::Sh, line);
        assert!(verdict.runs(), "{line}: {:?}", verdict.refusal);
    }
}
