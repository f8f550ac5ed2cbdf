//! Programs that run the command in their operands, with their exact option
//! grammar. Where a command line does not fit the grammar, it is not known
//! where the inner command begins.

/// What an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// No value.
    Nothing,
    /// A value: attached, after `=`, or the next word.
    Value,
    /// At most a value in the same word.
    Attached,
}

/// One option. A name that it lacks is `'\0'` or empty.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Opt {
    pub(crate) short: char,
    pub(crate) long: &'static str,
    pub(crate) takes: Takes,
}

const fn flag(short: char, long: &'static str) -> Opt {
    Opt { short, long, takes: Takes::Nothing }
}

const fn value(short: char, long: &'static str) -> Opt {
    Opt { short, long, takes: Takes::Value }
}

const fn attached(short: char, long: &'static str) -> Opt {
    Opt { short, long, takes: Takes::Attached }
}

/// What stands between the options and the inner command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Before {
    /// Nothing.
    Nothing,
    /// So many operands.
    Operands(usize),
    /// Any number of `NAME=value`.
    Assignments,
}

/// A program that runs its operands as a command.
#[derive(Debug)]
pub(crate) struct Wrapper {
    pub(crate) programs: &'static [&'static str],
    pub(crate) options: &'static [Opt],
    pub(crate) before: Before,
    /// Old forms of a number as an option: `nice -5`.
    pub(crate) numbers: bool,
    /// It is an opaque runner unless `allow` names it; then it is followed.
    pub(crate) named_only: bool,
}

const PLAIN: Wrapper =
    Wrapper { programs: &[], options: &[], before: Before::Nothing, numbers: false, named_only: false };

const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        programs: &["env"],
        options: &[
            flag('i', "ignore-environment"),
            flag('0', "null"),
            flag('v', "debug"),
            flag('\0', "list-signal-handling"),
            value('u', "unset"),
            value('C', "chdir"),
            value('P', ""),
            attached('\0', "block-signal"),
            attached('\0', "default-signal"),
            attached('\0', "ignore-signal"),
        ],
        before: Before::Assignments,
        ..PLAIN
    },
    Wrapper {
        programs: &["timeout"],
        options: &[
            flag('f', "foreground"),
            flag('p', "preserve-status"),
            flag('v', "verbose"),
            value('k', "kill-after"),
            value('s', "signal"),
        ],
        before: Before::Operands(1),
        ..PLAIN
    },
    Wrapper { programs: &["nice"], options: &[value('n', "adjustment")], numbers: true, ..PLAIN },
    Wrapper { programs: &["nohup"], ..PLAIN },
    Wrapper {
        programs: &["time"],
        options: &[
            flag('p', "portability"),
            flag('a', "append"),
            flag('v', "verbose"),
            flag('q', "quiet"),
            value('f', "format"),
            value('o', "output"),
        ],
        ..PLAIN
    },
    Wrapper { programs: &["command"], options: &[flag('p', "")], ..PLAIN },
    Wrapper { programs: &["builtin"], ..PLAIN },
    Wrapper { programs: &["exec"], ..PLAIN },
    Wrapper {
        programs: &["stdbuf"],
        options: &[value('i', "input"), value('o', "output"), value('e', "error")],
        ..PLAIN
    },
    Wrapper {
        programs: &["ionice"],
        options: &[flag('t', "ignore"), value('c', "class"), value('n', "classdata")],
        ..PLAIN
    },
    Wrapper {
        programs: &["setsid"],
        options: &[flag('c', "ctty"), flag('f', "fork"), flag('w', "wait")],
        named_only: true,
        ..PLAIN
    },
    Wrapper {
        programs: &["sudo"],
        options: &[
            flag('A', "askpass"),
            flag('b', "background"),
            flag('E', "preserve-env"),
            flag('H', "set-home"),
            flag('k', "reset-timestamp"),
            flag('n', "non-interactive"),
            flag('P', "preserve-groups"),
            flag('S', "stdin"),
            value('C', "close-from"),
            value('D', "chdir"),
            value('g', "group"),
            value('p', "prompt"),
            value('R', "chroot"),
            value('T', "command-timeout"),
            value('u', "user"),
        ],
        before: Before::Assignments,
        named_only: true,
        ..PLAIN
    },
    Wrapper {
        programs: &["doas"],
        options: &[flag('n', ""), value('C', ""), value('u', "")],
        named_only: true,
        ..PLAIN
    },
    Wrapper {
        programs: &["taskset"],
        options: &[flag('a', "all-tasks"), flag('c', "cpu-list")],
        before: Before::Operands(1),
        named_only: true,
        ..PLAIN
    },
    Wrapper {
        programs: &["chrt"],
        options: &[
            flag('b', "batch"),
            flag('f', "fifo"),
            flag('i', "idle"),
            flag('o', "other"),
            flag('r', "rr"),
            flag('R', "reset-on-fork"),
            flag('v', "verbose"),
        ],
        before: Before::Operands(1),
        named_only: true,
        ..PLAIN
    },
    Wrapper {
        programs: &["flock"],
        options: &[
            flag('e', "exclusive"),
            flag('x', ""),
            flag('s', "shared"),
            flag('n', "nonblock"),
            flag('o', "close"),
            flag('F', "no-fork"),
            flag('\0', "verbose"),
            value('w', "timeout"),
            value('E', "conflict-exit-code"),
        ],
        before: Before::Operands(1),
        named_only: true,
        ..PLAIN
    },
    Wrapper {
        programs: &["chroot"],
        options: &[flag('\0', "skip-chdir"), attached('\0', "userspec"), attached('\0', "groups")],
        before: Before::Operands(1),
        named_only: true,
        ..PLAIN
    },
    Wrapper { programs: &["unbuffer"], options: &[flag('p', "")], named_only: true, ..PLAIN },
    Wrapper {
        programs: &["strace", "ltrace"],
        options: &[
            flag('f', "follow-forks"),
            flag('q', "quiet"),
            flag('c', "summary-only"),
            flag('C', "summary"),
            flag('t', ""),
            flag('T', ""),
            flag('r', ""),
            flag('v', ""),
            flag('y', ""),
            value('e', ""),
            value('o', "output"),
            value('s', "string-limit"),
            value('P', "trace-path"),
        ],
        named_only: true,
        ..PLAIN
    },
];

/// `xargs`: its inner command gets more arguments from its input.
pub(crate) const XARGS: &[Opt] = &[
    flag('0', "null"),
    flag('r', "no-run-if-empty"),
    flag('t', "verbose"),
    flag('p', "interactive"),
    flag('x', "exit"),
    flag('o', "open-tty"),
    value('a', "arg-file"),
    value('d', "delimiter"),
    value('E', ""),
    value('I', ""),
    attached('i', "replace"),
    value('L', ""),
    attached('l', "max-lines"),
    attached('e', "eof"),
    value('n', "max-args"),
    value('P', "max-procs"),
    value('s', "max-chars"),
    value('\0', "process-slot-var"),
];

/// The wrapper of this table name.
pub(crate) fn wrapper(program: &str) -> Option<&'static Wrapper> {
    WRAPPERS.iter().find(|wrapper| wrapper.programs.contains(&program))
}

/// The names in this table.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    WRAPPERS.iter().flat_map(|wrapper| wrapper.programs).copied().chain(["xargs"])
}
