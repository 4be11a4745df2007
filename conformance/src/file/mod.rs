//! **Files**: creates files from canonical JSON, changes files, and replaces files atomically.

mod data;
mod document;
mod error;
mod layout;
mod left_out;
pub mod meta;
mod named_data;
pub(crate) mod operators;
pub mod pack;
pub(crate) mod vector;
pub(crate) mod words;
mod write;

pub use data::{Data, WrongDigest};
pub use document::{Document, Segment, SegmentPlace, root_tree};
pub use error::EditError;
pub use layout::{Base, DocumentLayout, MAX_ALIGNMENT};
pub use left_out::LeftOut;
pub use write::{AcceptedFile, Outline};
