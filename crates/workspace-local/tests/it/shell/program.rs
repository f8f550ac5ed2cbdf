//! Which program runs, and what is said where none does.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use workspace_core::{Command, EnvBase, Environment, Error, ErrorKind, ShellProvider};

use super::Stage;

impl Stage {
    fn script(&self, name: &str, text: &str, mode: u32) {
        self.scene.put(name, text);
        fs::set_permissions(self.scene.at(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    async fn refusal(&self, command: Command) -> Error {
        self.shell.spawn(command).await.unwrap_err()
    }

    #[track_caller]
    fn assert_says(error: &Error, message: &str) {
        assert_eq!((error.kind(), error.message()), (ErrorKind::SpawnFailed, message));
    }
}

fn with_path(path: &str) -> Environment {
    Environment::default().with_base(EnvBase::Empty).with_set("PATH", path)
}

#[tokio::test]
async fn arguments_arrive_as_they_are() {
    for stage in Stage::levels() {
        let words = ["printf", "[%s]", "a b", "", "$HOME", "*", "\"'\\", "\n", "é"];
        stage.run(Command::argv(words)).await.assert("[a b][][$HOME][*][\"'\\][\n][é]", "", 0);
    }
}

#[tokio::test]
async fn r_parse_3_a_line_is_given_to_sh_unchanged() {
    let stage = Stage::new();
    stage.sh("echo \"$0\" $#; x=1; echo $((x + 1)) | cat <<EOF\n`echo doc`\nEOF").await.assert(
        "sh 0\ndoc\n",
        "",
        0,
    );
    let dashes = stage.sh("-c").await;
    assert_eq!(dashes.exit.status.code(), 127, "a line that begins with a dash is no option: {dashes:?}");
}

#[tokio::test]
async fn a_program_of_the_root_does_not_take_the_place_of_another() {
    for stage in Stage::levels() {
        stage.script("ls", "#!/bin/sh\necho planted\n", 0o755);
        for path in [".:/usr/bin:/bin", ":/usr/bin:/bin", "./:../ws:/usr/bin:/bin"] {
            stage.run(Command::argv(["ls"]).with_env(with_path(path))).await.assert("ls\n", "", 0);
        }
        stage.run(Command::argv(["./ls"])).await.assert("planted\n", "", 0);
    }
}

#[tokio::test]
async fn a_path_with_a_slash_is_seen_from_the_working_directory() {
    let stage = Stage::new();
    stage.script("sub/run.sh", "#!/bin/sh\necho \"$0\" \"$@\"\n", 0o755);
    let command = Command::argv(["./run.sh", "a"]).with_cwd(crate::support::path("sub"));
    stage.run(command).await.assert("./run.sh a\n", "", 0);
    stage.run(Command::argv(["sub/run.sh"])).await.assert("sub/run.sh\n", "", 0);
}

#[tokio::test]
async fn a_missing_program_is_named_with_where_it_was_looked_for() {
    for stage in Stage::levels() {
        let secret = stage.scene.outside().to_str().unwrap().to_owned();
        let command =
            Command::argv(["no-such-program"]).with_env(with_path(&format!("/usr/bin:{secret}:/bin")));
        Stage::assert_says(
            &stage.refusal(command).await,
            "there is no program `no-such-program`; looked in `/usr/bin`, `/bin`, 1 other directory of its `PATH`",
        );
        let without = Environment::default().with_base(EnvBase::Empty);
        Stage::assert_says(
            &stage.refusal(Command::argv(["ls"]).with_env(without)).await,
            "`ls` was not looked for: the command has no `PATH`",
        );
        Stage::assert_says(
            &stage.refusal(Command::argv(["./none"])).await,
            "there is no program `./none`, seen from the working directory",
        );
    }
}

#[tokio::test]
async fn a_program_that_cannot_run_is_told_apart_from_a_missing_one() {
    for stage in Stage::levels() {
        stage.script("plain", "text", 0o644);
        stage.script("lost", "#!/no/such/interpreter\n", 0o755);
        stage.script("text", "neither one nor the other", 0o755);
        stage.scene.dir("dir");
        let said = async |name: &str, message: &str| {
            Stage::assert_says(&stage.refusal(Command::argv([name])).await, message);
        };
        let refuses = "the system refuses to run `./NAME`: it is not executable, or the working directory may not be entered";
        said("./plain", &refuses.replace("NAME", "plain")).await;
        said("./dir", &refuses.replace("NAME", "dir")).await;
        said("./lost", "`./lost` is there, but the interpreter or loader that it asks for is not").await;
        said("./text", "`./text` is neither a binary for this machine nor a script with a `#!` line").await;
        said("./plain/x", "there is no program `./plain/x`, seen from the working directory").await;
        let long = "x".repeat(3 << 20);
        let said = stage.refusal(Command::argv(["echo", &long])).await;
        Stage::assert_says(&said, "the arguments and variables of `echo` are longer than the system allows");
    }
}

#[tokio::test]
async fn nothing_stays_of_a_command_that_did_not_start() {
    for stage in Stage::levels() {
        let open = || fs::read_dir("/proc/self/fd").unwrap().count();
        stage.sh("true").await.assert("", "", 0);
        stage.script("text", "no program", 0o755);
        let before = open();
        for _ in 0..50 {
            stage.refusal(Command::argv(["./text"])).await;
        }
        // Other tests of this process open files meanwhile, but not fifty times as many.
        assert!(open() < before + 50, "{} descriptors after {before}", open());
    }
}

/// A file that was just written may still be open in a process that another thread is starting.
#[tokio::test]
async fn a_program_that_is_still_open_for_writing_is_waited_for() {
    for stage in Stage::levels() {
        stage.script("fresh", "#!/bin/sh\necho ran\n", 0o755);
        let writer = fs::OpenOptions::new().append(true).open(stage.scene.at("fresh")).unwrap();
        let busy = stage.refusal(Command::argv(["./fresh"])).await;
        Stage::assert_says(&busy, "`./fresh` is still being written");
        let close = async {
            tokio::task::yield_now().await;
            drop(writer);
        };
        let (ran, ()) = tokio::join!(stage.run(Command::argv(["./fresh"])), close);
        ran.assert("ran\n", "", 0);
    }
}

#[test]
fn without_a_runtime_a_command_is_refused() {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    let stage = Stage::new();
    let spawn = pin!(stage.shell.spawn(Command::sh("true")));
    let Poll::Ready(outcome) = spawn.poll(&mut Context::from_waker(Waker::noop())) else {
        panic!("it waits")
    };
    assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Unavailable);
}
