//! Programs that run other commands which the checker does not read.
//!
//! Unknown names are no runners: with `deny` alone a launcher that is not
//! listed here passes. Only an exhaustive `allow` closes that.

/// Programs whose operands, options, input or settings are commands.
const ALWAYS: &[&str] = &[
    // Shells.
    "ash",
    "bash",
    "busybox",
    "cmd",
    "coreutils",
    "csh",
    "dash",
    "elvish",
    "fish",
    "ksh",
    "ksh93",
    "mksh",
    "nu",
    "oksh",
    "osh",
    "posh",
    "powershell",
    "pwsh",
    "rbash",
    "rc",
    "sh",
    "tcsh",
    "toybox",
    "xonsh",
    "yash",
    "zsh",
    // Builtins that read or build commands.
    ".",
    "eval",
    "fc",
    "source",
    "trap",
    // Launchers.
    "aa-exec",
    "at",
    "batch",
    "bwrap",
    "bunx",
    "capsh",
    "catchsegv",
    "choom",
    "chpst",
    "chroot",
    "chronic",
    "chrt",
    "concurrently",
    "coproc",
    "cpulimit",
    "crontab",
    "cross-env",
    "cross-env-shell",
    "daemonize",
    "dbus-launch",
    "dbus-run-session",
    "doas",
    "dotenv",
    "dtach",
    "dumb-init",
    "eatmydata",
    "entr",
    "envdir",
    "envuidgid",
    "expect",
    "fakeroot",
    "faketime",
    "firejail",
    "flock",
    "forever",
    "foreman",
    "ftp",
    "gdb",
    "gdbserver",
    "gosu",
    "heaptrack",
    "honcho",
    "hyperfine",
    "ifne",
    "lftp",
    "linux32",
    "linux64",
    "lldb",
    "ltrace",
    "m4",
    "mosh",
    "newgrp",
    "nocache",
    "nodemon",
    "npm-run-all",
    "npx",
    "nsenter",
    "numactl",
    "open",
    "parallel",
    "pee",
    "perf",
    "pkexec",
    "pm2",
    "prename",
    "prlimit",
    "proot",
    "proxychains",
    "proxychains4",
    "rename",
    "rlwrap",
    "rr",
    "rsh",
    "run-parts",
    "runas",
    "runcon",
    "runuser",
    "screen",
    "script",
    "setarch",
    "setpriv",
    "setsid",
    "setuidgid",
    "sg",
    "socat",
    "softlimit",
    "ssh",
    "ssh-agent",
    "sshpass",
    "start-stop-daemon",
    "strace",
    "su",
    "su-exec",
    "sudo",
    "systemd-run",
    "taskset",
    "tini",
    "tmux",
    "torify",
    "torsocks",
    "ts-node-dev",
    "uclampset",
    "unbuffer",
    "unshare",
    "uvx",
    "valgrind",
    "vipe",
    "watch",
    "watchexec",
    "winpty",
    "wsl",
    "xargs",
    "xdg-open",
    "xterm",
    "xvfb-run",
    "zellij",
    // Editors and pagers.
    "ed",
    "emacs",
    "emacsclient",
    "ex",
    "less",
    "man",
    "more",
    "most",
    "nano",
    "nvim",
    "pico",
    "vi",
    "vim",
];

/// Subcommands with which a program runs other commands.
const BY_SUBCOMMAND: &[(&str, &[&str])] = &[
    ("asdf", &["exec"]),
    ("bun", &["x"]),
    ("bundle", &["exec"]),
    ("cargo", &["watch"]),
    ("conda", &["run"]),
    ("direnv", &["exec"]),
    ("docker", &["exec", "run"]),
    ("hatch", &["run"]),
    ("ip", &["exec"]),
    ("kubectl", &["exec", "debug", "run"]),
    ("mamba", &["run"]),
    ("mise", &["exec", "x"]),
    ("npm", &["exec", "x", "explore"]),
    ("pdm", &["run"]),
    ("pipenv", &["run"]),
    ("pipx", &["run"]),
    ("pnpm", &["dlx", "exec"]),
    ("poetry", &["run"]),
    ("rtx", &["exec", "x"]),
    ("rye", &["run"]),
    ("uv", &["run"]),
    ("yarn", &["dlx", "exec"]),
];

/// Subcommands that have subcommands of their own, or a name before them.
const GROUPS: &[&str] = &["compose", "container", "netns", "vrf", "workspace", "workspaces"];

/// Options with which a program runs other commands.
const BY_OPTION: &[(&str, &[&str])] = &[
    ("bind", &["-x"]),
    ("complete", &["-C"]),
    ("hash", &["-p"]),
    ("nix-shell", &["--run", "--command"]),
    ("nix", &["--command", "-c"]),
];

/// Shells whose `-c` text the checker reads where the shell may run.
const READABLE_SHELLS: &[&str] = &["ash", "bash", "dash", "ksh", "mksh", "sh", "zsh"];

/// Beginnings of the names of dynamic loaders, which run the program they are given.
const LOADERS: &[&str] = &["ld-linux", "ld-musl", "ld.so", "ld64.so"];

/// Whether every use of a program is opaque.
pub(crate) fn is_always(program: &str) -> bool {
    ALWAYS.contains(&program)
}

/// Whether a name is that of a dynamic loader.
pub(crate) fn is_loader(key: &str) -> bool {
    LOADERS.iter().any(|loader| key.starts_with(loader))
}

/// The names in these tables.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let others = BY_SUBCOMMAND.iter().chain(BY_OPTION).map(|(name, _)| *name);
    ALWAYS.iter().copied().chain(others).chain(READABLE_SHELLS.iter().copied())
}

/// The subcommands with which a program runs other commands.
pub(crate) fn by_subcommand(program: &str) -> &'static [&'static str] {
    find(BY_SUBCOMMAND, program)
}

/// Whether the subcommand that counts may stand behind this word.
pub(crate) fn is_group(word: &str) -> bool {
    GROUPS.contains(&word)
}

/// The options with which a program runs other commands.
pub(crate) fn by_option(program: &str) -> &'static [&'static str] {
    find(BY_OPTION, program)
}

/// Whether `-c` of this program takes a line of sh.
pub(crate) fn is_readable_shell(program: &str) -> bool {
    READABLE_SHELLS.contains(&program)
}

fn find(table: &[(&str, &'static [&'static str])], program: &str) -> &'static [&'static str] {
    table.iter().find(|(name, _)| *name == program).map_or(&[], |(_, words)| words)
}

/// Programs that run whatever the project's files say.
const PROJECT: &[&str] = &[
    "ant", "bazel", "bundle", "cargo", "cmake", "composer", "ctest", "dotnet", "go", "gradle", "jest",
    "just", "make", "mix", "mvn", "ninja", "nox", "npm", "pip", "pnpm", "poetry", "pytest", "rake", "rspec",
    "task", "tox", "uv", "vite", "vitest", "yarn",
];

/// Whether a program runs what the project's files say.
pub(crate) fn runs_project(program: &str) -> bool {
    PROJECT.contains(&program)
}
