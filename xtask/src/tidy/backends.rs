//! Whoever has read one backend finds the way in all of them.

use super::directions::Role;
use super::finding::Finding;
use super::graph::Graph;
use super::tree::Tree;

const FILES: [&str; 6] = [
    "src/lib.rs",
    "src/config.rs",
    "src/files.rs",
    "src/shell.rs",
    "src/error.rs",
    "tests/it/conformance.rs",
];

/// Each backend has the same files. One that has grown may be a directory of its name.
pub(super) fn have_the_same_files(tree: &Tree, graph: &Graph) -> Vec<Finding> {
    let mut findings = Vec::new();
    let backends = graph.members().filter(|(package, _)| Role::of(&package.name) == Some(Role::Backend));
    for (_, directory) in backends {
        for file in FILES {
            let path = format!("{directory}/{file}");
            let grown = format!("{}/mod.rs", path.trim_end_matches(".rs"));
            if !tree.holds(&path) && !tree.holds(&grown) {
                findings.push(Finding::new(
                    path,
                    "this backend has no such file",
                    "every backend keeps the same idea in a file of the same name; put it there",
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::finding::places;
    use super::super::graph::member;
    use super::*;

    #[test]
    fn a_missing_file_of_a_backend_is_found() {
        let graph = Graph { packages: vec![member("workspace-e2b", []), member("workspace-search", [])] };
        let tree = Tree::from([
            ("crates/workspace-e2b/src/lib.rs", ""),
            ("crates/workspace-e2b/src/config.rs", ""),
            ("crates/workspace-e2b/src/files/mod.rs", ""),
            ("crates/workspace-e2b/src/error.rs", ""),
            ("crates/workspace-e2b/tests/it/conformance.rs", ""),
        ]);
        let findings = have_the_same_files(&tree, &graph);
        assert_eq!(places(&findings), ["crates/workspace-e2b/src/shell.rs"]);
    }
}
