//! Tensor layouts of programs and data files.

use super::super::layout::MAX_RANK;
use super::require;
use crate::ScalarType;
use crate::flatbuffer::Vector;

/// Returns the number of bytes of a tensor with a valid layout and less than 2^31 bytes; `None` for other layouts.
///
/// Sizes of 0 count as 1 in this limit. In such a layout, all counts, strides and sizes fit in the numbers of every
/// host.
#[inline(always)]
pub(super) fn bytes_of(scalar_type: ScalarType, sizes: Vector<'_, i32>, order: Vector<'_, u8>) -> Option<u64> {
    const MOST: u64 = i32::MAX as u64;
    let (sizes, _) = sizes.as_bytes().as_chunks::<4>();
    let order = order.as_bytes();
    require!(sizes.len() == order.len());
    require!(sizes.len() <= MAX_RANK);
    let mut bytes = scalar_type.element_size()?;
    let (mut empty, mut ascending) = (false, true);
    for (index, (size, dimension)) in sizes.iter().zip(order).enumerate() {
        // A negative size becomes a large number when read as unsigned, so the product exceeds the limit.
        let size = u64::from(u32::from_le_bytes(*size));
        empty |= size == 0;
        // Two factors of at most 31 and 32 bits: the product does not overflow.
        bytes = bytes.wrapping_mul(size.max(1));
        require!(bytes <= MOST);
        ascending &= usize::from(*dimension) == index;
    }
    require!(ascending || is_permutation(order));
    Some(if empty { 0 } else { bytes })
}

/// Whether each of the numbers below the length of `order` occurs once.
#[cold]
fn is_permutation(order: &[u8]) -> bool {
    let bit = |dimension: &u8| 1_u32.checked_shl(u32::from(*dimension)).unwrap_or(0);
    order.iter().fold(0, |seen, dimension| seen | bit(dimension)) == (1 << order.len()) - 1
}
