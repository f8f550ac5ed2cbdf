//! One sandbox: its files, its processes, its life.

mod life;
mod namespace;
mod tools;
mod users;
mod view;

pub(crate) use life::{Life, Phase};
pub(crate) use namespace::Namespace;
pub(crate) use tools::Tools;
pub(crate) use users::{DEFAULT_USER, Names, User};
pub(crate) use view::{View, names, stat_of};

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use tokio_util::sync::CancellationToken;

use crate::control::Wish;
use crate::filesystem::Watchers;
use crate::process::Table;

/// A sandbox that runs or is paused.
#[derive(Debug)]
pub(crate) struct Sandbox {
    pub(crate) id: String,
    /// What envd asks for in `X-Access-Token`; `None` where it is open to all.
    pub(crate) token: Option<String>,
    pub(crate) traffic_token: Option<String>,
    pub(crate) wish: Wish,
    pub(crate) network: Mutex<serde_json::Value>,
    pub(crate) started_at: SystemTime,
    pub(crate) life: Life,
    pub(crate) namespace: Namespace,
    pub(crate) processes: Table,
    pub(crate) watchers: Watchers,
    /// Cancelled where it is paused or killed, with all connections that it carries.
    pub(crate) connections: Mutex<CancellationToken>,
}

impl Sandbox {
    pub(crate) fn view(&self) -> &View {
        self.namespace.view()
    }

    /// The variables that every process of it gets.
    pub(crate) fn variables(&self) -> BTreeMap<String, String> {
        let own =
            [("E2B_SANDBOX", "true"), ("E2B_SANDBOX_ID", &self.id), ("E2B_TEMPLATE_ID", &self.wish.template)];
        let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
        self.wish.env_vars.clone().into_iter().chain(own).collect()
    }

    /// What ends when connections into the sandbox are lost.
    pub(crate) fn connection(&self) -> CancellationToken {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn cut_connections(&self) {
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *connections).cancel();
    }
}
