//! **Files**: makes a file from its canonical JSON, changes one in place, and replaces it in one step.

mod data;
mod document;
mod error;
mod layout;
mod left_out;
pub mod meta;
mod named_data;
pub mod pack;
mod write;

pub use data::{Data, WrongDigest};
pub use document::{Document, Segment, SegmentPlace, root_tree};
pub use error::EditError;
pub use layout::{Base, DocumentLayout, MOST_ALIGNMENT};
pub use left_out::LeftOut;
pub use write::{AcceptedFile, Outline};
