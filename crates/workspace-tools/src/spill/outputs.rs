//! The outputs that are kept.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::DIRECTORY;
use super::text::Text;
use super::whole::Whole;

/// Most bytes of all outputs together. The oldest go first.
const MOST: usize = 128 << 20;

/// The whole outputs of a workspace, of all its clones and projections.
#[derive(Debug)]
pub(crate) struct Outputs {
    kept: Mutex<Kept>,
    most: usize,
}

impl Default for Outputs {
    fn default() -> Self {
        Self { kept: Mutex::default(), most: MOST }
    }
}

#[derive(Debug, Default)]
struct Kept {
    /// How many were ever kept.
    given: u64,
    outputs: VecDeque<Output>,
    bytes: usize,
}

/// One output that is kept.
#[derive(Debug, Clone)]
pub(super) struct Output {
    pub(super) number: u64,
    pub(super) text: Text,
    pub(super) at: SystemTime,
}

/// Where a whole output can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spilled {
    /// Its path: `@output/3`.
    pub(crate) path: String,
    /// How a marker says that it is there.
    pub(crate) phrase: String,
}

impl Outputs {
    /// Keeps an output. The oldest are let go where all would be too much.
    pub(crate) fn keep(&self, whole: Whole) -> Spilled {
        let (text, is_all) = whole.finish();
        let mut kept = self.kept();
        kept.given += 1;
        let number = kept.given;
        kept.bytes += text.length();
        let path = format!("{DIRECTORY}/{number}");
        let phrase = if is_all {
            format!("all is in `{path}`")
        } else {
            format!("the first {} bytes are in `{path}`", text.length())
        };
        kept.outputs.push_back(Output { number, text, at: SystemTime::now() });
        while kept.bytes > self.most
            && let Some(oldest) = kept.outputs.pop_front()
        {
            kept.bytes -= oldest.text.length();
        }
        Spilled { path, phrase }
    }

    /// The output of this name, if it is kept.
    pub(super) fn find(&self, name: &str) -> Option<Output> {
        let number: u64 = name.parse().ok()?;
        self.kept().outputs.iter().find(|output| output.number == number && output.name() == name).cloned()
    }

    /// All that are kept, the oldest first.
    pub(super) fn all(&self) -> Vec<Output> {
        self.kept().outputs.iter().cloned().collect()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Output {
    pub(super) fn name(&self) -> String {
        self.number.to_string()
    }
}

#[cfg(test)]
mod tests {
    use workspace_core::Stream;

    use super::*;

    #[test]
    fn r_exec_6_the_oldest_outputs_go_where_all_would_be_too_much() {
        let outputs = Outputs { most: 10, ..Outputs::default() };
        let keep = |text: &str| {
            let mut whole = Whole::up_to(6, false);
            whole.push(Stream::Stdout, text.as_bytes());
            outputs.keep(whole)
        };
        let names = || outputs.all().iter().map(Output::name).collect::<Vec<_>>();
        assert_eq!(keep("1").phrase, "all is in `@output/1`");
        assert_eq!(keep("1234567").phrase, "the first 6 bytes are in `@output/2`");
        assert_eq!(names(), ["1", "2"]);
        assert_eq!(keep("123").path, "@output/3");
        assert_eq!(names(), ["1", "2", "3"]);
        keep("1");
        assert_eq!(names(), ["2", "3", "4"]);
        keep("123456");
        assert_eq!(names(), ["3", "4", "5"]);
        assert!(outputs.find("4").is_some());
        for name in ["1", "04", "+4", "x", ""] {
            assert!(outputs.find(name).is_none(), "{name}");
        }
    }
}
