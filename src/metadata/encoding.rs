//! The three encodings in the drafts of the metadata convention.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::fmt;

use crate::named::named;

use super::{IntListView, MetadataValue, ValueType};

/// The length in bytes of an int or a float, without a tag.
const NUMBER_LEN: u64 = 8;

/// The length in bytes of what precedes the numbers of a list: the tag and the count.
const LIST_HEAD: u64 = 5;

named! { all
    /// An encoding of values as bytes.
    ///
    /// | encoding | string | int, float | bytes | list of ints |
    /// |---|---|---|---|---|
    /// | untagged | UTF-8 without a NUL | 8 bytes, little-endian | the bytes | none |
    /// | tagged, strict | 3, UTF-8 without a NUL | 1 or 2, 8 bytes | 5, the bytes | 4, count of 4 bytes, 8 bytes for each number |
    ///
    /// In the second row, the number at the start of a cell is the tag. `tagged` and `strict` write the same bytes. If
    /// a value has no matching tag, `tagged` reads it as untagged, but `strict` returns an error.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
    pub enum Encoding {
        /// The proposal's encoding: values have no tag, so only the key tells the type.
        #[default]
        Untagged = "untagged",
        /// A tag precedes the value. A value without a matching tag is read as untagged.
        Tagged = "tagged",
        /// A tag precedes the value. A missing tag is an error.
        Strict = "strict",
    }
}

impl Encoding {
    /// Passes the bytes of a value to `sink`, in order.
    ///
    /// # Errors
    ///
    /// If the encoding cannot represent the value, returns [`EncodeError`] without calling `sink`.
    pub fn write(self, value: MetadataValue<'_>, sink: &mut dyn FnMut(&[u8])) -> Result<(), EncodeError> {
        let count = match value {
            MetadataValue::String(text) if text.contains('\0') => return Err(EncodeError::Nul),
            MetadataValue::IntList(_) if self == Encoding::Untagged => return Err(EncodeError::NoLists),
            MetadataValue::IntList(list) => u32::try_from(list.len()).map_err(|_| EncodeError::TooManyInts)?,
            _ => 0,
        };
        if self != Encoding::Untagged {
            sink(&[value.ty().tag()]);
        }
        match value {
            MetadataValue::String(text) => sink(text.as_bytes()),
            MetadataValue::Int(number) => sink(&number.to_le_bytes()),
            MetadataValue::Float(number) => sink(&number.to_le_bytes()),
            MetadataValue::Bytes(bytes) => sink(bytes),
            MetadataValue::IntList(list) => {
                sink(&count.to_le_bytes());
                list.iter().for_each(|number| sink(&number.to_le_bytes()));
            }
        }
        Ok(())
    }

    /// Encodes a value.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Encoding::write`].
    ///
    /// ```
    /// use torchproof::metadata::{Encoding, MetadataValue};
    /// assert_eq!(Encoding::Untagged.encode(MetadataValue::Int(2))?, *b"\x02\0\0\0\0\0\0\0");
    /// assert_eq!(Encoding::Tagged.encode(MetadataValue::String("llama"))?, *b"\x03llama");
    /// # Ok::<(), torchproof::metadata::EncodeError>(())
    /// ```
    #[cfg(feature = "alloc")]
    pub fn encode(self, value: MetadataValue<'_>) -> Result<Vec<u8>, EncodeError> {
        let mut bytes = Vec::new();
        self.write(value, &mut |piece| bytes.extend_from_slice(piece))?;
        Ok(bytes)
    }

    /// `head` has the first bytes of the value, and `len` is the length of the whole value.
    pub(super) fn is_tagged(self, head: &[u8], len: u64, ty: ValueType) -> Result<bool, DecodeError> {
        match (self, ty) {
            (Encoding::Untagged, ValueType::IntList) => Err(DecodeError { at: 0, problem: Problem::NoLists }),
            (Encoding::Untagged, ValueType::Int | ValueType::Float) => {
                check_size(len, NUMBER_LEN, ty, false).map(|()| false)
            }
            (Encoding::Untagged, ValueType::String | ValueType::Bytes) => Ok(false),
            (Encoding::Strict, _) => check_tagged(head, len, ty).map(|()| true),
            (Encoding::Tagged, _) => {
                let Err(misfit) = check_tagged(head, len, ty) else { return Ok(true) };
                let untagged = Encoding::Untagged.is_tagged(head, len, ty);
                // The bytes are invalid both as a tagged and as an untagged value, so return the error of the more
                // plausible reading.
                let nearer = ty == ValueType::IntList || head.first() == Some(&ty.tag());
                if nearer { untagged.map_err(|_| misfit) } else { untagged }
            }
        }
    }
}

/// Checks that a value has the tag of `ty`, and a valid size for it.
fn check_tagged(head: &[u8], len: u64, ty: ValueType) -> Result<(), DecodeError> {
    let error = |at, problem| Err(DecodeError { at, problem });
    match head.first() {
        None => return error(0, Problem::NoTag { ty }),
        Some(tag) if *tag != ty.tag() => return error(0, Problem::OtherTag { ty, tag: *tag }),
        Some(_) => {}
    }
    match ty {
        ValueType::Int | ValueType::Float => check_size(len, NUMBER_LEN + 1, ty, true),
        ValueType::String | ValueType::Bytes => Ok(()),
        ValueType::IntList => {
            let count = head.get(1..5).and_then(|count| count.try_into().ok()).map(u32::from_le_bytes);
            let Some(count) = count else { return error(len, Problem::NoCount) };
            // The size is less than 2^36, so the sum cannot overflow.
            let want = LIST_HEAD + NUMBER_LEN * u64::from(count);
            if len == want { Ok(()) } else { error(1, Problem::Count { count, bytes: len - LIST_HEAD }) }
        }
    }
}

fn check_size(have: u64, want: u64, ty: ValueType, tagged: bool) -> Result<(), DecodeError> {
    if have == want {
        return Ok(());
    }
    Err(DecodeError { at: have.min(want), problem: Problem::Size { ty, tagged, have, want } })
}

/// The tag and the size have already been checked; text is checked here.
pub(super) fn value(bytes: &[u8], ty: ValueType, tagged: bool) -> Result<MetadataValue<'_>, DecodeError> {
    let from = |at: usize| bytes.get(at..).unwrap_or_default();
    let content = from(usize::from(tagged));
    let number = || {
        let (have, want) = (content.len() as u64, NUMBER_LEN);
        let size = Problem::Size { ty, tagged, have, want };
        <[u8; 8]>::try_from(content).map_err(|_| DecodeError { at: have.min(want), problem: size })
    };
    Ok(match ty {
        ValueType::Int => MetadataValue::Int(i64::from_le_bytes(number()?)),
        ValueType::Float => MetadataValue::Float(f64::from_le_bytes(number()?)),
        ValueType::Bytes => MetadataValue::Bytes(content),
        ValueType::IntList => MetadataValue::IntList(IntListView::of_bytes(from(5))),
        ValueType::String => {
            let error = |at, problem| DecodeError { at: (usize::from(tagged) + at) as u64, problem };
            let text = core::str::from_utf8(content);
            let text = text.map_err(|found| error(found.valid_up_to(), Problem::NotUtf8))?;
            match text.find('\0') {
                Some(at) => return Err(error(at, Problem::Nul)),
                None => MetadataValue::String(text),
            }
        }
    })
}

/// What is wrong with a value's bytes, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodeError {
    /// The index of the first wrong byte, or the length of the value if bytes are missing.
    pub at: u64,
    /// What is wrong.
    pub problem: Problem,
}

/// Why bytes are not a valid value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The number of bytes is wrong for the type.
    Size {
        /// The requested type.
        ty: ValueType,
        /// `true` if the size includes a tag.
        tagged: bool,
        /// The number of bytes found.
        have: u64,
        /// The number of bytes expected for the type.
        want: u64,
    },
    /// The encoding requires a tag, but the value is empty.
    NoTag {
        /// The requested type.
        ty: ValueType,
    },
    /// The first byte is not the tag of the requested type.
    OtherTag {
        /// The requested type.
        ty: ValueType,
        /// The byte found.
        tag: u8,
    },
    /// The first byte is not a known tag.
    UnknownTag(u8),
    /// The value ends inside the count of its numbers.
    NoCount,
    /// The count of numbers does not match the number of bytes after the count.
    Count {
        /// The count found.
        count: u32,
        /// The number of bytes after the count.
        bytes: u64,
    },
    /// The text is not UTF-8.
    NotUtf8,
    /// The text contains a NUL.
    Nul,
    /// The untagged encoding has no lists.
    NoLists,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: ", self.at)?;
        match self.problem {
            Problem::Size { ty, tagged, have, want } => {
                let form = if tagged { "a tagged" } else { "an untagged" };
                write!(f, "found {have} bytes, expected {want} for {form} {ty}")
            }
            Problem::NoTag { ty } => write!(f, "the value is empty, expected the tag {} ({ty})", ty.tag()),
            Problem::OtherTag { ty, tag } => write!(f, "found tag {tag}, expected {} ({ty})", ty.tag()),
            Problem::UnknownTag(tag) => write!(f, "found tag {tag}, expected 1 to 5"),
            Problem::NoCount => f.write_str("the value ends inside the count of its numbers"),
            Problem::Count { count, bytes } => {
                write!(f, "the count is {count}, but {bytes} bytes follow; expected 8 for each number")
            }
            Problem::NotUtf8 => f.write_str("the text is not UTF-8"),
            Problem::Nul => f.write_str("the text contains a NUL; expected text without one"),
            Problem::NoLists => f.write_str("the untagged encoding has no lists; expected another type or encoding"),
        }
    }
}

impl core::error::Error for DecodeError {}

/// Why an encoding cannot represent a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// The untagged encoding has no lists.
    NoLists,
    /// The list has more numbers than its 32-bit count can represent.
    TooManyInts,
    /// The text contains a NUL.
    Nul,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EncodeError::NoLists => "the untagged encoding has no lists; expected another type or encoding",
            EncodeError::TooManyInts => "the list is too long; expected at most 4294967295 numbers",
            EncodeError::Nul => "the text contains a NUL; expected text without one",
        })
    }
}

impl core::error::Error for EncodeError {}
