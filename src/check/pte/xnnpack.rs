//! Checks of the header of XNNPACK blobs. The checks do not cover the graph and the constants after the header.

use crate::Span;
use crate::flatbuffer::walk::{Flow, Path};
use crate::rules::delegates as rules;

use super::super::finding::Reporter;
use super::super::segments::ALIGNMENT;
use super::super::source::Bytes;

/// The `id` of delegates whose blob has this header.
pub(super) const BACKEND: &[u8] = b"XnnpackBackend";

/// The length of the header, which is also the minimum length of a blob.
const LENGTH: u16 = 30;

/// The minimum size of the FlatBuffer: the root offset and the identifier.
const LEAST: u32 = 8;

/// Checks the blob at the span `blob` of the file.
#[cold]
pub(super) fn check(blob: Span, bytes: Bytes<'_>, path: &Path<'_>, reporter: &mut Reporter<'_>) -> Flow {
    let field = |offset, len| Span::new(blob.offset + offset, len);
    if blob.len < u64::from(LENGTH) {
        let message = format_args!("blob has {} bytes, expected at least {LENGTH}", blob.len);
        return reporter.report(&rules::DEL_XNN_SIZE, path, blob, message);
    }
    let mut header = [0; LENGTH as usize];
    if !bytes.read(blob.offset, &mut header) {
        return Ok(());
    }
    let [_, _, _, _, magic @ .., a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, d4, d5, d6, d7] =
        header;
    let [magic @ .., length0, length1] = magic;
    match &magic {
        b"XH00" => {}
        // The blob of an older exporter is only the FlatBuffer.
        b"XN00" | b"XN01" => return Ok(()),
        other => {
            let message = format_args!("magic is \"{}\", expected \"XH00\"", other.escape_ascii());
            return reporter.report(&rules::DEL_XNN_MAGIC, path, field(4, 4), message);
        }
    }
    let length = u16::from_le_bytes([length0, length1]);
    let (start, size) = (u32::from_le_bytes([a0, a1, a2, a3]), u32::from_le_bytes([b0, b1, b2, b3]));
    let constants = u32::from_le_bytes([c0, c1, c2, c3]);
    let constants_size = u64::from_le_bytes([d0, d1, d2, d3, d4, d5, d6, d7]);
    let end = u64::from(start) + u64::from(size);
    if size < LEAST {
        let message = format_args!("flatbuffer_size is {size}, expected at least {LEAST}");
        return reporter.report(&rules::DEL_XNN_FLATBUFFER, path, field(14, 4), message);
    }
    if end > blob.len {
        let message = format_args!(
            "flatbuffer_offset {start} + flatbuffer_size {size} exceeds the {} bytes of the blob",
            blob.len
        );
        return reporter.report(&rules::DEL_XNN_FLATBUFFER, path, field(10, 8), message);
    }
    if blob.len.checked_sub(constants.into()).is_none_or(|left| constants_size > left) {
        let message = format_args!(
            "constant_data_offset {constants} + constant_data_size {constants_size} exceeds the {} bytes of the blob",
            blob.len
        );
        return reporter.report(&rules::DEL_XNN_CONSTANTS, path, field(18, 12), message);
    }
    if u64::from(constants) < end {
        let message = format_args!("constant_data_offset is {constants}, before the end of the FlatBuffer at {end}");
        return reporter.report(&rules::DEL_XNN_NO_OVERLAP, path, field(18, 4), message);
    }
    if length < LENGTH {
        let message = format_args!("header length is {length}, expected at least {LENGTH}");
        return reporter.report(&rules::DEL_XNN_LENGTH, path, field(8, 2), message);
    }
    let aligned = |offset: u32| u64::from(offset).is_multiple_of(ALIGNMENT);
    if start < length.into() || !aligned(start) || !aligned(constants) {
        let message = format_args!(
            "flatbuffer_offset is {start} and constant_data_offset is {constants}, expected multiples of {ALIGNMENT} \
                after the header of {length} bytes"
        );
        return reporter.report(&rules::DEL_XNN_PLACEMENT, path, field(10, 12), message);
    }
    Ok(())
}
