//! The program schema as structs that own what they hold; [`Program`] is the root.

pub use super::schema::owned_tables::*;
pub use super::schema::owned_unions::*;
pub use crate::flatbuffer::model::Text;
