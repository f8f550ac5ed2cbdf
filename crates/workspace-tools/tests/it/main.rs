//! The tools as their callers see them, over real backends.
#![allow(clippy::disallowed_methods)] // Tests set up and check real trees.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // A helper that panics fails its test.

mod adapters;
mod approvals;
mod bugs;
mod calls;
mod commands;
mod edits;
mod ephemeral;
mod error_words;
mod failures;
mod listings;
mod order;
mod patches;
mod properties;
mod searches;
mod showing;
mod todos;
mod views;
mod writes;
