//! A case as the file has it.

use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Debug, Deserialize)]
pub(super) struct Case {
    pub(super) id: String,
    pub(super) level: String,
    pub(super) title: String,
    pub(super) setup: Setup,
    pub(super) calls: Vec<Call>,
    pub(super) expect: Expect,
    #[serde(default)]
    pub(super) requires: Vec<String>,
    #[serde(default)]
    pub(super) backends: Vec<String>,
    #[serde(default)]
    pub(super) via: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Setup {
    #[serde(default)]
    pub(super) files: Vec<File>,
    #[serde(default)]
    pub(super) outside: Vec<File>,
    #[serde(default)]
    pub(super) generate: Vec<Generate>,
    #[serde(default)]
    pub(super) host_env: Map<String, Value>,
    #[serde(default)]
    pub(super) policy: Value,
}

/// A file to make, or to find afterwards.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) content: Option<String>,
    pub(super) content_b64: Option<String>,
    pub(super) mode: Option<String>,
    pub(super) symlink: Option<String>,
    pub(super) fifo: bool,
    pub(super) absent: bool,
    pub(super) any_of: Vec<File>,
}

impl File {
    pub(super) fn bytes(&self) -> Option<Vec<u8>> {
        match (&self.content, &self.content_b64) {
            (Some(text), _) => Some(text.clone().into_bytes()),
            (_, Some(text)) => Some(base64(text)),
            _ => None,
        }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Generate {
    pub(super) dir: String,
    pub(super) count: usize,
    pub(super) name: String,
    pub(super) line: String,
    pub(super) lines: usize,
}

impl Generate {
    /// The files, by path.
    pub(super) fn files(&self) -> impl Iterator<Item = (String, String)> + '_ {
        let text: String =
            (0..self.lines).map(|line| self.line.replace("{}", &line.to_string()) + "\n").collect();
        (0..self.count).map(move |number| {
            let name = self.name.replace("{:05}", &format!("{number:05}"));
            (format!("{}/{name}", self.dir), text.clone())
        })
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Call {
    pub(super) tool: String,
    pub(super) args: Value,
    #[serde(default)]
    pub(super) parallel_group: Option<u64>,
    #[serde(default)]
    pub(super) cancel_after_ms: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Expect {
    #[serde(default)]
    pub(super) steps: Vec<Map<String, Value>>,
    #[serde(default)]
    pub(super) file_after: Vec<File>,
    #[serde(default)]
    pub(super) groups: Map<String, Value>,
}

/// Base64 as the cases hold it: no line breaks, padding at the end.
fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits: Vec<u32> = text
        .bytes()
        .filter(|&byte| byte != b'=')
        .map(|byte| DIGITS.iter().position(|&digit| digit == byte).expect("a base64 digit"))
        .map(|digit| u32::try_from(digit).unwrap())
        .collect();
    let mut bytes = Vec::new();
    for group in digits.chunks(4) {
        let bits = group.iter().fold(0, |bits, digit| bits << 6 | digit) << (6 * (4 - group.len()));
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    bytes
}
