//! Requests over HTTP/1.1, each with a deadline.

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Client, Proxy, Request, Response, redirect};
use rustls::ClientConfig;
use rustls::pki_types::CertificateDer;
use rustls_platform_verifier::Verifier;
use std::sync::Arc;
use workspace_core::{Error, ErrorKind, Result};

use crate::connect::{Refusal, refusal};
use crate::failure::Failure;
use crate::secrets::Secrets;

/// No answer that is read whole has more bytes.
const LARGEST: usize = 4 << 20;
/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);

/// A client with certificates and a proxy of its own: nothing of the process is used or set.
#[derive(Debug, Clone)]
pub(crate) struct Http {
    client: Client,
    pub(crate) secrets: Secrets,
}

/// How requests leave this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Way {
    pub(crate) proxy: Option<String>,
    /// Certificates that are trusted beside those of the system, in DER.
    pub(crate) certificates: Vec<Vec<u8>>,
}

/// An answer that was read whole.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    pub(crate) retry_after: Option<Duration>,
    /// What the service says about sending it again.
    pub(crate) may_repeat: Option<bool>,
    /// Where a list goes on.
    pub(crate) next: Option<String>,
    secrets: Secrets,
    html: bool,
}

impl Answer {
    #[cfg(test)]
    pub(crate) fn of(status: u16, body: &str) -> Self {
        Self { status, body: body.into(), ..Self::default() }
    }

    fn new(status: u16, headers: &HeaderMap, body: Vec<u8>, secrets: Secrets) -> Self {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        Self {
            status,
            body,
            retry_after: text(RETRY_AFTER.as_str())
                .and_then(|seconds| seconds.trim().parse().ok())
                .map(Duration::from_secs),
            may_repeat: text("should-retry").and_then(|word| word.parse().ok()),
            next: text("x-next-token").map(str::to_owned),
            secrets,
            html: text(CONTENT_TYPE.as_str()).is_some_and(|kind| kind.starts_with("text/html")),
        }
    }

    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether a page for people stands where an answer for programs is expected.
    pub(crate) fn is_page(&self) -> bool {
        let begin = self.body.trim_ascii_start();
        self.html || begin.starts_with(b"<!") || begin.starts_with(b"<html") || begin.starts_with(b"<HTML")
    }

    pub(crate) fn refusal(&self) -> Refusal {
        let refusal = refusal(self.status, &self.body);
        let text = refusal.text.chars().take(500).collect::<String>();
        Refusal { text: self.secrets.without(&text), ..refusal }
    }
}

impl Http {
    /// # Errors
    /// [`InvalidInput`](ErrorKind::InvalidInput) for a proxy or a certificate that is none.
    pub(crate) fn new(way: &Way, secrets: Secrets) -> Result<Self> {
        let wrong = |what: &'static str| {
            move |cause: reqwest::Error| {
                Error::new(ErrorKind::InvalidInput, what).because(cause.without_url())
            }
        };
        let mut builder = Client::builder()
            .tls_backend_preconfigured(tls(&way.certificates)?)
            .http1_only()
            .no_proxy()
            // A key goes to the address that it is meant for and to no other.
            .redirect(redirect::Policy::none())
            .referer(false)
            .connect_timeout(CONNECT)
            .tcp_nodelay(true)
            .user_agent(concat!("workspace-e2b/", env!("CARGO_PKG_VERSION")));
        if let Some(proxy) = &way.proxy {
            builder = builder.proxy(Proxy::all(proxy).map_err(wrong("the address of the proxy is none"))?);
        }
        let client = builder.build().map_err(wrong("no client can be made of these settings"))?;
        Ok(Self { client, secrets })
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Sends a request and gives its answer once the head is here.
    pub(crate) async fn open(&self, request: Request) -> Result<Response, Failure> {
        self.client.execute(request).await.map_err(Failure::of_transport)
    }

    /// Sends a request and reads its answer whole, whatever its status.
    pub(crate) async fn call(&self, request: Request) -> Result<Answer, Failure> {
        let response = self.open(request).await?;
        self.read(response).await
    }

    /// Reads an answer whole.
    pub(crate) async fn read(&self, mut response: Response) -> Result<Answer, Failure> {
        let (status, headers) = (response.status().as_u16(), std::mem::take(response.headers_mut()));
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(Failure::of_transport)? {
            if body.len() + piece.len() > LARGEST {
                return Err(Failure::garbled("an answer is far too long".into()));
            }
            body.extend_from_slice(&piece);
        }
        Ok(Answer::new(status, &headers, body, self.secrets.clone()))
    }
}

fn tls(certificates: &[Vec<u8>]) -> Result<ClientConfig> {
    let wrong = |cause: rustls::Error| {
        Error::new(ErrorKind::InvalidInput, "the certificates to trust cannot be used").because(cause)
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let roots: Vec<_> = certificates.iter().map(|der| CertificateDer::from(der.clone())).collect();
    let verifier = Verifier::new_with_extra_roots(roots, Arc::clone(&provider)).map_err(wrong)?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(wrong)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_state_of_the_process_is_needed_or_left() {
        Http::new(&Way::default(), Secrets::default()).unwrap();
        assert!(rustls::crypto::CryptoProvider::get_default().is_none());
    }

    #[test]
    fn a_proxy_that_is_none_is_refused() {
        let way = Way { proxy: Some("::".into()), ..Way::default() };
        assert_eq!(Http::new(&way, Secrets::default()).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
}
