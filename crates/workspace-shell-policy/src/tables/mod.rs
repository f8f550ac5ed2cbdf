//! What the checker knows about programs: data, one table a file.

pub(crate) mod builtins;
pub(crate) mod flags;
pub(crate) mod git;
pub(crate) mod globals;
pub(crate) mod instead;
pub(crate) mod interpreters;
mod operand_rules;
pub(crate) mod operands;
mod option_names;
pub(crate) mod options;
pub(crate) mod outputs;
pub(crate) mod programs;
pub(crate) mod reserved;
pub(crate) mod runners;
pub(crate) mod variables;
pub(crate) mod wrappers;

#[cfg(test)]
mod tests {
    use super::{flags, interpreters, runners, variables, wrappers};

    const GUIDE: &str = include_str!("../../../../docs/shell-policy.md");

    #[test]
    fn the_guide_names_what_the_tables_hold() {
        let names =
            wrappers::names().chain(runners::names()).chain(interpreters::names()).chain(flags::names());
        let missing: Vec<&str> = names
            .chain(variables::names())
            .filter(|name| !GUIDE.contains(&format!("`{name}`")) && !GUIDE.contains(&format!("`{name}*`")))
            .collect();
        assert!(missing.is_empty(), "docs/shell-policy.md lacks {missing:?}");
    }
}
