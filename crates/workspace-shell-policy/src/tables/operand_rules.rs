//! Which operands and option values are paths, program by program.
//!
//! An option that is not listed takes no value in the next word; its attached
//! value counts as a path. So a missing entry refuses too much, never too little.

use super::operands::Operands::{
    Assignments, Condition, Find, Paths, Script, SecondWritten, TextThenPaths, UntilDashes, Words, Written,
};
use super::operands::PathRules;

const fn of(programs: &'static [&'static str], operands: super::operands::Operands) -> PathRules {
    PathRules::new(programs, operands)
}

const RULES: &[PathRules] = &[
    // Programs that print or compute.
    of(
        &[
            ":", "alias", "arch", "basename", "break", "cd", "clear", "continue", "dirname", "echo", "exit",
            "export", "expr", "factor", "false", "hash", "hostname", "id", "jobs", "kill", "nproc", "pgrep",
            "pkill", "printenv", "printf", "ps", "pwd", "read", "readonly", "return", "seq", "set", "shift",
            "sleep", "times", "tput", "tr", "true", "tty", "type", "ulimit", "umask", "unalias", "uname",
            "unset", "uptime", "wait", "which", "who", "whoami", "yes",
        ],
        Words,
    ),
    of(&["date"], Words).text("dI", &["date"]).read("rf", &["reference", "file"]).changes("s", &["set"]),
    of(&["test"], Condition),
    // Searching.
    of(&["grep"], TextThenPaths)
        .text(
            "eABCmdD",
            &[
                "regexp",
                "include",
                "exclude",
                "exclude-dir",
                "after-context",
                "before-context",
                "max-count",
                "label",
            ],
        )
        .read("f", &["file", "exclude-from"])
        .gives("ef", &["regexp", "file"])
        .follows("R", &["dereference-recursive"]),
    of(&["rg", "ag", "ack"], TextThenPaths)
        .text(
            "eABCEMTtgjmrd",
            &[
                "regexp",
                "glob",
                "iglob",
                "type",
                "type-not",
                "replace",
                "after-context",
                "before-context",
                "max-count",
                "max-depth",
            ],
        )
        .read("f", &["file", "ignore-file"])
        .gives("ef", &["regexp", "file", "files", "type-list"])
        .follows("L", &["follow"]),
    of(&["fd"], TextThenPaths)
        .text(
            "deEtcjSo",
            &["max-depth", "min-depth", "exact-depth", "extension", "exclude", "type", "size", "max-results"],
        )
        .read("", &["ignore-file", "base-directory", "search-path"])
        .follows("L", &["follow"]),
    of(&["find"], Find),
    // Texts.
    of(&["sed"], TextThenPaths)
        .text("e", &["expression", "line-length"])
        .attached("iI")
        .read("f", &["file"])
        .gives("ef", &["expression", "file"])
        .changes("iI", &["in-place"])
        .follows("", &["follow-symlinks"]),
    of(&["awk"], TextThenPaths)
        .text("Fve", &["field-separator", "assign", "source"])
        .read("fiElW", &["file", "include", "exec", "load"])
        .write("opd", &["pretty-print", "profile", "dump-variables"])
        .gives("feE", &["file", "source", "exec"]),
    of(&["jq", "yq"], TextThenPaths)
        .text("", &["indent"])
        .read("fL", &["from-file"])
        .gives("f", &["from-file"])
        .changes("i", &["inplace"]),
    of(&["head", "tail"], Paths).text("ncs", &["lines", "bytes", "sleep-interval", "pid"]),
    of(&["wc"], Paths).lists("", &["files0-from"]),
    of(&["sort"], Paths)
        .text("ktS", &["key", "field-separator", "buffer-size", "sort", "parallel", "batch-size"])
        .read("T", &["temporary-directory", "random-source"])
        .write("o", &["output"])
        .lists("", &["files0-from"]),
    of(&["uniq"], SecondWritten).text("fsw", &["skip-fields", "skip-chars", "check-chars"]),
    of(&["xxd"], SecondWritten).text("lscgon", &[]),
    of(&["cut"], Paths).text("dfcb", &["delimiter", "fields", "characters", "bytes", "output-delimiter"]),
    of(&["paste"], Paths).text("d", &["delimiters"]),
    of(&["join"], Paths).text("to12jave", &[]),
    of(&["comm"], Paths).text("", &["output-delimiter"]),
    of(&["column"], Paths).text("socNHRWTE", &["separator", "output-separator", "table-columns"]),
    of(&["diff", "sdiff", "diff3"], Paths)
        .text("ILUCWx", &["label", "ignore-matching-lines", "width", "exclude"])
        .read("XS", &["exclude-from", "from-file", "to-file"])
        .write("o", &["output"]),
    of(&["cmp"], Paths).text("ni", &["bytes", "ignore-initial"]),
    of(&["od"], Paths).text("AjNSt", &["address-radix", "skip-bytes", "read-bytes", "format"]),
    of(&["hexdump"], Paths).text("ens", &[]).read("f", &[]),
    of(&["strings"], Paths).text("nteT", &["bytes", "radix", "encoding"]),
    of(&["nl"], Paths).text("bdfhilnsvw", &[]),
    of(&["fold", "fmt"], Paths).text("wgp", &["width", "goal", "prefix"]),
    of(&["expand", "unexpand"], Paths).text("t", &["tabs"]),
    of(&["tac"], Paths).text("s", &["separator"]),
    of(&["shuf"], Paths).text("ni", &["head-count", "input-range"]).write("o", &["output"]),
    of(&["md5sum", "sha1sum", "sha256sum", "sha512sum", "b2sum", "cksum", "sum", "shasum"], Paths)
        .text("al", &["algorithm"]),
    of(&["base64", "base32", "basenc"], Paths).text("wb", &["wrap"]).read("i", &[]).write("o", &[]),
    of(&["cat", "zcat", "less", "more", "tsort", "rev", "realpath", "readlink"], Paths),
    // Listings.
    of(&["ls", "eza"], Paths)
        .text(
            "ITw",
            &["ignore", "hide", "format", "sort", "time", "time-style", "width", "tabsize", "block-size"],
        )
        .follows("L", &["dereference"]),
    of(&["du", "df"], Paths)
        .text("dtB", &["max-depth", "threshold", "exclude", "block-size"])
        .read("X", &["exclude-from"])
        .follows("L", &["dereference"])
        .lists("", &["files0-from"]),
    of(&["stat"], Paths).text("c", &["format", "printf"]),
    of(&["file"], Paths)
        .text("FP", &["separator"])
        .read("m", &["magic-file"])
        .changes("C", &["compile"])
        .lists("f", &["files-from"]),
    of(&["tree"], Paths)
        .text("LPIHT", &["filelimit", "timefmt", "charset"])
        .write("o", &[])
        .changes("R", &[])
        .follows("l", &[]),
    // Changing files.
    of(&["chmod", "chown", "chgrp"], TextThenPaths)
        .text("", &["from"])
        .read("", &["reference"])
        .gives("", &["reference"])
        .follows("L", &[]),
    of(&["mkdir", "mkfifo", "mknod"], Written).text("m", &["mode"]),
    of(&["rm", "rmdir", "tee", "unlink"], Written),
    of(&["shred"], Written).text("ns", &["iterations", "size"]),
    of(&["touch", "truncate"], Written).text("dts", &["date", "time", "size"]).read("r", &["reference"]),
    of(&["cp", "mv", "ln", "install", "link"], Written)
        .text("Smog", &["suffix", "mode", "owner", "group"])
        .write("t", &["target-directory"])
        .follows("L", &["dereference"]),
    of(&["split", "csplit"], Written).text("abClnt", &[]),
    of(&["dd"], Assignments),
    of(&["patch"], Written)
        .text("pFDVg", &["strip", "fuzz"])
        .read("id", &["input", "directory"])
        .write("or", &["output", "reject-file"]),
    // Archives and copies.
    of(&["tar"], Written)
        .text(
            "bKLNVH",
            &[
                "exclude",
                "transform",
                "xform",
                "owner",
                "group",
                "mode",
                "strip-components",
                "mtime",
                "format",
            ],
        )
        .read("X", &["exclude-from"])
        .write("fCg", &["file", "directory", "index-file", "listed-incremental"])
        .leaves("P", &["absolute-names", "absolute-paths"])
        .follows("h", &["dereference"])
        .lists("T", &["files-from"]),
    of(&["zip"], Written).text("tP", &[]),
    of(&["gzip", "gunzip", "bzip2", "xz", "zstd"], Written).text("S", &["suffix"]),
    of(&["unzip"], Written).text("P", &[]).write("d", &[]).leaves(":", &[]),
    of(&["rsync"], Written)
        .text("fBM", &["exclude", "include", "filter", "bwlimit", "chmod", "chown", "port", "timeout"])
        .read("T", &["exclude-from", "include-from", "password-file", "compare-dest", "link-dest"])
        .write("", &["log-file", "backup-dir", "partial-dir", "temp-dir"])
        .follows("Lk", &["copy-links", "copy-dirlinks"])
        .lists("", &["files-from"]),
    // Development.
    of(&["git"], Paths)
        .text(
            "m",
            &[
                "message",
                "grep",
                "author",
                "committer",
                "since",
                "until",
                "after",
                "before",
                "onto",
                "max-count",
            ],
        )
        .attached("SGLUnX")
        .read("F", &["file", "git-dir", "work-tree", "pathspec-from-file", "reference", "separate-git-dir"])
        .write("", &["output", "output-directory"]),
    of(&["cargo"], Words)
        .text("pFjZ", &["package", "features", "config"])
        .read("C", &["manifest-path", "path"])
        .write("", &["target-dir", "out-dir", "artifact-dir", "root"]),
    of(&["npm", "pnpm", "yarn", "npx", "bunx"], UntilDashes)
        .text("w", &["registry", "workspace", "tag", "loglevel", "filter", "package", "call"])
        .read("C", &["prefix", "dir", "cwd", "userconfig", "globalconfig", "cache"]),
    of(&["pip", "uv", "poetry", "pipx"], UntilDashes)
        .text("i", &["index-url", "extra-index-url", "with"])
        .read("rec", &["requirement", "editable", "constraint", "project", "directory", "python"])
        .write("td", &["target", "dest", "prefix", "root", "cache-dir"]),
    of(&["gh"], Words)
        .text("bBtRjqXHf", &["body", "title", "repo", "json", "jq", "method", "header", "raw-field"])
        .read("F", &["body-file", "notes-file", "input", "recover", "field"])
        .write("DO", &["dir", "output"]),
    of(&["make"], Words)
        .text("jlEoW", &["eval"])
        .read("CfI", &["directory", "file", "makefile", "include-dir"]),
    of(&["python"], Script).text("cmWX", &[]),
    of(&["node", "bun", "deno", "tsx", "ts-node"], Script)
        .text("epC", &["eval", "print", "conditions"])
        .read("r", &["require", "import", "loader"]),
    of(&["bash", "sh", "dash", "zsh"], Script).text("co", &[]),
    of(&["php"], Script).text("rBREF", &["run"]),
    of(&["ruby", "perl", "lua"], Script).text("eE", &[]).read("rI", &[]),
    of(&["pytest"], UntilDashes)
        .text("kmnpoW", &["maxfail", "durations", "deselect"])
        .read("c", &["rootdir", "confcutdir", "ignore"])
        .write("", &["junitxml", "junit-xml", "basetemp"]),
    of(&["curl"], Words)
        .text(
            "XdHuAexmwrzUyYCF",
            &[
                "request",
                "data",
                "data-binary",
                "data-urlencode",
                "json",
                "header",
                "user",
                "form",
                "url",
                "write-out",
            ],
        )
        .read(
            "TKEb",
            &[
                "upload-file",
                "config",
                "cert",
                "key",
                "cacert",
                "capath",
                "cookie",
                "netrc-file",
                "etag-compare",
            ],
        )
        .write(
            "oDc",
            &[
                "output",
                "output-dir",
                "dump-header",
                "cookie-jar",
                "trace",
                "trace-ascii",
                "stderr",
                "etag-save",
                "libcurl",
                "hsts",
                "alt-svc",
            ],
        ),
    of(&["wget"], Words)
        .text("tTwQUlADIRe", &["header", "user-agent", "tries", "timeout", "post-data"])
        .read("i", &["input-file", "post-file", "body-file", "load-cookies"])
        .write(
            "OPoa",
            &["output-document", "directory-prefix", "output-file", "append-output", "save-cookies"],
        ),
    // Headers and libraries of the system are outside, and only read.
    of(&["gcc", "g++", "cc", "c++", "clang", "clang++"], Paths)
        .text("ILDUlx", &["sysroot"])
        .attached("fmWOg")
        .write("o", &[]),
    of(&["docker", "kubectl", "helm"], Words),
];

/// The rules of a program, by table name.
pub(crate) fn path_rules(program: &str) -> Option<&'static PathRules> {
    RULES.iter().find(|rules| rules.programs.contains(&program))
}

/// The names in this table.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    RULES.iter().flat_map(|rules| rules.programs).copied()
}
