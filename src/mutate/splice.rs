//! Splices: a file gets a table, a vector, a string, a segment or the header from a donor.

use alloc::vec::Vec;

use super::copy::Copier;
use super::file::FileParts;
use super::grow::replace_segment;
use super::number::{number, put, target};
use super::site::{Object, Site, descend_to, is_inline};
use crate::patch::Patcher;
use crate::random::Random;

const TRIES: usize = 24;

const MOST_EXTRA: usize = 4;

/// How many bytes longer a copied string may be, as a power of 2. Readers copy names to buffers of fixed sizes.
const LONGEST_TEXT: u64 = 8;

const ALIGNMENT: usize = 16;

/// Replaces part of a file with the same kind of part from the donor. Returns `None` if the files have no such part.
pub(super) fn splice(
    file: &FileParts<'_>,
    donor: &FileParts<'_>,
    random: &mut Random,
) -> Option<(Vec<u8>, &'static str)> {
    match random.below(16) {
        0 => Some((with_header(file.bytes.to_vec(), file, donor)?, "splice/header")),
        1 | 2 => Some((numbers(file, donor, random)?, "splice/numbers")),
        3..6 => {
            let segments = donor.segments();
            let new = random.pick(&segments)?;
            let repair = !random.one_in(4);
            let bytes = replace_segment(file, &donor.bytes[new.start..new.end], repair, random)?;
            Some((bytes, if repair { "splice/segment" } else { "splice/segment-only" }))
        }
        _ => object(file, donor, random),
    }
}

/// Overwrites the header of `bytes`, which is an edited copy of `file`, with the donor's header.
fn with_header(mut bytes: Vec<u8>, file: &FileParts<'_>, donor: &FileParts<'_>) -> Option<Vec<u8>> {
    let ((_, first), (_, last)) = (file.header.first()?, file.header.last()?);
    let span = usize::try_from(first.offset).ok()?..usize::try_from(last.end()).ok()?;
    if file.header.len() != donor.header.len() {
        return None;
    }
    bytes[span.clone()].copy_from_slice(&donor.bytes[span]);
    Some(bytes)
}

fn numbers(file: &FileParts<'_>, donor: &FileParts<'_>, random: &mut Random) -> Option<Vec<u8>> {
    let (from, ty) = descend_to(donor, random, TRIES, |site| site.table.is_some())?.table?;
    let same = |site: &Site<'_>| site.table.is_some_and(|(_, own)| core::ptr::eq(own, ty));
    let (into, _) = descend_to(file, random, TRIES, same)?.table?;
    let mut bytes = file.bytes.to_vec();
    for field in ty.fields.iter().filter(|field| is_inline(field)) {
        if let (Some(at), Some(from)) = (into.field(field.slot), from.field(field.slot)) {
            put(&mut bytes, at, field.kind.width(), number(donor.buffer, from, field.kind.width()));
        }
    }
    Some(bytes)
}

/// Appends a copy of an object to the FlatBuffer, and makes an offset of the same type point to the copy. Sometimes the
/// header keeps its old values, so it contradicts the file.
fn object(file: &FileParts<'_>, donor: &FileParts<'_>, random: &mut Random) -> Option<(Vec<u8>, &'static str)> {
    let (at, wanted) = descend_to(file, random, TRIES, |site| site.link.is_some())?.link?;
    let same = |site: &Site<'_>| site.link.is_some_and(|(_, found)| found.is_like(wanted));
    let (found, _) = descend_to(donor, random, TRIES, same)?.link?;
    let mut patcher = Patcher::new(file.bytes);
    // A broken header may contain any value as the end of the FlatBuffer.
    let start = Some(patcher.appendix(ALIGNMENT)).filter(|start| *start < file.bytes.len() + ALIGNMENT)?;
    let mut copier = Copier::new(donor.buffer, start);
    let extra = match wanted {
        _ if !random.one_in(4) => 0,
        Object::Text => 1 << random.below(LONGEST_TEXT + 1),
        _ => 1 + random.index(MOST_EXTRA),
    };
    let copied = copier.object(wanted, target(donor.buffer, found), extra)?;
    patcher.append_to_flatbuffer(&copier.bytes, ALIGNMENT);
    let mut bytes = patcher.finish().ok()?.bytes;
    // In a broken FlatBuffer, a field can be after the end.
    put(&mut bytes, at, 4, copied.checked_sub(at)? as u64)?;
    if random.one_in(8) && !file.header.is_empty() {
        bytes = with_header(bytes, file, file)?;
    }
    let name = match wanted {
        Object::Table(_) => "splice/table",
        Object::Tables(_) => "splice/tables",
        Object::Numbers(..) => "splice/vector",
        Object::Text => "splice/string",
    };
    Some((bytes, name))
}
