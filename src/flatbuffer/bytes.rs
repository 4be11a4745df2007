//! Functions that read a little-endian integer from a buffer, or return `None` if it is past the end.

#[inline]
pub(crate) fn u8_at(buffer: &[u8], at: usize) -> Option<u8> {
    buffer.get(at).copied()
}

#[inline]
fn chunk<const N: usize>(buffer: &[u8], at: usize) -> Option<[u8; N]> {
    buffer.get(at..at.checked_add(N)?)?.first_chunk().copied()
}

#[inline]
pub(crate) fn u16_at(buffer: &[u8], at: usize) -> Option<u16> {
    chunk(buffer, at).map(u16::from_le_bytes)
}

#[inline]
pub(crate) fn u32_at(buffer: &[u8], at: usize) -> Option<u32> {
    chunk(buffer, at).map(u32::from_le_bytes)
}

#[inline]
pub(crate) fn i32_at(buffer: &[u8], at: usize) -> Option<i32> {
    chunk(buffer, at).map(i32::from_le_bytes)
}

#[inline]
pub(crate) fn u64_at(buffer: &[u8], at: usize) -> Option<u64> {
    chunk(buffer, at).map(u64::from_le_bytes)
}
