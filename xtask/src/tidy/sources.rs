//! The form of source files.

use super::finding::Finding;
use super::tree::Tree;

/// A file over this many lines holds more than one idea.
const LONGEST: usize = 700;
/// At least half of all files are under this many lines.
const USUAL: usize = 200;

/// A `lib.rs` is the front page of its crate: docs, attributes, `mod` and `use`.
pub(super) fn lib_files_only_list(tree: &Tree) -> Vec<Finding> {
    let lib_files = tree.with_extension("rs").filter(|(path, _)| path.ends_with("/src/lib.rs"));
    lib_files.filter_map(|(path, text)| first_other_line(path, text)).collect()
}

/// The first line that does more than list. One a file: what follows belongs to it.
fn first_other_line(path: &str, text: &str) -> Option<Finding> {
    // How the item ends that a line before has begun.
    let mut open: Option<&str> = None;
    for (line, number) in text.lines().zip(1..) {
        let line = line.split(" //").next().unwrap_or_default().trim();
        if line.is_empty() || line.starts_with("//") {
            continue;
        }
        let end = match (open, item(line)) {
            (Some(end), _) => end,
            (None, "mod") if line.ends_with([';', '}']) => continue,
            (None, "use") => ";",
            (None, "#") => "]",
            (None, _) => {
                return Some(Finding::at(
                    path,
                    number,
                    format!("`{line}` is neither docs nor `mod` nor `use`"),
                    "move it into a module and re-export it",
                ));
            }
        };
        open = (!line.ends_with(end)).then_some(end);
    }
    None
}

/// The first word of an item, whatever its visibility; `#` for an attribute.
fn item(line: &str) -> &str {
    if line.starts_with('#') {
        return "#";
    }
    let line = ["pub(crate) ", "pub "].iter().find_map(|public| line.strip_prefix(public)).unwrap_or(line);
    line.split(' ').next().unwrap_or_default()
}

/// No file is long, and most are short.
pub(super) fn files_are_short(tree: &Tree) -> Vec<Finding> {
    let lengths: Vec<_> =
        tree.with_extension("rs").map(|(path, text)| (path, text.lines().count())).collect();
    let mut findings: Vec<_> = lengths
        .iter()
        .filter(|(_, lines)| *lines > LONGEST)
        .map(|(path, lines)| {
            let wrong = format!("it has {lines} lines; the limit is {LONGEST}");
            Finding::new(*path, wrong, "find the second idea in it and give it a file")
        })
        .collect();
    let usual = lengths.iter().filter(|(_, lines)| *lines < USUAL).count();
    if usual * 2 < lengths.len() {
        findings.push(Finding::new(
            "*.rs",
            format!("{usual} of {} files have under {USUAL} lines", lengths.len()),
            "split the long ones by idea until it is half of them",
        ));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::finding::places;
    use super::*;

    #[track_caller]
    fn check_lib(text: &str, expected: &[&str]) {
        assert_eq!(places(&lib_files_only_list(&Tree::from([("crates/x/src/lib.rs", text)]))), expected);
    }

    #[test]
    fn code_in_lib_rs_is_found() {
        check_lib("//! Docs.\n\nfn help() {}\n", &["crates/x/src/lib.rs:3"]);
        check_lib("pub const A: u8 = 1;\n", &["crates/x/src/lib.rs:1"]);
        check_lib("mod a;\nimpl X {\n    fn a() {}\n}\n", &["crates/x/src/lib.rs:2"]);
        check_lib("pub use a::{\n    B,\n};\nstruct C;\n", &["crates/x/src/lib.rs:4"]);
        check_lib("#[cfg(\n    test\n)]\nmod a;\nfn b() {}\n", &["crates/x/src/lib.rs:5"]);
        check_lib("mod a {\n    fn b() {}\n}\n", &["crates/x/src/lib.rs:1"]);
    }

    #[test]
    fn docs_modules_and_names_are_what_lib_rs_holds() {
        check_lib(
            "//! Docs.\n#![forbid(unsafe_code)]\n#![allow(\n    missing_docs,\n    reason = \"x\"\n)]\n\n// Why.\nmod a;\n\
             pub(crate) mod b; // here\n#[cfg(doctest)]\n#[doc = include_str!(\"../x.md\")]\nmod page {}\n\
             pub use a::{A, B};\npub use b::{\n    C, D,\n    E,\n};\nuse std::fmt;\n",
            &[],
        );
    }

    #[test]
    fn long_files_are_found() {
        let lines = "\n".repeat(701);
        let tree = Tree::from([("a.rs", lines.as_str()), ("b.rs", ""), ("c.md", lines.as_str())]);
        assert_eq!(places(&files_are_short(&tree)), ["a.rs"]);
        let lines = "\n".repeat(200);
        let tree = Tree::from([("a.rs", lines.as_str()), ("b.rs", lines.as_str()), ("c.rs", "")]);
        assert_eq!(places(&files_are_short(&tree)), ["*.rs"]);
    }
}
