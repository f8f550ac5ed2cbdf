//! The connection to the engine.

use std::time::Duration;

use bollard::{API_DEFAULT_VERSION, Docker as Client};
use tokio::time::timeout;
use workspace_core::Result;

use crate::error;

/// What of an answer's headers a large transfer may wait for: they come last where much is sent.
const LONG: u64 = 24 * 60 * 60;
const UNIX: &str = "unix://";

/// An engine that has answered once. A clone is the same connection.
#[derive(Clone)]
pub(crate) struct Engine {
    client: Client,
    /// For transfers, whose end is the caller's to watch.
    long: Client,
    deadline: Duration,
}

impl Engine {
    pub(crate) async fn connect(address: Option<&str>, deadline: Duration) -> Result<Self> {
        let open = |seconds: u64| match address {
            None => {
                let default = if cfg!(windows) { "//./pipe/docker_engine" } else { "/var/run/docker.sock" };
                Client::connect_with_socket(default, seconds, API_DEFAULT_VERSION)
            }
            Some(address) => {
                let path = address.strip_prefix(UNIX).unwrap_or(address);
                Client::connect_with_socket(path, seconds, API_DEFAULT_VERSION)
            }
        };
        let connect = async {
            let client = open(deadline.as_secs().max(1)).map_err(error::ours)?;
            let client = client.negotiate_version().await.map_err(error::ours)?;
            let long = open(LONG).map_err(error::ours)?.negotiate_version().await.map_err(error::ours)?;
            Ok(Self { client, long, deadline })
        };
        match timeout(deadline, connect).await {
            Ok(engine) => engine,
            Err(_) => Err(error::silent()),
        }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn long(&self) -> &Client {
        &self.long
    }

    pub(crate) fn deadline(&self) -> Duration {
        self.deadline
    }

    /// A call of the engine in bounded time; the engine's own error, for who tells statuses apart.
    pub(crate) async fn raw<T>(
        &self,
        call: impl Future<Output = Result<T, bollard::errors::Error>>,
    ) -> Result<T, bollard::errors::Error> {
        match timeout(self.deadline, call).await {
            Ok(answer) => answer,
            Err(_) => Err(bollard::errors::Error::RequestTimeoutError),
        }
    }

    /// A call of the engine in bounded time.
    pub(crate) async fn call<T>(
        &self,
        call: impl Future<Output = Result<T, bollard::errors::Error>>,
    ) -> Result<T> {
        self.raw(call).await.map_err(error::ours)
    }
}
