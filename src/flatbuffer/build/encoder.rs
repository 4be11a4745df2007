//! The state of one encoding: the reversed buffer and the unfinished tables.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::builder::Builder;
use super::share::{self, Content, Key, SharedParts};
use super::vtables::{Vtable, Vtables};
use crate::flatbuffer::PREFIX_LEN;
use crate::flatbuffer::schema::{Field, Kind, TableType};
use crate::flatbuffer::table::OFFSET_LIMIT;
use crate::flatbuffer::tree::{FieldValue, Repr, TableTree, check_type, field_error};
use crate::write_error::{WriteCause, WriteError};

/// The buffer's initial capacity in bytes, large enough that small files need no reallocation.
const FIRST_CAPACITY: usize = 1024;
const FIRST_FIELDS: usize = 32;

/// The type of the empty table that represents a union value of unknown type.
static OPAQUE: TableType = TableType::new("opaque", 0, &[]);

/// The result of an encoding step. The error is boxed to keep it small.
type EncodeResult<T = ()> = Result<T, Box<WriteError>>;

#[cold]
fn too_large() -> Box<WriteError> {
    Box::new(WriteError::new(WriteCause::Limit, "", "the FlatBuffer is too large; expected less than 2^31 bytes"))
}

impl Builder {
    /// Encodes the tree `root`. A second tree of the same type, `more`, supplies the fields that `root` does not set.
    pub(crate) fn encode_with(&self, root: &TableTree, more: &TableTree) -> Result<Vec<u8>, WriteError> {
        Encoder::new(self).encode(root, more)
    }
}

/// The state of one encoding. Positions are counted from the end of the buffer, whose length is unknown until the
/// encoding is complete.
pub(super) struct Encoder<'b> {
    builder: &'b Builder,
    /// The bytes written so far, last byte first.
    out: Vec<u8>,
    max_align: usize,
    /// The field contents of tables that are not yet written.
    contents: Vec<Content>,
    /// The positions of tables that are already written but whose vector is not.
    elements: Vec<u32>,
    /// The start of the field in each slot of the current table, in the form that [`Vtable`] requires.
    slots: Vec<u16>,
    vtables: Vtables,
    /// The parts written so far, by content; `None` if sharing is disabled.
    shared: Option<SharedParts>,
}

impl<'b> Encoder<'b> {
    pub(super) fn new(builder: &'b Builder) -> Self {
        Self {
            builder,
            out: Vec::with_capacity(FIRST_CAPACITY),
            max_align: 4,
            contents: Vec::with_capacity(FIRST_FIELDS),
            elements: Vec::new(),
            slots: Vec::with_capacity(FIRST_FIELDS),
            vtables: Vtables::new(),
            shared: builder.share.then(SharedParts::default),
        }
    }

    /// Writes the whole buffer. Fields that `root` does not set come from the tree `more`.
    pub(super) fn encode(mut self, root: &TableTree, more: &TableTree) -> Result<Vec<u8>, WriteError> {
        let added = more.fields().filter(|(field, _)| root.fields().all(|(own, _)| own.slot != field.slot));
        let mut fields: Vec<(&'static Field, &FieldValue)> = root.fields().chain(added).collect();
        fields.sort_by_key(|(field, _)| field.slot);
        let done = self.table_of(root, fields.into_iter()).and_then(|position| self.finish(position));
        done.map_err(|error| *error)?;
        self.out.reverse();
        Ok(self.out)
    }

    fn finish(&mut self, root: u32) -> EncodeResult {
        self.align(self.max_align, PREFIX_LEN)?;
        self.put(self.builder.identifier)?;
        self.offset(root)
    }

    /// The number of bytes written so far, which [`within_limit`] keeps below 2^31.
    #[allow(clippy::cast_possible_truncation, reason = "it is below 2^31")]
    fn here(&self) -> u32 {
        self.out.len() as u32
    }

    /// Writes padding such that the next `following` bytes end at a multiple of `align`, which is a power of two.
    #[inline]
    fn align(&mut self, align: usize, following: usize) -> EncodeResult {
        self.max_align = self.max_align.max(align);
        let (used, mask) = (self.out.len(), align - 1);
        let end = used.checked_add(following).ok_or_else(too_large)?;
        let padded = end.checked_add(mask).ok_or_else(too_large)? & !mask;
        within_limit(padded)?;
        if padded != end {
            self.out.resize(used + (padded - end), 0);
        }
        Ok(())
    }

    #[inline]
    fn put<const WIDTH: usize>(&mut self, mut bytes: [u8; WIDTH]) -> EncodeResult {
        self.align(WIDTH, WIDTH)?;
        bytes.reverse();
        self.out.extend_from_slice(&bytes);
        Ok(())
    }

    #[inline]
    fn offset(&mut self, target: u32) -> EncodeResult {
        self.align(4, 4)?;
        let own = self.here() + 4;
        self.put((own - target).to_le_bytes())
    }

    fn count(&mut self, count: usize) -> EncodeResult<u32> {
        let count = u32::try_from(count).map_err(|_| too_large())?;
        self.put(count.to_le_bytes())?;
        Ok(self.here())
    }

    fn string(&mut self, bytes: &[u8]) -> EncodeResult<u32> {
        let key = self.shared.is_some().then(|| Key::String(bytes.to_vec()));
        self.once(key, |encoder| {
            encoder.align(4, bytes.len() + 1)?;
            encoder.out.push(0);
            encoder.out.extend(bytes.iter().rev());
            encoder.count(bytes.len())
        })
    }

    fn elements(&mut self, count: usize, bytes: &[u8], align: usize) -> EncodeResult<u32> {
        let key = self.shared.is_some().then(|| Key::Elements(align, count, bytes.to_vec()));
        self.once(key, |encoder| {
            encoder.align(align.max(4), bytes.len())?;
            encoder.out.extend(bytes.iter().rev());
            encoder.count(count)
        })
    }

    fn tables(&mut self, tables: &[TableTree]) -> EncodeResult<u32> {
        let first = self.elements.len();
        for table in tables {
            let position = self.table(table)?;
            self.elements.push(position);
        }
        let key = self.shared.is_some().then(|| share::offsets_key(&self.elements[first..]));
        let position = self.once(key, |encoder| {
            encoder.align(4, tables.len().checked_mul(4).ok_or_else(too_large)?)?;
            for index in (first..encoder.elements.len()).rev() {
                encoder.offset(encoder.elements[index])?;
            }
            encoder.count(tables.len())
        })?;
        self.elements.truncate(first);
        Ok(position)
    }

    /// Returns the position of the part with this key, and calls `write` to write it if it is new. If sharing is
    /// disabled, `key` is `None` and the part is always written.
    fn once(&mut self, key: Option<Key>, write: impl FnOnce(&mut Self) -> EncodeResult<u32>) -> EncodeResult<u32> {
        let Some(key) = key else { return write(self) };
        if let Some(position) = self.shared.as_ref().and_then(|shared| shared.position(&key)) {
            return Ok(position);
        }
        let position = write(self)?;
        if let Some(shared) = &mut self.shared {
            shared.add(key, position);
        }
        Ok(position)
    }

    fn table(&mut self, table: &TableTree) -> EncodeResult<u32> {
        self.table_of(table, table.fields())
    }

    /// Writes the children of a table, then the table itself. `fields` are in slot order.
    fn table_of<'v>(
        &mut self,
        table: &TableTree,
        fields: impl Iterator<Item = (&'static Field, &'v FieldValue)>,
    ) -> EncodeResult<u32> {
        if let Some(mistake) = table.mistake() {
            return Err(Box::new(mistake.clone()));
        }
        let first = self.contents.len();
        for (field, value) in fields {
            let content = self.content(table.ty(), field, value)?;
            self.contents.push(content);
        }
        let key = self.shared.is_some().then(|| Key::Tables(table.ty().name, self.contents[first..].to_vec()));
        let position = self.once(key, |encoder| encoder.fields(first))?;
        self.contents.truncate(first);
        Ok(position)
    }

    /// Returns a field's inline content. If the field has a child, writes the child first.
    fn content(&mut self, ty: &'static TableType, field: &'static Field, value: &FieldValue) -> EncodeResult<Content> {
        let position = match &value.0 {
            Repr::Scalar(scalar, bytes) => {
                return Ok(Content { slot: field.slot, width: scalar.width(), bytes: *bytes });
            }
            Repr::String(bytes) => self.string(bytes)?,
            Repr::Scalars(scalar, bytes) => {
                let width = scalar.width();
                let least = if let Kind::Scalars(_, align) = field.kind { align } else { width };
                let align = self.builder.alignment(ty, field, least).max(width);
                self.elements(bytes.len() / width, bytes, align)?
            }
            Repr::Table(table) => {
                if let Kind::Table(wanted) = field.kind {
                    expect_type(ty, field, wanted, table.ty())?;
                }
                self.table(table)?
            }
            Repr::Tables(tables) => {
                if let Kind::Tables(wanted) = field.kind {
                    tables.iter().try_for_each(|table| expect_type(ty, field, wanted, table.ty()))?;
                }
                self.tables(tables)?
            }
            Repr::Opaque => self.table(&TableTree::new(&OPAQUE))?,
        };
        Ok(Content::offset(field.slot, position))
    }

    /// Writes a table's fields and its vtable. The field contents start at index `first` of `contents`.
    fn fields(&mut self, first: usize) -> EncodeResult<u32> {
        let end = self.out.len();
        let mut hash = 0;
        self.slots.clear();
        for index in first..self.contents.len() {
            let content = self.contents[index];
            let [a, b, c, d, ..] = content.bytes;
            match content.width {
                Content::OFFSET => self.offset(u32::from_le_bytes([a, b, c, d]))?,
                1 => self.put([a])?,
                4 => self.put([a, b, c, d])?,
                _ => self.put(content.bytes)?,
            }
            #[allow(clippy::cast_possible_truncation, reason = "`Vtable::new` rejects larger tables")]
            let begin = (self.out.len() - end) as u16;
            // Slots are in ascending order, so the vtable ends at the last slot that is set.
            self.slots.resize(content.slot.into(), 0);
            self.slots.push(begin);
            hash = Vtable::mix(hash, content.slot, begin);
        }
        self.put([0; 4])?;
        let object = self.here();
        let vtable = self.vtable(self.out.len() - end, hash)?;
        // Positions are below 2^31, so the casts to signed numbers change no value.
        let back = vtable.cast_signed() - object.cast_signed();
        let at = object as usize;
        // The buffer is reversed, so the little-endian word is written as big-endian.
        self.out[at - 4..at].copy_from_slice(&back.to_be_bytes());
        Ok(object)
    }

    /// Returns the position of the vtable for the table just written, whose fields start at `slots`. This is an equal
    /// vtable already in the buffer, or a new one right before the table.
    fn vtable(&mut self, object_len: usize, hash: u32) -> EncodeResult<u32> {
        let vtable = Vtable::new(&self.slots, object_len, hash).ok_or_else(too_large)?;
        if let Some(position) = self.vtables.find(&vtable, &self.out) {
            return Ok(position);
        }
        // The lengths of the buffer and the vtable are both even, so no padding is needed.
        within_limit(self.out.len() + vtable.len())?;
        self.out.extend(vtable.bytes());
        let position = self.here();
        self.vtables.add(&vtable, position);
        Ok(position)
    }
}

#[inline]
fn within_limit(len: usize) -> EncodeResult {
    if len < OFFSET_LIMIT as usize { Ok(()) } else { Err(too_large()) }
}

fn expect_type(
    ty: &'static TableType,
    field: &Field,
    wanted: &'static TableType,
    given: &'static TableType,
) -> EncodeResult {
    check_type(wanted, given).map_err(|message| Box::new(field_error(ty, field, message)))
}
