//! **The structure pass**: visits every table of a FlatBuffer once per reference, and tells a [`Visitor`] what it finds.
//!
//! The pass decides what the FlatBuffers format asks: positions, alignment, vtables, references, counts, string ends and
//! unions. It allocates nothing and recurses only as deep as the schema nests. Vtables are checked once and remembered, since
//! a file's many tables share few of them; a table's inline fields are then checked against the buffer's end in one comparison.

use core::fmt;

use super::bytes::{i32_at, u8_at, u16_at};
use super::fault::{Code, Fault};
use super::schema::{Element, EnumType, Scalar, TableType, TableView, UnionTag};
use super::table::{REFERENCE_LIMIT, Str, Table, reference, string, vector, vtable_position, vtable_slots};
use crate::{Limit, Limits, Span};

/// Why a pass ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The visitor has seen enough.
    Asked,
    /// The file passed a limit.
    Limit(Limit),
}

/// Whether to go on.
pub type Flow = Result<(), Stop>;

/// The path from the root to a field: a list on the stack, so that having it costs nothing and only printing it does.
///
/// The pass hands it on by value: as long as nobody looks at it, it stays in registers.
#[derive(Clone, Copy)]
pub struct Path<'p> {
    parent: Option<&'p Path<'p>>,
    step: Step,
}

#[derive(Clone, Copy)]
enum Step {
    /// A field; of the root alone the empty name.
    Field(&'static str),
    Index(usize),
}

impl<'p> Path<'p> {
    /// The root table.
    pub const ROOT: Path<'static> = Path { parent: None, step: Step::Field("") };

    /// A field of this table.
    #[must_use]
    #[inline]
    pub const fn field(&'p self, name: &'static str) -> Path<'p> {
        Path { parent: Some(self), step: Step::Field(name) }
    }

    /// An element of this vector.
    #[must_use]
    #[inline]
    pub const fn index(&'p self, index: usize) -> Path<'p> {
        Path { parent: Some(self), step: Step::Index(index) }
    }

    /// The path of the value beside this union tag: the tag of `val` is `val_type`.
    fn value_of_tag(&self) -> Path<'p> {
        match self.step {
            Step::Field(name) => {
                Path { parent: self.parent, step: Step::Field(name.strip_suffix("_type").unwrap_or(name)) }
            }
            _ => *self,
        }
    }

    /// The index of the element that this path names, if it names one.
    #[must_use]
    pub const fn last_index(&self) -> Option<usize> {
        match self.step {
            Step::Index(index) => Some(index),
            _ => None,
        }
    }
}

impl fmt::Display for Path<'_> {
    /// Writes `execution_plan[0].values[3].sizes`; the root is the empty path.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
        }
        match self.step {
            Step::Index(index) => write!(f, "[{index}]"),
            Step::Field(name) if self.parent.is_none_or(|parent| parent.parent.is_none()) => f.write_str(name),
            Step::Field(name) => write!(f, ".{name}"),
        }
    }
}

impl fmt::Debug for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Path({self})")
    }
}

/// A piece of the buffer that the pass has accounted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The root offset.
    Root,
    /// A table's first word.
    TableStart(&'static str),
    /// A vtable, and the type of the table that showed it first.
    Vtable(&'static str),
    /// An inline number, bool, enum value or union tag.
    Scalar,
    /// A reference stored in a table or vector.
    Reference,
    /// A vector's or string's count.
    Count,
    /// A vector's elements or a string's bytes.
    Elements,
    /// The zero byte behind a string.
    Terminator,
}

/// What the structure pass tells.
///
/// Every method but [`Visitor::fault`] has a body that does nothing and costs nothing.
pub trait Visitor<'a> {
    /// Something breaks the format; what it leads to is left out.
    ///
    /// # Errors
    ///
    /// [`Stop`] ends the pass, here and in every other method.
    fn fault(&mut self, fault: &Fault, path: Path<'_>) -> Flow;

    /// A vtable's field lies outside its object.
    ///
    /// # Errors
    ///
    /// [`Stop`] ends the pass.
    fn outside_object(&mut self, _field: &Fault, _object_len: u16, _path: Path<'_>) -> Flow {
        Ok(())
    }

    /// A table and all that it leads to have been visited.
    ///
    /// # Errors
    ///
    /// [`Stop`] ends the pass.
    fn table<T: TableView<'a>>(&mut self, _table: T, _path: Path<'_>) -> Flow {
        Ok(())
    }

    /// A string that is inside the buffer and ends with a zero byte.
    ///
    /// # Errors
    ///
    /// [`Stop`] ends the pass.
    fn string(&mut self, _string: Str<'a>, _path: Path<'_>) -> Flow {
        Ok(())
    }

    /// Bytes that are bools.
    ///
    /// # Errors
    ///
    /// [`Stop`] ends the pass.
    fn bools(&mut self, _bytes: &'a [u8], _at: usize, _path: Path<'_>) -> Flow {
        Ok(())
    }

    /// An enum's value.
    ///
    /// # Errors
    ///
    /// [`Stop`] ends the pass.
    fn enumeration(&mut self, _type: &'static EnumType, _value: i8, _at: usize, _path: Path<'_>) -> Flow {
        Ok(())
    }

    /// Elements that the schema aligns further than their size asks.
    ///
    /// # Errors
    ///
    /// [`Stop`] ends the pass.
    fn aligned(&mut self, _elements: Span, _align: usize, _path: Path<'_>) -> Flow {
        Ok(())
    }

    /// Bytes that belong to something.
    fn part(&mut self, _part: Part, _span: Span, _path: Path<'_>) {}
}

/// The most fields that a table here has.
pub(crate) const MAX_FIELDS: usize = 10;

/// A checked vtable: each field's offset in the object, 0 when absent.
#[derive(Clone, Copy, Debug)]
pub struct Fields {
    offsets: [u16; MAX_FIELDS],
}

impl Fields {
    /// The offset of the field in `slot`.
    #[inline]
    pub(crate) fn offset(&self, slot: usize) -> u16 {
        self.offsets.get(slot).copied().unwrap_or(0)
    }
}

/// A vtable that has been checked for one type of table: 32 bytes, so that keeping and copying it is cheap.
#[derive(Clone, Copy)]
struct Memo {
    /// Position of the vtable, which is below 2^31; `u32::MAX` in an empty entry.
    vtable: u32,
    /// Where the last known field ends, from the table's start.
    end: u32,
    slots: u16,
    id: u8,
    fields: Fields,
}

/// Checked vtables kept at a time; a file's tables share few, and a miss only costs the check again.
const MEMOS: usize = 32;

const EMPTY: Memo = Memo { vtable: u32::MAX, end: 0, slots: 0, id: 0, fields: Fields { offsets: [0; MAX_FIELDS] } };

/// What a finished pass has counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Tally {
    /// Tables visited, a shared one counted at each visit.
    pub tables: u32,
    /// Bytes of tables, vectors and strings visited.
    pub apparent_size: u64,
}

/// One structure pass over one buffer.
#[derive(Debug)]
pub struct Walk<'a, V> {
    buffer: &'a [u8],
    visitor: V,
    limits: Limits,
    tally: Tally,
    depth: u32,
    memos: [Memo; MEMOS],
}

impl fmt::Debug for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memo({:#x})", self.vtable)
    }
}

/// Visits the whole buffer, whose root is a `T`.
///
/// Returns the visitor, what was counted, and whether the pass was ended early.
pub fn walk<'a, T: TableView<'a>, V: Visitor<'a>>(buffer: &'a [u8], limits: Limits, visitor: V) -> (V, Tally, Flow) {
    let mut walk = Walk { buffer, visitor, limits, tally: Tally::default(), depth: 0, memos: [EMPTY; MEMOS] };
    let flow =
        if buffer.len() < REFERENCE_LIMIT as usize { walk.root::<T>() } else { Err(Stop::Limit(Limit::BufferSize)) };
    (walk.visitor, walk.tally, flow)
}

impl<'a, V: Visitor<'a>> Walk<'a, V> {
    fn root<T: TableView<'a>>(&mut self) -> Flow {
        let position = match super::root_position(self.buffer) {
            Ok(position) => position,
            Err(fault) => return self.fault(fault, Path::ROOT),
        };
        self.visitor.part(Part::Root, Span::of(0, 4), Path::ROOT);
        if position % 4 != 0 {
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
    pub(crate) fn table_behind<T: TableView<'a>>(&mut self, at: usize, path: Path<'_>) -> Flow {
        self.visitor.part(Part::Reference, Span::of(at, 4), path);
        match reference(self.buffer, at) {
            Ok(position) => self.table::<T>(position, path),
            Err(fault) => self.fault(fault, path),
        }
    }

    /// A table whose first word is inside the buffer.
    pub(crate) fn table<T: TableView<'a>>(&mut self, position: usize, path: Path<'_>) -> Flow {
        if self.tally.tables >= self.limits.tables {
            return Err(Stop::Limit(Limit::Tables));
        }
        self.tally.tables += 1;
        if position % 4 != 0 {
            let fault = Fault::new(Code::TableMisaligned, Span::of(position, 4), position as u64, 4);
            return self.fault(fault, path);
        }
        // Only a hint: a wrong guess of the vtable's position is no position of a vtable that was checked.
        let back = i32_at(self.buffer, position).unwrap_or(0);
        let vtable = (position as u32).wrapping_sub(back.cast_unsigned());
        let slot = ((vtable >> 1) ^ (vtable >> 6)) as usize % MEMOS;
        let mut memo = self.memos[slot];
        if memo.vtable != vtable || memo.id != T::ID {
            memo = match self.check_vtable::<T>(position, path)? {
                Ok(memo) => memo,
                Err(fault) => return self.fault(fault, path),
            };
            self.memos[slot] = memo;
        }
        if memo.end as usize > self.buffer.len() - position {
            return self.field_past_end(T::TYPE, position, &memo.fields, path);
        }
        self.spend(memo.end as usize)?;
        if self.depth >= self.limits.depth {
            return Err(Stop::Limit(Limit::Depth));
        }
        self.depth += 1;
        self.visitor.part(Part::TableStart(T::TYPE.name), Span::of(position, 4), path);
        T::walk_fields(self, position, &memo.fields, path)?;
        self.depth -= 1;
        let table = Table::checked(self.buffer, position, memo.vtable as usize, memo.slots);
        self.visitor.table(T::from_table(table), path)
    }

    /// Checks the vtable of the table at `position` against the type `T`.
    #[cold]
    fn check_vtable<T: TableView<'a>>(&mut self, position: usize, path: Path<'_>) -> Result<Result<Memo, Fault>, Stop> {
        let checked = vtable_position(self.buffer, position)
            .and_then(|vtable| vtable_slots(self.buffer, vtable).map(|slots| (vtable, slots)));
        let (vtable, slots) = match checked {
            Ok(found) => found,
            Err(fault) => return Ok(Err(fault)),
        };
        let object_len = u16_at(self.buffer, vtable + 2).unwrap_or(0);
        let mut memo = Memo { vtable: vtable as u32, end: 4, slots, id: T::ID, fields: EMPTY.fields };
        for field in T::TYPE.fields {
            let index = usize::from(field.slot);
            if field.slot >= slots || index >= MAX_FIELDS {
                continue;
            }
            let entry = vtable + 4 + 2 * index;
            let offset = u16_at(self.buffer, entry).unwrap_or(0);
            let end = u32::from(offset) + field.kind.width() as u32;
            if offset != 0 {
                memo.fields.offsets[index] = offset;
                memo.end = memo.end.max(end);
                if offset < 4 || end > u32::from(object_len) {
                    let place =
                        Fault::new(Code::FieldPastEnd, Span::of(entry, 2), u64::from(end), u64::from(object_len));
                    self.visitor.outside_object(&place, object_len, path.field(field.name))?;
                }
            }
        }
        self.visitor.part(Part::Vtable(T::TYPE.name), Span::of(vtable, 4 + 2 * usize::from(slots)), path);
        Ok(Ok(memo))
    }

    #[cold]
    fn field_past_end(&mut self, ty: &'static TableType, position: usize, fields: &Fields, path: Path<'_>) -> Flow {
        for field in ty.fields {
            let offset = usize::from(fields.offset(usize::from(field.slot)));
            let span = Span::of(position + offset, field.kind.width());
            if offset != 0 && span.end() > self.buffer.len() as u64 {
                let fault = Fault::new(Code::FieldPastEnd, span, span.end(), self.buffer.len() as u64);
                return self.fault(fault, path.field(field.name));
            }
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn scalar(&mut self, scalar: Scalar, at: usize, path: Path<'_>) -> Flow {
        let width = scalar.width();
        if at % width != 0 {
            return self.fault(Fault::new(Code::Misaligned, Span::of(at, width), at as u64, width as u64), path);
        }
        self.visitor.part(Part::Scalar, Span::of(at, width), path);
        if scalar == Scalar::Bool {
            return self.visitor.bools(self.buffer.get(at..=at).unwrap_or_default(), at, path);
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn enumeration(&mut self, ty: &'static EnumType, at: usize, path: Path<'_>) -> Flow {
        self.visitor.part(Part::Scalar, Span::of(at, 1), path);
        let value = u8_at(self.buffer, at).unwrap_or(0).cast_signed();
        self.visitor.enumeration(ty, value, at, path)
    }

    #[inline]
    pub(crate) fn string(&mut self, at: usize, path: Path<'_>) -> Flow {
        self.visitor.part(Part::Reference, Span::of(at, 4), path);
        match reference(self.buffer, at).and_then(|position| string(self.buffer, position)) {
            Ok(found) => {
                let span = found.span();
                self.spend(found.as_bytes().len() + 5)?;
                self.visitor.part(Part::Count, Span::new(span.offset - 4, 4), path);
                self.visitor.part(Part::Elements, span, path);
                self.visitor.part(Part::Terminator, Span::new(span.end(), 1), path);
                self.visitor.string(found, path)
            }
            Err(fault) => self.fault(fault, path),
        }
    }

    /// The vector behind the reference at `at`, whose elements the schema puts at a multiple of `align`.
    #[inline]
    pub(crate) fn vector<T: Element<'a>>(&mut self, at: usize, align: usize, path: Path<'_>) -> Flow {
        self.visitor.part(Part::Reference, Span::of(at, 4), path);
        match reference(self.buffer, at).and_then(|position| vector(self.buffer, position, T::WIDTH)) {
            Ok((first, count)) => {
                self.spend(4 + count * T::WIDTH)?;
                self.visitor.part(Part::Count, Span::of(first - 4, 4), path);
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
        self.visitor.part(Part::Elements, Span::of(first, count * scalar.width()), path);
        if scalar == Scalar::Bool {
            return self.visitor.bools(self.buffer.get(first..first + count).unwrap_or_default(), first, path);
        }
        Ok(())
    }

    pub(crate) fn tables<T: TableView<'a>>(&mut self, first: usize, count: usize, path: Path<'_>) -> Flow {
        for index in 0..count {
            self.table_behind::<T>(first + 4 * index, path.index(index))?;
        }
        Ok(())
    }

    /// The union whose tag is at `at` in `slot`; its value, if any, is in the next slot of the same table.
    #[inline]
    pub(crate) fn union<U: UnionTag<'a>>(&mut self, fields: &Fields, slot: usize, at: usize, path: Path<'_>) -> Flow {
        self.visitor.part(Part::Scalar, Span::of(at, 1), path);
        let tag = u8_at(self.buffer, at).unwrap_or(0);
        let start = at - usize::from(fields.offset(slot));
        let offset = usize::from(fields.offset(slot + 1));
        let path = path.value_of_tag();
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
        self.visitor.part(Part::Reference, Span::of(value, 4), path);
        match reference(self.buffer, value) {
            Ok(position) => U::walk_value(self, tag, position, path),
            Err(fault) => self.fault(fault, path),
        }
    }
}
