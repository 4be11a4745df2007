//! What the bytes of a part say: numbers, names, lists, strings, and where a reference leads.

use std::fmt;

use serde::{Serialize, Serializer};
use torchproof::annotate::{Entry, PartKind};
use torchproof::flatbuffer::schema::{Kind, Scalar};

/// A list of more elements is not told: its bytes are there to see.
const ELEMENTS: usize = 8;
/// Nor is a string of more bytes, but its beginning in text.
const TEXT: usize = 40;

/// A value of a field.
///
/// As text a name has its number behind it; in JSON a value is what `torchproof dump` prints.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
    Name(&'static str, i64),
    Text(String),
    List(Vec<Value>),
}

impl Value {
    /// The value in the bytes of a part, if they are as long as its kind asks, and short.
    pub(super) fn of(part: &Entry, bytes: &[u8]) -> Option<Self> {
        match (part.kind, part.value_kind()?) {
            (PartKind::Scalar, Kind::Scalar(scalar)) => Self::scalar(scalar, bytes),
            (PartKind::Scalar, Kind::Enum(ty)) => {
                let [byte] = bytes else { return None };
                let value = byte.cast_signed();
                Some(ty.name_of(value).map_or(Value::Int(value.into()), |name| Value::Name(name, value.into())))
            }
            (PartKind::Scalar, Kind::Tag(ty)) => {
                let [tag] = bytes else { return None };
                let name = if *tag == 0 { Some("NONE") } else { ty.member(*tag).map(|member| member.name) };
                Some(name.map_or(Value::Uint((*tag).into()), |name| Value::Name(name, (*tag).into())))
            }
            (PartKind::Elements, Kind::String) if bytes.len() <= TEXT => {
                std::str::from_utf8(bytes).ok().map(|text| Value::Text(text.to_owned()))
            }
            (PartKind::Elements, Kind::Scalars(scalar, _)) if bytes.len().div_ceil(scalar.width()) <= ELEMENTS => bytes
                .chunks(scalar.width())
                .map(|bytes| Self::scalar(scalar, bytes))
                .collect::<Option<_>>()
                .map(Value::List),
            _ => None,
        }
    }

    fn scalar(scalar: Scalar, bytes: &[u8]) -> Option<Self> {
        Some(match scalar {
            Scalar::Bool => match bytes {
                [0] => Value::Bool(false),
                [1] => Value::Bool(true),
                _ => return Self::scalar(Scalar::U8, bytes),
            },
            Scalar::I8 => Value::Int(i8::from_le_bytes(bytes.try_into().ok()?).into()),
            Scalar::U8 => Value::Uint(u8::from_le_bytes(bytes.try_into().ok()?).into()),
            Scalar::I32 => Value::Int(i32::from_le_bytes(bytes.try_into().ok()?).into()),
            Scalar::U32 => Value::Uint(u32::from_le_bytes(bytes.try_into().ok()?).into()),
            Scalar::I64 => Value::Int(i64::from_le_bytes(bytes.try_into().ok()?)),
            Scalar::U64 => Value::Uint(u64::from_le_bytes(bytes.try_into().ok()?)),
            Scalar::F64 => Value::Float(f64::from_le_bytes(bytes.try_into().ok()?)),
        })
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(value) => value.fmt(f),
            Value::Int(value) => value.fmt(f),
            Value::Uint(value) => value.fmt(f),
            Value::Float(value) => write!(f, "{value:?}"),
            Value::Name(name, number) => write!(f, "{name} ({number})"),
            Value::Text(text) => f.write_str(&quoted(text.as_bytes())),
            Value::List(values) => {
                let values: Vec<String> = values.iter().map(Value::to_string).collect();
                write!(f, "[{}]", values.join(", "))
            }
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Int(value) => serializer.serialize_i64(*value),
            Value::Uint(value) => serializer.serialize_u64(*value),
            Value::Float(value) if value.is_nan() => serializer.serialize_str("nan"),
            Value::Float(f64::INFINITY) => serializer.serialize_str("inf"),
            Value::Float(f64::NEG_INFINITY) => serializer.serialize_str("-inf"),
            Value::Float(value) => serializer.serialize_f64(*value),
            Value::Name(name, _) => serializer.serialize_str(name),
            Value::Text(text) => serializer.serialize_str(text),
            Value::List(values) => serializer.collect_seq(values),
        }
    }
}

/// Where a part leads: an offset and the root offset forward, and a table to its vtable.
pub(super) fn target(part: &Entry, bytes: &[u8]) -> Option<u64> {
    let distance = u32::from_le_bytes(bytes.try_into().ok()?);
    match part.kind {
        PartKind::Root | PartKind::Offset | PartKind::Item => Some(part.span.offset.wrapping_add(distance.into())),
        // The distance counts backwards and is signed.
        PartKind::Table => part.span.offset.checked_add_signed(-i64::from(distance.cast_signed())),
        _ => None,
    }
}

/// The beginning of bytes as text, with what does not print escaped.
pub(super) fn quoted(bytes: &[u8]) -> String {
    let dots = if bytes.len() > TEXT { "…" } else { "" };
    format!("\"{}\"{dots}", bytes[..bytes.len().min(TEXT)].escape_ascii())
}
