//! What a command reads.

use workspace_core::{Command, ErrorKind, Leftovers, Stdin};

use super::{Mark, Stage, printed, ran};

#[tokio::test]
async fn r_exec_1_stdin_is_empty_and_never_the_hosts() {
    for stage in Stage::levels() {
        stage.run(Command::argv(["cat"])).await.assert("", "", 0);
        stage.sh("readlink /proc/self/fd/0").await.assert("/dev/null\n", "", 0);
    }
}

#[tokio::test]
async fn bytes_are_read_to_their_end() {
    let long = "0123456789abcde\n".repeat(100_000);
    for stage in Stage::levels() {
        for text in ["", "hello", &long] {
            let command = Command::argv(["cat"]).with_stdin(Stdin::Bytes(text.into()));
            stage.run(command).await.assert(text, "", 0);
        }
        // A program that does not read them is not held up.
        stage
            .run(Command::argv(["true"]).with_stdin(Stdin::Bytes(long.clone().into())))
            .await
            .assert("", "", 0);
    }
}

#[tokio::test]
async fn an_open_stdin_is_written_to_as_the_command_runs() {
    let stage = Stage::new();
    let mut process = stage.spawn(Command::argv(["cat"]).with_stdin(Stdin::Open)).await;
    process.control.write_stdin(b"one\n".to_vec()).await.unwrap();
    printed(&mut process, "one\n").await;
    process.control.write_stdin(b"two\n".to_vec()).await.unwrap();
    printed(&mut process, "two\n").await;
    process.control.close_stdin().await.unwrap();
    assert_eq!(process.control.close_stdin().await.unwrap_err().kind(), ErrorKind::Unsupported);
    assert_eq!(process.control.write_stdin(b"x".to_vec()).await.unwrap_err().kind(), ErrorKind::Unsupported);
    ran(process).await.assert("", "", 0);
}

#[tokio::test]
async fn a_stdin_that_was_never_open_cannot_be_written_to() {
    let stage = Stage::new();
    for stdin in [Stdin::Empty, Stdin::Bytes(b"x".to_vec())] {
        let process = stage.spawn(Command::argv(["cat"]).with_stdin(stdin)).await;
        assert_eq!(
            process.control.write_stdin(b"x".to_vec()).await.unwrap_err().kind(),
            ErrorKind::Unsupported
        );
        assert_eq!(process.control.close_stdin().await.unwrap_err().kind(), ErrorKind::Unsupported);
        ran(process).await;
    }
}

#[tokio::test]
async fn a_write_that_nobody_reads_ends_with_the_command() {
    let mark = Mark::new();
    for stage in Stage::levels() {
        // What it leaves behind holds the other end open.
        let line = format!("exec 3<&0; sleep {} <&3 >/dev/null 2>&1 & read go", mark.0);
        let command = Command::sh(line).with_stdin(Stdin::Open).with_leftovers(Leftovers::Leave);
        let process = stage.spawn(command).await;
        let control = process.control.clone();
        mark.wait_for(1).await;
        let write = async move {
            let mut bytes = vec![b'x'; 4 << 20];
            bytes[0] = b'\n';
            control.write_stdin(bytes).await
        };
        let (written, ran) = tokio::join!(write, ran(process));
        assert_eq!(written.unwrap_err().kind(), ErrorKind::Unsupported);
        assert_eq!(ran.exit.status.code(), 0);
        assert_eq!(mark.sleepers().len(), 1);
        mark.clear();
        mark.wait_for(0).await;
    }
}
