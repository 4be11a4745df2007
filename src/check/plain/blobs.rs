//! Blobs with a known format: values of the `metadata.*` convention, and headers and roots of XNNPACK blobs.

use super::super::pte::xnnpack::{LENGTH, has_root};
use super::super::segments::ALIGNMENT;
use super::super::source::Bytes;
use super::require;
use crate::Span;
use crate::flatbuffer::{u16_at, u32_at, u64_at};
use crate::metadata::{ValueType, check_key, type_of};

/// Checks a key of the `metadata.*` convention and its value, which is at `place` in the file.
///
/// The parameter `left` is the number of bytes of text that the pass may still read.
#[cold]
pub(super) fn metadata(key: &[u8], place: Span, bytes: Bytes<'_>, left: &mut u64) -> Option<()> {
    require!(check_key(key).is_ok());
    let Some(ty) = type_of(key) else { return Some(()) };
    let value = place.slice(bytes.head)?;
    let tagged = value.first() == Some(&ty.tag());
    match ty {
        ValueType::Int => require!(value.len() == 8 || value.len() == 9 && tagged),
        ValueType::IntList => {
            require!(tagged);
            let count = u32::from_le_bytes(*value.get(1..)?.first_chunk()?);
            require!(place.len == 5 + 8 * u64::from(count));
        }
        ValueType::String => {
            require!(!tagged);
            *left = left.checked_sub(place.len)?;
            require!(value.is_ascii());
        }
        ValueType::Float | ValueType::Bytes => {}
    }
    Some(())
}

/// Checks the header and the root of the XNNPACK blob at `place` in the file.
#[cold]
pub(super) fn xnnpack(place: Span, bytes: Bytes<'_>) -> Option<()> {
    let mut header = [0; LENGTH as usize];
    require!(bytes.read(place.offset, &mut header));
    require!(header[4..8] == *b"XH00");
    let (length, size) = (u16_at(&header, 8)?, u32_at(&header, 14)?);
    let (start, constants) = (u64::from(u32_at(&header, 10)?), u64::from(u32_at(&header, 18)?));
    let end = start + u64::from(size);
    require!(place.len.checked_sub(constants).is_some_and(|left| u64_at(&header, 22).is_some_and(|size| size <= left)));
    require!(constants >= end);
    require!(length >= LENGTH);
    require!(start >= u64::from(length));
    require!(start.is_multiple_of(ALIGNMENT));
    require!(constants.is_multiple_of(ALIGNMENT));
    require!(has_root(Span::new(place.offset + start, size.into()), bytes));
    Some(())
}
