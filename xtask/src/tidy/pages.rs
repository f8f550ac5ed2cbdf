//! The pages that people read lead to each other.

use std::path::Path;

use super::finding::Finding;
use super::tree::Tree;

const INDEX: &str = "docs/README.md";

/// A page of `docs/` that the index does not name is never found by its reader.
pub(super) fn are_in_the_index(tree: &Tree) -> Vec<Finding> {
    let index = tree.text(INDEX).unwrap_or_default();
    let linked: Vec<_> = links(index).filter_map(|(_, target)| target_path(INDEX, target)).collect();
    let pages = tree.with_extension("md").filter(|(path, _)| path.starts_with("docs/") && *path != INDEX);
    pages
        .filter(|(path, _)| !linked.iter().any(|linked| linked == path))
        .map(|(path, _)| {
            Finding::new(
                path,
                format!("{INDEX} does not link to this page"),
                "add a line with a link for its reader",
            )
        })
        .collect()
}

/// Rust that a page shows is compiled: a crate takes the page in as a doc test.
pub(super) fn have_compiled_examples(tree: &Tree) -> Vec<Finding> {
    let pages = tree.with_extension("md").filter(|(_, text)| text.contains("```rust"));
    pages
        .filter(|(page, _)| {
            let taken_in = format!("/{page}\")");
            !tree.with_extension("rs").any(|(_, text)| {
                text.lines().any(|line| line.contains("doc = include_str!(") && line.contains(&taken_in))
            })
        })
        .map(|(page, _)| {
            let mend = format!(
                "add `#[doc = include_str!(\"../../../{page}\")]` behind `#[cfg(doctest)]` to a lib.rs"
            );
            Finding::new(page, "no crate compiles the Rust on this page", mend)
        })
        .collect()
}

/// A relative link of a page leads to a file or a directory of the tree, and to a heading that is there.
pub(super) fn links_lead_to_files(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.with_extension("md") {
        for (number, target) in links(text) {
            let leads = target_path(path, target).is_none_or(|target| tree.holds(&target));
            if !leads || !has_heading(tree, path, target) {
                let wrong = format!("`{target}` leads nowhere");
                findings.push(Finding::at(
                    path,
                    number,
                    wrong,
                    "correct the link, or write what it promises",
                ));
            }
        }
    }
    findings
}

/// Whether the part of a page that a link names, if it does, has a heading there.
fn has_heading(tree: &Tree, page: &str, target: &str) -> bool {
    let Some((path, part)) = target.split_once('#').filter(|_| !target.contains("://")) else { return true };
    let path = if path.is_empty() { Some(page.to_owned()) } else { target_path(page, path) };
    let Some(text) = path.filter(|path| is_page(path)).and_then(|path| tree.text(&path)) else { return true };
    text.lines().filter(|line| line.starts_with('#')).any(|line| name_of(line) == part)
}

fn is_page(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == "md")
}

/// How a link names a heading.
fn name_of(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = words.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

/// The targets of inline links and images, with their lines, outside of code.
fn links(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    let lines = text.lines().zip(1..).filter(move |(line, _)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    });
    lines.flat_map(|(line, number)| {
        line.match_indices("](").filter_map(move |(at, opening)| {
            let code = line[..at].matches('`').count() % 2 == 1;
            let target = line[at + opening.len()..].split([')', ' ']).next()?;
            (!code).then_some((number, target))
        })
    })
}

/// Where a link of a page leads inside the tree; `None` for one that leaves it or stays on the page.
pub(super) fn target_path(page: &str, target: &str) -> Option<String> {
    let target = target.split('#').next().unwrap_or_default();
    if target.is_empty() || target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let mut names: Vec<&str> = page.split('/').collect();
    names.pop();
    for name in target.split('/') {
        match name {
            "." | "" => {}
            ".." => {
                if names.pop().is_none() {
                    // Above the root there is nothing of ours: the link leads nowhere.
                    return Some(target.to_owned());
                }
            }
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::super::finding::places;
    use super::*;

    #[test]
    fn a_page_outside_the_index_is_found() {
        let tree = Tree::from([
            (INDEX, "- [Use it](use.md#first)\n- [Map](../ARCHITECTURE.md)\n"),
            ("docs/use.md", ""),
            ("docs/lost.md", ""),
            ("ARCHITECTURE.md", ""),
        ]);
        assert_eq!(places(&are_in_the_index(&tree)), ["docs/lost.md"]);
    }

    #[test]
    fn a_page_whose_rust_nobody_compiles_is_found() {
        let page = ("docs/use.md", "```rust\nfn a() {}\n```\n");
        for (lib, expected) in [
            ("#[doc = include_str!(\"../../../docs/use.md\")]", &[][..]),
            ("#[doc = include_str!(\"../../../docs/other-use.md\")]", &["docs/use.md"]),
            ("const PAGE: &str = include_str!(\"../../../docs/use.md\");", &["docs/use.md"]),
        ] {
            let tree = Tree::from([page, ("docs/plain.md", "```toml\n```"), ("crates/x/src/lib.rs", lib)]);
            assert_eq!(places(&have_compiled_examples(&tree)), expected, "{lib}");
        }
    }

    #[test]
    fn a_link_to_nothing_is_found() {
        for (link, found) in [
            ("[a](../README.md)", false),
            ("[a](use.md) and [b](gone.md)", true),
            ("[a](../docs/)", false),
            ("[a](./use.md#part \"title\")", true),
            ("[a](./use.md#a-part-of-it \"title\")", false),
            ("[a](#a-part-of-it) [b](../README.md#x)", true),
            ("[a](#a-part-of-it)", false),
            ("![a](picture.png)", true),
            ("[a](../../README.md)", true),
            ("[a](https://example.com/x) [c](mailto:a@example.com)", false),
            ("`[a](gone.md)`", false),
            ("```\n[a](gone.md)\n```", false),
        ] {
            let page = format!("## A `part` of it\n{link}\n");
            let tree = Tree::from([("README.md", ""), ("docs/use.md", &page)]);
            assert_eq!(links_lead_to_files(&tree).len(), usize::from(found), "{link}");
        }
    }
}
