//! What the architecture says is absent, looked for in the source.

use super::finding::Finding;
use super::tree::{Tree, code_lines};

const LOCAL: &str = "crates/workspace-local/";
const CORE: &str = "crates/workspace-core/src/";
const CLIPPY: &str = "clippy.toml";

/// Parts of `std` through which a program reaches the world.
const OUTSIDE: [&str; 8] = [
    "std::env",
    "std::fs",
    "std::io",
    "std::net",
    "std::os",
    "std::process",
    "std::thread",
    "SystemTime::now",
];

/// The contract computes and nothing else.
pub(super) fn core_does_no_io(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in sources(tree).filter(|(path, _)| path.starts_with(CORE)) {
        for (number, line) in code_lines(text) {
            let named = OUTSIDE.iter().chain(&["print!", "println!"]).find(|name| line.contains(**name));
            if let Some(name) = named {
                let mend = "take the value from the caller, or let a backend do it";
                findings.push(Finding::at(path, number, format!("core names `{name}`"), mend));
            }
        }
    }
    findings
}

/// Unsafe code is where system calls need it, and in no other crate.
pub(super) fn unsafe_stays_in_local(tree: &Tree) -> Vec<Finding> {
    // Spelled in two parts, so that this file does not find itself.
    let lifted = [["allow(", "unsafe_code"].concat(), ["expect(", "unsafe_code"].concat()];
    let words = ["{", "fn", "impl", "extern", "trait"].map(|after| format!("{} {after}", "unsafe"));
    let mut findings = Vec::new();
    for (path, text) in sources(tree).filter(|(path, _)| !path.starts_with(LOCAL)) {
        for (number, line) in code_lines(text) {
            if lifted.iter().chain(&words).any(|word| line.contains(word.as_str())) {
                let mend = "call workspace-local or a crate that keeps it safe";
                findings.push(Finding::at(path, number, "unsafe code outside workspace-local", mend));
            }
        }
    }
    findings
}

/// What `clippy.toml` must ban at least.
const BANNED: [&str; 4] =
    ["std::fs::read", "std::fs::write", "std::fs::File::open", "std::process::Command::new"];

/// `clippy.toml` bans files and processes, and only those lift the ban who may.
pub(super) fn bans_hold(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let clippy = tree.text(CLIPPY).unwrap_or_default();
    for method in BANNED {
        if !clippy.contains(&format!("\"{method}\"")) {
            findings.push(Finding::new(
                CLIPPY,
                format!("`{method}` is not banned"),
                "put it back under disallowed-methods",
            ));
        }
    }
    for (path, text) in sources(tree).filter(|(path, _)| !may_lift_bans(path)) {
        for (number, line) in code_lines(text) {
            if line.contains("clippy::disallowed_methods") && !line.contains("deny(") {
                findings.push(Finding::at(
                    path,
                    number,
                    "it lifts the bans of clippy.toml",
                    "go through FsProvider and ShellProvider; test files may lift them, with a reason",
                ));
            }
        }
    }
    findings
}

/// Where files and processes are the job itself, or the program reads its own configuration.
const LIFTERS: [&str; 6] = [
    LOCAL,
    "xtask/",
    "crates/workspace-cli/src/policy_file.rs",
    "crates/workspace-cli/src/mcp/token.rs",
    "crates/workspace-e2b-fake/src/sandbox/namespace.rs",
    "crates/workspace-testkit/src/disk.rs",
];

fn may_lift_bans(path: &str) -> bool {
    LIFTERS.iter().any(|lifter| path.starts_with(lifter))
        || ["/tests/", "/examples/", "/benches/"].iter().any(|part| path.contains(part))
        || path.ends_with("/tests.rs")
}

/// Types through which a `static` can change.
const MUTABLE: [&str; 8] =
    ["Atomic", "Mutex", "RwLock", "OnceLock", "OnceCell", "LazyCell", "RefCell", "Cell<"];

/// Two workspaces in one process know nothing of each other.
pub(super) fn no_global_state(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in sources(tree).filter(|(path, _)| path.starts_with("crates/") && is_product(path)) {
        for (number, line) in code_lines(text) {
            let item = line.trim_start().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
            let changes = item.starts_with("static mut ")
                || item.starts_with("thread_local!")
                || (item.starts_with("static ") && MUTABLE.iter().any(|word| item.contains(word)));
            if changes {
                let mend = "keep it in the value that its users hold";
                findings.push(Finding::at(path, number, "state that belongs to the process", mend));
            }
        }
    }
    findings
}

fn is_product(path: &str) -> bool {
    path.contains("/src/") && !path.contains("/tests/") && !path.ends_with("/tests.rs")
}

fn sources(tree: &Tree) -> impl Iterator<Item = (&str, &str)> {
    tree.with_extension("rs")
}

#[cfg(test)]
mod tests {
    use super::super::finding::places;
    use super::*;

    #[track_caller]
    fn check(look: fn(&Tree) -> Vec<Finding>, path: &str, text: &str, lines: &[usize]) {
        let clippy = BANNED.map(|method| format!("{{ path = \"{method}\" }}")).join("\n");
        let tree = Tree::from([(path, text), (CLIPPY, &clippy)]);
        let expected: Vec<_> = lines.iter().map(|line| format!("{path}:{line}")).collect();
        assert_eq!(places(&look(&tree)), expected, "{text}");
    }

    #[test]
    fn io_in_core_is_found() {
        let core = "crates/workspace-core/src/a.rs";
        check(core_does_no_io, core, "use std::fmt;\nuse std::fs::File;\n", &[2]);
        check(core_does_no_io, core, "let now = SystemTime::now();\nprintln!();", &[1, 2]);
        check(core_does_no_io, core, "// std::fs is elsewhere\nuse std::time::SystemTime;", &[]);
        check(core_does_no_io, "crates/workspace-local/src/a.rs", "use std::fs;", &[]);
    }

    #[test]
    fn unsafe_code_elsewhere_is_found() {
        let block = ["let a = unsafe", " { b() };"].concat();
        let lifted = ["#![allow(", "unsafe_code)]"].concat();
        check(unsafe_stays_in_local, "crates/workspace-cli/src/a.rs", &block, &[1]);
        check(unsafe_stays_in_local, "crates/workspace-cli/tests/it/a.rs", &lifted, &[1]);
        check(unsafe_stays_in_local, "crates/workspace-local/src/a.rs", &block, &[]);
        check(unsafe_stays_in_local, "crates/workspace-cli/src/a.rs", "#![forbid(unsafe_code)]", &[]);
    }

    #[test]
    fn a_lifted_ban_is_found() {
        let lifted = "#![allow(clippy::disallowed_methods)]";
        check(bans_hold, "crates/workspace-tools/src/a.rs", lifted, &[1]);
        check(bans_hold, "crates/workspace-tools/tests/it/main.rs", lifted, &[]);
        check(bans_hold, "crates/workspace-local/src/a.rs", lifted, &[]);
        assert_eq!(places(&bans_hold(&Tree::default())), [CLIPPY; 4]);
    }

    #[test]
    fn state_of_the_process_is_found() {
        let text = "pub static A: AtomicU64 = AtomicU64::new(0);\nstatic mut B: u8 = 0;\nthread_local! {}\n\
                    static C: LazyLock<Regex> = LazyLock::new(c);\nstatic D: &str = \"d\";\n";
        check(no_global_state, "crates/workspace-tools/src/a.rs", text, &[1, 2, 3]);
        check(no_global_state, "crates/workspace-tools/src/a/tests.rs", text, &[]);
        check(no_global_state, "xtask/src/a.rs", text, &[]);
    }
}
