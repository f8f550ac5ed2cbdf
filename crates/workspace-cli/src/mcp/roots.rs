//! The roots of a client: a wish, which can only narrow what the owner has opened.

use std::time::Duration;

use percent_encoding::percent_decode_str;
use rmcp::model::ProtocolVersion;
use rmcp::service::{Peer, RoleServer};
use tokio::sync::Mutex;
use tokio::time::timeout;
use workspace_tools::ToolSet;

/// How long a client may take to name its roots. Then it has none.
const PATIENCE: Duration = Duration::from_secs(2);

/// The tools of one connection, narrowed to the client's roots once it has named them.
#[derive(Default)]
pub(super) struct Roots {
    narrowed: Mutex<Option<ToolSet>>,
}

impl Roots {
    /// The tools for the next call. The client is asked for its roots by the first one.
    pub(super) async fn narrow(&self, tools: &ToolSet, peer: &Peer<RoleServer>) -> ToolSet {
        if !names_roots(peer) {
            return tools.clone();
        }
        let mut narrowed = self.narrowed.lock().await;
        if let Some(tools) = &*narrowed {
            return tools.clone();
        }
        let now = within(tools, &named(peer).await).await;
        *narrowed = Some(now.clone());
        now
    }

    /// Forgets the roots; the next call asks for them.
    pub(super) async fn forget(&self) {
        *self.narrowed.lock().await = None;
    }
}

fn names_roots(peer: &Peer<RoleServer>) -> bool {
    peer.peer_info().is_some_and(|client| {
        client.capabilities.roots.is_some() && client.protocol_version < ProtocolVersion::V_2026_07_28
    })
}

/// The roots that a client names in time.
#[expect(deprecated, reason = "clients of the versions with a handshake have roots")]
async fn named(peer: &Peer<RoleServer>) -> Vec<String> {
    match timeout(PATIENCE, peer.list_roots()).await {
        Ok(Ok(list)) => list.roots.into_iter().map(|root| root.uri).collect(),
        Ok(Err(_)) | Err(_) => Vec::new(),
    }
}

/// The tools in the directory that holds all roots which lie in the workspace.
///
/// A root that lies elsewhere is none of ours; and where one holds the whole workspace, or all
/// have only its root in common, nothing is narrowed.
async fn within(tools: &ToolSet, uris: &[String]) -> ToolSet {
    let workspace = tools.workspace();
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    for path in uris.iter().filter_map(|uri| path_of(uri)) {
        match workspace.scope(&path).await {
            Ok(_) => inside.push(path),
            Err(_) => outside.push(path),
        }
    }
    let Some(first) = inside.first() else { return tools.clone() };
    if outside.iter().any(|outer| is_within(first, outer)) {
        return tools.clone();
    }
    let common = inside.iter().skip(1).fold(components(first), |common, path| {
        let shared = common.iter().zip(components(path)).take_while(|(a, b)| *a == b).count();
        common.into_iter().take(shared).collect()
    });
    match workspace.scope(&format!("/{}", common.join("/"))).await {
        Ok(narrower) => ToolSet::new(narrower),
        Err(_) => tools.clone(),
    }
}

fn components(path: &str) -> Vec<&str> {
    path.split('/').filter(|name| !name.is_empty()).collect()
}

fn is_within(path: &str, directory: &str) -> bool {
    components(path).starts_with(&components(directory))
}

/// The path of a `file:` URI of this host.
fn path_of(uri: &str) -> Option<String> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return None;
    }
    Some(percent_decode_str(path).decode_utf8().ok()?.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_uri_of_this_host_has_a_path() {
        assert_eq!(path_of("file:///srv/a%20b").as_deref(), Some("/srv/a b"));
        assert_eq!(path_of("file://localhost/srv").as_deref(), Some("/srv"));
        for other in ["file://elsewhere/srv", "https://example.org/", "/srv", "file:///%ff"] {
            assert_eq!(path_of(other), None, "{other}");
        }
    }

    #[test]
    fn a_directory_holds_what_begins_with_its_components() {
        assert!(is_within("/srv/app/", "/srv"));
        assert!(is_within("/srv", "/"));
        assert!(!is_within("/srvice", "/srv"));
    }
}
