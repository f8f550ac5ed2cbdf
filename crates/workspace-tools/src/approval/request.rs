//! What the owner is asked, and what the answers are.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use workspace_core::WorkspacePath;

use crate::edit;
use crate::tools::{PatchAction, ToolName, hash_of};

/// What the owner is asked.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The tool.
    pub tool: ToolName,
    /// The command as it will run, or the path as it was resolved lexically (of a move or a copy:
    /// both, with `->` between; of a patch: what it does with each file); for a background command its id, with the text where that is sent to it.
    pub subject: String,
    /// Where a command starts, relative to the root.
    pub cwd: Option<String>,
    /// Names of the variables that a command gets beyond the base.
    pub environment: Vec<String>,
    /// How long a command may run, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// Whether a command is to run on while other calls are made.
    pub background: bool,
    /// What becomes of the file, where the call edits or writes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<ProposedChange>,
    /// What becomes of each file, where the call changes several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ProposedFile>,
}

/// What a patch makes of one file, as it is asked about. It is made exactly so or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProposedFile {
    /// The file as it is named now.
    pub path: String,
    /// What is done with it.
    pub action: PatchAction,
    /// Its name afterwards, where it is moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
    /// SHA-256 of the file as it is; `None` where there is none.
    pub previous_hash: Option<String>,
    /// SHA-256 of the file as it will be; `None` where it is removed.
    pub hash: Option<String>,
    /// The whole change as a unified diff; of a file that is removed at most 16 KiB. Empty where a
    /// file is moved as it is, and where one that is removed is no text.
    pub diff: String,
}

/// The change of one file that is asked about. It is made exactly so or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProposedChange {
    /// SHA-256 of the file as it is; `None` where there is none.
    pub previous_hash: Option<String>,
    /// SHA-256 of the file as it will be.
    pub hash: String,
    /// The change as a unified diff, at most 16 KiB; empty where the old content is no text.
    pub diff: String,
}

/// The most that the diff of one whole file in a request has, in bytes.
pub(crate) const DIFF_BYTES: usize = 16 << 10;

/// What the owner says.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// Yes, this once.
    Allow,
    /// Yes, and so for each equal call of this workspace: the same tool with
    /// the same command or path, not one that begins with it.
    AllowSession,
    /// No. The message reaches the model.
    Deny(String),
}

/// Who is asked about calls that need approval.
///
/// One that panics, or takes longer than the workspace lets it, has denied.
#[async_trait]
pub trait Approver: Send + Sync {
    /// Decides about a call. Nothing has happened yet, and no file is locked meanwhile.
    async fn decide(&self, request: &ApprovalRequest) -> Decision;
}

/// Which calls of a tool the owner is asked about, where never and always are not enough.
///
/// Any closure over the request is one. One that panics has said that the owner is to be asked.
#[async_trait]
pub trait ApprovalRule: Send + Sync {
    /// Whether the owner is to be asked about this call.
    async fn needs_approval(&self, request: &ApprovalRequest) -> bool;
}

#[async_trait]
impl<F: Fn(&ApprovalRequest) -> bool + Send + Sync> ApprovalRule for F {
    async fn needs_approval(&self, request: &ApprovalRequest) -> bool {
        self(request)
    }
}

impl ApprovalRequest {
    pub(crate) fn new(tool: ToolName, subject: impl Into<String>) -> Self {
        Self {
            tool,
            subject: subject.into(),
            cwd: None,
            environment: Vec::new(),
            timeout_ms: None,
            background: false,
            change: None,
            files: Vec::new(),
        }
    }

    /// All that it would change in files as unified diffs, one below the other; empty where
    /// nothing can be shown.
    pub fn diff(&self) -> String {
        let one = self.change.iter().map(|change| &change.diff);
        one.chain(self.files.iter().map(|file| &file.diff)).map(String::as_str).collect()
    }

    /// The same without what differs from one equal call to the next.
    pub(super) fn for_session(&self) -> Self {
        Self { change: None, files: Vec::new(), ..self.clone() }
    }
}

impl ProposedChange {
    pub(crate) fn new(path: &WorkspacePath, previous: Previous<'_>, after: &[u8]) -> Self {
        let before = match previous {
            Previous::Absent => Some(""),
            Previous::Text { text, .. } => Some(text),
            Previous::Bytes { .. } => None,
        };
        let diff = match (before, std::str::from_utf8(after)) {
            (Some(before), Ok(after)) => edit::unified(path.as_str(), before, after, DIFF_BYTES),
            _ => String::new(),
        };
        let previous_hash = match previous {
            Previous::Absent => None,
            Previous::Text { hash, .. } | Previous::Bytes { hash } => Some(hash.to_owned()),
        };
        Self { previous_hash, hash: hash_of(after), diff }
    }
}

/// What a change replaces.
#[derive(Clone, Copy)]
pub(crate) enum Previous<'a> {
    Absent,
    Text {
        text: &'a str,
        hash: &'a str,
    },
    /// Something that cannot be shown.
    Bytes {
        hash: &'a str,
    },
}
