//! The line to be judged, and how it would be run.

/// Who splits the line into words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// No shell: the checker splits the line and its words are spawned.
    #[default]
    Argv,
    /// The unchanged line goes to `sh -c --`.
    Sh,
}

/// A command line as it was sent, and where it would run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandLine<'a> {
    pub(crate) mode: Mode,
    pub(crate) text: &'a str,
    pub(crate) directory: &'a str,
    pub(crate) background: bool,
}

impl<'a> CommandLine<'a> {
    /// A line that starts in the root of the jail, in the foreground.
    pub const fn new(mode: Mode, text: &'a str) -> Self {
        Self { mode, text, directory: "", background: false }
    }

    /// Sets the directory it starts in, relative to the root, without `.` and `..`.
    #[must_use]
    pub const fn in_directory(mut self, directory: &'a str) -> Self {
        self.directory = directory;
        self
    }

    /// Says that it will run as a background job. Only
    /// [`allow_command`](crate::ShellPolicy::allow_command) sees it.
    #[must_use]
    pub const fn in_background(mut self, background: bool) -> Self {
        self.background = background;
        self
    }
}
