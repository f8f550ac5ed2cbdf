//! The level of a shell, and what it is by means of on this machine.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use rustix::io::Errno;
use workspace_core::{Error, ErrorKind, KillReach, Result};

use super::cgroup::{Boxes, Cgroup};
use crate::KillLevel;

/// A level, and what it is by means of here.
#[derive(Debug, Default)]
pub(super) struct Level {
    asked: KillLevel,
    /// Settled at the first use.
    boxes: OnceLock<Option<Arc<Boxes>>>,
}

impl Level {
    /// The level that was asked for.
    ///
    /// # Errors
    /// Where it is not to be had here.
    pub(super) fn new(asked: KillLevel) -> Result<Self> {
        let boxes = match &asked {
            KillLevel::Auto => return Ok(Self::default()),
            KillLevel::Group => None,
            KillLevel::Cgroup(place) => Some(match place {
                Some(path) => Boxes::within(path).map_err(refused)?,
                None => Boxes::in_own_group().ok_or_else(|| refused(Errno::NOENT))?,
            }),
        };
        Ok(Self { asked, boxes: boxes.into() })
    }

    /// How far a kill reaches.
    pub(super) fn reach(&self) -> KillReach {
        if self.boxes().is_some() { KillReach::Tree } else { KillReach::Group }
    }

    /// A box for one command, where this level has them.
    ///
    /// # Errors
    /// [`Unavailable`](ErrorKind::Unavailable) where it cannot be made. What was not asked for by
    /// name is done without instead.
    pub(super) fn make_box(&self) -> Result<Option<Cgroup>> {
        match self.boxes().map(Boxes::make) {
            None => Ok(None),
            Some(Ok(cgroup)) => Ok(Some(cgroup)),
            Some(Err(errno)) if self.asked == KillLevel::Auto => {
                tracing::debug!(%errno, "no control group for this command");
                Ok(None)
            }
            Some(Err(errno)) => {
                Err(Error::new(ErrorKind::Unavailable, "no control group can be made for this command")
                    .hint("check that the host may still write its own control group")
                    .because(std::io::Error::from(errno)))
            }
        }
    }

    /// Where the boxes are, for the guard.
    pub(super) fn place(&self) -> Option<&Path> {
        self.boxes().map(|boxes| boxes.path())
    }

    fn boxes(&self) -> Option<&Arc<Boxes>> {
        self.boxes.get_or_init(Boxes::in_own_group).as_ref()
    }
}

fn refused(errno: Errno) -> Error {
    Error::new(ErrorKind::Unsupported, "commands cannot be started in control groups here")
        .hint("give the host a control group of version 2 that it may write, or choose another level")
        .because(std::io::Error::from(errno))
}
