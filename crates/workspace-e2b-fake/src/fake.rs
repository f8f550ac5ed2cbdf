//! The running fake, as tests hold it.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::sandbox::{Namespace, Tools};
use crate::server::serve;
use crate::state::State;
use crate::wire::Gate;
use crate::{Fault, Options, Recorded};

/// A control plane and its sandboxes, served on a loopback port of their own.
///
/// When it is dropped, the processes of all sandboxes are ended and their files
/// removed before `drop` returns.
#[derive(Debug)]
pub struct Fake {
    state: Arc<State>,
    url: String,
    stop: CancellationToken,
}

impl Fake {
    /// Starts a fake with default [`Options`], on a free port of the loopback.
    ///
    /// # Errors
    /// Where util-linux is not installed, or no port can be opened. Whether
    /// sandboxes can be made, [`Fake::probe`] tells.
    pub async fn start() -> io::Result<Self> {
        Self::start_with(Options::default()).await
    }

    /// Starts a fake with these options.
    ///
    /// # Errors
    /// As [`Fake::start`].
    pub async fn start_with(options: Options) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", options.port)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let state = Arc::new(State::new(options, Tools::find()?));
        let stop = CancellationToken::new();
        tokio::spawn(serve(Gate(listener), Arc::clone(&state), stop.clone()));
        Ok(Self { state, url, stop })
    }

    /// Makes a sandbox and ends it, to learn whether this machine lets us.
    ///
    /// # Errors
    /// Why it does not: most often a lack of rights.
    pub async fn probe(&self) -> io::Result<()> {
        Namespace::open(Arc::clone(&self.state.tools)).await.map(drop)
    }

    /// Whether the users of a sandbox differ: without the rights of root, all
    /// that a sandbox does is done by one user, who is root inside it.
    pub fn has_users(&self) -> bool {
        self.state.tools.root
    }

    /// The base of all URLs, such as `http://127.0.0.1:40001`: of the control
    /// plane, and of the proxy to the sandboxes.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The API key that is accepted; any other is answered with 401.
    pub fn api_key(&self) -> &str {
        &self.state.key
    }

    /// The ids of sandboxes that run or are paused.
    pub fn sandboxes_alive(&self) -> Vec<String> {
        self.state.sandboxes().iter().map(|sandbox| sandbox.id.clone()).collect()
    }

    /// How many processes live in a sandbox: commands and all that they have
    /// started. None in one that is dead or unknown.
    pub fn processes(&self, sandbox: &str) -> usize {
        self.state.sandbox(sandbox).map_or(0, |sandbox| sandbox.namespace.processes())
    }

    /// Waits until nothing is under way: no request is worked on, whether or not its
    /// client has left, and no process lives in any sandbox.
    pub async fn settled(&self) {
        let is_idle = || {
            let mut sandboxes = self.state.sandboxes().into_iter();
            self.state.working.is_idle() && sandboxes.all(|sandbox| sandbox.namespace.processes() == 0)
        };
        while !is_idle() {
            // A process tells nobody here of its end.
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// The directory of this machine that is the root of a sandbox, while it lives.
    pub fn directory(&self, sandbox: &str) -> Option<PathBuf> {
        self.state.sandbox(sandbox)?.namespace.directory()
    }

    /// All requests since the start or since [`Fake::clear_requests`], in the order of arrival.
    pub fn requests(&self) -> Vec<Recorded> {
        self.state.log.all()
    }

    /// Forgets the requests so far.
    pub fn clear_requests(&self) {
        self.state.log.clear();
    }

    /// Lets something go wrong with requests to come.
    pub fn inject(&self, fault: Fault) {
        self.state.faults.arm(fault);
    }

    /// Takes back all faults that wait.
    pub fn clear_faults(&self) {
        self.state.faults.disarm();
    }

    /// What every request waits from now on before it is looked at; at first nothing.
    pub fn set_latency(&self, latency: Duration) {
        *self.state.latency.lock().unwrap_or_else(PoisonError::into_inner) = latency;
    }

    /// Ends the time of a sandbox now: it is killed, or paused where it was made
    /// so. `false` where there is nothing to end.
    pub async fn expire(&self, sandbox: &str) -> bool {
        match self.state.sandbox(sandbox) {
            Some(sandbox) => sandbox.expire().await,
            None => false,
        }
    }

    /// Ends all sandboxes and stops serving, without blocking a thread of the runtime.
    pub async fn stop(self) {
        let stopped = tokio::task::spawn_blocking(move || drop(self));
        if let Err(error) = stopped.await {
            tracing::error!(%error, "the fake did not stop in order");
        }
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.stop.cancel();
        self.state.end_all();
    }
}
