//! Paths as all services of envd read them.

use crate::sandbox::User;

/// The absolute path that a call names, for a user: relative ones and `~` lead
/// to their home, absolute ones stay as they are.
pub(crate) fn resolve(path: &str, user: &User) -> Result<String, String> {
    if path.starts_with('/') {
        return Ok(path.to_owned());
    }
    let relative = match path.strip_prefix('~') {
        None => path,
        Some(rest) if rest.is_empty() || rest.starts_with('/') => rest,
        Some(_) => return Err("cannot expand user-specific home dir".to_owned()),
    };
    Ok(clean(&format!("{}/{relative}", user.home)))
}

/// A path without `.`, `..` and empty names, by its text alone.
fn clean(path: &str) -> String {
    let mut names = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    format!("/{}", names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: Option<&str>) {
        let user = User { name: "user".into(), uid: 1000, gid: 1000, home: "/home/user".into() };
        assert_eq!(resolve(path, &user).ok().as_deref(), expected, "{path}");
    }

    #[test]
    fn paths_lead_home_or_stay() {
        check("", Some("/home/user"));
        check("~", Some("/home/user"));
        check("~/a", Some("/home/user/a"));
        check("~bob/a", None);
        check("a/./b/../c", Some("/home/user/a/c"));
        check("../../../etc", Some("/etc"));
        check("/a/../b/", Some("/a/../b/"));
    }
}
