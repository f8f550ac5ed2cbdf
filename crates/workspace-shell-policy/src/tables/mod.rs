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
