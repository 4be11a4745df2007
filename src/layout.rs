//! How much memory a dense tensor takes.

use core::fmt;

use crate::ScalarType;
use crate::flatbuffer::Vector;

/// Why a tensor's bytes cannot be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Uncountable {
    /// The scalar type is none.
    ScalarType(i8),
    /// The size of this dimension is negative.
    NegativeSize {
        /// Which dimension.
        dimension: usize,
        /// Its size.
        size: i32,
    },
    /// There are more elements than fit into 63 bits.
    TooManyElements,
    /// There are more bytes than fit into 64 bits.
    TooManyBytes,
}

impl fmt::Display for Uncountable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Uncountable::ScalarType(number) => write!(f, "scalar type {number} is not within 0 to 29"),
            Uncountable::NegativeSize { dimension, size } => {
                write!(f, "size of dimension {dimension} is {size}, below 0")
            }
            Uncountable::TooManyElements => f.write_str("more elements than fit into 63 bits"),
            Uncountable::TooManyBytes => f.write_str("more bytes than fit into 64 bits"),
        }
    }
}

impl core::error::Error for Uncountable {}

/// Bytes that there are for the text by which kernels are looked up, without the NUL behind it.
pub(crate) const KERNEL_KEY_LIMIT: usize = 658;

/// Bytes of that text in front of its parts: `v1`.
pub(crate) const KERNEL_KEY_START: usize = 2;

/// Bytes of one tensor's part of that text: `/` in front of the first and `|` of the others, the scalar type, `;`, and the
/// dimensions in their order with commas between them, all in decimal.
pub(crate) fn kernel_key_part(scalar_type: ScalarType, dim_order: impl IntoIterator<Item = u8>) -> usize {
    let digits = |number: u8| 1 + usize::from(number > 9) + usize::from(number > 99);
    let dimensions: usize = dim_order.into_iter().map(|dimension| digits(dimension) + 1).sum();
    2 + digits(scalar_type.0.unsigned_abs()) + dimensions.saturating_sub(1)
}

/// Bytes of a dense tensor: the product of its sizes and of its element size.
///
/// A size of zero makes it zero whatever the others are and wherever it stands. Without one, the count of elements has to fit
/// into 63 bits, as the runtime's signed count does, and the bytes into 64.
///
/// # Errors
///
/// [`Uncountable`] says why not.
pub fn nbytes(scalar_type: ScalarType, sizes: Vector<'_, i32>) -> Result<u64, Uncountable> {
    let element = scalar_type.element_size().ok_or(Uncountable::ScalarType(scalar_type.0))?;
    let mut elements = Some(1_u64);
    let mut empty = false;
    for (dimension, size) in sizes.iter().enumerate() {
        let extent = u64::try_from(size).map_err(|_| Uncountable::NegativeSize { dimension, size })?;
        empty |= extent == 0;
        elements = elements.and_then(|count| count.checked_mul(extent)).filter(|count| *count <= i64::MAX as u64);
    }
    if empty {
        return Ok(0);
    }
    let elements = elements.ok_or(Uncountable::TooManyElements)?;
    elements.checked_mul(element).ok_or(Uncountable::TooManyBytes)
}
