//! `lib:PATH`: a library behind the C ABI is judged as a worker is, and whatever it does to its process ends with the case.
//!
//! The cases are files that tell [a library](../faux/library.cpp) what to do.
#![allow(clippy::unwrap_used)] // A test may end on a broken fixture.

#[path = "../faux/corpus.rs"]
mod corpus;
#[path = "../valid/mod.rs"]
mod valid;

mod address;
mod built;
mod ends;
