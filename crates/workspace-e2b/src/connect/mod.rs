//! Connect RPC by hand: envelopes, events of processes, errors.

mod code;
mod events;
mod frames;

pub(crate) use code::{Code, Refusal, ending, refusal};
pub(crate) use events::{Told, read};
pub(crate) use frames::{Frame, Frames, envelope};
