//! Reading a line: its words without a shell, or its tree in the subset of sh.

mod characters;
mod commands;
mod documents;
mod expansions;
mod operators;
mod parser;
mod quotes;
mod redirects;
mod split;
mod tree;
mod words;

pub(crate) use operators::first_operator;
pub(crate) use parser::{Budget, Origin, Parse, parse};
pub(crate) use split::{operator_refused, split};
pub(crate) use tree::{
    AndOr, Arg, Assignment, Count, Effects, Joint, List, Pipeline, Redirect, Runtime, Simple, Span, Stage,
    Tree, Value,
};
pub(crate) use words::is_name;
