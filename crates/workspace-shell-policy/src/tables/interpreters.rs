//! Programs that run a program text from their command line or their input.

/// When an interpreter takes its input for a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    /// Without a script among its operands.
    WithoutScript,
    /// Whatever its operands are.
    Always,
}

/// How an interpreter is given program text.
#[derive(Debug)]
pub(crate) struct Interpreter {
    pub(crate) programs: &'static [&'static str],
    /// Letters whose option carries program text or loads a module.
    pub(crate) text: &'static str,
    /// Long names of such options; behind one dash too where a program writes them so.
    pub(crate) long_text: &'static [&'static str],
    /// Letters that take a value, which may be the next word.
    pub(crate) valued: &'static str,
    /// Long names without value. A word after any other long name may be its value.
    pub(crate) long_flags: &'static [&'static str],
    /// Subcommands that take program text.
    pub(crate) subcommands: &'static [&'static str],
    /// When it takes its input for a program.
    pub(crate) input: Input,
    /// Texts inside any operand with which it starts a program.
    pub(crate) escapes: &'static [&'static str],
}

const PLAIN: Interpreter = Interpreter {
    programs: &[],
    text: "",
    long_text: &[],
    valued: "",
    long_flags: &[],
    subcommands: &[],
    input: Input::WithoutScript,
    escapes: &[],
};

const INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        programs: &["python"],
        text: "cm",
        valued: "WXQ",
        long_flags: &["version", "help", "help-all", "help-env", "help-xoptions"],
        ..PLAIN
    },
    Interpreter {
        programs: &["node", "bun", "deno", "tsx", "ts-node"],
        text: "epri",
        long_text: &[
            "eval",
            "print",
            "require",
            "import",
            "loader",
            "experimental-loader",
            "interactive",
            "preload",
        ],
        valued: "C",
        long_flags: &[
            "version",
            "help",
            "test",
            "watch",
            "check",
            "inspect",
            "inspect-brk",
            "trace-warnings",
            "trace-deprecation",
            "no-warnings",
            "no-deprecation",
            "enable-source-maps",
            "experimental-strip-types",
            "experimental-vm-modules",
            "expose-gc",
            "harmony",
            "preserve-symlinks",
            "allow-all",
            "allow-net",
            "allow-read",
            "allow-write",
            "allow-env",
            "hot",
        ],
        subcommands: &["eval", "repl"],
        ..PLAIN
    },
    Interpreter { programs: &["perl"], text: "eEnpMm", ..PLAIN },
    Interpreter {
        programs: &["ruby", "jruby", "irb"],
        text: "er",
        valued: "IEC",
        long_flags: &["version", "help", "yjit", "jit"],
        ..PLAIN
    },
    Interpreter {
        programs: &["php"],
        text: "rBREF",
        long_text: &["run", "process-begin", "process-code", "process-end", "process-file"],
        valued: "cdztfS",
        ..PLAIN
    },
    Interpreter { programs: &["lua"], text: "eli", ..PLAIN },
    Interpreter { programs: &["tclsh", "wish"], ..PLAIN },
    Interpreter { programs: &["r", "rscript"], text: "ef", long_text: &["eval", "expression"], ..PLAIN },
    Interpreter {
        programs: &["julia"],
        text: "eEL",
        long_text: &["eval", "print", "load"],
        valued: "CJtpmH",
        ..PLAIN
    },
    Interpreter { programs: &["osascript"], text: "e", valued: "ls", ..PLAIN },
    Interpreter { programs: &["swift"], text: "e", subcommands: &["repl"], ..PLAIN },
    Interpreter { programs: &["scala", "groovy", "kotlin", "kotlinc"], text: "e", ..PLAIN },
    Interpreter { programs: &["ghc", "runghc", "ghci"], text: "e", ..PLAIN },
    Interpreter {
        programs: &["elixir", "iex", "erl"],
        text: "er",
        long_text: &["eval", "rpc-eval"],
        ..PLAIN
    },
    Interpreter { programs: &["octave"], long_text: &["eval"], ..PLAIN },
    Interpreter { programs: &["gnuplot"], text: "e", ..PLAIN },
    Interpreter {
        programs: &["jshell", "sbcl", "clisp", "guile", "racket", "scheme"],
        text: "ecR",
        long_text: &["eval", "load"],
        ..PLAIN
    },
    Interpreter { programs: &["dc"], text: "e", long_text: &["expression"], escapes: &["!"], ..PLAIN },
    Interpreter {
        programs: &["sqlite3"],
        long_text: &["cmd", "init"],
        input: Input::Always,
        escapes: &[
            ".shell",
            ".system",
            ".import",
            ".once",
            ".output",
            ".excel",
            ".load",
            "load_extension",
            "edit(",
        ],
        ..PLAIN
    },
    Interpreter {
        programs: &["psql"],
        valued: "dhpUvPFRTLo",
        input: Input::Always,
        escapes: &["\\!", "\\o", "\\g", "\\copy", "program", "PROGRAM"],
        ..PLAIN
    },
    Interpreter {
        programs: &["mysql", "mariadb"],
        valued: "uhPDS",
        input: Input::Always,
        escapes: &["\\!", "system", "\\P"],
        ..PLAIN
    },
];

/// Names that come with a version number: `python3.12`.
const VERSIONED: &[&str] = &[
    "python", "perl", "ruby", "php", "lua", "node", "pip", "tclsh", "wish", "julia", "ghc", "guile", "bash",
    "ksh", "vim", "emacs", "awk", "gcc", "g++", "clang", "clang++",
];

/// The interpreter of this table name.
pub(crate) fn interpreter(program: &str) -> Option<&'static Interpreter> {
    INTERPRETERS.iter().find(|interpreter| interpreter.programs.contains(&program))
}

/// Whether a version number at the end of the name is left out in the tables.
pub(crate) fn is_versioned(name: &str) -> bool {
    VERSIONED.contains(&name)
}

/// The names in this table.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    INTERPRETERS.iter().flat_map(|interpreter| interpreter.programs).copied()
}
