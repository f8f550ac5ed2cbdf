//! Any commands, held in one way.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::{Command, Process, Result, ShellCapabilities, ShellProvider};

trait ErasedShell: Send + Sync {
    fn capabilities(&self) -> ShellCapabilities;
    fn spawn(&self, command: Command) -> Pin<Box<dyn Future<Output = Result<Process>> + Send + '_>>;
}

impl<T: ShellProvider> ErasedShell for T {
    fn capabilities(&self) -> ShellCapabilities {
        ShellProvider::capabilities(self)
    }

    fn spawn(&self, command: Command) -> Pin<Box<dyn Future<Output = Result<Process>> + Send + '_>> {
        Box::pin(ShellProvider::spawn(self, command))
    }
}

/// Any [`ShellProvider`], shared: cheap to clone, and itself a provider.
#[derive(Clone)]
pub struct SharedShell(Arc<dyn ErasedShell>);

impl SharedShell {
    /// Shares a provider.
    pub fn new(shell: impl ShellProvider) -> Self {
        Self(Arc::new(shell))
    }
}

impl fmt::Debug for SharedShell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SharedShell").field(&self.0.capabilities()).finish()
    }
}

#[deny(clippy::missing_trait_methods)]
impl ShellProvider for SharedShell {
    fn capabilities(&self) -> ShellCapabilities {
        self.0.capabilities()
    }

    async fn spawn(&self, command: Command) -> Result<Process> {
        self.0.spawn(command).await
    }
}
