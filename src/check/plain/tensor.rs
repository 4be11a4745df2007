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
    let ((sizes, _), order) = (sizes.as_bytes().as_chunks::<4>(), order.as_bytes());
    require!(sizes.len() == order.len());
    require!(sizes.len() <= MAX_RANK);
    let element_size = scalar_type.element_size()?;
    let mut bytes = element_size;
    for (index, (size, dimension)) in sizes.iter().zip(order).enumerate() {
        if usize::from(*dimension) != index {
            return unusual_bytes_of(element_size, sizes, order);
        }
        bytes = times(bytes, *size)?;
    }
    // After a size of 0, the loop accepts invalid sizes.
    if bytes == 0 { unusual_bytes_of(element_size, sizes, order) } else { Some(bytes) }
}

/// Multiplies a number of bytes by a size. Returns `None` if the result is 2^31 or more.
#[inline(always)]
fn times(bytes: u64, size: [u8; 4]) -> Option<u64> {
    // A negative size becomes a large number when read as unsigned. The product of a 31-bit and a 32-bit number has
    // at most 63 bits.
    let bytes = bytes.wrapping_mul(u64::from(u32::from_le_bytes(size)));
    require!(bytes <= i32::MAX as u64);
    Some(bytes)
}

/// Returns what [`bytes_of`] returns, also for sizes of 0 and for dimensions in another order.
#[cold]
fn unusual_bytes_of(element_size: u64, sizes: &[[u8; 4]], order: &[u8]) -> Option<u64> {
    let bit = |dimension: &u8| 1_u32.checked_shl(u32::from(*dimension)).unwrap_or(0);
    require!(order.iter().fold(0, |seen, dimension| seen | bit(dimension)) == (1 << order.len()) - 1);
    let (mut bytes, mut empty) = (element_size, false);
    for size in sizes {
        if *size == [0; 4] {
            empty = true;
        } else {
            bytes = times(bytes, *size)?;
        }
    }
    Some(if empty { 0 } else { bytes })
}
