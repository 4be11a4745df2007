//! What a mapped range can be.

use core::fmt;

/// What a mapped range is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The root offset.
    Root,
    /// The file identifier.
    Identifier,
    /// A field of the ExecuTorch header.
    Header,
    /// A table's first word, the distance to its vtable; the table's type.
    Table(&'static str),
    /// A vtable; the type of a table that it describes.
    Vtable(&'static str),
    /// An inline number, bool, enum value or union tag.
    Scalar,
    /// A reference.
    Reference,
    /// A vector's or string's count.
    Count,
    /// A vector's elements or a string's bytes.
    Elements,
    /// The zero byte behind a string.
    Terminator,
    /// A segment's bytes.
    Segment,
    /// Bytes that belong to no part.
    Unowned,
}

impl What {
    /// One word for it, which a table and a vtable of any type have in common.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            What::Root => "root",
            What::Identifier => "identifier",
            What::Header => "header",
            What::Table(_) => "table",
            What::Vtable(_) => "vtable",
            What::Scalar => "value",
            What::Reference => "reference",
            What::Count => "count",
            What::Elements => "elements",
            What::Terminator => "terminator",
            What::Segment => "segment",
            What::Unowned => "unowned",
        }
    }

    /// The type of a table, or of one that a vtable describes.
    #[must_use]
    pub const fn table_type(self) -> Option<&'static str> {
        match self {
            What::Table(ty) | What::Vtable(ty) => Some(ty),
            _ => None,
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Root => f.write_str("root offset"),
            What::Identifier => f.write_str("identifier"),
            What::Header => f.write_str("header"),
            What::Table(ty) => write!(f, "table {ty}"),
            What::Vtable(ty) => write!(f, "vtable of {ty}"),
            What::Scalar => f.write_str("value"),
            What::Reference => f.write_str("reference"),
            What::Count => f.write_str("count"),
            What::Elements => f.write_str("elements"),
            What::Terminator => f.write_str("terminator"),
            What::Segment => f.write_str("segment"),
            What::Unowned => f.write_str("unowned"),
        }
    }
}
