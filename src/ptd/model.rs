//! The two data schemas as structs that own what they hold: [`FlatTensor`] is the root of the current one,
//! [`OlderFlatTensor`] of the older one.

pub use super::older_schema::owned_tables::{OlderFlatTensor, OlderNamedData, TensorMetadata};
pub use super::schema::owned_tables::*;
pub use crate::flatbuffer::model::Text;
