//! What a fake is told before it starts.

use std::time::Duration;

/// How a [`Fake`](crate::Fake) behaves; the default is a service of today.
#[derive(Debug, Clone)]
pub struct Options {
    pub(crate) port: u16,
    pub(crate) envd_version: String,
    pub(crate) v2: bool,
    pub(crate) sandbox_limit: usize,
    pub(crate) longest_life: Duration,
    pub(crate) end_kept: Duration,
}

impl Default for Options {
    /// envd 0.6.13, both generations of routes, 100 sandboxes at once that
    /// live a day at most; the end of a process is kept for 30 seconds.
    fn default() -> Self {
        Self {
            port: 0,
            envd_version: "0.6.13".into(),
            v2: true,
            sandbox_limit: 100,
            longest_life: Duration::from_hours(24),
            end_kept: Duration::from_secs(30),
        }
    }
}

impl Options {
    /// The port of the loopback to listen on. Zero, the default, is one that is free.
    #[must_use]
    pub fn with_port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// The envd version that sandboxes report. Behaviour stays that of the default.
    #[must_use]
    pub fn with_envd_version(mut self, version: impl Into<String>) -> Self {
        self.envd_version = version.into();
        self
    }

    /// Leaves out `POST /v2/sandboxes` and `POST /v2/sandboxes/{id}/connect`: they answer 404.
    #[must_use]
    pub fn without_v2(mut self) -> Self {
        self.v2 = false;
        self
    }

    /// How many sandboxes may run at once; one more is answered with 429.
    #[must_use]
    pub fn with_sandbox_limit(mut self, sandboxes: usize) -> Self {
        self.sandbox_limit = sandboxes;
        self
    }

    /// The longest time to live that may be asked for; more is answered with 400.
    #[must_use]
    pub fn with_longest_life(mut self, life: Duration) -> Self {
        self.longest_life = life;
        self
    }

    /// How long the end of a process can be asked for after it. Zero is an old
    /// envd, where an ended process is unknown at once.
    #[must_use]
    pub fn with_end_kept(mut self, kept: Duration) -> Self {
        self.end_kept = kept;
        self
    }
}
