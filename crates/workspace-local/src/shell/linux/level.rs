//! The level of a shell, and what it is by means of on this machine.

use std::os::fd::AsFd;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use rustix::io::Errno;
use workspace_core::{Error, ErrorKind, KillReach, Result};

use super::cgroup::{Boxes, Cgroup};
use super::namespaces::{Keeper, Namespaces};
use super::spawn::{Launch, Started};
use crate::KillLevel;

/// A level, and what it is by means of here.
#[derive(Debug, Default)]
pub(super) struct Level {
    asked: KillLevel,
    /// Settled at the first use.
    means: OnceLock<Means>,
}

/// What a level is by means of.
#[derive(Debug)]
enum Means {
    Group,
    Cgroup(Arc<Boxes>),
    Namespace(Namespaces),
}

/// What holds the processes of one command together.
#[derive(Debug)]
pub(super) enum Hold {
    /// Nothing but their group, session and descent.
    Group,
    Cgroup(Cgroup),
    /// The first process of their namespace.
    Namespace(Keeper),
}

impl Level {
    /// The level that was asked for.
    ///
    /// # Errors
    /// Where it is not to be had here.
    pub(super) fn new(asked: KillLevel) -> Result<Self> {
        let means = match &asked {
            KillLevel::Auto => return Ok(Self::default()),
            KillLevel::Group => Means::Group,
            KillLevel::Cgroup(place) => Means::Cgroup(match place {
                Some(path) => Boxes::within(path).map_err(no_cgroups)?,
                None => Boxes::in_own_group().ok_or_else(|| no_cgroups(Errno::NOENT))?,
            }),
            KillLevel::Namespace => Means::Namespace(Namespaces::probe().map_err(no_namespaces)?),
        };
        Ok(Self { asked, means: means.into() })
    }

    /// How far a kill reaches.
    pub(super) fn reach(&self) -> KillReach {
        if matches!(self.means(), Means::Group) { KillReach::Group } else { KillReach::Tree }
    }

    /// A box for one command, where this level has them.
    ///
    /// # Errors
    /// [`Unavailable`](ErrorKind::Unavailable) where it cannot be made. What was not asked for by
    /// name is done without instead.
    pub(super) fn make_box(&self) -> Result<Option<Cgroup>> {
        let Means::Cgroup(boxes) = self.means() else { return Ok(None) };
        match boxes.make() {
            Ok(cgroup) => Ok(Some(cgroup)),
            Err(errno) if self.asked == KillLevel::Auto => {
                tracing::debug!(%errno, "no control group for this command");
                Ok(None)
            }
            Err(errno) => {
                Err(Error::new(ErrorKind::Unavailable, "no control group can be made for this command")
                    .hint("check that the host may still write its own control group")
                    .because(std::io::Error::from(errno)))
            }
        }
    }

    /// Starts a command, in the box that was made for it.
    ///
    /// # Errors
    /// What the system says about the program, the working directory or its own limits.
    pub(super) fn start(
        &self,
        launch: &Launch<'_>,
        cgroup: Option<Cgroup>,
    ) -> Result<(Started, Hold), Errno> {
        if let Some(cgroup) = cgroup {
            let started = launch.start_in_cgroup(cgroup.open()?.as_fd())?;
            return Ok((started, Hold::Cgroup(cgroup)));
        }
        if let Means::Namespace(namespaces) = self.means() {
            let (started, keeper) = namespaces.start(launch)?;
            return Ok((started, Hold::Namespace(keeper)));
        }
        Ok((launch.start()?, Hold::Group))
    }

    /// Where the control groups are, for the guard.
    pub(super) fn place(&self) -> Option<&Path> {
        match self.means() {
            Means::Cgroup(boxes) => Some(boxes.path()),
            _ => None,
        }
    }

    fn means(&self) -> &Means {
        self.means.get_or_init(|| Boxes::in_own_group().map_or(Means::Group, Means::Cgroup))
    }
}

fn no_cgroups(errno: Errno) -> Error {
    Error::new(ErrorKind::Unsupported, "commands cannot be started in control groups here")
        .hint("give the host a control group of version 2 that it may write, or choose another level")
        .because(std::io::Error::from(errno))
}

fn no_namespaces(errno: Errno) -> Error {
    Error::new(ErrorKind::Unsupported, "commands cannot be started in namespaces of their own here")
        .hint("allow user namespaces to the host, or choose another level")
        .because(std::io::Error::from(errno))
}
