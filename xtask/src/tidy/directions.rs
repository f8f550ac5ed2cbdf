//! Dependencies point one way: program, tools, engines, core; backends and kit, core.

use super::finding::Finding;
use super::graph::{Graph, Kind, Package};
use super::tree::Tree;

/// What a crate of this repository is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The contract.
    Core,
    /// Pure computation over the contract, shared by tools and backends.
    Engine,
    /// Files over something smaller than a backend, for backends to build on.
    Bridge,
    /// A place where files and commands live.
    Backend,
    /// The conformance kit.
    Kit,
    /// A stand-in for a service, for tests alone.
    Fixture,
    /// Policy and tools.
    Tools,
    /// The program.
    Program,
    /// Checks and chores.
    Chores,
    /// What others may build on it, for them to read.
    Example,
}

impl Role {
    /// The role of a crate by its name; a new crate is given one here first.
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "workspace-core" => Self::Core,
            "workspace-search" | "workspace-shell-policy" => Self::Engine,
            "workspace-posix" => Self::Bridge,
            "workspace-local" | "workspace-memory" | "workspace-docker" | "workspace-e2b" => Self::Backend,
            "workspace-testkit" => Self::Kit,
            "workspace-e2b-fake" => Self::Fixture,
            "workspace-tools" => Self::Tools,
            "workspace-cli" => Self::Program,
            "xtask" => Self::Chores,
            "agent-loops" => Self::Example,
            _ => return None,
        })
    }

    /// Whether the product of a crate of this role may be built from one of the other.
    fn may_depend_on(self, other: Self) -> bool {
        match self {
            Self::Core | Self::Fixture => false,
            Self::Engine | Self::Kit => other == Self::Core,
            Self::Bridge => matches!(other, Self::Core | Self::Engine),
            Self::Backend => matches!(other, Self::Core | Self::Engine | Self::Bridge),
            Self::Tools => matches!(other, Self::Core | Self::Engine | Self::Backend),
            Self::Program | Self::Chores | Self::Example => {
                !matches!(other, Self::Program | Self::Chores | Self::Example | Self::Fixture)
            }
        }
    }
}

/// `workspace-core` builds from the standard library alone.
pub(super) fn core_depends_on_nothing(_: &Tree, graph: &Graph) -> Vec<Finding> {
    let core = graph.members().filter(|(package, _)| Role::of(&package.name) == Some(Role::Core));
    let dependencies = core.flat_map(|(package, _)| &package.dependencies);
    dependencies
        .filter(|dependency| dependency.kind != Kind::Dev)
        .map(|dependency| {
            Finding::new(
                "workspace-core",
                format!("it depends on `{}`", dependency.name),
                "define what it needs in core, or move what needs it to another crate",
            )
        })
        .collect()
}

/// No crate depends on one above it, and only features bring backends into the tools.
pub(super) fn dependencies_point_one_way(_: &Tree, graph: &Graph) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (package, _) in graph.members() {
        let Some(role) = Role::of(&package.name) else {
            findings.push(Finding::new(
                &package.name,
                "this crate has no role",
                "give it one in `Role::of` of xtask",
            ));
            continue;
        };
        for dependency in &package.dependencies {
            let Some(other) = Role::of(&dependency.name) else { continue };
            let allowed = match dependency.kind {
                Kind::Dev => !matches!(other, Role::Program | Role::Chores | Role::Example),
                Kind::Normal | Kind::Build => role.may_depend_on(other),
            };
            if !allowed {
                findings.push(Finding::new(
                    &package.name,
                    format!("it depends on `{}`, which stands above or beside it", dependency.name),
                    "move the shared part into workspace-core or an engine",
                ));
            } else if role == Role::Tools && other == Role::Backend && dependency.kind != Kind::Dev {
                findings.extend(named_by_feature(package, &dependency.name, dependency.optional));
            }
        }
    }
    findings
}

/// A backend comes into the tools by the feature of its own name and by no other way.
fn named_by_feature(package: &Package, backend: &str, optional: bool) -> Option<Finding> {
    let feature = backend.trim_start_matches("workspace-");
    let turned_on = package.features.iter().filter(|(_, on)| {
        on.iter().any(|on| on.trim_start_matches("dep:").split('/').next() == Some(backend))
    });
    let by: Vec<_> = turned_on.map(|(name, _)| name.as_str()).collect();
    let wrong = if !optional {
        format!("`{backend}` is always there")
    } else if by != [feature] {
        format!("`{backend}` is turned on by features `{}`", by.join("`, `"))
    } else {
        return None;
    };
    let mend = format!("make it optional, turned on by `{feature} = [\"dep:{backend}\"]` alone");
    Some(Finding::new(&package.name, wrong, mend))
}

#[cfg(test)]
mod tests {
    use super::super::finding::places;
    use super::super::graph::{dependency, member};
    use super::*;

    #[track_caller]
    fn check(package: Package, expected: &[&str]) {
        let graph = Graph { packages: vec![package] };
        assert_eq!(places(&dependencies_point_one_way(&Tree::default(), &graph)), expected);
    }

    #[test]
    fn a_dependency_of_core_is_found() {
        let core = |kind| Graph { packages: vec![member("workspace-core", [dependency("bytes", kind)])] };
        for (kind, found) in [(Kind::Normal, 1), (Kind::Build, 1), (Kind::Dev, 0)] {
            assert_eq!(core_depends_on_nothing(&Tree::default(), &core(kind)).len(), found, "{kind:?}");
        }
    }

    #[test]
    fn a_dependency_against_the_direction_is_found() {
        for (package, on) in [
            ("workspace-core", "workspace-search"),
            ("workspace-search", "workspace-local"),
            ("workspace-search", "workspace-shell-policy"),
            ("workspace-local", "workspace-memory"),
            ("workspace-posix", "workspace-docker"),
            ("workspace-tools", "workspace-posix"),
            ("workspace-local", "workspace-tools"),
            ("workspace-testkit", "workspace-memory"),
            ("workspace-tools", "workspace-testkit"),
            ("workspace-tools", "workspace-cli"),
            ("xtask", "workspace-cli"),
            ("workspace-tools", "agent-loops"),
            ("workspace-e2b-fake", "workspace-core"),
            ("workspace-e2b", "workspace-e2b-fake"),
            ("workspace-cli", "workspace-e2b-fake"),
        ] {
            check(member(package, [dependency(on, Kind::Normal)]), &[package]);
        }
        check(member("workspace-local", [dependency("workspace-cli", Kind::Dev)]), &["workspace-local"]);
        check(member("workspace-new", []), &["workspace-new"]);
    }

    #[test]
    fn a_dependency_along_the_direction_is_fine() {
        for (package, on, kind) in [
            ("workspace-search", "workspace-core", Kind::Normal),
            ("workspace-local", "workspace-search", Kind::Normal),
            ("workspace-docker", "workspace-posix", Kind::Normal),
            ("workspace-testkit", "workspace-memory", Kind::Dev),
            ("workspace-e2b", "workspace-e2b-fake", Kind::Dev),
            ("workspace-tools", "workspace-local", Kind::Dev),
            ("workspace-cli", "workspace-local", Kind::Normal),
            ("agent-loops", "workspace-tools", Kind::Normal),
            ("workspace-core", "bytes", Kind::Normal),
        ] {
            check(member(package, [dependency(on, kind)]), &[]);
        }
    }

    #[test]
    fn tools_take_a_backend_by_the_feature_of_its_name() {
        let tools = |optional, features: &[(&str, &str)]| {
            let mut local = dependency("workspace-local", Kind::Normal);
            local.optional = optional;
            let mut tools = member("workspace-tools", [local]);
            tools.features = features.iter().map(|(name, on)| ((*name).into(), vec![(*on).into()])).collect();
            tools
        };
        let feature = ("local", "dep:workspace-local");
        check(tools(true, &[feature]), &[]);
        check(tools(false, &[feature]), &["workspace-tools"]);
        check(tools(true, &[]), &["workspace-tools"]);
        check(tools(true, &[("disk", "dep:workspace-local")]), &["workspace-tools"]);
        check(tools(true, &[feature, ("jobs", "workspace-local/jobs")]), &["workspace-tools"]);
    }
}
