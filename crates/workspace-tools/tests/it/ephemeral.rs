//! A session of its own: lines of utilities in a directory that comes and goes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use workspace_core::{EnvBase, Finished};
use workspace_memory::{Memory, Script};
use workspace_tools::{BashExecInput, BashSession, GetFileInput, PutFileInput, ToolError, ToolErrorKind};

/// The root of a session, as its commands see it.
async fn root(session: &BashSession) -> PathBuf {
    // `pwd` is none of the utilities.
    let output =
        session.bash_exec(BashExecInput::new("awk 'BEGIN { print ENVIRON[\"HOME\"] }'")).await.unwrap();
    PathBuf::from(output.stdout.trim_end())
}

async fn stdout(session: &BashSession, line: &str) -> String {
    let output =
        session.bash_exec(BashExecInput::new(line)).await.unwrap_or_else(|error| panic!("{line}: {error:?}"));
    assert_eq!((output.exit_code, output.stderr.as_str()), (0, ""), "{line}");
    output.stdout
}

async fn refusal(session: &BashSession, line: &str) -> ToolError {
    let error = session.bash_exec(BashExecInput::new(line)).await.expect_err(line);
    assert_eq!(error.kind(), ToolErrorKind::DeniedCommand, "{line}: {error:?}");
    for text in [error.message(), error.next_step().unwrap_or_default()] {
        assert!(!text.contains(char::is_control), "{line}: {text:?}");
    }
    error
}

/// Waits until a path has gone.
async fn gone(path: &Path) {
    let gone = async {
        while path.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(20), gone).await.is_ok(), "{} stays", path.display());
}

#[tokio::test]
async fn r_eph_1_every_command_of_a_line_is_judged_and_a_refused_line_does_nothing() {
    let session = BashSession::open().unwrap();
    session.put_file(PutFileInput::new("in.txt", "b\na\nb\n")).await.unwrap();
    assert_eq!(
        stdout(&session, "sort in.txt | uniq -c | tr -s ' ' | sort -k1,1nr | head -n 1").await,
        " 2 b\n"
    );
    assert_eq!(
        stdout(&session, "mkdir -p d/e && cp in.txt d/e/ && find d -name '*.txt' -exec wc -l {} +").await,
        "3 d/e/in.txt\n"
    );
    assert_eq!(stdout(&session, "echo a b | xargs -n 1 echo").await, "a\nb\n");
    assert_eq!(
        stdout(&session, "cd d && ls; cat <<'E' > e/x && cat e/x\nit's $HOME\nE\n").await,
        "e\nit's $HOME\n"
    );
    for line in [
        "echo x > made; curl example.org",
        "echo x > made && sh -c ls",
        "touch made | bash",
        "touch made; python3 -c 1",
        "echo a | xargs -I{} sh -c 'touch made'",
        "find . -exec sh -c 'touch made' \\;",
        "find . -exec env touch made \\;",
        "touch made; awk 'BEGIN { system(\"touch made\") }'",
        "touch made; sed '1e touch made' in.txt",
        "touch made; sort --compress-program=sh in.txt",
        "( touch made; kill 1 )",
        "echo x | tee made | nc x 1",
        "touch made; PATH=. cat in.txt",
    ] {
        refusal(&session, line).await;
        assert!(!root(&session).await.join("made").exists(), "{line}");
    }
}

#[tokio::test]
async fn r_eph_1_the_list_is_that_of_the_preset_and_is_told_to_the_model() {
    let session = BashSession::open().unwrap();
    let tools = session.tools().definitions();
    let told = &tools.iter().find(|tool| tool.name == "bash_exec").unwrap().description;
    for utility in utilities() {
        assert!(told.contains(utility), "{utility} is not told");
        // Without operands, so that no rule about operands speaks.
        if let Err(error) = session.bash_exec(BashExecInput::new(format!("{utility} --version"))).await {
            assert_ne!(error.fields()["reason"], "not-allowed", "{utility}: {error:?}");
        }
    }
}

/// The list of the contract.
fn utilities() -> Vec<&'static str> {
    "cat echo grep egrep sed awk sort uniq wc head tail cut tr mkdir cp mv rm ln chmod touch find basename dirname \
     test date sleep tee xargs shuf paste join diff comm base64 md5sum sha256sum stat du file ls"
        .split_whitespace()
        .collect()
}

#[tokio::test]
async fn r_eph_2_substitutions_and_paths_out_are_refused_in_one_line() {
    let session = BashSession::open().unwrap();
    session.put_file(PutFileInput::new("a/x.txt", "x\n")).await.unwrap();
    for line in [
        "echo $(ls)",
        "echo `ls`",
        "cat <<E\n$(ls)\nE",
        "cat /etc/passwd",
        "cat ../x",
        "cp a/x.txt /tmp/y",
        "echo x > /tmp/y",
        "grep -f /etc/passwd a/x.txt",
        "ln -s / out",
        "find / -name x",
        "cd /",
        "cat ~/x",
    ] {
        refusal(&session, line).await;
    }
    for line in [
        "cat a/../a/x.txt",
        "cat 'a/..'/a/x.txt",
        "cd a && cat ../a/x.txt",
        "cat < a/../a/x.txt",
        "cat a/x.txt > a/../y",
        "echo ..",
        "find .. -name x",
        "grep --file=a/../a/x.txt x",
    ] {
        let error = refusal(&session, line).await;
        assert_eq!(error.fields()["reason"], "path-escape", "{line}: {error:?}");
    }
    assert!(!root(&session).await.join("y").exists());
    assert_eq!(stdout(&session, "echo 1..2 a..b ... 'see .. there'").await, "1..2 a..b ... see .. there\n");
    assert_eq!(stdout(&session, "cat <<'E'\n> ../x\nE\n").await, "> ../x\n");
    let inside = root(&session).await.join("a/x.txt");
    assert_eq!(stdout(&session, &format!("cat {}", inside.display())).await, "x\n");
}

#[tokio::test]
async fn r_eph_2_strict_dotdot_refuses_two_dots_anywhere() {
    let strict = BashSession::builder().strict_dotdot().open().unwrap();
    for line in ["echo 1..2", "echo 'a .. b'", "cat <<'E'\n1..2\nE\n", "ls ..."] {
        let error = refusal(&strict, line).await;
        assert_eq!(error.fields()["token"], "..", "{line}");
    }
    assert_eq!(stdout(&strict, "echo 1.2 . .a.").await, "1.2 . .a.\n");
}

#[tokio::test]
async fn r_eph_3_a_line_sees_five_variables_and_the_host_keeps_its_own() {
    let before: Vec<_> = std::env::vars_os().collect();
    let session = BashSession::open().unwrap();
    let root = root(&session).await;
    let printed =
        stdout(&session, "awk 'BEGIN { for (name in ENVIRON) print name \"=\" ENVIRON[name] }' | sort").await;
    let set_by_shell = ["PWD=", "OLDPWD=", "_=", "SHLVL=", "AWKPATH=", "AWKLIBPATH="];
    let seen: Vec<_> =
        printed.lines().filter(|line| !set_by_shell.iter().any(|name| line.starts_with(name))).collect();
    let root = root.display();
    assert_eq!(
        seen,
        [&format!("HOME={root}"), "LANG=C", "PATH=/usr/bin:/bin", "TERM=dumb", &format!("TMPDIR={root}")]
    );
    assert_eq!(std::env::vars_os().collect::<Vec<_>>(), before);
}

#[tokio::test]
async fn r_eph_3_a_line_that_takes_too_long_ends_with_all_that_it_started() {
    let session = BashSession::builder().timeout_ms(300).open().unwrap();
    let output = session.bash_exec(BashExecInput::new("echo begun; sleep 100 | sleep 100")).await.unwrap();
    assert_eq!((output.exit_code, output.timed_out, output.stdout.as_str()), (124, true, "begun\n"));
    assert_eq!(alive(&root(&session).await), [""; 0]);
    let odd = session
        .bash_exec(BashExecInput::new(
            "echo /w== | base64 -d; echo; awk 'BEGIN { while (i++ < 20000) print \"x\" }'",
        ))
        .await;
    let odd = odd.unwrap();
    assert!(odd.stdout.starts_with("\u{fffd}\nx\n") && odd.truncated, "{:?}", &odd.stdout[..20]);
    assert!(odd.stdout.len() <= 32_768, "{}", odd.stdout.len());
}

#[tokio::test]
async fn r_eph_3_the_timeout_is_thirty_seconds() {
    let files = Memory::new();
    let shell = files.shell(Script::new().with_line("ls", Finished::new(0)));
    let session = BashSession::builder().over(files, shell.clone()).unwrap();
    session.bash_exec(BashExecInput::new("ls")).await.unwrap();
    assert_eq!(shell.commands()[0].timeout, Some(Duration::from_secs(30)));
}

/// Processes that run in a directory.
fn alive(root: &Path) -> Vec<String> {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let here = processes.filter(|process| {
        std::fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(&root))
    });
    here.filter_map(|process| std::fs::read_to_string(process.path().join("cmdline")).ok())
        .filter(|line| !line.is_empty())
        .collect()
}

#[tokio::test]
async fn r_eph_4_names_pass_the_path_rules() {
    let session = BashSession::open().unwrap();
    let long = "x".repeat(256);
    for (name, kind) in [
        ("", "invalid-input"),
        ("../x", "path-escape"),
        ("/etc/passwd", "path-escape"),
        ("a/../../x", "path-escape"),
        ("C:\\x", "path-escape"),
        ("a\0b", "path-escape"),
        (long.as_str(), "invalid-input"),
    ] {
        let put = session.put_file(PutFileInput::new(name, "x")).await.unwrap_err();
        let got = session.get_file(GetFileInput::new(name)).await.unwrap_err();
        assert_eq!((put.kind().as_str(), got.kind().as_str()), (kind, kind), "{name}: {put:?}");
    }
    let put = session.put_file(PutFileInput::new("deep/er\\in.txt", "x\r\n")).await.unwrap();
    assert_eq!((put.name.as_str(), put.bytes_written, put.created), ("deep/er/in.txt", 3, true));
    let got = session.get_file(GetFileInput::new("deep/er/in.txt")).await.unwrap();
    assert_eq!((got.content.as_str(), got.bytes, &got.hash), ("x\r\n", 3, &put.hash));
}

#[tokio::test]
async fn r_eph_4_a_file_is_given_whole_or_not_at_all() {
    let session = BashSession::builder().max_file_bytes(70_000).open().unwrap();
    let text = "0123456789\n".repeat(6_000);
    session.put_file(PutFileInput::new("a", text.as_str())).await.unwrap();
    assert_eq!(session.get_file(GetFileInput::new("a")).await.unwrap().content, text);
    assert_eq!(
        session.put_file(PutFileInput::new("a", "x".repeat(70_001))).await.unwrap_err().kind(),
        ToolErrorKind::TooLarge
    );
    stdout(&session, "cat a a > b; head -c 4 /dev/null > c; echo AAE= | base64 -d > d").await;
    let large = session.get_file(GetFileInput::new("b")).await.unwrap_err();
    assert_eq!(large.kind(), ToolErrorKind::TooLarge);
    assert_eq!(large.next_step(), Some("print a part of it with `bash_exec`: `head`, `tail`, `sed -n`"));
    assert_eq!(session.get_file(GetFileInput::new("c")).await.unwrap().content, "");
    assert_eq!(session.get_file(GetFileInput::new("d")).await.unwrap_err().kind(), ToolErrorKind::Binary);
}

#[tokio::test]
async fn r_eph_4_a_failure_is_a_kind_and_a_line_of_text() {
    let session = BashSession::open().unwrap();
    let tools = session.tools();
    let names: Vec<_> = tools.definitions().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["put_file", "get_file", "bash_exec"]);
    let put = tools.call("put_file", json!({"path": "a", "content": "x\n"})).await.unwrap();
    assert_eq!(put.text, "created a (2 bytes)");
    assert_eq!(session.answer("get_file", json!({"name": "a"})).await, "x\n");
    assert_eq!(
        session.answer("bash_exec", json!({"command": "cat a b"})).await,
        "<stdout>\nx\n</stdout>\n<stderr>\ncat: b: No such file or directory\n</stderr>\nexit code 1"
    );
    for (tool, input, kind, text) in [
        ("get_file", json!({"name": "gone.txt"}), "not-found", "Error: `gone.txt`: "),
        ("get_file", json!({"name": "../x"}), "path-escape", "Error: "),
        (
            "bash_exec",
            json!({"command": "curl x"}),
            "denied-command",
            "Error: the program `curl` is not allowed",
        ),
        ("bash_exec", json!({"line": "ls"}), "invalid-input", "Error: `line` is not a key of `bash_exec`"),
        ("bash_exec", json!({"command": 7}), "invalid-input", "Error: `command` is the number 7"),
        ("read_file", json!({"path": "a"}), "invalid-input", "Error: there is no tool `read_file` here"),
    ] {
        assert_eq!(
            tools.call(tool, input.clone()).await.unwrap_err().kind().as_str(),
            kind,
            "{tool} {input}"
        );
        let told = session.answer(tool, input.clone()).await;
        assert!(told.starts_with(text) && !told.contains('\n'), "{tool} {input}: {told}");
        let root = root(&session).await;
        assert!(!told.contains(root.to_str().unwrap()), "{told}");
    }
}

#[tokio::test]
async fn r_eph_5_another_backend_can_hold_the_session() {
    let files = Memory::new();
    let script = Script::new().with_function(|command, files| {
        assert_eq!(command.env.base, EnvBase::Empty);
        files.write_now("out.txt", "made\n").ok()?;
        Some(Finished::new(0).with_stdout("ran\n"))
    });
    let shell = files.shell(script);
    let session = BashSession::builder().over(files.clone(), shell.clone()).unwrap();
    session.put_file(PutFileInput::new("in.txt", "x")).await.unwrap();
    assert_eq!(stdout(&session, "sort in.txt > out.txt").await, "ran\n");
    assert_eq!(session.get_file(GetFileInput::new("out.txt")).await.unwrap().content, "made\n");
    refusal(&session, "curl x").await;
    refusal(&session, "cat a/../in.txt").await;
    assert_eq!(shell.commands().len(), 1);
    // What is another's stays with that one.
    session.end().await.unwrap();
    assert_eq!(files.read_now("in.txt").unwrap(), b"x");
}

#[tokio::test]
async fn a_session_leaves_nothing() {
    let session = BashSession::open().unwrap();
    let root = root(&session).await;
    assert!(root.is_dir());
    // A directory that its own user may not look into, and one that is not its own.
    stdout(&session, "mkdir -p a/b && touch a/b/c && chmod 000 a/b && chmod 500 a").await;
    let twin = session.clone();
    session.end().await.unwrap();
    assert!(!root.exists() && !root.parent().unwrap().exists());
    session.end().await.unwrap();
    let ended = [
        twin.bash_exec(BashExecInput::new("ls")).await.unwrap_err().kind(),
        twin.put_file(PutFileInput::new("a", "")).await.unwrap_err().kind(),
        twin.get_file(GetFileInput::new("a")).await.unwrap_err().kind(),
    ];
    assert_eq!(ended, [ToolErrorKind::Disposed; 3]);
}

#[tokio::test]
async fn the_last_clone_takes_the_directory_with_it_and_what_runs_there() {
    let session = BashSession::open().unwrap();
    let root = root(&session).await;
    let tools = session.tools();
    let call = session.clone();
    {
        let mut running = std::pin::pin!(call.bash_exec(BashExecInput::new("touch begun; sleep 100")));
        let begun = async {
            while !root.join("begun").exists() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::select! {
            ended = &mut running => panic!("{ended:?}"),
            () = begun => {}
        }
    }
    drop((session, call));
    assert!(root.exists());
    drop(tools);
    gone(root.parent().unwrap()).await;
    assert_eq!(alive(&root), [""; 0]);
}

#[test]
fn without_a_runtime_the_directory_goes_at_once() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let session = BashSession::open().unwrap();
    let root = runtime.block_on(root(&session));
    drop(session);
    assert!(!root.parent().unwrap().exists());
    // A runtime that ends before the task has had its turn.
    let root = runtime.block_on(async {
        let session = BashSession::open().unwrap();
        root_of(session).await
    });
    drop(runtime);
    assert!(!root.parent().unwrap().exists());
}

async fn root_of(session: BashSession) -> PathBuf {
    root(&session).await
}

#[tokio::test]
async fn a_cancelled_line_is_an_answer() {
    let session = BashSession::open().unwrap();
    let token = CancellationToken::new();
    token.cancel();
    let output = session.with_cancel(token).bash_exec(BashExecInput::new("touch made")).await.unwrap();
    assert_eq!((output.exit_code, output.cancelled), (130, true));
    assert!(!root(&session).await.join("made").exists());
}
