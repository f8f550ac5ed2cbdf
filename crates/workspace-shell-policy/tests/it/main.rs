//! Tests of the checker against its cases, its rules, and plain sense.

mod argv_mode;
mod cases;
mod daily;
mod hints;
mod jail;
mod paths;
mod policies;
mod presets;
mod properties;
mod sh_mode;
mod table;
mod wrappers;
