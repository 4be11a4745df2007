//! **The verification pass** visits each table of a FlatBuffer and calls a [`Visitor`].
//!
//! It checks what the FlatBuffers format requires: positions, alignment, vtables, offsets, counts, NUL terminators and
//! unions. A table is visited once for each offset to it. The pass allocates no memory, and the schema limits its
//! recursion depth.
//!
//! One function visits tables of all types, and finds their fields in the [`TableType`]. One function per type would
//! waste no time on absent fields, but would take too much code on a device.
//!
//! Checked vtables are cached, because many tables share a few of them. If the vtable is cached, a single comparison
//! checks that all inline fields of a table are inside the buffer.

mod path;
#[cfg(test)]
mod tests;
mod visited_table;
mod visitor;
mod vtable;

use super::bytes::{i32_at, u8_at, u16_at};
use super::fault::{Broken, Code, Fault};
use super::root::{PREFIX_LEN, root_position};
use super::schema::{Field, Kind, Scalar, TableType, TableView, UnionType, tag_path_name};
use super::table::{OFFSET_LIMIT, Table, aligned_uoffset, string, vector, vtable_position, vtable_slots};
use crate::part_kind::PartKind;
use crate::{Limit, Limits, Span};

pub(crate) use path::Path;
pub(crate) use visited_table::{Child, OffsetTarget, VisitedTable};
pub(crate) use visitor::{Flow, Stop, Visitor};
use vtable::{EMPTY, Extent, Fields, Memo, Memos, to_u32};

/// More than any schema's nesting depth. The pass checks the depth only if the limit is lower.
pub(crate) const SCHEMA_DEPTH: u32 = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Tally {
    /// The number of visited tables. A shared table counts once per visit.
    pub tables: u32,
    /// The number of bytes of visited tables, vectors and strings.
    pub apparent_size: u64,
    /// The span from the first table or vtable to the end of the last part.
    pub used: Span,
}

/// One verification pass over one buffer.
struct Walk<'a, 'v> {
    buffer: &'a [u8],
    /// It is a trait object so that all visitors share the code of the pass.
    visitor: &'v mut dyn Visitor<'a>,
    wants_parts: bool,
    limits: Limits,
    tally: Tally,
    memos: Memos,
    /// Where the first table or vtable is. Offsets point forward, so only a vtable can be before the root table.
    first: usize,
    /// The end of the last table, vtable, vector or string.
    last: usize,
}

/// Visits a whole buffer whose root table is a `T`. Returns the counts and, if the pass ended early, the reason.
pub(crate) fn walk<'a, T: TableView<'a>>(
    buffer: &'a [u8],
    limits: Limits,
    visitor: &mut dyn Visitor<'a>,
) -> (Tally, Flow) {
    walk_as(T::TYPE, buffer, limits, visitor)
}

#[inline(never)]
fn walk_as<'a>(
    ty: &'static TableType,
    buffer: &'a [u8],
    limits: Limits,
    visitor: &mut dyn Visitor<'a>,
) -> (Tally, Flow) {
    let limits = Limits { apparent_size: limits.apparent_size_of(buffer.len()), ..limits };
    let (wants_parts, tally, memos) = (visitor.wants_parts(), Tally::default(), Memos::NONE);
    let mut walk = Walk { buffer, visitor, wants_parts, limits, tally, memos, first: usize::MAX, last: PREFIX_LEN };
    let flow = if buffer.len() < OFFSET_LIMIT as usize {
        // Each table, vector and string adds to the apparent size, but the limit is checked only after vectors and
        // strings, so check it once more at the end.
        walk.root(ty).and_then(|()| walk.spend(0))
    } else {
        Err(Stop::Limit(Limit::BufferSize))
    };
    let first = walk.first.min(walk.last);
    walk.tally.used = Span::of(first, walk.last - first);
    (walk.tally, flow)
}

impl<'a> Walk<'a, '_> {
    fn root(&mut self, ty: &'static TableType) -> Flow {
        let position = match root_position(self.buffer) {
            Ok(position) => position,
            Err(Broken) => return self.describe(&Path::ROOT, |buffer, _, _| root_position(buffer), 0, 0),
        };
        self.part(PartKind::Root, Span::of(0, 4), &Path::ROOT);
        self.first = self.first.min(position);
        if !position.is_multiple_of(4) {
            return self.fault(Code::RootMisaligned, Span::of(0, 4), position, 4, &Path::ROOT);
        }
        self.table(ty, position, &Path::ROOT)
    }

    #[cold]
    #[inline(never)]
    fn fault(&mut self, code: Code, span: Span, have: usize, bound: usize, path: &Path<'_>) -> Flow {
        self.visitor.fault(&Fault::new(code, span, have as u64, bound as u64), path)
    }

    /// Describes a fault by reading the faulty part again. This way, the stack frames of nested tables need no room for
    /// descriptions.
    #[cold]
    #[inline(never)]
    fn describe<T>(
        &mut self,
        path: &Path<'_>,
        read: fn(&[u8], usize, usize) -> Result<T, Fault>,
        at: usize,
        width: usize,
    ) -> Flow {
        match read(self.buffer, at, width) {
            Ok(_) => Ok(()),
            Err(fault) => self.visitor.fault(&fault, path),
        }
    }

    #[inline]
    fn part(&mut self, kind: PartKind, span: Span, path: &Path<'_>) {
        if cfg!(feature = "alloc") && self.wants_parts {
            self.visitor.part(kind, span, path);
        }
    }

    #[inline]
    fn visits(&mut self, kind: Kind, position: usize) -> Result<bool, Stop> {
        if cfg!(feature = "alloc") && self.wants_parts { self.visitor.visits(kind, position) } else { Ok(true) }
    }

    #[inline]
    fn spend(&mut self, bytes: usize) -> Flow {
        self.tally.apparent_size += bytes as u64;
        if self.tally.apparent_size > self.limits.apparent_size {
            return Err(Stop::Limit(Limit::ApparentSize));
        }
        Ok(())
    }

    fn table_at_offset(&mut self, ty: &'static TableType, at: usize, path: &Path<'_>) -> Flow {
        self.part(PartKind::Offset, Span::of(at, 4), path);
        match aligned_uoffset(self.buffer, at) {
            Ok(position) => self.table(ty, position, path),
            Err(Broken) => self.bad_offset(at, path),
        }
    }

    #[cold]
    fn bad_offset(&mut self, at: usize, path: &Path<'_>) -> Flow {
        self.describe(path, |buffer, at, _| aligned_uoffset(buffer, at), at, 0)
    }

    fn table(&mut self, ty: &'static TableType, position: usize, path: &Path<'_>) -> Flow {
        if !self.visits(Kind::Table(ty), position)? {
            return Ok(());
        }
        let mut memo = EMPTY;
        if !self.begin_table(ty, position, path, &mut memo)? {
            return Ok(());
        }
        let table = Table::checked(self.buffer, position, memo.vtable as usize, memo.slots);
        let table = VisitedTable::new(table, &memo.fields);
        self.visitor.enter(ty, &table, path)?;
        for field in ty.fields {
            let offset = usize::from(memo.fields.offset(field.slot.into()));
            if offset != 0 {
                self.field(field, &memo.fields, position + offset, path)?;
            }
        }
        self.visitor.table(ty, &table, path)
    }

    /// Visits the field at `at`. `path` is the table's path.
    #[inline]
    fn field(&mut self, field: &Field, fields: &Fields, at: usize, path: &Path<'_>) -> Flow {
        let own = &path.field(field.name);
        match field.kind {
            Kind::Scalar(scalar) => self.scalar(scalar, at, own),
            Kind::Enum(_) => self.scalar(Scalar::I8, at, own),
            Kind::Tag(union) => {
                self.union(union, fields, field.slot.into(), at, &path.field(tag_path_name(field.name)))
            }
            // The pass has already visited the value together with its tag.
            Kind::Union(_) if fields.offset(usize::from(field.slot) - 1) != 0 => Ok(()),
            Kind::Union(_) => self.fault(Code::UnionWithoutType, Span::of(at, 4), 0, 0, own),
            Kind::String => self.string(at, own),
            Kind::Scalars(scalar, align) => {
                let Some((first, count)) = self.vector(field.kind, scalar.width(), at, own)? else { return Ok(()) };
                let elements = Span::of(first, count * scalar.width());
                if align > scalar.width() {
                    self.visitor.aligned(elements, align, own)?;
                }
                self.part(PartKind::Elements, elements, own);
                match scalar {
                    Scalar::Bool => self.bools(first, count, true, own),
                    _ => Ok(()),
                }
            }
            Kind::Table(ty) => self.table_at_offset(ty, at, own),
            Kind::Tables(ty) => {
                let Some((first, count)) = self.vector(field.kind, 4, at, own)? else { return Ok(()) };
                for index in 0..count {
                    self.table_at_offset(ty, first + 4 * index, &own.index(index))?;
                }
                Ok(())
            }
        }
    }

    /// Checks a table's position, its vtable and the ends of its fields, and sets `memo`. Returns whether all are
    /// valid.
    fn begin_table(
        &mut self,
        ty: &'static TableType,
        position: usize,
        path: &Path<'_>,
        memo: &mut Memo,
    ) -> Result<bool, Stop> {
        if self.tally.tables >= self.limits.tables {
            return Err(Stop::Limit(Limit::Tables));
        }
        self.tally.tables += 1;
        if !position.is_multiple_of(4) {
            return self.fault(Code::TableMisaligned, Span::of(position, 4), position, 4, path).map(|()| false);
        }
        // The vtable's position needs no check here, because an invalid position matches no cached vtable. Positions
        // fit in 32 bits.
        let back = i32_at(self.buffer, position).unwrap_or(0);
        let vtable = to_u32(position).wrapping_sub(back.cast_unsigned());
        if let Some(found) = self.memos.find(vtable, ty.id) {
            *memo = *found;
        } else if !self.check_vtable(ty, position, path, memo)? {
            return Ok(false);
        }
        if memo.end as usize > self.buffer.len() - position {
            return self.field_past_end(ty, position, memo, path).map(|()| false);
        }
        if memo.odd {
            self.outside_object(ty, memo, path)?;
            self.drop_misaligned(ty, position, &mut memo.fields, path)?;
        }
        if self.limits.depth < SCHEMA_DEPTH && path.depth() > self.limits.depth {
            return Err(Stop::Limit(Limit::Depth));
        }
        self.tally.apparent_size += u64::from(memo.end);
        self.last = self.last.max(position + memo.end as usize);
        self.part(PartKind::Table, Span::of(position, 4), path);
        Ok(true)
    }

    /// Reports misaligned fields of 4 or more bytes, and marks them as absent. A field is misaligned if its position is
    /// not a multiple of 4.
    #[cold]
    fn drop_misaligned(
        &mut self,
        ty: &'static TableType,
        position: usize,
        fields: &mut Fields,
        path: &Path<'_>,
    ) -> Flow {
        for field in ty.fields.iter().filter(|field| field.kind.width() >= 4) {
            let slot = usize::from(field.slot);
            let offset = usize::from(fields.offset(slot));
            if offset.is_multiple_of(4) {
                continue;
            }
            fields.clear(slot);
            if let (Kind::Union(_), Some(tag)) = (field.kind, slot.checked_sub(1)) {
                // Mark the union's tag as absent too, or the pass would report a union with a type but no value.
                fields.clear(tag);
            }
            let (at, width) = (position + offset, field.kind.width());
            self.fault(Code::Misaligned, Span::of(at, width), at, width, &path.field(field.name))?;
        }
        Ok(())
    }

    /// Checks the vtable of the table at `position` against the field widths of the table's type. Sets `memo` and
    /// returns whether the vtable is valid.
    #[inline(never)]
    fn check_vtable(
        &mut self,
        ty: &'static TableType,
        position: usize,
        path: &Path<'_>,
        memo: &mut Memo,
    ) -> Result<bool, Stop> {
        let vtable = match vtable_position(self.buffer, position) {
            Ok(vtable) => vtable,
            Err(Broken) => {
                let read = |buffer: &[u8], at, _| vtable_position(buffer, at);
                return self.describe(path, read, position, 0).map(|()| false);
            }
        };
        let slots = match vtable_slots(self.buffer, vtable) {
            Ok(slots) => slots,
            Err(Broken) => {
                let read = |buffer: &[u8], at, _| vtable_slots(buffer, at);
                return self.describe(path, read, vtable, 0).map(|()| false);
            }
        };
        let object_len = u16_at(self.buffer, vtable + 2).unwrap_or(0);
        let (entries, _) = self.buffer.get(vtable + 4..).unwrap_or_default().as_chunks::<2>();
        let extent = Extent::of(entries.get(..usize::from(slots)).unwrap_or_default(), &ty.widths);
        let Extent { fields, end, first, joined } = extent;
        let odd = end > u32::from(object_len).max(4) || first < 4 || !joined.is_multiple_of(4);
        *memo = Memo { vtable: to_u32(vtable), end, slots, id: ty.id, odd, fields };
        let span = Span::of(vtable, 4 + 2 * usize::from(slots));
        self.part(PartKind::Vtable, span, path);
        self.first = self.first.min(vtable);
        self.last = self.last.max(vtable + 4 + 2 * usize::from(slots));
        self.memos.keep(*memo);
        Ok(true)
    }

    #[cold]
    fn outside_object(&mut self, ty: &'static TableType, memo: &Memo, path: &Path<'_>) -> Flow {
        let object_len = u16_at(self.buffer, memo.vtable as usize + 2).unwrap_or(0);
        for field in ty.fields {
            let slot = usize::from(field.slot);
            let offset = memo.fields.offset(slot);
            let end = u32::from(offset) + to_u32(field.kind.width());
            if offset != 0 && (offset < 4 || end > u32::from(object_len)) {
                let place = Fault::new(Code::FieldPastEnd, memo.entry(slot), u64::from(end), u64::from(object_len));
                self.visitor.outside_object(&place, object_len, &path.field(field.name))?;
            }
        }
        Ok(())
    }

    /// Reports the first field that ends past the end of the buffer, with the span of its vtable entry.
    #[cold]
    fn field_past_end(&mut self, ty: &'static TableType, position: usize, memo: &Memo, path: &Path<'_>) -> Flow {
        let len = self.buffer.len();
        for field in ty.fields {
            let slot = usize::from(field.slot);
            let offset = memo.fields.offset(slot);
            let end = position + usize::from(offset) + field.kind.width();
            if offset != 0 && end > len {
                return self.fault(Code::FieldPastEnd, memo.entry(slot), end, len, &path.field(field.name));
            }
        }
        Ok(())
    }

    #[inline]
    fn scalar(&mut self, scalar: Scalar, at: usize, path: &Path<'_>) -> Flow {
        let width = scalar.width();
        // The check of the vtable ensures alignment to 4 bytes, so only 8-byte numbers need a check here.
        if width == 8 && !at.is_multiple_of(8) {
            return self.fault(Code::Misaligned, Span::of(at, width), at, width, path);
        }
        self.part(PartKind::Scalar, Span::of(at, width), path);
        if scalar == Scalar::Bool { self.bools(at, 1, false, path) } else { Ok(()) }
    }

    fn bools(&mut self, first: usize, count: usize, listed: bool, path: &Path<'_>) -> Flow {
        self.visitor.bools(self.buffer.get(first..first + count).unwrap_or_default(), first, listed, path)
    }

    #[cfg_attr(target_os = "none", inline(never))]
    fn string(&mut self, at: usize, path: &Path<'_>) -> Flow {
        self.part(PartKind::Offset, Span::of(at, 4), path);
        match aligned_uoffset(self.buffer, at).and_then(|position| string(self.buffer, position)) {
            Ok(found) => {
                let span = found.span();
                let (first, len) = (found.first(), found.as_bytes().len());
                if !self.visits(Kind::String, first)? {
                    return Ok(());
                }
                self.spend(len + 5)?;
                self.last = self.last.max(first + len + 1);
                self.part(PartKind::Count, Span::new(span.offset - 4, 4), path);
                self.part(PartKind::Elements, span, path);
                self.part(PartKind::Terminator, Span::new(span.end(), 1), path);
                self.visitor.string(found, path)
            }
            Err(Broken) => {
                self.describe(path, |buffer, at, _| string(buffer, aligned_uoffset(buffer, at)?).map(drop), at, 0)
            }
        }
    }

    /// Follows the uoffset at `at` to a vector with elements of `width` bytes. Returns the first element's position and
    /// the number of elements; `None` if the pass does not visit them.
    #[cfg_attr(target_os = "none", inline(never))]
    fn vector(&mut self, kind: Kind, width: usize, at: usize, path: &Path<'_>) -> Result<Option<(usize, usize)>, Stop> {
        self.part(PartKind::Offset, Span::of(at, 4), path);
        match aligned_uoffset(self.buffer, at).and_then(|position| vector(self.buffer, position, width)) {
            Ok((first, count)) => {
                if !self.visits(kind, first)? {
                    return Ok(None);
                }
                self.spend(4 + count * width)?;
                self.last = self.last.max(first + count * width);
                self.part(PartKind::Count, Span::of(first - 4, 4), path);
                Ok(Some((first, count)))
            }
            Err(Broken) => {
                let read = |buffer: &[u8], at, width| vector(buffer, aligned_uoffset(buffer, at)?, width);
                self.describe(path, read, at, width).map(|()| None)
            }
        }
    }

    /// Visits the union whose tag is the field in `slot`, at `at`, and whose value is in the next slot. The tag gets
    /// the path of the value.
    fn union(&mut self, union: &UnionType, fields: &Fields, slot: usize, at: usize, path: &Path<'_>) -> Flow {
        self.part(PartKind::Scalar, Span::of(at, 1), path);
        let tag = u8_at(self.buffer, at).unwrap_or(0);
        let member = union.member(tag);
        let start = at - usize::from(fields.offset(slot));
        let offset = usize::from(fields.offset(slot + 1));
        if offset == 0 {
            if tag == 0 || member.is_some_and(|member| member.fields.is_empty()) {
                return Ok(());
            }
            return self.fault(Code::UnionWithoutValue, Span::of(at, 1), tag.into(), 0, path);
        }
        let value = start + offset;
        if tag == 0 {
            return self.fault(Code::UnionWithoutType, Span::of(value, 4), 0, 0, path);
        }
        self.part(PartKind::Offset, Span::of(value, 4), path);
        match (aligned_uoffset(self.buffer, value), member) {
            (Ok(position), Some(ty)) => self.table(ty, position, path),
            (Ok(_), None) => Ok(()),
            (Err(Broken), _) => self.bad_offset(value, path),
        }
    }
}
