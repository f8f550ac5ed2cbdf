//! The daemon inside a sandbox: processes over Connect, files over plain HTTP.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use secrecy::SecretString;
use serde_json::json;
use tokio::time::{Instant, timeout, timeout_at};
use workspace_core::{Body, Error, ErrorKind, Result};
use workspace_posix::script_arguments;

use crate::api::{Made, encoded};
use crate::connect::envelope;
use crate::error::{self, Place};
use crate::failure::{Again, Failure};
use crate::http::Http;
use crate::process::Running;
use crate::retry::{Patience, Repeat, retry};
use crate::secrets;
use crate::version::Version;

/// Where envd listens.
const PORT: &str = "49983";
const STREAM: &str = "application/connect+json";
/// Bodies up to this many bytes are held, so that they can be sent again.
const HELD: usize = 16 << 20;

/// The daemon of one sandbox.
#[derive(Debug)]
pub(crate) struct Envd {
    http: Http,
    url: String,
    /// Who asks, and whom. A sandbox that was resumed has a new token.
    headers: RwLock<HeaderMap>,
    user: Option<String>,
    patience: Patience,
    version: Version,
}

/// Which sandbox, as its daemon and the proxy before it want to hear it.
#[derive(Debug, Default)]
pub(crate) struct Access {
    pub(crate) id: Option<String>,
    pub(crate) token: Option<SecretString>,
    pub(crate) traffic_token: Option<SecretString>,
}

impl Access {
    pub(crate) fn of(made: &Made) -> Self {
        Self {
            id: Some(made.sandbox_id.clone()),
            token: made.envd_access_token.clone(),
            traffic_token: made.traffic_access_token.clone(),
        }
    }

    fn headers(&self, http: &Http, user: Option<&str>) -> Result<HeaderMap> {
        let mut headers = HeaderMap::new();
        if let Some(id) = &self.id {
            let wrong = |_| Error::new(ErrorKind::InvalidInput, "the id of the sandbox is none");
            headers
                .insert(HeaderName::from_static("e2b-sandbox-id"), HeaderValue::from_str(id).map_err(wrong)?);
            headers.insert(HeaderName::from_static("e2b-sandbox-port"), HeaderValue::from_static(PORT));
        }
        let tokens = [("x-access-token", &self.token), ("e2b-traffic-access-token", &self.traffic_token)];
        for (name, token) in tokens {
            if let Some(token) = token {
                http.secrets.keep(token);
                headers.insert(HeaderName::from_static(name), secrets::header(token)?);
            }
        }
        if let Some(user) = user {
            let text = SecretString::from(format!("Basic {}", STANDARD.encode(format!("{user}:"))));
            headers.insert(AUTHORIZATION, secrets::header(&text)?);
        }
        Ok(headers)
    }
}

impl Envd {
    /// # Errors
    /// [`InvalidInput`](ErrorKind::InvalidInput) for an id or a token that no header holds.
    pub(crate) fn new(
        http: Http,
        url: &str,
        access: &Access,
        user: Option<String>,
        version: Version,
        patience: Patience,
    ) -> Result<Self> {
        // An old daemon has no default user.
        let user = user.or_else(|| version.wants_user().then(|| "user".to_owned()));
        let headers = RwLock::new(access.headers(&http, user.as_deref())?);
        Ok(Self { http, url: url.trim_end_matches('/').to_owned(), headers, user, patience, version })
    }

    pub(crate) fn patience(&self) -> Patience {
        self.patience
    }

    /// Takes what a sandbox said when it was resumed.
    pub(crate) fn renew(&self, access: &Access) -> Result<()> {
        let headers = access.headers(&self.http, self.user.as_deref())?;
        *self.headers.write().unwrap_or_else(PoisonError::into_inner) = headers;
        Ok(())
    }

    fn headers(&self) -> HeaderMap {
        self.headers.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How often a stream that has nothing to tell says so: a third of the patience.
    fn ping(&self) -> Duration {
        Duration::from_secs((self.patience.deadline.as_secs() / 6).clamp(1, 10))
    }

    /// Starts `sh` with a script, without input. Its leader is killed after `limit`.
    ///
    /// The answer is a process that runs.
    pub(crate) async fn start(&self, script: &str, limit: Option<Duration>) -> Result<Running, Failure> {
        let message = json!({
            "process": { "cmd": "/bin/sh", "args": script_arguments(script), "cwd": "/" },
            "stdin": false,
        });
        let ping = self.ping();
        let mut request = self
            .http
            .client()
            .post(format!("{}/process.Process/Start", self.url))
            .headers(self.headers())
            .header(CONTENT_TYPE, STREAM)
            .header("connect-protocol-version", "1")
            .header("connect-accept-encoding", "identity")
            .header("keepalive-ping-interval", ping.as_secs().to_string())
            .body(envelope(message.to_string().as_bytes()));
        if let Some(limit) = limit {
            request = request.header("connect-timeout-ms", limit.as_millis().to_string());
        }
        let request = request.build().map_err(Failure::of_transport)?;
        // A start is answered at once, whatever the script then does.
        let begun = Instant::now() + self.patience.deadline / 3;
        let starting = async {
            let response = self.http.open(request).await?;
            let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
            if response.status() != 200 || !kind.is_some_and(|kind| kind.starts_with(STREAM)) {
                let answer = self.http.read(response).await?;
                if answer.is_success() && !answer.is_page() {
                    return Err(Failure::garbled("the answer is no stream of a process".into()));
                }
                return Err(error::answered(Place::Sandbox, &answer));
            }
            Running::begin(response, ping.saturating_mul(2) + Duration::from_secs(1)).await
        };
        match timeout_at(begun, starting).await {
            Ok(running) => running,
            Err(_) => Err(Failure::silent()),
        }
    }

    /// Whether a file can be sent as it is.
    pub(crate) fn uploads(&self) -> bool {
        self.version.takes_raw_bodies()
    }

    /// Fills a file, named by its absolute path. Nothing but this file changes, so that it may
    /// be sent again; a body that is too large to be held is sent once.
    pub(crate) async fn upload(&self, path: &str, mut body: Body) -> Result<u64, Failure> {
        let mut bytes = Vec::new();
        while bytes.len() <= HELD {
            match body.next().await {
                None => return self.upload_bytes(path, bytes).await,
                Some(piece) => bytes.extend(piece.map_err(Failure::told)?),
            }
        }
        self.upload_stream(path, bytes, body).await
    }

    fn upload_to(&self, path: &str) -> reqwest::RequestBuilder {
        let mut url = format!("{}/files?path={}", self.url, encoded(path));
        if let Some(user) = &self.user {
            url.push_str("&username=");
            url.push_str(&encoded(user));
        }
        let mut headers = self.headers();
        headers.remove(AUTHORIZATION);
        self.http.client().post(url).headers(headers).header(CONTENT_TYPE, "application/octet-stream")
    }

    async fn upload_bytes(&self, path: &str, bytes: Vec<u8>) -> Result<u64, Failure> {
        let sent = bytes.len() as u64;
        let bytes = bytes::Bytes::from(bytes);
        // So much longer as the bytes take on a slow line.
        let slow = Duration::from_secs(sent / (64 << 10));
        let patience = Patience { deadline: self.patience.deadline + slow, ..self.patience };
        retry(patience, Repeat::Harmless, || async {
            let request = self.upload_to(path).body(bytes.clone()).build().map_err(Failure::of_transport)?;
            self.uploaded(request).await
        })
        .await?;
        Ok(sent)
    }

    async fn upload_stream(&self, path: &str, bytes: Vec<u8>, body: Body) -> Result<u64, Failure> {
        let sent = Arc::new(AtomicU64::new(0));
        let broken: Arc<std::sync::Mutex<Option<Error>>> = Arc::default();
        let (count, slot) = (Arc::clone(&sent), Arc::clone(&broken));
        let stream = futures_util::stream::unfold((Some(bytes), body), move |(bytes, mut body)| {
            let (count, slot) = (Arc::clone(&count), Arc::clone(&slot));
            async move {
                let piece = match bytes {
                    Some(bytes) => Some(Ok(bytes)),
                    None => body.next().await,
                };
                let piece = piece?.map_err(|error| {
                    *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    std::io::Error::other("the body failed")
                });
                count.fetch_add(piece.as_ref().map_or(0, Vec::len) as u64, Ordering::AcqRel);
                Some((piece, (None, body)))
            }
        });
        let request = self.upload_to(path).body(reqwest::Body::wrap_stream(stream)).build();
        let mut uploading = std::pin::pin!(self.uploaded(request.map_err(Failure::of_transport)?));
        let mut before = 0;
        let outcome = loop {
            match timeout(self.patience.deadline, &mut uploading).await {
                Ok(outcome) => break outcome,
                Err(_) if sent.load(Ordering::Acquire) == before => break Err(Failure::silent()),
                Err(_) => before = sent.load(Ordering::Acquire),
            }
        };
        let own = broken.lock().unwrap_or_else(PoisonError::into_inner).take();
        match own {
            Some(error) => Err(Failure::told(error)),
            None => outcome.map(|()| sent.load(Ordering::Acquire)),
        }
    }

    async fn uploaded(&self, request: reqwest::Request) -> Result<(), Failure> {
        let answer = self.http.call(request).await?;
        if !answer.is_success() {
            return Err(error::answered(Place::Sandbox, &answer));
        }
        // Whatever its type says, the body is a list of what was written.
        match serde_json::from_slice::<Vec<serde_json::Value>>(&answer.body) {
            Ok(files) if files.len() == 1 => Ok(()),
            _ => Err(Failure::garbled("the answer to an upload names no file".into())),
        }
    }

    /// Asks whether the daemon is there.
    pub(crate) async fn health(&self) -> Result<(), Failure> {
        let request = self.http.client().get(format!("{}/health", self.url)).headers(self.headers());
        let request = request.build().map_err(Failure::of_transport)?;
        let asked = async {
            let answer = self.http.call(request).await?;
            if answer.is_success() && !answer.is_page() {
                Ok(())
            } else {
                Err(error::answered(Place::Sandbox, &answer))
            }
        };
        match timeout(Duration::from_secs(5).min(self.patience.deadline), asked).await {
            Ok(outcome) => outcome,
            Err(_) => Err(Failure { again: Again::No, ..Failure::silent() }),
        }
    }
}
