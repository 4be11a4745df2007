//! Truncation: files cut between parts, inside parts, or by one byte.

use super::attacks;
use super::base::Frame;
use super::forge::Forge;
use crate::FileKind;
use crate::rules::{flatbuffer, ptd_header, pte_header, segments};

attacks! {
    /// Truncate the file to fewer than 12 bytes.
    breaks "truncation/nothing-left": flatbuffer::FB_MIN_SIZE => |forge| {
        let len = forge.random.index(12);
        forge.truncate("", len)
    };
    /// Truncate a program inside its header.
    breaks "truncation/program-header": pte_header::EH_TRUNCATED => |forge| {
        let frame = whole(forge, &[FileKind::Pte])?;
        let length = forge.base.header(&frame, "length")?;
        let len = forge.random.within(12..=if length < 32 { 31 } else { 39 });
        cut(forge, "header", len)
    };
    /// Truncate a data file inside its header.
    breaks "truncation/data-header": ptd_header::FH_TRUNCATED => |forge| {
        forge.base.data_frame()?;
        let len = forge.random.within(12..=47);
        cut(forge, "header", len)
    };
    /// Truncate a program that has a header between two parts of its FlatBuffer.
    breaks "truncation/program-boundary": pte_header::EH_PROGRAM_SIZE_RANGE => |forge| {
        let frame = headed(forge)?;
        boundary(forge, 40, frame.region_end as u64, 0)
    };
    /// Truncate a program that has a header inside a part of its FlatBuffer.
    breaks "truncation/program-inside-part": pte_header::EH_PROGRAM_SIZE_RANGE => |forge| {
        let frame = headed(forge)?;
        let more = 1 + forge.random.below(3);
        boundary(forge, 40, frame.region_end as u64, more)
    };
    /// Truncate a program that has a header, one byte before the end of its FlatBuffer.
    breaks "truncation/program-one-byte": pte_header::EH_PROGRAM_SIZE_RANGE => |forge| {
        let frame = headed(forge).filter(|frame| frame.region_end > 40)?;
        cut(forge, "", frame.region_end as u64 - 1)
    };
    /// Truncate a program between its FlatBuffer and its segments.
    breaks "truncation/program-gap": pte_header::EH_BASE_LE_FILE => |forge| {
        let frame = headed(forge)?;
        let base = forge.base.header(&frame, "segment_base_offset")?;
        let first = frame.region_end as u64;
        let len = (first < base).then(|| forge.random.within(first..=base - 1))?;
        cut(forge, "", len)
    };
    /// Truncate a program inside its segments, often by a single byte.
    breaks "truncation/program-segments": pte_header::EH_SUM_LE_FILE => |forge| {
        let frame = headed(forge)?;
        let size = forge.base.header(&frame, "segment_data_size").filter(|size| *size > 0)?;
        let base = forge.base.header(&frame, "segment_base_offset").filter(|base| *base > 0)?;
        inside_data(forge, base, size)
    };
    /// Truncate the segments of a program whose header has no `segment_data_size`.
    breaks "truncation/program-segments-of-unknown-size": segments::SEG_WITHIN_DATA => |forge| {
        let frame = headed(forge)?;
        if forge.base.header(&frame, "segment_data_size").is_some_and(|size| size > 0) {
            return None;
        }
        let data = forge.base.data(&frame).filter(|data| data.base > 0)?;
        let end = forge.base.segments(&frame).iter().map(|segment| segment.offset + segment.size).max()?;
        let len = (end > 0).then(|| data.base + forge.random.below(end))?;
        cut(forge, "", len)
    };
    /// Truncate a data file inside its FlatBuffer, between two parts or inside a part.
    breaks "truncation/data-flatbuffer": ptd_header::FH_FB_SUM => |forge| {
        let frame = forge.base.data_frame()?;
        let more = forge.random.below(4);
        boundary(forge, 48, frame.region_end as u64, more)
    };
    /// Truncate a data file inside its segments, often by a single byte.
    breaks "truncation/data-segments": ptd_header::FH_BASE_DATA_SUM => |forge| {
        let frame = forge.base.data_frame()?;
        let size = forge.base.header(&frame, "segment_data_size").filter(|size| *size > 0)?;
        let base = forge.base.header(&frame, "segment_base_offset")?;
        inside_data(forge, base, size)
    };
    /// Truncate a file that has no header: between two parts, inside a part, or by one byte.
    unknown "truncation/flatbuffer" => |forge| {
        let frame = whole(forge, &[FileKind::Pte, FileKind::Bpte])?;
        if forge.base.header(&frame, "length").is_some() {
            return None;
        }
        match forge.random.below(3) {
            0 => cut(forge, "", (frame.end as u64).checked_sub(1)?),
            more => boundary(forge, 12, frame.end as u64, 2 * (more - 1)),
        }
    };
}

fn whole(forge: &Forge<'_>, kinds: &[FileKind]) -> Option<Frame> {
    forge.whole().filter(|frame| kinds.contains(&frame.kind))
}

/// Returns the frame if the whole file is a program with a header.
fn headed(forge: &Forge<'_>) -> Option<Frame> {
    let frame = whole(forge, &[FileKind::Pte])?;
    forge.base.header(&frame, "length").map(|_| frame)
}

/// Removes only the last byte in one of three cases, and more in the others.
fn inside_data(forge: &mut Forge<'_>, base: u64, size: u64) -> Option<()> {
    let kept = if forge.random.one_in(3) { size - 1 } else { forge.random.below(size) };
    cut(forge, "", base.checked_add(kept)?)
}

fn cut(forge: &mut Forge<'_>, path: &str, len: u64) -> Option<()> {
    forge.truncate(path, usize::try_from(len).ok()?)
}

/// Cuts the file at a random part between `first` and `end`, but keeps the first `more` bytes of the part.
fn boundary(forge: &mut Forge<'_>, first: u64, end: u64, more: u64) -> Option<()> {
    let parts = forge.base.entries();
    let start = parts.partition_point(|entry| entry.span.offset < first);
    let stop = parts.partition_point(|entry| entry.span.offset + more < end);
    let chosen = start + forge.random.index(stop.checked_sub(start)?);
    let entry = parts.get(chosen).filter(|entry| entry.span.offset + more < end)?;
    let (path, len) = (entry.path.clone(), entry.span.offset + more);
    cut(forge, &path, len)
}
