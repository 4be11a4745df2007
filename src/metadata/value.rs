//! Values and their types.

use core::{fmt, slice};

use crate::named::named;

named! { all
    /// The type of a key's value.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum ValueType {
        /// UTF-8 text.
        String = "string",
        /// A 64-bit signed number, little-endian.
        Int = "int",
        /// An IEEE 754 binary64 number, little-endian.
        Float = "float",
        /// Bytes whose meaning depends on the key.
        Bytes = "bytes",
        /// 64-bit signed numbers after a 32-bit count.
        IntList = "int-list",
    }
}

impl ValueType {
    /// Returns the tag of the type in the tagged encodings.
    #[must_use]
    pub const fn tag(self) -> u8 {
        match self {
            ValueType::Int => 1,
            ValueType::Float => 2,
            ValueType::String => 3,
            ValueType::IntList => 4,
            ValueType::Bytes => 5,
        }
    }

    /// Returns the type with this tag, or `None` if the tag is unknown.
    #[must_use]
    pub fn of_tag(tag: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|ty| ty.tag() == tag)
    }
}

/// A borrowed value.
///
/// Values are equal if they have the same type and contents. Floats are compared as numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MetadataValue<'a> {
    /// UTF-8 text without a NUL.
    String(&'a str),
    /// A 64-bit signed number.
    Int(i64),
    /// An IEEE 754 binary64 number.
    Float(f64),
    /// Bytes whose meaning depends on the key.
    Bytes(&'a [u8]),
    /// 64-bit signed numbers.
    IntList(IntListView<'a>),
}

impl MetadataValue<'_> {
    /// The value's type.
    #[must_use]
    pub const fn ty(self) -> ValueType {
        match self {
            MetadataValue::String(_) => ValueType::String,
            MetadataValue::Int(_) => ValueType::Int,
            MetadataValue::Float(_) => ValueType::Float,
            MetadataValue::Bytes(_) => ValueType::Bytes,
            MetadataValue::IntList(_) => ValueType::IntList,
        }
    }
}

/// A list of 64-bit signed numbers, which is either a slice or bytes of a file.
///
/// ```
/// use torchproof::metadata::{IntListView, MetadataValue, decode};
/// let (value, _) = decode(b"\x04\x01\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", None, None)?;
/// assert_eq!(value, MetadataValue::IntList(IntListView::from(&[-1][..])));
/// # Ok::<(), torchproof::metadata::DecodeError>(())
/// ```
#[derive(Clone, Copy)]
pub struct IntListView<'a>(Place<'a>);

#[derive(Clone, Copy)]
enum Place<'a> {
    Numbers(&'a [i64]),
    /// Little-endian bytes of a file, not necessarily aligned.
    Bytes(&'a [[u8; 8]]),
}

impl<'a> IntListView<'a> {
    /// Ignores bytes after the last complete number.
    pub(super) fn of_bytes(bytes: &'a [u8]) -> Self {
        Self(Place::Bytes(bytes.as_chunks().0))
    }

    /// The number of elements.
    #[must_use]
    pub const fn len(self) -> usize {
        match self.0 {
            Place::Numbers(numbers) => numbers.len(),
            Place::Bytes(bytes) => bytes.len(),
        }
    }

    /// Returns whether the list is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The numbers in order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = i64> + 'a {
        match self.0 {
            Place::Numbers(numbers) => Iter { numbers: numbers.iter(), bytes: [].iter() },
            Place::Bytes(bytes) => Iter { numbers: [].iter(), bytes: bytes.iter() },
        }
    }
}

impl<'a> From<&'a [i64]> for IntListView<'a> {
    fn from(numbers: &'a [i64]) -> Self {
        Self(Place::Numbers(numbers))
    }
}

impl PartialEq for IntListView<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for IntListView<'_> {}

impl fmt::Debug for IntListView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Either `numbers` or `bytes` is empty.
struct Iter<'a> {
    numbers: slice::Iter<'a, i64>,
    bytes: slice::Iter<'a, [u8; 8]>,
}

impl Iterator for Iter<'_> {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        self.numbers.next().copied().or_else(|| self.bytes.next().map(|bytes| i64::from_le_bytes(*bytes)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.numbers.len() + self.bytes.len();
        (len, Some(len))
    }
}

impl ExactSizeIterator for Iter<'_> {}
