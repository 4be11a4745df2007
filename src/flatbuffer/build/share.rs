//! What is written already, by its contents: with it, nothing equal is written twice.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::flatbuffer::schema::{Field, TableType};
use crate::flatbuffer::tree::{Repr, Value};

/// The positions of what an encoding has written.
#[derive(Default)]
pub(super) struct Shared {
    /// By alignment, count and bytes with what follows them, so that a string is not taken for a vector.
    bytes: BTreeMap<(usize, usize, usize), BTreeMap<Vec<u8>, u32>>,
    tables: BTreeMap<TableKey, u32>,
}

/// A table or a vector of tables: the table's name, and slot, width and contents of each field. What is below it is there
/// already, and its position stands for it.
pub(super) type TableKey = (&'static str, Vec<(u16, usize, u64)>);

impl Shared {
    pub(super) fn bytes(&self, count: usize, bytes: &[u8], align: usize, zeros: usize) -> Option<u32> {
        self.bytes.get(&(align, count, zeros))?.get(bytes).copied()
    }

    pub(super) fn add_bytes(&mut self, count: usize, bytes: &[u8], align: usize, zeros: usize, position: u32) {
        self.bytes.entry((align, count, zeros)).or_default().insert(bytes.to_vec(), position);
    }

    pub(super) fn table(&self, key: &TableKey) -> Option<u32> {
        self.tables.get(key).copied()
    }

    pub(super) fn add_table(&mut self, key: TableKey, position: u32) {
        self.tables.insert(key, position);
    }
}

/// The key of a table of these fields.
pub(super) fn fields<'t>(
    ty: &'static TableType,
    fields: impl Iterator<Item = (&'static Field, &'t Value)>,
    positions: &[u32],
) -> TableKey {
    let contents = fields.zip(positions).map(|((field, value), position)| match &value.0 {
        Repr::Scalar(scalar, bytes) => (field.slot, scalar.width(), u64::from_le_bytes(*bytes)),
        _ => (field.slot, 0, u64::from(*position)),
    });
    (ty.name, contents.collect())
}

/// The key of a vector of the tables at these positions.
pub(super) fn references(positions: &[u32]) -> TableKey {
    ("", positions.iter().map(|position| (0, 0, u64::from(*position))).collect())
}
