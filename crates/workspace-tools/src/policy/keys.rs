//! Every key of a policy, for messages about those that are none.

use crate::similar::nearest;

/// The keys as dotted paths.
const KEYS: &[&str] = &[
    "paths",
    "paths.deny",
    "paths.protect",
    "paths.extra_roots",
    "paths.absolute",
    "paths.symlinks",
    "paths.backslash",
    "paths.read_only",
    "paths.hide_denied",
    "read",
    "read.default_lines",
    "read.max_bytes",
    "read.max_file_bytes",
    "read.line_base",
    "read.encoding",
    "write",
    "write.create_parents",
    "write.max_bytes",
    "write.durability",
    "write.write_eol",
    "write.atomic",
    "edit",
    "edit.eol",
    "edit.guard",
    "edit.diff",
    "edit.encoding",
    "edit.max_file_bytes",
    "list",
    "list.ignore",
    "list.max_depth",
    "list.max_entries",
    "search",
    "search.gitignore",
    "search.max_results",
    "search.max_files_scanned",
    "search.max_ms",
    "search.max_file_bytes",
    "search.bare_any_depth",
    "search.skip_long_lines",
    "search.redos_compat",
    "shell",
    "shell.interpreter",
    "shell.preset",
    "shell.allow",
    "shell.allow_builtins",
    "shell.deny",
    "shell.deny_patterns",
    "shell.allow_patterns",
    "shell.arg_paths",
    "shell.substitution",
    "shell.env_base",
    "shell.inherit_env",
    "shell.env",
    "shell.allow_hooks",
    "shell.timeout_ms",
    "shell.max_timeout_ms",
    "shell.timeout_as_error",
    "shell.kill_grace_ms",
    "shell.max_output_bytes",
    "shell.plain_output",
    "shell.keep",
    "shell.per_stream",
    "shell.spill",
    "shell.leftovers",
    "shell.kill_level",
    "shell.background",
    "shell.background.max_jobs",
    "shell.background.timeout_ms",
    "tests",
    "tests.command",
    "tests.detect",
    "approval",
];

/// Sections whose keys are names of the owner's own.
const OPEN: &[&str] = &["shell.env.", "approval."];

/// The first of these dotted keys that no policy has, with the nearest that one has.
pub fn nearest_policy_key(keys: &[String]) -> Option<(&str, Option<&'static str>)> {
    let unknown = keys
        .iter()
        .find(|key| !KEYS.contains(&key.as_str()) && !OPEN.iter().any(|open| key.starts_with(open)))?;
    Some((unknown, nearest(unknown, KEYS.iter().copied())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Policy;

    /// Tables inside a section.
    const NESTED: &[&str] = &["shell.background"];

    /// The keys that serde takes, asked by giving it one that it does not.
    fn taken(section: Option<&str>) -> Vec<String> {
        let names = section.into_iter().flat_map(|section| section.split('.')).rev();
        let value = names.fold(serde_json::json!({"?": 0}), |inner, name| serde_json::json!({name: inner}));
        let error = serde_json::from_value::<Policy>(value).unwrap_err().to_string();
        let names = error.split('`').skip(3).step_by(2);
        names.map(|name| section.map_or(name.to_owned(), |section| format!("{section}.{name}"))).collect()
    }

    #[test]
    fn the_list_is_what_a_policy_takes() {
        let mut all: Vec<String> = Vec::new();
        for section in taken(None) {
            if section != "approval" {
                all.extend(taken(Some(&section)));
            }
            all.push(section);
        }
        all.extend(NESTED.iter().flat_map(|table| taken(Some(table))));
        all.sort();
        let mut listed: Vec<_> = KEYS.iter().map(|key| (*key).to_owned()).collect();
        listed.sort();
        assert_eq!(listed, all);
    }

    #[test]
    fn the_guide_has_a_line_for_every_key() {
        let guide = include_str!("../../../../docs/policy.md");
        for key in KEYS {
            let (section, name) = key.rsplit_once('.').unwrap_or(("", key));
            let line = if section.is_empty() { format!("\n[{name}]") } else { format!("\n{name} = ") };
            let table = format!("\n[{key}]");
            assert!(
                guide.contains(&line) || guide.contains(&table),
                "docs/policy.md says nothing of `{key}`"
            );
        }
    }

    #[test]
    fn an_unknown_key_names_the_nearest() {
        let keys = ["edit".to_owned(), "edit.eool".to_owned()];
        assert_eq!(nearest_policy_key(&keys), Some(("edit.eool", Some("edit.eol"))));
        assert_eq!(nearest_policy_key(&["shell.env.CI".to_owned(), "approval.run_shell".to_owned()]), None);
    }
}
