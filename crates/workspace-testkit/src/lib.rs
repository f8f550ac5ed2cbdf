//! The conformance kit: one set of cases for every backend and every layer.

mod case;
mod cases;
mod commands;
mod conform;
mod model;
mod plant;
mod report;
mod run;
mod scene;
mod subject;

pub use commands::Commands;
pub use model::{Answer, Expected, Model, Operation, State, compare, operations};
pub use plant::Plant;
pub use report::{CaseReport, Outcome, Report};
pub use run::{case_names, run, run_blocking, run_where};
pub use subject::Subject;
