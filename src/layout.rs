//! How much memory a dense tensor takes.

use crate::ScalarType;
use crate::flatbuffer::Vector;

/// Why a tensor's bytes cannot be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// The product of the sizes and the element size does not fit into 63 bits.
    Overflow,
}

/// Bytes of a dense tensor: the product of its sizes and of its element size.
///
/// A size of zero makes it zero whatever the others are and wherever it stands; without one, the product has to fit into 63
/// bits, as the runtime's signed count of elements does.
///
/// # Errors
///
/// [`Uncountable`] says why not.
pub fn nbytes(scalar_type: ScalarType, sizes: Vector<'_, i32>) -> Result<u64, Uncountable> {
    let element = scalar_type.element_size().ok_or(Uncountable::ScalarType(scalar_type.0))?;
    let mut product = Some(element);
    let mut empty = false;
    for (dimension, size) in sizes.iter().enumerate() {
        let extent = u64::try_from(size).map_err(|_| Uncountable::NegativeSize { dimension, size })?;
        empty |= extent == 0;
        product = product.and_then(|product| product.checked_mul(extent)).filter(|bytes| *bytes <= i64::MAX as u64);
    }
    if empty { Ok(0) } else { product.ok_or(Uncountable::Overflow) }
}
