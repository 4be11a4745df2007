//! Views for the checker. Their accessors do not describe what went wrong.

use super::{Element, Kind, TableType, TableView};
use crate::flatbuffer::{Broken, Table};

/// A view `T` whose accessors do not describe faults, because the verification pass reports all of them.
///
/// Next to each schema, a module `brief` has short names for these views.
#[derive(Clone, Copy, Debug)]
pub struct Brief<T>(pub(crate) T);

impl<'a, T: TableView<'a>> TableView<'a> for Brief<T> {
    const TYPE: &'static TableType = T::TYPE;
    const ID: u8 = T::ID;

    fn from_table(table: Table<'a>) -> Self {
        Self(T::from_table(table))
    }

    fn table(self) -> Table<'a> {
        self.0.table()
    }
}

impl<'a, T: TableView<'a>> Element<'a> for Brief<T> {
    const VECTOR: Kind = T::VECTOR;
    const WIDTH: usize = T::WIDTH;
    type Item = Result<Self, Broken>;
    type Brief = Self;

    fn load(buffer: &'a [u8], at: usize) -> Self::Item {
        Table::open_target(buffer, at).map(Self::from_table)
    }
}
