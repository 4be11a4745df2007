//! How a value is read where the file does not say it: by what is declared, and by what its bytes are like.

use core::fmt;

use super::encoding::value;
use super::{DecodeError, Encoding, Problem, Value, ValueType};

/// An int below this in size is a likely one: a float can have such bits only if it is next to zero.
const LIKELY_INT: u64 = 1 << 52;

/// Floats between these are likely ones.
const LIKELY_FLOAT: core::ops::Range<f64> = 1e-30..1e30;

/// How sure it is that a value was meant to be read so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Certainty {
    /// Another reading fits as well, and nothing speaks against it.
    Unsure,
    /// Another reading fits as well, and makes a value that hardly anybody writes.
    Likely,
    /// No other reading fits what is declared.
    Certain,
    /// The caller declared type and encoding.
    Declared,
}

impl Certainty {
    /// The certainty's name: `unsure`, `likely`, `certain` or `declared`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Certainty::Unsure => "unsure",
            Certainty::Likely => "likely",
            Certainty::Certain => "certain",
            Certainty::Declared => "declared",
        }
    }
}

impl fmt::Display for Certainty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How a value is read: as which type, in which encoding, and how sure that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reading {
    /// The type, as declared or guessed.
    pub ty: ValueType,
    /// The encoding, as declared or guessed. A guess never says [`Encoding::Strict`], whose values are those of
    /// [`Encoding::Tagged`].
    pub encoding: Encoding,
    /// Whether the first byte is read as a tag.
    pub tagged: bool,
    /// How sure it is.
    pub certainty: Certainty,
}

impl Reading {
    /// How a value of `len` bytes that begins with `head` is read; what is not declared is guessed.
    ///
    /// `head` is the first 5 bytes or more, or all there are. The more there are, the better can text be told from bytes: a
    /// value can be classed before it is read. `len` is at least the length of `head`.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] when no reading of what is declared fits. Where nothing is, one always does.
    ///
    /// ```
    /// use torchproof::metadata::{Certainty, Reading, ValueType};
    /// let reading = Reading::of(b"Once upon a time", 1 << 30, None, None)?;
    /// assert_eq!((reading.ty, reading.certainty), (ValueType::String, Certainty::Likely));
    /// # Ok::<(), torchproof::metadata::DecodeError>(())
    /// ```
    pub fn of(head: &[u8], len: u64, ty: Option<ValueType>, encoding: Option<Encoding>) -> Result<Self, DecodeError> {
        match (ty, encoding) {
            (Some(ty), Some(encoding)) => {
                let tagged = encoding.is_tagged(head, len, ty)?;
                Ok(Self { ty, encoding, tagged, certainty: Certainty::Declared })
            }
            (Some(ty), None) => Self::of_type(head, len, ty),
            (None, Some(Encoding::Strict)) => Self::of_tag(head, len),
            (None, Some(Encoding::Untagged)) => Ok(Self::untagged(head, len)),
            (None, encoding) => {
                let tagged = Self::of_tag(head, len).ok().filter(|reading| reading.is_plain(head, len));
                let untagged = Self::untagged(head, len);
                let reading = match tagged.map(|reading| Self { encoding: Encoding::Tagged, ..reading }) {
                    Some(tagged) if tagged.ty != ValueType::Bytes || encoding.is_some() => {
                        Self { certainty: Certainty::Likely, ..tagged }
                    }
                    // Bytes can begin with anything: without a tag, they may be something else.
                    Some(tagged) if untagged.ty == ValueType::Bytes => Self { certainty: Certainty::Unsure, ..tagged },
                    _ => untagged,
                };
                Ok(Self { encoding: encoding.unwrap_or(reading.encoding), ..reading })
            }
        }
    }

    /// The type is declared.
    fn of_type(head: &[u8], len: u64, ty: ValueType) -> Result<Self, DecodeError> {
        let tagged = Encoding::Strict.is_tagged(head, len, ty).is_ok();
        let untagged = Encoding::Untagged.is_tagged(head, len, ty).is_ok();
        let (tagged, certainty) = match (tagged, untagged) {
            (true, false) => (true, Certainty::Certain),
            (false, true) => (false, Certainty::Certain),
            (false, false) => (Encoding::Tagged.is_tagged(head, len, ty)?, Certainty::Certain),
            // The tag would be a control character in front of a text, and of other values one in 256 begins with its byte.
            (true, true) => (true, Certainty::Likely),
        };
        let encoding = if tagged { Encoding::Tagged } else { Encoding::Untagged };
        Ok(Self { ty, encoding, tagged, certainty })
    }

    /// The tag decides.
    fn of_tag(head: &[u8], len: u64) -> Result<Self, DecodeError> {
        let error = |problem| DecodeError { at: 0, problem };
        let tag = head.first().ok_or_else(|| error(Problem::NoTag { ty: ValueType::Bytes }))?;
        let ty = ValueType::of_tag(*tag).ok_or_else(|| error(Problem::UnknownTag(*tag)))?;
        let encoding = Encoding::Strict;
        let tagged = encoding.is_tagged(head, len, ty)?;
        Ok(Self { ty, encoding, tagged, certainty: Certainty::Certain })
    }

    /// Whether a tagged value is not text with something else than text in it.
    fn is_plain(&self, head: &[u8], len: u64) -> bool {
        self.ty != ValueType::String || is_text(head.get(1..).unwrap_or_default(), head.len() as u64 == len)
    }

    /// There is no tag, and what the bytes are like decides.
    fn untagged(head: &[u8], len: u64) -> Self {
        let (ty, certainty) = match <[u8; 8]>::try_from(head) {
            _ if head.is_empty() => (ValueType::String, Certainty::Unsure),
            _ if is_text(head, head.len() as u64 == len) => (ValueType::String, Certainty::Likely),
            Ok(number) if len == 8 => {
                let float = f64::from_le_bytes(number).abs();
                if i64::from_le_bytes(number).unsigned_abs() < LIKELY_INT {
                    (ValueType::Int, Certainty::Likely)
                } else if LIKELY_FLOAT.contains(&float) {
                    (ValueType::Float, Certainty::Unsure)
                } else {
                    (ValueType::Bytes, Certainty::Unsure)
                }
            }
            _ => (ValueType::Bytes, Certainty::Likely),
        };
        Self { ty, encoding: Encoding::Untagged, tagged: false, certainty }
    }

    /// The value in the bytes that the reading is of, all of them.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] when text is not UTF-8 or has a NUL, or these are other bytes.
    pub fn value<'a>(&self, bytes: &'a [u8]) -> Result<Value<'a>, DecodeError> {
        let encoding = if self.tagged { Encoding::Strict } else { Encoding::Untagged };
        let tagged = encoding.is_tagged(bytes, bytes.len() as u64, self.ty)?;
        value(bytes, self.ty, tagged)
    }
}

/// Reads a value, and says how; what is not declared is guessed.
///
/// Nothing is copied: a count or size that the value claims is held against the bytes that there are.
///
/// # Errors
///
/// [`DecodeError`] when no reading of what is declared fits.
///
/// ```
/// use torchproof::metadata::{Encoding, Problem, ValueType, decode};
/// let error = decode(b"llama", Some(ValueType::String), Some(Encoding::Strict)).unwrap_err();
/// assert_eq!(error.problem, Problem::OtherTag { ty: ValueType::String, tag: b'l' });
/// assert_eq!(error.to_string(), "byte 0: 108 is not the tag 3 (string)");
/// ```
pub fn decode(
    bytes: &[u8],
    ty: Option<ValueType>,
    encoding: Option<Encoding>,
) -> Result<(Value<'_>, Reading), DecodeError> {
    let reading = Reading::of(bytes, bytes.len() as u64, ty, encoding)?;
    Ok((reading.value(bytes)?, reading))
}

/// Whether bytes are text for people: UTF-8 with no control characters but those that make lines.
///
/// The last character of bytes that go on may be cut.
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
