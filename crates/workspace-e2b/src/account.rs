//! An account with the service, and its sandboxes.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use secrecy::SecretString;
use workspace_core::{Error, ErrorKind, Result};

use crate::api::{Control, Listed, Wanted};
use crate::failure::Failure;
use crate::http::{Http, Way};
use crate::retry::Patience;
use crate::secrets::Secrets;

/// Where the service is reached, and by which key.
///
/// The key is in no message and no `Debug`, and is wiped from memory with the last
/// clone. Nothing is read from the environment.
#[derive(Clone)]
pub struct E2bAccount {
    pub(crate) key: SecretString,
    pub(crate) domain: String,
    pub(crate) api_url: Option<String>,
    pub(crate) sandbox_url: Option<String>,
    pub(crate) way: Way,
    pub(crate) patience: Patience,
}

/// What patience is by default.
pub(crate) const PATIENCE: Patience = Patience { deadline: Duration::from_secs(30), retries: 3 };

impl E2bAccount {
    /// An account of the public service, by its key: `e2b_…`.
    pub fn new(key: impl Into<String>) -> Self {
        Self {
            key: SecretString::from(key.into()),
            domain: "e2b.app".into(),
            api_url: None,
            sandbox_url: None,
            way: Way::default(),
            patience: PATIENCE,
        }
    }

    /// Sets the domain of another installation of the service; `e2b.app` by default.
    #[must_use]
    pub fn with_domain(mut self, domain: impl Into<String>) -> Self {
        self.domain = domain.into();
        self
    }

    /// Sets where the control plane is; `https://api.DOMAIN` by default.
    #[must_use]
    pub fn with_api_url(mut self, url: impl Into<String>) -> Self {
        self.api_url = Some(url.into());
        self
    }

    /// Sets one address for all sandboxes, told apart by headers. By default it
    /// follows from the domain.
    #[must_use]
    pub fn with_sandbox_url(mut self, url: impl Into<String>) -> Self {
        self.sandbox_url = Some(url.into());
        self
    }

    /// Sets a proxy for all requests: `http://host:port`. There is none by default,
    /// whatever the environment says.
    #[must_use]
    pub fn with_proxy(mut self, url: impl Into<String>) -> Self {
        self.way.proxy = Some(url.into());
        self
    }

    /// Trusts a certificate, in DER, beside those of the system.
    #[must_use]
    pub fn with_certificate(mut self, der: impl Into<Vec<u8>>) -> Self {
        self.way.certificates.push(der.into());
        self
    }

    /// Sets how long a call may take, with all that is sent again; 30 seconds by default,
    /// a day at most. A call that moves much data may take longer while data flows.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.patience.set_deadline(deadline);
        self
    }

    /// Sets how often a request is sent again that failed, where that does no harm; 3 by default.
    #[must_use]
    pub fn with_retries(mut self, retries: u32) -> Self {
        self.patience.retries = retries;
        self
    }

    /// The sandboxes of the account.
    ///
    /// # Errors
    /// [`Permission`](ErrorKind::Permission) for a key that is not accepted,
    /// [`Unavailable`](ErrorKind::Unavailable) and [`TimedOut`](ErrorKind::TimedOut)
    /// where the service cannot be reached.
    pub async fn list(&self, query: SandboxQuery) -> Result<Vec<SandboxInfo>> {
        let wanted = Wanted { metadata: query.metadata, paused: query.paused };
        let found = self.control()?.list(&wanted).await.map_err(|failure| told(failure, "list"))?;
        Ok(found.into_iter().map(SandboxInfo::of).collect())
    }

    /// What the service knows of a sandbox.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound), and those of [`list`](Self::list).
    pub async fn info(&self, sandbox: &str) -> Result<SandboxInfo> {
        let found = self.control()?.get(sandbox).await.map_err(|failure| told(failure, "info"))?;
        Ok(SandboxInfo::of(found))
    }

    /// Ends a sandbox with all that is in it; false where there is none.
    ///
    /// # Errors
    /// Those of [`list`](Self::list).
    pub async fn kill(&self, sandbox: &str) -> Result<bool> {
        self.control()?.kill(sandbox).await.map_err(|failure| told(failure, "kill"))
    }

    /// Pauses a sandbox with its memory; false where it is paused already.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound), and those of [`list`](Self::list).
    pub async fn pause(&self, sandbox: &str) -> Result<bool> {
        self.control()?.pause(sandbox).await.map_err(|failure| told(failure, "pause"))
    }

    pub(crate) fn control(&self) -> Result<Control> {
        let secrets = Secrets::default();
        self.control_by(&Http::new(&self.way, secrets)?)
    }

    pub(crate) fn control_by(&self, http: &Http) -> Result<Control> {
        let url = self.api_url.clone().unwrap_or_else(|| format!("https://api.{}", self.domain));
        Control::new(http.clone(), &url, &self.key, self.patience)
    }
}

fn told(failure: Failure, operation: &'static str) -> Error {
    failure.error.during(operation)
}

impl fmt::Debug for E2bAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("E2bAccount")
            .field("domain", &self.domain)
            .field("api_url", &self.api_url)
            .field("sandbox_url", &self.sandbox_url)
            .finish_non_exhaustive()
    }
}

/// Which sandboxes are listed; by default all that run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SandboxQuery {
    metadata: BTreeMap<String, String>,
    paused: bool,
}

impl SandboxQuery {
    /// Lists those alone that have this piece of metadata.
    #[must_use]
    pub fn with_metadata(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.metadata.insert(name.into(), value.into());
        self
    }

    /// Says whether paused ones are listed too; false by default.
    #[must_use]
    pub fn with_paused(mut self, paused: bool) -> Self {
        self.paused = paused;
        self
    }
}

/// What the service knows of a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SandboxInfo {
    /// Its id.
    pub id: String,
    /// The id of its template, or its name where it has one.
    pub template: String,
    /// Whether it is paused.
    pub paused: bool,
    /// When it was started, as the service writes it (RFC 3339).
    pub started: Option<String>,
    /// When it ends by itself, as the service writes it (RFC 3339).
    pub ends: Option<String>,
    /// The version of its envd.
    pub envd_version: Option<String>,
    /// What it was given as metadata.
    pub metadata: BTreeMap<String, String>,
}

impl SandboxInfo {
    fn of(found: Listed) -> Self {
        Self {
            id: found.sandbox_id,
            template: found.alias.unwrap_or(found.template_id),
            paused: found.state.as_deref() == Some("paused"),
            started: found.started_at,
            ends: found.end_at,
            envd_version: found.envd_version,
            metadata: found.metadata.unwrap_or_default(),
        }
    }
}

/// A proxy that holds a password would show it; the address of one is checked when it is used.
pub(crate) fn checked_url(url: &str) -> Result<()> {
    let sound = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    if sound.is_some_and(|rest| !rest.is_empty() && !rest.contains(['@', ' ', '?', '#'])) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::InvalidInput, "an address is no `http://` or `https://` address of a host")
        .hint("for example `https://api.e2b.app`")
        .during("open"))
}
