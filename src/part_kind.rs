//! Kinds of file parts.

use crate::named::named;

named! {
    /// The kind of one part of a file.
    ///
    /// The verifier reports the parts of a FlatBuffer. The byte map adds those outside it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum PartKind {
        /// The root offset.
        Root = "root",
        /// The file identifier.
        Identifier = "identifier",
        /// A field of the ExecuTorch header.
        Header = "header",
        /// A table's first word: the distance to its vtable.
        Table = "table",
        /// A vtable.
        Vtable = "vtable",
        /// An inline number, bool, enum value or union tag.
        Scalar = "value",
        /// An offset in a table; `reference` in JSON.
        Offset = "reference",
        /// An offset in a vector; `reference` in JSON, as in a table.
        Item = "reference",
        /// A vector's or string's count.
        Count = "count",
        /// A vector's elements or a string's bytes.
        Elements = "elements",
        /// The NUL terminator of a string.
        Terminator = "terminator",
        /// A segment's bytes.
        Segment = "segment",
        /// Zero bytes that align the next part but belong to no part.
        Padding = "padding",
        /// Bytes that belong to no part and are not padding.
        Unowned = "unowned",
    }
}

impl PartKind {
    /// Returns whether the bytes belong to no part.
    #[must_use]
    pub const fn is_gap(self) -> bool {
        matches!(self, PartKind::Padding | PartKind::Unowned)
    }
}

#[cfg(feature = "json")]
impl serde::Serialize for PartKind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
