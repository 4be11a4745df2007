//! Notes about constants that no tensor uses, and about constants with equal bytes.

use crate::Span;
use crate::flatbuffer::Vector;
use crate::flatbuffer::walk::{Flow, Path};
use crate::layout::nbytes;
use crate::pte::schema::brief::Program;
use crate::pte::schema::brief_values::KernelTypesValue;
use crate::rules::constants as rules;
use crate::sort::sort_by;

use super::super::elements;
use super::super::finding::Reporter;
use super::super::scratch::Scratch;
use super::super::segments::SegmentBase;
use super::super::source::Bytes;
use super::plan::is_external;
use super::storage::segment_of;

/// Smaller constants, such as scalars, are common and waste next to nothing.
const LEAST: u64 = 64;

/// The maximum number of bytes of constants that are read.
const MOST: u64 = 1 << 20;

/// Omits the notes if there is too little scratch memory for them.
#[inline(never)]
pub(super) fn check(
    root: Program<'_>,
    base: SegmentBase,
    bytes: Bytes<'_>,
    scratch: &mut dyn Scratch,
    reporter: &mut impl Reporter,
) -> Flow {
    let Ok(Some(subsegments)) = root.constant_segment() else { return Ok(()) };
    let Some(offsets) = subsegments.offsets().ok().flatten().filter(|offsets| offsets.len() > 1) else { return Ok(()) };
    let Some((size, start)) = segment_of(root, subsegments, base) else { return Ok(()) };
    let count = offsets.len();
    let Ok(words) = scratch.words(count.saturating_mul(3)) else { return Ok(()) };
    words.fill(0);
    let (sizes, rest) = words.split_at_mut(count);
    let (hashes, order) = rest.split_at_mut(count);
    add_sizes(root, sizes);
    let path = &Path::ROOT.field("constant_segment");
    let path = &path.field("offsets");
    unused(offsets, size, sizes, path, reporter)?;
    match start {
        Some(start) => Equal { offsets, size, start, bytes, sizes, hashes }.check(order, path, reporter),
        None => Ok(()),
    }
}

/// Sets each used constant's word to 1 plus the size of the largest tensor that uses it.
fn add_sizes(root: Program<'_>, sizes: &mut [u64]) {
    for (_, plan) in elements(root.execution_plan()) {
        for (_, value) in elements(plan.values()) {
            let Ok(Some(KernelTypesValue::Tensor(tensor))) = value.val() else { continue };
            if is_external(tensor) || !matches!(tensor.allocation_info(), Ok(None)) {
                continue;
            }
            let index = tensor.data_buffer_idx().unwrap_or(0) as usize;
            let ty = tensor.scalar_type().ok();
            let bytes = ty.zip(tensor.sizes().ok().flatten()).and_then(|(ty, sizes)| nbytes(ty, sizes).ok());
            if let Some(word) = sizes.get_mut(index) {
                *word = (*word).max(bytes.unwrap_or(0).saturating_add(1));
            }
        }
    }
}

fn unused(offsets: Vector<'_, u64>, size: u64, sizes: &[u64], path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
    let (mut first, mut count, mut sum) = (0, 0_u32, 0_u64);
    for index in (1..offsets.len()).filter(|index| sizes.get(*index) == Some(&0)) {
        let next = offsets.get(index + 1).unwrap_or(size).min(size);
        let bytes = offsets.get(index).and_then(|offset| next.checked_sub(offset)).unwrap_or(0);
        if bytes >= LEAST {
            first = if count == 0 { index } else { first };
            (count, sum) = (count + 1, sum.saturating_add(bytes));
        }
    }
    if count == 0 {
        return Ok(());
    }
    let message = format_args!("no tensor uses constant {first}; unused constants: {count}, together {sum} bytes");
    reporter.report(&rules::CONST_USED, &path.index(first), offsets.element_span(first), message)
}

struct Equal<'a, 's> {
    offsets: Vector<'a, u64>,
    /// The size of the segment, and its position in the file.
    size: u64,
    start: u64,
    bytes: Bytes<'a>,
    sizes: &'s [u64],
    hashes: &'s mut [u64],
}

impl Equal<'_, '_> {
    /// Compares constants of equal sizes, largest first, and stops when reading the rest would exceed [`MOST`].
    fn check(mut self, order: &mut [u64], path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
        let mut len = 0;
        for index in (1..self.offsets.len()).filter(|index| self.span(*index).is_some()) {
            if let Some(word) = order.get_mut(len) {
                *word = index as u64;
                len += 1;
            }
        }
        let Some(order) = order.get_mut(..len) else { return Ok(()) };
        let sizes = self.sizes;
        sort_by(order, |one, other| size_of(sizes, *one) > size_of(sizes, *other));
        let (mut read, mut first, mut count, mut sum) = (0_u64, None, 0_u32, 0_u64);
        for alike in order.chunk_by_mut(|one, other| size_of(sizes, *one) == size_of(sizes, *other)) {
            let size = alike.first().map_or(0, |index| size_of(sizes, *index));
            read = read.saturating_add(size.saturating_mul(alike.len() as u64));
            if alike.len() < 2 {
                read -= size;
                continue;
            }
            if read > MOST || !alike.iter().all(|index| self.hash(*index)) {
                break;
            }
            sort_by(alike, |one, other| (self.hash_of(*one), one) < (self.hash_of(*other), other));
            for pair in alike.windows(2) {
                let &[one, other] = pair else { continue };
                let is_alike = self.hash_of(one) == self.hash_of(other);
                let [one, other] = [one, other].map(|index| usize::try_from(index).unwrap_or(usize::MAX));
                let (Some(span), Some(next)) = (self.span(one), self.span(other)) else { continue };
                if is_alike && self.bytes.equal(span, next) == Ok(true) {
                    first = first.or(Some((one, other, size)));
                    (count, sum) = (count + 1, sum.saturating_add(size));
                }
            }
        }
        let Some((one, other, size)) = first else { return Ok(()) };
        let message = format_args!(
            "constant {other} has the same {size} bytes as constant {one}; repeated constants: {count}, together {sum} bytes"
        );
        reporter.report(&rules::CONST_DISTINCT, &path.index(other), self.offsets.element_span(other), message)
    }

    fn hash_of(&self, index: u64) -> u64 {
        usize::try_from(index).ok().and_then(|index| self.hashes.get(index)).copied().unwrap_or(0)
    }

    /// Where a constant is in the file; `None` if it is unused, too small or not inside the segment.
    fn span(&self, index: usize) -> Option<Span> {
        let (offset, len) = (self.offsets.get(index)?, self.sizes.get(index)?.checked_sub(1)?);
        let is_inside = offset.checked_add(len).is_some_and(|end| end <= self.size);
        (is_inside && len >= LEAST).then(|| Span::new(self.start.saturating_add(offset), len))
    }

    /// Returns `false` if the bytes cannot be read.
    fn hash(&mut self, index: u64) -> bool {
        let Some(index) = usize::try_from(index).ok() else { return false };
        let Some(span) = self.span(index) else { return false };
        let (mut at, mut hash, mut piece) = (0, 0xcbf2_9ce4_8422_2325_u64, [0; 64]);
        while at < span.len {
            let len = usize::try_from(span.len - at).map_or(64, |left| left.min(64));
            let Some(piece) = piece.get_mut(..len) else { return false };
            if !self.bytes.read(span.offset + at, piece) {
                return false;
            }
            for byte in &*piece {
                hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            }
            at += len as u64;
        }
        if let Some(word) = self.hashes.get_mut(index) {
            *word = hash;
        }
        true
    }
}

/// The size of a constant that a tensor uses.
fn size_of(sizes: &[u64], index: u64) -> u64 {
    usize::try_from(index).ok().and_then(|index| sizes.get(index)).map_or(0, |size| size.saturating_sub(1))
}
