//! The handle on a sandbox.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use workspace_core::{Error, ErrorKind, Result};
use workspace_posix::{PosixConfig, PosixFiles};

use crate::account::E2bAccount;
use crate::api::{Control, Made, NewNetwork, NewSandbox};
use crate::config::{Address, AtTimeout, E2bBuilder, Source};
use crate::envd::{Access, Envd};
use crate::failure::{Again, Failure};
use crate::http::Http;
use crate::prefetch::Prefetched;
use crate::sandbox::{Owner, Sandbox, SharedSandbox, end_marked};
use crate::scripts::Scripts;
use crate::secrets::Secrets;
use crate::version::Version;
use crate::{E2bShell, error};

/// Domains whose sandboxes answer at one address, told apart by headers.
const SHARED: [&str; 3] = ["e2b.app", "e2b.dev", "e2b.pro"];

/// The pauses between looks for a sandbox whose making went on after its call had failed.
const LATER: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(5), Duration::from_secs(20)];

/// A sandbox as a workspace. A clone is the same sandbox.
///
/// It is an [`FsProvider`](workspace_core::FsProvider).
#[derive(Clone)]
pub struct E2b(Arc<Inner>);

struct Inner {
    sandbox: SharedSandbox,
    files: PosixFiles,
    prefetched: Arc<Prefetched>,
}

impl E2b {
    /// A new sandbox of a template, by its name or id: `base`. It is ended by [`E2b::dispose`],
    /// and when the last handle is dropped.
    pub fn from_template(account: E2bAccount, template: impl Into<String>) -> E2bBuilder {
        E2bBuilder::new(Source::New(account, template.into()))
    }

    /// A sandbox that exists, by its id. One that is paused runs again. It is never ended.
    pub fn attach(account: E2bAccount, sandbox: impl Into<String>) -> E2bBuilder {
        E2bBuilder::new(Source::Existing(account, sandbox.into()))
    }

    /// Any envd, by its address, without a service: `http://127.0.0.1:49983`.
    pub fn envd(url: impl Into<String>) -> E2bBuilder {
        E2bBuilder::at_address(url.into())
    }

    pub(crate) async fn open(builder: E2bBuilder) -> Result<Self> {
        let opening = async {
            match builder.source.clone() {
                Source::New(account, template) => Self::make(&builder, &account, template).await,
                Source::Existing(account, id) => Self::existing(&builder, &account, &id).await,
                Source::Address(address) => Self::at_address(&builder, &address).await,
            }
        };
        opening.await.map_err(|error: Error| error.during("open"))
    }

    async fn make(builder: &E2bBuilder, account: &E2bAccount, template: String) -> Result<Self> {
        let made = made(builder.clone(), account.clone(), template);
        // Whoever gives up meanwhile does not stop the service: the sandbox that it makes is awaited, and ended.
        let sandbox = tokio::spawn(made).await.map_err(|_| error::interrupted())??;
        match Self::through(Arc::clone(&sandbox), builder).await {
            Ok(opened) => Ok(opened),
            Err(error) => {
                sandbox.dispose().await?;
                Err(error)
            }
        }
    }

    async fn existing(builder: &E2bBuilder, account: &E2bAccount, id: &str) -> Result<Self> {
        let http = Http::new(&account.way, Secrets::default())?;
        let control = account.control_by(&http)?;
        // Old ids have the id of a client behind them.
        let id = id.split('-').next().unwrap_or(id).to_owned();
        let made = control.connect(&id, builder.timeout).await.map_err(|failure| failure.error)?;
        let envd = envd_of(&http, account, &made, builder)?;
        let owner = Owner { control, id, ours: None, twice: false, timeout: builder.timeout };
        Self::through(Arc::new(Sandbox::new(envd, Some(owner))), builder).await
    }

    async fn at_address(builder: &E2bBuilder, address: &Address) -> Result<Self> {
        let http = Http::new(&address.way, Secrets::default())?;
        let access = Access { id: address.id.clone(), token: address.token.clone(), traffic_token: None };
        let (version, user) = (address.version, builder.user.clone());
        let envd = Envd::new(http, &address.url, &access, user, version, address.patience)?;
        envd.health().await.map_err(|failure| failure.error)?;
        Self::through(Arc::new(Sandbox::new(envd, None)), builder).await
    }

    async fn through(sandbox: SharedSandbox, builder: &E2bBuilder) -> Result<Self> {
        let root = enter(&sandbox, builder.root.as_deref()).await?;
        let config = PosixConfig::new(root).with_durable_writes(builder.durable);
        let files = PosixFiles::over_requests(Scripts(Arc::clone(&sandbox)), config).await?;
        if builder.keep_alive {
            sandbox.keep_alive();
        }
        Ok(Self(Arc::new(Inner { sandbox, files, prefetched: Arc::default() })))
    }

    /// The commands of the sandbox.
    pub fn shell(&self) -> E2bShell {
        E2bShell::new(Arc::clone(&self.0.sandbox), self.0.files.clone(), Arc::clone(&self.0.prefetched))
    }

    /// The id of the sandbox; `None` for an envd by its address.
    pub fn id(&self) -> Option<&str> {
        self.0.sandbox.owner.as_ref().map(|owner| owner.id.as_str())
    }

    /// The root of the workspace: an absolute path in the sandbox.
    pub fn root(&self) -> &str {
        self.0.files.root()
    }

    /// Pauses the sandbox with its memory; false where it is paused already. Until it is
    /// resumed, all calls fail.
    ///
    /// # Errors
    /// [`Unavailable`](ErrorKind::Unavailable) and [`TimedOut`](ErrorKind::TimedOut) where the service
    /// cannot be reached, [`NotFound`](ErrorKind::NotFound) where the sandbox has ended,
    /// [`Unsupported`](ErrorKind::Unsupported) for an envd by its address.
    pub async fn pause(&self) -> Result<bool> {
        self.0.sandbox.pause().await
    }

    /// Lets a paused sandbox run again. Its commands go on where they were.
    ///
    /// # Errors
    /// Those of [`pause`](Self::pause).
    pub async fn resume(&self) -> Result<()> {
        self.0.sandbox.resume().await
    }

    /// Sets how long the sandbox lives from now on, in whole seconds, longer or shorter.
    ///
    /// # Errors
    /// Those of [`pause`](Self::pause).
    pub async fn set_timeout(&self, timeout: Duration) -> Result<()> {
        self.0.sandbox.set_timeout(timeout).await
    }

    /// Ends the sandbox with all that is in it. One that was attached to is left alone.
    ///
    /// A second call is no error. Other handles fail from now on.
    ///
    /// # Errors
    /// [`Unavailable`](ErrorKind::Unavailable) and [`TimedOut`](ErrorKind::TimedOut) where the service
    /// cannot be reached; the sandbox then ends by itself at its timeout, and another call may try again.
    pub async fn dispose(&self) -> Result<()> {
        self.0.sandbox.dispose().await
    }

    pub(crate) fn files(&self) -> &PosixFiles {
        &self.0.files
    }

    pub(crate) fn runs_commands(&self) -> bool {
        self.0.sandbox.runs_commands()
    }

    pub(crate) fn prefetched(&self) -> &Prefetched {
        &self.0.prefetched
    }
}

impl fmt::Debug for E2b {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("E2b").field("id", &self.id()).field("root", &self.root()).finish_non_exhaustive()
    }
}

fn new_sandbox(builder: &E2bBuilder, template_id: String, mark: &BTreeMap<String, String>) -> NewSandbox {
    let mut metadata = builder.metadata.clone();
    metadata.extend(mark.clone());
    let network = &builder.network;
    let shaped = !network.allowed.is_empty() || !network.denied.is_empty() || network.public.is_some();
    NewSandbox {
        template_id,
        timeout: builder.timeout.as_secs(),
        auto_pause: builder.at_timeout == AtTimeout::Pause,
        secure: (!builder.secure).then_some(false),
        allow_internet_access: network.internet,
        network: shaped.then(|| NewNetwork {
            allow_public_traffic: network.public,
            allow_out: network.allowed.clone(),
            deny_out: network.denied.clone(),
        }),
        metadata,
        env_vars: builder.environment.clone(),
    }
}

/// Has the service make a sandbox, which ends when it is dropped.
async fn made(builder: E2bBuilder, account: E2bAccount, template: String) -> Result<SharedSandbox> {
    let http = Http::new(&account.way, Secrets::default())?;
    let control = account.control_by(&http)?;
    let mark = E2bBuilder::mark();
    let new = new_sandbox(&builder, template, &mark);
    let token = mark.values().next().cloned().unwrap_or_default();
    let created = match control.create(&new, &token).await {
        Ok(created) => created,
        Err(failure) => {
            end_what_was_made(control, mark, &failure).await;
            return Err(failure.error);
        }
    };
    let owner = Owner {
        control,
        id: created.made.sandbox_id.clone(),
        ours: Some(mark),
        twice: created.old_call,
        timeout: builder.timeout,
    };
    let envd = envd_of(&http, &account, &created.made, &builder)?;
    Ok(Arc::new(Sandbox::new(envd, Some(owner))))
}

/// A sandbox may have been made although its call failed, or be made yet: it is looked for by its mark.
async fn end_what_was_made(control: Control, mark: BTreeMap<String, String>, failure: &Failure) {
    if failure.again == Again::No && failure.error.kind() != ErrorKind::TimedOut {
        return;
    }
    if !end_found(&control, &mark).await {
        tokio::spawn(async move {
            for pause in LATER {
                tokio::time::sleep(pause).await;
                if end_found(&control, &mark).await {
                    return;
                }
            }
        });
    }
}

/// Ends what carries a mark; tells whether there was something.
async fn end_found(control: &Control, mark: &BTreeMap<String, String>) -> bool {
    end_marked(control, mark).await.unwrap_or_else(|failure| {
        tracing::warn!(error = %failure.error, "a sandbox may have been made; it ends at its timeout");
        false
    })
}

fn envd_of(http: &Http, account: &E2bAccount, made: &Made, builder: &E2bBuilder) -> Result<Envd> {
    let domain = made.domain.as_deref().unwrap_or(&account.domain);
    let url = match &account.sandbox_url {
        Some(url) => url.clone(),
        None if SHARED.contains(&domain) => format!("https://sandbox.{domain}"),
        None => format!("https://49983-{}.{domain}", made.sandbox_id),
    };
    let version = Version::parse(&made.envd_version);
    Envd::new(http.clone(), &url, &Access::of(made), builder.user.clone(), version, account.patience)
}

/// Makes the root where it is missing, takes away what dead clients have left, and tells where the root is.
async fn enter(sandbox: &SharedSandbox, root: Option<&str>) -> Result<String> {
    const TIDY: &str = include_str!("tidy.sh");

    let wanted = match root {
        Some(root) => format!("'{}'", root.replace('\'', r"'\''")),
        None => "\"${HOME:-/tmp}/workspace\"".to_owned(),
    };
    let script = format!(
        "w_root={wanted}\nmkdir -p -- \"$w_root\" 2>/dev/null\ncd -P -- \"$w_root\" 2>/dev/null && printf 'in %s.' \"$w_root\"\n{TIDY}"
    );
    let answer = Scripts(Arc::clone(sandbox)).look(&script, 1 << 16).await?;
    let told = String::from_utf8(answer).ok();
    let root = told.as_deref().and_then(|told| told.strip_prefix("in ")?.strip_suffix('.'));
    root.map(str::to_owned).ok_or_else(error::no_root)
}
