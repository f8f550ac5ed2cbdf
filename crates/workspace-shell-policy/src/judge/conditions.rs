//! Programs that take a command in other ways than by an option of its own.

use super::lists::after_globals;
use super::texts::may_be_option;
use crate::syntax::{Arg, Count};
use crate::tables::flags::{CARGO_KEYS, SSH_OPTIONS};
use crate::tables::outputs::Shape;
use crate::tables::variables::is_special;

/// Where a word that carries a command stands.
pub(super) fn carrier<'a>(program: &str, args: &'a [Arg]) -> Option<&'a Arg> {
    let rest = args.get(1..).unwrap_or_default();
    match program {
        "find" => rest.iter().find(|arg| arg.runtime().is_some_and(may_be_option)),
        "tar" => {
            rest.first().filter(|arg| old_bundle(arg)).or_else(|| rest.iter().find(|arg| remote_archive(arg)))
        }
        "make" => make(rest),
        "cargo" => values(rest, "config", None)
            .find(|(value, _)| cargo_setting(value))
            .map(|(_, arg)| arg)
            .or_else(|| linker(rest)),
        "rustc" => linker(rest),
        "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" => rest.iter().find(|arg| loads_or_hides(arg)),
        "gh" => gh(args),
        "ssh" | "scp" | "sftp" => {
            values(rest, "", Some('o')).find(|(value, _)| ssh_setting(value)).map(|(_, arg)| arg)
        }
        "less" | "more" | "vim" | "vi" | "nvim" | "ex" | "emacs" => {
            rest.iter().find(|arg| arg.prefix().starts_with('+'))
        }
        "npm" | "pnpm" | "yarn" => opens(program, args).or_else(|| npm_setting(rest)),
        "cmake" => rest.windows(2).find_map(|pair| match pair {
            [option, tool]
                if option.is("-E") && matches!(tool.text(), None | Some("env" | "time" | "chdir")) =>
            {
                Some(tool)
            }
            _ => None,
        }),
        "go" => rest
            .windows(2)
            .find_map(|pair| match pair {
                [env, write] if env.is("env") && write.is("-w") => Some(write),
                _ => None,
            })
            .or_else(|| rest.iter().find(|arg| arg.prefix().contains("-extld"))),
        _ => None,
    }
}

/// Options of compilers that load code or name a linker, and files full of options.
fn loads_or_hides(arg: &Arg) -> bool {
    let word = arg.prefix();
    let linker = word.strip_prefix("-fuse-ld=").is_some_and(|linker| linker.contains('/'));
    let plugin = ["-fplugin", "-fpass-plugin", "-plugin", "--plugin", "-iplugindir"];
    linker
        || plugin.iter().any(|option| word.starts_with(option))
        || (word.starts_with("-Wl,") && word.contains("-plugin"))
        || word.starts_with('@')
}

/// `-C linker=…` of `rustc`, and a code generator that it would load.
fn linker(args: &[Arg]) -> Option<&Arg> {
    let names = |value: &str| {
        let (name, value) = value.split_once('=').unwrap_or((value, ""));
        matches!(name.replace('_', "-").as_str(), "linker" | "codegen-backend") && !value.is_empty()
    };
    let settings = values(args, "codegen", Some('C')).chain(values(args, "", Some('Z')));
    settings.into_iter().find(|(value, _)| names(value)).map(|(_, arg)| arg)
}

/// Subcommands of `npm` that run a command or open an editor.
fn opens<'a>(program: &str, args: &'a [Arg]) -> Option<&'a Arg> {
    let at = after_globals(program, args);
    let first = args.get(at)?;
    match first.text()? {
        "explore" | "edit" => Some(first),
        "config" | "c" => args.get(at + 1).filter(|next| next.is("edit")),
        _ => None,
    }
}

/// Subcommands of `gh` that run other programs, or arrange that later ones do.
fn gh(args: &[Arg]) -> Option<&Arg> {
    let at = after_globals("gh", args);
    let (group, rest) = args.get(at..)?.split_first()?;
    let first = rest.iter().find(|arg| !arg.prefix().starts_with('-'))?;
    let carries: &[&str] = match group.text()? {
        "alias" => &["import", "set"],
        "codespace" | "cs" => &["cp", "jupyter", "logs", "ssh"],
        "config" => &["set"],
        "extension" | "extensions" | "ext" => &["exec", "install", "upgrade"],
        _ => return None,
    };
    first.text().is_none_or(|word| carries.contains(&word)).then_some(first)
}

/// The first operand of `tar` without a dash is a cluster of options.
fn old_bundle(arg: &Arg) -> bool {
    arg.text().is_some_and(|word| {
        !word.starts_with('-') && word.contains(['I', 'F']) && word.chars().all(char::is_alphanumeric)
    })
}

/// `host:file` as an archive makes `tar` start a remote shell.
fn remote_archive(arg: &Arg) -> bool {
    let text = arg.prefix();
    let text = text.strip_prefix("--file=").or_else(|| text.strip_prefix("-f")).unwrap_or(text);
    text.split_once(':')
        .is_some_and(|(host, _)| !host.is_empty() && !host.contains('/') && !text.starts_with("--"))
}

/// Variables and files that give `make` a shell or a rule.
fn make(args: &[Arg]) -> Option<&Arg> {
    let mut file = false;
    args.iter().find(|arg| {
        let Some(word) = arg.text() else {
            return arg.runtime().is_some_and(|runtime| {
                let prefix = runtime.prefix.as_str();
                runtime.count == Count::Many
                    || (prefix.is_empty() && runtime.shape == Shape::Any)
                    || (prefix.starts_with('-') && runtime.shape != Shape::Digits)
                    || prefix.contains("=$(")
                    || "SHELL=".starts_with(prefix) && !prefix.is_empty()
            });
        };
        if std::mem::take(&mut file) && matches!(word, "-" | "/dev/stdin" | "/dev/fd/0") {
            return true;
        }
        if let Some(long) = word.strip_prefix("--") {
            let (name, value) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            let names_file = !name.is_empty() && (name == "file" || "makefile".starts_with(name));
            file = names_file && value.is_none();
            return names_file && matches!(value, Some("-" | "/dev/stdin" | "/dev/fd/0"));
        }
        if let Some(letters) = word.strip_prefix('-') {
            file = letters.ends_with('f');
            return letters.ends_with("f-") || letters.ends_with("f/dev/stdin");
        }
        let Some((name, value)) = word.split_once('=') else { return false };
        let name = name.trim_end_matches([':', '+', '?', '!', ' ']);
        let shell = word.as_bytes().get(name.len()) == Some(&b'!') || word.contains("!=");
        name == ".SHELLFLAGS" || is_special(name) || shell || value.contains("$(") || value.contains("${")
    })
}

/// The values of an option, with the word that holds each.
fn values<'a>(
    args: &'a [Arg],
    long: &'static str,
    short: Option<char>,
) -> impl Iterator<Item = (&'a str, &'a Arg)> {
    let mut wanted = false;
    args.iter().filter_map(move |arg| {
        let word = arg.prefix();
        if std::mem::take(&mut wanted) {
            return Some((word, arg));
        }
        if let Some(name) = word.strip_prefix("--") {
            let (name, value) =
                name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
            if long.is_empty() || name != long {
                return None;
            }
            wanted = value.is_none();
            return value.map(|value| (value, arg));
        }
        let (_, value) = short.and_then(|short| word.strip_prefix('-')?.split_once(short))?;
        wanted = value.is_empty();
        (!value.is_empty()).then_some((value, arg))
    })
}

/// `KEY=VALUE` of `cargo --config` that names a program, or a file of settings.
fn cargo_setting(value: &str) -> bool {
    let Some((key, _)) = value.split_once('=') else { return true };
    let key = key.trim().replace(['"', '\''], "").to_lowercase();
    let last = key.rsplit('.').next().unwrap_or(&key);
    let sets = key.strip_prefix("env.").and_then(|name| name.split('.').next());
    key.starts_with("alias")
        || sets.is_some_and(|name| is_special(&name.to_uppercase()))
        || CARGO_KEYS.contains(&last)
        || !key.contains('.')
}

fn ssh_setting(value: &str) -> bool {
    let name = value.split(['=', ' ', '\t']).next().unwrap_or(value).to_lowercase();
    SSH_OPTIONS.contains(&name.as_str()) || name.is_empty()
}

/// `npm config set script-shell …`.
fn npm_setting(args: &[Arg]) -> Option<&Arg> {
    let config = args.iter().position(|arg| matches!(arg.text(), Some("config" | "c" | "set")))?;
    args.get(config..)?.iter().find(|arg| {
        let key = arg.prefix().split('=').next().unwrap_or_default().replace('_', "-").to_lowercase();
        matches!(
            key.as_str(),
            "script-shell"
                | "node-options"
                | "git"
                | "editor"
                | "shell"
                | "viewer"
                | "init-module"
                | "onload-script"
        )
    })
}
