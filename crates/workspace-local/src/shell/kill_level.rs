//! How surely a command's processes are ended.

use std::path::PathBuf;

/// How surely all processes of a command are ended: at its timeout, when it is
/// killed or dropped, and when it leaves some behind.
///
/// | level | what is ended | what may survive | price |
/// | --- | --- | --- | --- |
/// | [`Group`](Self::Group) | the group and session of the program, all its descendants, and what belongs to their groups and sessions | a process that has left the session **and** lost its parent before the kill: a daemon, or what `setsid` put in the background of a shell that has ended | a look through `/proc` at a kill |
/// | [`Cgroup`](Self::Cgroup) | every process that the command has started, however often it forked | what another service has started at the command's request, or what had the right to leave the control group (root has it) | a directory in the tree of control groups for each command |
/// | [`Namespace`](Self::Namespace) | every process that the command has started, however often it forked | what another service has started at the command's request | one more small process for each command |
///
/// All levels also hold when the host itself is killed, by way of a small
/// waiting shell process; see [`LocalShell`](crate::LocalShell).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum KillLevel {
    /// `Cgroup` where the control group of the host lets it, else `Group`.
    #[default]
    Auto,
    /// By group, session and descent. It needs nothing.
    Group,
    /// By a control group of version 2 for each command, made in this directory,
    /// or in the host's own control group where it is `None`.
    ///
    /// The host must be allowed to write there, as in a user's session of
    /// systemd, in a unit with `Delegate=yes`, or as root. It takes Linux 5.14
    /// on x86-64 or AArch64.
    Cgroup(Option<PathBuf>),
    /// By a namespace of processes for each command: with its first process all others end.
    ///
    /// That is a small shell beside the program. A command sees only its own
    /// processes, under numbers of their own. A host without privileges gets this
    /// level where the system lets it make user namespaces; what changes its user,
    /// such as `sudo`, does not work there. It takes Linux 5.9 on x86-64 or AArch64.
    Namespace,
}
