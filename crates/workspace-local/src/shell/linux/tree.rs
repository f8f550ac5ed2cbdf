//! The processes of one command, and how they are ended.

use std::mem::replace;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, getpgid, kill_process_group};
use tokio::time::timeout;
use workspace_core::{ExitStatus, KillReach};

use super::guard::Note;
use super::handle::{Handle, in_background};
use super::level::Hold;
use super::proc::{Look, family, open};
use super::spawn::Started;

/// How long killed processes may take to be gone. One that waits for a dead disk takes for ever.
const KILL_WAIT: Duration = Duration::from_secs(2);

/// How long what a program leaves behind may take to end after a polite signal.
const LEFTOVER_GRACE: Duration = Duration::from_millis(100);

/// The program of a command with all that it has started.
///
/// The program is not waited for until the end, so its number, and that of its
/// group and session, belong to this command as long as this lives. Dropped
/// before [`close`](Self::close), it kills them all at once.
#[derive(Debug)]
pub(super) struct Tree {
    leader: Pid,
    started: Instant,
    hold: Hold,
    /// Taken out at the end.
    last: Option<Last>,
}

#[derive(Debug)]
struct Last {
    handle: Handle,
    note: Note,
}

/// A living process of the tree, other than the leader.
struct Member {
    handle: Handle,
    in_group: bool,
}

impl Tree {
    /// Takes over a program that was started, in a session of its own.
    pub(super) fn new(note: Note, started: Started, hold: Hold) -> Self {
        let Started { pid, handle } = started;
        Self { leader: pid, started: Instant::now(), hold, last: Some(Last { handle, note }) }
    }

    /// How far a kill reaches here.
    pub(super) fn reach(&self) -> KillReach {
        if matches!(self.hold, Hold::Group) { KillReach::Group } else { KillReach::Tree }
    }

    /// Waits until the program has ended.
    pub(super) async fn ended(&self) {
        if let Some(last) = &self.last {
            last.handle.ended().await;
        }
    }

    /// Ends the program and all others: a polite signal, `grace`, then a kill. It takes
    /// `grace` and two seconds at most, and does not wait for what does not die by then.
    pub(super) async fn kill(&self, grace: Duration) {
        let members = self.members(Look::Everywhere);
        self.end(members, grace).await;
    }

    /// Ends what has outlived the program, and gives how many they were.
    pub(super) async fn sweep(&self, grace: Duration) -> u32 {
        if let Hold::Cgroup(cgroup) = &self.hold
            && !cgroup.is_populated()
        {
            return 0;
        }
        let members = self.members(Look::Since(self.started));
        if members.is_empty() {
            return 0;
        }
        self.end(members, grace.min(LEFTOVER_GRACE)).await
    }

    /// Lets what has outlived the program live on.
    pub(super) fn release(&mut self) {
        match replace(&mut self.hold, Hold::Group) {
            Hold::Group => {}
            Hold::Cgroup(cgroup) => cgroup.release(),
            Hold::Namespace(keeper) => keeper.stay(),
        }
    }

    /// How the program has ended, once all others have. After this, its number may be another's.
    ///
    /// # Errors
    /// Where something else in the host has waited for it.
    pub(super) async fn close(mut self) -> Result<ExitStatus, Errno> {
        let Some(Last { handle, note }) = self.last.take() else { return Err(Errno::CHILD) };
        // First the table, so that nothing is killed by a number that is given away.
        drop(note);
        let status = handle.reap()?;
        let hold = replace(&mut self.hold, Hold::Group);
        let Some(status) = status else {
            // It was killed, and waits for something that does not come.
            handle.reap_in_background(move || settle(hold));
            return Ok(ExitStatus::Signal(Signal::KILL.as_raw()));
        };
        if let Hold::Namespace(keeper) = &hold {
            // It was waiting for the program to be waited for, and with it goes whatever is left.
            keeper.handle.signal(Signal::KILL);
            let _ = timeout(KILL_WAIT, keeper.handle.ended()).await;
        }
        settle_later(hold);
        match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Ok(ExitStatus::Code(code)),
            (_, Some(signal)) => Ok(ExitStatus::Signal(signal)),
            _ => Err(Errno::CHILD),
        }
    }

    /// Ends these and the leader, then whatever they have started meanwhile. Gives how many there were, the leader not counted.
    async fn end(&self, mut members: Vec<Member>, grace: Duration) -> u32 {
        let mut count = members.len();
        if !grace.is_zero() {
            self.signal(&members, Signal::TERM);
            // One that is stopped hears nothing before it goes on.
            self.signal(&members, Signal::CONT);
            let _ = timeout(grace, self.gone(&members)).await;
        }
        let kill = async {
            loop {
                self.strike(&members);
                self.gone(&members).await;
                members = self.members(Look::Everywhere);
                if members.is_empty() {
                    return;
                }
                count += members.len();
            }
        };
        let _ = timeout(KILL_WAIT, kill).await;
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Signals each once: a second polite signal makes many programs leave in a hurry.
    fn signal(&self, members: &[Member], signal: Signal) {
        let _ = kill_process_group(self.leader, signal);
        for member in members.iter().filter(|member| !member.in_group) {
            member.handle.signal(signal);
        }
    }

    /// Kills them, and all that the group and the control group hold by now.
    fn strike(&self, members: &[Member]) {
        let _ = kill_process_group(self.leader, Signal::KILL);
        match &self.hold {
            Hold::Group => {}
            Hold::Cgroup(cgroup) => cgroup.kill(),
            Hold::Namespace(keeper) => keeper.handle.signal(Signal::KILL),
        }
        for member in members {
            member.handle.signal(Signal::KILL);
        }
    }

    async fn gone(&self, members: &[Member]) {
        self.ended().await;
        for member in members {
            member.handle.ended().await;
            // Where the host is the first process of a container, orphans are its children by now.
            let _ = member.handle.reap();
        }
    }

    /// Who lives, the leader aside. A number is trusted only after its process was opened and looked at again.
    fn members(&self, look: Look) -> Vec<Member> {
        let Hold::Cgroup(cgroup) = &self.hold else {
            // The keeper is given the orphans.
            let keeper = match &self.hold {
                Hold::Namespace(keeper) => Some(keeper.pid),
                _ => None,
            };
            return family(self.leader, keeper, look)
                .iter()
                .filter_map(|seen| {
                    let in_group = seen.group == self.leader.as_raw_nonzero().get();
                    Some(Member { handle: open(seen)?, in_group })
                })
                .collect();
        };
        let opened: Vec<_> = cgroup
            .members()
            .into_iter()
            .filter_map(Pid::from_raw)
            .filter(|pid| *pid != self.leader)
            .filter_map(|pid| Some((pid, Handle::open(pid).ok()?)))
            .collect();
        let still: Vec<_> = if opened.is_empty() { Vec::new() } else { cgroup.members() };
        opened
            .into_iter()
            .filter(|(pid, _)| still.contains(&pid.as_raw_nonzero().get()))
            .map(|(pid, handle)| Member { handle, in_group: getpgid(Some(pid)) == Ok(self.leader) })
            .collect()
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let Some(Last { handle, note }) = self.last.take() else { return };
        // There is no runtime to wait with: the runtime itself may be going.
        let members = self.members(Look::Everywhere);
        self.strike(&members);
        drop(note);
        let hold = replace(&mut self.hold, Hold::Group);
        if matches!(handle.reap(), Ok(None)) {
            handle.reap_in_background(move || settle(hold));
        } else {
            settle_later(hold);
        }
    }
}

/// Waits until nobody is left in it, on this thread.
fn settle(hold: Hold) {
    match hold {
        Hold::Group => {}
        Hold::Cgroup(cgroup) => cgroup.settle(),
        Hold::Namespace(keeper) => {
            let _ = keeper.handle.reap_ending();
        }
    }
}

/// The same without standing still, where somebody may still be there.
fn settle_later(hold: Hold) {
    let is_over = match &hold {
        Hold::Group => true,
        Hold::Cgroup(cgroup) => !cgroup.is_populated(),
        Hold::Namespace(keeper) => !matches!(keeper.handle.reap(), Ok(None)),
    };
    if !is_over {
        in_background(move || settle(hold));
    }
}
