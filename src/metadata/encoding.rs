//! The three encodings of the drafts.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::fmt;

use super::{Ints, MetadataValue, ValueType};

/// Bytes of an int and of a float, without a tag.
const NUMBER_LEN: u64 = 8;

/// Bytes of a list before its numbers: the tag and the count.
const LIST_HEAD: u64 = 5;

/// How values are put into bytes.
///
/// | encoding | string | int, float | bytes | list of ints |
/// |---|---|---|---|---|
/// | untagged | UTF-8 without a NUL | 8 bytes, little-endian | as they are | there is none |
/// | tagged, strict | 3, UTF-8 without a NUL | 1 or 2, 8 bytes | 5, the bytes | 4, count of 4 bytes, 8 bytes a number |
///
/// The two tagged ones write alike. They differ in what they read: one takes a value that its tag does not fit for one
/// without a tag, the other for an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Encoding {
    /// The proposal's own: nothing says what a value is but its key.
    #[default]
    Untagged,
    /// A tag before the value; what has none that fits is read as untagged.
    Tagged,
    /// A tag before the value, and an error without it.
    Strict,
}

impl Encoding {
    /// Every encoding, from the oldest draft to the newest.
    pub const ALL: [Encoding; 3] = [Encoding::Untagged, Encoding::Tagged, Encoding::Strict];

    /// The encoding's name: `untagged`, `tagged` or `strict`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Encoding::Untagged => "untagged",
            Encoding::Tagged => "tagged",
            Encoding::Strict => "strict",
        }
    }

    /// Hands the bytes of a value to `sink`, from first to last.
    ///
    /// # Errors
    ///
    /// [`EncodeError`] when the encoding has no bytes for the value; `sink` has then been handed nothing.
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

    /// The bytes of a value.
    ///
    /// # Errors
    ///
    /// As [`Encoding::write`].
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

    /// Whether a value of this type has a tag, by its first bytes and its length.
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
                // Of two readings that fail, the one that was nearer says what is wrong.
                let nearer = ty == ValueType::IntList || head.first() == Some(&ty.tag());
                if nearer { untagged.map_err(|_| misfit) } else { untagged }
            }
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Whether a tag is there and what follows it has the size that goes with it.
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
            // At most 2^35, so it never wraps.
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

/// The value in bytes of which it is known that they fit the type, tag and all; text is still to be looked at.
pub(super) fn value(bytes: &[u8], ty: ValueType, tagged: bool) -> Result<MetadataValue<'_>, DecodeError> {
    let behind = |at: usize| bytes.get(at..).unwrap_or_default();
    let content = behind(usize::from(tagged));
    let number = || {
        let (have, want) = (content.len() as u64, NUMBER_LEN);
        let size = Problem::Size { ty, tagged, have, want };
        <[u8; 8]>::try_from(content).map_err(|_| DecodeError { at: have.min(want), problem: size })
    };
    Ok(match ty {
        ValueType::Int => MetadataValue::Int(i64::from_le_bytes(number()?)),
        ValueType::Float => MetadataValue::Float(f64::from_le_bytes(number()?)),
        ValueType::Bytes => MetadataValue::Bytes(content),
        ValueType::IntList => MetadataValue::IntList(Ints::of_bytes(behind(5))),
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

/// Why bytes are no value of a type, and from which byte on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodeError {
    /// Which byte of the value is the first at fault; the value's length where one is missing.
    pub at: u64,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with bytes that should be a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// Numbers have one size.
    Size {
        /// The type asked for.
        ty: ValueType,
        /// Whether the size counts a tag.
        tagged: bool,
        /// The bytes that there are.
        have: u64,
        /// The bytes that the type has.
        want: u64,
    },
    /// A tag is demanded, and the value is empty.
    NoTag {
        /// The type asked for.
        ty: ValueType,
    },
    /// The first byte is not the tag of the type asked for.
    OtherTag {
        /// The type asked for.
        ty: ValueType,
        /// The byte there.
        tag: u8,
    },
    /// The first byte is the tag of no type.
    UnknownTag(u8),
    /// The value ends inside the count of its numbers.
    NoCount,
    /// The count of numbers is not that of the bytes behind it.
    Count {
        /// How many numbers are said to follow.
        count: u32,
        /// How many bytes do.
        bytes: u64,
    },
    /// Text is not UTF-8.
    NotUtf8,
    /// Text has a zero byte, as numbers have.
    Nul,
    /// The untagged encoding has no lists.
    NoLists,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: ", self.at)?;
        match self.problem {
            Problem::Size { ty, tagged, have, want } => {
                let form = if tagged { "tagged" } else { "untagged" };
                write!(f, "{have} bytes are no {form} {ty}, which has {want}")
            }
            Problem::NoTag { ty } => write!(f, "the value is empty, without the tag {} ({ty})", ty.tag()),
            Problem::OtherTag { ty, tag } => write!(f, "{tag} is not the tag {} ({ty})", ty.tag()),
            Problem::UnknownTag(tag) => write!(f, "{tag} is the tag of no type"),
            Problem::NoCount => f.write_str("the value ends before the count of its numbers does"),
            Problem::Count { count, bytes } => {
                write!(f, "the count is {count}, and {bytes} bytes follow it instead of 8 for each number")
            }
            Problem::NotUtf8 => f.write_str("the text is not UTF-8 from here on"),
            Problem::Nul => f.write_str("the text has a NUL, which metadata have none of"),
            Problem::NoLists => f.write_str("the untagged encoding has no lists"),
        }
    }
}

impl core::error::Error for DecodeError {}

/// Why an encoding has no bytes for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// The untagged encoding has no lists.
    NoLists,
    /// A list has more numbers than its count can say.
    TooManyInts,
    /// Text has a zero byte.
    Nul,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EncodeError::NoLists => "the untagged encoding has no lists",
            EncodeError::TooManyInts => "a list has at most 4294967295 numbers",
            EncodeError::Nul => "the text has a NUL, which metadata have none of",
        })
    }
}

impl core::error::Error for EncodeError {}
