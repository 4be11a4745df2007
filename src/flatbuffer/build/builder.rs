//! The settings for encoding.

use alloc::format;
use alloc::vec::Vec;

use crate::flatbuffer::schema::{Field, Kind, TableType};
use crate::flatbuffer::table::OFFSET_LIMIT;
use crate::flatbuffer::tree::{field_error, same_type, unknown_field};
use crate::write_error::WriteError;

/// The settings for encoding: the file identifier, additional alignments, and whether to share equal parts.
#[derive(Clone, Debug)]
pub(crate) struct Builder {
    pub(super) identifier: [u8; 4],
    alignments: Vec<(&'static TableType, u16, usize)>,
    pub(super) share: bool,
}

impl Builder {
    pub(crate) const fn new(identifier: [u8; 4]) -> Self {
        Self { identifier, alignments: Vec::new(), share: false }
    }

    /// Sets a larger alignment for the elements of a vector of numbers, in bytes from the start of the buffer.
    pub(crate) fn align(mut self, ty: &'static TableType, field: &str, alignment: usize) -> Result<Self, WriteError> {
        let known = ty.field(field).ok_or_else(|| unknown_field(ty, field))?;
        let Kind::Scalars(_, least) = known.kind else {
            return Err(field_error(ty, known, "has no alignment; expected a vector of numbers".into()));
        };
        if !alignment.is_power_of_two() || alignment < least || alignment >= OFFSET_LIMIT as usize {
            let message = format!("found alignment {alignment}, expected a power of two from {least} to 2^30");
            return Err(field_error(ty, known, message));
        }
        self.alignments.retain(|(own, slot, _)| !(same_type(own, ty) && *slot == known.slot));
        self.alignments.push((ty, known.slot, alignment));
        Ok(self)
    }

    /// Sets whether equal strings, vectors and tables are written once. The official writers share only vtables.
    pub(crate) const fn share(mut self, share: bool) -> Self {
        self.share = share;
        self
    }

    pub(super) fn alignment(&self, ty: &'static TableType, field: &Field, least: usize) -> usize {
        let own = self.alignments.iter().find(|(own, slot, _)| *slot == field.slot && same_type(own, ty));
        own.map_or(least, |(_, _, alignment)| *alignment)
    }
}
