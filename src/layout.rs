//! A dense tensor's size in bytes.

use core::fmt;

use crate::ScalarType;
use crate::flatbuffer::Vector;

/// Why a tensor's size cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SizeError {
    /// The scalar type is unknown.
    ScalarType(i8),
    /// A dimension has a negative size.
    NegativeSize {
        /// The dimension's index.
        dimension: usize,
        /// The negative size that the file contains.
        size: i32,
    },
    /// The number of elements does not fit in 63 bits.
    TooManyElements,
    /// The number of bytes does not fit in 64 bits.
    TooManyBytes,
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SizeError::ScalarType(number) => write!(f, "scalar type is {number}, expected 0 to 29"),
            SizeError::NegativeSize { dimension, size } => {
                write!(f, "size of dimension {dimension} is {size}, expected at least 0")
            }
            SizeError::TooManyElements => f.write_str("the number of elements does not fit in 63 bits"),
            SizeError::TooManyBytes => f.write_str("the number of bytes does not fit in 64 bits"),
        }
    }
}

impl core::error::Error for SizeError {}

/// The maximum length of a kernel's lookup key, without its NUL terminator.
pub(crate) const KERNEL_KEY_LIMIT: usize = 658;

/// The length of `v1`, which every lookup key begins with.
pub(crate) const KERNEL_KEY_START: usize = 2;

/// How much one tensor adds to a kernel's lookup key: `/` before the first tensor or `|` before any other, the scalar
/// type, `;`, and the comma-separated dimension order, all in decimal.
pub(crate) fn kernel_key_part(scalar_type: ScalarType, dim_order: impl IntoIterator<Item = u8>) -> usize {
    let digits = |number: u8| 1 + usize::from(number > 9) + usize::from(number > 99);
    let dimensions: usize = dim_order.into_iter().map(|dimension| digits(dimension) + 1).sum();
    2 + digits(scalar_type.0.unsigned_abs()) + dimensions.saturating_sub(1)
}

/// Returns a dense tensor's size in bytes: the product of its sizes and its element size.
///
/// If any size is 0, so is the result. Otherwise, the number of elements must fit in 63 bits, because the runtime's
/// count is signed, and the number of bytes must fit in 64.
///
/// # Errors
///
/// Returns [`SizeError`] with the reason.
pub fn nbytes(scalar_type: ScalarType, sizes: Vector<'_, i32>) -> Result<u64, SizeError> {
    let element = scalar_type.element_size().ok_or(SizeError::ScalarType(scalar_type.0))?;
    let mut elements = Some(1_u64);
    let mut empty = false;
    for (dimension, size) in sizes.iter().enumerate() {
        let extent = u64::try_from(size).map_err(|_| SizeError::NegativeSize { dimension, size })?;
        empty |= extent == 0;
        elements = elements.and_then(|count| count.checked_mul(extent)).filter(|count| *count <= i64::MAX as u64);
    }
    if empty {
        return Ok(0);
    }
    let elements = elements.ok_or(SizeError::TooManyElements)?;
    elements.checked_mul(element).ok_or(SizeError::TooManyBytes)
}
