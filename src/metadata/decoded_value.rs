//! The type and encoding of a value, declared or inferred.

use super::encoding::value;
use super::{DecodeError, Encoding, MetadataValue, Problem, ValueType};

/// An untagged value of eight bytes is read as an int only if its magnitude is below this: as a float, it would be
/// subnormal or NaN.
const LIKELY_INT: u64 = 1 << 52;

/// The magnitudes of plausible floats.
const LIKELY_FLOAT: core::ops::Range<f64> = 1e-30..1e30;

/// How to read a value: its type, its encoding, and whether it has a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DecodedValue {
    /// The type, as declared or inferred.
    pub ty: ValueType,
    /// The encoding, as declared or inferred. [`Encoding::Strict`] is never inferred, because [`Encoding::Tagged`]
    /// writes the same bytes.
    pub encoding: Encoding,
    /// `true` if the first byte is a tag.
    pub tagged: bool,
}

impl DecodedValue {
    /// Determines how to read a value. A type or encoding of `None` is inferred.
    ///
    /// `len` is the value's length. `head` contains at least the value's first 5 bytes, or all of it if it is shorter.
    /// The longer `head` is, the more reliably the function distinguishes `string` from `bytes`.
    ///
    /// # Errors
    ///
    /// Returns [`DecodeError`] if nothing matches the declared type and encoding. If neither is declared, the function
    /// never fails.
    ///
    /// ```
    /// use torchproof::metadata::{Encoding, DecodedValue, ValueType};
    /// let decoded = DecodedValue::of(b"Once upon a time", 1 << 30, None, None)?;
    /// assert_eq!((decoded.ty, decoded.encoding), (ValueType::String, Encoding::Untagged));
    /// # Ok::<(), torchproof::metadata::DecodeError>(())
    /// ```
    pub fn of(head: &[u8], len: u64, ty: Option<ValueType>, encoding: Option<Encoding>) -> Result<Self, DecodeError> {
        let decoded = match (ty, encoding) {
            (Some(ty), encoding) => {
                // If the first byte is a matching tag, the value is read as tagged. Untagged text never begins with a
                // tag, because tags are control characters; other untagged values rarely begin with the tag of their
                // type.
                let tagged = encoding.unwrap_or(Encoding::Tagged).is_tagged(head, len, ty)?;
                Self { ty, encoding: if tagged { Encoding::Tagged } else { Encoding::Untagged }, tagged }
            }
            (None, Some(Encoding::Strict)) => Self::of_tag(head, len)?,
            (None, Some(Encoding::Untagged)) => Self::untagged(head, len),
            (None, encoding) => {
                let untagged = Self::untagged(head, len);
                let tagged = Self::of_tag(head, len).ok().filter(|decoded| decoded.is_plain(head, len));
                // Any untagged value may begin with the tag of the type `bytes`. This tag is therefore accepted only if
                // the encoding is declared or the untagged value would also be `bytes`.
                let decides = |tagged: &Self| {
                    tagged.ty != ValueType::Bytes || encoding.is_some() || untagged.ty == ValueType::Bytes
                };
                tagged.filter(decides).unwrap_or(untagged)
            }
        };
        Ok(Self { encoding: encoding.unwrap_or(decoded.encoding), ..decoded })
    }

    fn of_tag(head: &[u8], len: u64) -> Result<Self, DecodeError> {
        let error = |problem| DecodeError { at: 0, problem };
        let tag = head.first().ok_or_else(|| error(Problem::NoTag { ty: ValueType::Bytes }))?;
        let ty = ValueType::of_tag(*tag).ok_or_else(|| error(Problem::UnknownTag(*tag)))?;
        let tagged = Encoding::Strict.is_tagged(head, len, ty)?;
        Ok(Self { ty, encoding: Encoding::Tagged, tagged })
    }

    /// `false` if the tag says string but what follows is not text.
    fn is_plain(&self, head: &[u8], len: u64) -> bool {
        self.ty != ValueType::String || is_text(head.get(1..).unwrap_or_default(), head.len() as u64 == len)
    }

    /// Infers the type from the bytes.
    fn untagged(head: &[u8], len: u64) -> Self {
        let ty = match <[u8; 8]>::try_from(head) {
            _ if is_text(head, head.len() as u64 == len) => ValueType::String,
            Ok(number) if len == 8 => {
                let float = f64::from_le_bytes(number).abs();
                if i64::from_le_bytes(number).unsigned_abs() < LIKELY_INT {
                    ValueType::Int
                } else if LIKELY_FLOAT.contains(&float) {
                    ValueType::Float
                } else {
                    ValueType::Bytes
                }
            }
            _ => ValueType::Bytes,
        };
        Self { ty, encoding: Encoding::Untagged, tagged: false }
    }

    /// Decodes the whole value, which must match this interpretation.
    ///
    /// # Errors
    ///
    /// Returns [`DecodeError`] if text is not UTF-8 or contains a NUL, or if the bytes do not match the interpretation.
    pub fn value<'a>(&self, bytes: &'a [u8]) -> Result<MetadataValue<'a>, DecodeError> {
        let encoding = if self.tagged { Encoding::Strict } else { Encoding::Untagged };
        let tagged = encoding.is_tagged(bytes, bytes.len() as u64, self.ty)?;
        value(bytes, self.ty, tagged)
    }
}

/// Decodes a value without copying it, and returns the value and its interpretation.
///
/// A type or encoding of `None` is inferred.
///
/// # Errors
///
/// Returns [`DecodeError`] if nothing matches the declared type and encoding.
///
/// ```
/// use torchproof::metadata::{Encoding, Problem, ValueType, decode};
/// let error = decode(b"llama", Some(ValueType::String), Some(Encoding::Strict)).unwrap_err();
/// assert_eq!(error.problem, Problem::OtherTag { ty: ValueType::String, tag: b'l' });
/// ```
pub fn decode(
    bytes: &[u8],
    ty: Option<ValueType>,
    encoding: Option<Encoding>,
) -> Result<(MetadataValue<'_>, DecodedValue), DecodeError> {
    let decoded = DecodedValue::of(bytes, bytes.len() as u64, ty, encoding)?;
    Ok((decoded.value(bytes)?, decoded))
}

/// Text is UTF-8 without control characters other than line breaks and tabs. Unless `whole` is set, the last character
/// may be incomplete.
fn is_text(bytes: &[u8], whole: bool) -> bool {
    let text = match core::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if !whole && error.error_len().is_none() => {
            core::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    text.chars().all(|character| !character.is_control() || matches!(character, '\t' | '\n' | '\r'))
}
