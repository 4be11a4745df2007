//! A schema with resolved names and computed slots, numbers and layouts.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::error::Place;

/// A schema with all files that it includes.
#[derive(Debug, Default)]
pub struct Schema {
    /// The files; the schema itself comes first.
    pub files: Vec<PathBuf>,
    pub root: Option<LocatedItem<Arc<str>>>,
    pub identifier: Option<LocatedItem<String>>,
    pub extension: Option<LocatedItem<String>>,
    pub types: BTreeMap<Arc<str>, Type>,
}

#[derive(Clone, Debug)]
pub struct LocatedItem<T> {
    pub value: T,
    pub place: Place,
}

#[derive(Debug)]
pub struct Type {
    pub place: Place,
    pub content: Content,
}

#[derive(Debug)]
pub enum Content {
    Table(Vec<Field>),
    Struct(StructLayout),
    Enum(Enum),
    Union(Union),
}

impl Content {
    pub const fn stored(&self) -> &'static str {
        match self {
            Self::Table(_) => "a table is stored as an offset",
            Self::Struct(_) => "a struct is stored inline, as its fields",
            Self::Enum(_) => "an enum is stored inline, as a number",
            Self::Union(_) => "a union is stored as a tag and an offset",
        }
    }

    pub const fn described(&self) -> &'static str {
        match self {
            Self::Table(_) => "a table",
            Self::Struct(_) => "a struct",
            Self::Enum(_) => "an enum",
            Self::Union(_) => "a union",
        }
    }

    pub(crate) const fn noun(&self) -> &'static str {
        match self {
            Self::Table(_) => "table",
            Self::Struct(_) => "struct",
            Self::Enum(_) => "enum",
            Self::Union(_) => "union",
        }
    }
}

#[derive(Debug)]
pub struct Field {
    pub name: String,
    pub place: Place,
    /// The value's slot. A union's tag is in the slot before it.
    pub slot: u32,
    pub ty: FieldType,
    pub default: DefaultValue,
    /// Every table of this type must contain the field.
    pub required: bool,
    /// Generated code has no access to the field.
    pub deprecated: bool,
    /// Vectors of this table are sorted by the field.
    pub key: bool,
    pub force_align: Option<u64>,
    /// The alignment in bytes, without `force_align`; for a vector, the alignment of its elements.
    pub natural_align: u64,
    /// The root table of a nested FlatBuffer.
    pub nested: Option<Arc<str>>,
    /// The offset to the value has 64 bits.
    pub offset64: bool,
    /// The offset to the vector and its length have 64 bits.
    pub vector64: bool,
    pub flexbuffer: bool,
}

impl Field {
    /// Whether a reader rejects a table without the field: it is `required` or a string `key`, and not deprecated.
    pub(crate) fn is_needed(&self) -> bool {
        !self.deprecated && (self.required || self.key && self.ty == FieldType::String)
    }
}

#[derive(Clone, Debug)]
pub enum DefaultValue {
    /// The reader can tell that the field is absent.
    None,
    Integer(i128),
    Float(f64),
    /// A string's content, or `[]` for a vector.
    Text(String),
}

impl PartialEq for DefaultValue {
    /// Compares floating-point defaults by their bits, except that all NaN values are equal.
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldType {
    Scalar(Scalar),
    String,
    Named(Arc<str>),
    Vector(Box<FieldType>),
    Array(Box<FieldType>, u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    Bool,
    Signed(u8),
    Unsigned(u8),
    Float(u8),
}

impl Scalar {
    pub(crate) fn by_name(name: &str) -> Option<Self> {
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

    pub const fn width(self) -> u8 {
        match self {
            Self::Bool => 1,
            Self::Signed(width) | Self::Unsigned(width) | Self::Float(width) => width,
        }
    }

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

#[derive(Debug)]
pub struct StructLayout {
    pub fields: Vec<StructField>,
    pub size: u64,
    pub align: u64,
}

#[derive(Debug)]
pub struct StructField {
    pub offset: u64,
    pub name: LocatedItem<String>,
    pub ty: FieldType,
    /// Vectors of this struct are sorted by the field.
    pub key: bool,
}

#[derive(Debug)]
pub struct Enum {
    pub underlying: Scalar,
    pub values: Vec<(LocatedItem<String>, i128)>,
    pub by_name: BTreeMap<String, (i128, Place)>,
}

#[derive(Debug)]
pub struct Union {
    pub tag: Scalar,
    pub members: Vec<Member>,
}

#[derive(Debug)]
pub struct Member {
    pub name: String,
    pub place: Place,
    pub tag: i128,
    pub ty: FieldType,
}
