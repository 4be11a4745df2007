//! Decodes the values of parts, as `torchproof dump` prints them, and the targets of offsets.

use serde_json::Value;
use torchproof::annotate::{Entry, PartKind};
use torchproof::flatbuffer::schema::{Kind, Scalar};
use torchproof_harness::text::escape::plain;

const ELEMENTS: usize = 8;
const TEXT: usize = 40;

/// `None` if the value is too long or has the wrong size.
pub(super) fn value(part: &Entry, bytes: &[u8]) -> Option<Value> {
    match (part.kind, part.value_kind()?) {
        (PartKind::Scalar, Kind::Scalar(scalar)) => number(scalar, bytes),
        (PartKind::Scalar, Kind::Enum(ty)) => {
            let value = bytes.first()?.cast_signed();
            Some(ty.name_of(value).map_or_else(|| value.into(), Value::from))
        }
        (PartKind::Scalar, Kind::Tag(ty)) => {
            let tag = *bytes.first()?;
            let name = if tag == 0 { Some("NONE") } else { ty.member(tag).map(|member| member.name) };
            Some(name.map_or_else(|| tag.into(), Value::from))
        }
        (PartKind::Elements, Kind::String) if bytes.len() <= TEXT => std::str::from_utf8(bytes).ok().map(Value::from),
        (PartKind::Elements, Kind::Scalars(scalar, _)) if bytes.len().div_ceil(scalar.width()) <= ELEMENTS => {
            bytes.chunks(scalar.width()).map(|bytes| number(scalar, bytes)).collect()
        }
        _ => None,
    }
}

fn number(scalar: Scalar, bytes: &[u8]) -> Option<Value> {
    Some(match scalar {
        Scalar::Bool => match bytes {
            [0] => false.into(),
            [1] => true.into(),
            _ => return number(Scalar::U8, bytes),
        },
        Scalar::I8 => i8::from_le_bytes(bytes.try_into().ok()?).into(),
        Scalar::U8 => u8::from_le_bytes(bytes.try_into().ok()?).into(),
        Scalar::I32 => i32::from_le_bytes(bytes.try_into().ok()?).into(),
        Scalar::U32 => u32::from_le_bytes(bytes.try_into().ok()?).into(),
        Scalar::I64 => i64::from_le_bytes(bytes.try_into().ok()?).into(),
        Scalar::U64 => u64::from_le_bytes(bytes.try_into().ok()?).into(),
        Scalar::F64 => match f64::from_le_bytes(bytes.try_into().ok()?) {
            number if number.is_finite() => number.into(),
            number => number.to_string().to_lowercase().into(),
        },
    })
}

/// Text such as `FLOAT (6)` for an enum.
pub(super) fn in_text(part: &Entry, bytes: &[u8]) -> Option<String> {
    Some(match (value(part, bytes)?, part.value_kind()?) {
        (Value::String(name), Kind::Enum(_)) => format!("{name} ({})", bytes.first()?.cast_signed()),
        (Value::String(name), Kind::Tag(_)) => format!("{name} ({})", bytes.first()?),
        (Value::String(number), _) => number,
        (Value::Array(values), _) => {
            let values: Vec<String> = values.iter().map(Value::to_string).collect();
            format!("[{}]", values.join(", "))
        }
        (value, _) => value.to_string(),
    })
}

pub(super) fn target(part: &Entry, bytes: &[u8]) -> Option<u64> {
    let distance = u32::from_le_bytes(bytes.try_into().ok()?);
    match part.kind {
        PartKind::Root | PartKind::Offset | PartKind::Item => Some(part.span.offset.wrapping_add(distance.into())),
        // FlatBuffers subtracts the signed vtable offset from the table's position.
        PartKind::Table => part.span.offset.checked_add_signed(-i64::from(distance.cast_signed())),
        _ => None,
    }
}

pub(super) fn quoted(bytes: &[u8]) -> String {
    let dots = if bytes.len() > TEXT { "…" } else { "" };
    plain(&format!("\"{}\"{dots}", bytes[..bytes.len().min(TEXT)].escape_ascii()))
}
