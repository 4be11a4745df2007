//! Kinds of the parts of a file.

use core::fmt;

/// The kind of one part of a file.
///
/// The verifier reports the parts of a FlatBuffer. The [byte map](crate::annotate) also contains the parts outside the
/// FlatBuffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum PartKind {
    /// The root offset.
    Root,
    /// The file identifier.
    Identifier,
    /// A field of the ExecuTorch header.
    Header,
    /// A table's first word: the distance to its vtable.
    Table,
    /// A vtable.
    Vtable,
    /// An inline number, bool, enum value or union tag.
    Scalar,
    /// An offset in a table. The name of this kind in JSON is `reference`.
    Offset,
    /// An offset in a vector. The name of this kind in JSON is `reference`, as for an offset in a table.
    Item,
    /// A vector's or string's count.
    Count,
    /// A vector's elements or a string's bytes.
    Elements,
    /// The NUL terminator of a string.
    Terminator,
    /// A segment's bytes.
    Segment,
    /// Zero bytes that align the next part and belong to no part.
    Padding,
    /// Bytes that belong to no part and are not padding.
    Unowned,
}

impl PartKind {
    /// Returns the name of the kind in text and JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            PartKind::Root => "root",
            PartKind::Identifier => "identifier",
            PartKind::Header => "header",
            PartKind::Table => "table",
            PartKind::Vtable => "vtable",
            PartKind::Scalar => "value",
            PartKind::Offset | PartKind::Item => "reference",
            PartKind::Count => "count",
            PartKind::Elements => "elements",
            PartKind::Terminator => "terminator",
            PartKind::Segment => "segment",
            PartKind::Padding => "padding",
            PartKind::Unowned => "unowned",
        }
    }

    /// Returns whether the bytes belong to no part.
    #[must_use]
    pub const fn is_gap(self) -> bool {
        matches!(self, PartKind::Padding | PartKind::Unowned)
    }
}

impl fmt::Display for PartKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(feature = "json")]
impl serde::Serialize for PartKind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
