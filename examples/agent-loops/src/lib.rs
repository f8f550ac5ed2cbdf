//! The tools in the loop of an agent, written twice: as requests to a server that speaks Chat
//! Completions ([`work`]), and with rig ([`rig_tools`]). A server of this machine plays the model
//! ([`ScriptedServer`]), so both run whole without a network.
//!
//! `cargo run -p agent-loops --bin chat` and `--bin rig` show them at work; with `-- URL MODEL` the
//! model is a real one, with the key in `OPENAI_API_KEY`.

mod chat;
mod client;
mod place;
mod project;
mod rig;
mod script;
mod server;

pub use chat::{LoopError, work};
pub use client::client;
pub use place::Place;
pub use project::Project;
pub use rig::{TellUnknown, agent, rig_tools};
pub use script::{Say, Step, mending};
pub use server::ScriptedServer;
