//! Entries of a byte map.

use alloc::string::String;

use crate::flatbuffer::schema::{Field, Kind, TableType};
use crate::part_kind::PartKind;
use crate::{Error, Span};

/// One range of a file, and what it means.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// The range's bytes.
    pub span: Span,
    /// What kind of part the range is.
    pub kind: PartKind,
    /// The field path of the part, in the notation of findings. If several offsets lead to the part, the path follows
    /// the one that the verifier visits first.
    pub path: String,
    /// The type of the table that the part belongs to. A table and its vtable have their own type, not the parent's.
    pub owner: Option<&'static TableType>,
    /// The schema's description of the field; `None` if the part belongs to none.
    pub field: Option<&'static Field>,
    /// The element's index, if the part belongs to an element of a vector.
    pub index: Option<u32>,
}

impl Entry {
    /// Returns the schema type of a scalar, of a vector's elements or of a string's bytes.
    #[must_use]
    pub fn value_kind(&self) -> Option<Kind> {
        let holds = matches!(self.kind, PartKind::Scalar | PartKind::Elements);
        self.field.filter(|_| holds).map(|field| field.kind)
    }

    pub(super) fn gap(span: Span, kind: PartKind) -> Self {
        Self { span, kind, path: String::new(), owner: None, field: None, index: None }
    }
}

/// A part that could not be mapped, whose bytes the map may show as unowned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnmappedPart {
    /// The field's path, in the notation of findings; empty if the error concerns the whole file.
    pub path: String,
    /// What prevented the mapping.
    pub error: Error,
}
