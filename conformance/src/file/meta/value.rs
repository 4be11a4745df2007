//! Values as people and JSON write them.

use std::fmt;
use std::num::{IntErrorKind, ParseIntError};

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use serde_json::{Value as Json, json};
use torchproof::metadata::{Ints, MetadataValue, ValueType};

/// A value that is owned.
#[derive(Clone, Debug, PartialEq)]
pub enum Owned {
    /// Text.
    String(String),
    /// A number.
    Int(i64),
    /// A double.
    Float(f64),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Numbers.
    IntList(Vec<i64>),
}

impl Owned {
    /// The value.
    #[must_use]
    pub fn value(&self) -> MetadataValue<'_> {
        match self {
            Owned::String(text) => MetadataValue::String(text),
            Owned::Int(number) => MetadataValue::Int(*number),
            Owned::Float(number) => MetadataValue::Float(*number),
            Owned::Bytes(bytes) => MetadataValue::Bytes(bytes),
            Owned::IntList(list) => MetadataValue::IntList(Ints::from(&list[..])),
        }
    }
}

/// The value of a type that a text says.
///
/// Text is taken as it stands, and has no NUL. Numbers are decimal, with blanks around them; lists of them stand in brackets or not, with
/// commas between them; bytes are in hex. What [`Text`] prints is read back.
///
/// # Errors
///
/// Why the text is no value of the type.
///
/// ```
/// use torchproof::metadata::ValueType;
/// use torchproof_cli::file::meta::parse;
/// assert_eq!(parse(ValueType::IntList, b"[1, -2]"), parse(ValueType::IntList, b"1,-2"));
/// assert!(parse(ValueType::Int, b"1e3").is_err());
/// ```
pub fn parse(ty: ValueType, text: &[u8]) -> Result<Owned, String> {
    let utf8 =
        std::str::from_utf8(text).map_err(|error| format!("byte {} of the text is not UTF-8", error.valid_up_to()))?;
    let trimmed = utf8.trim();
    match ty {
        ValueType::String => match utf8.find('\0') {
            Some(at) => Err(format!("byte {at} of the text is NUL, which metadata have none of")),
            None => Ok(Owned::String(utf8.to_owned())),
        },
        ValueType::Int => int(trimmed).map(Owned::Int),
        ValueType::Float => {
            let text = quotable(trimmed);
            let number: f64 = trimmed.parse().map_err(|_| format!("{text:?} is no float"))?;
            // Infinity has a name, and no digits.
            if number.is_infinite() && trimmed.contains(|char: char| char.is_ascii_digit()) {
                return Err(format!("{text:?} is out of the range of a double, which ends at {:e}", f64::MAX));
            }
            Ok(Owned::Float(number))
        }
        ValueType::IntList => {
            let inside = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(trimmed).trim();
            if inside.is_empty() {
                return Ok(Owned::IntList(Vec::new()));
            }
            inside.split(',').map(|number| int(number.trim())).collect::<Result<_, _>>().map(Owned::IntList)
        }
        _ => {
            let bytes = HEXLOWER_PERMISSIVE.decode(trimmed.as_bytes()).map(Owned::Bytes);
            bytes.map_err(|error| format!("is not hexadecimal: {error}"))
        }
    }
}

fn int(text: &str) -> Result<i64, String> {
    text.parse().map_err(|error: ParseIntError| {
        let text = quotable(text);
        match error.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => {
                format!("{text:?} does not fit into 64 signed bits")
            }
            _ if ["true", "false"].contains(&text.as_str()) => format!("{text:?} is no int; yes and no are 1 and 0"),
            _ => format!("{text:?} is no int"),
        }
    })
}

/// The beginning of a text that is quoted in an error.
fn quotable(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// A value in print: text and numbers as they are, lists in brackets, bytes in hex.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a>(pub MetadataValue<'a>);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            MetadataValue::String(text) => f.write_str(text),
            MetadataValue::Int(number) => write!(f, "{number}"),
            // It keeps the point of a whole number.
            MetadataValue::Float(number) => write!(f, "{number:?}"),
            MetadataValue::Bytes(bytes) => f.write_str(&HEXLOWER.encode(bytes)),
            MetadataValue::IntList(list) => write!(f, "{list:?}"),
        }
    }
}

impl Text<'_> {
    /// In JSON: a string, a number, an array of numbers, or `{"hex":"…"}`; a float that JSON has no number for is a string.
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
    fn what_is_printed_is_read_back() {
        for owned in [
            Owned::String(" a\n".to_owned()),
            Owned::Int(i64::MIN),
            Owned::Float(-0.1),
            Owned::Float(1e300),
            Owned::Float(f64::INFINITY),
            Owned::Bytes(vec![0, 0xab, 0xff]),
            Owned::Bytes(vec![]),
            Owned::IntList(vec![i64::MAX, -1, 0]),
            Owned::IntList(vec![]),
        ] {
            let text = Text(owned.value()).to_string();
            assert_eq!(parse(owned.value().ty(), text.as_bytes()), Ok(owned), "{text}");
        }
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        assert_eq!(parse(ValueType::Int, b" 42\n"), Ok(Owned::Int(42)));
        assert_eq!(parse(ValueType::Int, b"+7"), Ok(Owned::Int(7)));
        assert_eq!(parse(ValueType::Float, b"1e-3\n"), Ok(Owned::Float(0.001)));
        assert_eq!(parse(ValueType::IntList, b"1,2 , 3"), Ok(Owned::IntList(vec![1, 2, 3])));
        assert_eq!(parse(ValueType::Bytes, b"ABcd"), Ok(Owned::Bytes(vec![0xab, 0xcd])));
    }

    /// `meta.md` shows the others.
    #[test]
    fn what_is_no_value_is_quoted() {
        let said = |ty, text: &[u8]| parse(ty, text).unwrap_err();
        insta::assert_snapshot!([
            said(ValueType::Int, b"eight"),
            said(ValueType::Int, b""),
            said(ValueType::Float, b"1,5"),
            said(ValueType::Float, b"-1e400"),
            said(ValueType::IntList, b"[1, x]"),
            said(ValueType::IntList, b"1,,2"),
            said(ValueType::Bytes, b"zz"),
            said(ValueType::String, b"ab\xff"),
            said(ValueType::Int, &[b'9'; 1000]),
        ].join("\n"), @r##"
        "eight" is no int
        "" is no int
        "1,5" is no float
        "-1e400" is out of the range of a double, which ends at 1.7976931348623157e308
        "x" is no int
        "" is no int
        is not hexadecimal: invalid symbol at 0
        byte 2 of the text is not UTF-8
        "9999999999999999999999999999999999999999…" does not fit into 64 signed bits
        "##);
    }
}
