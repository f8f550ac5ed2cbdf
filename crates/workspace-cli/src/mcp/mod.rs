//! `workspace mcp`: the tools over the Model Context Protocol.

mod answer;
mod calls;
#[cfg(feature = "http")]
mod http;
mod instructions;
mod owner;
mod report;
mod resources;
mod roots;
mod server;
mod stdio;
#[cfg(feature = "http")]
mod token;

use std::process::ExitCode;

use rmcp::service::{ServerInitializeError, ServiceExt};
use rmcp::transport::io::stdio_pipes;
use tokio_util::sync::CancellationToken;

use self::owner::Owner;
use self::server::Server;
use self::stdio::Lines;
use crate::args::{Approve, McpArgs, WorkspaceArgs};
use crate::failure::Failure;
use crate::open::open;
use crate::signals;

/// The longest message of a client, in bytes.
const LONGEST: usize = 16 << 20;

/// Serves until the client leaves or the program is asked to end. Then every command is ended.
pub(crate) async fn run(mcp: &McpArgs, args: &WorkspaceArgs) -> Result<ExitCode, Failure> {
    #[cfg(feature = "http")]
    let address = mcp.http.as_deref().map(http::address).transpose()?;
    let tools = open(args).await?;
    let owner = match args.approve {
        Approve::Ask => Some(Owner::new()?),
        Approve::All | Approve::None => None,
    };
    let server = Server::new(tools.clone(), owner);
    let ending = CancellationToken::new();
    signals::cancel_at_signal(ending.clone());
    #[cfg(feature = "http")]
    let ended = match address {
        Some(address) => http::serve(server, address, mcp.token_file.as_deref(), &ending).await,
        None => over_stdio(server, &ending).await,
    };
    #[cfg(not(feature = "http"))]
    let ended = {
        let McpArgs {} = mcp;
        over_stdio(server, &ending).await
    };
    tools.workspace().dispose().await;
    ended.map(|()| ExitCode::SUCCESS)
}

async fn over_stdio(server: Server, ending: &CancellationToken) -> Result<(), Failure> {
    let (input, output) = stdio_pipes();
    let lines = Lines::new(input, output, ending.clone());
    let running = match Box::pin(server.serve_with_ct(lines, ending.clone())).await {
        Ok(running) => running,
        // A client may leave before it has said anything.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => return Ok(()),
        Err(error) => return Err(Failure::Mcp(error.to_string())),
    };
    running.waiting().await.map(drop).map_err(|error| Failure::Mcp(error.to_string()))
}
