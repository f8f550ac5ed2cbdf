//! The policy file.

use std::path::Path;

use workspace_tools::{Policy, nearest_policy_key};

use crate::failure::Failure;

/// Reads a policy from TOML.
pub(crate) fn read(file: &Path) -> Result<Policy, Failure> {
    let name = file.display();
    #[allow(clippy::disallowed_methods)] // The program's own configuration, outside of any workspace.
    let text = std::fs::read_to_string(file).map_err(|error| {
        Failure::usage(
            format!("the policy file `{name}` could not be read: {error}"),
            "name a file in TOML, or leave `--policy` out for the conservative default",
        )
    })?;
    parse(&text, &name.to_string())
}

fn parse(text: &str, name: &str) -> Result<Policy, Failure> {
    let table: toml::Table = toml::from_str(text).map_err(|error| wrong(name, &error))?;
    if let Some((key, nearest)) = nearest_policy_key(&key_paths(&table)) {
        let hint = match nearest {
            Some(nearest) => format!("did you mean `{nearest}`? docs/policy.md lists every key"),
            None => "docs/policy.md lists every key".to_owned(),
        };
        return Err(Failure::usage(format!("the policy file `{name}` has an unknown key `{key}`"), hint));
    }
    toml::from_str(text).map_err(|error| wrong(name, &error))
}

fn wrong(name: &str, error: &toml::de::Error) -> Failure {
    Failure::usage(
        format!("the policy file `{name}` is wrong: {}", error.to_string().trim_end()),
        "docs/policy.md tells what each key takes",
    )
}

/// Every key as a dotted path: `edit.eol`.
fn key_paths(table: &toml::Table) -> Vec<String> {
    let mut paths = Vec::new();
    for (key, value) in table {
        paths.push(key.clone());
        if let toml::Value::Table(below) = value {
            paths.extend(key_paths(below).into_iter().map(|below| format!("{key}.{below}")));
        }
    }
    paths
}
