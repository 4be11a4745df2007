//! **FlatBuffer schemas as Rust declarations**.
//!
//! The declaration of a table generates a typed view, whose accessors check each read; the verification code of the
//! table (see [`verify`](super::verify)); and a [`TableType`], which lists every field, for dumps and owned trees.
//!
//! As in the ExecuTorch schemas, the default of every scalar is 0, so an absent scalar is read as 0.

mod brief;
mod declare;
mod field;

#[doc(hidden)]
pub use brief::Brief;
pub(crate) use declare::{enums, tables, unions};
pub use field::{AlignedBytes, Element, FieldType, TableView, UnionField, UnionTag};

/// The maximum number of fields of a table in the schemas.
pub(crate) const MAX_FIELDS: usize = 10;

/// A table of a schema.
#[derive(Debug)]
pub struct TableType {
    /// The name in the schema.
    pub name: &'static str,
    /// The fields in slot order.
    pub fields: &'static [Field],
    /// The id, which tells the types of one schema apart.
    pub(crate) id: u8,
    /// The width of the field in each slot; 0 for slots without a field.
    pub(crate) widths: [u8; MAX_FIELDS],
}

impl TableType {
    pub(crate) const fn new(name: &'static str, id: u8, fields: &'static [Field]) -> Self {
        let (mut widths, mut index) = ([0; MAX_FIELDS], 0);
        while index < fields.len() {
            let field = &fields[index];
            widths[field.slot as usize] = field.kind.width().to_le_bytes()[0];
            index += 1;
        }
        Self { name, fields, id, widths }
    }

    /// Returns the field named `name`, if the table has one.
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
    /// The field's slot in the vtable.
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
    /// An offset to a table. The tag in the previous slot identifies the table's type.
    Union(&'static UnionType),
    /// An offset to a string.
    String,
    /// An offset to a vector of numbers or bools, and the alignment of its elements in bytes.
    Scalars(Scalar, usize),
    /// An offset to a table.
    Table(&'static TableType),
    /// An offset to a vector of offsets to tables.
    Tables(&'static TableType),
}

impl Kind {
    /// Returns how many bytes the field takes in its table.
    #[must_use]
    pub const fn width(self) -> usize {
        match self {
            Kind::Scalar(scalar) => scalar.width(),
            Kind::Enum(_) | Kind::Tag(_) => 1,
            Kind::Union(_) | Kind::String | Kind::Scalars(..) | Kind::Table(_) | Kind::Tables(_) => 4,
        }
    }
}

/// A numeric type or bool.
///
/// Integers are little-endian two's complement; the float is IEEE 754 binary64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// One byte, 0 or 1.
    Bool,
    /// 1 byte, signed; `byte` in the schema language.
    I8,
    /// 1 byte, unsigned; `ubyte` in the schema language.
    U8,
    /// 4 bytes, signed; `int` in the schema language.
    I32,
    /// 4 bytes, unsigned; `uint` in the schema language.
    U32,
    /// 8 bytes, signed; `long` in the schema language.
    I64,
    /// 8 bytes, unsigned; `ulong` in the schema language.
    U64,
    /// 8 bytes, floating-point; `double` in the schema language.
    F64,
}

impl Scalar {
    /// Returns the size in bytes, which is also the alignment.
    #[must_use]
    pub const fn width(self) -> usize {
        match self {
            Scalar::Bool | Scalar::I8 | Scalar::U8 => 1,
            Scalar::I32 | Scalar::U32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }
}

/// An enum whose values are stored as one signed byte.
#[derive(Debug)]
pub struct EnumType {
    /// The name in the schema.
    pub name: &'static str,
    /// Names and values, in ascending order of the values.
    pub values: &'static [(&'static str, i8)],
}

impl EnumType {
    /// Returns the name of `value`, if it is known.
    #[must_use]
    pub fn name_of(&self, value: i8) -> Option<&'static str> {
        self.values.iter().find(|(_, known)| *known == value).map(|(name, _)| *name)
    }

    /// Returns the value named `name`, if there is one.
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
    /// The members in tag order. The first member has tag 1; tag 0 is `NONE`.
    pub members: &'static [&'static TableType],
}

impl UnionType {
    /// Returns the member with this tag; `None` if the tag is 0 or unknown.
    #[must_use]
    pub fn member(&self, tag: u8) -> Option<&'static TableType> {
        usize::from(tag).checked_sub(1).and_then(|index| self.members.get(index)).copied()
    }
}

/// A table's documentation, copied from the declaration. Each sentence in it begins with a space.
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
    /// The first ExecuTorch release with the field.
    pub since: &'static str,
    /// Who writes the field and when; empty if the exporter omits numbers that are 0 and always writes other types.
    pub writer: &'static str,
}

/// An enum value's documentation.
#[cfg(feature = "schema")]
#[doc(hidden)]
#[derive(Debug)]
pub struct ValueDoc {
    /// What the value means.
    pub doc: &'static str,
    /// The first ExecuTorch release with the value.
    pub since: &'static str,
}

/// Returns the release of a field or value or, if that is empty, the release of its table or enum.
#[cfg(feature = "schema")]
pub(crate) const fn since(outer: &'static str, own: &'static str) -> &'static str {
    if own.is_empty() { outer } else { own }
}

/// In paths, a union's tag has the same name as the union's value: `name` without the suffix `_type`.
pub(crate) fn tag_path_name(name: &'static str) -> &'static str {
    name.strip_suffix("_type").unwrap_or(name)
}
