//! Splices: a file receives a table, a vector, a string, a segment or the header of another file.

use fastrand::Rng;

use crate::copy::{Copier, is_inline};
use crate::grow::{append, appendix, replace_segment, target};
use crate::number::{number, put};
use crate::parts::FileParts;
use crate::site::{Object, Site, descend_to};

/// The number of descents that look for an offset, in each of the two files.
const TRIES: usize = 24;

/// The greatest number of elements that the copy of a vector repeats.
const MOST_EXTRA: usize = 4;

/// Replaces a part of `bytes` with the same kind of part of `other`. Returns the name of the splice, or `None` if the files have
/// no such parts in common or the result would exceed `max_len`.
pub(crate) fn splice(bytes: &mut Vec<u8>, other: &[u8], max_len: usize, random: &mut Rng) -> Option<&'static str> {
    let (parts, of_other) = (FileParts::of(bytes)?, FileParts::of(other)?);
    match random.u8(..16) {
        0 => header(bytes, &parts, other, &of_other),
        1 | 2 => numbers(bytes, &parts, other, &of_other, random),
        3..6 => segment(bytes, &parts, other, &of_other, max_len, random),
        _ => object(bytes, &parts, other, &of_other, max_len, random),
    }
}

/// Copies the whole header.
fn header(bytes: &mut [u8], parts: &FileParts, other: &[u8], of_other: &FileParts) -> Option<&'static str> {
    let (first, last) = (parts.header.first()?, parts.header.last()?);
    if parts.header.len() != of_other.header.len() {
        return None;
    }
    let span = first.at..last.at + last.width;
    bytes[span.clone()].copy_from_slice(&other[span]);
    Some("splice/header")
}

/// Copies the inline numbers of a table to a table of the same type.
fn numbers(
    bytes: &mut [u8],
    parts: &FileParts,
    other: &[u8],
    of_other: &FileParts,
    random: &mut Rng,
) -> Option<&'static str> {
    let buffer = of_other.flatbuffer(other);
    let is_table = |site: &Site<'_>| site.table.is_some();
    let (from, ty) = descend_to(buffer, of_other.root, random, TRIES, is_table)?.table?;
    let same = |site: &Site<'_>| site.table.is_some_and(|(_, own)| std::ptr::eq(own, ty));
    let (into, _) = descend_to(parts.flatbuffer(bytes), parts.root, random, TRIES, same)?.table?;
    let numbers: Vec<_> = (ty.fields.iter().filter(|field| is_inline(field)))
        .filter_map(|field| Some((into.field(field.slot)?, from.field(field.slot)?, field.kind.width())))
        .collect();
    for (at, from, width) in numbers {
        put(bytes, at, width, number(buffer, from, width));
    }
    Some("splice/numbers")
}

/// Replaces the bytes of a segment with the bytes of a segment of the other file.
fn segment(
    bytes: &mut Vec<u8>,
    parts: &FileParts,
    other: &[u8],
    of_other: &FileParts,
    max_len: usize,
    random: &mut Rng,
) -> Option<&'static str> {
    let segments = parts.segments(bytes);
    let found = of_other.segments(other);
    let new = found.get(random.usize(..found.len().max(1)))?;
    let new = &other[new.start..new.end];
    let index = random.usize(..segments.len().max(1));
    let repair = random.u8(..4) != 0;
    replace_segment(bytes, parts, &segments, index, new, repair, max_len)?;
    Some(if repair { "splice/segment" } else { "splice/segment-only" })
}

/// Appends a copy of an object to the FlatBuffer, and makes an offset of the same type point to the copy.
fn object(
    bytes: &mut Vec<u8>,
    parts: &FileParts,
    other: &[u8],
    of_other: &FileParts,
    max_len: usize,
    random: &mut Rng,
) -> Option<&'static str> {
    let buffer = parts.flatbuffer(bytes);
    let (at, wanted) = descend_to(buffer, parts.root, random, TRIES, |site| site.link.is_some())?.link?;
    let from = of_other.flatbuffer(other);
    let same = |site: &Site<'_>| site.link.is_some_and(|(_, found)| found.is_like(wanted));
    let (found, _) = descend_to(from, of_other.root, random, TRIES, same)?.link?;
    let start = appendix(parts);
    let mut copier = Copier::new(from, start);
    let extra = if random.u8(..4) == 0 { random.usize(1..=MOST_EXTRA) } else { 0 };
    let copied = copier.object(wanted, target(from, found), extra)?;
    // A field can be after the end of a broken FlatBuffer.
    let distance = copied.checked_sub(at)?;
    let repair = random.u8(..8) != 0;
    append(bytes, parts, start, &copier.bytes, repair, max_len)?;
    put(bytes, at, 4, distance as u64)?;
    Some(match wanted {
        Object::Table(_) => "splice/table",
        Object::Tables(_) => "splice/tables",
        Object::Numbers(..) => "splice/vector",
        Object::Text => "splice/string",
    })
}
