//! **FlatBuffer schemas as Rust declarations**.
//!
//! A declaration produces three things: a typed view whose accessors check each read, the table's part of the
//! verification pass ([`verify`](super::verify)), and a [`TableType`] that lists every field. Dumps and owned trees
//! work from the [`TableType`].
//!
//! Every default is 0, as in the ExecuTorch schemas: an absent scalar reads as 0.

mod declare;
mod field;

pub(crate) use declare::{enums, tables, unions};
pub use field::{AlignedBytes, Element, FieldType, Of, TableView, UnionTag};

/// A table of a schema.
#[derive(Debug)]
pub struct TableType {
    /// The name in the schema.
    pub name: &'static str,
    /// The fields in slot order.
    pub fields: &'static [Field],
}

impl TableType {
    /// The field named `name`; `None` when the table has no such field.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

/// A field of a table.
#[derive(Debug)]
pub struct Field {
    /// The name in the schema.
    pub name: &'static str,
    /// Its vtable slot.
    pub slot: u16,
    /// The type of the field's value.
    pub kind: Kind,
}

/// The type of a field's value.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A number or a bool, inline.
    Scalar(Scalar),
    /// One byte: a value of an enum.
    Enum(&'static EnumType),
    /// One byte: the type of the union value in the next slot.
    Tag(&'static UnionType),
    /// An offset to a table, whose type the tag in the slot before names.
    Union(&'static UnionType),
    /// An offset to a string.
    String,
    /// An offset to a vector of numbers or bools. The second value is the alignment of the elements in bytes.
    Scalars(Scalar, usize),
    /// An offset to a table.
    Table(&'static TableType),
    /// An offset to a vector of offsets to tables.
    Tables(&'static TableType),
}

impl Kind {
    /// The number of inline bytes of the field in its table.
    #[must_use]
    pub const fn width(self) -> usize {
        match self {
            Kind::Scalar(scalar) => scalar.width(),
            Kind::Enum(_) | Kind::Tag(_) => 1,
            Kind::Union(_) | Kind::String | Kind::Scalars(..) | Kind::Table(_) | Kind::Tables(_) => 4,
        }
    }
}

/// A number type or bool.
///
/// Integers are little-endian two's complement; the float is IEEE 754 binary64.
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
    /// The name in the schema.
    pub name: &'static str,
    /// Names and values, in ascending order of the values.
    pub values: &'static [(&'static str, i8)],
}

impl EnumType {
    /// The name of `value`; `None` for an unknown value.
    #[must_use]
    pub fn name_of(&self, value: i8) -> Option<&'static str> {
        self.values.iter().find(|(_, known)| *known == value).map(|(name, _)| *name)
    }

    /// The value named `name`; `None` for an unknown name.
    #[must_use]
    pub fn value_of(&self, name: &str) -> Option<i8> {
        self.values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}

/// A union: a tag byte and a table.
#[derive(Debug)]
pub struct UnionType {
    /// The name in the schema.
    pub name: &'static str,
    /// The members in tag order. The first has tag 1; tag 0 is `NONE`.
    pub members: &'static [&'static TableType],
}

impl UnionType {
    /// The member with this tag; `None` for 0 and unknown tags.
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

/// The name of a field in paths. A union's tag takes the name of its value, which is the tag's name without `_type`.
pub(crate) const fn path_name(kind: &Kind, name: &'static str) -> &'static str {
    match kind {
        Kind::Tag(_) => name.split_at(name.len() - "_type".len()).0,
        _ => name,
    }
}
