//! **The gate**: comparisons that protect the users of a format from a change.

pub mod files;
mod report;
pub mod results;
pub mod schema;

pub use report::{Class, Comparison, GateRow};
