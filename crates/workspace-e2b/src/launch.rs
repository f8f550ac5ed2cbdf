//! The script that starts a command, follows it, or ends it.
//!
//! A command is started by a name that only it has. Whoever comes second with the
//! name, because a stream broke off or a request was delivered twice, follows the
//! command that runs: its last output lies in files, and is told from the byte on
//! which was not received.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use workspace_core::Leftovers;

use crate::once::PREFIX;
use crate::token::{random, token};

const FUNCTIONS: &str = include_str!("launch.sh");
/// A file of kept output has so many bytes, up to as many again, before the next is begun; four are kept.
const KEPT: u32 = 8 << 20;

/// What a command reads.
#[derive(Debug)]
pub(crate) enum Input {
    Empty,
    /// These bytes, which travel with the script.
    Bytes(Vec<u8>),
    /// A file by its absolute path, which is removed.
    File(String),
    /// What is sent to it.
    Open,
}

/// A command, as its scripts know it.
#[derive(Debug)]
pub(crate) struct Launch {
    /// The name by which it is started once.
    pub(crate) name: String,
    /// What ends its outputs.
    pub(crate) mark: String,
    /// A soft limit of resident memory in KiB, which does nothing on Linux and is inherited by all
    /// that the command starts: over `setsid`, `exec` and an empty environment alike.
    brand: u64,
    line: String,
    input: Input,
    limit: Option<Duration>,
    grace: Duration,
    clean: bool,
}

impl Launch {
    pub(crate) fn new(
        line: String,
        input: Input,
        limit: Option<Duration>,
        grace: Duration,
        leftovers: Leftovers,
    ) -> Self {
        /// Far beyond what a sandbox gets.
        const LEAST: u64 = 1 << 33;
        Self {
            name: format!("{PREFIX}{}", token()),
            mark: token(),
            brand: LEAST + random() % LEAST,
            line,
            input,
            limit,
            grace,
            clean: leftovers == Leftovers::Kill,
        }
    }

    /// Starts the command, or follows it behind these bytes of its outputs. One that is not
    /// `fresh` was started before, and is not started again.
    pub(crate) fn attach(&self, fresh: bool, stdout: u64, stderr: u64) -> String {
        let (ready, take) = self.input();
        // A second one needs the input no more.
        let line = if fresh { self.line.as_str() } else { ":" };
        format!(
            "{}w_fresh={} w_out={stdout} w_err={stderr}\nw_line() {{\n{line}\n}}\nw_ready() {{\n{ready}\n}}\nw_take() {{\n{take}\n}}\nw_main\n",
            self.begin(),
            u8::from(fresh),
        )
    }

    /// Ends the command with all that it has started, or sees to it that it never begins.
    pub(crate) fn kill(&self) -> String {
        format!("{}w_kill\n", self.begin())
    }

    /// Hands bytes to the command.
    pub(crate) fn send(&self, bytes: &[u8]) -> String {
        let text = STANDARD.encode(bytes);
        format!(
            "{}w_place && [ -p \"$w_dir/in\" ] && base64 -d 2>/dev/null <<'W' 1<>\"$w_dir/in\" && echo sent\n{}W\n",
            self.begin(),
            lines(&text),
        )
    }

    /// Ends the input of the command.
    pub(crate) fn close(&self) -> String {
        format!(
            "{}w_place && read -r w_pid 2>/dev/null <\"$w_dir/hold\" && kill \"$w_pid\" 2>/dev/null\necho closed\n",
            self.begin(),
        )
    }

    /// Where its outputs lie, by its two places.
    pub(crate) fn spools(&self) -> [String; 2] {
        [format!("/tmp/{}", self.name), format!("/dev/shm/{}", self.name)]
    }

    fn begin(&self) -> String {
        let limit = self.limit.map(|limit| format!("{:.3}", limit.as_secs_f64())).unwrap_or_default();
        format!(
            "{FUNCTIONS}w_name={} w_mark={} w_brand={} w_bytes={} w_limit={limit} w_grace={} w_clean={} w_most={KEPT}\n",
            self.name,
            self.mark,
            self.brand,
            self.brand << 10,
            self.grace.as_millis(),
            u8::from(self.clean),
        )
    }

    fn input(&self) -> (String, String) {
        const CHILD: &str = "( w_child ) 2>&8 8>&-";
        let nothing = ":".to_owned();
        match &self.input {
            Input::Empty => (nothing, format!("{CHILD} </dev/null")),
            Input::Bytes(bytes) => {
                let document = format!("base64 -d <<'W' | {CHILD}\n{}W", lines(&STANDARD.encode(bytes)));
                (nothing, document)
            }
            Input::File(path) => {
                let path = format!("'{}'", path.replace('\'', r"'\''"));
                (format!("exec 7<{path}\nrm -f -- {path}"), format!("{CHILD} <&7 7<&-"))
            }
            Input::Open => (
                "mkfifo \"$w_dir/in\"\nsleep 2147483647 >\"$w_dir/in\" 2>/dev/null &\nw_hold=$!\necho \"$w_hold\" >\"$w_dir/hold\"".to_owned(),
                format!("{CHILD} <\"$w_dir/in\""),
            ),
        }
    }
}

/// A text in lines that any tool reads.
fn lines(text: &str) -> String {
    const LINE: usize = 1 << 12;
    let mut out = String::with_capacity(text.len() + text.len() / LINE + 1);
    let mut rest = text;
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(LINE));
        out.push_str(line);
        out.push('\n');
        rest = after;
    }
    out
}
