//! Offsets: offsets that are zero or unaligned, point backward or past the end, or wrap around.

use alloc::vec::Vec;

use super::attacks;
use super::base::{Base, BasePart, Frame, FrameOf, SegmentEntry};
use super::forge::Forge;
use crate::annotate::PartKind;
use crate::flatbuffer::PREFIX_LEN;
use crate::random::Random;
use crate::rules::{flat_tensor, flatbuffer, ptd_header, pte_header, segments};

attacks! {
    /// Point the root offset into the first eight bytes of the FlatBuffer.
    breaks "offsets/root-null": flatbuffer::FB_ROOT_OFFSET_RANGE => |forge| {
        let value = forge.random.below(PREFIX_LEN as u64);
        root(forge, |_, _| Some(value))
    };
    /// Point the root offset past the end of the FlatBuffer, or near 2^32.
    breaks "offsets/root-past-end": flatbuffer::FB_ROOT_OFFSET_RANGE => |forge| {
        let (far, more) = (forge.random.one_in(2), forge.random.below(16));
        root(forge, |len, _| Some(if far { u64::from(u32::MAX) - more } else { len.saturating_sub(3) + more }))
    };
    /// Point the root offset to a position that is not a multiple of 4.
    breaks "offsets/root-unaligned": flatbuffer::FB_ROOT_ALIGNED => |forge| {
        let more = 1 + forge.random.below(3);
        root(forge, |len, was| Some(was + more).filter(|now| now + 4 <= len))
    };
    /// Point the root offset to a table of another type.
    unknown "offsets/root-elsewhere" => |forge| {
        let base = forge.base;
        let target = forge.any(base.all(PartKind::Table), |place, _| {
            (!place.entry.path.is_empty() && place.frame.whole).then_some(place.local() as u64)
        })?;
        let frame = forge.whole()?;
        forge.number("", frame.start, 4, target)
    };
    /// Point a table's vtable offset outside the FlatBuffer.
    breaks "offsets/vtable-outside": flatbuffer::FB_VTABLE_VALID => |forge| {
        vtable(forge, |at, len, random| match random.below(4) {
            0 => Some(i64::from(i32::MAX)),
            1 => Some(i64::from(i32::MIN)),
            2 => Some(at + 2 + 2 * i64::try_from(random.below(8)).unwrap_or(0)),
            _ => Some(at - len + 2),
        })
    };
    /// Point a table's vtable offset to an odd position.
    breaks "offsets/vtable-unaligned": flatbuffer::FB_VTABLE_VALID => |forge| {
        let base = forge.base;
        forge.set_any(base.all(PartKind::Table), |place, random| {
            let vtable = base.table(place)?.vtable();
            let target = if random.one_in(2) { vtable.checked_sub(1)? } else { vtable + 1 };
            let back = place.local() as i64 - target as i64;
            (target + 4 <= base.region(&place.frame).len()).then_some(back.cast_unsigned())
        })
    };
    /// Set a vtable's length below 4.
    breaks "offsets/vtable-too-short": flatbuffer::FB_VTABLE_VALID => |forge| {
        vtable_length(forge, |_, _, random| Some(random.below(4)))
    };
    /// Set a vtable's length to an odd number.
    breaks "offsets/vtable-odd": flatbuffer::FB_VTABLE_VALID => |forge| {
        vtable_length(forge, |_, was, _| Some(was + 1))
    };
    /// Set a vtable's length so that the vtable ends past the FlatBuffer.
    breaks "offsets/vtable-past-end": flatbuffer::FB_VTABLE_VALID => |forge| {
        vtable_length(forge, |left, _, _| (left < 0xfffe).then_some(0xfffe))
    };
    /// Set a vtable entry so that its field is past the end of the FlatBuffer.
    breaks "offsets/field-past-end": flatbuffer::FB_VTABLE_VALID => |forge| {
        slot(forge, |base, place, _, _| (place.local() + 0xfffc >= base.region(&place.frame).len()).then_some(0xfffc))
    };
    /// Set a vtable entry so that its field is not at a multiple of 4.
    breaks "offsets/field-unaligned": flatbuffer::FB_ALIGNMENT => |forge| {
        slot(forge, |base, place, was, random| {
            let now = was + 1 + random.below(3);
            (place.local() as u64 + now + 8 <= base.region(&place.frame).len() as u64).then_some(now)
        })
    };
    /// Set an offset to 0, so that it points to itself.
    breaks "offsets/self": flatbuffer::FB_UOFFSET_VALID => |forge| reference(forge, |_, _, _| Some(0));
    /// Set an offset close to 2^32, so that its target's position wraps around at 32 bits to an earlier position.
    breaks "offsets/backward": flatbuffer::FB_UOFFSET_VALID => |forge| {
        reference(forge, |at, _, random| Some((1 << 32) - 4 * (1 + random.below(at / 4))))
    };
    /// Point an offset past the end of the FlatBuffer.
    breaks "offsets/past-end": flatbuffer::FB_UOFFSET_VALID => |forge| {
        reference(forge, |at, len, random| {
            Some(if random.one_in(2) { (1 << 31) - 1 - random.below(8) } else { len.checked_sub(at + 3)? + random.below(8) })
        })
    };
    /// Point an offset to a position that is not a multiple of 4.
    breaks "offsets/unaligned": flatbuffer::FB_ALIGNMENT => |forge| {
        let base = forge.base;
        let kind = if forge.random.one_in(2) { PartKind::Item } else { PartKind::Offset };
        forge.set_any(base.all(kind), |place, random| {
            let value = base.number(place.at(), 4) + 1 + random.below(3);
            let target = place.local() as u64 + value;
            (target + 4 <= base.region(&place.frame).len() as u64).then_some(value)
        })
    };
    /// Point an offset past the start of its target.
    unknown "offsets/elsewhere" => |forge| {
        let base = forge.base;
        forge.set_any(base.all(PartKind::Offset), |place, random| {
            let value = base.number(place.at(), 4) + 4 * (1 + random.below(16));
            let target = place.local() as u64 + value;
            (target + 4 <= base.region(&place.frame).len() as u64).then_some(value)
        })
    };
    /// Move a program's segment base into its FlatBuffer.
    breaks "offsets/program-base-inside": pte_header::EH_BASE_GE_PROGRAM => |forge| {
        forge.set_header(Base::program_frame, "segment_base_offset", |base, frame, random| {
            Some(random.within(1..=base.header(frame, "program_size")?.checked_sub(1)?))
        })
    };
    /// Move a program's segment base past the end of the file.
    breaks "offsets/program-base-past-end": pte_header::EH_BASE_LE_FILE => |forge| {
        forge.set_header(Base::program_frame, "segment_base_offset", |base, frame, random| {
            let size = base.header(frame, "segment_data_size").unwrap_or(0);
            Some(if random.one_in(2) { frame.len() + 1 } else { u64::MAX - size })
        })
    };
    /// Set a program's segment base to 0, which means that the program has no segments.
    breaks "offsets/program-base-null": pte_header::EH_BASE_ZERO_IFF_NONE => |forge| {
        let (frame, _) = with_bytes(forge, Base::program_frame)?;
        forge.header(&frame, "segment_base_offset", 0)
    };
    /// Move a data file's segment base into its FlatBuffer.
    breaks "offsets/data-base-inside": ptd_header::FH_BASE_GE_FB => |forge| {
        forge.set_header(Base::data_frame, "segment_base_offset", |base, frame, random| {
            let end = (frame.region_end - frame.start) as u64;
            let size = base.header(frame, "segment_data_size")?;
            // A segment base of 0 is valid in a data file without segment data.
            Some(random.within(u64::from(size == 0)..=end.checked_sub(1)?))
        })
    };
    /// Move a program's segment past the end of the segment data.
    breaks "offsets/program-segment-past-end": segments::SEG_WITHIN_DATA => |forge| {
        segment_past_end(forge, Base::program_frame)
    };
    /// Move a data file's segment past the end of the segment data.
    breaks "offsets/data-segment-past-end": flat_tensor::FT_SEG_BOUND => |forge| {
        segment_past_end(forge, Base::data_frame)
    };
}

/// Attacks move segments by less than this, and keep sums at least this far below an overflow.
pub(super) const MOVE: u64 = 1 << 16;

/// Returns a frame that has a segment base, and a random nonempty segment in it.
pub(super) fn with_bytes(forge: &mut Forge<'_>, frame: FrameOf) -> Option<(Frame, SegmentEntry)> {
    let frame = frame(forge.base)?;
    let data = forge.base.data(&frame).filter(|data| data.base > 0)?;
    let sized: Vec<_> = forge.base.segments(&frame).into_iter().filter(|segment| segment.size > 0).collect();
    let segment = forge.random.pick(&sized).copied().filter(|segment| segment.offset <= data.bound)?;
    Some((frame, segment))
}

pub(super) fn segment_table<'b>(base: &'b Base, frame: &Frame, index: usize) -> Option<BasePart<'b>> {
    base.find(&frame.path(&alloc::format!("segments[{index}]")), PartKind::Table)
}

fn segment_past_end(forge: &mut Forge<'_>, frame: FrameOf) -> Option<()> {
    let (frame, segment) = with_bytes(forge, frame)?;
    let data = forge.base.data(&frame)?;
    // Limit the new offset: if the sum of the segment base, the segment's offset and its size overflows, the file
    // breaks another rule.
    let most = u64::MAX - data.base - segment.size - MOVE;
    let near = data.bound - segment.size + 1;
    let value = match forge.random.below(3) {
        0 => near,
        1 => data.bound + 1,
        _ => most,
    };
    let table = segment_table(forge.base, &frame, segment.index)?;
    forge.assign(&table, "offset", value)
}

/// `value` gets the FlatBuffer's length and the old offset.
fn root(forge: &mut Forge<'_>, value: impl Fn(u64, u64) -> Option<u64>) -> Option<()> {
    let frame = *forge.random.pick(forge.base.frames())?;
    let was = forge.base.number(frame.start, 4);
    let value = value((frame.region_end - frame.start) as u64, was)?;
    forge.number(&frame.path(""), frame.start, 4, value)
}

/// `value` gets the table's position and the FlatBuffer's length.
fn vtable(forge: &mut Forge<'_>, value: impl Fn(i64, i64, &mut Random) -> Option<i64>) -> Option<()> {
    let base = forge.base;
    forge.set_any(base.all(PartKind::Table), |place, random| {
        value(place.local() as i64, base.region(&place.frame).len() as i64, random).map(i64::cast_unsigned)
    })
}

/// `value` gets the number of bytes up to the end of the FlatBuffer and the old length.
fn vtable_length(forge: &mut Forge<'_>, value: impl Fn(u64, u64, &mut Random) -> Option<u64>) -> Option<()> {
    let base = forge.base;
    let (place, value) = forge.any(base.all(PartKind::Vtable), |place, random| {
        let left = base.region(&place.frame).len().checked_sub(place.local())?;
        Some((*place, value(left as u64, base.number(place.at(), 2), random)?))
    })?;
    forge.number(&place.entry.path, place.at(), 2, value)
}

/// Moves a field of at least four bytes. `value` gets the table and the old offset from the table's start.
fn slot(forge: &mut Forge<'_>, value: impl Fn(&Base, &BasePart<'_>, u64, &mut Random) -> Option<u64>) -> Option<()> {
    let base = forge.base;
    let (place, slot, name, value) = forge.any(base.all(PartKind::Table), |place, random| {
        let table = base.table(place)?;
        let mut present = place.entry.owner?.fields.iter().filter(|field| field.kind.width() >= 4);
        let field = present.find(|field| table.field(field.slot).is_some())?;
        let at = place.frame.start + table.vtable() + 4 + 2 * usize::from(field.slot);
        Some((*place, at, field.name, value(base, place, base.number(at, 2), random)?))
    })?;
    forge.number(&super::base::join(&place.entry.path, name), slot, 2, value)
}

/// `value` gets the position of an offset and the length of the FlatBuffer.
fn reference(forge: &mut Forge<'_>, value: impl Fn(u64, u64, &mut Random) -> Option<u64>) -> Option<()> {
    let base = forge.base;
    let kind = if forge.random.one_in(2) { PartKind::Item } else { PartKind::Offset };
    forge.set_any(base.all(kind), |place, random| {
        value(place.local() as u64, base.region(&place.frame).len() as u64, random)
    })
}
