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
    /// The kind of the part in the range.
    pub kind: PartKind,
    /// The path of the part's field, as in findings. A shared part has the path of its first visit.
    pub path: String,
    /// The type of the table or vtable itself, or the type of the table whose field contains the part.
    pub owner: Option<&'static TableType>,
    /// The field in the schema.
    pub field: Option<&'static Field>,
    /// The index of a vector's element.
    pub index: Option<u32>,
}

impl Entry {
    /// The schema type of a value, a vector's elements or a string's bytes.
    #[must_use]
    pub fn value_kind(&self) -> Option<Kind> {
        let holds = matches!(self.kind, PartKind::Scalar | PartKind::Elements);
        self.field.filter(|_| holds).map(|field| field.kind)
    }

    pub(super) fn gap(span: Span, kind: PartKind) -> Self {
        Self { span, kind, path: String::new(), owner: None, field: None, index: None }
    }
}

/// A part that could not be mapped. The bytes of the part may appear as unowned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Missed {
    /// The path of the field, as in findings; empty for the whole file.
    pub path: String,
    /// The error that prevented the mapping.
    pub error: Error,
}
