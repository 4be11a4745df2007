//! Any bytes: reading and checking them ends, and never panics.
fn main() {}
