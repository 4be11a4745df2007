//! Typed edits: changes of one field, element, count, offset, string or vtable, which keep the length of the file.

use fastrand::Rng;
use torchproof::flatbuffer::schema::Scalar;

use crate::number::{draw, number, position, put};
use crate::parts::{FileParts, HeaderField, Meaning};
use crate::site::{Hints, Object, Place, Site, descend, descend_to};

/// The number of descents that look for a second place of the same type.
const TRIES: usize = 6;

/// Floating-point values that many readers convert to an integer or divide by.
const DOUBLES: [f64; 8] = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE, 9.3e18];

/// Changes one place of the FlatBuffer. Returns the name of the edit, or `None` if the file has no such place.
pub(crate) fn edit(bytes: &mut [u8], parts: &FileParts, random: &mut Rng) -> Option<&'static str> {
    let path = random.u64(..);
    edit_at(bytes, parts, path, random)
}

/// Changes the place that the descent with the seed `path` reaches.
pub(crate) fn edit_at(bytes: &mut [u8], parts: &FileParts, path: u64, random: &mut Rng) -> Option<&'static str> {
    let buffer = parts.flatbuffer(bytes);
    let mut hints = Hints::default();
    let site = descend(buffer, parts.root, &mut Rng::with_seed(path), &mut hints)?;
    if parts.kind != torchproof::FileKind::Bpte {
        // Positions in the segments, for sizes and offsets.
        hints.add((bytes.len() - parts.base.unwrap_or(0).min(bytes.len())) as u64);
    }
    let name = name(site.place);
    let Change { at, width, value } = change(buffer, parts, &site, random, hints.as_slice())?;
    put(bytes, at, width, value)?;
    Some(name)
}

/// A number to write.
struct Change {
    at: usize,
    width: usize,
    value: u64,
}

fn name(place: Place) -> &'static str {
    match place {
        Place::Number(_) => "edit/number",
        Place::Enum(_) => "edit/enum",
        Place::Tag(_) => "edit/tag",
        Place::Offset(_) => "edit/offset",
        Place::Count { .. } => "edit/count",
        Place::Text { .. } => "edit/string",
        Place::Vtable => "edit/vtable",
        Place::Slot => "edit/slot",
    }
}

/// Draws the change of a place. Returns `None` for an empty string.
fn change(buffer: &[u8], parts: &FileParts, site: &Site<'_>, random: &mut Rng, hints: &[u64]) -> Option<Change> {
    let at = site.at;
    let (width, value) = match site.place {
        Place::Number(scalar) => {
            let width = scalar.width();
            let was = number(buffer, at, width);
            let copied = (random.u8(..4) == 0).then(|| twin(buffer, parts, site, random, width)).flatten();
            (width, copied.filter(|value| *value != was).unwrap_or_else(|| scalar_value(scalar, was, random, hints)))
        }
        Place::Enum(values) => {
            let (first, last) = (values.values.first()?.1, values.values.last()?.1);
            let value = match random.u8(..8) {
                0 => first.wrapping_sub(1),
                1 => last.wrapping_add(1),
                2 => random.i8(..),
                _ => values.values[random.usize(..values.values.len())].1,
            };
            (1, u64::from(value.cast_unsigned()))
        }
        Place::Tag(union) => (1, random.u64(..union.members.len() as u64 + 2)),
        Place::Offset(object) => (4, offset(buffer, parts, site, object, random)),
        Place::Count { width } => {
            let was = number(buffer, at, 4);
            let room = ((buffer.len() - at.min(buffer.len())) as u64).saturating_sub(4) / width as u64;
            (4, draw(random, 4, was, &[room, room + 1, was / 2, was * 2, u64::from(u32::MAX / 4)]))
        }
        Place::Text { len } => return text(buffer, parts, site, len, random),
        Place::Vtable => (4, vtable(buffer, parts, site, random)),
        Place::Slot => {
            let (table, _) = site.table?;
            let other = table.vtable() + 2 * random.usize(..2 + usize::from(table.slots()));
            let hints = [0, number(buffer, other, 2), number(buffer, table.vtable() + 2, 2), 4];
            (2, draw(random, 2, number(buffer, at, 2), &hints))
        }
    };
    Some(Change { at, width, value })
}

fn scalar_value(scalar: Scalar, was: u64, random: &mut Rng, hints: &[u64]) -> u64 {
    match scalar {
        Scalar::Bool => [0, 1, 1 - was.min(1), 2, 0xff][random.usize(..5)],
        Scalar::F64 if random.bool() => DOUBLES[random.usize(..DOUBLES.len())].to_bits(),
        scalar => draw(random, scalar.width(), was, hints),
    }
}

/// Returns the number that the same field of another table stores.
fn twin(buffer: &[u8], parts: &FileParts, site: &Site<'_>, random: &mut Rng, width: usize) -> Option<u64> {
    let same = |other: &Site<'_>| {
        let fields = other.field.zip(site.field);
        other.at != site.at && fields.is_some_and(|(other, own)| std::ptr::eq(other, own))
    };
    let same = |other: &Site<'_>| same(other) && matches!(other.place, Place::Number(_));
    descend_to(buffer, parts.root, random, TRIES, same).map(|other| number(buffer, other.at, width))
}

/// Draws an offset: to another object of the same type, near the old target, to the end of the FlatBuffer, or a boundary.
fn offset(buffer: &[u8], parts: &FileParts, site: &Site<'_>, object: Object, random: &mut Rng) -> u64 {
    let was = number(buffer, site.at, 4);
    let left = (buffer.len() - site.at.min(buffer.len())) as u64;
    let like = |other: &Site<'_>| {
        let target = other.at.saturating_add(position(buffer, other.at, 4));
        target > site.at && matches!(other.place, Place::Offset(of_other) if of_other.is_like(object))
    };
    let mut alias = || {
        let other = descend_to(buffer, parts.root, random, 2 * TRIES, like)?;
        Some((other.at + position(buffer, other.at, 4) - site.at) as u64)
    };
    match alias().filter(|value| *value != was) {
        Some(value) => value,
        None => match random.u8(..10) {
            0 => 0,
            1 => u64::from(random.u32(..)),
            2 => 1 << 31,
            3 => left,
            4 => left.saturating_sub(4),
            5 => u64::from(random.u32(..u32::try_from(left).unwrap_or(u32::MAX).max(1))) & !3,
            6 => was.wrapping_add(u64::from(random.u8(1..4))),
            7 => u64::from(u32::MAX),
            8 => was.wrapping_sub(4),
            _ => was.wrapping_add(4),
        },
    }
}

/// Draws a new byte of a string, or the first bytes of another string.
fn text(buffer: &[u8], parts: &FileParts, site: &Site<'_>, len: usize, random: &mut Rng) -> Option<Change> {
    let is_other = |other: &Site<'_>| other.at != site.at && matches!(other.place, Place::Text { .. });
    let copy = random.u8(..4) == 0;
    if let Some(other) = copy.then(|| descend_to(buffer, parts.root, random, 2 * TRIES, is_other)).flatten()
        && let Place::Text { len: of_other } = other.place
    {
        let width = len.min(of_other).min(8);
        return Some(Change { at: site.at, width, value: number(buffer, other.at, width) });
    }
    let at = site.at + random.usize(..len.max(1));
    // The last position is the NUL terminator.
    let at = if random.u8(..16) == 0 { site.at + len } else { at };
    let value = match random.u8(..6) {
        0 => u64::from(random.u8(..)),
        1 => 0,
        2 => 0x80,
        3 => u64::from(b"/.:%"[random.usize(..4)]),
        _ => number(buffer, at, 1) ^ 1,
    };
    Some(Change { at, width: 1, value })
}

/// Draws the offset from a table to its vtable: a neighbour, or the vtable of another table.
fn vtable(buffer: &[u8], parts: &FileParts, site: &Site<'_>, random: &mut Rng) -> u64 {
    let was = number(buffer, site.at, 4);
    let other = descend_to(buffer, parts.root, random, TRIES, |other| other.table.is_some());
    let other = other.and_then(|other| other.table).map_or(0, |(table, _)| table.vtable());
    let hints = [(site.at as u64).wrapping_sub(other as u64), site.at as u64, 0];
    draw(random, 4, was, &hints)
}

/// Changes one field of the header. Returns the name of the edit, or `None` if the file has no header.
pub(crate) fn edit_header(bytes: &mut [u8], parts: &FileParts, random: &mut Rng) -> Option<&'static str> {
    let HeaderField { at, width, meaning } = parts.header.get(random.usize(..parts.header.len().max(1)))?;
    let was = number(bytes, *at, *width);
    let len = bytes.len() as u64;
    let base = parts.base.unwrap_or(0) as u64;
    let value = match meaning {
        Meaning::Magic => was ^ (1 << random.u32(..32)),
        Meaning::Length => {
            let lengths = [0, 8, 23, 24, 31, 32, 39, 40, 41, 48, len];
            draw(random, *width, was, &lengths)
        }
        _ => {
            let end = parts.end as u64;
            draw(random, *width, was, &[0, len, end, base, len.saturating_sub(base), len - end, u64::MAX - base])
        }
    };
    put(bytes, *at, *width, value)?;
    Some(if *meaning == Meaning::Magic { "header/magic" } else { "header/number" })
}
