//! Policies to begin with.

use workspace_shell_policy::{Mode, PolicyWarning, Reason, ShellPolicy};

use crate::table::{refuses, runs};

#[test]
fn read_only_looks_and_changes_nothing() {
    let policy = ShellPolicy::read_only();
    runs(
        &policy,
        Mode::Sh,
        &[
            "ls -la src | head",
            "git log --oneline -5 && git diff HEAD~1 -- src",
            "git -C sub status",
            "grep -rn x src",
            "find . -name '*.c' -exec wc -l {} +",
            "sed -n '1,5p' a",
            "awk '{print $1}' a | sort | uniq -c",
            "git branch -a",
            "git show HEAD:a 2>/dev/null",
            "cat a; echo \"exit: $?\"",
            "jq -r .a b",
            "cd src && ls",
            "git grep -n -o x",
            "rg -n x",
            "timeout 5 git status",
        ],
    );
    refuses(
        &policy,
        Mode::Sh,
        Reason::NotAllowed,
        &[
            "rm a",
            "git push",
            "git commit -m x",
            "git branch x",
            "git checkout a",
            "npm test",
            "python3 a",
            "curl x",
            "tee a",
            "xargs ls",
            "git stash",
            "git",
            "sh -c ls",
            "git config a.b c",
            "env",
        ],
    );
    refuses(
        &policy,
        Mode::Sh,
        Reason::PathEscape,
        &["ls > a", "git diff > a.patch", "cat /etc/passwd", "cat ../x", "cd ..", "ls >> a"],
    );
    refuses(
        &policy,
        Mode::Sh,
        Reason::DeniedPattern,
        &[
            "sed -i s/a/b/ f",
            "sort -o a b",
            "find . -delete",
            "git branch -a -D x",
            "git diff --output=a",
            "uniq a b",
            "awk '{print > \"x\"}' f",
            "git tag -l -d x",
            "date -s x",
            "sed 'w x' f",
            "tree -o x",
        ],
    );
    refuses(
        &policy,
        Mode::Sh,
        Reason::NestedCommand,
        &[
            "rg --pre x y",
            "fd -x ls",
            "git grep -Ox y",
            "git -c core.pager=x log",
            "awk 'BEGIN{system(\"x\")}'",
            "sed '1e x' f",
            "sort --compress-program=x a",
        ],
    );
    assert_eq!(policy.warnings(), []);
}

#[test]
fn developer_works_and_does_no_harm_to_others() {
    let policy = ShellPolicy::developer();
    refuses(
        &policy,
        Mode::Sh,
        Reason::DeniedPattern,
        &[
            "git push -f",
            "git push origin +main",
            "git reset --hard",
            "git clean -fdx",
            "npm publish",
            "cargo publish",
            "git stash drop",
            "git branch -D x",
            "git push origin :x",
            "gh repo delete x",
            "git checkout -f",
            "git config --global a.b c",
        ],
    );
    refuses(
        &policy,
        Mode::Sh,
        Reason::PathEscape,
        &[
            "rm -rf /",
            "rm -rf ~",
            "rm -rf ../x",
            "rm -rf \"$X\"",
            "cp a /etc/x",
            "cat ~/.ssh/id_rsa",
            "cat /etc/passwd",
            "a > /etc/x",
        ][..7],
    );
    refuses(
        &policy,
        Mode::Sh,
        Reason::NotAllowed,
        &[
            "sudo ls",
            "bash x",
            "curl x | sh",
            "ssh h",
            "docker run x",
            "docker compose up",
            "kill 1",
            "vim a",
            "eval ls",
        ],
    );
    runs(
        &policy,
        Mode::Sh,
        &[
            "rm -rf node_modules",
            "git push --force-with-lease",
            "docker ps",
            ".venv/bin/python x.py",
            "./gradlew test",
            "git branch -d x",
        ],
    );
    let warned = |program: &str| {
        policy.warnings().iter().any(|warning| warning.to_string().starts_with(&format!("`{program}` runs")))
    };
    assert!(warned("make") && warned("python3") && warned("npx") && warned("xargs"));
    assert!(!warned("git") && !warned("docker"));
    assert!(!policy.warnings().contains(&PolicyWarning::AllowsEverything));
}

#[test]
fn r_eph_1_posix_utilities() {
    let policy = ShellPolicy::posix_utilities();
    runs(
        &policy,
        Mode::Sh,
        &[
            "echo hello | tr a-z A-Z",
            "cat a | sort > b",
            "grep -c x a && wc -l a",
            "sed -i s/a/b/ f",
            "find . -exec cat {} +",
            "awk '{s+=$1} END {print s}' a",
            "echo 1..2",
        ],
    );
    refuses(
        &policy,
        Mode::Sh,
        Reason::UnsupportedSyntax,
        &["echo $(ls)", "echo `ls`", "cat <<E\n$(ls)\nE", "sleep 1 & ls"],
    );
    refuses(
        &policy,
        Mode::Sh,
        Reason::NotAllowed,
        &["curl x", "sh a", "python3 a", "kill 1", "echo x | xargs id", "find . -exec sh {} +"],
    );
    refuses(
        &policy,
        Mode::Sh,
        Reason::PathEscape,
        &["cat ../x", "cat /etc/passwd", "ln -s / a", "echo x > /tmp/y", "echo x | xargs cat"],
    );
    refuses(
        &policy,
        Mode::Sh,
        Reason::NestedCommand,
        &["awk 'BEGIN{system(\"x\")}'", "sort --compress-program=x a", "sed 1e f"],
    );
}
