//! **The encoder**: turns a [`TableTree`] into a FlatBuffer.
//!
//! It writes the same bytes as the official program writer, from the last byte to the first: what a table leads to, in field order;
//! the table, whose first field has the highest address; then its vtable, unless an equal one is written already. The bytes are a
//! function of the tree. A zero that is set is written; [`TableTree::elide_defaults`] drops zeros.

mod encoder;
mod share;
mod vtables;

use alloc::format;
use alloc::vec::Vec;

use super::schema::{Field, Kind, TableType};
use super::table::REFERENCE_LIMIT;
use super::tree::{TableTree, field_error, same_type, unknown_field};
use crate::write_error::WriteError;
use encoder::Encoder;

/// Encodes a tree with the alignments of its schema.
///
/// The length is a multiple of the largest alignment of anything in it.
///
/// # Errors
///
/// The first mistake kept in the tree, a table of another type than its field takes, or 2^31 bytes or more.
pub fn encode(root: &TableTree, identifier: [u8; 4]) -> Result<Vec<u8>, WriteError> {
    Builder::new(identifier).encode_with(root, &TableTree::new(root.ty()))
}

/// The file identifier, larger alignments than the schema's, and whether equal parts are shared.
#[derive(Clone, Debug)]
pub(crate) struct Builder {
    identifier: [u8; 4],
    alignments: Vec<(&'static TableType, u16, usize)>,
    share: bool,
}

impl Builder {
    pub(crate) const fn new(identifier: [u8; 4]) -> Self {
        Self { identifier, alignments: Vec::new(), share: false }
    }

    /// The same builder, which puts the elements of a vector of numbers at multiples of `alignment`, from the first byte.
    pub(crate) fn align(mut self, ty: &'static TableType, field: &str, alignment: usize) -> Result<Self, WriteError> {
        let known = ty.field(field).ok_or_else(|| unknown_field(ty, field))?;
        let Kind::Scalars(_, least) = known.kind else {
            return Err(field_error(ty, known, "is not a vector of numbers, so it has no alignment".into()));
        };
        if !alignment.is_power_of_two() || alignment < least || alignment >= REFERENCE_LIMIT as usize {
            let message = format!("alignment {alignment} is not a power of two from {least} up to 2^30");
            return Err(field_error(ty, known, message));
        }
        self.alignments.retain(|(own, slot, _)| !(same_type(own, ty) && *slot == known.slot));
        self.alignments.push((ty, known.slot, alignment));
        Ok(self)
    }

    /// The same builder, which writes equal strings, vectors and tables once. The official writers share vtables only.
    pub(crate) const fn share(mut self, share: bool) -> Self {
        self.share = share;
        self
    }

    /// Encodes a tree, with those fields of `more`, a tree of the same type, that it has not set.
    pub(crate) fn encode_with(&self, root: &TableTree, more: &TableTree) -> Result<Vec<u8>, WriteError> {
        Encoder::new(self).encode(root, more)
    }

    fn alignment(&self, ty: &'static TableType, field: &Field, least: usize) -> usize {
        let own = self.alignments.iter().find(|(own, slot, _)| *slot == field.slot && same_type(own, ty));
        own.map_or(least, |(_, _, alignment)| *alignment)
    }
}

#[cfg(all(test, feature = "std"))]
mod tests;
