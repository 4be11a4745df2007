//! A tree's field values, and conversions from Rust types.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::{TableTree, same_type};
use crate::flatbuffer::bytes::{i32_at, u8_at, u32_at, u64_at};
use crate::flatbuffer::schema::{EnumType, Kind, Scalar, TableType, UnionType};

/// A field's value in a [`TableTree`]: a number, a string, a vector or a table.
///
/// [`TableTree::set`] converts it to the field's type. Values are equal if their bytes are equal, so doubles are
/// compared bit by bit.
#[derive(Clone, PartialEq, Eq)]
pub struct FieldValue(pub(crate) Repr);

#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Repr {
    /// A number: its type and its little-endian bytes, which are zero past the type's width.
    Scalar(Scalar, [u8; 8]),
    String(Vec<u8>),
    /// A vector of numbers: the type of the elements and their bytes.
    Scalars(Scalar, Vec<u8>),
    Table(Box<TableTree>),
    Tables(Vec<TableTree>),
    Opaque,
}

impl FieldValue {
    /// Creates the value of a union with an unknown tag, which the encoder writes as an empty table.
    #[must_use]
    pub const fn opaque() -> Self {
        FieldValue(Repr::Opaque)
    }

    /// Returns an integer, bool or enum value; `None` for another type.
    #[must_use]
    pub fn as_int(&self) -> Option<i128> {
        match &self.0 {
            Repr::Scalar(scalar, bytes) => int_at(*scalar, bytes),
            _ => None,
        }
    }

    /// Returns the double; `None` for another type.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match &self.0 {
            Repr::Scalar(Scalar::F64, bytes) => Some(f64::from_le_bytes(*bytes)),
            _ => None,
        }
    }

    /// Returns a string's bytes or a vector's little-endian elements; `None` for another type.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match &self.0 {
            Repr::String(bytes) | Repr::Scalars(_, bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Returns the table; `None` for another type.
    #[must_use]
    pub fn as_table(&self) -> Option<&TableTree> {
        match &self.0 {
            Repr::Table(table) => Some(table),
            _ => None,
        }
    }

    /// Returns the vector of tables; `None` for another type.
    #[must_use]
    pub fn as_tables(&self) -> Option<&[TableTree]> {
        match &self.0 {
            Repr::Tables(tables) => Some(tables),
            _ => None,
        }
    }

    /// Converts the value to a field's kind, or returns the reason why it does not fit.
    pub(crate) fn fit(self, kind: Kind) -> Result<FieldValue, String> {
        let repr = match (kind, self.0) {
            (Kind::Scalar(wanted), Repr::Scalar(given, bytes)) => Repr::Scalar(wanted, convert(given, &bytes, wanted)?),
            (Kind::Enum(_), Repr::Scalar(given, bytes)) => {
                Repr::Scalar(Scalar::I8, convert(given, &bytes, Scalar::I8)?)
            }
            (Kind::Tag(_), Repr::Scalar(given, bytes)) => Repr::Scalar(Scalar::U8, convert(given, &bytes, Scalar::U8)?),
            (Kind::Enum(ty), Repr::String(name)) => {
                return value_of(ty, &name).map(FieldValue::from).ok_or_else(|| {
                    let names: Vec<&str> = ty.values.iter().map(|(name, _)| *name).collect();
                    unknown_name(ty.name, &names, &name)
                });
            }
            (Kind::Tag(ty), Repr::String(name)) => {
                return tag_of(ty, &name)
                    .map(FieldValue::from)
                    .ok_or_else(|| unknown_name(ty.name, &tag_names(ty).collect::<Vec<_>>(), &name));
            }
            (Kind::String, Repr::String(bytes) | Repr::Scalars(Scalar::U8, bytes)) => Repr::String(bytes),
            (Kind::Scalars(Scalar::U8, _), Repr::String(bytes)) => Repr::Scalars(Scalar::U8, bytes),
            (Kind::Scalars(wanted, _), Repr::Scalars(given, bytes)) if wanted == given => Repr::Scalars(wanted, bytes),
            // An empty vector fits every element type.
            (Kind::Scalars(wanted, _), Repr::Scalars(_, bytes)) if bytes.is_empty() => Repr::Scalars(wanted, bytes),
            (Kind::Scalars(wanted, _), Repr::Scalars(given, bytes)) => {
                let mut converted = Vec::with_capacity(bytes.len() / given.width() * wanted.width());
                for element in bytes.chunks_exact(given.width()) {
                    converted.extend_from_slice(&convert(given, element, wanted)?[..wanted.width()]);
                }
                Repr::Scalars(wanted, converted)
            }
            (Kind::Table(ty), Repr::Table(table)) => {
                check_type(ty, table.ty())?;
                Repr::Table(table)
            }
            (Kind::Tables(ty), Repr::Tables(tables)) => {
                tables.iter().try_for_each(|table| check_type(ty, table.ty()))?;
                Repr::Tables(tables)
            }
            (Kind::Union(_), repr @ (Repr::Table(_) | Repr::Opaque)) => repr,
            (kind, repr) => return Err(is_not(repr.noun(), kind.noun())),
        };
        Ok(FieldValue(repr))
    }
}

impl fmt::Debug for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Scalar(Scalar::F64, bytes) => f64::from_le_bytes(*bytes).fmt(f),
            Repr::Scalar(scalar, bytes) => int_at(*scalar, bytes).unwrap_or_default().fmt(f),
            Repr::String(bytes) => write!(f, "\"{}\"", bytes.escape_ascii()),
            Repr::Scalars(Scalar::F64, bytes) => {
                let elements = bytes.chunks_exact(8).filter_map(|element| u64_at(element, 0));
                f.debug_list().entries(elements.map(f64::from_bits)).finish()
            }
            Repr::Scalars(scalar, bytes) => {
                let elements = bytes.chunks_exact(scalar.width());
                f.debug_list().entries(elements.filter_map(|element| int_at(*scalar, element))).finish()
            }
            Repr::Table(table) => table.fmt(f),
            Repr::Tables(tables) => tables.fmt(f),
            Repr::Opaque => f.write_str("(opaque)"),
        }
    }
}

fn int_at(scalar: Scalar, bytes: &[u8]) -> Option<i128> {
    match scalar {
        Scalar::Bool | Scalar::U8 => u8_at(bytes, 0).map(i128::from),
        Scalar::I8 => u8_at(bytes, 0).map(|byte| byte.cast_signed().into()),
        Scalar::I32 => i32_at(bytes, 0).map(i128::from),
        Scalar::U32 => u32_at(bytes, 0).map(i128::from),
        Scalar::I64 => u64_at(bytes, 0).map(|word| word.cast_signed().into()),
        Scalar::U64 => u64_at(bytes, 0).map(i128::from),
        Scalar::F64 => None,
    }
}

/// Converts a little-endian number to another type, which must have room for it. A bool accepts any byte.
fn convert(given: Scalar, bytes: &[u8], wanted: Scalar) -> Result<[u8; 8], String> {
    let mut out = [0; 8];
    if given == wanted {
        out[..given.width()].copy_from_slice(&bytes[..given.width()]);
        return Ok(out);
    }
    let number = if given == Scalar::Bool { None } else { int_at(given, bytes) };
    let Some(number) = number.filter(|_| wanted != Scalar::F64) else {
        return Err(is_not(given.noun(), wanted.noun()));
    };
    let range = match wanted {
        Scalar::Bool | Scalar::U8 => 0..=u8::MAX.into(),
        Scalar::I8 => i8::MIN.into()..=i8::MAX.into(),
        Scalar::I32 => i32::MIN.into()..=i32::MAX.into(),
        Scalar::U32 => 0..=u32::MAX.into(),
        Scalar::I64 => i64::MIN.into()..=i64::MAX.into(),
        Scalar::U64 | Scalar::F64 => 0..=i128::from(u64::MAX),
    };
    if !range.contains(&number) {
        return Err(format!("{number} does not fit in {}", wanted.noun()));
    }
    let width = wanted.width();
    out[..width].copy_from_slice(&number.to_le_bytes()[..width]);
    Ok(out)
}

impl Scalar {
    /// The nouns for a number and for a vector of numbers, with the type names of the schema language.
    const fn nouns(self) -> [&'static str; 2] {
        match self {
            Scalar::Bool => ["a bool", "a vector of bools"],
            Scalar::I8 => ["a byte", "a vector of bytes"],
            Scalar::U8 => ["a ubyte", "a vector of ubytes"],
            Scalar::I32 => ["an int", "a vector of ints"],
            Scalar::U32 => ["a uint", "a vector of uints"],
            Scalar::I64 => ["a long", "a vector of longs"],
            Scalar::U64 => ["a ulong", "a vector of ulongs"],
            Scalar::F64 => ["a double", "a vector of doubles"],
        }
    }

    pub(crate) const fn noun(self) -> &'static str {
        self.nouns()[0]
    }

    const fn vector_noun(self) -> &'static str {
        self.nouns()[1]
    }
}

impl Kind {
    pub(crate) const fn noun(self) -> &'static str {
        match self {
            Kind::Scalar(scalar) => scalar.noun(),
            Kind::Enum(_) => "a value of its enum",
            Kind::Tag(_) => "a union tag",
            Kind::Union(_) | Kind::Table(_) => "a table",
            Kind::String => "a string",
            Kind::Scalars(scalar, _) => scalar.vector_noun(),
            Kind::Tables(_) => "a vector of tables",
        }
    }
}

impl Repr {
    const fn noun(&self) -> &'static str {
        match self {
            Repr::Scalar(scalar, _) => scalar.noun(),
            Repr::String(_) => "a string",
            Repr::Scalars(scalar, _) => scalar.vector_noun(),
            Repr::Table(_) => "a table",
            Repr::Tables(_) => "a vector of tables",
            Repr::Opaque => "an opaque table",
        }
    }
}

fn value_of(ty: &EnumType, name: &[u8]) -> Option<i8> {
    ty.value_of(core::str::from_utf8(name).ok()?)
}

fn tag_of(ty: &UnionType, name: &[u8]) -> Option<u8> {
    tag_names(ty).position(|known| known.as_bytes() == name).and_then(|tag| u8::try_from(tag).ok())
}

fn tag_names(ty: &UnionType) -> impl Iterator<Item = &'static str> {
    core::iter::once("NONE").chain(ty.members.iter().map(|member| member.name))
}

/// The message for a name that the enum or union `ty` does not define, with the first 32 valid names.
fn unknown_name(ty: &str, names: &[&str], name: &[u8]) -> String {
    const MOST: usize = 32;
    let more = if names.len() > MOST { ", …" } else { "" };
    let known = names[..names.len().min(MOST)].join(", ");
    format!("{ty} has no value `{}`; expected one of {known}{more}", String::from_utf8_lossy(name).escape_debug())
}

pub(crate) fn is_not(given: &str, wanted: &str) -> String {
    format!("found {given}, expected {wanted}")
}

/// Checks that a table has the expected type, or returns a message with both types.
pub(crate) fn check_type(wanted: &'static TableType, given: &'static TableType) -> Result<(), String> {
    if same_type(wanted, given) {
        Ok(())
    } else {
        Err(format!("found a table of type {}, expected {}", given.name, wanted.name))
    }
}

/// A numeric Rust type that can be converted to a [`FieldValue`].
pub trait Number: Copy {
    const SCALAR: Scalar;

    /// Returns the number's little-endian bytes, which are zero past its width.
    fn to_le(self) -> [u8; 8];
}

macro_rules! numbers {
    ($($type:ty as $scalar:ident: $bits:expr;)*) => {$(
        impl Number for $type {
            const SCALAR: Scalar = Scalar::$scalar;

            fn to_le(self) -> [u8; 8] {
                let bits: fn($type) -> u64 = $bits;
                bits(self).to_le_bytes()
            }
        }
    )*};
}

numbers! {
    bool as Bool: u64::from;
    i8 as I8: |number| number.cast_unsigned().into();
    u8 as U8: u64::from;
    i32 as I32: |number| number.cast_unsigned().into();
    u32 as U32: u64::from;
    i64 as I64: i64::cast_unsigned;
    u64 as U64: |number| number;
    usize as U64: |number| number as u64;
    f64 as F64: f64::to_bits;
}

macro_rules! conversions {
    ($([$($generics:tt)*] $given:ty: |$value:ident| $made:expr;)*) => {$(
        impl<$($generics)*> From<$given> for FieldValue {
            fn from($value: $given) -> Self {
                $made
            }
        }
    )*};
}

conversions! {
    [T: Number] T: |number| FieldValue(Repr::Scalar(T::SCALAR, number.to_le()));
    [T: Number] &[T]: |numbers| {
        let width = T::SCALAR.width();
        let mut bytes = Vec::with_capacity(numbers.len() * width);
        for number in numbers {
            bytes.extend_from_slice(&number.to_le()[..width]);
        }
        FieldValue(Repr::Scalars(T::SCALAR, bytes))
    };
    [T: Number, const N: usize] &[T; N]: |numbers| numbers[..].into();
    [T: Number, const N: usize] [T; N]: |numbers| numbers[..].into();
    [T: Number] Vec<T>: |numbers| numbers[..].into();
    [] &str: |text| FieldValue(Repr::String(text.as_bytes().to_vec()));
    [] String: |text| FieldValue(Repr::String(text.into_bytes()));
    [] TableTree: |table| FieldValue(Repr::Table(Box::new(table)));
    [] Vec<TableTree>: |tables| FieldValue(Repr::Tables(tables));
    [const N: usize] [TableTree; N]: |tables| FieldValue(Repr::Tables(tables.into()));
}
