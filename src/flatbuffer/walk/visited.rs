//! A table as the verification pass leaves it: its fields are where its vtable says, and inside the buffer.

use core::marker::PhantomData;

use super::vtable::Fields;
use crate::Span;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::{Table, u64_at};

/// A visited table, whose vtable has been read already: its fields can be had without asking again.
#[derive(Clone, Copy, Debug)]
pub struct Visited<'v, 'a, T> {
    table: Table<'a>,
    fields: &'v Fields,
    view: PhantomData<fn() -> T>,
}

impl<'v, 'a, T: TableView<'a>> Visited<'v, 'a, T> {
    #[inline]
    pub(super) fn new(table: Table<'a>, fields: &'v Fields) -> Self {
        Self { table, fields, view: PhantomData }
    }

    /// The table's view, which checks each access.
    #[inline]
    #[must_use]
    pub fn view(&self) -> T {
        T::from_table(self.table)
    }

    /// The table under the view.
    #[inline]
    #[must_use]
    pub fn table(&self) -> Table<'a> {
        self.table
    }

    /// The inline bytes of the field of this name, as [`TableView::place`].
    #[must_use]
    pub fn place(&self, field: &str) -> Span {
        self.view().place(field)
    }

    /// The same table as another type's, which is for the caller to know.
    #[inline]
    pub(crate) fn of<U: TableView<'a>>(&self) -> Visited<'v, 'a, U> {
        Visited::new(self.table, self.fields)
    }

    /// The number of eight bytes in `slot`, 0 when it is absent; `None` when it is not at a multiple of eight, which the pass
    /// has told.
    #[inline]
    pub(crate) fn word(&self, slot: usize) -> Option<u64> {
        match self.at(slot) {
            None => Some(0),
            Some(at) if at.is_multiple_of(8) => u64_at(self.table.buffer(), at),
            Some(_) => None,
        }
    }

    /// Where the field in `slot` is, if it is present.
    #[inline]
    pub(crate) fn at(&self, slot: usize) -> Option<usize> {
        match self.fields.offset(slot) {
            0 => None,
            offset => Some(self.table.position() + usize::from(offset)),
        }
    }
}

/// The table that a field of a visited table leads to, which has been visited itself; it is opened only when asked for.
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

    /// Whether the field is absent.
    #[inline]
    #[must_use]
    pub fn is_absent(&self) -> bool {
        self.at.is_none()
    }

    /// The table, if the field is present and its reference leads to one.
    #[must_use]
    pub fn open(&self) -> Option<T> {
        Table::behind(self.buffer, self.at?).ok().map(T::from_table)
    }
}

/// What a reference of a visited table leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolved<T> {
    /// The field is absent.
    Absent,
    /// It leads to nothing that can be read, which the pass has told.
    Broken,
    /// It leads here.
    Here(T),
}

impl<T> From<Option<T>> for Resolved<T> {
    fn from(found: Option<T>) -> Self {
        found.map_or(Resolved::Absent, Resolved::Here)
    }
}

impl<T> Resolved<T> {
    /// What is there, if anything is.
    #[inline]
    #[must_use]
    pub fn here(self) -> Option<T> {
        match self {
            Resolved::Here(found) => Some(found),
            Resolved::Absent | Resolved::Broken => None,
        }
    }

    /// Whether the field is absent.
    #[inline]
    #[must_use]
    pub const fn is_absent(&self) -> bool {
        matches!(self, Resolved::Absent)
    }
}
