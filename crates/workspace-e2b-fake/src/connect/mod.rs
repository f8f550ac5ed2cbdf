//! The Connect protocol with JSON: envelopes, errors, and how requests are read.

mod envelope;
mod error;
mod json;
mod request;
mod stream;

pub(crate) use envelope::{END, Envelopes, envelope};
pub(crate) use error::{Code, Problem};
pub(crate) use json::{base64_of, bytes_of};
pub(crate) use request::{Ask, message, messages, streaming, unary};
pub(crate) use stream::{Events, Pour, ending, framed, opened, pour, refused};
