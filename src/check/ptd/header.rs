//! Checks whether the values in a data file's header agree with each other and with the file's length.

use crate::flatbuffer::walk::{Path, Stop};
use crate::ptd::FlatTensorHeader;
use crate::rules::ptd_header as rules;
use crate::{Error, ErrorCode, FileBytes, Span};

use super::super::Target;
use super::super::finding::Reporter;
use super::super::segments::ALIGNMENT;

pub(super) struct CheckedFlatTensorHeader {
    pub(super) header: FlatTensorHeader,
    /// Where the FlatBuffer ends in the file.
    pub(super) end: u64,
    /// `true` if the header gives a usable position for the segment data.
    pub(super) data_known: bool,
}

/// Checks the header, which begins at byte 8 of the file. Returns `None` if the FlatBuffer's end remains unknown.
#[inline(never)]
pub(super) fn check(
    file_bytes: FileBytes<'_>,
    target: Target,
    reporter: &mut impl Reporter,
) -> Result<Option<CheckedFlatTensorHeader>, Stop> {
    let path = &Path::ROOT.field("header");
    let len = file_bytes.len();
    let magic = &path.field("magic");
    match FlatTensorHeader::find(file_bytes.bytes()) {
        Err(Error { code: ErrorCode::Magic(rule), have, .. }) => {
            let found = have.to_le_bytes();
            let found = found[..4].escape_ascii();
            if rule == rules::FH_REQUIRED.id {
                let message = format_args!("header magic is \"{found}\", expected \"FH01\"");
                reporter.report(&rules::FH_REQUIRED, magic, FlatTensorHeader::MAGIC_SPAN, message)?;
            } else {
                let message = format_args!("header magic is \"{found}\" of another version, expected \"FH01\"");
                reporter.report(&rules::FH_MAGIC_EXACT, magic, FlatTensorHeader::MAGIC_SPAN, message)?;
            }
            Ok(None)
        }
        Err(Error { bound: needed, .. }) => {
            let message = format_args!("header ends at {needed}, past the end of the file at {len}");
            reporter.report(&rules::FH_TRUNCATED, path, Span::new(len, 0), message)?;
            Ok(None)
        }
        Ok(header) => {
            let Some(end) = check_size(header, len, path, reporter)? else { return Ok(None) };
            let data_known = check_data(header, end, len, path, reporter)?;
            let data_end = header.segment_base_offset.saturating_add(header.segment_data_size);
            if data_known && target == Target::Bits32 && data_end > u64::from(u32::MAX) {
                let message = format_args!("segments end at {data_end}, which does not fit in 32 bits");
                let both = Span::new(FlatTensorHeader::SEGMENT_BASE_OFFSET_SPAN.offset, 16);
                reporter.report(&rules::FH_TARGET_32, &path.field("segment_data_size"), both, message)?;
            }
            Ok(Some(CheckedFlatTensorHeader { header, end, data_known }))
        }
    }
}

/// Checks the header's length and where it says that the FlatBuffer ends. Returns that end if it is usable.
fn check_size(
    header: FlatTensorHeader,
    len: u64,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Result<Option<u64>, Stop> {
    let FlatTensorHeader { length, flatbuffer_offset: offset, flatbuffer_size: size, .. } = header;
    if length < FlatTensorHeader::MIN_LENGTH {
        let message = format_args!("header length is {length}, expected at least {}", FlatTensorHeader::MIN_LENGTH);
        reporter.report(&rules::FH_LENGTH, &path.field("length"), FlatTensorHeader::LENGTH_SPAN, message)?;
        return Ok(None);
    }
    if length > FlatTensorHeader::MIN_LENGTH {
        let message = format_args!("header length is {length}, expected {}", FlatTensorHeader::MIN_LENGTH);
        reporter.report(&rules::FH_LENGTH_FIXED, &path.field("length"), FlatTensorHeader::LENGTH_SPAN, message)?;
    }
    let both = Span::new(FlatTensorHeader::FLATBUFFER_OFFSET_SPAN.offset, 16);
    let sum = &path.field("flatbuffer_size");
    let Some(end) = header.flatbuffer_end() else {
        let message = format_args!("flatbuffer_offset {offset} + flatbuffer_size {size} does not fit in 64 bits");
        reporter.report(&rules::FH_FB_SUM, sum, both, message)?;
        return Ok(None);
    };
    if !(12..=len).contains(&end) {
        let message = format_args!(
            "flatbuffer_offset {offset} + flatbuffer_size {size} is {end}, expected 12 to the end of the file at {len}"
        );
        reporter.report(&rules::FH_FB_SUM, sum, both, message)?;
        return Ok(None);
    }
    if offset < u64::from(FlatTensorHeader::MIN_LENGTH) || !offset.is_multiple_of(8) {
        let least = FlatTensorHeader::MIN_LENGTH;
        let message = format_args!("flatbuffer_offset is {offset}, expected a multiple of 8, at least {least}");
        let path = &path.field("flatbuffer_offset");
        reporter.report(&rules::FH_FB_OFFSET_PADDED, path, FlatTensorHeader::FLATBUFFER_OFFSET_SPAN, message)?;
    }
    Ok(Some(end))
}

/// Checks where the header puts the segment data, with one finding per wrong value. Returns whether the position is
/// usable.
fn check_data(
    header: FlatTensorHeader,
    end: u64,
    len: u64,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Result<bool, Stop> {
    let FlatTensorHeader { segment_base_offset: base, segment_data_size: size, .. } = header;
    let both = Span::new(FlatTensorHeader::SEGMENT_BASE_OFFSET_SPAN.offset, 16);
    let (base_path, size_path) = (&path.field("segment_base_offset"), &path.field("segment_data_size"));
    match base.checked_add(size) {
        None => {
            let message = format_args!("segment_base_offset {base} + segment_data_size {size} does not fit in 64 bits");
            return reporter.report(&rules::FH_BASE_DATA_SUM, size_path, both, message).map(|()| false);
        }
        Some(end) if end > len => {
            let message = format_args!("segment data ends at {end}, past the end of the file at {len}");
            return reporter.report(&rules::FH_BASE_DATA_SUM, size_path, both, message).map(|()| false);
        }
        Some(_) => {}
    }
    if base < end && (base != 0 || size != 0) {
        let message =
            format_args!("segment_base_offset is {base}, expected at least the end of the FlatBuffer at {end}");
        return reporter
            .report(&rules::FH_BASE_GE_FB, base_path, FlatTensorHeader::SEGMENT_BASE_OFFSET_SPAN, message)
            .map(|()| false);
    }
    if size == 0 && base != 0 {
        let message = format_args!("segment_base_offset is {base} without segment data; writers differ here");
        reporter.report(&rules::FH_EMPTY, size_path, FlatTensorHeader::SEGMENT_DATA_SIZE_SPAN, message)?;
    }
    if !base.is_multiple_of(ALIGNMENT) {
        let message = format_args!("segment_base_offset is {base}, expected a multiple of {ALIGNMENT}");
        reporter.report(&rules::FH_BASE_ALIGNED, base_path, FlatTensorHeader::SEGMENT_BASE_OFFSET_SPAN, message)?;
    }
    Ok(true)
}
