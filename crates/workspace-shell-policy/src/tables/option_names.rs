//! Names of options, program by program: the short and long ones that are the
//! same, and those that take a value.

/// Options of a program or of some of its subcommands.
pub(super) struct Names {
    pub(super) programs: &'static [&'static str],
    /// Empty: those of every subcommand, or the program has none.
    pub(super) subcommands: &'static [&'static str],
    /// Letters and the long name of one option.
    pub(super) pairs: &'static [(&'static str, &'static str)],
    /// Letters that take a value.
    pub(super) valued: &'static str,
    /// Long names that take a value in the next word.
    pub(super) long_valued: &'static [&'static str],
}

type Words = &'static [&'static str];

const fn of(programs: Words, subcommands: Words, pairs: &'static [(&'static str, &'static str)]) -> Names {
    Names { programs, subcommands, pairs, valued: "", long_valued: &[] }
}

impl Names {
    const fn valued(mut self, short: &'static str, long: Words) -> Self {
        self.valued = short;
        self.long_valued = long;
        self
    }
}

pub(super) const NAMES: &[Names] = &[
    of(&["gh"], &["api"], &[("X", "method"), ("f", "raw-field"), ("F", "field"), ("H", "header")])
        .valued("XfFHqt", &["method", "raw-field", "field", "header", "jq", "template"]),
    of(
        &["git"],
        &["push"],
        &[
            ("f", "force"),
            ("d", "delete"),
            ("n", "dry-run"),
            ("u", "set-upstream"),
            ("q", "quiet"),
            ("v", "verbose"),
            ("4", "ipv4"),
            ("6", "ipv6"),
        ],
    )
    .valued("o", &["push-option", "repo", "receive-pack", "exec", "recurse-submodules"]),
    of(&["git"], &["clean"], &[("f", "force"), ("n", "dry-run"), ("i", "interactive"), ("q", "quiet")])
        .valued("e", &["exclude"]),
    of(
        &["git"],
        &["checkout", "switch", "restore"],
        &[
            ("f", "force"),
            ("f", "discard-changes"),
            ("C", "force-create"),
            ("c", "create"),
            ("d", "detach"),
            ("q", "quiet"),
            ("S", "staged"),
            ("W", "worktree"),
            ("p", "patch"),
        ],
    )
    .valued("bBcCs", &["orphan", "create", "force-create", "source", "conflict", "pathspec-from-file"]),
    of(
        &["git"],
        &["branch"],
        &[
            ("d", "delete"),
            ("m", "move"),
            ("c", "copy"),
            ("f", "force"),
            ("r", "remotes"),
            ("a", "all"),
            ("u", "set-upstream-to"),
            ("v", "verbose"),
        ],
    )
    .valued("u", &["set-upstream-to", "sort", "format", "contains", "no-contains", "points-at"]),
    of(
        &["git"],
        &["commit"],
        &[
            ("n", "no-verify"),
            ("a", "all"),
            ("m", "message"),
            ("p", "patch"),
            ("s", "signoff"),
            ("e", "edit"),
            ("F", "file"),
            ("C", "reuse-message"),
            ("c", "reedit-message"),
            ("q", "quiet"),
            ("v", "verbose"),
        ],
    )
    .valued(
        "mFCct",
        &[
            "message",
            "file",
            "reuse-message",
            "reedit-message",
            "template",
            "author",
            "date",
            "fixup",
            "squash",
            "trailer",
        ],
    ),
    of(
        &["git"],
        &["tag"],
        &[("d", "delete"), ("f", "force"), ("a", "annotate"), ("s", "sign"), ("l", "list"), ("m", "message")],
    )
    .valued("muF", &["message", "file", "local-user", "sort", "format"]),
    of(
        &["git"],
        &["rm", "mv", "add"],
        &[
            ("f", "force"),
            ("n", "dry-run"),
            ("A", "all"),
            ("u", "update"),
            ("p", "patch"),
            ("i", "interactive"),
            ("N", "intent-to-add"),
            ("q", "quiet"),
            ("v", "verbose"),
        ],
    )
    .valued("", &["pathspec-from-file", "chmod"]),
    of(
        &["git"],
        &["fetch", "pull", "merge", "rebase", "worktree", "submodule", "reset", "stash", "reflog", "remote"],
        &[
            ("f", "force"),
            ("p", "prune"),
            ("a", "append"),
            ("t", "tags"),
            ("n", "no-tags"),
            ("r", "rebase"),
            ("x", "exec"),
            ("q", "quiet"),
            ("v", "verbose"),
            ("i", "interactive"),
        ],
    )
    .valued(
        "sXxmbBjo",
        &[
            "strategy",
            "strategy-option",
            "exec",
            "onto",
            "upload-pack",
            "depth",
            "refmap",
            "message",
            "reason",
            "expire",
        ],
    ),
    of(
        &["rm", "rmdir"],
        &[],
        &[
            ("rR", "recursive"),
            ("f", "force"),
            ("d", "dir"),
            ("v", "verbose"),
            ("p", "parents"),
            ("iI", "interactive"),
        ],
    ),
    of(
        &["chmod", "chown", "chgrp"],
        &[],
        &[
            ("R", "recursive"),
            ("f", "silent"),
            ("f", "quiet"),
            ("v", "verbose"),
            ("c", "changes"),
            ("h", "no-dereference"),
        ],
    )
    .valued("", &["reference", "from"]),
    of(
        &["cp", "mv", "ln", "install"],
        &[],
        &[
            ("rR", "recursive"),
            ("f", "force"),
            ("a", "archive"),
            ("n", "no-clobber"),
            ("i", "interactive"),
            ("u", "update"),
            ("v", "verbose"),
            ("l", "link"),
            ("s", "symbolic-link"),
            ("s", "symbolic"),
            ("L", "dereference"),
            ("t", "target-directory"),
            ("T", "no-target-directory"),
        ],
    )
    .valued("tSmog", &["target-directory", "suffix", "mode", "owner", "group"]),
    of(
        &["mkdir", "touch", "tee"],
        &[],
        &[("p", "parents"), ("m", "mode"), ("v", "verbose"), ("a", "append"), ("c", "no-create")],
    )
    .valued("mdrt", &["mode", "date", "reference", "time"]),
    of(
        &["curl"],
        &[],
        &[
            ("o", "output"),
            ("O", "remote-name"),
            ("X", "request"),
            ("d", "data"),
            ("T", "upload-file"),
            ("F", "form"),
            ("H", "header"),
            ("K", "config"),
            ("k", "insecure"),
            ("L", "location"),
            ("s", "silent"),
            ("u", "user"),
            ("x", "proxy"),
        ],
    )
    .valued(
        "oXdTFHKuxAbceECDmrtUwyYzP",
        &["output", "request", "data", "upload-file", "form", "header", "config", "user", "proxy"],
    ),
    of(
        &["wget"],
        &[],
        &[
            ("O", "output-document"),
            ("P", "directory-prefix"),
            ("q", "quiet"),
            ("r", "recursive"),
            ("i", "input-file"),
        ],
    )
    .valued("OPioaetTwQUlADIR", &[]),
    of(
        &["npm", "pnpm", "yarn"],
        &[],
        &[
            ("g", "global"),
            ("f", "force"),
            ("D", "save-dev"),
            ("S", "save"),
            ("y", "yes"),
            ("w", "workspace"),
        ],
    )
    .valued("wC", &["tag", "registry", "prefix", "workspace", "otp", "access", "loglevel"]),
    of(
        &["pip"],
        &[],
        &[("r", "requirement"), ("U", "upgrade"), ("e", "editable"), ("t", "target"), ("y", "yes")],
    )
    .valued("rect", &["requirement", "editable", "target", "constraint", "index-url", "extra-index-url"]),
    of(
        &["docker"],
        &[],
        &[
            ("f", "force"),
            ("a", "all"),
            ("v", "volume"),
            ("v", "volumes"),
            ("i", "interactive"),
            ("t", "tty"),
            ("d", "detach"),
            ("e", "env"),
            ("p", "publish"),
            ("u", "user"),
            ("w", "workdir"),
        ],
    )
    .valued(
        "vepuwhlmc",
        &["volume", "env", "publish", "user", "workdir", "name", "network", "entrypoint", "mount"],
    ),
    of(
        &["kubectl"],
        &[],
        &[("f", "filename"), ("n", "namespace"), ("A", "all-namespaces"), ("l", "selector"), ("o", "output")],
    )
    .valued("fnlosck", &["filename", "namespace", "selector", "output", "context", "cluster", "user"]),
    of(
        &["cargo"],
        &[],
        &[
            ("r", "release"),
            ("p", "package"),
            ("F", "features"),
            ("j", "jobs"),
            ("q", "quiet"),
            ("v", "verbose"),
        ],
    )
    .valued(
        "pFjZC",
        &[
            "package",
            "features",
            "jobs",
            "target",
            "target-dir",
            "manifest-path",
            "bin",
            "test",
            "example",
            "bench",
            "profile",
            "config",
            "color",
            "message-format",
            "exclude",
            "vers",
            "version",
        ],
    ),
    of(
        &["sed"],
        &[],
        &[
            ("i", "in-place"),
            ("n", "quiet"),
            ("n", "silent"),
            ("e", "expression"),
            ("f", "file"),
            ("E", "regexp-extended"),
            ("r", "regexp-extended"),
        ],
    )
    .valued("efl", &["expression", "file", "line-length"]),
    of(
        &["sort"],
        &[],
        &[
            ("o", "output"),
            ("u", "unique"),
            ("r", "reverse"),
            ("n", "numeric-sort"),
            ("k", "key"),
            ("t", "field-separator"),
        ],
    )
    .valued("okStT", &["output", "key", "field-separator", "buffer-size", "temporary-directory"]),
    of(
        &["tar"],
        &[],
        &[
            ("x", "extract"),
            ("x", "get"),
            ("c", "create"),
            ("f", "file"),
            ("C", "directory"),
            ("P", "absolute-names"),
            ("t", "list"),
        ],
    )
    .valued("fCTXbgKLNVHIF", &["file", "directory", "files-from", "exclude-from"]),
    of(
        &["rsync"],
        &[],
        &[
            ("a", "archive"),
            ("r", "recursive"),
            ("n", "dry-run"),
            ("e", "rsh"),
            ("z", "compress"),
            ("v", "verbose"),
        ],
    )
    .valued("efTBM", &["rsh", "exclude", "include", "filter"]),
    of(
        &["make"],
        &[],
        &[
            ("B", "always-make"),
            ("C", "directory"),
            ("f", "file"),
            ("f", "makefile"),
            ("j", "jobs"),
            ("n", "dry-run"),
            ("k", "keep-going"),
        ],
    )
    .valued("CfIoW", &["directory", "file", "makefile", "include-dir"]),
];
