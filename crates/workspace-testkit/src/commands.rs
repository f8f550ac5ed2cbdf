//! The commands that the cases of a shell run.

use workspace_core::Program;

/// What to run for each thing that a case wants to see. `None` skips the cases that need it.
///
/// [`posix`](Self::posix) suits every backend with real processes. A scripted
/// backend names what it has scripted.
///
/// # Examples
/// ```
/// use workspace_core::Program;
/// use workspace_testkit::Commands;
///
/// let commands = Commands::none().with_exit_7(Program::Sh("fail".into()));
/// assert!(commands.both_streams.is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Commands {
    /// Prints nothing and ends with exit code 7.
    pub exit_7: Option<Program>,
    /// Prints `out` and a line feed to standard output, `err` and a line feed to standard error.
    pub both_streams: Option<Program>,
    /// Prints each variable of its environment as a line `NAME=value`.
    pub environment: Option<Program>,
    /// Prints the content of the file `marker.txt` in its working directory.
    pub marker: Option<Program>,
    /// Makes the file `made.txt` with the content `made` in its working directory.
    pub make_file: Option<Program>,
    /// Copies its standard input to its standard output.
    pub copy_stdin: Option<Program>,
    /// A program and arguments that print each argument and a `|`: the
    /// arguments are `a b`, `$HOME`, `*`, `;` and an empty one.
    pub arguments: Option<Program>,
    /// Prints `begun` and a line feed, then does not end.
    pub hang: Option<Program>,
    /// Ends by signal 9.
    pub signal_9: Option<Program>,
    /// A program that does not exist.
    pub missing: Option<Program>,
    /// Prints 4 MiB of the letter `x`.
    pub flood: Option<Program>,
    /// Prints `hi` and a line feed and ends, while a process that it started holds its outputs.
    pub leave_a_child: Option<Program>,
    /// Prints `begun` and a line feed and does not end, while a process that it
    /// started adds to the file `beat.txt` many times a second.
    pub beat: Option<Program>,
}

impl Commands {
    /// No command at all.
    pub fn none() -> Self {
        Self::default()
    }

    /// The commands of a POSIX system.
    pub fn posix() -> Self {
        let sh = |line: &str| Some(Program::Sh(line.to_owned()));
        let argv = |words: &[&str]| Some(Program::Argv(words.iter().copied().map(str::to_owned).collect()));
        Self {
            exit_7: sh("exit 7"),
            both_streams: sh("echo out; echo err >&2"),
            environment: sh("env"),
            marker: sh("cat marker.txt"),
            make_file: sh("printf made > made.txt"),
            copy_stdin: sh("cat"),
            arguments: argv(&["printf", "%s|", "a b", "$HOME", "*", ";", ""]),
            hang: sh("echo begun; exec sleep 1000"),
            signal_9: sh("kill -9 $$"),
            missing: argv(&["no-such-program-of-the-kit"]),
            flood: sh("head -c 4194304 /dev/zero | tr '\\0' x"),
            leave_a_child: sh("sleep 1000 & echo hi"),
            beat: sh("(while :; do echo x >> beat.txt; sleep 0.02; done) & echo begun; wait"),
        }
    }
}

/// Writes setters. Each stands here with its full name, so that a search finds it.
macro_rules! setters {
    ($($setter:ident sets $field:ident),+ $(,)?) => {
        impl Commands {
            $(
                #[doc = concat!("Sets [`", stringify!($field), "`](Self::", stringify!($field), ").")]
                #[must_use]
                pub fn $setter(mut self, program: impl Into<Option<Program>>) -> Self {
                    self.$field = program.into();
                    self
                }
            )+
        }
    };
}

setters! {
    with_exit_7 sets exit_7,
    with_both_streams sets both_streams,
    with_environment sets environment,
    with_marker sets marker,
    with_make_file sets make_file,
    with_copy_stdin sets copy_stdin,
    with_arguments sets arguments,
    with_hang sets hang,
    with_signal_9 sets signal_9,
    with_missing sets missing,
    with_flood sets flood,
    with_leave_a_child sets leave_a_child,
    with_beat sets beat,
}
