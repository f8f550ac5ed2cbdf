//! Both loops of an agent, from a test that fails to one that passes, without a network.
#![allow(clippy::unwrap_used)] // What is not there fails its test.

mod chat;
mod rig;
mod transcript;
