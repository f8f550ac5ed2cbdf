//! Options of common programs that carry a command: the program starts what
//! their value names.

/// Options that carry a command.
#[derive(Debug)]
pub(crate) struct CommandFlags {
    pub(crate) programs: &'static [&'static str],
    /// Only with one of these words among the operands; empty: always.
    pub(crate) subcommands: &'static [&'static str],
    /// Letters of such options, also in clusters.
    pub(crate) short: &'static str,
    /// Their long names; programs may accept the beginning of one.
    pub(crate) long: &'static [&'static str],
    /// Long names behind one dash.
    pub(crate) single: &'static [&'static str],
    /// Letters that take the rest of their word as a value.
    pub(crate) valued: &'static str,
    /// Complete names of harmless options that begin one of `long`.
    pub(crate) harmless: &'static [&'static str],
}

const NONE: CommandFlags = CommandFlags {
    programs: &[],
    subcommands: &[],
    short: "",
    long: &[],
    single: &[],
    valued: "",
    harmless: &[],
};

const FLAGS: &[CommandFlags] = &[
    CommandFlags {
        programs: &["tar"],
        short: "IF",
        long: &[
            "to-command",
            "checkpoint-action",
            "use-compress-program",
            "info-script",
            "new-volume-script",
            "rsh-command",
            "rmt-command",
        ],
        valued: "fCTXbgKLNVH",
        harmless: &["checkpoint"],
        ..NONE
    },
    CommandFlags { programs: &["sort"], long: &["compress-program"], valued: "kotST", ..NONE },
    CommandFlags {
        programs: &["rg"],
        short: "z",
        long: &["pre", "hostname-bin", "search-zip"],
        valued: "ABCEMTtgefjmrd",
        ..NONE
    },
    CommandFlags {
        programs: &["fd"],
        short: "xXl",
        long: &["exec", "exec-batch", "list-details"],
        valued: "deEtcjSo",
        ..NONE
    },
    CommandFlags { programs: &["split"], long: &["filter"], valued: "abClnt", ..NONE },
    CommandFlags { programs: &["rsync"], short: "e", long: &["rsh", "rsync-path"], valued: "fTBM", ..NONE },
    CommandFlags { programs: &["cpio"], long: &["rsh-command"], ..NONE },
    CommandFlags { programs: &["zip"], long: &["unzip-command"], single: &["TT"], ..NONE },
    CommandFlags { programs: &["man"], short: "PHX", long: &["pager", "html"], ..NONE },
    CommandFlags { programs: &["ssh"], short: "F", valued: "BbcDEeIiJLlmOopQRSWw", ..NONE },
    CommandFlags { programs: &["scp", "sftp"], short: "SFD", valued: "cilPoJXBbRs", ..NONE },
    CommandFlags {
        programs: &["wget"],
        short: "e",
        long: &["use-askpass", "execute"],
        valued: "OPioatTwQUlADIR",
        ..NONE
    },
    CommandFlags {
        programs: &["curl"],
        short: "K",
        long: &["config"],
        valued: "oXdTFHuxAbceECDmrtUwyYzP",
        ..NONE
    },
    CommandFlags { programs: &["make"], long: &["eval"], short: "E", valued: "CfIoWlj", ..NONE },
    CommandFlags {
        programs: &["npm", "pnpm", "yarn"],
        long: &["call", "script-shell", "node-options", "git", "shell", "editor", "viewer"],
        harmless: &["no"],
        ..NONE
    },
    CommandFlags { programs: &["pip"], long: &["editor"], ..NONE },
    CommandFlags {
        programs: &["docker"],
        short: "H",
        long: &["config", "host"],
        valued: "acefhlmnptuvw",
        ..NONE
    },
    CommandFlags { programs: &["npm", "pnpm", "yarn"], subcommands: &["exec", "x"], short: "c", ..NONE },
    CommandFlags {
        programs: &["npx"],
        short: "c",
        long: &["call", "node-options"],
        harmless: &["no"],
        ..NONE
    },
    CommandFlags { programs: &["go"], single: &["exec", "toolexec", "vettool"], ..NONE },
    CommandFlags {
        programs: &["gcc", "g++", "cc", "c++", "clang", "clang++"],
        single: &["wrapper", "specs", "load", "B"],
        long: &["config", "gcc-toolchain", "ld-path", "prefix"],
        ..NONE
    },
    CommandFlags { programs: &["bat", "ag", "ack", "delta"], long: &["pager"], ..NONE },
    CommandFlags { programs: &["fzf"], long: &["preview", "bind", "listen-unsafe"], ..NONE },
    CommandFlags { programs: &["diff"], short: "l", long: &["paginate"], valued: "UCIFDWx", ..NONE },
    CommandFlags { programs: &["sdiff", "diff3"], long: &["diff-program"], ..NONE },
    CommandFlags { programs: &["patch"], short: "e", long: &["ed"], valued: "BDFVYdgiopruz", ..NONE },
    CommandFlags {
        programs: &["file"],
        short: "zZ",
        long: &["uncompress", "uncompress-noreport"],
        valued: "eFfmP",
        ..NONE
    },
    CommandFlags { programs: &["openssl"], single: &["engine", "provider", "provider-path"], ..NONE },
    CommandFlags {
        programs: &["gdb"],
        single: &["ex", "x", "iex", "ix", "eval-command", "command"],
        long: &["eval-command", "command", "init-eval-command", "init-command"],
        ..NONE
    },
    CommandFlags { programs: &["lldb"], short: "oOsS", long: &["one-line", "source"], ..NONE },
    CommandFlags { programs: &["vim", "vi", "nvim", "ex"], short: "cSsu", long: &["cmd"], ..NONE },
    CommandFlags {
        programs: &["emacs", "emacsclient"],
        short: "lfe",
        long: &["eval", "execute", "load", "funcall"],
        ..NONE
    },
    CommandFlags { programs: &["nc", "netcat"], short: "ec", valued: "iIOPpsTVwXx", ..NONE },
    CommandFlags { programs: &["ncat"], short: "ec", long: &["exec", "sh-exec", "lua-exec"], ..NONE },
    CommandFlags { programs: &["tcpdump"], short: "z", valued: "BcCEFGijmMQrsTwWyZV", ..NONE },
    CommandFlags {
        programs: &["apt", "apt-get", "aptitude"],
        short: "oc",
        long: &["option", "config-file"],
        ..NONE
    },
    CommandFlags { programs: &["rpm"], short: "E", long: &["eval", "pipe", "define"], ..NONE },
    CommandFlags {
        programs: &["latex", "pdflatex", "xelatex", "lualatex", "tex", "pdftex", "latexmk"],
        short: "e",
        long: &["shell-escape", "enable-write18"],
        single: &["shell-escape", "enable-write18"],
        ..NONE
    },
];

/// Programs that take a command in another way than by an option of these tables.
pub(crate) const CONDITIONAL: &[&str] = &["cargo", "cmake", "find", "gh", "git", "rustc"];

/// The tables of a program.
pub(crate) fn command_flags(program: &str) -> impl Iterator<Item = &'static CommandFlags> {
    FLAGS.iter().filter(move |flags| flags.programs.contains(&program))
}

/// Settings of `cargo --config` that name a program: a key matches where it
/// ends with one of these.
pub(crate) const CARGO_KEYS: &[&str] = &[
    "rustc",
    "rustc-wrapper",
    "rustc-workspace-wrapper",
    "rustdoc",
    "linker",
    "runner",
    "credential-provider",
    "global-credential-providers",
    "git-fetch-with-cli",
];

/// Settings of `ssh -o`, in lower case, that name a command or let one run.
pub(crate) const SSH_OPTIONS: &[&str] = &[
    "proxycommand",
    "localcommand",
    "knownhostscommand",
    "permitlocalcommand",
    "remotecommand",
    "pkcs11provider",
    "securitykeyprovider",
    "xauthlocation",
    "include",
];

/// The names in this table.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FLAGS.iter().flat_map(|flags| flags.programs).chain(CONDITIONAL).copied()
}
