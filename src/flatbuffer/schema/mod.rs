//! **How a FlatBuffer schema is written down here**: once, as Rust declarations.
//!
//! A declaration gives three things: a typed view whose accessors check each read, the table's part of the verification pass
//! ([`verify`](super::verify)), and a [`TableType`] that names every field, from which dumps and owned trees work.
//! Defaults are all zero, as they are in the ExecuTorch schemas; an absent scalar reads as zero.

mod declare;
mod field;

pub(crate) use declare::{enums, tables, unions};
pub use field::{AlignedBytes, Element, FieldType, Of, TableView, UnionTag};

/// A table of a schema.
#[derive(Debug)]
pub struct TableType {
    /// The schema's name.
    pub name: &'static str,
    /// In slot order.
    pub fields: &'static [Field],
}

impl TableType {
    /// The field of this name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

/// A field of a table.
#[derive(Debug)]
pub struct Field {
    /// The schema's name.
    pub name: &'static str,
    /// Its vtable slot.
    pub slot: u16,
    /// What it holds.
    pub kind: Kind,
}

/// What a field holds.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A number or a bool, inline.
    Scalar(Scalar),
    /// One byte that names a value.
    Enum(&'static EnumType),
    /// One byte that names the type of the union in the next slot.
    Tag(&'static UnionType),
    /// A reference to the table that the slot before names.
    Union(&'static UnionType),
    /// A reference to a string.
    String,
    /// A reference to a vector of numbers or bools; the elements begin at a multiple of the second value.
    Scalars(Scalar, usize),
    /// A reference to a table.
    Table(&'static TableType),
    /// A reference to a vector of references to tables.
    Tables(&'static TableType),
}

impl Kind {
    /// How many bytes the field takes inside its table.
    #[must_use]
    pub const fn width(self) -> usize {
        match self {
            Kind::Scalar(scalar) => scalar.width(),
            Kind::Enum(_) | Kind::Tag(_) => 1,
            Kind::Union(_) | Kind::String | Kind::Scalars(..) | Kind::Table(_) | Kind::Tables(_) => 4,
        }
    }
}

/// A number type or bool; the integers are little-endian two's complement, the float is IEEE 754 binary64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// One byte, 0 or 1.
    Bool,
    /// `byte`.
    I8,
    /// `ubyte`.
    U8,
    /// `int`.
    I32,
    /// `uint`.
    U32,
    /// `long`.
    I64,
    /// `ulong`.
    U64,
    /// `double`.
    F64,
}

impl Scalar {
    /// Size and alignment in bytes.
    #[must_use]
    pub const fn width(self) -> usize {
        match self {
            Scalar::Bool | Scalar::I8 | Scalar::U8 => 1,
            Scalar::I32 | Scalar::U32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }
}

/// An enum of one signed byte.
#[derive(Debug)]
pub struct EnumType {
    /// The schema's name.
    pub name: &'static str,
    /// Names and values, ascending.
    pub values: &'static [(&'static str, i8)],
}

impl EnumType {
    /// The schema's name for a value.
    #[must_use]
    pub fn name_of(&self, value: i8) -> Option<&'static str> {
        self.values.iter().find(|(_, known)| *known == value).map(|(name, _)| *name)
    }

    /// The value of a name.
    #[must_use]
    pub fn value_of(&self, name: &str) -> Option<i8> {
        self.values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}

/// A union: a tag byte and a table.
#[derive(Debug)]
pub struct UnionType {
    /// The schema's name.
    pub name: &'static str,
    /// The members in tag order; the first has tag 1, and tag 0 is `NONE`.
    pub members: &'static [&'static TableType],
}

impl UnionType {
    /// The member with this tag.
    #[must_use]
    pub fn member(&self, tag: u8) -> Option<&'static TableType> {
        usize::from(tag).checked_sub(1).and_then(|index| self.members.get(index)).copied()
    }
}

/// A table's documentation, as its declaration has it. Sentences begin with a space.
#[cfg(feature = "schema")]
#[doc(hidden)]
#[derive(Debug)]
pub struct TableDoc {
    /// The table.
    pub ty: &'static TableType,
    /// What the table is for.
    pub doc: &'static str,
    /// The fields, in slot order.
    pub fields: &'static [FieldDoc],
}

/// A field's documentation.
#[cfg(feature = "schema")]
#[doc(hidden)]
#[derive(Debug)]
pub struct FieldDoc {
    /// What the value means.
    pub doc: &'static str,
    /// The first ExecuTorch release with the field; empty for 0.1.0.
    pub since: &'static str,
    /// Who writes the field, and when; empty for the exporter, always.
    pub writer: &'static str,
}

/// A field's name in paths: its own, and for a union's tag that of the value, which a tag's name is with `_type` behind it.
pub(crate) const fn path_name(kind: &Kind, name: &'static str) -> &'static str {
    match kind {
        Kind::Tag(_) => name.split_at(name.len() - "_type".len()).0,
        _ => name,
    }
}
