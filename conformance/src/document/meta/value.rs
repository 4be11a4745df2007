//! Metadata values as text and as JSON.

use std::fmt;
use std::num::{IntErrorKind, ParseIntError};

use data_encoding::HEXLOWER;
use serde_json::{Value as Json, json};
use torchproof::metadata::{IntListView, MetadataValue, ValueType};

use crate::document::hex::from_hex;

#[derive(Clone, Debug, PartialEq)]
pub enum OwnedValue {
    String(String),
    Int(i64),
    Float(f64),
    Bytes(Vec<u8>),
    IntList(Vec<i64>),
}

impl OwnedValue {
    #[must_use]
    pub fn value(&self) -> MetadataValue<'_> {
        match self {
            OwnedValue::String(text) => MetadataValue::String(text),
            OwnedValue::Int(number) => MetadataValue::Int(*number),
            OwnedValue::Float(number) => MetadataValue::Float(*number),
            OwnedValue::Bytes(bytes) => MetadataValue::Bytes(bytes),
            OwnedValue::IntList(list) => MetadataValue::IntList(IntListView::from(&list[..])),
        }
    }
}

/// Parses a value as [`ValueText`] prints it. A string is verbatim, without NUL. Numbers are decimal, with optional
/// blanks around them. List elements are separated by commas, with optional brackets. Bytes are hex digits.
///
/// ```
/// use torchproof::metadata::ValueType;
/// use torchproof_cli::document::meta::parse;
/// assert_eq!(parse(ValueType::IntList, b"[1, -2]"), parse(ValueType::IntList, b"1,-2"));
/// assert!(parse(ValueType::Int, b"1e3").is_err());
/// ```
pub fn parse(ty: ValueType, text: &[u8]) -> Result<OwnedValue, String> {
    let utf8 =
        std::str::from_utf8(text).map_err(|error| format!("found invalid UTF-8 at byte {}", error.valid_up_to()))?;
    let trimmed = utf8.trim();
    match ty {
        ValueType::String => match utf8.find('\0') {
            Some(at) => Err(format!("found NUL at byte {at}, expected text without NUL")),
            None => Ok(OwnedValue::String(utf8.to_owned())),
        },
        ValueType::Int => int(trimmed).map(OwnedValue::Int),
        ValueType::Float => {
            let text = quotable(trimmed);
            let number: f64 = trimmed.parse().map_err(|_| format!("found {text:?}, expected a float"))?;
            // A decimal number that parses as infinity is out of range, because only `inf` stands for infinity.
            if number.is_infinite() && trimmed.contains(|char: char| char.is_ascii_digit()) {
                return Err(format!("found {text:?}, expected -{0:e} to {0:e}", f64::MAX));
            }
            Ok(OwnedValue::Float(number))
        }
        ValueType::IntList => {
            let inside = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(trimmed).trim();
            if inside.is_empty() {
                return Ok(OwnedValue::IntList(Vec::new()));
            }
            inside.split(',').map(|number| int(number.trim())).collect::<Result<_, _>>().map(OwnedValue::IntList)
        }
        _ => from_hex(trimmed).map(OwnedValue::Bytes),
    }
}

fn int(text: &str) -> Result<i64, String> {
    text.parse().map_err(|error: ParseIntError| {
        let text = quotable(text);
        match error.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => {
                format!("found {text:?}, expected {} to {}", i64::MIN, i64::MAX)
            }
            _ if ["true", "false"].contains(&text.as_str()) => {
                format!("found {text:?}, expected an int; write true as 1 and false as 0")
            }
            _ => format!("found {text:?}, expected an int"),
        }
    })
}

fn quotable(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Displays text verbatim, numbers in decimal, lists in brackets, and bytes in hex.
#[derive(Clone, Copy, Debug)]
pub struct ValueText<'a>(pub MetadataValue<'a>);

impl fmt::Display for ValueText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            MetadataValue::String(text) => f.write_str(text),
            MetadataValue::Int(number) => write!(f, "{number}"),
            // `Display` would print 1.0 as `1`.
            MetadataValue::Float(number) => write!(f, "{number:?}"),
            MetadataValue::Bytes(bytes) => f.write_str(&HEXLOWER.encode(bytes)),
            MetadataValue::IntList(list) => write!(f, "{list:?}"),
        }
    }
}

impl ValueText<'_> {
    /// Returns a string, a number, an array of numbers, or `{"hex":"…"}`. NaN and infinity become strings.
    #[must_use]
    pub fn json(self) -> Json {
        match self.0 {
            MetadataValue::String(text) => json!(text),
            MetadataValue::Int(number) => json!(number),
            MetadataValue::Float(number) if number.is_finite() => json!(number),
            MetadataValue::Float(number) if number.is_nan() => json!("nan"),
            MetadataValue::Float(number) => json!(if number > 0.0 { "inf" } else { "-inf" }),
            MetadataValue::Bytes(bytes) => json!({ "hex": HEXLOWER.encode(bytes) }),
            MetadataValue::IntList(list) => list.iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_values_parse_to_the_same_value() {
        for owned in [
            OwnedValue::String(" a\n".to_owned()),
            OwnedValue::Int(i64::MIN),
            OwnedValue::Float(-0.1),
            OwnedValue::Float(1e300),
            OwnedValue::Float(f64::INFINITY),
            OwnedValue::Bytes(vec![0, 0xab, 0xff]),
            OwnedValue::Bytes(vec![]),
            OwnedValue::IntList(vec![i64::MAX, -1, 0]),
            OwnedValue::IntList(vec![]),
        ] {
            let text = ValueText(owned.value()).to_string();
            assert_eq!(parse(owned.value().ty(), text.as_bytes()), Ok(owned), "{text}");
        }
    }

    #[test]
    fn parses_numbers_with_blanks_and_signs() {
        assert_eq!(parse(ValueType::Int, b" 42\n"), Ok(OwnedValue::Int(42)));
        assert_eq!(parse(ValueType::Int, b"+7"), Ok(OwnedValue::Int(7)));
        assert_eq!(parse(ValueType::Float, b"1e-3\n"), Ok(OwnedValue::Float(0.001)));
        assert_eq!(parse(ValueType::IntList, b"1,2 , 3"), Ok(OwnedValue::IntList(vec![1, 2, 3])));
        assert_eq!(parse(ValueType::Bytes, b"ABcd"), Ok(OwnedValue::Bytes(vec![0xab, 0xcd])));
    }

    /// `conformance/tests/cli/meta.md` shows more errors.
    #[test]
    fn errors_quote_the_text() {
        let error = |ty, text: &[u8]| parse(ty, text).unwrap_err();
        insta::assert_snapshot!([
            error(ValueType::Int, b"eight"),
            error(ValueType::Int, b""),
            error(ValueType::Float, b"1,5"),
            error(ValueType::Float, b"-1e400"),
            error(ValueType::IntList, b"[1, x]"),
            error(ValueType::IntList, b"1,,2"),
            error(ValueType::Bytes, b"zz"),
            error(ValueType::String, b"ab\xff"),
            error(ValueType::Int, &[b'9'; 1000]),
        ].join("\n"), @r##"
        found "eight", expected an int
        found "", expected an int
        found "1,5", expected a float
        found "-1e400", expected -1.7976931348623157e308 to 1.7976931348623157e308
        found "x", expected an int
        found "", expected an int
        found a character that is not a hex digit at byte 0, expected hex digits
        found invalid UTF-8 at byte 2
        found "9999999999999999999999999999999999999999…", expected -9223372036854775808 to 9223372036854775807
        "##);
    }
}
