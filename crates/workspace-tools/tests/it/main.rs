//! The tools as their callers see them, over real backends.
#![allow(clippy::disallowed_methods)] // Tests set up and check real trees.

mod bugs;
mod commands;
