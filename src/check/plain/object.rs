//! The pass's view of tables: verified vtables, offsets, lists and strings, and the counts of what was visited.

use core::marker::PhantomData;

use super::super::Options;
use super::super::structure::{MOST_TABLES, is_plain};
use super::require;
use crate::flatbuffer::schema::{Element, TableType, TableView};
use crate::flatbuffer::walk::{Child, Fields, Resolved, SCHEMA_DEPTH, Tally, Visited};
use crate::flatbuffer::{PREFIX_LEN, Str, Table, Vector, i32_at, u32_at};
use crate::image::FLATBUFFER_LIMIT;
use crate::{Image, Span};

/// The verified vtable of tables of type `T`, which has `FIELDS` fields.
///
/// The number of fields is part of the type, so that a new field of the schema does not compile before the pass visits
/// the field.
#[derive(Clone, Copy)]
pub(super) struct VtableShape<T, const FIELDS: usize> {
    vtable: VerifiedVtable,
    table: PhantomData<fn() -> T>,
}

/// A verified vtable.
#[derive(Clone, Copy)]
struct VerifiedVtable {
    position: u32,
    /// The largest end of a field, relative to the table; 2^31 if there is no vtable, so that
    /// `finish` rejects the file.
    end: u32,
    slots: u16,
    /// The last three bits that the offsets of all 8-byte numbers have in common, or 0 without such numbers.
    phase: u8,
    /// The bits of a table's position plus `phase` that must be 0.
    mask: u8,
    fields: Fields,
}

impl<T, const FIELDS: usize> VtableShape<T, FIELDS> {
    pub(super) const NONE: Self = Self {
        vtable: VerifiedVtable { position: u32::MAX, end: 1 << 31, slots: 0, phase: 0, mask: 3, fields: Fields::NONE },
        table: PhantomData,
    };

    /// The table at `position`, which has this vtable.
    #[inline]
    fn on<'a>(&self, region: &'a [u8], position: usize) -> Visited<'_, 'a, T>
    where
        T: TableView<'a>,
    {
        let VerifiedVtable { position: vtable, slots, fields, .. } = &self.vtable;
        Visited::new(Table::checked(region, position, *vtable as usize, *slots), fields)
    }
}

/// The counts of the visited tables, vectors and strings, which equal those of the verification pass.
pub(super) struct Visit<'a> {
    region: &'a [u8],
    /// The number of visited bytes. Shared parts count at each visit.
    ///
    /// In a plainly good file, the number is at most the length of the FlatBuffer. Each visit of a list or a string
    /// checks this limit, so the time of the pass is linear. A visit of a table needs no check, because each table
    /// except the root belongs to a table or a list.
    apparent_size: u64,
    tables: u32,
    first: usize,
    /// The largest end of a visited part. `finish` checks that this end is inside the FlatBuffer.
    last: usize,
}

impl<'a> Visit<'a> {
    /// Begins the visit of a file's FlatBuffer, which ends at `end`.
    pub(super) fn new(image: Image<'a>, end: u64) -> Option<Self> {
        require!(end < FLATBUFFER_LIMIT);
        let region = image.region(end)?;
        Some(Self { region, apparent_size: 0, tables: 0, first: usize::MAX, last: PREFIX_LEN })
    }

    /// The counts, in the form of the verification pass; `None` if they exceed a limit.
    pub(super) fn finish(&self, options: &Options) -> Option<Tally> {
        let (limits, len) = (&options.limits, self.region.len());
        let first = self.first.min(self.last);
        let used = Span::of(first, self.last - first);
        let tally = Tally { tables: self.tables, apparent_size: self.apparent_size, used };
        require!(self.last <= len);
        require!(tally.apparent_size <= len as u64);
        // Below this limit, the checker counts how deep tables are nested.
        require!(limits.depth >= SCHEMA_DEPTH);
        require!(tally.tables <= limits.tables.min(MOST_TABLES));
        require!(tally.apparent_size <= limits.apparent_size_of(len));
        Some(tally)
    }

    /// Visits the root table, and records its position as used.
    pub(super) fn root<'s, T: TableView<'a>, const F: usize>(
        &mut self,
        shape: &'s mut [VtableShape<T, F>; 1],
    ) -> Option<Visited<'s, 'a, T>> {
        let position = crate::flatbuffer::root_position(self.region).ok()?;
        self.first = position;
        self.table(position, shape)
    }

    /// Visits the table at `position`. Searches the table's vtable among `shapes`, or verifies the vtable.
    #[inline(always)]
    pub(super) fn table<'s, T: TableView<'a>, const F: usize, const N: usize>(
        &mut self,
        position: usize,
        shapes: &'s mut [VtableShape<T, F>; N],
    ) -> Option<Visited<'s, 'a, T>> {
        let shape = self.shape_of(position, shapes)?;
        let VerifiedVtable { end, phase, mask, .. } = shape.vtable;
        require!((position + usize::from(phase)) & usize::from(mask) == 0);
        self.apparent_size += u64::from(end);
        self.last = self.last.max(position + end as usize);
        self.tables += 1;
        Some(shape.on(self.region, position))
    }

    /// Returns a table that the pass also visits, before or later. The offset at position `at` refers to the table.
    #[inline]
    pub(super) fn again<'s, T: TableView<'a>, const F: usize, const N: usize>(
        &mut self,
        at: usize,
        shapes: &'s mut [VtableShape<T, F>; N],
    ) -> Option<Visited<'s, 'a, T>> {
        let position = self.target(at)?;
        Some(self.shape_of(position, shapes)?.on(self.region, position))
    }

    /// Returns the table at `index` of a list. The pass also visits the table, before or later.
    #[inline]
    pub(super) fn element<'s, T: TableView<'a>, const F: usize, const N: usize>(
        &mut self,
        list: Vector<'a, T>,
        index: usize,
        shapes: &'s mut [VtableShape<T, F>; N],
    ) -> Option<Visited<'s, 'a, T>> {
        self.again(list.element(index)?, shapes)
    }

    /// The vtable of the table at `position`: one of `shapes`, or a verified vtable that replaces one of them.
    #[inline(always)]
    fn shape_of<'s, T: TableView<'a>, const F: usize, const N: usize>(
        &mut self,
        position: usize,
        shapes: &'s mut [VtableShape<T, F>; N],
    ) -> Option<&'s VtableShape<T, F>> {
        let vtable = self.vtable_of(position)?;
        let index = match shapes.iter().position(|shape| shape.vtable.position == vtable) {
            Some(index) => index,
            None => self.measure(vtable, shapes)?,
        };
        // The remainder removes the bounds check.
        shapes.get(index % N)
    }

    /// The position of a table's vtable. An invalid position stays invalid, because every valid position is less than
    /// 2^31.
    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "positions in a FlatBuffer are less than 2^31")]
    fn vtable_of(&self, position: usize) -> Option<u32> {
        Some((position as u32).wrapping_sub(i32_at(self.region, position)?.cast_unsigned()))
    }

    /// Verifies a vtable of tables of type `T`, and stores it in `shapes`. Returns the index of the vtable.
    #[cold]
    fn measure<T: TableView<'a>, const F: usize, const N: usize>(
        &mut self,
        vtable: u32,
        shapes: &mut [VtableShape<T, F>; N],
    ) -> Option<usize> {
        const { assert!(T::TYPE.fields.len() == F, "the pass does not visit every field of the table") };
        let free = shapes.iter().position(|shape| shape.vtable.position == u32::MAX);
        let index = free.unwrap_or(vtable as usize / 2 % N);
        let (widths, wide) = const { (&widths::<F>(T::TYPE), wide_slots(T::TYPE)) };
        self.verify_vtable(vtable, widths, wide, &mut shapes.get_mut(index)?.vtable)?;
        Some(index)
    }

    /// Verifies a vtable, and stores it in `verified`; `widths` and `wide` are the results of [`widths`] and
    /// [`wide_slots`]. If the function fails, `verified` is not valid.
    ///
    /// This function is the same code for all types of tables, because there are few vtables in a file.
    #[inline(never)]
    fn verify_vtable(
        &mut self,
        vtable: u32,
        widths: &[[u8; 2]],
        wide: u32,
        verified: &mut VerifiedVtable,
    ) -> Option<()> {
        let at = vtable as usize;
        require!(at.is_multiple_of(2));
        let ([len_low, len_high, object_low, object_high], rest) = self.region.get(at..)?.split_first_chunk()?;
        let len = usize::from(u16::from_le_bytes([*len_low, *len_high]));
        require!(len.is_multiple_of(2));
        let entries = rest.get(..len.checked_sub(4)?)?;
        verified.fields = Fields::NONE;
        let (mut end, mut joined) = (4, 0);
        for ((entry, [width, mask]), field) in
            entries.as_chunks().0.iter().zip(widths).zip(&mut verified.fields.offsets)
        {
            let offset = u16::from_le_bytes(*entry);
            if offset != 0 {
                require!(offset >= 4);
                *field = offset;
                end = end.max(u32::from(offset) + u32::from(*width));
                joined |= offset & u16::from(*mask);
            }
        }
        require!(end <= u32::from(u16::from_le_bytes([*object_low, *object_high])).max(4));
        require!(joined == 0);
        (verified.phase, verified.mask) = phase(wide, &verified.fields)?;
        self.first = self.first.min(at);
        self.last = self.last.max(at + len);
        (verified.position, verified.end) = (vtable, end);
        verified.slots = u16::try_from(entries.len() / 2).ok()?;
        Some(())
    }

    /// Counts the bytes of a visited list or string. Returns `None` if the visited bytes exceed the FlatBuffer.
    #[inline]
    fn spend(&mut self, bytes: usize) -> Option<()> {
        self.apparent_size += bytes as u64;
        require!(self.apparent_size <= self.region.len() as u64);
        Some(())
    }

    /// Visits the table that a field refers to; `None` if the field is absent.
    #[inline(always)]
    pub(super) fn child<'s, T: TableView<'a>, const F: usize, const N: usize>(
        &mut self,
        child: Child<'a, T>,
        shapes: &'s mut [VtableShape<T, F>; N],
    ) -> Option<Visited<'s, 'a, T>> {
        self.follow(child.offset_position()?, shapes)
    }

    /// Visits the table that the offset at position `at` refers to.
    #[inline(always)]
    pub(super) fn follow<'s, T: TableView<'a>, const F: usize, const N: usize>(
        &mut self,
        at: usize,
        shapes: &'s mut [VtableShape<T, F>; N],
    ) -> Option<Visited<'s, 'a, T>> {
        self.table(self.target(at)?, shapes)
    }

    /// The position of the table to which the offset at position `at` refers, possibly past the end.
    #[inline]
    fn target(&self, at: usize) -> Option<usize> {
        target_of(at, u32_at(self.region, at)?)
    }

    /// The positions of the tables in a list, possibly past the end.
    #[inline]
    pub(super) fn positions<T: TableView<'a>>(
        &self,
        list: Vector<'a, T>,
    ) -> impl Iterator<Item = Option<usize>> + use<'a, T> {
        let ((words, _), first) = (list.as_bytes().as_chunks::<4>(), list.first());
        words.iter().enumerate().map(move |(index, word)| target_of(first + 4 * index, u32::from_le_bytes(*word)))
    }

    /// Visits a list that must be present.
    #[inline]
    pub(super) fn list<T: Element<'a>>(&mut self, found: Resolved<Vector<'a, T>>) -> Option<Vector<'a, T>> {
        let list = found.here()?;
        let bytes = list.len() * T::WIDTH;
        self.spend(4 + bytes)?;
        self.last = self.last.max(list.first() + bytes);
        Some(list)
    }

    /// Visits a list that may be absent.
    #[inline]
    pub(super) fn optional_list<T: Element<'a>>(
        &mut self,
        found: Resolved<Vector<'a, T>>,
    ) -> Option<Option<Vector<'a, T>>> {
        if found.is_absent() { Some(None) } else { self.list(found).map(Some) }
    }

    /// Visits a list that is absent or has no elements. Such a list belongs to a rare feature.
    #[inline]
    pub(super) fn empty_list<T: Element<'a>>(&mut self, found: Resolved<Vector<'a, T>>) -> Option<()> {
        let list = self.optional_list(found)?;
        require!(list.is_none_or(Vector::is_empty));
        Some(())
    }

    /// Whether the bool in a slot of a table is 0, 1 or absent.
    #[inline]
    pub(super) fn is_bool<T: TableView<'a>>(&self, table: &Visited<'_, 'a, T>, slot: usize) -> bool {
        table.at(slot).is_none_or(|at| self.region.get(at).is_some_and(|byte| *byte <= 1))
    }

    /// Visits a string that must be present and consist of nonzero ASCII characters.
    #[inline]
    pub(super) fn text(&mut self, found: Resolved<Str<'a>>) -> Option<&'a [u8]> {
        let text = self.any_text(found)?;
        require!(is_plain(text));
        Some(text)
    }

    /// Visits a string that must be present. The caller checks the characters.
    #[inline]
    pub(super) fn any_text(&mut self, found: Resolved<Str<'a>>) -> Option<&'a [u8]> {
        let found = found.here()?;
        let text = found.as_bytes();
        self.spend(text.len() + 5)?;
        self.last = self.last.max(found.first() + text.len() + 1);
        Some(text)
    }

    /// Visits a string that may be absent.
    #[inline]
    pub(super) fn optional_text(&mut self, found: Resolved<Str<'a>>) -> Option<Option<&'a [u8]>> {
        if found.is_absent() { Some(None) } else { self.text(found).map(Some) }
    }
}

/// The position to which the offset at position `at` refers.
///
/// An offset of 0 refers to itself, where no table can be: its vtable would have the length 0.
#[inline]
fn target_of(at: usize, offset: u32) -> Option<usize> {
    // Both numbers have 32 bits, so the sum does not overflow.
    #[allow(clippy::cast_possible_truncation, reason = "positions are less than 2^31")]
    usize::try_from(u64::from(at as u32) + u64::from(offset)).ok()
}

/// Returns the slot of a field. Does not compile if the table has no such field.
pub(super) const fn slot_of(ty: &TableType, name: &str) -> usize {
    let mut index = 0;
    loop {
        let (field, mut at) = (&ty.fields[index], 0);
        let (own, name) = (field.name.as_bytes(), name.as_bytes());
        while own.len() == name.len() && at < own.len() && own[at] == name[at] {
            at += 1;
        }
        if at == name.len() && own.len() == name.len() {
            return field.slot as usize;
        }
        index += 1;
    }
}

/// The width of each field of a table in bytes, by slot, and the bits of the field's offset that must be 0.
const fn widths<const FIELDS: usize>(ty: &TableType) -> [[u8; 2]; FIELDS] {
    let (mut index, mut widths) = (0, [[0; 2]; FIELDS]);
    while index < FIELDS {
        assert!(ty.fields[index].slot as usize == index, "the slots are consecutive");
        let width = ty.fields[index].kind.width();
        assert!(width <= 8, "a field has at most 8 bytes");
        widths[index] = [width.to_le_bytes()[0], if width >= 4 { 3 } else { 0 }];
        index += 1;
    }
    widths
}

/// The slots of a table's 8-byte numbers, as bits.
const fn wide_slots(ty: &TableType) -> u32 {
    let (mut index, mut wide) = (0, 0);
    while index < ty.fields.len() {
        if ty.fields[index].kind.width() == 8 {
            wide |= 1 << ty.fields[index].slot;
        }
        index += 1;
    }
    wide
}

/// The last three bits that the offsets of a table's 8-byte numbers have in common, and the mask of the bits of a
/// position that must be 0 with these bits added; `None` if the offsets differ in these bits.
///
/// In a table at a valid position, these bits are equal, because each number is at a multiple of 8.
#[inline]
fn phase(mut wide: u32, fields: &Fields) -> Option<(u8, u8)> {
    let mut found = None;
    while wide != 0 {
        let offset = fields.offset(wide.trailing_zeros() as usize);
        let [last, _] = offset.to_le_bytes();
        if offset != 0 {
            require!(found.is_none_or(|found| found == last % 8));
            found = Some(last % 8);
        }
        wide &= wide - 1;
    }
    Some(found.map_or((0, 3), |phase| (phase, 7)))
}
