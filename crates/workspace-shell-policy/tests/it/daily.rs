//! Lines that agents send every day, under the policy for developers.

use workspace_shell_policy::{Mode, ShellPolicy};

use crate::table::{runs, verdict};

const LINES: &str = include_str!("../../testdata/daily-lines.txt");

/// The lines that are refused, what the refusal hints at, and the next try of
/// a model that follows the hint.
const REFUSED: &[(&str, &str, &str)] = &[
    ("ls -d .*", "such a glob matches `..` in some shells; write `.[!.]*`", "ls -d .[!.]*"),
    ("ls /tmp", "use a file inside the workspace instead of the system's temporary directory", "ls tmp"),
    ("echo $((1+2))", "compute the value first and write it into the line", "echo 3"),
    ("fd -e rs -x wc -l", "use `find … -exec … {} +`, which is read", "find . -name '*.rs' -exec wc -l {} +"),
    (
        "diff <(ls a) <(ls b)",
        "use a pipe, or write to a file first",
        "ls a > logs/a; ls b > logs/b; diff logs/a logs/b",
    ),
    (
        "git push --force origin main",
        "leave out `--force`, whatever its spelling, or do it another way",
        "git push --force-with-lease origin main",
    ),
    ("git reset --hard HEAD", "leave out `--hard`, whatever its spelling, or do it another way", "git stash"),
    ("GIT_PAGER=cat git log -3", "leave it out: there is no terminal here, so no pager starts", "git log -3"),
    (
        "npm run dev &",
        "leave out `&`; to run a command in the background use the background option of the call",
        "npm run dev",
    ),
    (
        "npm start > logs/server.log 2>&1 &",
        "leave out `&`; to run a command in the background use the background option of the call",
        "npm start > logs/server.log 2>&1",
    ),
    (
        "source .venv/bin/activate && pip install -r requirements.txt",
        "run the environment's programs by their path, such as `.venv/bin/python`",
        ".venv/bin/pip install -r requirements.txt",
    ),
    (
        "docker compose up -d",
        "use one of `docker compose config`, `docker compose logs`, `docker compose ps`, `docker images`, \
         `docker info`, `docker inspect`, `docker logs`, `docker ps`, `docker stats --no-stream`, \
         `docker version`",
        "docker compose ps",
    ),
    ("ln -s ../shared lib", "use a path inside the workspace", "ln -s shared lib"),
    (
        "grep -rl 'old_name' src | xargs sed -i 's/old_name/new_name/g'",
        "use `find … -exec … {} +`, which is read",
        "find src -type f -exec sed -i 's/old_name/new_name/g' {} +",
    ),
    (
        "git ls-files '*.py' | xargs wc -l | tail -1",
        "use `find … -exec … {} +`, which is read",
        "find . -name '*.py' -exec wc -l {} + | tail -1",
    ),
    (
        "for f in src/*.ts; do echo $f; done",
        "run the commands one by one, or use `find … -exec … {} +`",
        "find src -name '*.ts' -exec echo {} +",
    ),
    ("mkdir -p a/{b,c}", "write the words out, or put quotes around literal braces", "mkdir -p a/b a/c"),
    (
        "if [ -f Cargo.toml ]; then cargo test; fi",
        "use `test … && … || …`",
        "test -f Cargo.toml && cargo test || true",
    ),
    ("[[ -d src ]] && ls src", "use `[ … ]` or `test …`", "[ -d src ] && ls src"),
    (
        "while read l; do echo $l; done < list.txt",
        "run the commands one by one, or use `find … -exec … {} +`",
        "cat list.txt",
    ),
    ("cd \"$(git rev-parse --show-toplevel)\" && cargo test", "write the path itself", "cd . && cargo test"),
];

/// The lines, with their newlines.
fn lines() -> Vec<String> {
    LINES.lines().filter(|line| !line.starts_with("##")).map(|line| line.replace('⏎', "\n")).collect()
}

#[test]
fn nearly_all_daily_lines_run() {
    let policy = ShellPolicy::developer();
    let lines = lines();
    let mut refused = Vec::new();
    for line in &lines {
        if let Some(refusal) = verdict(&policy, Mode::Sh, line).refusal {
            refused.push((line.as_str(), refusal.hint.unwrap_or_default()));
        }
    }
    let expected: Vec<(&str, String)> =
        REFUSED.iter().map(|(line, hint, _)| (*line, (*hint).to_owned())).collect();
    assert_eq!(refused, expected);
    assert!(lines.len() >= 200, "{} lines", lines.len());
    assert!(refused.len() * 20 <= lines.len(), "{} of {} lines are refused", refused.len(), lines.len());
}

#[test]
fn no_daily_line_is_listed_twice() {
    let mut lines = lines();
    lines.sort();
    let all = lines.len();
    lines.dedup();
    assert_eq!(lines.len(), all);
}

#[test]
fn the_next_try_that_a_hint_leads_to_runs() {
    let tries: Vec<&str> = REFUSED.iter().map(|(_, _, next)| *next).collect();
    runs(&ShellPolicy::developer(), Mode::Sh, &tries);
}

/// What a hint puts in backticks and looks like a command runs.
#[test]
fn commands_in_hints_run() {
    let policy = ShellPolicy::developer();
    for (_, hint, _) in REFUSED {
        let quoted = hint.split('`').skip(1).step_by(2);
        for command in quoted.filter(|part| part.contains([' ', '/'])) {
            runs(&policy, Mode::Sh, &[&command.replace('…', "true")]);
        }
    }
}
