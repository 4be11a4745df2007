//! `lib:PATH`: a library behind the C ABI is judged as a worker is, and whatever it does to its process ends with the case.
//! `--delivery`: it gets its files in every way, as other readers get them in those that they name.
//!
//! The cases are files that tell [a library](../faux/library.cpp) what to do.
#![allow(clippy::unwrap_used)] // A test may end on a broken fixture.

#[path = "../faux/corpus.rs"]
mod corpus;
#[path = "../valid/mod.rs"]
mod valid;

mod address;
mod built;
mod deliveries;
mod ends;
