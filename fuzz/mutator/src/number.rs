//! Little-endian numbers in a buffer, and the values that edits write.

use fastrand::Rng;

/// Returns the number of `width` bytes at the position `at`, or 0 if the number is not inside the buffer.
pub(crate) fn number(bytes: &[u8], at: usize, width: usize) -> u64 {
    let found = at.checked_add(width).and_then(|end| bytes.get(at..end)).unwrap_or_default();
    found.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Returns the number of `width` bytes at the position `at` as a position in a buffer. A huge number becomes `usize::MAX`.
pub(crate) fn position(bytes: &[u8], at: usize, width: usize) -> usize {
    usize::try_from(number(bytes, at, width)).unwrap_or(usize::MAX)
}

/// Writes the lowest `width` bytes of `value` at the position `at`. Returns `None` if the bytes are not inside the buffer.
pub(crate) fn put(bytes: &mut [u8], at: usize, width: usize, value: u64) -> Option<()> {
    let target = bytes.get_mut(at..at.checked_add(width)?)?;
    target.copy_from_slice(value.to_le_bytes().get(..width)?);
    Some(())
}

/// Draws a value for an integer of `width` bytes that now is `was`.
///
/// The value is a neighbour, a boundary of a type, 0 or 1, random bits, or near one of the numbers in `hints`. Hints are the
/// lengths of lists into which the integer may be an index, or the positions to which it may refer.
pub(crate) fn draw(random: &mut Rng, width: usize, was: u64, hints: &[u64]) -> u64 {
    let bits = u32::try_from(8 * width).unwrap_or(64);
    let hint = if hints.is_empty() { was } else { hints[random.usize(..hints.len())] };
    match random.u8(..12) {
        0 => was.wrapping_add(1),
        1 => was.wrapping_sub(1),
        2 => was.wrapping_add(random.u64(..33)).wrapping_sub(16),
        3 => u64::MAX,
        4 => 1 << random.u32(..bits),
        5 => (1 << random.u32(..bits)) - 1,
        6 => random.u64(..2),
        7 => random.u64(..),
        8 | 9 => hint,
        10 => hint.wrapping_sub(1),
        _ => random.u64(..hint.clamp(1, 1 << 16)),
    }
}
