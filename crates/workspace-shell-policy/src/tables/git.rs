//! What git starts because of its settings and options.

/// Settings that name a command, or a place that git takes commands from.
/// `*` stands for one or more parts of the name.
const KEYS: &[&str] = &[
    "browser.*.cmd",
    "browser.*.path",
    "core.alternaterefscommand",
    "core.askpass",
    "core.editor",
    "core.fsmonitor",
    "core.gitproxy",
    "core.hookspath",
    "core.pager",
    "core.sshcommand",
    "core.worktree",
    "credential.*.helper",
    "credential.helper",
    "diff.*.command",
    "diff.*.textconv",
    "diff.external",
    "difftool.*.cmd",
    "difftool.*.path",
    "filter.*.clean",
    "filter.*.process",
    "filter.*.smudge",
    "gc.recentobjectshook",
    "gpg.*.program",
    "gpg.program",
    "gpg.ssh.defaultkeycommand",
    "guitool.*.cmd",
    "hook.*.command",
    "imap.tunnel",
    "include.path",
    "includeif.*.path",
    "init.templatedir",
    "lfs.customtransfer.*.path",
    "lfs.extension.*.clean",
    "lfs.extension.*.smudge",
    "lfs.standalonetransferagent",
    "instaweb.httpd",
    "instaweb.browser",
    "interactive.difffilter",
    "man.*.cmd",
    "man.*.path",
    "merge.*.driver",
    "mergetool.*.cmd",
    "mergetool.*.path",
    "pager.*",
    "protocol.allow",
    "protocol.*.allow",
    "remote.*.receivepack",
    "remote.*.uploadpack",
    "remote.*.vcs",
    "sendemail.smtpserver",
    "sendemail.*.smtpserver",
    "sendemail.*cmd",
    "sequence.editor",
    "submodule.*.update",
    "tar.*.command",
    "trailer.*.cmd",
    "trailer.*.command",
    "uploadpack.packobjectshook",
    "web.browser",
];

/// Whether a setting names a command. Section and name ignore case.
pub(crate) fn is_command_key(key: &str) -> bool {
    // Most settings are settled by their section.
    let Some((section, _)) = key.split_once('.') else { return false };
    let first = section.bytes().next().map(|byte| byte.to_ascii_lowercase());
    let of_section = |pattern: &&&str| {
        if pattern.bytes().next() != first {
            return false;
        }
        let start = pattern.as_bytes().get(..section.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(section.as_bytes()))
            && pattern.as_bytes().get(section.len()) == Some(&b'.')
    };
    KEYS.iter().filter(of_section).any(|pattern| match pattern.split_once('*') {
        None => pattern.eq_ignore_ascii_case(key),
        Some((start, end)) => {
            let middle = start.len()..key.len().saturating_sub(end.len());
            !middle.is_empty()
                && key.get(..middle.start).is_some_and(|text| text.eq_ignore_ascii_case(start))
                && key.get(middle.end..).is_some_and(|text| text.eq_ignore_ascii_case(end))
        }
    })
}

/// Whether a setting makes a new subcommand.
pub(crate) fn is_alias_key(key: &str) -> bool {
    key.len() > 6 && key.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("alias."))
}

/// Options of a subcommand that carry a command.
pub(crate) struct GitFlags {
    pub(crate) subcommands: &'static [&'static str],
    pub(crate) short: &'static str,
    pub(crate) long: &'static [&'static str],
    /// Letters that take the rest of their word as a value.
    pub(crate) valued: &'static str,
}

const FLAGS: &[GitFlags] = &[
    GitFlags { subcommands: &["grep"], short: "O", long: &["open-files-in-pager"], valued: "efABCm" },
    GitFlags { subcommands: &["rebase"], short: "x", long: &["exec"], valued: "sXCS" },
    GitFlags { subcommands: &["clone"], short: "u", long: &["upload-pack", "template"], valued: "bocj" },
    GitFlags {
        subcommands: &["fetch", "pull", "ls-remote", "fetch-pack"],
        short: "",
        long: &["upload-pack", "exec"],
        valued: "",
    },
    GitFlags { subcommands: &["push", "send-pack"], short: "", long: &["receive-pack", "exec"], valued: "o" },
    GitFlags { subcommands: &["archive"], short: "", long: &["exec", "remote"], valued: "o" },
    GitFlags { subcommands: &["init"], short: "", long: &["template"], valued: "b" },
    GitFlags { subcommands: &["interpret-trailers"], short: "", long: &["trailer-command"], valued: "" },
    GitFlags { subcommands: &["help"], short: "w", long: &["web"], valued: "" },
    GitFlags { subcommands: &["p4"], short: "", long: &["exec"], valued: "" },
];

/// The options of a subcommand that carry a command.
pub(crate) fn flags(subcommand: &str) -> impl Iterator<Item = &'static GitFlags> {
    FLAGS.iter().filter(move |flags| flags.subcommands.contains(&subcommand))
}

/// Subcommands whose work is to run other commands, or to open a program for a person.
pub(crate) const RUNNING: &[&str] = &[
    "archimport",
    "bisect--helper",
    "bugreport",
    "citool",
    "credential",
    "credential-cache",
    "credential-store",
    "cvsimport",
    "cvsserver",
    "daemon",
    "difftool",
    "difftool--helper",
    "filter-branch",
    "filter-repo",
    "for-each-repo",
    "gui",
    "hook",
    "http-backend",
    "imap-send",
    "instaweb",
    "merge-index",
    "mergetool",
    "remote-ext",
    "remote-fd",
    "send-email",
    "shell",
    "sh-i18n",
    "submodule--helper",
    "svn",
    "upload-pack",
    "receive-pack",
    "upload-archive",
    "web--browse",
];

/// Subcommands that run commands only with this first operand.
pub(crate) const RUNNING_WITH: &[(&str, &[&str])] = &[
    ("bisect", &["run", "visualize", "view"]),
    // They tell the system to run git at certain times.
    ("maintenance", &["register", "start", "stop", "unregister"]),
    ("submodule", &["foreach"]),
];

/// Subcommands that talk to a remote, where an address can name a helper program.
pub(crate) const REMOTE: &[&str] = &[
    "archive",
    "clone",
    "fetch",
    "fetch-pack",
    "ls-remote",
    "pull",
    "push",
    "remote",
    "send-pack",
    "submodule",
];

#[cfg(test)]
mod tests {
    use super::is_command_key;

    #[test]
    fn r_wrap_2_settings_that_name_a_command() {
        for key in
            ["core.pager", "CORE.Pager", "pager.log", "diff.external", "filter.a.b.clean", "sendemail.toCmd"]
        {
            assert!(is_command_key(key), "{key}");
        }
        for key in ["user.name", "core.autocrlf", "pager.", "filter..clean", "diff.algorithm"] {
            assert!(!is_command_key(key), "{key}");
        }
    }
}
