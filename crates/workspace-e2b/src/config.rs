//! What an owner may set.

use std::collections::BTreeMap;
use std::time::Duration;

use secrecy::SecretString;
use workspace_core::{Error, ErrorKind, Result};

use crate::account::{E2bAccount, PATIENCE, checked_url};
use crate::http::Way;
use crate::retry::Patience;
use crate::version::Version;
use crate::{E2b, token};

/// What a sandbox may talk to, and who to it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Network {
    pub(crate) internet: bool,
    pub(crate) allowed: Vec<String>,
    pub(crate) denied: Vec<String>,
    pub(crate) public: Option<bool>,
}

impl Network {
    /// No way out. The default.
    pub fn closed() -> Self {
        Self::default()
    }

    /// The internet.
    pub fn open() -> Self {
        Self { internet: true, ..Self::default() }
    }

    /// Lets one address, network (`10.0.0.0/8`) or domain through all the same. This wins over what is denied.
    #[must_use]
    pub fn with_allowed(mut self, target: impl Into<String>) -> Self {
        self.allowed.push(target.into());
        self
    }

    /// Closes one address or network.
    #[must_use]
    pub fn with_denied(mut self, target: impl Into<String>) -> Self {
        self.denied.push(target.into());
        self
    }

    /// Says whether the ports of the sandbox can be reached by anyone who knows its address;
    /// by default what the service does: they can.
    #[must_use]
    pub fn with_public_ports(mut self, public: bool) -> Self {
        self.public = Some(public);
        self
    }
}

/// What becomes of a sandbox at its timeout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum AtTimeout {
    /// It ends, with all that is in it.
    #[default]
    End,
    /// It is paused, and costs until it is ended.
    Pause,
}

/// Where the sandbox comes from.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    New(E2bAccount, String),
    Existing(E2bAccount, String),
    Address(Address),
}

/// An envd without a service.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    pub(crate) url: String,
    pub(crate) id: Option<String>,
    pub(crate) token: Option<SecretString>,
    pub(crate) version: Version,
    pub(crate) way: Way,
    pub(crate) patience: Patience,
}

/// A sandbox in the making: [`E2b::from_template`], [`E2b::attach`], [`E2b::envd`].
///
/// | | default | changed by |
/// | --- | --- | --- |
/// | network | none | [`with_network`](Self::with_network) |
/// | lifetime without use | 5 minutes | [`with_timeout`](Self::with_timeout) |
/// | at its end | it is lost | [`at_timeout`](Self::at_timeout) |
/// | put off while in use | yes | [`with_keep_alive`](Self::with_keep_alive) |
/// | access token | needed | [`with_secure`](Self::with_secure) |
/// | user | the template's | [`with_user`](Self::with_user) |
/// | root | `workspace` in the home of the user | [`with_root`](Self::with_root) |
///
/// What is about the sandbox itself has no meaning for one that exists.
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `open` is awaited"]
pub struct E2bBuilder {
    pub(crate) source: Source,
    pub(crate) root: Option<String>,
    pub(crate) user: Option<String>,
    pub(crate) timeout: Duration,
    pub(crate) at_timeout: AtTimeout,
    pub(crate) keep_alive: bool,
    pub(crate) secure: bool,
    pub(crate) network: Network,
    pub(crate) metadata: BTreeMap<String, String>,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) durable: bool,
}

/// The piece of metadata by which a sandbox of this crate is known.
pub(crate) const MARK: &str = "workspace-opened";

impl E2bBuilder {
    pub(crate) fn new(source: Source) -> Self {
        Self {
            source,
            root: None,
            user: None,
            timeout: Duration::from_mins(5),
            at_timeout: AtTimeout::End,
            keep_alive: true,
            secure: true,
            network: Network::closed(),
            metadata: BTreeMap::new(),
            environment: BTreeMap::new(),
            durable: false,
        }
    }

    pub(crate) fn at_address(url: String) -> Self {
        let way = Way::default();
        let (id, token, version) = (None, None, Version::UNKNOWN);
        Self::new(Source::Address(Address { url, id, token, version, way, patience: PATIENCE }))
    }

    /// Makes the sandbox, or attaches to it, and opens its files.
    ///
    /// # Errors
    /// [`Permission`](ErrorKind::Permission) for a key that is not accepted;
    /// [`NotFound`](ErrorKind::NotFound) for a template or a sandbox that the service does not know;
    /// [`Unavailable`](ErrorKind::Unavailable) and [`TimedOut`](ErrorKind::TimedOut) where the service
    /// cannot be reached, the team runs as many sandboxes as it may, or the sandbox is gone;
    /// [`InvalidInput`](ErrorKind::InvalidInput) for a setting that no sandbox can have;
    /// [`Unsupported`](ErrorKind::Unsupported) for a template without coreutils or busybox.
    pub async fn open(self) -> Result<E2b> {
        self.check().map_err(|error| error.during("open"))?;
        E2b::open(self).await
    }

    fn check(&self) -> Result<()> {
        let wrong = |message: String| Err(Error::new(ErrorKind::InvalidInput, message));
        if let Some(root) = &self.root {
            let names = root.split('/').skip(1);
            let plain = root.starts_with('/') && !root.contains(['\0', '\n']);
            if !plain || root.len() < 2 || names.clone().any(|name| matches!(name, "" | "." | "..")) {
                return wrong(format!("`{root}` is no absolute path without `.` and `..`"));
            }
        }
        if self.user.as_ref().is_some_and(|user| user.is_empty() || user.contains([':', '\0', '\n'])) {
            return wrong("the user has no name that a system knows".into());
        }
        if self.timeout < Duration::from_secs(1) {
            return wrong("the least timeout is one second".into());
        }
        let urls: Vec<_> = match &self.source {
            Source::New(account, _) | Source::Existing(account, _) => {
                account.api_url.iter().chain(&account.sandbox_url).collect()
            }
            Source::Address(address) => vec![&address.url],
        };
        urls.into_iter().try_for_each(|url| checked_url(url))?;
        match &self.source {
            Source::New(_, template) if template.is_empty() => wrong("the template has no name".into()),
            // Others would be other paths of the service.
            Source::Existing(_, id)
                if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') =>
            {
                wrong("an id of a sandbox holds letters and digits alone".into())
            }
            _ => Ok(()),
        }
    }

    /// Sets the root of the workspace: an absolute path in the sandbox, made where it is missing.
    /// By default `workspace` in the home of the user.
    pub fn with_root(mut self, path: impl Into<String>) -> Self {
        self.root = Some(path.into());
        self
    }

    /// Sets the user, by name, whom files belong to and commands run as; by default the template's.
    pub fn with_user(mut self, name: impl Into<String>) -> Self {
        self.user = Some(name.into());
        self
    }

    /// Sets how long the sandbox lives after its last use, in whole seconds; 5 minutes by default.
    /// The plan of the team has a limit for it.
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Says what becomes of a sandbox at its timeout; by default it ends.
    pub fn at_timeout(mut self, what: AtTimeout) -> Self {
        self.at_timeout = what;
        self
    }

    /// Says whether the timeout is put off while the sandbox is in use; true by default.
    pub fn with_keep_alive(mut self, keep: bool) -> Self {
        self.keep_alive = keep;
        self
    }

    /// Says whether the sandbox takes requests with its access token alone; true by default.
    /// Without it, who knows the address of the sandbox can use it.
    pub fn with_secure(mut self, secure: bool) -> Self {
        self.secure = secure;
        self
    }

    /// Sets what the sandbox may talk to; nothing by default.
    pub fn with_network(mut self, network: Network) -> Self {
        self.network = network;
        self
    }

    /// Adds a piece of metadata, by which sandboxes are listed.
    pub fn with_metadata(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.metadata.insert(name.into(), value.into());
        self
    }

    /// Adds a variable of the sandbox. A command sees it where its policy inherits the name.
    pub fn with_environment(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.environment.insert(name.into(), value.into());
        self
    }

    /// Says whether [`Durability`](workspace_core::Durability) is honoured with `sync`; false by
    /// default, since the disk goes with the sandbox.
    pub fn with_durable_writes(mut self, durable: bool) -> Self {
        self.durable = durable;
        self
    }

    /// Sets the access token of an envd that is named by its address.
    pub fn with_access_token(mut self, token: impl Into<String>) -> Self {
        if let Source::Address(address) = &mut self.source {
            address.token = Some(SecretString::from(token.into()));
        }
        self
    }

    /// Sets which sandbox is meant, where a proxy stands at the address of an envd.
    pub fn with_sandbox_id(mut self, id: impl Into<String>) -> Self {
        if let Source::Address(address) = &mut self.source {
            address.id = Some(id.into());
        }
        self
    }

    /// Sets the version of an envd that is named by its address: one before 0.5.7 takes no files
    /// as they are, one before 0.4.0 wants a user. By default it counts as new.
    pub fn with_envd_version(mut self, version: impl AsRef<str>) -> Self {
        if let Source::Address(address) = &mut self.source {
            address.version = Version::parse(version.as_ref());
        }
        self
    }

    /// Sets how long a call may take, with all that is sent again, where an envd is named by its
    /// address; 30 seconds by default. For a sandbox of the service, the account says it.
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        match &mut self.source {
            Source::New(account, _) | Source::Existing(account, _) => account.patience.set_deadline(deadline),
            Source::Address(address) => address.patience.set_deadline(deadline),
        }
        self
    }

    /// The mark by which what was made by this call is found again.
    pub(crate) fn mark() -> BTreeMap<String, String> {
        BTreeMap::from([(MARK.to_owned(), token::token())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(builder: &E2bBuilder, sound: bool) {
        let outcome = builder.check().map_err(|error| error.kind()).err();
        assert_eq!(outcome, (!sound).then_some(ErrorKind::InvalidInput));
    }

    #[test]
    fn settings_that_no_sandbox_can_have_are_refused() {
        let account = || E2bAccount::new("e2b_00000000");
        let new = || E2b::from_template(account(), "base");
        check(&new(), true);
        check(&new().with_root("/home/user/a"), true);
        check(&new().with_root("home"), false);
        check(&new().with_root("/home/../etc"), false);
        check(&new().with_user("a:b"), false);
        check(&new().with_timeout(Duration::ZERO), false);
        check(&E2b::from_template(account(), ""), false);
        check(&E2b::attach(account(), "i0123"), true);
        check(&E2b::attach(account(), "../templates/x"), false);
        check(&E2b::envd("http://127.0.0.1:49983"), true);
        check(&E2b::envd("127.0.0.1:49983"), false);
        check(&E2b::envd("https://user:password@host"), false);
        check(&E2b::from_template(account().with_api_url("ftp://x"), "base"), false);
    }

    #[test]
    fn r_e2b_1_no_secret_is_shown() {
        let account = E2bAccount::new("e2b_secret_key");
        let shown = format!("{account:?} {:?}", E2b::from_template(account.clone(), "base"));
        assert!(!shown.contains("secret_key"), "{shown}");
        let envd = E2b::envd("http://localhost").with_access_token("secret_token");
        assert!(!format!("{envd:?}").contains("secret_token"));
    }
}
