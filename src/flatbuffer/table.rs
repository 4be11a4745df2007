//! Views of tables and strings that check each access.

use core::fmt;

use super::bytes::{i32_at, u16_at, u32_at};
use super::fault::{Code, Failure, Fault};
use super::root::root_position;
use crate::Span;
use crate::excerpt::Excerpt;

/// Offsets and vector lengths must be below this, because FlatBuffers uses 31 bits.
pub(crate) const OFFSET_LIMIT: u32 = 1 << 31;

/// A view of a table: the positions of the table and its vtable in a buffer.
///
/// A `Table` is `Copy` and borrows only the buffer.
#[derive(Clone, Copy)]
pub struct Table<'a> {
    buffer: &'a [u8],
    position: usize,
    vtable: usize,
    slots: u16,
}

#[cfg(all(test, feature = "std"))]
std::thread_local! {
    /// How many tables the thread has opened. Tests use this number to measure work.
    pub(crate) static OPENED: core::cell::Cell<usize> = const { core::cell::Cell::new(0) };
}

impl<'a> Table<'a> {
    /// Opens the table at the root offset of a FlatBuffer.
    ///
    /// # Errors
    ///
    /// Returns [`Code::RootOutOfBounds`] if the root offset points into the first 8 bytes or past the end of the
    /// buffer, and otherwise the errors of [`Table::at`].
    #[inline]
    pub fn root(buffer: &'a [u8]) -> Result<Self, Fault> {
        Self::open_root(buffer)
    }

    pub(crate) fn open_root<E: Failure>(buffer: &'a [u8]) -> Result<Self, E> {
        Self::open(buffer, root_position(buffer)?)
    }

    /// Opens the table at `position`.
    ///
    /// # Errors
    ///
    /// Returns [`Code::TableMisaligned`] or one of the vtable codes. Fields are checked when they are read.
    #[inline]
    pub fn at(buffer: &'a [u8], position: usize) -> Result<Self, Fault> {
        Self::open(buffer, position)
    }

    pub(crate) fn open<E: Failure>(buffer: &'a [u8], position: usize) -> Result<Self, E> {
        #[cfg(all(test, feature = "std"))]
        OPENED.set(OPENED.get() + 1);
        if !position.is_multiple_of(4) {
            return Err(E::new(Code::TableMisaligned, Span::of(position, 4), position as u64, 4));
        }
        let vtable = vtable_position(buffer, position)?;
        let slots = vtable_slots(buffer, vtable)?;
        Ok(Self { buffer, position, vtable, slots })
    }

    /// Follows the uoffset at `at` and opens the table there.
    ///
    /// # Errors
    ///
    /// Returns the offset's fault, or the errors of [`Table::at`].
    pub fn follow(buffer: &'a [u8], at: usize) -> Result<Self, Fault> {
        Self::open_target(buffer, at)
    }

    #[cfg_attr(target_os = "none", inline(never))]
    pub(crate) fn open_target<E: Failure>(buffer: &'a [u8], at: usize) -> Result<Self, E> {
        Self::open(buffer, uoffset(buffer, at)?)
    }

    /// Opens the table that the field in `slot` leads to. All table types share this code.
    #[cfg_attr(target_os = "none", inline(never))]
    pub(crate) fn child<E: Failure>(self, slot: u16) -> Result<Option<Self>, E> {
        self.field(slot).map(|at| Self::open_target(self.buffer, at)).transpose()
    }

    /// Creates a view of a table whose vtable the verification pass has checked.
    pub(crate) fn checked(buffer: &'a [u8], position: usize, vtable: usize, slots: u16) -> Self {
        Self { buffer, position, vtable, slots }
    }

    /// The buffer that contains the table.
    #[must_use]
    pub fn buffer(self) -> &'a [u8] {
        self.buffer
    }

    /// The table's position in the buffer.
    #[must_use]
    pub fn position(self) -> usize {
        self.position
    }

    /// The vtable's position in the buffer.
    #[must_use]
    pub fn vtable(self) -> usize {
        self.vtable
    }

    /// The number of slots in the vtable. Fields beyond these slots are absent.
    #[must_use]
    pub fn slots(self) -> u16 {
        self.slots
    }

    /// Returns where the field in `slot` is, or `None` if it is absent.
    #[inline]
    #[must_use]
    pub fn field(self, slot: u16) -> Option<usize> {
        if slot >= self.slots {
            return None;
        }
        match u16_at(self.buffer, self.vtable + 4 + 2 * usize::from(slot)) {
            None | Some(0) => None,
            Some(offset) => self.position.checked_add(usize::from(offset)),
        }
    }

    /// Returns where the field in `slot` is, as a span, or `None` if it is absent.
    ///
    /// `width` is the length of the field in bytes.
    #[must_use]
    pub fn field_span(self, slot: u16, width: usize) -> Option<Span> {
        self.field(slot).map(|at| Span::of(at, width))
    }

    /// Returns the span of the object, cut off at the end of the buffer.
    ///
    /// The object consists of the table's inline bytes; the vtable contains their number.
    #[must_use]
    pub fn span(self) -> Span {
        let len = u16_at(self.buffer, self.vtable + 2).map_or(4, usize::from);
        Span::of(self.position, len.min(self.buffer.len() - self.position))
    }
}

impl fmt::Debug for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table")
            .field("position", &self.position)
            .field("vtable", &self.vtable)
            .field("slots", &self.slots)
            .finish_non_exhaustive()
    }
}

#[inline]
pub(crate) fn vtable_position<E: Failure>(buffer: &[u8], position: usize) -> Result<usize, E> {
    let span = Span::of(position, 4);
    let Some(back) = i32_at(buffer, position) else {
        return Err(E::new(Code::FieldPastEnd, span, span.end(), buffer.len() as u64));
    };
    let target = (position as i64) - i64::from(back);
    match usize::try_from(target) {
        Ok(vtable) if vtable.checked_add(4).is_some_and(|end| end <= buffer.len()) => {
            if vtable.is_multiple_of(2) {
                Ok(vtable)
            } else {
                Err(E::new(Code::VtableMisaligned, span, vtable as u64, 2))
            }
        }
        _ => Err(E::new(Code::VtableOutOfBounds, span, target.cast_unsigned(), buffer.len() as u64)),
    }
}

/// Returns how many slots a vtable has. `vtable` must be a position that [`vtable_position`] returned.
#[inline]
pub(crate) fn vtable_slots<E: Failure>(buffer: &[u8], vtable: usize) -> Result<u16, E> {
    let span = Span::of(vtable, 2);
    let len = u16_at(buffer, vtable).unwrap_or(0);
    let end = vtable + usize::from(len);
    if len < 4 {
        Err(E::new(Code::VtableTooShort, span, u64::from(len), 4))
    } else if !len.is_multiple_of(2) {
        Err(E::new(Code::VtableOddLength, span, u64::from(len), 2))
    } else if end > buffer.len() {
        Err(E::new(Code::VtablePastEnd, span, end as u64, buffer.len() as u64))
    } else {
        Ok((len - 4) / 2)
    }
}

/// Returns where the uoffset stored at `at` leads, after checking that the buffer has at least 4 bytes there.
#[inline]
pub(crate) fn uoffset<E: Failure>(buffer: &[u8], at: usize) -> Result<usize, E> {
    if !at.is_multiple_of(4) {
        return Err(E::new(Code::Misaligned, Span::of(at, 4), at as u64, 4));
    }
    aligned_uoffset(buffer, at)
}

/// Like [`uoffset`], but `at` must be a multiple of 4.
#[inline]
pub(crate) fn aligned_uoffset<E: Failure>(buffer: &[u8], at: usize) -> Result<usize, E> {
    let offset = u32_at(buffer, at).unwrap_or(0);
    let target = at as u64 + u64::from(offset);
    // A single comparison rejects both 0 and values with more than 31 bits.
    if offset.wrapping_sub(1) < OFFSET_LIMIT - 1 && target + 4 <= buffer.len() as u64 {
        #[allow(clippy::cast_possible_truncation, reason = "it is below the length of a slice")]
        Ok(target as usize)
    } else {
        Err(bad_uoffset(buffer, at, target))
    }
}

#[cold]
fn bad_uoffset<E: Failure>(buffer: &[u8], at: usize, target: u64) -> E {
    let (span, len) = (Span::inside(at, 4, buffer), buffer.len() as u64);
    match u32_at(buffer, at) {
        None => E::new(Code::FieldPastEnd, span, Span::of(at, 4).end(), len),
        Some(0) => E::new(Code::NullOffset, span, 0, 1),
        Some(offset) if offset >= OFFSET_LIMIT => {
            E::new(Code::OffsetTooLarge, span, u64::from(offset), u64::from(OFFSET_LIMIT))
        }
        Some(_) => E::new(Code::OffsetPastEnd, span, target, len),
    }
}

/// Returns the position of the first element of the vector at `position`, and the number of `width`-byte elements.
#[inline]
pub(crate) fn vector<E: Failure>(buffer: &[u8], position: usize, width: usize) -> Result<(usize, usize), E> {
    let span = Span::of(position, 4);
    if !position.is_multiple_of(4) {
        return Err(E::new(Code::Misaligned, span, position as u64, 4));
    }
    let count = u32_at(buffer, position).unwrap_or(u32::MAX);
    let first = position + 4;
    let left = buffer.len().saturating_sub(first);
    let bytes = u64::from(count) * width as u64;
    if count >= OFFSET_LIMIT || bytes > left as u64 {
        return Err(E::new(Code::VectorPastEnd, span, u64::from(count), left as u64));
    }
    if count > 0 && !first.is_multiple_of(width) {
        return Err(E::new(Code::Misaligned, Span::of(first, width), first as u64, width as u64));
    }
    Ok((first, count as usize))
}

/// Opens the string at `position`, after checking that its NUL terminator is inside the buffer.
#[inline]
pub(crate) fn string<E: Failure>(buffer: &[u8], position: usize) -> Result<Str<'_>, E> {
    let (first, count) = vector(buffer, position, 1)?;
    if buffer.get(first + count) != Some(&0) {
        return Err(E::new(Code::StringNotTerminated, Span::of(position, 4 + count), count as u64, 0));
    }
    Ok(Str { bytes: buffer.get(first..first + count).unwrap_or_default(), first })
}

/// A string: bytes that should be UTF-8, followed by a NUL terminator.
///
/// FlatBuffers requires UTF-8, but the C++ verifier does not check it. [`Str::to_str`] does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Str<'a> {
    bytes: &'a [u8],
    first: usize,
}

impl<'a> Str<'a> {
    /// Returns the string's bytes, without the NUL terminator.
    #[must_use]
    pub fn as_bytes(self) -> &'a [u8] {
        self.bytes
    }

    pub(crate) fn first(self) -> usize {
        self.first
    }

    /// Returns the bytes as text.
    ///
    /// # Errors
    ///
    /// Returns the error of [`core::str::from_utf8`] if the bytes are not UTF-8.
    pub fn to_str(self) -> Result<&'a str, core::str::Utf8Error> {
        core::str::from_utf8(self.bytes)
    }

    /// Where the bytes are, without the NUL terminator.
    #[must_use]
    pub fn span(self) -> Span {
        Span::of(self.first, self.bytes.len())
    }
}

impl fmt::Display for Str<'_> {
    /// Writes the text, escaping each unprintable byte. A string of more than 128 bytes is truncated, and ends with its
    /// length: `… (N bytes)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Excerpt(self.bytes).fmt(f)
    }
}

impl fmt::Debug for Str<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}
