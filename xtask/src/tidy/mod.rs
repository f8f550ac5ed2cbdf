//! `cargo xtask tidy`: the rules of this repository that no compiler knows.
//!
//! Each check is a function of the tree's text and cargo's graph. `cargo test`
//! runs all of them over this repository too.

mod absences;
mod backends;
mod directions;
mod finding;
mod graph;
mod invariants;
mod manifests;
mod pages;
mod rules;
mod sources;
mod supply;
mod tree;
mod words;

use std::error::Error;
use std::path::Path;

use finding::Finding;
use graph::Graph;
use tree::Tree;

use crate::cargo;

/// A rule with the function that looks for its breaches.
struct Check {
    rule: &'static str,
    look: Look,
}

enum Look {
    Text(fn(&Tree) -> Vec<Finding>),
    Packages(fn(&Tree, &Graph) -> Vec<Finding>),
}

const CHECKS: &[Check] = &[
    Check { rule: "core depends on nothing", look: Look::Packages(directions::core_depends_on_nothing) },
    Check {
        rule: "dependencies point one way",
        look: Look::Packages(directions::dependencies_point_one_way),
    },
    Check { rule: "backends have the same files", look: Look::Packages(backends::have_the_same_files) },
    Check {
        rule: "dependencies are declared once",
        look: Look::Packages(manifests::declare_dependencies_once),
    },
    Check { rule: "every crate takes the lints", look: Look::Packages(manifests::take_the_lints) },
    Check { rule: "packages are ready to publish", look: Look::Packages(manifests::are_ready_to_publish) },
    Check { rule: "features are documented", look: Look::Packages(manifests::document_their_features) },
    Check { rule: "licences are allowed", look: Look::Packages(supply::licences_are_allowed) },
    Check { rule: "no package is banned", look: Look::Packages(supply::no_package_is_banned) },
    Check { rule: "duplicates are listed", look: Look::Packages(supply::duplicates_are_listed) },
    Check { rule: "core does no input or output", look: Look::Text(absences::core_does_no_io) },
    Check { rule: "unsafe code stays in workspace-local", look: Look::Text(absences::unsafe_stays_in_local) },
    Check { rule: "the bans of clippy.toml hold", look: Look::Text(absences::bans_hold) },
    Check { rule: "no library holds global state", look: Look::Text(absences::no_global_state) },
    Check { rule: "lib.rs holds docs, mod and use", look: Look::Text(sources::lib_files_only_list) },
    Check { rule: "files are short", look: Look::Text(sources::files_are_short) },
    Check { rule: "invariants name tests", look: Look::Text(invariants::name_tests) },
    Check { rule: "rules name tests", look: Look::Text(rules::name_tests) },
    Check { rule: "words that must not stay", look: Look::Text(words::none_must_go) },
    Check { rule: "docs pages are in the index", look: Look::Text(pages::are_in_the_index) },
    Check { rule: "examples of pages are compiled", look: Look::Text(pages::have_compiled_examples) },
    Check { rule: "links lead to files", look: Look::Text(pages::links_lead_to_files) },
];

/// The repository as the checks see it.
struct Repository {
    tree: Tree,
    /// Absent where there is no cargo to ask.
    graph: Option<Graph>,
}

impl Repository {
    fn load(root: &Path) -> Result<Self, Box<dyn Error>> {
        let tree = Tree::load(root)?;
        let graph = Graph::load(&supply::Rules::of(&tree)?.targets)?;
        Ok(Self { tree, graph })
    }

    /// What breaks the rule, or `None` where it cannot be told.
    fn findings(&self, check: &Check) -> Option<Vec<Finding>> {
        match check.look {
            Look::Text(look) => Some(look(&self.tree)),
            Look::Packages(look) => self.graph.as_ref().map(|graph| look(&self.tree, graph)),
        }
    }
}

/// Runs all checks and prints what each found and how to mend it.
pub(crate) fn run() -> Result<(), Box<dyn Error>> {
    let repository = Repository::load(cargo::root())?;
    let mut found = 0;
    for check in CHECKS {
        match repository.findings(check) {
            None => println!("tidy: skipped: {}: there is no cargo to ask", check.rule),
            Some(findings) => {
                found += findings.len();
                for finding in findings {
                    println!("tidy: {}: {finding}", check.rule);
                }
            }
        }
    }
    println!(
        "tidy: {} checks over {} files, {found} findings",
        CHECKS.len(),
        repository.tree.files().count()
    );
    if found > 0 {
        return Err("the tree is not tidy".into());
    }
    Ok(())
}

#[cfg(test)]
mod this_repository {
    use std::sync::LazyLock;

    use super::*;

    static REPOSITORY: LazyLock<Repository> = LazyLock::new(|| Repository::load(cargo::root()).unwrap());

    #[track_caller]
    fn hold(rules: &[&str]) {
        let mut found = Vec::new();
        for rule in rules {
            let check = CHECKS.iter().find(|check| check.rule == *rule).expect("no such rule");
            match REPOSITORY.findings(check) {
                None => println!("skipped: {rule}: there is no cargo to ask"),
                Some(findings) => found.extend(findings.iter().map(|finding| format!("{rule}: {finding}"))),
            }
        }
        assert!(found.is_empty(), "\n{}", found.join("\n"));
    }

    #[test]
    fn core_depends_on_nothing() {
        hold(&["core depends on nothing"]);
    }

    #[test]
    fn dependencies_point_one_way() {
        hold(&["dependencies point one way"]);
    }

    #[test]
    fn core_does_no_input_or_output() {
        hold(&["core does no input or output"]);
    }

    #[test]
    fn unsafe_code_stays_in_workspace_local() {
        hold(&["unsafe code stays in workspace-local"]);
    }

    #[test]
    fn files_and_processes_belong_to_workspace_local() {
        hold(&["the bans of clippy.toml hold"]);
    }

    #[test]
    fn no_library_holds_global_state() {
        hold(&["no library holds global state"]);
    }

    #[test]
    fn licences_and_packages_are_the_allowed_ones() {
        hold(&["licences are allowed", "no package is banned"]);
    }

    #[test]
    fn every_rule_of_tidy_holds() {
        hold(&CHECKS.iter().map(|check| check.rule).collect::<Vec<_>>());
    }
}
