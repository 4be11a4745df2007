//! Copies a table, a vector or a string, with everything that it refers to.

use alloc::vec::Vec;

use super::file::count;
use super::number::{put, target};
use super::site::{Object, is_inline};
use crate::flatbuffer::Table;
use crate::flatbuffer::schema::TableType;

/// The maximum nesting depth of tables in a copy.
const DEEPEST: usize = 16;

const LARGEST: usize = 1 << 16;

/// A copy of objects, to be stored at a known position in another FlatBuffer.
#[derive(Debug)]
pub(super) struct Copier<'b> {
    from: &'b [u8],
    /// Where the copy begins in the other FlatBuffer: a multiple of 16.
    start: usize,
    pub(super) bytes: Vec<u8>,
}

impl<'b> Copier<'b> {
    pub(super) fn new(from: &'b [u8], start: usize) -> Self {
        Self { from, start, bytes: Vec::new() }
    }

    /// Copies the object at `at`, and returns where the copy is in the other FlatBuffer; `None` if it cannot be copied.
    /// Omits fields whose target cannot be copied. `extra` is the number of elements that the copy of a vector repeats
    /// at its end.
    pub(super) fn object(&mut self, object: Object, at: usize, extra: usize) -> Option<usize> {
        self.copy(object, at, extra, DEEPEST)
    }

    fn copy(&mut self, object: Object, at: usize, extra: usize, depth: usize) -> Option<usize> {
        match object {
            Object::Table(ty) => self.table(Table::at(self.from, at).ok()?, ty, depth),
            Object::Text => {
                let copied = self.elements(at, 1, 4, extra)?;
                self.bytes.push(0);
                Some(copied)
            }
            Object::Numbers(scalar, align) => self.elements(at, scalar.width(), align.max(4), extra),
            Object::Tables(ty) => {
                let old = count(self.from, at, 4)?;
                let copied = self.elements(at, 4, 4, extra)?;
                let len = old + if old == 0 { 0 } else { extra };
                for index in 0..len {
                    let table = Table::follow(self.from, at + 4 + 4 * (index % old)).ok()?;
                    let element = self.table(table, ty, depth.checked_sub(1)?)?;
                    self.point(copied + 4 + 4 * index, element)?;
                }
                Some(copied)
            }
        }
    }

    /// Copies the count and the elements of a vector, and repeats the first `extra` elements.
    fn elements(&mut self, at: usize, width: usize, align: usize, extra: usize) -> Option<usize> {
        let len = count(self.from, at, width)?;
        let extra = if len == 0 { 0 } else { extra };
        self.room((len + extra).checked_mul(width)?)?;
        while !(self.end() + 4).is_multiple_of(align) || !self.end().is_multiple_of(4) {
            self.bytes.push(0);
        }
        let copied = self.end();
        self.bytes.extend_from_slice(&u32::try_from(len + extra).ok()?.to_le_bytes());
        let elements = &self.from[at + 4..at + 4 + len * width];
        self.bytes.extend_from_slice(elements);
        self.bytes.extend(elements.iter().copied().cycle().take(extra * width));
        Some(copied)
    }

    fn table(&mut self, table: Table<'b>, ty: &'static TableType, depth: usize) -> Option<usize> {
        let depth = depth.checked_sub(1)?;
        let (old, vtable) = (table.position(), table.vtable());
        let vtable_len = 4 + 2 * usize::from(table.slots());
        let object_len = usize::try_from(table.span().len).ok()?;
        self.room(vtable_len + object_len)?;
        // The copy has the same position modulo 16 as the original, so its fields keep their alignment.
        while (self.end() + vtable_len) % 16 != old % 16 {
            self.bytes.push(0);
        }
        let own_vtable = self.bytes.len();
        self.bytes.extend_from_slice(self.from.get(vtable..vtable + vtable_len)?);
        let own = self.end();
        self.bytes.extend_from_slice(self.from.get(old..old + object_len)?);
        put(&mut self.bytes, own - self.start, 4, vtable_len as u64)?;
        for slot in 0..table.slots() {
            let Some(at) = table.field(slot) else { continue };
            let field = ty.fields.iter().find(|field| field.slot == slot);
            if field.is_some_and(is_inline) {
                continue;
            }
            let object = field.and_then(|field| Object::of(table, field));
            let copied = object.and_then(|object| self.copy(object, target(self.from, at), 0, depth));
            if copied.and_then(|copied| self.point(own + (at - old), copied)).is_none() {
                put(&mut self.bytes, own_vtable + 4 + 2 * usize::from(slot), 2, 0)?;
            }
        }
        Some(own)
    }

    /// Stores the offset from `at` to `copied`. Both are positions in the other FlatBuffer.
    fn point(&mut self, at: usize, copied: usize) -> Option<()> {
        put(&mut self.bytes, at.checked_sub(self.start)?, 4, copied.checked_sub(at)? as u64)
    }

    fn end(&self) -> usize {
        self.start + self.bytes.len()
    }

    fn room(&self, len: usize) -> Option<()> {
        (self.bytes.len().checked_add(len)? <= LARGEST).then_some(())
    }
}
