//! **Reads, checks and writes ExecuTorch `.pte` and `.ptd` files.**
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let bytes = std::fs::read("corpus/real/linear_external.ptd")?;
//! let file = torchproof::ptd::Ptd::open(&bytes)?;
//! let weight = file.tensor_bytes(b"l.weight")?.expect("the file has this tensor");
//! assert_eq!(weight.len(), 128); // a slice of `bytes`, without a copy
//! # Ok(()) }
//! ```
//!
//! Data flows in one direction: bytes → [`flatbuffer`] → [`pte`] and [`ptd`] views → [`check`](mod@check) → findings.
//!
//! | module | contents |
//! |---|---|
//! | [`flatbuffer`] | bounds-checked tables, vectors, strings and unions, and the verification pass over them |
//! | [`pte`], [`ptd`] | headers, schemas and typed views of the two formats |
//! | [`bundled`] | bundled programs: a program with test cases for its methods |
//! | [`layout`] | the size of a tensor in bytes |
//! | [`metadata`] | the `metadata.*` convention: keys, types, encodings |
//! | [`rules`] | the catalogue: one declaration per rule |
//! | [`check`](mod@check) | the checker, which returns a report or passes findings to a sink |
#![cfg_attr(feature = "alloc", doc = "| [`annotate`] | the byte map of a file |")]
#![cfg_attr(feature = "attack", doc = "| [`attack`] | adversarial files, each with a label |")]
#![cfg_attr(feature = "attack", doc = "| [`mutate`] | schema-aware edits, splices and byte changes, for fuzzers |")]
#![cfg_attr(feature = "alloc", doc = "| [`write`](mod@write) | file layouts and packed files, shared by the writers |")]
#![cfg_attr(feature = "generate", doc = "| [`generate`] | valid files from a seed |")]
#![cfg_attr(feature = "json", doc = "| [`view`] | the canonical JSON of a file |")]
#![cfg_attr(feature = "predict", doc = "| [`prediction`] | how a release of the runtime responds to a file |")]
#![cfg_attr(feature = "corpus", doc = "| [`corpus`] | files that a reader must accept or reject |")]
//!
//! | feature | adds | needs |
//! |---|---|---|
//! | `std` (default) | packing, and streaming of packed files | `alloc` |
//! | `alloc` | writers, the byte map, and reports that own their findings | |
//! | `json` | the canonical JSON of a file | `std`; serde, serde_json, sha2 |
//! | `corpus` | the cases of the corpus, with their bytes | `alloc` |
//! | `generate` | valid files from a seed | `alloc` |
//! | `arbitrary` | generator configurations drawn from a fuzzer's bytes | `generate`; arbitrary |
//! | `attack` | adversarial files: labeled attacks, and edits for fuzzers | `alloc` |
//! | `predict` | predictions of how a release of the runtime responds | `json` |
//! | `schema` | JSON schemas of the types that `json` serializes | `predict`, `corpus`; schemars |
//!
//! Reading and checking need no dependencies, no memory allocation and no standard library. File sizes and offsets are
//! `u64`, and integers are decoded as little-endian, so the results are the same on 32-bit and big-endian hosts.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[cfg(feature = "alloc")]
pub mod annotate;
#[cfg(feature = "attack")]
pub mod attack;
pub mod bundled;
pub mod check;
#[cfg(feature = "corpus")]
pub mod corpus;
mod entry;
mod error;
mod excerpt;
mod file_bytes;
pub mod flatbuffer;
#[cfg(feature = "generate")]
pub mod generate;
mod key_index;
mod kind;
pub mod layout;
mod limits;
pub mod metadata;
#[cfg(feature = "attack")]
pub mod mutate;
mod named;
mod names;
mod needed;
#[cfg(feature = "std")]
mod pack;
#[cfg_attr(not(feature = "alloc"), allow(dead_code, unreachable_pub, reason = "the byte map needs an allocator"))]
mod part_kind;
#[cfg(any(feature = "attack", feature = "corpus"))]
#[cfg_attr(
    not(all(feature = "attack", feature = "corpus")),
    allow(dead_code, unreachable_pub, reason = "`attack` and `corpus` each use only some of its items")
)]
mod patch;
#[cfg(feature = "predict")]
pub mod prediction;
pub mod ptd;
pub mod pte;
#[cfg(any(feature = "attack", feature = "generate"))]
pub mod random;
#[cfg(all(test, feature = "std"))]
mod real_files;
pub mod rules;
mod scalar_type;
mod segment;
mod sort;
mod span;
mod stage;
#[cfg(feature = "json")]
pub mod view;
#[cfg(feature = "alloc")]
pub mod write;
#[cfg(feature = "alloc")]
mod write_error;

#[cfg(feature = "alloc")]
pub use check::check;
pub use entry::DataEntry;
pub use error::{Error, ErrorCode};
pub use file_bytes::FileBytes;
pub use key_index::KeyIndex;
pub use kind::{FileKind, Role};
pub use limits::{Limit, Limits};
pub use scalar_type::ScalarType;
pub use span::Span;
pub use stage::Stage;

#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../docs/src/rust.md")]
struct BookExamples;
