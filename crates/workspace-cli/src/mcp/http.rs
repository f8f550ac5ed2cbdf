//! Streamable HTTP on this machine alone.
//!
//! Three locks stand one behind the other: the address is a loopback one, the names in `Host` and
//! `Origin` are those of this server, and every request carries the token. The first keeps other
//! machines out, the second pages in a browser, the third other users and programs.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::WWW_AUTHENTICATE;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::serve::ListenerExt;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::LONGEST;
use super::server::Server;
use super::token::Token;
use crate::failure::Failure;
use crate::open::note;

/// How long a session may be silent, also within one call. Commands that take longer are killed.
const SILENCE: Duration = Duration::from_hours(1);

/// How long clients are waited for at the end.
const LAST_ANSWERS: Duration = Duration::from_secs(3);

/// The address of `--http`: one of this machine, by number or as `localhost`.
pub(super) fn address(text: &str) -> Result<SocketAddr, Failure> {
    let numbers = match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}"),
        None => text.to_owned(),
    };
    let hint = "give an address of this machine and a port, such as 127.0.0.1:8765; port 0 takes a free one";
    let address: SocketAddr =
        numbers.parse().map_err(|_| Failure::usage(format!("`{text}` is no address with a port"), hint))?;
    if !address.ip().is_loopback() {
        return Err(Failure::usage(format!("`{text}` can be reached from other machines"), hint));
    }
    Ok(address)
}

/// Serves until `ending`. Then streams are closed, and no new request is taken.
pub(super) async fn serve(
    server: Server,
    address: SocketAddr,
    token_file: Option<&Path>,
    ending: &CancellationToken,
) -> Result<(), Failure> {
    let token = Token::new(token_file)?;
    let listener = TcpListener::bind(address)
        .await
        .map_err(|error| Failure::Mcp(format!("`{address}` could not be listened on: {error}")))?;
    let address = listener.local_addr().map_err(|error| Failure::Mcp(error.to_string()))?;
    note(&format!("serving MCP at http://{address}/mcp"));
    if let Some(secret) = token.to_be_told() {
        note(&format!("token: {secret}"));
    }
    let service =
        StreamableHttpService::new(move || Ok(server.for_another()), sessions(), config(address, ending));
    let app = Router::new()
        .route_service("/mcp", service)
        .layer(from_fn_with_state(Arc::new(token), must_know_the_token));
    // An answer is one small packet, which need not wait for more.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let serving = axum::serve(listener, app).with_graceful_shutdown(ending.clone().cancelled_owned());
    tokio::select! {
        done = serving => done.map_err(|error| Failure::Mcp(error.to_string())),
        // A client that does not read its answer does not keep the server.
        () = async {
            ending.cancelled().await;
            tokio::time::sleep(LAST_ANSWERS).await;
        } => Ok(()),
    }
}

fn sessions() -> Arc<LocalSessionManager> {
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SILENCE);
    Arc::new(sessions)
}

fn config(address: SocketAddr, ending: &CancellationToken) -> StreamableHttpServerConfig {
    let port = address.port();
    let names = [format!("{address}"), format!("localhost:{port}")];
    let origins = names.clone().map(|name| format!("http://{name}"));
    StreamableHttpServerConfig::default()
        .with_cancellation_token(ending.child_token())
        .with_allowed_hosts(names)
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(LONGEST)
        // One answer is one object; a stream begins with the first word before the answer.
        .with_json_response(true)
}

async fn must_know_the_token(State(token): State<Arc<Token>>, request: Request, next: Next) -> Response {
    if token.is_in(request.headers()) {
        return next.run(request).await;
    }
    let message = "send the header `Authorization: Bearer TOKEN`, with the token of this server\n";
    (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")], message).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_address_of_this_machine_is_taken() {
        for (text, taken) in [
            ("127.0.0.1:8765", Some("127.0.0.1:8765")),
            ("localhost:0", Some("127.0.0.1:0")),
            ("[::1]:80", Some("[::1]:80")),
            ("127.9.9.9:80", Some("127.9.9.9:80")),
            ("0.0.0.0:80", None),
            ("[::]:80", None),
            ("192.168.0.1:80", None),
            ("example.org:80", None),
            ("8765", None),
            ("localhost", None),
        ] {
            let address = address(text).ok().map(|address| address.to_string());
            assert_eq!(address.as_deref(), taken, "{text}");
        }
    }
}
