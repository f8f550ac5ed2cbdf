//! Tests of the checker against its cases, its rules, and plain sense.
// A test that cannot go on ends.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::format_collect, clippy::type_complexity)]

mod argv_mode;
mod cases;
mod daily;
mod everywhere;
mod hints;
mod jail;
mod paths;
mod policies;
mod presets;
mod properties;
mod reach;
mod sh_mode;
mod table;
mod wrappers;
