//! The control plane: sandboxes are made, found and ended here.

mod control;
mod models;
mod query;

pub(crate) use control::{Control, Wanted};
pub(crate) use models::{Listed, Made, NewNetwork, NewSandbox};
pub(crate) use query::encoded;
