//! Changes of a file's length, with the header repaired or left inconsistent.

use fastrand::Rng;

use crate::number::{number, position, put};
use crate::parts::{FileParts, Meaning, SegmentParts};

/// The greatest alignment of segments that a change of the length preserves.
const GREATEST_ALIGNMENT: u32 = 12;

/// Appends `new` to the FlatBuffer at the position `at`, which must be at or after the end of the FlatBuffer.
///
/// The bytes replace padding before the segments, or move the segments. Unless `repair` is set, the header keeps its values, so
/// that the header and the file disagree. Returns `None` and changes nothing if the file would exceed `max_len`.
pub(crate) fn append(
    bytes: &mut Vec<u8>,
    parts: &FileParts,
    at: usize,
    new: &[u8],
    repair: bool,
    max_len: usize,
) -> Option<()> {
    let (end, after) = (parts.end, at + new.len());
    let base = parts.base.unwrap_or(0);
    let is_free = bytes.get(end..after).is_some_and(|room| room.iter().all(|byte| *byte == 0));
    let mut moved = 0;
    if is_free && (base == 0 || after <= base) {
        bytes[at..after].copy_from_slice(new);
    } else {
        let mut inserted = vec![0; at - end];
        inserted.extend_from_slice(new);
        if base != 0 {
            // Segments keep their alignment.
            let unit = (1_usize << base.trailing_zeros().min(GREATEST_ALIGNMENT)).max(16);
            inserted.resize(inserted.len().next_multiple_of(unit), 0);
            moved = inserted.len();
        }
        if bytes.len() + inserted.len() > max_len {
            return None;
        }
        bytes.splice(end..end, inserted);
    }
    if repair
        && let (Some(size), Some(header_base)) = (parts.field(Meaning::FlatBufferSize), parts.field(Meaning::Base))
    {
        let before = parts.field(Meaning::Before).map_or(0, |field| number(bytes, field.at, field.width));
        put(bytes, size.at, size.width, (after as u64).saturating_sub(before));
        if moved > 0 {
            put(bytes, header_base.at, header_base.width, base.saturating_add(moved) as u64);
        }
    }
    Some(())
}

/// Replaces the bytes of the segment at `index`. Returns `None` if the segments overlap, or if the file would
/// exceed `max_len`.
///
/// If `repair` is set, the list of segments and the header state the new sizes and offsets, and the bytes of the other segments
/// keep their alignment.
pub(crate) fn replace_segment(
    bytes: &mut Vec<u8>,
    parts: &FileParts,
    segments: &[SegmentParts],
    index: usize,
    new: &[u8],
    repair: bool,
    max_len: usize,
) -> Option<()> {
    let own = segments.get(index)?;
    if own.start < parts.end {
        return None;
    }
    let later = segments.iter().filter(|other| other.start > own.start);
    let next = later.clone().map(|other| other.start).min();
    if next.is_some_and(|next| next < own.end) {
        return None;
    }
    let was = next.unwrap_or(own.end) - own.start;
    let mut inserted = new.to_vec();
    if let Some(next) = next {
        let offset = next - parts.base.unwrap_or(0).min(next);
        let unit = 1_usize << offset.trailing_zeros().min(GREATEST_ALIGNMENT);
        // A length that is congruent to the old length moves the later segments by a multiple of `unit`.
        let excess = (new.len() % unit + unit - was % unit) % unit;
        inserted.resize(new.len() + (unit - excess) % unit, 0);
    }
    if bytes.len() - was + inserted.len() > max_len {
        return None;
    }
    if repair {
        put(bytes, own.size_at, 8, new.len() as u64)?;
        let shift = (inserted.len() as u64).wrapping_sub(was as u64);
        for other in later {
            let at = other.offset_at?;
            let offset = number(bytes, at, 8).wrapping_add(shift);
            put(bytes, at, 8, offset)?;
        }
        if let Some(size) = parts.field(Meaning::DataSize) {
            let total = number(bytes, size.at, size.width);
            if total > 0 {
                put(bytes, size.at, size.width, total.wrapping_add(shift))?;
            }
        }
    }
    bytes.splice(own.start..own.start + was, inserted);
    Some(())
}

/// Inserts or removes a few bytes at a random position. Sometimes repairs the header.
pub(crate) fn shift(bytes: &mut Vec<u8>, parts: &FileParts, random: &mut Rng) -> &'static str {
    let places =
        [parts.end, parts.base.unwrap_or(parts.end).min(bytes.len()), bytes.len(), random.usize(..=bytes.len())];
    let at = places[random.usize(..places.len())].min(bytes.len());
    let len = [1, 4, 8, 16, 64][random.usize(..5)];
    if random.bool() {
        let filler = [0, 0xff, random.u8(..)][random.usize(..3)];
        bytes.splice(at..at, std::iter::repeat_n(filler, len));
    } else {
        let end = bytes.len().min(at + len);
        let start = if at == end { at.saturating_sub(len) } else { at };
        bytes.drain(start..end);
    }
    if random.bool() {
        repair(bytes);
    }
    "length/shift"
}

/// Reduces sizes and positions in the header that exceed the file. Returns whether the header changed.
///
/// A repaired header states that the FlatBuffer ends before the segments, and that the segments end before the end of the file.
/// The function changes no other bytes, so it changes nothing in a file that has no header or whose header fits.
pub fn repair(bytes: &mut [u8]) -> bool {
    let Some(parts) = FileParts::of(bytes) else { return false };
    let len = bytes.len() as u64;
    let read = |bytes: &[u8], meaning| parts.field(meaning).map_or(0, |field| number(bytes, field.at, field.width));
    let mut changed = false;
    let mut limit = |bytes: &mut [u8], meaning, most: u64| {
        if let Some(field) = parts.field(meaning).filter(|_| read(bytes, meaning) > most) {
            changed |= put(bytes, field.at, field.width, most).is_some();
        }
    };
    limit(bytes, Meaning::Base, len);
    let base = read(bytes, Meaning::Base);
    let end = if base == 0 { len } else { base };
    limit(bytes, Meaning::Before, end);
    limit(bytes, Meaning::FlatBufferSize, end - read(bytes, Meaning::Before).min(end));
    limit(bytes, Meaning::DataSize, len - base);
    changed
}

/// Returns the position at which [`append`] may write an object with 16-byte alignment.
pub(crate) fn appendix(parts: &FileParts) -> usize {
    parts.end.next_multiple_of(16)
}

/// Returns the target of the offset at the position `at`.
pub(crate) fn target(bytes: &[u8], at: usize) -> usize {
    at.saturating_add(position(bytes, at, 4))
}
