//! Tests of the checker against its cases, its rules and the shells.

mod cases;
mod jail;
