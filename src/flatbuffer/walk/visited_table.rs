//! A table that the verification pass has checked, so that all its fields are inside the buffer.

use core::marker::PhantomData;

use super::vtable::Fields;
use crate::Span;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::{Broken, Table, u64_at};

/// A visited table of the type `T`, or of any type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VisitedTable<'v, 'a, T = ()> {
    table: Table<'a>,
    fields: &'v Fields,
    view: PhantomData<fn() -> T>,
}

impl<'a, T: TableView<'a>> VisitedTable<'_, 'a, T> {
    /// The table's view, which checks each access.
    #[inline]
    #[must_use]
    pub(crate) fn view(&self) -> T {
        T::from_table(self.table)
    }

    #[must_use]
    pub(crate) fn place(&self, field: &str) -> Span {
        self.view().place(field)
    }
}

impl<'v, 'a, T> VisitedTable<'v, 'a, T> {
    #[inline]
    pub(super) fn new(table: Table<'a>, fields: &'v Fields) -> Self {
        Self { table, fields, view: PhantomData }
    }

    #[inline]
    #[must_use]
    pub(crate) fn table(&self) -> Table<'a> {
        self.table
    }

    /// Reinterprets the table as another type, which the caller must know to be correct.
    #[inline]
    pub(crate) fn of<U>(&self) -> VisitedTable<'v, 'a, U> {
        VisitedTable::new(self.table, self.fields)
    }

    /// Returns the 8-byte number in `slot`, or 0 if the field is absent. Returns `None` if the position is not a
    /// multiple of 8; the pass reports that as a fault.
    #[inline]
    pub(crate) fn word(&self, slot: usize) -> Option<u64> {
        match self.at(slot) {
            None => Some(0),
            Some(at) if at.is_multiple_of(8) => u64_at(self.table.buffer(), at),
            Some(_) => None,
        }
    }

    #[inline]
    pub(crate) fn at(&self, slot: usize) -> Option<usize> {
        match self.fields.offset(slot) {
            0 => None,
            // A position is less than 2^31. The cast tells the compiler that the sum cannot overflow.
            #[allow(clippy::cast_possible_truncation, reason = "positions are less than 2^31")]
            offset => Some(self.table.position() as u32 as usize + usize::from(offset)),
        }
    }
}

/// The child table of a visited table.
///
/// The pass has already visited the child; [`Child::open`] opens it.
#[derive(Clone, Copy, Debug)]
pub struct Child<'a, T> {
    buffer: &'a [u8],
    at: Option<usize>,
    view: PhantomData<fn() -> T>,
}

impl<'a, T: TableView<'a>> Child<'a, T> {
    #[inline]
    pub(crate) fn new(buffer: &'a [u8], at: Option<usize>) -> Self {
        Self { buffer, at, view: PhantomData }
    }

    /// Returns whether the field is absent.
    #[inline]
    #[must_use]
    pub fn is_absent(&self) -> bool {
        self.at.is_none()
    }

    /// Returns the table, or `None` if the field is absent or its offset is invalid.
    #[must_use]
    pub fn open(&self) -> Option<T> {
        Table::open_target::<Broken>(self.buffer, self.at?).ok().map(T::from_table)
    }
}

/// Where an offset in a visited table leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffsetTarget<T> {
    Absent,
    /// The offset is invalid, which the pass has reported as a fault.
    Broken,
    Here(T),
}

impl<T> From<Option<T>> for OffsetTarget<T> {
    fn from(found: Option<T>) -> Self {
        found.map_or(OffsetTarget::Absent, OffsetTarget::Here)
    }
}

impl<T> OffsetTarget<T> {
    /// Returns the target, or `None` if the field is absent or the target is invalid.
    #[inline]
    #[must_use]
    pub fn here(self) -> Option<T> {
        match self {
            OffsetTarget::Here(found) => Some(found),
            OffsetTarget::Absent | OffsetTarget::Broken => None,
        }
    }

    /// Returns whether the field is absent.
    #[inline]
    #[must_use]
    pub const fn is_absent(&self) -> bool {
        matches!(self, OffsetTarget::Absent)
    }
}
