//! Typed edits: changes of a field, element, count, offset, string or vtable that keep the file's length.

use alloc::vec::Vec;

use super::file::{FileParts, count};
use super::number::{draw, number, put, target};
use super::site::{Object, Place, Site, descend, descend_to};
use crate::FileKind;
use crate::flatbuffer::schema::Scalar;
use crate::random::Random;

const MOST_CHANGES: usize = 4;

const TRIES: usize = 6;

/// Floats that many readers convert to an integer or divide by.
const DOUBLES: [f64; 8] = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE, 9.3e18];

/// A number to write: its position, its width, its value, and how many times to write it in a row.
type Change = (usize, usize, u64, usize);

/// Changes one to four fields. The descent with the seed `path` leads to the first field, after which the edit is
/// named. Half of the edits change only one field, because further changes can hide the effects of the first.
pub(super) fn edit(file: &FileParts<'_>, path: u64, random: &mut Random) -> Option<(Vec<u8>, &'static str)> {
    let (change, name) = draw_change(file, path, random)?;
    let mut changes = Vec::from([change]);
    if random.one_in(2) {
        let more = 1 + random.index(MOST_CHANGES - 1);
        changes.extend((0..more).filter_map(|_| Some(draw_change(file, random.word(), random)?.0)));
    }
    let mut bytes = file.bytes.to_vec();
    for (at, width, value, times) in changes {
        for time in 0..times {
            put(&mut bytes, at + time * width, width, value);
        }
    }
    Some((bytes, name))
}

/// Draws a change for the place that the descent with the seed `path` reaches. Returns `None` for an empty string.
fn draw_change(file: &FileParts<'_>, path: u64, random: &mut Random) -> Option<(Change, &'static str)> {
    let (buffer, mut hints) = (file.buffer, Vec::new());
    let site = descend(file, &mut Random::new(path), &mut hints)?;
    if file.kind != FileKind::Bpte {
        // Positions in the segments, for sizes and offsets.
        hints.push(file.bytes.len().saturating_sub(file.base()) as u64);
    }
    let at = site.at;
    let was = |width| number(buffer, at, width);
    Some(match site.place {
        Place::Number(scalar) => {
            let width = scalar.width();
            let copied = if random.one_in(4) { twin(file, &site, random, width) } else { None };
            let value = copied.filter(|value| *value != was(width));
            let value = value.unwrap_or_else(|| scalar_value(scalar, was(width), random, &hints));
            ((at, width, value, if random.one_in(4) { left_in_list(file, &site, width) } else { 1 }), "edit/number")
        }
        Place::Enum(values) => {
            let (first, last) = (values.values.first()?.1, values.values.last()?.1);
            let value = match random.below(8) {
                0 => first.wrapping_sub(1).cast_unsigned().into(),
                1 => last.wrapping_add(1).cast_unsigned().into(),
                2 => random.below(256),
                _ => random.pick(values.values)?.1.cast_unsigned().into(),
            };
            ((at, 1, value, 1), "edit/enum")
        }
        Place::Tag(union) => ((at, 1, random.below(union.members.len() as u64 + 2), 1), "edit/tag"),
        Place::Offset(object) => ((at, 4, offset(file, at, object, random), 1), "edit/offset"),
        Place::Count { width } => {
            let (was, room) = (was(4), (buffer.len().saturating_sub(at) as u64).saturating_sub(4) / width as u64);
            ((at, 4, draw(random, 4, was, &[room, room + 1, was / 2, was * 2, (u32::MAX / 4).into()]), 1), "edit/count")
        }
        Place::Text { len } => (text(file, at, len, random)?, "edit/string"),
        Place::Vtable => {
            let other = descend_to(file, random, TRIES, |other| other.table.is_some());
            let other = other.and_then(|other| other.table).map_or(0, |(table, _)| table.vtable() as u64);
            ((at, 4, draw(random, 4, was(4), &[(at as u64).wrapping_sub(other), at as u64, 0]), 1), "edit/vtable")
        }
        Place::Slot => {
            let (table, _) = site.table?;
            let other = table.vtable() + 2 * random.index(2 + usize::from(table.slots()));
            let hints = [0, number(buffer, other, 2), number(buffer, table.vtable() + 2, 2), 4];
            ((at, 2, draw(random, 2, was(2), &hints), 1), "edit/slot")
        }
    })
}

fn scalar_value(scalar: Scalar, was: u64, random: &mut Random, hints: &[u64]) -> u64 {
    match scalar {
        Scalar::Bool => [0, 1, 1 - was.min(1), 2, 0xff][random.index(5)],
        Scalar::F64 if random.one_in(2) => DOUBLES[random.index(DOUBLES.len())].to_bits(),
        scalar => draw(random, scalar.width(), was, hints),
    }
}

/// Returns how many numbers the list has from the site to its end, or 1 for a number in a table. Some effects, such as
/// a product that overflows, need the same value in all elements.
fn left_in_list(file: &FileParts<'_>, site: &Site<'_>, width: usize) -> usize {
    let Some((list, Object::Numbers(..))) = site.link else { return 1 };
    let list = target(file.buffer, list);
    let len = count(file.buffer, list, width).unwrap_or(0);
    site.at.checked_sub(list + 4).map_or(1, |before| len.saturating_sub(before / width).max(1))
}

fn twin(file: &FileParts<'_>, site: &Site<'_>, random: &mut Random, width: usize) -> Option<u64> {
    let is_same_field =
        |other: &Site<'_>| other.field.zip(site.field).is_some_and(|(one, two)| core::ptr::eq(one, two));
    let is_twin =
        |other: &Site<'_>| other.at != site.at && matches!(other.place, Place::Number(_)) && is_same_field(other);
    descend_to(file, random, TRIES, is_twin).map(|other| number(file.buffer, other.at, width))
}

/// Draws an offset that points to another object of the same type, near the old target, to the end of the FlatBuffer,
/// or to a boundary.
fn offset(file: &FileParts<'_>, at: usize, object: Object, random: &mut Random) -> u64 {
    let (buffer, was) = (file.buffer, number(file.buffer, at, 4));
    let left = buffer.len().saturating_sub(at) as u64;
    let is_like = |other: &Site<'_>| {
        matches!(other.place, Place::Offset(of_other) if of_other.is_like(object)) && target(buffer, other.at) > at
    };
    let alias = descend_to(file, random, 2 * TRIES, is_like).map(|other| (target(buffer, other.at) - at) as u64);
    alias.filter(|value| *value != was).unwrap_or_else(|| match random.below(10) {
        0 => 0,
        1 => random.word(),
        2 => 1 << 31,
        3 => left,
        4 => left.saturating_sub(4),
        5 => random.below(left) & !3,
        6 => was.wrapping_add(1 + random.below(3)),
        7 => u32::MAX.into(),
        8 => was.wrapping_sub(4),
        _ => was.wrapping_add(4),
    })
}

/// Draws a new byte for a string, or the first bytes of another string.
fn text(file: &FileParts<'_>, at: usize, len: usize, random: &mut Random) -> Option<Change> {
    let is_other = |other: &Site<'_>| other.at != at && matches!(other.place, Place::Text { .. });
    let other = if random.one_in(4) { descend_to(file, random, 2 * TRIES, is_other) } else { None };
    if let Some(Site { at: from, place: Place::Text { len: of_other }, .. }) = other {
        let width = len.min(of_other).min(8);
        return Some((at, width, number(file.buffer, from, width), 1));
    }
    // The last position is the NUL terminator.
    let at = at + if random.one_in(16) { len } else { random.index(len) };
    let value = match random.below(6) {
        0 => random.below(256),
        1 => 0,
        2 => 0x80,
        3 => (*random.pick(b"/.:%")?).into(),
        _ => number(file.buffer, at, 1) ^ 1,
    };
    Some((at, 1, value, 1))
}

/// Changes one header field. Returns `None` if the file has no header.
pub(super) fn edit_header(file: &FileParts<'_>, random: &mut Random) -> Option<(Vec<u8>, &'static str)> {
    let (name, span) = random.pick(file.header)?;
    let (at, width) = (usize::try_from(span.offset).ok()?, usize::try_from(span.len).ok()?);
    let was = number(file.bytes, at, width);
    let (len, end, base) = (file.bytes.len() as u64, file.buffer.len() as u64, file.base() as u64);
    let value = match *name {
        "magic" => was ^ (1 << random.below(32)),
        "length" => draw(random, width, was, &[0, 8, 23, 24, 31, 32, 39, 40, 41, 48, len]),
        _ => draw(random, width, was, &[0, len, end, base, len.saturating_sub(base), len - end, u64::MAX - base]),
    };
    let mut bytes = file.bytes.to_vec();
    put(&mut bytes, at, width, value)?;
    Some((bytes, if *name == "magic" { "header/magic" } else { "header/number" }))
}
