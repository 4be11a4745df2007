//! Entries of a byte map.

use alloc::string::String;

use crate::flatbuffer::schema::{Field, Kind, TableType};
use crate::part_kind::PartKind;
use crate::{Error, Span};

/// One range of a file and its meaning.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// The range's bytes.
    pub span: Span,
    /// The kind of the part in the range.
    pub kind: PartKind,
    /// The path of the part's field, in the notation of findings. If several offsets lead to the part, this is the path
    /// through the first offset that the verifier follows.
    pub path: String,
    /// The type of the table to which the part belongs. A table and its vtable have the table's own type, not the
    /// parent's.
    pub owner: Option<&'static TableType>,
    /// The schema's description of the part's field, or `None` if the part belongs to no field.
    pub field: Option<&'static Field>,
    /// The index of the element, if the part belongs to an element of a vector.
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

/// A part that could not be mapped. The map may show the bytes of the part as unowned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnmappedPart {
    /// The path of the field, in the notation of findings, or an empty string if the error concerns the whole file.
    pub path: String,
    /// The error that prevented the mapping.
    pub error: Error,
}
