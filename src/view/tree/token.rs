//! What stands in JSON where a field takes one value, and what the field makes of it.

use alloc::string::ToString;
use core::ops::Range;

use serde_json::Value as Json;

use super::Problem;
use crate::flatbuffer::schema::{Kind, Scalar};
use crate::flatbuffer::tree::Value;

/// What the integers of JSON are within; one beyond is read as a double.
const WHOLE: Range<f64> = -9_223_372_036_854_775_808.0..18_446_744_073_709_551_616.0;

/// A value of JSON, but for what is in an array or an object.
#[derive(Clone, Copy, Debug)]
pub(super) enum Token<'t> {
    Null,
    Bool(bool),
    Whole(i128),
    Double(f64),
    Text(&'t str),
    Array,
    Object,
}

impl<'t> From<&'t Json> for Token<'t> {
    fn from(value: &'t Json) -> Self {
        match value {
            Json::Null => Token::Null,
            Json::Bool(value) => Token::Bool(*value),
            Json::Number(number) => {
                let whole = number.as_u64().map(i128::from).or_else(|| number.as_i64().map(i128::from));
                whole.map_or_else(|| Token::Double(number.as_f64().unwrap_or(f64::NAN)), Token::Whole)
            }
            Json::String(text) => Token::Text(text),
            Json::Array(_) => Token::Array,
            Json::Object(_) => Token::Object,
        }
    }
}

impl Token<'_> {
    /// The error of a field that takes something else.
    pub(super) fn is_not(self, wanted: &'static str) -> Problem {
        let given = match self {
            Token::Null => "null",
            Token::Bool(_) => "a bool",
            Token::Double(number) if !WHOLE.contains(&number) => "a number too large for 64 bits",
            Token::Double(_) => "a number with a fraction",
            Token::Whole(_) => "a number",
            Token::Text(_) => "a string",
            Token::Array => "an array",
            Token::Object => "an object",
        };
        Problem::WrongType { wanted, given }
    }

    pub(super) fn bool(self) -> Result<bool, Problem> {
        match self {
            Token::Bool(value) => Ok(value),
            other => Err(other.is_not("true or false")),
        }
    }

    pub(super) fn whole<T: TryFrom<i128>>(self, wanted: &'static str) -> Result<T, Problem> {
        match self {
            Token::Whole(given) => T::try_from(given).map_err(|_| Problem::OutOfRange { wanted, given }),
            other => Err(other.is_not(wanted)),
        }
    }

    pub(super) fn double(self) -> Result<f64, Problem> {
        match self {
            Token::Text("nan") => Ok(f64::NAN),
            Token::Text("inf") => Ok(f64::INFINITY),
            Token::Text("-inf") => Ok(f64::NEG_INFINITY),
            Token::Double(number) => Ok(number),
            #[allow(clippy::cast_precision_loss, reason = "the nearest double is what the number means here")]
            Token::Whole(number) => Ok(number as f64),
            other => Err(other.is_not("a number, \"nan\", \"inf\" or \"-inf\"")),
        }
    }

    /// What a field of this kind holds, which is one value and neither string nor table.
    pub(super) fn held(self, kind: Kind) -> Result<Value, Problem> {
        match (kind, self) {
            (Kind::Enum(ty), Token::Text(name)) => {
                ty.value_of(name).map(Value::from).ok_or_else(|| unknown_name(ty.name, name))
            }
            (Kind::Enum(_), Token::Whole(_)) => self.whole::<i8>(BYTE).map(Value::from),
            (Kind::Enum(_), _) => Err(self.is_not("a name or a byte")),
            (Kind::Tag(_), Token::Text("NONE")) => Ok(0_u8.into()),
            (Kind::Tag(ty), Token::Text(name)) => {
                let index = ty.members.iter().position(|member| member.name == name);
                let tag = index.and_then(|index| u8::try_from(index + 1).ok());
                tag.map(Value::from).ok_or_else(|| unknown_name(ty.name, name))
            }
            (Kind::Tag(_), Token::Whole(_)) => self.whole::<u8>(UBYTE).map(Value::from),
            (Kind::Tag(_), _) => Err(self.is_not("a name or a ubyte")),
            (Kind::Scalar(scalar), _) => match scalar {
                Scalar::Bool => self.bool().map(Value::from),
                Scalar::I8 => self.whole::<i8>(BYTE).map(Value::from),
                Scalar::U8 => self.whole::<u8>(UBYTE).map(Value::from),
                Scalar::I32 => self.whole::<i32>(INT).map(Value::from),
                Scalar::U32 => self.whole::<u32>(UINT).map(Value::from),
                Scalar::I64 => self.whole::<i64>(LONG).map(Value::from),
                Scalar::U64 => self.whole::<u64>(ULONG).map(Value::from),
                Scalar::F64 => self.double().map(Value::from),
            },
            (Kind::String | Kind::Scalars(..) | Kind::Table(_) | Kind::Tables(_) | Kind::Union(_), _) => {
                Err(self.is_not("one value"))
            }
        }
    }
}

pub(super) const BYTE: &str = "a byte";
pub(super) const UBYTE: &str = "a ubyte";
pub(super) const INT: &str = "an int";
pub(super) const UINT: &str = "a uint";
pub(super) const LONG: &str = "a long";
pub(super) const ULONG: &str = "a ulong";

fn unknown_name(ty: &'static str, name: &str) -> Problem {
    Problem::UnknownName { ty, name: name.to_string() }
}
