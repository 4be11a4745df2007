//! Little-endian numbers in a buffer, and the values that edits write.

use crate::random::Random;

/// Returns the number in the `width` bytes at `at`, or 0 if they are not inside the buffer.
pub(crate) fn number(bytes: &[u8], at: usize, width: usize) -> u64 {
    let found = at.checked_add(width).and_then(|end| bytes.get(at..end)).unwrap_or_default();
    found.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Returns the number in the `width` bytes at `at` as a position in a buffer. A huge number becomes `usize::MAX`.
pub(super) fn position(bytes: &[u8], at: usize, width: usize) -> usize {
    usize::try_from(number(bytes, at, width)).unwrap_or(usize::MAX)
}

pub(super) fn target(bytes: &[u8], at: usize) -> usize {
    at.saturating_add(position(bytes, at, 4))
}

/// Writes the lowest `width` bytes of `value` at `at`. Returns `None` if they are not inside the buffer.
pub(super) fn put(bytes: &mut [u8], at: usize, width: usize, value: u64) -> Option<()> {
    let target = bytes.get_mut(at..at.checked_add(width)?)?;
    target.copy_from_slice(value.to_le_bytes().get(..width)?);
    Some(())
}

/// Draws a new value for an integer of `width` bytes whose value is `was`: a neighbor, a boundary of a type, 0 or 1,
/// random bits, or a number near one of the `hints`. Hints are the lengths of lists that the integer may index, or
/// positions that it may refer to.
pub(super) fn draw(random: &mut Random, width: usize, was: u64, hints: &[u64]) -> u64 {
    let hint = *random.pick(hints).unwrap_or(&was);
    let power = 1_u64 << random.below(8 * width.min(8) as u64);
    match random.below(12) {
        0 => was.wrapping_add(1),
        1 => was.wrapping_sub(1),
        2 => was.wrapping_add(random.below(33)).wrapping_sub(16),
        3 => u64::MAX,
        4 => power,
        5 => power - 1,
        6 => random.below(2),
        7 => random.word(),
        8 | 9 => hint,
        10 => hint.wrapping_sub(1),
        _ => random.below(hint.clamp(1, 1 << 16)),
    }
}
