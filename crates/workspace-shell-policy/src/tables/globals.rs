//! Options that a program takes before its subcommand.

/// The global options of a program. Names are written with their dashes.
pub(crate) struct Globals {
    programs: &'static [&'static str],
    /// Options without a value.
    flags: &'static [&'static str],
    /// Options with a value, in the next word or, for long ones, after `=`.
    valued: &'static [&'static str],
}

const GLOBALS: &[Globals] = &[
    Globals {
        programs: &["git"],
        flags: &[
            "-p",
            "-P",
            "--paginate",
            "--no-pager",
            "--bare",
            "--no-replace-objects",
            "--literal-pathspecs",
            "--glob-pathspecs",
            "--noglob-pathspecs",
            "--icase-pathspecs",
            "--no-optional-locks",
            "--no-lazy-fetch",
            "--no-advice",
        ],
        valued: &[
            "-C",
            "-c",
            "--git-dir",
            "--work-tree",
            "--namespace",
            "--exec-path",
            "--super-prefix",
            "--config-env",
            "--attr-source",
            "--list-cmds",
        ],
    },
    Globals {
        programs: &["cargo"],
        flags: &["-v", "-vv", "-q", "--verbose", "--quiet", "--locked", "--offline", "--frozen"],
        valued: &["-C", "-Z", "--color", "--config"],
    },
    Globals {
        programs: &["npm", "pnpm", "yarn"],
        flags: &[
            "-s",
            "--silent",
            "-q",
            "--quiet",
            "-d",
            "--verbose",
            "-y",
            "--yes",
            "-g",
            "--global",
            "-ws",
            "--workspaces",
            "--if-present",
            "--json",
            "-r",
            "--recursive",
            "-f",
            "--force",
            "-w",
            "--no-audit",
            "--no-fund",
            "--offline",
        ],
        valued: &[
            "--prefix",
            "-C",
            "--dir",
            "--cwd",
            "--loglevel",
            "--workspace",
            "--registry",
            "--cache",
            "--userconfig",
            "--globalconfig",
            "--filter",
            "--tag",
            "--otp",
            "--script-shell",
            "--node-options",
        ],
    },
    Globals {
        programs: &["docker"],
        flags: &["-D", "--debug", "--tls", "--tlsverify", "--remote", "--ansi"],
        valued: &[
            "--config",
            "-c",
            "--context",
            "-H",
            "--host",
            "-l",
            "--log-level",
            "--tlscacert",
            "--tlscert",
            "--tlskey",
            "-f",
            "--file",
            "-p",
            "--project-name",
            "--project-directory",
            "--profile",
            "--env-file",
        ],
    },
    Globals {
        programs: &["kubectl"],
        flags: &["--insecure-skip-tls-verify", "--match-server-version", "--warnings-as-errors"],
        valued: &[
            "-n",
            "--namespace",
            "--context",
            "--cluster",
            "--user",
            "--kubeconfig",
            "-s",
            "--server",
            "--as",
            "--as-group",
            "--as-uid",
            "--token",
            "--cache-dir",
            "--certificate-authority",
            "--client-certificate",
            "--client-key",
            "--request-timeout",
            "--tls-server-name",
            "-v",
            "--v",
            "--vmodule",
            "--profile",
            "--profile-output",
            "--username",
            "--password",
        ],
    },
    Globals { programs: &["gh"], flags: &[], valued: &["-R", "--repo", "--hostname"] },
    Globals { programs: &["go"], flags: &[], valued: &["-C"] },
];

/// What a word is among the global options of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Global {
    /// An option that is complete in its word.
    Whole,
    /// An option whose value is the next word.
    Needs,
    /// Not a global option.
    Other,
}

/// What a word is among the global options of a program, by table name.
pub(crate) fn global(program: &str, word: &str) -> Global {
    // `cargo +nightly test`: the toolchain stands where an option may.
    if program == "cargo" && word.starts_with('+') {
        return Global::Whole;
    }
    let Some(globals) = GLOBALS.iter().find(|globals| globals.programs.contains(&program)) else {
        return Global::Other;
    };
    if globals.flags.contains(&word) {
        return Global::Whole;
    }
    if globals.valued.contains(&word) {
        // `git --exec-path` alone prints the directory.
        return if program == "git" && word == "--exec-path" { Global::Whole } else { Global::Needs };
    }
    match word.split_once('=') {
        Some((name, _)) if name.starts_with("--") && globals.valued.contains(&name) => Global::Whole,
        _ => Global::Other,
    }
}
