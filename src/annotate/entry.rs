//! One entry of a byte map.

use alloc::string::String;

use crate::flatbuffer::schema::{Field, Kind, TableType};
use crate::part_kind::PartKind;
use crate::{Error, Span};

/// One range of a file and what it is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// The bytes.
    pub span: Span,
    /// What they are.
    pub kind: PartKind,
    /// The field, as in findings; a shared part has the path that reached it first.
    pub path: String,
    /// Of a table or a vtable its type; of other parts of a FlatBuffer, the type of the table that they are a field of.
    pub owner: Option<&'static TableType>,
    /// The field in the schema.
    pub field: Option<&'static Field>,
    /// Of an element of a vector, its index.
    pub index: Option<u32>,
}

impl Entry {
    /// The type in the schema of a value, a vector's elements or a string's bytes.
    #[must_use]
    pub fn value_kind(&self) -> Option<Kind> {
        let holds = matches!(self.kind, PartKind::Scalar | PartKind::Elements);
        self.field.filter(|_| holds).map(|field| field.kind)
    }

    pub(super) fn gap(span: Span, kind: PartKind) -> Self {
        Self { span, kind, path: String::new(), owner: None, field: None, index: None }
    }
}

/// Where a file could not be followed, so that bytes may belong to something and are mapped as nobody's.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Missed {
    /// The field, as in findings; empty for the file as a whole.
    pub path: String,
    /// Why.
    pub error: Error,
}
