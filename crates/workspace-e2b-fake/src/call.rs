//! Which call a request is, by its method and path.

use axum::http::Method;

/// A call of the control plane, of envd over HTTP, or of envd over Connect RPC.
///
/// Calls that exist in two generations of routes (`/sandboxes` and
/// `/v2/sandboxes`) are one call here: [`Recorded::path`](crate::Recorded::path)
/// tells which one was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Call {
    /// `POST /sandboxes`, `POST /v2/sandboxes`: a new sandbox.
    Create,
    /// `POST …/{id}/connect`: lengthen its life, and resume it where it is paused.
    Connect,
    /// `POST /sandboxes/{id}/resume`.
    Resume,
    /// `GET /sandboxes/{id}`.
    Get,
    /// `GET /sandboxes`, `GET /v2/sandboxes`.
    List,
    /// `DELETE /sandboxes/{id}`.
    Kill,
    /// `POST /sandboxes/{id}/timeout`.
    SetTimeout,
    /// `POST /sandboxes/{id}/refreshes`.
    Refresh,
    /// `POST /sandboxes/{id}/pause`.
    Pause,
    /// `PUT /sandboxes/{id}/network`.
    Network,
    /// `POST /sandboxes/{id}/fork`.
    Fork,
    /// `POST /sandboxes/{id}/snapshots`.
    Snapshot,
    /// `GET /snapshots`.
    ListSnapshots,
    /// `DELETE /templates/{id}`.
    DeleteSnapshot,
    /// `GET /sandboxes/{id}/metrics`.
    Metrics,
    /// `GET /v2/sandboxes/{id}/logs`.
    Logs,
    /// `GET /health`, of the control plane or of a sandbox.
    Health,
    /// `GET /metrics` of a sandbox.
    SandboxMetrics,
    /// `GET /envs` of a sandbox.
    Envs,
    /// `GET /files`.
    Download,
    /// `POST /files`.
    Upload,
    /// `POST /files/compose`.
    Compose,
    /// `filesystem.Filesystem/Stat`.
    Stat,
    /// `filesystem.Filesystem/MakeDir`.
    MakeDir,
    /// `filesystem.Filesystem/Move`.
    Move,
    /// `filesystem.Filesystem/ListDir`.
    ListDir,
    /// `filesystem.Filesystem/Remove`.
    Remove,
    /// `filesystem.Filesystem/WatchDir`.
    WatchDir,
    /// `filesystem.Filesystem/CreateWatcher`.
    CreateWatcher,
    /// `filesystem.Filesystem/GetWatcherEvents`.
    GetWatcherEvents,
    /// `filesystem.Filesystem/RemoveWatcher`.
    RemoveWatcher,
    /// `process.Process/Start`.
    Start,
    /// `process.Process/Connect`.
    ConnectProcess,
    /// `process.Process/List`.
    ListProcesses,
    /// `process.Process/SendInput`.
    SendInput,
    /// `process.Process/StreamInput`.
    StreamInput,
    /// `process.Process/SendSignal`.
    SendSignal,
    /// `process.Process/CloseStdin`.
    CloseStdin,
    /// `process.Process/Update`.
    Update,
}

impl Call {
    /// The call of a request, or `None` where there is no such route.
    pub(crate) fn of(method: &Method, path: &str) -> Option<Self> {
        let segments: Vec<_> = path.trim_matches('/').split('/').collect();
        Some(match (method.as_str(), segments.as_slice()) {
            ("POST", ["sandboxes"] | ["v2", "sandboxes"]) => Self::Create,
            ("POST", ["sandboxes", _, "connect"] | ["v2", "sandboxes", _, "connect"]) => Self::Connect,
            ("POST", ["sandboxes", _, "resume"]) => Self::Resume,
            ("GET", ["sandboxes", _]) => Self::Get,
            ("GET", ["sandboxes"] | ["v2", "sandboxes"]) => Self::List,
            ("DELETE", ["sandboxes", _]) => Self::Kill,
            ("POST", ["sandboxes", _, "timeout"]) => Self::SetTimeout,
            ("POST", ["sandboxes", _, "refreshes"]) => Self::Refresh,
            ("POST", ["sandboxes", _, "pause"]) => Self::Pause,
            ("PUT", ["sandboxes", _, "network"]) => Self::Network,
            ("POST", ["sandboxes", _, "fork"]) => Self::Fork,
            ("POST", ["sandboxes", _, "snapshots"]) => Self::Snapshot,
            ("GET", ["snapshots"]) => Self::ListSnapshots,
            ("DELETE", ["templates", _]) => Self::DeleteSnapshot,
            ("GET", ["sandboxes", _, "metrics"]) => Self::Metrics,
            ("GET", ["v2", "sandboxes", _, "logs"]) => Self::Logs,
            ("GET", ["health"]) => Self::Health,
            ("GET", ["metrics"]) => Self::SandboxMetrics,
            ("GET", ["envs"]) => Self::Envs,
            ("GET", ["files"]) => Self::Download,
            ("POST", ["files"]) => Self::Upload,
            ("POST", ["files", "compose"]) => Self::Compose,
            ("POST", ["filesystem.Filesystem", method]) => Self::of_files(method)?,
            ("POST", ["process.Process", method]) => Self::of_processes(method)?,
            _ => return None,
        })
    }

    fn of_files(method: &str) -> Option<Self> {
        Some(match method {
            "Stat" => Self::Stat,
            "MakeDir" => Self::MakeDir,
            "Move" => Self::Move,
            "ListDir" => Self::ListDir,
            "Remove" => Self::Remove,
            "WatchDir" => Self::WatchDir,
            "CreateWatcher" => Self::CreateWatcher,
            "GetWatcherEvents" => Self::GetWatcherEvents,
            "RemoveWatcher" => Self::RemoveWatcher,
            _ => return None,
        })
    }

    fn of_processes(method: &str) -> Option<Self> {
        Some(match method {
            "Start" => Self::Start,
            "Connect" => Self::ConnectProcess,
            "List" => Self::ListProcesses,
            "SendInput" => Self::SendInput,
            "StreamInput" => Self::StreamInput,
            "SendSignal" => Self::SendSignal,
            "CloseStdin" => Self::CloseStdin,
            "Update" => Self::Update,
            _ => return None,
        })
    }

    /// Whether the control plane answers it; [`Call::Health`] depends on the address.
    pub(crate) fn is_of_the_control_plane(self) -> bool {
        use Call::{
            Connect, Create, DeleteSnapshot, Fork, Get, Kill, List, ListSnapshots, Logs, Metrics, Network,
            Pause, Refresh, Resume, SetTimeout, Snapshot,
        };
        matches!(
            self,
            Connect
                | Create
                | DeleteSnapshot
                | Fork
                | Get
                | Kill
                | List
                | ListSnapshots
                | Logs
                | Metrics
                | Network
                | Pause
                | Refresh
                | Resume
                | SetTimeout
                | Snapshot
        )
    }
}
