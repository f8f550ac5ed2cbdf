//! What comes from outside, held against the lists of `deny.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;

use serde::Deserialize;
use spdx::{Expression, LicenseItem, LicenseReq, ParseMode};

use super::finding::Finding;
use super::graph::Graph;
use super::tree::Tree;

const DENY: &str = "deny.toml";

/// The part of `deny.toml` that is held here.
#[derive(Debug, Default)]
pub(super) struct Rules {
    /// The platforms whose packages count.
    pub(super) targets: Vec<String>,
    licenses: BTreeSet<String>,
    banned: Vec<Ban>,
    skipped: Vec<Skip>,
}

#[derive(Debug, Deserialize)]
struct Ban {
    #[serde(rename = "crate")]
    package: String,
    #[serde(default)]
    wrappers: Vec<String>,
    #[serde(default)]
    reason: String,
}

#[derive(Debug, Deserialize)]
struct Skip {
    /// `name@version`, one exact version.
    #[serde(rename = "crate")]
    package: String,
}

impl Rules {
    /// Reads `deny.toml` of a tree.
    pub(super) fn of(tree: &Tree) -> Result<Self, Box<dyn Error>> {
        #[derive(Deserialize, Default)]
        #[serde(default)]
        struct File {
            graph: Targets,
            licenses: Allowed,
            bans: Bans,
        }
        #[derive(Deserialize, Default)]
        #[serde(default)]
        struct Targets {
            targets: Vec<String>,
        }
        #[derive(Deserialize, Default)]
        #[serde(default)]
        struct Allowed {
            allow: BTreeSet<String>,
        }
        #[derive(Deserialize, Default)]
        #[serde(default)]
        struct Bans {
            deny: Vec<Ban>,
            skip: Vec<Skip>,
        }
        let text = tree.text(DENY).ok_or("there is no deny.toml at the root")?;
        let File { graph, licenses, bans } = toml::from_str(text)?;
        Ok(Self { targets: graph.targets, licenses: licenses.allow, banned: bans.deny, skipped: bans.skip })
    }

    fn allow(&self, requirement: &LicenseReq) -> bool {
        let LicenseItem::Spdx { .. } = requirement.license else { return false };
        self.licenses.contains(&requirement.to_string())
    }
}

/// Runs a check with the rules, or tells why they cannot be read.
fn with_rules(tree: &Tree, check: impl FnOnce(&Rules) -> Vec<Finding>) -> Vec<Finding> {
    match Rules::of(tree) {
        Ok(rules) => check(&rules),
        Err(why) => vec![Finding::new(DENY, why.to_string(), "write it as cargo-deny reads it")],
    }
}

/// Every package can be used under licences of the list.
pub(super) fn licences_are_allowed(tree: &Tree, graph: &Graph) -> Vec<Finding> {
    with_rules(tree, |rules| {
        let mut findings = Vec::new();
        for package in &graph.packages {
            let licence = package.license.as_deref().unwrap_or("none");
            let allowed = Expression::parse_mode(licence, ParseMode::LAX)
                .is_ok_and(|licence| licence.evaluate(|requirement| rules.allow(requirement)));
            if !allowed {
                findings.push(Finding::new(
                    format!("{} {}", package.name, package.version),
                    format!("its licence `{licence}` is not among those of deny.toml"),
                    "use another package, or allow the licence after reading it",
                ));
            }
        }
        findings
    })
}

/// No package is in the graph that the list bans, but behind those that may wrap it.
pub(super) fn no_package_is_banned(tree: &Tree, graph: &Graph) -> Vec<Finding> {
    with_rules(tree, |rules| {
        let mut findings = Vec::new();
        for ban in &rules.banned {
            let (banned, _) = name_and_version(&ban.package);
            let found = graph.packages.iter().filter(|package| package.name == banned);
            for dependent in found.flat_map(|package| &package.dependents) {
                if !ban.wrappers.contains(dependent) {
                    findings.push(Finding::new(
                        dependent,
                        format!("it depends on `{banned}`, which deny.toml bans"),
                        format!("do without: {}", ban.reason),
                    ));
                }
            }
        }
        findings
    })
}

/// A package has one version, but for those that the list passes by; and the list holds no more than is needed.
pub(super) fn duplicates_are_listed(tree: &Tree, graph: &Graph) -> Vec<Finding> {
    with_rules(tree, |rules| {
        let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for package in &graph.packages {
            versions.entry(&package.name).or_default().insert(&package.version);
        }
        let mut findings = Vec::new();
        for skip in &rules.skipped {
            let (name, version) = name_and_version(&skip.package);
            let found = versions.get_mut(name).is_some_and(|found| found.len() > 1 && found.remove(version));
            if !found {
                findings.push(Finding::new(
                    DENY,
                    format!("the skip of `{}` skips nothing", skip.package),
                    "remove its line, or name the older of the two versions in Cargo.lock",
                ));
            }
        }
        for (name, versions) in versions.iter().filter(|(_, versions)| versions.len() > 1) {
            let versions: Vec<_> = versions.iter().copied().collect();
            findings.push(Finding::new(
                *name,
                format!("it is in the graph as {}", versions.join(" and ")),
                "bring its users to one version, or list the older one as a skip in deny.toml with the reason",
            ));
        }
        findings
    })
}

fn name_and_version(package: &str) -> (&str, &str) {
    package.split_once('@').unwrap_or((package, ""))
}

#[cfg(test)]
mod tests {
    use super::super::finding::places;
    use super::super::graph::Package;
    use super::*;

    fn package(name: &str, version: &str, license: &str) -> Package {
        Package {
            name: name.into(),
            version: version.into(),
            license: (!license.is_empty()).then(|| license.into()),
            ..Package::default()
        }
    }

    #[test]
    fn a_licence_outside_the_list_is_found() {
        let allow = "[licenses]\nallow = [\"MIT\", \"Apache-2.0\", \"Apache-2.0 WITH LLVM-exception\", \"Unicode-3.0\"]";
        let tree = Tree::from([(DENY, allow)]);
        for (licence, allowed) in [
            ("MIT", true),
            ("MIT/Apache-2.0", true),
            ("GPL-3.0-only OR MIT", true),
            ("(MIT OR ISC) AND Unicode-3.0", true),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("MIT AND ISC", false),
            ("MPL-2.0", false),
            ("LicenseRef-mine", false),
            ("nonsense", false),
            ("", false),
        ] {
            let graph = Graph { packages: vec![package("x", "1.0.0", licence)] };
            let expected: &[&str] = if allowed { &[] } else { &["x 1.0.0"] };
            assert_eq!(places(&licences_are_allowed(&tree, &graph)), expected, "{licence}");
        }
    }

    #[test]
    fn a_banned_package_is_found_but_behind_its_wrapper() {
        let rules = "[bans]\ndeny = [{ crate = \"cmake\", wrappers = [\"a\"], reason = \"no cmake\" }]";
        let mut cmake = package("cmake", "1.0.0", "MIT");
        cmake.dependents = vec!["a".into(), "b".into()];
        let found = no_package_is_banned(&Tree::from([(DENY, rules)]), &Graph { packages: vec![cmake] });
        assert_eq!(places(&found), ["b"]);
    }

    #[test]
    fn a_second_version_and_a_needless_skip_are_found() {
        let graph = Graph {
            packages: vec![
                package("syn", "2.0.1", ""),
                package("syn", "3.0.0", ""),
                package("toml", "1.0.0", ""),
            ],
        };
        for (skip, expected) in [
            ("", &["syn"][..]),
            ("{ crate = \"syn@2.0.1\" }", &[]),
            ("{ crate = \"syn@2.0.0\" }", &[DENY, "syn"]),
            ("{ crate = \"syn@2.0.1\" }, { crate = \"toml@1.0.0\" }", &[DENY]),
        ] {
            let tree = Tree::from([(DENY, format!("[bans]\nskip = [{skip}]").as_str())]);
            assert_eq!(places(&duplicates_are_listed(&tree, &graph)), expected, "{skip}");
        }
    }

    #[test]
    fn an_unreadable_list_is_found() {
        let tree = Tree::from([(DENY, "[bans]\nskip = 1")]);
        assert_eq!(places(&duplicates_are_listed(&tree, &Graph::default())), [DENY]);
        assert_eq!(places(&licences_are_allowed(&Tree::default(), &Graph::default())), [DENY]);
    }
}
