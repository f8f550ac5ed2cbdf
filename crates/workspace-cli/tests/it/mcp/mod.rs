//! `workspace mcp`, spoken to in plain lines and requests.

mod approvals;
mod bad_input;
mod bugs;
mod client;
#[cfg(target_os = "linux")]
mod endings;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "http")]
mod http_client;
mod plan;
mod processes;
mod progress;
mod resources;
mod roots;
mod sdk;
mod session;
mod tools;
