//! What the other side has, asked once.

use workspace_core::{Error, ErrorKind, Result};

use crate::quote::word;
use crate::{error, token};

/// A program for `perl` that looks at files and moves them, as long as a shell is open.
const AIDE: &str = include_str!("answers.pl");

/// A script that answers lines of `NAME VALUE`. A tool that is missing has no line.
pub(crate) fn questions() -> String {
    format!("w_perl={}{QUESTIONS}", word(AIDE))
}

const QUESTIONS: &str = r#"
echo "root $(pwd -P)"
echo "user $(id -u)"
echo "groups $(id -G)"
stat -c 'stat %f %s %y' . | grep -q '^stat [0-9a-f]* [0-9]* ....-..-.. ..:..:..[.]' && echo 'stat 1'
[ "$(echo aGk= | base64 -d)" = hi ] && echo 'base64 1'
echo -n | sha256sum | grep -q '^e3b0c44298fc1c149afbf4c8996fb924' && echo 'sha256 1'
{ stat -L -c '%i' /proc/self/fd/3 3<.; } | grep -q . && echo 'fd 1'
case $(mv -T ./.w-nothing ./.w-nothing-too 2>&1) in *option*) ;; *) echo 'move 1' ;; esac
if find . -prune -printf 'x\n' | grep -q x; then echo 'find printf'
elif find . -prune -exec echo x {} + | grep -q x; then echo 'find exec'
fi
[ "$(printf 'a\0b\0' | xargs -0 echo)" = 'a b' ] && echo 'xargs 1'
[ "$(printf 'x' | xargs -0 head -v -c 1 -- /dev/null)" != '' ] && echo 'head 1'
case $(uname -s -m) in
  'Linux x86_64') w_number=332 ;;
  'Linux aarch64' | 'Linux riscv64') w_number=291 ;;
  *) w_number= ;;
esac
if [ -n "$w_number" ]; then
  w_seen=$(printf 'N.\0L/\0C.\0' | perl -e "$w_perl" "$w_number")
  w_same=$(stat -c '//%f %s %u %g %d:%i %y %z//' . / && stat -c '%a %d:%i %s %y %z' .)
  [ "$w_seen" = "$w_same" ] && echo "statx $w_number"
fi
"#;

/// How a tree is told in one command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Find {
    /// `find` prints the attributes.
    Prints,
    /// `find` starts `stat`.
    Starts,
    /// There is no usable `find`.
    Missing,
}

/// The other side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The root without links.
    pub(crate) root: String,
    pub(crate) user: u32,
    pub(crate) groups: Vec<u32>,
    pub(crate) find: Find,
    /// Whether many names can be handed to one command.
    pub(crate) batches: bool,
    /// Whether an open file can be told about.
    pub(crate) handles: bool,
    /// Whether `mv` can be told that the target is no directory to move into.
    pub(crate) plain_move: bool,
    /// The number of the system call `statx`, where `perl` can make it and sees what `stat` sees.
    pub(crate) statx: Option<u32>,
}

impl Facts {
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) for a tool that nothing works without.
    pub(crate) fn parse(answer: &[u8]) -> Result<Self> {
        let text = std::str::from_utf8(answer).map_err(|_| error::garbled())?;
        let value = |name: &str| {
            text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')).filter(|v| !v.is_empty())
        };
        for tool in ["stat", "base64", "sha256"] {
            if value(tool).is_none() {
                return Err(Error::new(
                    ErrorKind::Unsupported,
                    format!("the sandbox has no usable `{tool}`"),
                )
                .hint("use an image with coreutils or busybox"));
            }
        }
        let number = |text: &str| text.parse().ok();
        Ok(Self {
            root: value("root").ok_or_else(error::garbled)?.to_owned(),
            user: value("user").and_then(number).ok_or_else(error::garbled)?,
            groups: value("groups").unwrap_or_default().split(' ').filter_map(number).collect(),
            find: match value("find") {
                Some("printf") => Find::Prints,
                Some(_) => Find::Starts,
                None => Find::Missing,
            },
            batches: value("xargs").is_some() && value("head").is_some(),
            handles: value("fd").is_some(),
            plain_move: value("move").is_some(),
            statx: value("statx").and_then(number),
        })
    }

    /// The lines that set what the functions ask for.
    pub(crate) fn settings(&self) -> String {
        let plain = if self.plain_move { "-T" } else { "" };
        format!("w_aide=0 w_fd={} w_T={plain}\n", u8::from(self.handles))
    }

    /// The line that gives a shell that stays open a program beside it, where one can be.
    pub(crate) fn aide(&self) -> String {
        self.statx.map_or_else(String::new, |number| {
            format!("w_open {} {number} .w-{:x}-\n", word(AIDE), token::random())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answers_are_read() {
        let facts = Facts::parse(
            b"root /w x\nuser 1000\ngroups 1000 10\nstat 1\nbase64 1\nsha256 1\nfd 1\nfind exec\nxargs 1\nstatx 7\n",
        )
        .unwrap();
        let expected = Facts {
            root: "/w x".into(),
            user: 1000,
            groups: vec![1000, 10],
            find: Find::Starts,
            batches: false,
            handles: true,
            plain_move: false,
            statx: Some(7),
        };
        assert_eq!(facts, expected);
        assert_eq!(facts.settings(), "w_aide=0 w_fd=1 w_T=\n");
    }

    #[test]
    fn a_missing_tool_is_named() {
        let error = Facts::parse(b"root /w\nuser 0\nstat 1\nbase64 1\n").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.message().contains("sha256"), "{error}");
    }
}
