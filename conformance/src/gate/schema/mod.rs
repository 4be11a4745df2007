//! **The comparison of two FlatBuffers schemas**: what each difference breaks, and why.

mod compare;
mod difference;
mod error;
mod load;
mod model;
mod parse;
mod report;
mod resolve;
mod tables;
mod token;
mod types;
mod values;

#[cfg(test)]
mod tests;

pub use compare::compare;
pub use difference::{Breaks, Difference, DifferenceKind};
pub use error::{Place, SchemaFailure};
pub use model::Schema;
pub use report::{PlacedDifference, Position, SchemaComparison};
