//! What a refusal tells the model, and where it points.

use workspace_shell_policy::{Mode, ShellPolicy};

use crate::table::verdict;

/// The refused part of the line, the message and the hint.
#[track_caller]
fn check(policy: &ShellPolicy, mode: Mode, line: &str, token: &str, message: &str, hint: &str) {
    let refusal = verdict(policy, mode, line).refusal.unwrap_or_else(|| panic!("{line:?} runs"));
    let found = (refusal.token(line), refusal.message.as_str(), refusal.hint.as_deref());
    assert_eq!(found, (token, message, Some(hint)), "{line:?}");
}

#[test]
fn r_argv_1_hints_name_the_next_call() {
    let policy = ShellPolicy::new();
    let argv = |line, token, message, hint| check(&policy, Mode::Argv, line, token, message, hint);
    argv(
        "npm test && git push",
        "&&",
        "`&&` is not supported here: no shell reads the line",
        "run `npm test`, then `git push` as separate commands",
    );
    argv(
        "npm test | tail",
        "|",
        "`|` is not supported here: no shell reads the line",
        "run the first command alone and work on its output; most programs have an option that filters",
    );
    argv(
        "npm test > x",
        ">",
        "`>` is not supported here: no shell reads the line",
        "leave out the redirection: the output is returned; write files with the write tool",
    );
    argv(
        "npm run dev &",
        "&",
        "`&` is not supported here: no shell reads the line",
        "leave out `&`; to run a command in the background use the background option of the call",
    );
    argv(
        "echo $HOME",
        "$",
        "`$` is not supported here: no shell reads the line",
        "nothing is expanded here: write the value itself, or put single quotes around a literal `$`",
    );
    argv(
        "echo it's",
        "'s",
        "a `'` quote is not closed",
        "close the quote; to write a `'` inside single quotes, use double quotes around the word",
    );
}

#[test]
fn r_parse_1_hints_name_the_construct() {
    let policy = ShellPolicy::new();
    let sh = |line, token, message, hint| check(&policy, Mode::Sh, line, token, message, hint);
    sh(
        "for x in a; do b; done",
        "for",
        "`for` is not supported",
        "run the commands one by one, or use `find … -exec … {} +`",
    );
    sh("a &> b", "&>", "`&>` is read by bash only", "write `> file 2>&1` to redirect both streams");
    sh("cat <<< x", "<<<", "`<<<` is read by bash only", "pipe the text in: `printf '%s\\n' 'text' | …`");
    sh(
        "$X a",
        "$X",
        "the program `$X` is known only when the line runs",
        "write the name of the program itself",
    );
    sh(
        "a `b; PATH=c`",
        "`b; PATH=c`",
        "`PATH` changes what commands mean or start, so it cannot be set here",
        "leave the variable as it is; use an option of the program",
    );
    sh(
        "a > /tmp/x",
        "/tmp/x",
        "the redirection to `/tmp/x` leads out of the workspace",
        "use a file inside the workspace instead of the system's temporary directory",
    );
}

#[test]
fn r_sh_1_hints_name_what_is_allowed() {
    let policy = ShellPolicy::new().allow(["git", "cargo"]);
    let sh = |line, token, message, hint| check(&policy, Mode::Sh, line, token, message, hint);
    sh("git log; ls x", "ls", "the program `ls` is not allowed", "use one of `git`, `cargo`");
    sh(
        "'git status'",
        "'git status'",
        "the program `git status` is not allowed",
        "leave out the quotes around the whole command",
    );
    sh("./git status", "./git", "the program `./git` is not allowed", "run it as `git`, without a path");
    sh("sudo git log", "sudo", "the program `sudo` is not allowed", "run the command without it");
    let many = ShellPolicy::new().allow((0..30).map(|at| format!("p{at}")));
    let hint = verdict(&many, Mode::Sh, "ls").refusal.unwrap().hint.unwrap();
    assert_eq!(hint, "use one of `p0`, `p1`, `p2`, `p3`, `p4`, `p5`, `p6`, `p7`, `p8`, `p9`, and 20 more");
}

#[test]
fn a_refusal_is_underlined() {
    let line = "git log \\\n\t--oné; rm x";
    let refusal = verdict(&ShellPolicy::new().deny(["rm"]), Mode::Sh, line).refusal.unwrap();
    assert_eq!(refusal.underlined(line), " --oné; rm x\n        ^^\n");
    assert_eq!(refusal.to_string(), "denied-executable: the program `rm` is denied");
    let end = verdict(&ShellPolicy::new(), Mode::Sh, "a &&").refusal.unwrap();
    assert_eq!(end.underlined("a &&"), "a &&\n    ^\n");
}
