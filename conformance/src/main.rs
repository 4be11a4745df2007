//! The `torchproof` command.
fn main() {}
