//! The owner's globs of paths, as a filter that travels with each call.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use workspace_core::{Access, Error, ErrorKind, PathFilter, WorkspacePath};

use crate::{PathPolicy, Result, ToolError, ToolErrorKind};

/// Builds the filter of a policy's `deny` and `protect`; empty where neither is given.
///
/// # Errors
/// `invalid-pattern`, naming the field and the glob.
pub(crate) fn path_filter(policy: &PathPolicy, case_insensitive: bool) -> Result<PathFilter> {
    let deny = Globs::new("paths.deny", &policy.deny, case_insensitive)?;
    let protect = Globs::new("paths.protect", &policy.protect, case_insensitive)?;
    if deny.is_empty() && protect.is_empty() {
        return Ok(PathFilter::default());
    }
    let hide = policy.hide_denied;
    Ok(PathFilter::new(move |path, access| {
        if let Some(glob) = deny.matching(path) {
            return Err(if hide {
                Error::new(ErrorKind::NotFound, "there is no such file or directory").at(path)
            } else {
                closed(path, glob, "the owner of the workspace has closed this path")
            });
        }
        if access == Access::Write
            && let Some(glob) = protect.matching(path)
        {
            return Err(closed(path, glob, "the owner of the workspace has closed this path to changes"));
        }
        Ok(())
    }))
}

fn closed(path: &WorkspacePath, glob: &str, message: &'static str) -> Error {
    Error::new(ErrorKind::DeniedPath, message).at(path).rule(glob.to_owned()).hint(
        "leave it as it is and go on without it; asking again by another spelling or a link changes nothing",
    )
}

/// Globs of closed paths. What a glob names is closed with all that lies below it.
struct Globs {
    set: GlobSet,
    texts: Vec<String>,
}

impl Globs {
    fn new(field: &str, texts: &[String], case_insensitive: bool) -> Result<Self> {
        let wrong = |text: &str, error: &globset::Error| {
            ToolError::new(
                ToolErrorKind::InvalidPattern,
                format!("`{field}` holds `{text}`: {}", error.kind()),
            )
            .with("field", field)
            .hint("globs know `*`, `**`, `?`, `[a-z]` and `{a,b}`, and are relative to the root")
        };
        let mut set = GlobSetBuilder::new();
        for text in texts {
            let glob = text.trim_start_matches("./").trim_start_matches('/').trim_end_matches('/');
            let glob = GlobBuilder::new(glob)
                .literal_separator(true)
                .backslash_escape(false)
                .case_insensitive(case_insensitive)
                .build()
                .map_err(|error| wrong(text, &error))?;
            set.add(glob);
        }
        let set = set.build().map_err(|error| wrong("", &error))?;
        Ok(Self { set, texts: texts.to_vec() })
    }

    fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The first glob that matches the path or a directory above it.
    ///
    /// `dir/**` matches what is in the directory and not itself; so the
    /// directory can be listed, and shows nothing.
    fn matching(&self, path: &WorkspacePath) -> Option<&str> {
        let text = path.as_str();
        let ends = text.match_indices('/').map(|(at, _)| at).chain([text.len()]);
        ends.filter(|&end| end > 0)
            .find_map(|end| self.set.matches(&text[..end]).into_iter().next())
            .and_then(|index| self.texts.get(index))
            .map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workspace_core::PathRules;

    #[track_caller]
    fn check(policy: &PathPolicy, path: &str, access: Access, rule: Option<&str>) {
        let filter = path_filter(policy, false).unwrap();
        let path = WorkspacePath::parse(path, &PathRules::default()).unwrap();
        let error = filter.check(&path, access).err();
        assert_eq!(error.as_ref().and_then(Error::rule_name), rule, "{path} {access:?}");
    }

    #[test]
    fn r_jail_8_globs_close_what_they_name_and_all_below() {
        let policy = PathPolicy {
            deny: ["secrets", ".env*", "**/*.{key,pem}", "data/**"].map(str::to_owned).to_vec(),
            ..PathPolicy::default()
        };
        check(&policy, "secrets", Access::See, Some("secrets"));
        check(&policy, "secrets/a/b", Access::Read, Some("secrets"));
        check(&policy, "secrets-not", Access::Read, None);
        check(&policy, ".env.local", Access::Read, Some(".env*"));
        check(&policy, "app/.env", Access::Read, None);
        check(&policy, "a/b/x.pem", Access::Write, Some("**/*.{key,pem}"));
        check(&policy, "x.key", Access::Write, Some("**/*.{key,pem}"));
        check(&policy, "data", Access::Read, None);
        check(&policy, "data/x", Access::See, Some("data/**"));
    }

    #[test]
    fn protected_paths_can_be_read_and_not_written() {
        let policy = PathPolicy { protect: vec![".git/**".into()], ..PathPolicy::default() };
        check(&policy, ".git/config", Access::Read, None);
        check(&policy, ".git/config", Access::Write, Some(".git/**"));
    }

    #[test]
    fn a_wrong_glob_names_its_field() {
        let policy = PathPolicy { deny: vec!["a[".into()], ..PathPolicy::default() };
        let error = path_filter(&policy, false).unwrap_err();
        assert_eq!(error.kind(), ToolErrorKind::InvalidPattern);
        assert!(error.message().starts_with("`paths.deny` holds `a[`"), "{error}");
    }

    #[test]
    fn case_is_ignored_where_the_files_ignore_it() {
        let policy = PathPolicy { deny: vec![".git".into()], ..PathPolicy::default() };
        let path = WorkspacePath::parse(".GIT/Config", &PathRules::default()).unwrap();
        assert!(path_filter(&policy, true).unwrap().check(&path, Access::Read).is_err());
        assert!(path_filter(&policy, false).unwrap().check(&path, Access::Read).is_ok());
    }
}
