//! The policies under which lines are judged, and what each forbids.

use workspace_shell_policy::ShellPolicy;

use crate::oracle::Forbidden;

/// The policies that take turns.
pub(crate) fn rules() -> Result<Vec<(ShellPolicy, Forbidden)>, String> {
    let names = [
        "git", "echo", "cat", "cd", "ls", "grep", "npm", "true", "false", "printf", "id", "env", "timeout",
        "nice", "nohup", "time", "command", "exec", "find", "xargs", "export", "read", "set", "unset", ":",
        "exit", "test", "[", "shift", "umask", "readonly", "stdbuf", "type", "hash", "wait", "alias",
        "nproc", "x", "builtin", "head", "tail", "sort", "wc", "sed", "awk",
    ];
    let allow = ShellPolicy::new().allow(names);
    let deny = ShellPolicy::new().deny(["rm", "kill", "sudo"]);
    let patterns = ShellPolicy::new()
        .allow(names)
        .deny_patterns(["git push --force"])
        .map_err(|error| error.to_string())?;
    Ok(vec![
        (allow, Forbidden { programs: &["rm"], forced_push: false }),
        (deny, Forbidden { programs: &["rm", "sudo"], forced_push: false }),
        (patterns, Forbidden { programs: &["rm"], forced_push: true }),
        (ShellPolicy::developer(), Forbidden { programs: &["sudo"], forced_push: true }),
    ])
}
