//! The HTTP client of both loops.

use std::sync::Arc;

use reqwest::Client;
use rustls::ClientConfig;
use rustls::crypto::ring::default_provider;
use rustls_platform_verifier::BuilderVerifierExt;

/// A client that trusts whom this system trusts, and sets nothing for the whole process.
///
/// # Errors
/// Where the certificates of the system cannot be read.
pub fn client() -> Result<Client, Box<dyn std::error::Error + Send + Sync>> {
    let tls = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()?
        .with_platform_verifier()?
        .with_no_client_auth();
    Ok(Client::builder().tls_backend_preconfigured(tls).build()?)
}
