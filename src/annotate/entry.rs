//! Entries of a byte map.

use alloc::string::String;

use crate::flatbuffer::schema::{Field, Kind, TableType};
use crate::part_kind::PartKind;
use crate::{Error, Span};

/// One range of a file and its meaning.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// The bytes of the range.
    pub span: Span,
    /// The kind of part.
    pub kind: PartKind,
    /// The field path of the part, in the notation of findings. If several offsets lead to the part, the path follows
    /// the offset that the verifier visits first.
    pub path: String,
    /// The type of the table that the part belongs to. A table or vtable belongs to its own type, not to the parent's.
    pub owner: Option<&'static TableType>,
    /// The schema's description of the field; `None` if the part belongs to no field.
    pub field: Option<&'static Field>,
    /// If the part belongs to an element of a vector, the index of that element.
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

/// A part that could not be mapped. The map may show its bytes as unowned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnmappedPart {
    /// The field's path, in the notation of findings; empty if the error is about the whole file.
    pub path: String,
    /// What prevented the mapping.
    pub error: Error,
}
