//! Text to path: the single lexical gate. It looks at nothing but the text.

use super::rules::{AbsolutePaths, PathRules, Platform};
use super::{MAX_NAME_BYTES, MAX_PATH_BYTES, windows};
use crate::{Error, ErrorKind, Result};

const RELATIVE_HINT: &str = "give a path relative to the root of the workspace, such as `src/main.rs`";

/// The folded path, or why it is refused.
pub(super) fn parse(input: &str, rules: &PathRules) -> Result<String> {
    parse_text(input, rules).map_err(|error| match input.len() {
        0..=MAX_PATH_BYTES => error.at(input),
        // The whole text would flood the message that is to explain it.
        _ => error.at(format_args!("{}…", &input[..input.floor_char_boundary(64)])),
    })
}

fn parse_text(input: &str, rules: &PathRules) -> Result<String> {
    if input.len() > MAX_PATH_BYTES {
        return Err(invalid(format!("the path has {} bytes; the limit is {MAX_PATH_BYTES}", input.len())));
    }
    if input.contains('\0') {
        return Err(escape("a path cannot hold a NUL character", "nul"));
    }
    if has_network_prefix(input) {
        return Err(escape("network and device paths are not part of the workspace", "network-path"));
    }
    if input == "~" || input.starts_with("~/") || (input.starts_with("~\\") && rules.is_separator('\\')) {
        return Err(escape("`~` is not expanded: the home directory is not part of the workspace", "home")
            .hint("give a path relative to the root of the workspace; a file really named `~` is `./~`"));
    }
    let folded = if is_drive_absolute(input) && rules.platform == Platform::Windows {
        absolute(input, rules)?
    } else if has_drive_prefix(input) {
        return Err(escape("drive letters are not part of the workspace", "drive"));
    } else if input.starts_with(|c| rules.is_separator(c)) {
        absolute(input, rules)?
    } else {
        nested(relative(input, rules)?, rules)
    };
    check_names(&folded, rules)?;
    Ok(folded.join("/"))
}

/// Folds a relative path. A further root is a floor of its own: `..` does not leave it.
fn relative<'a>(input: &'a str, rules: &PathRules) -> Result<Vec<&'a str>> {
    let mut names: Vec<&str> = Vec::new();
    for part in input.split(|c| rules.is_separator(c)) {
        match part {
            "" | "." => {}
            ".." => {
                let at_floor = match names.as_slice() {
                    [] => true,
                    [only] => is_mount(only, rules),
                    _ => false,
                };
                if at_floor {
                    return Err(escape("the path climbs above the root of the workspace", "climb"));
                }
                names.pop();
            }
            name => names.push(name),
        }
    }
    Ok(names)
}

/// Where a further root lies inside the first one, its content goes by its own name and rights.
fn nested<'a>(names: Vec<&'a str>, rules: &'a PathRules) -> Vec<&'a str> {
    let below = rules.mounts.iter().flat_map(|mount| {
        let inner = mount.spellings.iter().filter_map(|spelling| fold_absolute(spelling, rules));
        inner.flat_map(move |inner| {
            rules.roots.iter().filter_map(move |root| {
                let root = fold_absolute(root, rules)?;
                let rest = inner.strip_prefix(root.as_slice())?;
                (!rest.is_empty()).then(|| (mount, rest.to_vec()))
            })
        })
    });
    let longest = below.filter(|(_, rest)| names.starts_with(rest)).max_by_key(|(_, rest)| rest.len());
    match longest {
        Some((mount, rest)) => {
            std::iter::once(mount.component()).chain(names[rest.len()..].iter().copied()).collect()
        }
        None => names,
    }
}

fn is_mount(name: &str, rules: &PathRules) -> bool {
    name.strip_prefix('@').is_some_and(|name| rules.mounts.iter().any(|mount| mount.name == name))
}

/// Maps an absolute path to the root that holds it; the longest root wins.
fn absolute<'a>(input: &'a str, rules: &'a PathRules) -> Result<Vec<&'a str>> {
    let outside = || escape("the path is outside the workspace", "absolute");
    if rules.absolute == AbsolutePaths::Never {
        return Err(escape("absolute paths are not accepted here", "absolute"));
    }
    let names = fold_absolute(input, rules).ok_or_else(outside)?;
    let roots = rules.roots.iter().map(|root| (None, root));
    let mounts = rules
        .mounts
        .iter()
        .flat_map(|mount| mount.spellings.iter().map(move |root| (Some(mount.name.as_str()), root)));
    let (length, mount) = roots
        .chain(mounts)
        .filter_map(|(mount, root)| {
            let root = fold_absolute(root, rules)?;
            let inside = root.len() <= names.len()
                && root.iter().zip(&names).all(|(a, b)| same_name(a, b, rules.platform));
            inside.then_some((root.len(), mount))
        })
        // Of equal spellings the first stands: the primary root before any other.
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .ok_or_else(outside)?;
    let rest = &names[length..];
    match mount {
        None => Ok(rest.to_vec()),
        Some(name) => {
            let at_name = rules.mount_component(name).ok_or_else(outside)?;
            Ok(std::iter::once(at_name).chain(rest.iter().copied()).collect())
        }
    }
}

/// The components of an absolute path; `None` where it climbs above `/`.
fn fold_absolute<'a>(input: &'a str, rules: &PathRules) -> Option<Vec<&'a str>> {
    let mut names = Vec::new();
    for part in input.split(|c| rules.is_separator(c)) {
        match part {
            "" | "." => {}
            ".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    Some(names)
}

fn same_name(a: &str, b: &str, platform: Platform) -> bool {
    match platform {
        Platform::Posix => a == b,
        Platform::Windows => a.to_lowercase() == b.to_lowercase(),
    }
}

fn check_names(names: &[&str], rules: &PathRules) -> Result<()> {
    if names.first().is_some_and(|name| has_drive_prefix(name)) {
        return Err(escape("drive letters are not part of the workspace", "drive"));
    }
    for name in names {
        if name.len() > MAX_NAME_BYTES {
            return Err(invalid(format!(
                "a component of the path has {} bytes; the limit is {MAX_NAME_BYTES}",
                name.len()
            )));
        }
        if rules.platform == Platform::Windows
            && let Some(why) = windows::refuses(name)
        {
            return Err(escape(why, "windows-name"));
        }
    }
    Ok(())
}

/// `//server/share`, `\\server\share`, `\\?\…`, `\\.\…`, in any mix of slashes.
fn has_network_prefix(input: &str) -> bool {
    let mut chars = input.chars();
    matches!((chars.next(), chars.next()), (Some('/' | '\\'), Some('/' | '\\')))
}

fn has_drive_prefix(input: &str) -> bool {
    matches!(input.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

fn is_drive_absolute(input: &str) -> bool {
    has_drive_prefix(input) && matches!(input.as_bytes().get(2), Some(b'/' | b'\\'))
}

fn escape(message: &'static str, rule: &'static str) -> Error {
    Error::new(ErrorKind::PathEscape, message).rule(rule).hint(RELATIVE_HINT)
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidInput, message).hint("give a shorter path")
}
