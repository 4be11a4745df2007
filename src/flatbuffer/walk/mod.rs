//! **The verification pass** visits each table of a FlatBuffer and calls a [`Visitor`].
//!
//! The pass checks what the FlatBuffers format requires: positions, alignment, vtables, offsets, counts, NUL
//! terminators and unions. The pass visits a table once for each offset to the table. The pass allocates no memory, and
//! the schema limits the recursion depth.
//!
//! The pass caches checked vtables, because many tables of a file share few vtables. If a vtable is in the cache, one
//! comparison checks that all inline fields of the table are inside the buffer.

mod path;
#[cfg(test)]
mod tests;
mod visited;
mod visitor;
mod vtable;

use super::bytes::{i32_at, u8_at, u16_at};
use super::fault::{Code, Fault};
use super::root::{PREFIX_LEN, root_position};
use super::schema::{Element, Kind, MAX_FIELDS, Scalar, TableType, TableView, UnionTag};
use super::table::{OFFSET_LIMIT, Table, aligned_uoffset, string, vector, vtable_position, vtable_slots};
use crate::part_kind::PartKind;
use crate::{Limit, Limits, Span};

pub(crate) use path::Path;
pub(crate) use visited::{Child, Resolved, Visited};
pub(crate) use visitor::Visitor;
pub(crate) use vtable::Fields;
use vtable::{Extent, Memo, Memos, to_u32};

/// The reason why a pass ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The visitor ended the pass.
    Visitor,
    /// The file exceeds a limit.
    Limit(Limit),
}

/// Whether to continue the pass.
pub(crate) type Flow = Result<(), Stop>;

/// A nesting depth that is greater than the depth of every schema. The pass checks the nesting depth only if the depth
/// limit is lower than this constant.
pub(crate) const SCHEMA_DEPTH: u32 = 16;

/// The counts of a finished pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Tally {
    /// The number of visited tables. A shared table is counted at each visit.
    pub tables: u32,
    /// The number of bytes of visited tables, vectors and strings.
    pub apparent_size: u64,
    /// The span from the first table or vtable to the end of the last part.
    pub used: Span,
}

/// One verification pass over one buffer.
#[derive(Debug)]
pub struct Walk<'a, V> {
    buffer: &'a [u8],
    visitor: V,
    limits: Limits,
    tally: Tally,
    memos: Memos,
    /// The position of the first table or vtable. Offsets point forward, so only a vtable can be before the root table.
    first: usize,
    /// The end of the last table, vtable, vector or string.
    last: usize,
}

/// Visits a whole buffer whose root table is a `T`.
///
/// Returns the visitor, the counts, and, if the pass ended early, the reason.
pub(crate) fn walk<'a, T: TableView<'a>, V: Visitor<'a>>(
    buffer: &'a [u8],
    limits: Limits,
    visitor: V,
) -> (V, Tally, Flow) {
    let limits = Limits { apparent_size: limits.apparent_size_of(buffer.len()), ..limits };
    let (first, last) = (usize::MAX, PREFIX_LEN);
    let mut walk = Walk { buffer, visitor, limits, tally: Tally::default(), memos: Memos::NONE, first, last };
    let flow = if buffer.len() < OFFSET_LIMIT as usize {
        // The pass adds each table, vector and string to the apparent size, but checks the limit only after vectors and
        // strings. Therefore, the limit needs a check at the end.
        walk.root::<T>().and_then(|()| walk.spend(0))
    } else {
        Err(Stop::Limit(Limit::BufferSize))
    };
    let first = walk.first.min(walk.last);
    walk.tally.used = Span::of(first, walk.last - first);
    (walk.visitor, walk.tally, flow)
}

impl<'a, V: Visitor<'a>> Walk<'a, V> {
    fn root<T: TableView<'a>>(&mut self) -> Flow {
        let position = match root_position(self.buffer) {
            Ok(position) => position,
            Err(fault) => return self.fault(fault, Path::ROOT),
        };
        self.visitor.part(PartKind::Root, Span::of(0, 4), Path::ROOT);
        self.first = self.first.min(position);
        if !position.is_multiple_of(4) {
            return self.fault(Fault::new(Code::RootMisaligned, Span::of(0, 4), position as u64, 4), Path::ROOT);
        }
        self.table::<T>(position, Path::ROOT)
    }

    #[cold]
    pub(crate) fn fault(&mut self, fault: Fault, path: Path<'_>) -> Flow {
        self.visitor.fault(&fault, path)
    }

    #[inline]
    fn spend(&mut self, bytes: usize) -> Flow {
        self.tally.apparent_size += bytes as u64;
        if self.tally.apparent_size > self.limits.apparent_size {
            return Err(Stop::Limit(Limit::ApparentSize));
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn table_at_offset<T: TableView<'a>>(&mut self, at: usize, path: Path<'_>) -> Flow {
        self.visitor.part(PartKind::Offset, Span::of(at, 4), path);
        match aligned_uoffset(self.buffer, at) {
            Ok(position) => self.table::<T>(position, path),
            Err(fault) => self.fault(fault, path),
        }
    }

    /// Visits a table whose first word is inside the buffer.
    pub(crate) fn table<T: TableView<'a>>(&mut self, position: usize, path: Path<'_>) -> Flow {
        if !self.visitor.visits(Kind::Table(T::TYPE), position)? {
            return Ok(());
        }
        let Some(memo) = self.begin_table(T::TYPE, T::ID, T::WIDTHS, position, path)? else { return Ok(()) };
        let table = Table::checked(self.buffer, position, memo.vtable as usize, memo.slots);
        let table = Visited::<T>::new(table, &memo.fields);
        self.visitor.enter(&table, path)?;
        T::walk_fields(self, position, &memo.fields, path)?;
        self.visitor.table(&table, path)
    }

    /// Checks the position, the vtable and the ends of the fields of a table. Returns `None` if the table is faulty.
    ///
    /// The code is the same for all table types.
    fn begin_table(
        &mut self,
        ty: &'static TableType,
        id: u8,
        widths: &[u8; MAX_FIELDS],
        position: usize,
        path: Path<'_>,
    ) -> Result<Option<Memo>, Stop> {
        if self.tally.tables >= self.limits.tables {
            return Err(Stop::Limit(Limit::Tables));
        }
        self.tally.tables += 1;
        if !position.is_multiple_of(4) {
            let fault = Fault::new(Code::TableMisaligned, Span::of(position, 4), position as u64, 4);
            return self.fault(fault, path).map(|()| None);
        }
        // The vtable position is not checked here, because an invalid position matches no vtable in the cache.
        // Positions fit in 32 bits.
        let back = i32_at(self.buffer, position).unwrap_or(0);
        let vtable = to_u32(position).wrapping_sub(back.cast_unsigned());
        let mut memo = match self.memos.find(vtable, id) {
            Some(memo) => memo,
            None => match self.check_vtable(id, widths, position, path)? {
                Some(memo) => memo,
                None => return Ok(None),
            },
        };
        if memo.end as usize > self.buffer.len() - position {
            return self.field_past_end(ty, position, &memo, path).map(|()| None);
        }
        if memo.odd {
            self.outside_object(ty, &memo, path)?;
            self.drop_misaligned(ty, position, &mut memo.fields, path)?;
        }
        if self.limits.depth < SCHEMA_DEPTH && path.depth() > self.limits.depth {
            return Err(Stop::Limit(Limit::Depth));
        }
        self.tally.apparent_size += u64::from(memo.end);
        self.last = self.last.max(position + memo.end as usize);
        self.visitor.part(PartKind::Table, Span::of(position, 4), path);
        Ok(Some(memo))
    }

    /// Reports misaligned fields of 4 or more bytes, and marks these fields as absent.
    ///
    /// A field is misaligned if its position is not a multiple of 4.
    #[cold]
    fn drop_misaligned(
        &mut self,
        ty: &'static TableType,
        position: usize,
        fields: &mut Fields,
        path: Path<'_>,
    ) -> Flow {
        for field in ty.fields.iter().filter(|field| field.kind.width() >= 4) {
            let slot = usize::from(field.slot);
            let offset = usize::from(fields.offset(slot));
            if offset.is_multiple_of(4) {
                continue;
            }
            fields.clear(slot);
            if let (Kind::Union(_), Some(tag)) = (field.kind, slot.checked_sub(1)) {
                // The union's tag is also marked as absent. Otherwise, the pass would report a union that has a type
                // but no value.
                fields.clear(tag);
            }
            let (at, width) = (position + offset, field.kind.width());
            let fault = Fault::new(Code::Misaligned, Span::of(at, width), at as u64, width as u64);
            self.fault(fault, path.field(field.name))?;
        }
        Ok(())
    }

    /// Checks the vtable of the table at `position` against the widths of the fields of a table type. Returns `None` if the
    /// vtable is invalid.
    ///
    /// The code is the same for all table types, because a file has few vtables.
    #[inline(never)]
    fn check_vtable(
        &mut self,
        id: u8,
        widths: &[u8; MAX_FIELDS],
        position: usize,
        path: Path<'_>,
    ) -> Result<Option<Memo>, Stop> {
        let vtable = match vtable_position(self.buffer, position) {
            Ok(vtable) => vtable,
            Err(fault) => return self.fault(fault, path).map(|()| None),
        };
        let slots = match vtable_slots(self.buffer, vtable) {
            Ok(slots) => slots,
            Err(fault) => return self.fault(fault, path).map(|()| None),
        };
        let object_len = u16_at(self.buffer, vtable + 2).unwrap_or(0);
        let (entries, _) = self.buffer.get(vtable + 4..).unwrap_or_default().as_chunks::<2>();
        let extent = Extent::of(entries.get(..usize::from(slots)).unwrap_or_default(), widths);
        let Extent { fields, end, first, joined } = extent;
        let odd = end > u32::from(object_len).max(4) || first < 4 || !joined.is_multiple_of(4);
        let memo = Memo { vtable: to_u32(vtable), end, slots, id, odd, fields };
        let span = Span::of(vtable, 4 + 2 * usize::from(slots));
        self.visitor.part(PartKind::Vtable, span, path);
        self.first = self.first.min(vtable);
        self.last = self.last.max(vtable + 4 + 2 * usize::from(slots));
        self.memos.keep(memo);
        Ok(Some(memo))
    }

    /// Reports the fields outside the object. The vtable states the length of the object.
    #[cold]
    fn outside_object(&mut self, ty: &'static TableType, memo: &Memo, path: Path<'_>) -> Flow {
        let object_len = u16_at(self.buffer, memo.vtable as usize + 2).unwrap_or(0);
        for field in ty.fields {
            let slot = usize::from(field.slot);
            let offset = memo.fields.offset(slot);
            let end = u32::from(offset) + to_u32(field.kind.width());
            if offset != 0 && (offset < 4 || end > u32::from(object_len)) {
                let place = Fault::new(Code::FieldPastEnd, memo.entry(slot), u64::from(end), u64::from(object_len));
                self.visitor.outside_object(&place, object_len, path.field(field.name))?;
            }
        }
        Ok(())
    }

    /// Reports the first field that ends past the end of the buffer. The reported span is the vtable entry of that
    /// field.
    #[cold]
    fn field_past_end(&mut self, ty: &'static TableType, position: usize, memo: &Memo, path: Path<'_>) -> Flow {
        let len = self.buffer.len() as u64;
        for field in ty.fields {
            let slot = usize::from(field.slot);
            let offset = memo.fields.offset(slot);
            let end = position as u64 + u64::from(offset) + field.kind.width() as u64;
            if offset != 0 && end > len {
                let fault = Fault::new(Code::FieldPastEnd, memo.entry(slot), end, len);
                return self.fault(fault, path.field(field.name));
            }
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn scalar(&mut self, scalar: Scalar, at: usize, path: Path<'_>) -> Flow {
        let width = scalar.width();
        // The check of the vtable ensures alignment to 4 bytes, so only 8-byte numbers need a check here.
        if width == 8 && !at.is_multiple_of(8) {
            return self.fault(Fault::new(Code::Misaligned, Span::of(at, width), at as u64, width as u64), path);
        }
        self.visitor.part(PartKind::Scalar, Span::of(at, width), path);
        if scalar == Scalar::Bool {
            return self.visitor.bools(self.buffer.get(at..=at).unwrap_or_default(), at, false, path);
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn string(&mut self, at: usize, path: Path<'_>) -> Flow {
        self.visitor.part(PartKind::Offset, Span::of(at, 4), path);
        match aligned_uoffset(self.buffer, at).and_then(|position| string(self.buffer, position)) {
            Ok(found) => {
                let span = found.span();
                let (first, len) = (found.first(), found.as_bytes().len());
                if !self.visitor.visits(Kind::String, first)? {
                    return Ok(());
                }
                self.spend(len + 5)?;
                self.last = self.last.max(first + len + 1);
                self.visitor.part(PartKind::Count, Span::new(span.offset - 4, 4), path);
                self.visitor.part(PartKind::Elements, span, path);
                self.visitor.part(PartKind::Terminator, Span::new(span.end(), 1), path);
                self.visitor.string(found, path)
            }
            Err(fault) => self.fault(fault, path),
        }
    }

    /// Follows the uoffset at the position `at`, and visits the vector at the offset's target. The schema aligns the
    /// elements to `align` bytes.
    #[inline]
    pub(crate) fn vector<T: Element<'a>>(&mut self, at: usize, align: usize, path: Path<'_>) -> Flow {
        self.visitor.part(PartKind::Offset, Span::of(at, 4), path);
        match aligned_uoffset(self.buffer, at).and_then(|position| vector(self.buffer, position, T::WIDTH)) {
            Ok((first, count)) => {
                if !self.visitor.visits(T::VECTOR, first)? {
                    return Ok(());
                }
                self.spend(4 + count * T::WIDTH)?;
                self.last = self.last.max(first + count * T::WIDTH);
                self.visitor.part(PartKind::Count, Span::of(first - 4, 4), path);
                if align > 1 {
                    self.visitor.aligned(Span::of(first, count * T::WIDTH), align, path)?;
                }
                T::walk(self, first, count, path)
            }
            Err(fault) => self.fault(fault, path),
        }
    }

    #[inline]
    pub(crate) fn scalars(&mut self, scalar: Scalar, first: usize, count: usize, path: Path<'_>) -> Flow {
        self.visitor.part(PartKind::Elements, Span::of(first, count * scalar.width()), path);
        if scalar == Scalar::Bool {
            return self.visitor.bools(self.buffer.get(first..first + count).unwrap_or_default(), first, true, path);
        }
        Ok(())
    }

    pub(crate) fn tables<T: TableView<'a>>(&mut self, first: usize, count: usize, path: Path<'_>) -> Flow {
        for index in 0..count {
            self.table_at_offset::<T>(first + 4 * index, path.index(index))?;
        }
        Ok(())
    }

    /// Visits the union whose tag is the field in `slot`, at position `at`.
    ///
    /// The value of the union is in the next slot of the same table. The tag of the union has the same path as the
    /// value.
    #[inline]
    pub(crate) fn union<U: UnionTag<'a>>(&mut self, fields: &Fields, slot: usize, at: usize, path: Path<'_>) -> Flow {
        self.visitor.part(PartKind::Scalar, Span::of(at, 1), path);
        let tag = u8_at(self.buffer, at).unwrap_or(0);
        let start = at - usize::from(fields.offset(slot));
        let offset = usize::from(fields.offset(slot + 1));
        if offset == 0 {
            let bare = tag == 0 || U::TYPE.member(tag).is_some_and(|member| member.fields.is_empty());
            if bare {
                return Ok(());
            }
            return self.fault(Fault::new(Code::UnionWithoutValue, Span::of(at, 1), u64::from(tag), 0), path);
        }
        let value = start + offset;
        if tag == 0 {
            return self.fault(Fault::new(Code::UnionWithoutType, Span::of(value, 4), 0, 0), path);
        }
        self.visitor.part(PartKind::Offset, Span::of(value, 4), path);
        match aligned_uoffset(self.buffer, value) {
            Ok(position) => U::walk_value(self, tag, position, path),
            Err(fault) => self.fault(fault, path),
        }
    }
}
