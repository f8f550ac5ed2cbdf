//! ARCHITECTURE.md promises nothing that no test holds.

use std::collections::BTreeSet;

use super::finding::Finding;
use super::tree::Tree;

const PAGE: &str = "ARCHITECTURE.md";
const MARK: &str = "— test: ";

/// Each line under `## Invariants` ends in the names of tests that exist.
pub(super) fn name_tests(tree: &Tree) -> Vec<Finding> {
    let Some(page) = tree.text(PAGE) else {
        return vec![Finding::new(PAGE, "there is no such page", "write the map of the code")];
    };
    let tests: BTreeSet<&str> = tree.with_extension("rs").flat_map(|(_, text)| tests(text)).collect();
    let mut findings = Vec::new();
    let invariants = invariants(page);
    if invariants.is_empty() {
        findings.push(Finding::new(
            PAGE,
            "it lists no invariant",
            "list them under `## Invariants`, one a line that begins with `- `",
        ));
    }
    for (number, invariant) in invariants {
        let Some((_, tail)) = invariant.rsplit_once(MARK) else {
            let mend = format!("end it with `{MARK}` and the name of a test between backticks");
            findings.push(Finding::at(PAGE, number, "this invariant names no test", mend));
            continue;
        };
        let names: Vec<_> = tail.split('`').skip(1).step_by(2).collect();
        for name in names.iter().filter(|name| !tests.contains(*name)) {
            let wrong = format!("there is no test `{name}`");
            findings.push(Finding::at(PAGE, number, wrong, "write it, or name the one that holds this now"));
        }
        if names.is_empty() {
            findings.push(Finding::at(
                PAGE,
                number,
                "this invariant names no test",
                "put its name between backticks",
            ));
        }
    }
    findings
}

/// The items of the list, each with the number of its first line.
fn invariants(page: &str) -> Vec<(usize, String)> {
    let mut items: Vec<(usize, String)> = Vec::new();
    let section = page.lines().zip(1..).skip_while(|(line, _)| line.trim() != "## Invariants").skip(1);
    for (line, number) in section.take_while(|(line, _)| !line.starts_with("## ")) {
        match (line.strip_prefix("- "), items.last_mut()) {
            (Some(begin), _) => items.push((number, begin.to_owned())),
            (None, Some((_, item))) if line.starts_with(' ') => {
                item.push(' ');
                item.push_str(line.trim());
            }
            _ => {}
        }
    }
    items
}

/// The names of functions with an attribute that ends in `test`.
pub(super) fn tests(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        if let Some(attribute) = line.strip_prefix("#[") {
            let path = attribute.split(['(', ']']).next().unwrap_or_default();
            is_test |= path == "test" || path.ends_with("::test");
        } else if let Some(name) = function(line) {
            if is_test {
                names.push(name);
            }
            is_test = false;
        }
    }
    names
}

fn function(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let line = line.strip_prefix("async ").unwrap_or(line);
    line.strip_prefix("fn ")?.split(['(', '<']).next()
}

#[cfg(test)]
mod tests {
    use super::super::finding::places;
    use super::*;

    const TESTS: &str = "#[test]\nfn one() {}\n\n#[tokio::test(flavor = \"multi_thread\")]\nasync fn two() {}\n\n\
                         fn helper() {}\n";

    #[track_caller]
    fn check(list: &str, lines: &[usize]) {
        let page = format!("# Map\n\n## Invariants\n\n{list}\n## More\n\n- no invariant\n");
        let expected: Vec<_> = lines.iter().map(|line| format!("{PAGE}:{line}")).collect();
        let tree = Tree::from([(PAGE, page.as_str()), ("crates/x/tests/it/a.rs", TESTS)]);
        assert_eq!(places(&name_tests(&tree)), expected, "{list}");
    }

    #[test]
    fn an_invariant_without_a_test_is_found() {
        check("- A holds — test: `one`\n- B holds\n  in two lines — test: `one`, `two`\n", &[]);
        check("- A holds\n", &[5]);
        check("- A holds — test: one\n", &[5]);
        check("- A holds — test: `gone`\n- B holds — test: `helper`\n", &[5, 6]);
        check("- A holds — test: `one`, `gone`\n", &[5]);
    }

    #[test]
    fn a_page_without_invariants_is_found() {
        assert_eq!(places(&name_tests(&Tree::default())), [PAGE]);
        assert_eq!(places(&name_tests(&Tree::from([(PAGE, "# Map\n\n- an item\n")]))), [PAGE]);
    }
}
