//! The verdict on a line without running it, and the builtins that need no leave.

use workspace_tools::{Interpreter, Reason, ShellPolicy, ShellPreset, Word};

use super::puppet::Shell;
use super::{with_shell, workspace};

fn words(verdict: &workspace_tools::Verdict) -> Vec<String> {
    verdict.commands.iter().map(|words| words.iter().map(Word::text).collect::<Vec<_>>().join(" ")).collect()
}

#[tokio::test]
async fn r_sh_6_the_verdict_tells_why_and_what_was_read_and_runs_nothing() {
    let shell = Shell::new();
    let judged = with_shell(|shell| {
        *shell = ShellPolicy { interpreter: Interpreter::Sh, ..ShellPolicy::allowing(["git", "grep"]) };
    });
    let workspace = workspace(&shell, judged);
    let good = workspace.check_command("git log | grep 'a b'").await;
    assert!(good.runs());
    assert_eq!(words(&good), ["git log", "grep a b"]);

    let bad = workspace.check_command("git log && curl -s x").await;
    let refusal = bad.refusal.as_ref().unwrap();
    assert_eq!((refusal.reason, refusal.token("git log && curl -s x")), (Reason::NotAllowed, "curl"));
    assert_eq!(words(&bad), ["git log", "curl -s x"]);

    let out = workspace.check_command("grep x > ../out").await;
    assert_eq!(out.reason(), Some(Reason::PathEscape));
    assert!(!shell.has_started());

    let closed = super::workspace(&shell, workspace_tools::Policy::default());
    assert_eq!(closed.check_command("git log").await.reason(), Some(Reason::NotAllowed));
}

/// Why each line is refused where a policy begins with a preset.
async fn check_preset(
    preset: ShellPreset,
    change: impl FnOnce(&mut ShellPolicy),
    lines: &[(&str, Option<Reason>)],
) {
    let shell = Shell::new();
    let judged = with_shell(|shell| {
        *shell = ShellPolicy { interpreter: Interpreter::Sh, ..ShellPolicy::preset(preset) };
        change(shell);
    });
    let workspace = workspace(&shell, judged);
    for (line, reason) in lines {
        assert_eq!(workspace.check_command(line).await.reason(), *reason, "{line}");
    }
}

#[tokio::test]
async fn a_preset_is_what_a_policy_begins_with() {
    let (unknown, pattern, escape) =
        (Some(Reason::NotAllowed), Some(Reason::DeniedPattern), Some(Reason::PathEscape));
    let looking = [
        ("cd src && git log | head -3", None),
        ("grep -rn x . > found.txt", escape),
        ("git commit -m x", unknown),
        ("cargo test", unknown),
        ("cat ../x", escape),
    ];
    check_preset(ShellPreset::ReadOnly, |_| {}, &looking).await;
    let working = [
        ("cargo test 2>&1 | tail -5", None),
        ("git push --force", pattern),
        ("make install", None),
        ("nmap x", unknown),
        ("cat ../x", escape),
    ];
    check_preset(ShellPreset::Developer, |_| {}, &working).await;
    check_preset(ShellPreset::PosixUtilities, |_| {}, &[("sort a | uniq -c", None), ("git log", unknown)])
        .await;
}

#[tokio::test]
async fn what_a_policy_says_beside_its_preset_adds_to_it() {
    let more = |shell: &mut ShellPolicy| {
        shell.allow = Some(vec!["curl".into(), "git fetch".into()]);
        shell.deny = vec!["cat".into()];
    };
    let lines = [
        ("git log && git fetch && curl x", None),
        ("git commit -m x", Some(Reason::NotAllowed)),
        ("cat a", Some(Reason::DeniedExecutable)),
        // A rule of the preset is not loosened by the default of its field.
        ("head ../x", Some(Reason::PathEscape)),
    ];
    check_preset(ShellPreset::ReadOnly, more, &lines).await;
}

/// Whether each line runs where `cat` alone is allowed.
async fn check(change: impl FnOnce(&mut ShellPolicy), lines: &[(&str, bool)]) {
    let shell = Shell::new();
    let judged = with_shell(|shell| {
        *shell = ShellPolicy { interpreter: Interpreter::Sh, ..ShellPolicy::allowing(["cat"]) };
        change(shell);
    });
    let workspace = workspace(&shell, judged);
    for (line, runs) in lines {
        let verdict = workspace.check_command(line).await;
        assert_eq!(verdict.runs(), *runs, "{line}: {:?}", verdict.refusal);
        assert!(
            verdict.runs() || verdict.reason() == Some(Reason::NotAllowed),
            "{line}: {:?}",
            verdict.refusal
        );
    }
}

#[tokio::test]
async fn r_parse_4_four_builtins_run_without_being_named() {
    check(
        |_| {},
        &[
            ("cd src && cat a.txt", true),
            ("cat a.txt || true", true),
            (": && false", true),
            ("echo x", false),
            ("printf x", false),
            ("export A=1", false),
            ("exit 1", false),
            ("read x", false),
            ("pwd", false),
        ],
    )
    .await;
}

#[tokio::test]
async fn r_parse_4_the_owner_names_the_builtins_that_are_free() {
    let pwd = |shell: &mut ShellPolicy| shell.allow_builtins = vec!["pwd".into()];
    check(pwd, &[("pwd", true), ("cat a && pwd", true), ("cd src", false), ("true", false)]).await;
    // What is denied is not free, and without a shell there are none.
    check(|shell| shell.allow = None, &[("cd src", true), ("make", true)]).await;
    check(|shell| shell.interpreter = Interpreter::None, &[("true", false), ("cat a", true)]).await;
    let shell = Shell::new();
    let denied = with_shell(|shell| {
        shell.interpreter = Interpreter::Sh;
        shell.allow = Some(vec!["cat".into()]);
        shell.deny = vec!["cd".into()];
    });
    let verdict = workspace(&shell, denied).check_command("cd src").await;
    assert_eq!(verdict.reason(), Some(Reason::DeniedExecutable));
}
