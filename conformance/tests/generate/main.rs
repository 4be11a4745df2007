//! `torchproof generate`, and what other people's readers make of its files.
#![allow(clippy::unwrap_used)] // A test may end on a broken fixture.

#[path = "../built/mod.rs"]
mod built;
#[path = "../command/mod.rs"]
mod command;
mod files;
mod readers;
