//! Paths that must lead inside.

use std::borrow::Cow;

use super::Directories;
use crate::Reason;
use crate::Refusal;
use crate::jail::join;
use crate::limits::MAX_PATH_BYTES;
use crate::syntax::{Arg, Count, Runtime, Span};
use crate::tables::outputs::Shape;

/// What a path is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// The target of a redirection.
    Redirection,
    /// A directory to change to.
    Directory,
    /// An operand or the value of an option.
    Operand,
    /// A file that an option names.
    Output,
}

/// A path that must lead inside, as seen from every directory it may be used in.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// The path as given.
    path: String,
    seen: Seen,
    span: Span,
    purpose: Use,
    /// The command that uses it, by its place in the list; none for a redirection alone.
    pub(crate) command: Option<usize>,
}

/// From where a path is used.
#[derive(Debug, Clone)]
enum Seen {
    From(Directories),
    /// Path texts that start at the root or are absolute.
    As(Vec<String>),
}

impl Question {
    /// The question whether a known path is inside.
    pub(crate) fn about(
        path: &str,
        span: Span,
        directories: &Directories,
        purpose: Use,
        command: Option<usize>,
    ) -> Result<Self, Box<Refusal>> {
        if path.is_empty() {
            return Err(Refusal::new(Reason::PathEscape, span, "a path is empty")
                .hint("name a file inside the workspace"));
        }
        let longest = directories.known().iter().map(String::len).max().unwrap_or_default();
        if path.len() + longest > MAX_PATH_BYTES {
            return Err(Refusal::new(
                Reason::PathEscape,
                span,
                "a path is longer than any that can be opened",
            )
            .hint("name the file by a shorter path"));
        }
        if directories.known().is_empty() && !path.starts_with('/') {
            let message = format!("it is not known in which directory `{path}` would be looked for");
            return Err(Refusal::new(Reason::PathEscape, span, message)
                .hint("send the commands that change the directory on their own"));
        }
        Ok(Self { path: path.to_owned(), seen: Seen::From(directories.clone()), span, purpose, command })
    }

    /// The same question about these path texts.
    pub(crate) fn seen_as(self, paths: Vec<String>) -> Self {
        Self { seen: Seen::As(paths), ..self }
    }

    /// One after the other, the path texts that must lead inside.
    pub(crate) fn path_text(&self, number: usize) -> Option<Cow<'_, str>> {
        match &self.seen {
            Seen::As(paths) => paths.get(number).map(|path| Cow::Borrowed(path.as_str())),
            Seen::From(_) if self.path.starts_with('/') => (number == 0).then_some(Cow::Borrowed(&self.path)),
            Seen::From(directories) => {
                let directory = directories.known().get(number)?;
                Some(if directory.is_empty() {
                    Cow::Borrowed(&self.path)
                } else {
                    Cow::Owned(join(directory, &self.path))
                })
            }
        }
    }

    /// The question about a word, which must be literal.
    pub(crate) fn about_word(
        arg: &Arg,
        directories: &Directories,
        purpose: Use,
        command: Option<usize>,
    ) -> Result<Self, Box<Refusal>> {
        match (arg.text(), arg.runtime()) {
            (Some(path), _) => Self::about(path, arg.span.clone(), directories, purpose, command),
            (None, Some(runtime)) if purpose == Use::Operand => match base(runtime) {
                Some(base) => Self::about(base, arg.span.clone(), directories, purpose, command),
                None => Err(unknown(arg)),
            },
            _ => Err(unknown(arg)),
        }
    }

    /// The refusal where one of its paths leads out.
    pub(crate) fn escapes(&self) -> Box<Refusal> {
        let message = match self.purpose {
            Use::Redirection => format!("the redirection to `{}` leads out of the workspace", self.path),
            Use::Directory => format!("the directory `{}` is outside the workspace", self.path),
            Use::Operand => format!("the path `{}` leads out of the workspace", self.path),
            Use::Output => format!("the output file `{}` is outside the workspace", self.path),
        };
        let hint = match (self.purpose, self.path.as_str()) {
            (Use::Redirection, "/dev/stderr") => "write `>&2`",
            (Use::Redirection, "/dev/stdout") => "leave out the redirection",
            (Use::Directory, _) => "stay inside the workspace; its root is the start directory",
            (_, shown) if shown.starts_with("/tmp") || shown.starts_with("/var/tmp") => {
                "use a file inside the workspace instead of the system's temporary directory"
            }
            _ => "use a path inside the workspace",
        };
        Refusal::new(Reason::PathEscape, self.span.clone(), message).hint(hint)
    }

    /// The refusal where the glob of a policy closes one of its paths.
    pub(crate) fn closed(&self, glob: &str) -> Box<Refusal> {
        Refusal::new(
            Reason::PathEscape,
            self.span.clone(),
            format!("the path `{}` is closed by the rule `{glob}`", self.path),
        )
        .hint("leave this path alone; only the owner of the workspace can open it")
    }
}

/// The refusal of a path that only the shell will know.
fn unknown(arg: &Arg) -> Box<Refusal> {
    let hint = if arg.shown().starts_with('~') {
        "write a path inside the workspace; the home directory is outside"
    } else if arg.shown().contains(['*', '?', '[']) && arg.shown().split('/').any(may_climb) {
        "such a glob matches `..` in some shells; write `.[!.]*`"
    } else {
        "write the path itself"
    };
    Refusal::new(
        Reason::PathEscape,
        arg.span.clone(),
        format!("the path `{}` is known only when the line runs", arg.shown()),
    )
    .hint(hint)
}

/// The refusal of a path in an option, which only the shell will know.
pub(super) fn unknown_path(span: Span) -> Box<Refusal> {
    Refusal::new(Reason::PathEscape, span, "a path is known only when the line runs")
        .hint("write the path itself")
}

/// The directory that holds what a run-time word names, where that is sure.
///
/// Links in that directory are not seen.
fn base(runtime: &Runtime) -> Option<&str> {
    match runtime.count {
        Count::Glob => glob_base(&runtime.source),
        Count::One if runtime.shape != Shape::Any && !runtime.suffix.contains("..") => {
            let directory = runtime.prefix.rsplit_once('/').map_or(".", |(directory, _)| directory);
            Some(if directory.is_empty() { "/" } else { directory })
        }
        _ => None,
    }
}

/// The directory below which an unquoted glob looks, where the glob cannot leave it.
///
/// Links that the glob matches are not seen.
fn glob_base(source: &str) -> Option<&str> {
    let meta = source.find(['*', '?', '['])?;
    let base = source.get(..meta)?.rsplit_once('/').map_or("", |(base, _)| base);
    let plain = |c: char| c.is_alphanumeric() || "/._-+@%,:=*?[]!^".contains(c);
    if !source.chars().all(plain) || source.get(base.len()..)?.split('/').any(may_climb) {
        return None;
    }
    Some(match (base, source.starts_with('/')) {
        ("", true) => "/",
        ("", false) => ".",
        (base, _) => base,
    })
}

/// Whether a component is `..`, or a glob that matches it in some shells.
fn may_climb(name: &str) -> bool {
    let Some(rest) = name.strip_prefix('.') else { return false };
    rest == "."
        || (name.contains(['*', '?', '['])
            && rest.starts_with(['.', '*', '?', '['])
            && !rest.starts_with("[!.]"))
}

#[cfg(test)]
mod tests {
    use super::glob_base;

    #[track_caller]
    fn check(source: &str, base: Option<&str>) {
        assert_eq!(glob_base(source), base, "{source}");
    }

    #[test]
    fn the_directory_of_a_glob() {
        check("*.rs", Some("."));
        check("src/*.rs", Some("src"));
        check("src/*/x", Some("src"));
        check("../*", Some(".."));
        check("/*", Some("/"));
        check(".*", None);
        check("a/.?/x", None);
        check("..*", None);
        check("..a*", None);
        check(".[.]", None);
        check(".[!.]*", Some("."));
        check(".env*", Some("."));
        check("a/.git*/config", Some("a"));
        check("*/../../x", None);
        check("$X/*", None);
    }
}
