//! What the manifests of this repository's crates have in common.

use toml::{Table, Value};

use super::finding::Finding;
use super::graph::Graph;
use super::pages::target_path;
use super::tree::Tree;

const TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// Every version stands once, in the table of the workspace, with default features off.
pub(super) fn declare_dependencies_once(tree: &Tree, graph: &Graph) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, manifest) in manifests(tree, graph) {
        let on_targets = manifest.get("target").and_then(Value::as_table);
        let tables = on_targets.into_iter().flat_map(Table::values).filter_map(Value::as_table);
        for table in tables.chain([&manifest]) {
            let dependencies = TABLES.iter().filter_map(|name| table.get(*name)?.as_table()).flatten();
            for (name, dependency) in dependencies {
                if dependency.get("workspace").and_then(Value::as_bool) != Some(true) {
                    findings.push(Finding::new(
                        &path,
                        format!("`{name}` has a version of its own"),
                        "declare it in [workspace.dependencies] and take it with `workspace = true`",
                    ));
                }
            }
        }
    }
    let workspace = root_manifest(tree).remove("workspace");
    let declared = workspace.as_ref().and_then(|workspace| workspace.get("dependencies")?.as_table());
    for (name, dependency) in declared.into_iter().flatten() {
        let inside = dependency.get("path").is_some();
        if !inside && dependency.get("default-features").and_then(Value::as_bool) != Some(false) {
            findings.push(Finding::new(
                "Cargo.toml",
                format!("`{name}` is declared with its default features"),
                "set `default-features = false` and name the features that are needed",
            ));
        }
    }
    findings
}

/// The lints of the workspace hold in every crate, with unsafe code denied.
pub(super) fn take_the_lints(tree: &Tree, graph: &Graph) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, manifest) in manifests(tree, graph) {
        if manifest.get("lints").and_then(|lints| lints.get("workspace")?.as_bool()) != Some(true) {
            let mend = "add `[lints]` with `workspace = true`";
            findings.push(Finding::new(path, "it sets its lints by itself", mend));
        }
    }
    let workspace = root_manifest(tree).remove("workspace");
    let level = workspace.as_ref().and_then(|workspace| {
        let lint = workspace.get("lints")?.get("rust")?.get("unsafe_code")?;
        lint.as_str().or_else(|| lint.get("level")?.as_str())
    });
    if !matches!(level, Some("deny" | "forbid")) {
        let mend = "set `unsafe_code = \"deny\"` in [workspace.lints.rust]";
        findings.push(Finding::new("Cargo.toml", "unsafe code is not denied", mend));
    }
    findings
}

/// A package that leaves this repository has what a registry asks for, and its page exists.
pub(super) fn are_ready_to_publish(tree: &Tree, graph: &Graph) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (package, directory) in graph.members().filter(|(package, _)| !package.private) {
        let place = format!("{directory}/Cargo.toml");
        let page = package.readme.as_ref().and_then(|readme| target_path(&place, readme));
        let has = [
            ("description", package.description.is_some()),
            ("license", package.license.is_some()),
            ("readme", page.is_some_and(|page| tree.holds(&page))),
        ];
        for (field, _) in has.into_iter().filter(|(_, there)| !there) {
            let wrong = format!("its `{field}` is missing or leads nowhere");
            findings.push(Finding::new(&place, wrong, "set it, or `publish = false` for what stays here"));
        }
    }
    findings
}

/// Each feature has a comment in its manifest and a row in the table of its crate or of the README.
pub(super) fn document_their_features(tree: &Tree, graph: &Graph) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (package, directory) in graph.members() {
        let manifest_path = format!("{directory}/Cargo.toml");
        let manifest = tree.text(&manifest_path).unwrap_or_default();
        let front = ["src/lib.rs", "src/main.rs"].map(|file| format!("{directory}/{file}"));
        let pages = front.iter().map(String::as_str).chain(["README.md"]);
        let pages: Vec<_> = pages.filter_map(|page| tree.text(page)).collect();
        for feature in package.features.keys().filter(|feature| *feature != "default") {
            if !has_a_comment(manifest, feature) {
                findings.push(Finding::new(
                    &manifest_path,
                    format!("feature `{feature}` has no comment"),
                    "say in a line above it what its user gets",
                ));
            }
            if !pages.iter().any(|page| has_a_row(page, feature)) {
                findings.push(Finding::new(
                    &manifest_path,
                    format!("feature `{feature}` is in no table"),
                    format!("add a row `| `{feature}` | …` to the docs of the crate or to the README"),
                ));
            }
        }
    }
    findings
}

fn has_a_comment(manifest: &str, feature: &str) -> bool {
    let mut before = "";
    let features = manifest.lines().skip_while(|line| line.trim() != "[features]");
    for line in features {
        if line.split('=').next().is_some_and(|name| name.trim().trim_matches('"') == feature) {
            return before.trim_start().starts_with('#');
        }
        before = line;
    }
    false
}

fn has_a_row(page: &str, feature: &str) -> bool {
    page.lines().any(|line| {
        let row = line.trim_start().trim_start_matches("//!").trim_start();
        let first = row.strip_prefix('|').and_then(|row| row.split('|').next());
        first.is_some_and(|cell| cell.trim().starts_with(&format!("`{feature}`")))
    })
}

fn manifests<'a>(tree: &'a Tree, graph: &'a Graph) -> impl Iterator<Item = (String, Table)> + 'a {
    graph.members().map(|(_, directory)| {
        let path = format!("{directory}/Cargo.toml");
        let manifest = table(tree, &path);
        (path, manifest)
    })
}

fn root_manifest(tree: &Tree) -> Table {
    table(tree, "Cargo.toml")
}

/// A manifest that cargo has read already, so that it is there and is TOML.
fn table(tree: &Tree, path: &str) -> Table {
    tree.text(path).and_then(|text| text.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::finding::places;
    use super::super::graph::member;
    use super::*;

    const MANIFEST: &str = "crates/workspace-x/Cargo.toml";
    const LINTS: &str = "[workspace.lints.rust]\nunsafe_code = \"deny\"\n";

    fn graph() -> Graph {
        let mut package = member("workspace-x", []);
        package.features = [("default".into(), vec![]), ("local".into(), vec![])].into();
        Graph { packages: vec![package] }
    }

    #[test]
    fn a_version_outside_the_workspace_table_is_found() {
        let tree = |manifest, root| Tree::from([(MANIFEST, manifest), ("Cargo.toml", root)]);
        let root = "[workspace.dependencies]\na = { version = \"1\", default-features = false }\nx = { path = \"x\" }";
        let fine =
            tree("[dependencies]\na.workspace = true\nx = { workspace = true, optional = true }", root);
        assert_eq!(places(&declare_dependencies_once(&fine, &graph())), Vec::<&str>::new());
        for own in [
            "[dependencies]\na = \"1\"",
            "[dev-dependencies]\na = \"1\"",
            "[target.t.dependencies]\na = \"1\"",
        ] {
            assert_eq!(places(&declare_dependencies_once(&tree(own, root), &graph())), [MANIFEST], "{own}");
        }
        let defaults = tree("", "[workspace.dependencies]\na = \"1\"");
        assert_eq!(places(&declare_dependencies_once(&defaults, &graph())), ["Cargo.toml"]);
    }

    #[test]
    fn a_crate_without_the_lints_is_found() {
        let tree = |manifest, root| Tree::from([(MANIFEST, manifest), ("Cargo.toml", root)]);
        let takes = "[lints]\nworkspace = true";
        assert_eq!(places(&take_the_lints(&tree(takes, LINTS), &graph())), Vec::<&str>::new());
        assert_eq!(places(&take_the_lints(&tree("", LINTS), &graph())), [MANIFEST]);
        assert_eq!(places(&take_the_lints(&tree(takes, ""), &graph())), ["Cargo.toml"]);
    }

    #[test]
    fn a_package_that_is_not_ready_to_publish_is_found() {
        let check = |readme: Option<&str>, private, found| {
            let mut package = member("workspace-x", []);
            package.license = Some("MIT".into());
            package.description = Some("X.".into());
            package.readme = readme.map(str::to_owned);
            package.private = private;
            let tree = Tree::from([("README.md", "")]);
            let findings = are_ready_to_publish(&tree, &Graph { packages: vec![package] });
            assert_eq!(findings.len(), found, "{readme:?}");
        };
        check(Some("../../README.md"), false, 0);
        check(Some("../../../../README.md"), false, 1);
        check(Some("README.md"), false, 1);
        check(None, false, 1);
        check(None, true, 0);
        let bare = Graph { packages: vec![member("workspace-x", [])] };
        assert_eq!(are_ready_to_publish(&Tree::default(), &bare).len(), 3);
    }

    #[test]
    fn a_feature_without_comment_or_row_is_found() {
        let check = |manifest, lib, found| {
            let tree = Tree::from([(MANIFEST, manifest), ("crates/workspace-x/src/lib.rs", lib)]);
            assert_eq!(document_their_features(&tree, &graph()).len(), found, "{manifest} {lib}");
        };
        let commented = "[features]\n# A directory of this machine.\nlocal = [\"dep:workspace-local\"]";
        check(commented, "//! | `local` | a directory |", 0);
        check("[features]\nlocal = []", "//! | `local` | a directory |", 1);
        check(commented, "//! uses `local`", 1);
        check("[features]\n# A directory.\ndefault = []\nlocal = []", "", 2);
    }
}
