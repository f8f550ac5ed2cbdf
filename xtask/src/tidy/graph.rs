//! The packages of the repository and all that they are built from, as cargo knows them.

use std::collections::BTreeMap;
use std::error::Error;

use serde::Deserialize;

use crate::cargo;

/// The resolved graph of packages, with all features.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// Every package once, members included.
    pub(super) packages: Vec<Package>,
}

/// One package of the graph.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct Package {
    /// Its name.
    pub(super) name: String,
    /// Its version.
    pub(super) version: String,
    /// Its SPDX expression, as its manifest gives it.
    pub(super) license: Option<String>,
    /// Its directory from the root of the repository, for a member.
    pub(super) directory: Option<String>,
    /// Its page for a registry, from its own directory.
    pub(super) readme: Option<String>,
    /// Its sentence for a registry.
    pub(super) description: Option<String>,
    /// Whether it stays in this repository.
    pub(super) private: bool,
    /// What its manifest names.
    pub(super) dependencies: Vec<Dependency>,
    /// Its features and what they turn on.
    pub(super) features: BTreeMap<String, Vec<String>>,
    /// The names of the packages that depend on it.
    pub(super) dependents: Vec<String>,
}

/// One dependency in a manifest.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Dependency {
    /// The package.
    pub(super) name: String,
    /// What it is for.
    #[serde(default, deserialize_with = "kind")]
    pub(super) kind: Kind,
    /// Whether a feature turns it on.
    #[serde(default)]
    pub(super) optional: bool,
}

/// What a dependency is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Kind {
    /// The product.
    #[default]
    Normal,
    /// The build script.
    Build,
    /// Tests, examples and benches.
    Dev,
}

fn kind<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Kind, D::Error> {
    Ok(match Option::<String>::deserialize(from)?.as_deref() {
        Some("dev") => Kind::Dev,
        Some("build") => Kind::Build,
        _ => Kind::Normal,
    })
}

impl Graph {
    /// Asks cargo, for the given targets. `None` where there is no cargo to ask.
    pub(super) fn load(targets: &[String]) -> Result<Option<Self>, Box<dyn Error>> {
        let mut command = cargo::command();
        command.args(["metadata", "--format-version", "1", "--locked", "--all-features"]);
        for target in targets {
            command.args(["--filter-platform", target]);
        }
        let output = match command.output() {
            Ok(output) => output,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr);
            return Err(format!("`cargo metadata --locked` failed: {}", why.trim()).into());
        }
        Self::read(&output.stdout).map(Some)
    }

    fn read(json: &[u8]) -> Result<Self, Box<dyn Error>> {
        let metadata: Metadata = serde_json::from_slice(json)?;
        let names: BTreeMap<_, _> =
            metadata.packages.iter().map(|package| (package.id.clone(), package.name.clone())).collect();
        let mut dependents: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for node in metadata.resolve.nodes {
            let Some(name) = names.get(&node.id) else { continue };
            for package in node.dependencies {
                dependents.entry(package).or_default().push(name.clone());
            }
        }
        let packages = metadata.packages.into_iter().map(|package| {
            let directory = metadata.workspace_members.contains(&package.id).then(|| {
                let inside = package.manifest_path.strip_prefix(&metadata.workspace_root);
                let inside = inside.unwrap_or(&package.manifest_path).replace('\\', "/");
                inside.trim_start_matches('/').trim_end_matches("/Cargo.toml").to_owned()
            });
            Package {
                dependents: dependents.remove(&package.id).unwrap_or_default(),
                name: package.name,
                version: package.version,
                license: package.license,
                directory,
                readme: package.readme,
                description: package.description,
                private: package.publish.is_some_and(|registries| registries.is_empty()),
                dependencies: package.dependencies,
                features: package.features,
            }
        });
        Ok(Self { packages: packages.collect() })
    }

    /// The packages of this repository, each with its directory.
    pub(super) fn members(&self) -> impl Iterator<Item = (&Package, &str)> {
        self.packages.iter().filter_map(|package| Some((package, package.directory.as_deref()?)))
    }
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<FoundPackage>,
    workspace_members: Vec<String>,
    workspace_root: String,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct FoundPackage {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    readme: Option<String>,
    description: Option<String>,
    publish: Option<Vec<String>>,
    manifest_path: String,
    dependencies: Vec<Dependency>,
    features: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    dependencies: Vec<String>,
}

/// A member with these dependencies, for tests that plant one.
#[cfg(test)]
pub(super) fn member<const N: usize>(name: &str, dependencies: [Dependency; N]) -> Package {
    Package {
        name: name.into(),
        directory: Some(format!("crates/{name}")),
        dependencies: dependencies.into(),
        ..Package::default()
    }
}

/// A dependency that is always there.
#[cfg(test)]
pub(super) fn dependency(name: &str, kind: Kind) -> Dependency {
    Dependency { name: name.into(), kind, optional: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_metadata_becomes_a_graph() {
        let json = br#"{
            "workspace_root": "/x", "workspace_members": ["a 1"],
            "packages": [
                {"id": "a 1", "name": "a", "version": "1.0.0", "license": "MIT", "features": {"f": ["dep:b"]},
                 "readme": "../README.md", "description": "A.", "publish": [],
                 "manifest_path": "/x/crates/a/Cargo.toml",
                 "dependencies": [{"name": "b", "kind": null, "optional": true}, {"name": "b", "kind": "dev"}]},
                {"id": "b 2", "name": "b", "version": "2.0.0", "license": null, "features": {},
                 "manifest_path": "/y/b/Cargo.toml", "dependencies": []}],
            "resolve": {"nodes": [{"id": "a 1", "dependencies": ["b 2"]}, {"id": "b 2", "dependencies": []}]}
        }"#;
        let a = Package {
            name: "a".into(),
            version: "1.0.0".into(),
            license: Some("MIT".into()),
            directory: Some("crates/a".into()),
            readme: Some("../README.md".into()),
            description: Some("A.".into()),
            private: true,
            dependencies: vec![
                Dependency { name: "b".into(), kind: Kind::Normal, optional: true },
                Dependency { name: "b".into(), kind: Kind::Dev, optional: false },
            ],
            features: [("f".into(), vec!["dep:b".into()])].into(),
            dependents: vec![],
        };
        let b = Package {
            name: "b".into(),
            version: "2.0.0".into(),
            dependents: vec!["a".into()],
            ..Package::default()
        };
        assert_eq!(Graph::read(json).unwrap().packages, [a, b]);
    }
}
