//! **The gate**: comparisons that protect the users of a format from a change.

pub mod schema;
