//! The alternatives of a pattern, joined where they begin alike.

use super::component::Component;
use super::{Position, Step};

/// Alternatives that share what they begin with.
#[derive(Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    roots: Vec<usize>,
}

struct Node {
    component: Component,
    children: Vec<usize>,
    last: bool,
}

impl Tree {
    /// Adds an alternative; one without components adds nothing.
    pub(super) fn add(&mut self, components: Vec<Component>) {
        let mut parent = None;
        let mut behind_any_depth = false;
        for component in components {
            // `**/**` is `**`.
            let any_depth = matches!(component, Component::AnyDepth);
            if !(any_depth && behind_any_depth) {
                parent = Some(self.child(parent, component));
            }
            behind_any_depth = any_depth;
        }
        if behind_any_depth {
            // At the end, `**` is every file below and not the directory's own name.
            let any = Component::Around { before: String::new(), after: String::new() };
            parent = Some(self.child(parent, any));
        }
        if let Some(node) = parent.and_then(|node| self.nodes.get_mut(node)) {
            node.last = true;
        }
    }

    fn child(&mut self, parent: Option<usize>, component: Component) -> usize {
        let siblings =
            parent.map_or(Some(&self.roots), |node| self.nodes.get(node).map(|node| &node.children));
        let known =
            siblings.into_iter().flatten().copied().find(|&sibling| {
                self.nodes.get(sibling).is_some_and(|node| node.component.is_same(&component))
            });
        if let Some(known) = known {
            return known;
        }
        let made = self.nodes.len();
        self.nodes.push(Node { component, children: Vec::new(), last: false });
        match parent.and_then(|node| self.nodes.get_mut(node)) {
            Some(parent) => parent.children.push(made),
            None => self.roots.push(made),
        }
        made
    }

    /// Nodes with those behind a `**`, which may stand for nothing.
    fn open(&self, nodes: &[usize]) -> Vec<usize> {
        let mut open = nodes.to_vec();
        for &node in nodes {
            if let Some(Node { component: Component::AnyDepth, children, .. }) = self.nodes.get(node) {
                // Two of them never follow each other, so one look ahead is enough.
                open.extend(children);
            }
        }
        open.sort_unstable();
        open.dedup();
        open
    }

    /// The steps, and the position before the first.
    pub(super) fn into_steps(self) -> (Vec<Step>, Position) {
        let start = Position(self.open(&self.roots));
        let nexts: Vec<_> = self
            .nodes
            .iter()
            .enumerate()
            .map(|(this, node)| match node.component {
                Component::AnyDepth => self.open(&[this]),
                _ => self.open(&node.children),
            })
            .collect();
        let steps = self.nodes.into_iter().zip(nexts);
        let steps = steps.map(|(node, next)| Step { component: node.component, next, last: node.last });
        (steps.collect(), start)
    }
}
