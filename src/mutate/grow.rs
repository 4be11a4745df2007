//! Changes the length of a file, and either repairs the header or leaves it inconsistent.

use alloc::vec::Vec;
use core::iter::repeat_n;

use super::file::FileParts;
use super::number::{number, put};
use crate::random::Random;

/// The greatest segment alignment that a change of the length preserves.
const GREATEST_ALIGNMENT: u32 = 12;

/// Replaces the bytes of a random segment. Returns `None` if there are no segments, or if some overlap. With `repair`,
/// updates the list of segments and the header, and keeps the other segments aligned.
pub(super) fn replace_segment(file: &FileParts<'_>, new: &[u8], repair: bool, random: &mut Random) -> Option<Vec<u8>> {
    let segments = file.segments();
    let own = random.pick(&segments)?;
    let later = segments.iter().filter(|other| other.start > own.start);
    let next = later.clone().map(|other| other.start).min();
    if own.start < file.buffer.len() || next.is_some_and(|next| next < own.end) {
        return None;
    }
    let was = next.unwrap_or(own.end) - own.start;
    let mut inserted = new.to_vec();
    if let Some(next) = next {
        let unit = 1_usize << next.saturating_sub(file.base()).trailing_zeros().min(GREATEST_ALIGNMENT);
        // If the new length is congruent to the old, later segments move by a multiple of `unit`.
        let excess = (new.len() % unit + unit - was % unit) % unit;
        inserted.resize(new.len() + (unit - excess) % unit, 0);
    }
    let mut bytes = file.bytes.to_vec();
    if repair {
        put(&mut bytes, own.size_at, 8, new.len() as u64)?;
        let shift = (inserted.len() as u64).wrapping_sub(was as u64);
        let total = file.field("segment_data_size").filter(|at| number(&bytes, *at, 8) > 0);
        for at in later.map(|other| other.offset_at).chain(total.map(Some)) {
            let moved = number(&bytes, at?, 8).wrapping_add(shift);
            put(&mut bytes, at?, 8, moved)?;
        }
    }
    bytes.splice(own.start..own.start + was, inserted);
    Some(bytes)
}

/// Inserts or removes a few bytes at a random position. Sometimes repairs the header.
pub(super) fn shift(file: &FileParts<'_>, random: &mut Random) -> (Vec<u8>, &'static str) {
    let mut bytes = file.bytes.to_vec();
    let (end, last) = (file.buffer.len(), bytes.len());
    let base = if file.base() == 0 { end } else { file.base().min(last) };
    let at = [end, base, last, random.index(last + 1)][random.index(4)];
    let len = [1, 4, 8, 16, 64][random.index(5)];
    if random.one_in(2) {
        let filler = [0, 0xff, random.word().to_le_bytes()[0]][random.index(3)];
        bytes.splice(at..at, repeat_n(filler, len));
    } else {
        let end = last.min(at + len);
        bytes.drain(if at == end { at.saturating_sub(len) } else { at }..end);
    }
    if random.one_in(2) {
        repair(&mut bytes);
    }
    (bytes, "length/shift")
}

/// Reduces sizes and positions in the header that exceed the file, and returns whether it found any.
///
/// Afterward, the FlatBuffer ends before the segments, and the segments end before the end of the file. No other bytes
/// change, so a file stays as it is if it has no header or its header fits.
pub fn repair(bytes: &mut [u8]) -> bool {
    let Some(file) = FileParts::of(bytes) else { return false };
    let names = ["segment_base_offset", "flatbuffer_offset", "segment_data_size"];
    let ([base, before, data], size) = (names.map(|name| file.field(name)), file.size_at());
    let (len, mut changed) = (bytes.len() as u64, false);
    // Reduces a number to a maximum, and returns it.
    let mut limit = |at: Option<usize>, most: u64| {
        let found = at.map_or(0, |at| number(bytes, at, 8));
        if let Some(at) = at.filter(|_| found > most) {
            changed |= put(bytes, at, 8, most).is_some();
        }
        found.min(most)
    };
    let base = limit(base, len);
    let end = if base == 0 { len } else { base };
    let before = limit(before, end);
    limit(size, end - before);
    limit(data, len - base);
    changed
}
