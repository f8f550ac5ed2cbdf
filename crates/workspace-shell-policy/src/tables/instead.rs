//! What to use instead of a program that is not allowed or not readable.

const INSTEAD: &[(&[&str], &str)] = &[
    (
        &["bash", "sh", "dash", "zsh", "ksh", "fish", "busybox", "eval"],
        "send the commands themselves, without another shell around them",
    ),
    (&[".", "source"], "run the environment's programs by their path, such as `.venv/bin/python`"),
    (&["sudo", "doas", "su"], "run the command without it"),
    (&["vi", "vim", "nvim", "nano", "emacs", "ed", "ex", "code"], "change the file with the edit tool"),
    (&["less", "more", "most", "view"], "use `cat`, `head` or `tail`"),
    (&["man", "info"], "use the program's own `--help`"),
    (&["xargs", "parallel"], "use `find … -exec … {} +`, which is read"),
    (&["fd"], "use `find … -exec … {} +`, which is read"),
    (&["watch", "entr", "nodemon", "watchexec"], "run the command once, and again when it is needed"),
    (&["screen", "tmux", "setsid", "disown"], "use the background option of the call"),
    (&["kill", "pkill", "killall"], "stop a background job with the tool for jobs"),
    (&["python", "node", "ruby", "perl", "php"], "write the program to a file and run that file"),
    (&["pushd", "popd", "chdir"], "use `cd`, or a subshell `( cd dir && … )`"),
    (&["script", "unbuffer", "expect"], "run the program directly; its output is returned"),
    (&["ssh", "scp", "rsync", "sftp"], "work on the files of this workspace"),
];

/// What to use instead of a program, by table name or key.
pub(crate) fn instead(program: &str) -> Option<&'static str> {
    INSTEAD.iter().find(|(names, _)| names.contains(&program)).map(|(_, hint)| *hint)
}
