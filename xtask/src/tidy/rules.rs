//! The page of rules promises nothing that no test holds, and leaves no rule out.

use std::collections::{BTreeMap, BTreeSet};

use super::finding::Finding;
use super::invariants::tests;
use super::tree::Tree;

const PAGE: &str = "docs/rules.md";
/// What stands for tests where there are none; a reason follows.
const NONE: &str = "—";

/// The number of a rule: its area and its place there. `R-EDIT-4` is the rule of tests
/// that begin with `r_edit_4_`.
type Rule = (String, u32);

/// Each row names tests that exist, or says why there is none; each rule that a test
/// carries in its name has a row; rows stand in order.
pub(super) fn name_tests(tree: &Tree) -> Vec<Finding> {
    let Some(page) = tree.text(PAGE) else {
        return vec![Finding::new(PAGE, "there is no such page", "write a row for every rule")];
    };
    let tests: BTreeSet<&str> = tree.with_extension("rs").flat_map(|(_, text)| tests(text)).collect();
    let mut carried: BTreeMap<Rule, Vec<&str>> = BTreeMap::new();
    for test in &tests {
        if let Some(rule) = rule_of_test(test) {
            carried.entry(rule).or_default().push(test);
        }
    }
    let mut findings = Vec::new();
    let mut rows: Vec<Row<'_>> = Vec::new();
    for (line, number) in page.lines().zip(1..) {
        if line.starts_with("| R-") {
            match Row::read(line, number) {
                Some(row) => rows.push(row),
                None => findings.push(Finding::at(
                    PAGE,
                    number,
                    "this row cannot be read",
                    "write `| R-AREA-N | what holds | tests between backticks, or — and why there is none |`",
                )),
            }
        }
    }
    findings.extend(out_of_order(&rows));
    for row in &rows {
        findings.extend(row.faults(&tests, carried.get(&row.rule)));
    }
    for (rule, tests) in &carried {
        if !rows.iter().any(|row| row.rule == *rule) {
            let wrong =
                format!("`{}` has no row, and `{}` is named after it", shown(rule), tests.join("`, `"));
            findings.push(Finding::new(
                PAGE,
                wrong,
                "write the row, or name the test after the rule it holds",
            ));
        }
    }
    findings
}

/// One line of the table.
struct Row<'a> {
    line: usize,
    rule: Rule,
    what: &'a str,
    held_by: &'a str,
}

impl<'a> Row<'a> {
    fn read(line: &'a str, number: usize) -> Option<Self> {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        let ["", rule, what, held_by, ""] = cells.as_slice() else { return None };
        let (area, place) = rule.strip_prefix("R-")?.rsplit_once('-')?;
        let rule = (area.to_lowercase(), place.parse().ok()?);
        Some(Self { line: number, rule, what, held_by })
    }

    /// What is wrong with the row itself. `own` are the tests that carry its rule in their names.
    fn faults(&self, tests: &BTreeSet<&str>, own: Option<&Vec<&str>>) -> Vec<Finding> {
        let at = |wrong: String, mend: &str| Finding::at(PAGE, self.line, wrong, mend);
        let mut faults = Vec::new();
        if self.what.is_empty() {
            faults.push(at("the row does not say what holds".into(), "say it in one line"));
        }
        let names: Vec<_> = self.held_by.split('`').skip(1).step_by(2).collect();
        let reason = self.held_by.strip_prefix(NONE).map(str::trim);
        match reason {
            Some("") => {
                faults.push(at("no test and no reason".into(), "say after the — why there is no test"));
            }
            Some(_) => {}
            None if names.is_empty() => {
                let mend = "name one between backticks, or write — and why there is none";
                faults.push(at("the row names no test".into(), mend));
            }
            None => {
                for name in names.iter().filter(|name| !tests.contains(*name)) {
                    let mend = "write it, or name the one that holds the rule now";
                    faults.push(at(format!("there is no test `{name}`"), mend));
                }
            }
        }
        if let Some(own) = own
            && !own.iter().any(|test| names.contains(test))
        {
            let wrong =
                format!("`{}` is named after this rule, and the row names no such test", own.join("`, `"));
            faults.push(at(wrong, "name it in the row"));
        }
        faults
    }
}

/// Areas stand together, and each counts from 1 without a gap.
fn out_of_order(rows: &[Row<'_>]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut last: BTreeMap<&str, u32> = BTreeMap::new();
    let mut area = "";
    for row in rows {
        let (here, place) = (row.rule.0.as_str(), row.rule.1);
        let known = last.insert(here, place);
        if known.is_some() && here != area {
            let wrong = format!("rows of `R-{}` stand apart", here.to_uppercase());
            findings.push(Finding::at(PAGE, row.line, wrong, "move them together"));
        } else if place != known.unwrap_or(0) + 1 {
            let expected = shown(&(here.to_owned(), known.unwrap_or(0) + 1));
            let wrong = format!("`{}` stands where `{expected}` belongs", shown(&row.rule));
            findings.push(Finding::at(PAGE, row.line, wrong, "put the rows in order, none left out"));
        }
        area = here;
    }
    findings
}

/// The rule that a test carries in its name.
fn rule_of_test(name: &str) -> Option<Rule> {
    let (area, rest) = name.strip_prefix("r_")?.split_once('_')?;
    let (place, _) = rest.split_once('_')?;
    Some((area.to_owned(), place.parse().ok()?))
}

fn shown((area, place): &Rule) -> String {
    format!("R-{}-{place}", area.to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::super::finding::places;
    use super::*;

    const TESTS: &str = "#[test]\nfn r_edit_1_a() {}\n\n#[tokio::test]\nasync fn r_edit_1_b() {}\n\n\
                         #[test]\nfn r_edit_2_c() {}\n\n#[test]\nfn r_e2b_1_d() {}\n\n#[test]\nfn other() {}\n\n\
                         fn r_edit_3_helper() {}\n";

    const GOOD: [&str; 4] = [
        "| R-EDIT-1 | exact | `r_edit_1_a`, `other` |",
        "| R-EDIT-2 | counted | `r_edit_2_c` and more |",
        "| R-EDIT-3 | told | — Windows only: nothing to test here |",
        "| R-E2B-1 | far | `r_e2b_1_d` |",
    ];

    /// The lines of the page, from 1, and `0` for the page as a whole, that have a fault.
    #[track_caller]
    fn check(rows: &[&str], expected: &[usize]) {
        let page = format!("# Rules\n\n| rule | what | tests |\n| --- | --- | --- |\n{}\n", rows.join("\n"));
        let tree = Tree::from([(PAGE, page.as_str()), ("crates/x/tests/it/a.rs", TESTS)]);
        let expected: Vec<_> = expected
            .iter()
            .map(|line| if *line == 0 { PAGE.to_owned() } else { format!("{PAGE}:{}", line + 4) })
            .collect();
        assert_eq!(places(&name_tests(&tree)), expected, "{rows:#?}");
    }

    /// The good page with one row in the place of another.
    #[track_caller]
    fn planted(row: usize, text: &str, expected: &[usize]) {
        let mut rows = GOOD;
        rows[row - 1] = text;
        check(&rows, expected);
    }

    #[test]
    fn a_page_whose_rows_hold_is_clean() {
        check(&GOOD, &[]);
    }

    #[test]
    fn a_row_that_names_no_test_of_the_tree_is_found() {
        planted(1, "| R-EDIT-1 | exact | `r_edit_1_a`, `r_edit_1_gone` |", &[1]);
        planted(1, "| R-EDIT-1 | exact | r_edit_1_a |", &[1, 1]);
        planted(3, "| R-EDIT-3 | told | `r_edit_3_helper` |", &[3]);
        planted(3, "| R-EDIT-3 | told | |", &[3]);
        planted(3, "| R-EDIT-3 | told | — |", &[3]);
        planted(3, "| R-EDIT-3 | | — why |", &[3]);
    }

    #[test]
    fn a_row_without_the_tests_that_are_named_after_it_is_found() {
        planted(1, "| R-EDIT-1 | exact | `other` |", &[1]);
        planted(2, "| R-EDIT-2 | counted | — nobody looked |", &[2]);
    }

    #[test]
    fn a_rule_without_a_row_is_found() {
        check(&GOOD[..3], &[0]);
        check(&[GOOD[0], GOOD[3]], &[0]);
        check(&[], &[0, 0, 0]);
        assert_eq!(places(&name_tests(&Tree::default())), [PAGE]);
    }

    #[test]
    fn rows_out_of_order_are_found() {
        check(&[GOOD[1], GOOD[0], GOOD[2], GOOD[3]], &[1, 2, 3]);
        check(&[GOOD[0], GOOD[1], GOOD[3], GOOD[2]], &[4]);
        check(&[GOOD[0], GOOD[1], GOOD[1], GOOD[2], GOOD[3]], &[3]);
        check(&[GOOD[0], GOOD[2], GOOD[3]], &[2, 0]);
    }

    #[test]
    fn a_row_that_cannot_be_read_is_found() {
        planted(3, "| R-EDIT-3 | a | b | — why |", &[3]);
        planted(3, "| R-EDIT-x | told | — why |", &[3]);
    }
}
