//! Overlap: segments that overlap each other, the program or the header.

use alloc::vec::Vec;

use super::attacks;
use super::base::{Base, Frame, FrameOf, SegmentEntry};
use super::forge::Forge;
use super::offsets::{segment_table, with_bytes};
use crate::rules::{flat_tensor, ptd_header, pte_header, segments};

attacks! {
    /// Move the start of a program's segment into another segment.
    breaks "overlap/program-segments": segments::SEG_NO_OVERLAP => |forge| move_into(forge, Base::program_frame);
    /// Extend a program's segment into the next segment.
    breaks "overlap/program-segment-grown": segments::SEG_NO_OVERLAP => |forge| grow_into(forge, Base::program_frame);
    /// Move the start of a data file's segment into another segment.
    breaks "overlap/data-segments": flat_tensor::FT_SEG_NO_OVERLAP => |forge| move_into(forge, Base::data_frame);
    /// Extend a data file's segment into the next segment.
    breaks "overlap/data-segment-grown": flat_tensor::FT_SEG_NO_OVERLAP => |forge| grow_into(forge, Base::data_frame);
    /// Move a program's segment base into the last bytes of its FlatBuffer.
    breaks "overlap/program-end": pte_header::EH_BASE_GE_PROGRAM => |forge| {
        let (frame, _) = with_bytes(forge, Base::program_frame)?;
        let value = (frame.region_end - frame.start) as u64;
        let value = value.checked_sub(1 + forge.random.below(16))?;
        forge.header(&frame, "segment_base_offset", value)
    };
    /// Move a program's segment base into its header.
    breaks "overlap/program-header": pte_header::EH_BASE_GE_PROGRAM => |forge| {
        let (frame, _) = with_bytes(forge, Base::program_frame)?;
        let value = forge.random.within(8..=31);
        forge.header(&frame, "segment_base_offset", value)
    };
    /// Move a data file's segment base into its header.
    breaks "overlap/data-header": ptd_header::FH_BASE_GE_FB => |forge| {
        let (frame, _) = with_bytes(forge, Base::data_frame)?;
        let value = forge.random.within(8..=47);
        forge.header(&frame, "segment_base_offset", value)
    };
    /// Set `program_size` so that the program includes a segment.
    breaks "overlap/program-covers-segments": pte_header::EH_BASE_GE_PROGRAM => |forge| {
        let (frame, segment) = with_bytes(forge, Base::program_frame)?;
        let base = forge.base.header(&frame, "segment_base_offset")?;
        forge.header(&frame, "program_size", base + segment.offset + segment.size)
    };
    /// Move an empty segment next to or into a nonempty segment; empty segments overlap nothing.
    preserves "overlap/empty-neighbor" => |forge| {
        let (frame, other) = with_bytes(forge, |base| base.data_frame().or_else(|| base.program_frame()))?;
        let empty: Vec<SegmentEntry> =
            forge.base.segments(&frame).into_iter().filter(|segment| segment.size == 0).collect();
        let segment = *forge.random.pick(&empty)?;
        let value = other.offset + [0, other.size, other.size / 2][forge.random.index(3)];
        let table = segment_table(forge.base, &frame, segment.index)?;
        forge.assign(&table, "offset", value)
    };
}

/// Returns two nonempty segments and the end of the data. The second segment also fits at the first one's offset.
fn pair(forge: &mut Forge<'_>, frame: &Frame) -> Option<(SegmentEntry, SegmentEntry, u64)> {
    let data = forge.base.data(frame).filter(|data| data.base > 0)?;
    let sized: Vec<SegmentEntry> = forge.base.segments(frame).into_iter().filter(|segment| segment.size > 0).collect();
    let first = *forge.random.pick(&sized)?;
    let rest: Vec<SegmentEntry> = sized.into_iter().filter(|second| second.index != first.index).collect();
    let second = *forge.random.pick(&rest)?;
    let fits = |second: &SegmentEntry| first.offset + second.size <= data.bound;
    let second = if fits(&second) { second } else { *rest.iter().find(|second| fits(second))? };
    Some((first, second, data.bound))
}

fn move_into(forge: &mut Forge<'_>, frame: FrameOf) -> Option<()> {
    let frame = frame(forge.base)?;
    let (first, second, bound) = pair(forge, &frame)?;
    let most = (first.size - 1).min(bound - first.offset - second.size);
    let more = if forge.random.one_in(3) { 0 } else { forge.random.within(0..=most) };
    let table = segment_table(forge.base, &frame, second.index)?;
    forge.assign(&table, "offset", first.offset + more)
}

fn grow_into(forge: &mut Forge<'_>, frame: FrameOf) -> Option<()> {
    let frame = frame(forge.base)?;
    let (one, other, bound) = pair(forge, &frame)?;
    let (first, second) = if one.offset < other.offset { (one, other) } else { (other, one) };
    let least = second.offset.checked_sub(first.offset)? + 1;
    let size = forge.random.within(least..=bound.checked_sub(first.offset)?);
    let table = segment_table(forge.base, &frame, first.index)?;
    forge.assign(&table, "size", size)
}
