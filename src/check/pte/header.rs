//! Checks whether the values in the extended header agree with each other and with the file's length.

use crate::flatbuffer::walk::{Path, Stop};
use crate::pte::ExtendedHeader;
use crate::rules::pte_header as rules;
use crate::{Error, ErrorCode, FileBytes, Span};

use super::super::Target;
use super::super::finding::Reporter;
use super::super::segments::ALIGNMENT;

pub(super) struct CheckedExtendedHeader {
    pub(super) header: Option<ExtendedHeader>,
    /// `true` if the header gives a usable position for the segment data.
    pub(super) data_known: bool,
}

/// Checks the extended header, which begins at byte 8 of the file. Returns `None` if the FlatBuffer's end remains
/// unknown.
#[inline(never)]
pub(super) fn check(
    file_bytes: FileBytes<'_>,
    target: Target,
    reporter: &mut impl Reporter,
) -> Result<Option<CheckedExtendedHeader>, Stop> {
    let path = &Path::ROOT.field("header");
    let len = file_bytes.len();
    match ExtendedHeader::find(file_bytes.bytes()) {
        Ok(None) => Ok(Some(CheckedExtendedHeader { header: None, data_known: true })),
        Err(Error { code: ErrorCode::Magic(_), have, .. }) => {
            let magic = have.to_le_bytes();
            let message =
                format_args!("header magic is \"{}\" of another version, expected \"eh00\"", magic[..4].escape_ascii());
            reporter.report(&rules::EH_MAGIC_EXACT, &path.field("magic"), ExtendedHeader::MAGIC_SPAN, message)?;
            Ok(None)
        }
        Err(Error { bound: needed, .. }) => {
            let message = format_args!("header ends at {needed}, past the end of the file at {len}");
            reporter.report(&rules::EH_TRUNCATED, path, Span::new(len, 0), message)?;
            Ok(None)
        }
        Ok(Some(header)) => {
            if len < 40 {
                let message = format_args!(
                    "found {len} bytes, expected at least 40; the Python reader finds no header in a shorter file"
                );
                reporter.report(&rules::EH_PY_NEEDS_40, path, Span::new(len, 0), message)?;
            }
            if !check_size(header, len, path, reporter)? {
                return Ok(None);
            }
            let data_known = check_data(header, len, path, reporter)?;
            if data_known && target == Target::Bits32 {
                let ExtendedHeader { segment_base_offset: base, segment_data_size, .. } = header;
                check_end(base.saturating_add(segment_data_size.unwrap_or(0)), path, reporter)?;
            }
            Ok(Some(CheckedExtendedHeader { header: Some(header), data_known }))
        }
    }
}

/// Checks that `end`, where the segments end, fits in a 32-bit host's size type.
pub(super) fn check_end(end: u64, path: &Path<'_>, reporter: &mut impl Reporter) -> Result<(), Stop> {
    if end > u64::from(u32::MAX) {
        let message = format_args!("segments end at {end}, which does not fit in 32 bits");
        let path = &path.field("segment_base_offset");
        return reporter.report(&rules::EH_TARGET_32, path, ExtendedHeader::SEGMENT_BASE_OFFSET_SPAN, message);
    }
    Ok(())
}

/// Checks the header's length and `program_size`. Returns whether `program_size` is usable.
fn check_size(header: ExtendedHeader, len: u64, path: &Path<'_>, reporter: &mut impl Reporter) -> Result<bool, Stop> {
    let ExtendedHeader { length, program_size, .. } = header;
    if length < ExtendedHeader::MIN_LENGTH {
        let message = format_args!("header length is {length}, expected at least {}", ExtendedHeader::MIN_LENGTH);
        reporter.report(&rules::EH_LENGTH_MIN, &path.field("length"), ExtendedHeader::LENGTH_SPAN, message)?;
        return Ok(false);
    }
    if (ExtendedHeader::MIN_LENGTH + 1..ExtendedHeader::LENGTH_WITH_DATA_SIZE).contains(&length) {
        let message = format_args!(
            "header length is {length}, expected 24 or at least 32; readers disagree about segment_data_size"
        );
        reporter.report(&rules::EH_LENGTH_DATA_SIZE, &path.field("length"), ExtendedHeader::LENGTH_SPAN, message)?;
    }
    let path = &path.field("program_size");
    let header_end = ExtendedHeader::OFFSET + u64::from(ExtendedHeader::MIN_LENGTH);
    if program_size < 8 || program_size > len {
        let message = format_args!("program_size is {program_size}, expected 8 to the file's {len} bytes");
        reporter.report(&rules::EH_PROGRAM_SIZE_RANGE, path, ExtendedHeader::PROGRAM_SIZE_SPAN, message)?;
        return Ok(false);
    }
    if program_size < header_end {
        let message =
            format_args!("program_size is {program_size}, expected at least {header_end}, the end of the header");
        reporter.report(&rules::EH_PROGRAM_SIZE_INCLUDES_HEADER, path, ExtendedHeader::PROGRAM_SIZE_SPAN, message)?;
        return Ok(false);
    }
    Ok(true)
}

/// Checks where the header puts the segment data, with one finding per wrong value. Returns whether the position is
/// usable.
fn check_data(header: ExtendedHeader, len: u64, path: &Path<'_>, reporter: &mut impl Reporter) -> Result<bool, Stop> {
    let ExtendedHeader { program_size, segment_base_offset: base, segment_data_size, .. } = header;
    let (base_path, size_path) = (&path.field("segment_base_offset"), &path.field("segment_data_size"));
    let size = segment_data_size.unwrap_or(0);
    if base == 0 {
        if size > 0 {
            let message = format_args!("segment_data_size is {size}, but segment_base_offset is 0");
            reporter.report(
                &rules::EH_DSIZE_WITHOUT_BASE,
                size_path,
                ExtendedHeader::SEGMENT_DATA_SIZE_SPAN,
                message,
            )?;
        }
        return Ok(true);
    }
    if base < program_size {
        let message =
            format_args!("segment_base_offset is {base}, expected at least the end of the program at {program_size}");
        return reporter
            .report(&rules::EH_BASE_GE_PROGRAM, base_path, ExtendedHeader::SEGMENT_BASE_OFFSET_SPAN, message)
            .map(|()| false);
    }
    match base.checked_add(size) {
        None => {
            let both = Span::new(ExtendedHeader::SEGMENT_BASE_OFFSET_SPAN.offset, 16);
            let message = format_args!("segment_base_offset {base} + segment_data_size {size} does not fit in 64 bits");
            return reporter.report(&rules::EH_SUM_NO_OVERFLOW, base_path, both, message).map(|()| false);
        }
        Some(_) if base > len => {
            let message = format_args!("segment_base_offset is {base}, past the end of the file at {len}");
            return reporter
                .report(&rules::EH_BASE_LE_FILE, base_path, ExtendedHeader::SEGMENT_BASE_OFFSET_SPAN, message)
                .map(|()| false);
        }
        Some(end) if end > len => {
            let message = format_args!("segment data ends at {end}, past the end of the file at {len}");
            return reporter
                .report(&rules::EH_SUM_LE_FILE, size_path, ExtendedHeader::SEGMENT_DATA_SIZE_SPAN, message)
                .map(|()| false);
        }
        Some(_) => {}
    }
    if segment_data_size == Some(0) {
        let message = format_args!("segment_data_size is 0, but segment_base_offset is {base}");
        reporter.report(&rules::EH_DSIZE_ZERO, size_path, ExtendedHeader::SEGMENT_DATA_SIZE_SPAN, message)?;
    }
    if !base.is_multiple_of(ALIGNMENT) {
        let message = format_args!("segment_base_offset is {base}, expected a multiple of {ALIGNMENT}");
        reporter.report(&rules::EH_BASE_ALIGNED, base_path, ExtendedHeader::SEGMENT_BASE_OFFSET_SPAN, message)?;
    }
    Ok(true)
}
