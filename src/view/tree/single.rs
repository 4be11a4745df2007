//! Converts JSON values other than vectors and tables.

use alloc::string::String;
use core::ops::Range;

use serde_json::{Number, Value as Json};

use crate::flatbuffer::schema::{Kind, Scalar};
use crate::flatbuffer::tree::FieldValue;

/// JSON integers; numbers outside this range are read as doubles.
const WHOLE: Range<f64> = -9_223_372_036_854_775_808.0..18_446_744_073_709_551_616.0;

/// If the JSON does not fit, the error says why.
pub(super) fn single(kind: Kind, json: &Json) -> Result<FieldValue, String> {
    match (kind, json) {
        (Kind::Scalar(Scalar::Bool), Json::Bool(value)) => Ok((*value).into()),
        (Kind::Scalar(Scalar::F64), _) => double(json).map(FieldValue::from).ok_or_else(|| is_not(json, wanted(kind))),
        (Kind::Enum(_) | Kind::Tag(_) | Kind::String, Json::String(text)) => FieldValue::from(text.as_str()).fit(kind),
        (Kind::Enum(_) | Kind::Tag(_) | Kind::Scalar(_), Json::Number(number)) if !is_bool(kind) => {
            let whole = number.as_i64().map(FieldValue::from).or_else(|| number.as_u64().map(FieldValue::from));
            whole.ok_or_else(|| is_not(json, wanted(kind)))?.fit(kind)
        }
        _ => Err(is_not(json, wanted(kind))),
    }
}

const fn is_bool(kind: Kind) -> bool {
    matches!(kind, Kind::Scalar(Scalar::Bool))
}

fn double(json: &Json) -> Option<f64> {
    match json {
        Json::Number(number) => number.as_f64(),
        Json::String(text) => match text.as_str() {
            "nan" => Some(f64::NAN),
            "inf" => Some(f64::INFINITY),
            "-inf" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    }
}

const fn wanted(kind: Kind) -> &'static str {
    match kind {
        Kind::Scalar(Scalar::Bool) => "true or false",
        Kind::Scalar(Scalar::F64) => "a number, \"nan\", \"inf\" or \"-inf\"",
        Kind::Scalar(scalar) => scalar.noun(),
        Kind::Enum(_) => "a name or a byte",
        Kind::Tag(_) => "a name or a ubyte",
        Kind::String => "a string",
        Kind::Scalars(..) | Kind::Tables(_) => "a vector's array",
        Kind::Table(_) | Kind::Union(_) => "a table's object",
    }
}

fn is_not(value: &Json, wanted: &str) -> String {
    let fits = |number: &Number| number.as_f64().is_some_and(|double| WHOLE.contains(&double));
    let given = match value {
        Json::Null => "null",
        Json::Bool(_) => "a bool",
        Json::Number(number) if !number.is_f64() => "a number",
        Json::Number(number) if fits(number) => "a number with a fraction",
        Json::Number(_) => "a number too large for 64 bits",
        Json::String(_) => "a string",
        Json::Array(_) => "an array",
        Json::Object(_) => "an object",
    };
    crate::flatbuffer::tree::is_not(given, wanted)
}
