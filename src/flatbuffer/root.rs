//! The first bytes of a FlatBuffer: the root offset and the identifier.

use super::bytes::u32_at;
use super::fault::{Code, Failure};
use crate::Span;

/// The length in bytes of the root offset and the file identifier together.
pub(crate) const PREFIX_LEN: usize = 8;

/// Returns the file identifier's four bytes, or `None` if the buffer has fewer than 8 bytes.
#[must_use]
pub fn identifier(buffer: &[u8]) -> Option<[u8; 4]> {
    buffer.get(4..)?.first_chunk().copied()
}

/// Returns the root table's position, after checking that the table's first 4 bytes are inside the buffer.
pub(crate) fn root_position<E: Failure>(buffer: &[u8]) -> Result<usize, E> {
    let span = Span::of(0, 4);
    let Some(offset) = u32_at(buffer, 0) else {
        return Err(E::new(Code::RootOutOfBounds, span, 0, buffer.len() as u64));
    };
    let position = offset as usize;
    if position < PREFIX_LEN || position.checked_add(4).is_none_or(|end| end > buffer.len()) {
        return Err(E::new(Code::RootOutOfBounds, span, u64::from(offset), buffer.len() as u64));
    }
    Ok(position)
}
