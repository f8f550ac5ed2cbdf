//! [`LocalShell`] turns a command into a `Launch` and starts it (`spawn`). From
//! then on a `Tree` stands for all its processes, and a task (`watch`) hands on
//! what it prints, keeps its time, and sees the tree to its end.

mod cgroup;
mod guard;
mod hand;
mod handle;
mod level;
mod namespaces;
mod outputs;
mod proc;
mod program;
mod provider;
mod pump;
mod spawn;
mod streams;
mod tree;
mod variables;
mod watch;

pub use provider::LocalShell;
