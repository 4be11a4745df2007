//! A schema whose names are resolved and whose slots, numbers and layouts are computed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::error::Place;

/// A schema with all included files.
#[derive(Debug, Default)]
pub struct Schema {
    /// The files: first the schema itself, then the included files.
    pub files: Vec<PathBuf>,
    /// The root table's full name.
    pub root: Option<Placed<Arc<str>>>,
    /// The file identifier.
    pub identifier: Option<Placed<String>>,
    /// The file extension.
    pub extension: Option<Placed<String>>,
    /// The types by full name, for example `torchproof.pte.Tensor`.
    pub types: BTreeMap<Arc<str>, Type>,
}

/// A value with its position.
#[derive(Clone, Debug)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// The position.
    pub place: Place,
}

/// A declared type.
#[derive(Debug)]
pub struct Type {
    /// The position of the name.
    pub place: Place,
    /// The content.
    pub content: Content,
}

/// The content of a declared type.
#[derive(Debug)]
pub enum Content {
    /// A table. The fields are in the order of their slots.
    Table(Vec<Field>),
    /// A struct. The fields are in the order of their offsets.
    Struct(StructLayout),
    /// An enum. The values are sorted by number.
    Enum(Enum),
    /// A union.
    Union(Union),
}

impl Content {
    /// Returns how a file stores a value of this kind.
    pub const fn stored(&self) -> &'static str {
        match self {
            Self::Table(_) => "a table is stored as an offset",
            Self::Struct(_) => "a struct is stored inline, as its fields",
            Self::Enum(_) => "an enum is stored inline, as a number",
            Self::Union(_) => "a union is stored as a tag and an offset",
        }
    }

    /// Returns the word for this kind of type with an article, for example `a table`.
    pub const fn described(&self) -> &'static str {
        match self {
            Self::Table(_) => "a table",
            Self::Struct(_) => "a struct",
            Self::Enum(_) => "an enum",
            Self::Union(_) => "a union",
        }
    }

    /// Returns the word for this kind of type.
    pub const fn noun(&self) -> &'static str {
        match self {
            Self::Table(_) => "table",
            Self::Struct(_) => "struct",
            Self::Enum(_) => "enum",
            Self::Union(_) => "union",
        }
    }
}

/// A field of a table.
#[derive(Debug)]
pub struct Field {
    /// The name.
    pub name: String,
    /// The position of the name.
    pub place: Place,
    /// The vtable slot of the value. The tag of a union is in the previous slot.
    pub slot: u32,
    /// The type.
    pub ty: FieldType,
    /// The value of an absent field.
    pub default: DefaultValue,
    /// Whether every table of this type must contain the field.
    pub required: bool,
    /// Whether generated code has no access to the field.
    pub deprecated: bool,
    /// Whether vectors of this table are sorted by the field.
    pub key: bool,
    /// The value of `force_align` in bytes, if the attribute is set.
    pub force_align: Option<u64>,
    /// The alignment in bytes without `force_align`. For a vector, the alignment of the elements.
    pub natural_align: u64,
    /// The full name of the root table of a nested FlatBuffer.
    pub nested: Option<Arc<str>>,
    /// Whether the offset to the value has 64 bits.
    pub offset64: bool,
    /// Whether the offset to the vector and the length of the vector have 64 bits.
    pub vector64: bool,
    /// Whether the bytes of the vector are a FlexBuffer.
    pub flexbuffer: bool,
}

impl Field {
    /// Returns whether a reader rejects a table without the field. A string field with the attribute `key` is also required.
    pub fn is_needed(&self) -> bool {
        !self.deprecated && (self.required || self.key && self.ty == FieldType::String)
    }
}

/// The value of an absent field.
#[derive(Clone, Debug)]
pub enum DefaultValue {
    /// No default: the reader can tell that the field is absent.
    None,
    /// An integer, also for enums and bools.
    Integer(i128),
    /// A floating-point number.
    Float(f64),
    /// The content of a string, or `[]` for a vector.
    Text(String),
}

impl PartialEq for DefaultValue {
    /// Compares floating-point defaults by their bits, but treats all NaN values as equal.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::None, Self::None) => true,
            (Self::Integer(one), Self::Integer(other)) => one == other,
            (Self::Float(one), Self::Float(other)) => {
                one.to_bits() == other.to_bits() || one.is_nan() && other.is_nan()
            }
            (Self::Text(one), Self::Text(other)) => one == other,
            _ => false,
        }
    }
}

impl std::fmt::Display for DefaultValue {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => out.write_str("no value"),
            Self::Integer(value) => write!(out, "{value}"),
            Self::Float(value) => write!(out, "{value}"),
            Self::Text(text) => write!(out, "{text:?}"),
        }
    }
}

/// The type of a field, or of the elements of a vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// A number or a bool.
    Scalar(Scalar),
    /// A string.
    String,
    /// A declared type, by its full name.
    Named(Arc<str>),
    /// A vector.
    Vector(Box<FieldType>),
    /// An array with a fixed number of elements. Only structs contain arrays.
    Array(Box<FieldType>, u32),
}

/// The type of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// A bool of one byte.
    Bool,
    /// A signed integer with this number of bytes.
    Signed(u8),
    /// An unsigned integer with this number of bytes.
    Unsigned(u8),
    /// A floating-point number with this number of bytes.
    Float(u8),
}

impl Scalar {
    /// Returns the scalar with this name in a schema.
    pub fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "bool" => Self::Bool,
            "byte" | "int8" => Self::Signed(1),
            "ubyte" | "uint8" => Self::Unsigned(1),
            "short" | "int16" => Self::Signed(2),
            "ushort" | "uint16" => Self::Unsigned(2),
            "int" | "int32" => Self::Signed(4),
            "uint" | "uint32" => Self::Unsigned(4),
            "long" | "int64" => Self::Signed(8),
            "ulong" | "uint64" => Self::Unsigned(8),
            "float" | "float32" => Self::Float(4),
            "double" | "float64" => Self::Float(8),
            _ => return None,
        })
    }

    /// Returns the size in bytes.
    pub const fn width(self) -> u8 {
        match self {
            Self::Bool => 1,
            Self::Signed(width) | Self::Unsigned(width) | Self::Float(width) => width,
        }
    }

    /// Returns the smallest and the largest number, or `None` for a floating-point number.
    pub const fn range(self) -> Option<(i128, i128)> {
        match self {
            Self::Bool => Some((0, 1)),
            Self::Signed(width) => Some((-(1 << (8 * width - 1)), (1 << (8 * width - 1)) - 1)),
            Self::Unsigned(width) => Some((0, (1 << (8 * width)) - 1)),
            Self::Float(_) => None,
        }
    }
}

impl std::fmt::Display for Scalar {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bool => out.write_str("bool"),
            Self::Signed(width) => write!(out, "int{}", width * 8),
            Self::Unsigned(width) => write!(out, "uint{}", width * 8),
            Self::Float(width) => write!(out, "float{}", width * 8),
        }
    }
}

impl std::fmt::Display for FieldType {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Scalar(scalar) => scalar.fmt(out),
            Self::String => out.write_str("string"),
            Self::Named(name) => out.write_str(name),
            Self::Vector(element) => write!(out, "[{element}]"),
            Self::Array(element, count) => write!(out, "[{element}:{count}]"),
        }
    }
}

/// The layout of a struct.
#[derive(Debug)]
pub struct StructLayout {
    /// The fields in the order of their offsets.
    pub fields: Vec<StructField>,
    /// The size in bytes.
    pub size: u64,
    /// The alignment in bytes.
    pub align: u64,
}

/// A field of a struct.
#[derive(Debug)]
pub struct StructField {
    /// The offset in bytes.
    pub offset: u64,
    /// The name.
    pub name: Placed<String>,
    /// The type.
    pub ty: FieldType,
    /// Whether vectors of this struct are sorted by the field.
    pub key: bool,
}

/// The content of an enum.
#[derive(Debug)]
pub struct Enum {
    /// The type of the stored number.
    pub underlying: Scalar,
    /// The names and numbers of the enum values, sorted by number.
    pub values: Vec<(Placed<String>, i128)>,
    /// Maps the name of an enum value to its number and to the position of the name in the schema.
    pub by_name: BTreeMap<String, (i128, Place)>,
}

/// The content of a union.
#[derive(Debug)]
pub struct Union {
    /// The type of the stored tag.
    pub tag: Scalar,
    /// The members in the order of their tags.
    pub members: Vec<Member>,
}

/// A member of a union.
#[derive(Debug)]
pub struct Member {
    /// The name of the tag.
    pub name: String,
    /// The position of the name.
    pub place: Place,
    /// The stored tag.
    pub tag: i128,
    /// The type of the value.
    pub ty: FieldType,
}
