//! The calls of the control plane.

use std::time::Duration;

use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{Method, RequestBuilder};
use secrecy::SecretString;
use serde_json::json;
use workspace_core::{Error, ErrorKind, Result};

use super::models::{Listed, Made, NewSandbox};
use super::query;
use crate::error::{self, Place};
use crate::failure::{Again, Failure};
use crate::http::{Answer, Http};
use crate::retry::{Patience, Repeat, retry};
use crate::secrets;

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// A list has no more pages.
const PAGES: usize = 1000;

/// The control plane, with a key.
#[derive(Debug, Clone)]
pub(crate) struct Control {
    http: Http,
    url: String,
    key: HeaderValue,
    patience: Patience,
}

/// Which sandboxes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wanted {
    pub(crate) metadata: std::collections::BTreeMap<String, String>,
    /// Whether paused ones count.
    pub(crate) paused: bool,
}

/// How a sandbox came to be.
#[derive(Debug)]
pub(crate) struct Created {
    pub(crate) made: Made,
    /// By a call that makes a second one where it is delivered twice.
    pub(crate) old_call: bool,
}

impl Control {
    /// # Errors
    /// [`InvalidInput`](ErrorKind::InvalidInput) for a key that no header holds.
    pub(crate) fn new(http: Http, url: &str, key: &SecretString, patience: Patience) -> Result<Self> {
        http.secrets.keep(key);
        let url = url.trim_end_matches('/').to_owned();
        Ok(Self { http, url, key: secrets::header(key)?, patience })
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.client().request(method, format!("{}{path}", self.url));
        request.header(API_KEY, self.key.clone())
    }

    /// Sends a request, perhaps again and again, and gives its answer: with one of the statuses
    /// of a success, or a refusal that stands.
    async fn raw(&self, request: RequestBuilder, repeat: Repeat, success: &[u16]) -> Result<Answer, Failure> {
        let request = request.build().map_err(Failure::of_transport)?;
        retry(self.patience, repeat, || async {
            let request = request.try_clone().ok_or_else(|| Failure::garbled("a body is a stream".into()))?;
            let answer = self.http.call(request).await?;
            if success.contains(&answer.status) && !answer.is_page() {
                return Ok(answer);
            }
            if answer.is_success() && !answer.is_page() {
                // Somebody else has answered, and nothing is known.
                return Err(Failure::garbled(format!("status {} is no answer to this", answer.status)));
            }
            let failure = error::answered(Place::Control, &answer);
            if failure.again != Again::No || answer.is_page() { Err(failure) } else { Ok(answer) }
        })
        .await
    }

    /// A request that may be sent again and has one status of success.
    async fn call(&self, request: RequestBuilder, success: u16) -> Result<Answer, Failure> {
        let answer = self.raw(request, Repeat::Harmless, &[success]).await?;
        if answer.status == success { Ok(answer) } else { Err(error::answered(Place::Control, &answer)) }
    }

    /// Makes a sandbox. `token` marks the request, so that it makes one however often it arrives.
    ///
    /// # Errors
    /// The failure, by which the caller sees whether one may have been made all the same.
    pub(crate) async fn create(&self, new: &NewSandbox, token: &str) -> Result<Created, Failure> {
        if new.secure != Some(false) {
            let request = self
                .request(Method::POST, "/v2/sandboxes")
                .header(IDEMPOTENCY_KEY, token)
                .json(&NewSandbox { secure: None, ..new.clone() });
            let answer = self.raw(request, Repeat::Harmless, &[201]).await?;
            // A service that knows the call says 404 too, for a template; the old call then says it again.
            if !matches!(answer.status, 404 | 405) {
                return created(&answer, false);
            }
        }
        let secure = Some(new.secure.unwrap_or(true));
        let request = self.request(Method::POST, "/sandboxes").json(&NewSandbox { secure, ..new.clone() });
        created(&self.raw(request, Repeat::Unsent, &[201]).await?, true)
    }

    /// Attaches to a sandbox; one that is paused runs again. Its end is put off, never drawn nearer.
    pub(crate) async fn connect(&self, id: &str, timeout: Duration) -> Result<Made, Failure> {
        let body = json!({ "timeout": timeout.as_secs() });
        let connect = |generation: &str| {
            let path = format!("{generation}/sandboxes/{}/connect", query::encoded(id));
            self.request(Method::POST, &path).json(&body)
        };
        let mut answer = self.raw(connect("/v2"), Repeat::Harmless, &[200, 201]).await?;
        if matches!(answer.status, 404 | 405) {
            answer = self.raw(connect(""), Repeat::Harmless, &[200, 201]).await?;
        }
        if !answer.is_success() {
            return Err(no_sandbox(error::answered(Place::Control, &answer)));
        }
        parsed(&answer)
    }

    pub(crate) async fn get(&self, id: &str) -> Result<Listed, Failure> {
        let request = self.request(Method::GET, &format!("/sandboxes/{}", query::encoded(id)));
        parsed(&self.call(request, 200).await.map_err(no_sandbox)?)
    }

    pub(crate) async fn list(&self, wanted: &Wanted) -> Result<Vec<Listed>, Failure> {
        let mut all = Vec::new();
        let mut next: Option<String> = None;
        for _ in 0..PAGES {
            let mut pairs =
                vec![("state", if wanted.paused { "running,paused" } else { "running" }.to_owned())];
            if !wanted.metadata.is_empty() {
                pairs.push(("metadata", query::metadata(&wanted.metadata)));
            }
            pairs.extend(next.take().map(|token| ("nextToken", token)));
            let query: Vec<_> =
                pairs.iter().map(|(name, value)| format!("{name}={}", query::encoded(value))).collect();
            let request = self.request(Method::GET, &format!("/v2/sandboxes?{}", query.join("&")));
            let answer = self.call(request, 200).await?;
            all.extend(parsed::<Vec<Listed>>(&answer)?);
            next = answer.next;
            if next.is_none() {
                return Ok(all);
            }
        }
        Err(Failure::garbled("a list has no end".into()))
    }

    /// Ends a sandbox; false where there is none.
    pub(crate) async fn kill(&self, id: &str) -> Result<bool, Failure> {
        let request = self.request(Method::DELETE, &format!("/sandboxes/{}", query::encoded(id)));
        let answer = self.raw(request, Repeat::Harmless, &[204]).await?;
        match answer.status {
            404 => Ok(false),
            204 => Ok(true),
            _ => Err(error::answered(Place::Control, &answer)),
        }
    }

    /// Pauses a sandbox; false where it is paused already.
    pub(crate) async fn pause(&self, id: &str) -> Result<bool, Failure> {
        let path = format!("/sandboxes/{}/pause", query::encoded(id));
        let request = self.request(Method::POST, &path).json(&json!({}));
        match self.call(request, 204).await.map_err(no_sandbox) {
            Ok(_) => Ok(true),
            // One status for two states: which of them it is, the sandbox tells.
            Err(failure) => match self.get(id).await {
                Ok(found) if found.state.as_deref() == Some("paused") => Ok(false),
                _ => Err(failure),
            },
        }
    }

    /// Sets how long a sandbox lives from now on.
    pub(crate) async fn set_timeout(&self, id: &str, timeout: Duration) -> Result<(), Failure> {
        let path = format!("/sandboxes/{}/timeout", query::encoded(id));
        let request = self.request(Method::POST, &path).json(&json!({ "timeout": timeout.as_secs() }));
        self.call(request, 204).await.map(drop).map_err(no_sandbox)
    }

    /// Puts the end of a sandbox off, never nearer.
    pub(crate) async fn refresh(&self, id: &str, timeout: Duration) -> Result<(), Failure> {
        const MOST: u64 = 3600;
        let path = format!("/sandboxes/{}/refreshes", query::encoded(id));
        let body = json!({ "duration": timeout.as_secs().min(MOST) });
        let request = self.request(Method::POST, &path).json(&body);
        self.call(request, 204).await.map(drop).map_err(no_sandbox)
    }
}

fn parsed<T: serde::de::DeserializeOwned>(answer: &Answer) -> Result<T, Failure> {
    if answer.is_page() {
        return Err(error::answered(Place::Control, answer));
    }
    serde_json::from_slice(&answer.body)
        .map_err(|cause| Failure::garbled(format!("line {}, column {}", cause.line(), cause.column())))
}

fn created(answer: &Answer, old_call: bool) -> Result<Created, Failure> {
    if answer.is_success() {
        return Ok(Created { made: parsed(answer)?, old_call });
    }
    let failure = error::answered(Place::Control, answer);
    if failure.error.kind() != ErrorKind::NotFound {
        return Err(failure);
    }
    let error = Error::new(ErrorKind::NotFound, "the service knows no such template")
        .hint("look the name up in the dashboard; a template of another team cannot be used")
        .because(failure.error);
    Err(Failure { error, ..failure })
}

fn no_sandbox(failure: Failure) -> Failure {
    if failure.error.kind() != ErrorKind::NotFound {
        return failure;
    }
    let error = Error::new(
        ErrorKind::NotFound,
        "the service knows no such sandbox: it has ended, or its id is wrong",
    )
    .hint("list the sandboxes, or make a new one")
    .because(failure.error);
    Failure { error, ..failure }
}
