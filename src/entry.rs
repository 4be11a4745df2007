//! One type for entries in a program's named data and in both layouts of data files.

use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::{Str, Table, Vector};
use crate::layout::nbytes;
use crate::ptd::legacy_schema::{LegacyNamedData, TensorMetadata};
use crate::ptd::schema::TensorLayout;
use crate::ptd::{self, Layout, Ptd};
use crate::pte::{self, Pte};
use crate::{Error, ErrorCode, ScalarType, Span, Stage};

/// An entry of a program or data file: bytes that a reader looks up by key.
///
/// [`Pte::named_data`] and [`Ptd::entries`] return all entries of a file. Each method reads only its own entry, so a
/// loop over all entries takes linear time.
#[derive(Clone, Copy, Debug)]
pub struct DataEntry<'a> {
    table: EntryTable<'a>,
    index: usize,
}

#[derive(Clone, Copy, Debug)]
enum EntryTable<'a> {
    Program(Pte<'a>, pte::schema::NamedData<'a>),
    Data(Ptd<'a>, ptd::schema::NamedData<'a>),
    LegacyTensor(Ptd<'a>, TensorMetadata<'a>),
    LegacyBlob(Ptd<'a>, LegacyNamedData<'a>),
}

impl<'a> DataEntry<'a> {
    /// Returns which list of the root table contains the entry: `named_data`, or `tensors` for a legacy tensor.
    #[must_use]
    pub const fn list(self) -> &'static str {
        if matches!(self.table, EntryTable::LegacyTensor(..)) { "tensors" } else { "named_data" }
    }

    /// Returns the entry's index in its [list](Self::list).
    #[must_use]
    pub const fn index(self) -> usize {
        self.index
    }

    /// Returns the key: the name by which readers look up the bytes.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorCode::Missing`] if the entry has no key, or the fault if the access fails.
    pub fn key(self) -> Result<Str<'a>, Error> {
        let field = match self.table {
            EntryTable::Program(..) | EntryTable::Data(..) => "NamedData.key",
            EntryTable::LegacyTensor(..) => "TensorMetadata.fully_qualified_name",
            EntryTable::LegacyBlob(..) => "LegacyNamedData.key",
        };
        self.stored_key()?.ok_or_else(|| Error::new(ErrorCode::Missing, Stage::Meta, self.table().span(), field))
    }

    pub(crate) fn stored_key(self) -> Result<Option<Str<'a>>, Error> {
        Ok(match self.table {
            EntryTable::Program(_, entry) => entry.key()?,
            EntryTable::Data(_, entry) => entry.key()?,
            EntryTable::LegacyTensor(_, tensor) => tensor.fully_qualified_name()?,
            EntryTable::LegacyBlob(_, entry) => entry.key()?,
        })
    }

    /// Returns the element type, or `None` if the file does not describe the entry as a tensor.
    ///
    /// # Errors
    ///
    /// Returns the fault if the access fails.
    pub fn scalar_type(self) -> Result<Option<ScalarType>, Error> {
        Ok(match self.table {
            EntryTable::LegacyTensor(_, tensor) => Some(tensor.scalar_type()?),
            _ => self.layout()?.map(TensorLayout::scalar_type).transpose()?,
        })
    }

    /// Returns the number of elements in each dimension, or `None` if the file does not say.
    ///
    /// # Errors
    ///
    /// Returns the fault if the access fails.
    pub fn sizes(self) -> Result<Option<Vector<'a, i32>>, Error> {
        Ok(match self.table {
            EntryTable::LegacyTensor(_, tensor) => tensor.sizes()?,
            _ => self.layout()?.map_or(Ok(None), TensorLayout::sizes)?,
        })
    }

    /// Returns the dimensions in memory order, or `None` if the file does not give the order.
    ///
    /// # Errors
    ///
    /// Returns the fault if the access fails.
    pub fn dim_order(self) -> Result<Option<Vector<'a, u8>>, Error> {
        Ok(match self.table {
            EntryTable::LegacyTensor(_, tensor) => tensor.dim_order()?,
            _ => self.layout()?.map_or(Ok(None), TensorLayout::dim_order)?,
        })
    }

    /// Returns the tensor's size in bytes, or `None` if the file does not describe the entry as a tensor.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorCode::Missing`] if the tensor has no sizes, [`ErrorCode::Uncountable`] if its size cannot be
    /// computed, or the fault if the access fails.
    pub fn nbytes(self) -> Result<Option<u64>, Error> {
        let Some(scalar_type) = self.scalar_type()? else { return Ok(None) };
        let fail = |code| Error::new(code, Stage::Meta, self.table().span(), self.sizes_field());
        let sizes = self.sizes()?.ok_or_else(|| fail(ErrorCode::Missing))?;
        nbytes(scalar_type, sizes).map(Some).map_err(|why| fail(ErrorCode::Uncountable(why)))
    }

    /// Returns the index of the segment that holds the bytes.
    ///
    /// # Errors
    ///
    /// Returns the fault if the access fails.
    pub fn segment_index(self) -> Result<u32, Error> {
        Ok(match self.table {
            EntryTable::Program(_, entry) => entry.segment_index()?,
            EntryTable::Data(_, entry) => entry.segment_index()?,
            EntryTable::LegacyTensor(_, tensor) => tensor.segment_index()?,
            EntryTable::LegacyBlob(_, entry) => entry.segment_index()?,
        })
    }

    /// Returns the offset of the bytes in the segment: always 0, except for a tensor in the legacy layout.
    ///
    /// # Errors
    ///
    /// Returns the fault if the access fails.
    pub fn offset(self) -> Result<u64, Error> {
        if let EntryTable::LegacyTensor(_, tensor) = self.table { Ok(tensor.offset()?) } else { Ok(0) }
    }

    /// Returns where the bytes are in the file: the whole segment or, in the legacy layout, the tensor's part of it.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Ptd::segment`] or [`Pte::segment`]. A tensor in the legacy layout can also cause the
    /// errors of [`DataEntry::nbytes`], or [`ErrorCode::RangeOutOfBounds`] if it exceeds its segment.
    pub fn span(self) -> Result<Span, Error> {
        let index = self.segment_index()?;
        let segment = match self.table {
            EntryTable::Program(file, _) => file.segment(index)?,
            EntryTable::Data(file, _) | EntryTable::LegacyBlob(file, _) | EntryTable::LegacyTensor(file, _) => {
                file.segment(index)?
            }
        };
        let EntryTable::LegacyTensor(_, tensor) = self.table else { return Ok(segment) };
        let (offset, len) = (tensor.offset()?, self.nbytes()?.unwrap_or(0));
        if offset.checked_add(len).is_none_or(|end| end > segment.len) {
            let place = self.table().span();
            let error = Error::new(ErrorCode::RangeOutOfBounds, Stage::Data, place, "TensorMetadata.offset");
            return Err(error.measured(offset.saturating_add(len), segment.len));
        }
        Ok(Span::new(segment.offset + offset, len))
    }

    /// Returns the bytes, as a slice of the file.
    ///
    /// In the current layout, this is the whole segment, which may be longer than the tensor.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`DataEntry::span`], or [`ErrorCode::NotInMemory`] if the bytes are not in memory.
    pub fn bytes(self) -> Result<&'a [u8], Error> {
        let span = self.span()?;
        let file_bytes = match self.table {
            EntryTable::Program(file, _) => file.file_bytes(),
            EntryTable::Data(file, _) | EntryTable::LegacyBlob(file, _) | EntryTable::LegacyTensor(file, _) => {
                file.file_bytes()
            }
        };
        if span.len == 0 { Ok(&[]) } else { file_bytes.slice(span, "DataSegment") }
    }

    /// Returns the tensor's bytes, or `None` if the file does not describe the entry as a tensor.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorCode::RangeOutOfBounds`] if the tensor exceeds its segment, and otherwise the errors of
    /// [`DataEntry::nbytes`] or [`DataEntry::bytes`].
    pub fn tensor_bytes(self) -> Result<Option<&'a [u8]>, Error> {
        let Some(span) = self.tensor_span()? else { return Ok(None) };
        let bytes = self.bytes()?;
        Ok(usize::try_from(span.len).ok().and_then(|len| bytes.get(..len)))
    }

    /// Returns where the tensor is in the file, or `None` if the file does not describe the entry as a tensor. Its
    /// bytes need not be in memory.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`DataEntry::tensor_bytes`], except [`ErrorCode::NotInMemory`].
    pub fn tensor_span(self) -> Result<Option<Span>, Error> {
        let Some(len) = self.nbytes()? else { return Ok(None) };
        let span = self.span()?;
        if len > span.len {
            let place = self.table().span();
            let error = Error::new(ErrorCode::RangeOutOfBounds, Stage::Data, place, self.sizes_field());
            return Err(error.measured(len, span.len));
        }
        Ok(Some(Span { len, ..span }))
    }

    fn layout(self) -> Result<Option<TensorLayout<'a>>, Error> {
        if let EntryTable::Data(_, entry) = self.table { Ok(entry.tensor_layout()?) } else { Ok(None) }
    }

    const fn sizes_field(self) -> &'static str {
        if matches!(self.table, EntryTable::LegacyTensor(..)) { "TensorMetadata.sizes" } else { "TensorLayout.sizes" }
    }

    fn table(self) -> Table<'a> {
        match self.table {
            EntryTable::Program(_, entry) => entry.table(),
            EntryTable::Data(_, entry) => entry.table(),
            EntryTable::LegacyTensor(_, tensor) => tensor.table(),
            EntryTable::LegacyBlob(_, entry) => entry.table(),
        }
    }
}

impl<'a> Pte<'a> {
    /// Returns the entries of the program's named data, in file order.
    ///
    /// If the list cannot be read, the error is the only item.
    pub fn named_data(&self) -> impl Iterator<Item = Result<DataEntry<'a>, Error>> + use<'a> {
        entries(self.lists())
    }

    /// Returns the entry with this key, or `None` if there is none.
    ///
    /// Keys are compared byte for byte. If several entries have the key, the first one wins, as in the runtime. The
    /// lookup takes time linear in the number of entries; for repeated lookups, use [`Pte::indexed`].
    ///
    /// # Errors
    ///
    /// Returns the fault if the access fails.
    pub fn find(&self, key: &[u8]) -> Result<Option<DataEntry<'a>>, Error> {
        search(self.named_data(), key)
    }

    pub(crate) fn lists(&self) -> Result<Lists<'a>, Error> {
        Ok(Lists::Program(*self, self.program().named_data()?))
    }
}

impl<'a> Ptd<'a> {
    /// Returns the file's entries, in either layout. In the legacy layout, tensors precede blobs.
    ///
    /// If a list cannot be read, the error is the only item.
    pub fn entries(&self) -> impl Iterator<Item = Result<DataEntry<'a>, Error>> + use<'a> {
        entries(self.lists())
    }

    /// Returns the entry with this key, or `None` if there is none.
    ///
    /// Keys are compared byte for byte. If several entries have the key, the first one wins, as in the runtime. The
    /// lookup takes time linear in the number of entries; for repeated lookups, use [`Ptd::indexed`].
    ///
    /// # Errors
    ///
    /// Returns the fault if the access fails.
    pub fn find(&self, key: &[u8]) -> Result<Option<DataEntry<'a>>, Error> {
        search(self.entries(), key)
    }

    pub(crate) fn lists(&self) -> Result<Lists<'a>, Error> {
        Ok(match self.layout() {
            Layout::Current(root) => Lists::Data(*self, root.named_data()?),
            Layout::Legacy(root) => Lists::Legacy(*self, root.tensors()?, root.named_data()?),
        })
    }

    /// Returns the bytes of the tensor under `key`, or `None` if no tensor has that key.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Ptd::find`] or [`DataEntry::tensor_bytes`].
    pub fn tensor_bytes(&self, key: &[u8]) -> Result<Option<&'a [u8]>, Error> {
        self.find(key)?.map_or(Ok(None), DataEntry::tensor_bytes)
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Lists<'a> {
    Program(Pte<'a>, Option<Vector<'a, pte::schema::NamedData<'a>>>),
    Data(Ptd<'a>, Option<Vector<'a, ptd::schema::NamedData<'a>>>),
    Legacy(Ptd<'a>, Option<Vector<'a, TensorMetadata<'a>>>, Option<Vector<'a, LegacyNamedData<'a>>>),
}

impl<'a> Lists<'a> {
    pub(crate) fn len(self) -> usize {
        match self {
            Lists::Program(_, list) => list.map_or(0, Vector::len),
            Lists::Data(_, list) => list.map_or(0, Vector::len),
            Lists::Legacy(_, tensors, blobs) => tensors.map_or(0, Vector::len) + blobs.map_or(0, Vector::len),
        }
    }

    /// In a legacy file, the tensors come before the blobs.
    pub(crate) fn get(self, at: usize) -> Option<Result<DataEntry<'a>, Error>> {
        let (index, table) = match self {
            Lists::Program(file, list) => (at, list?.get(at)?.map(|entry| EntryTable::Program(file, entry))),
            Lists::Data(file, list) => (at, list?.get(at)?.map(|entry| EntryTable::Data(file, entry))),
            Lists::Legacy(file, tensors, blobs) => match at.checked_sub(tensors.map_or(0, Vector::len)) {
                None => (at, tensors?.get(at)?.map(|tensor| EntryTable::LegacyTensor(file, tensor))),
                Some(at) => (at, blobs?.get(at)?.map(|entry| EntryTable::LegacyBlob(file, entry))),
            },
        };
        Some(table.map(|table| DataEntry { table, index }).map_err(Error::from))
    }

    pub(crate) fn entries(self) -> impl Iterator<Item = Result<DataEntry<'a>, Error>> {
        (0..self.len()).filter_map(move |at| self.get(at))
    }
}

/// If the lists cannot be read, the error is the only item.
fn entries<'a>(lists: Result<Lists<'a>, Error>) -> impl Iterator<Item = Result<DataEntry<'a>, Error>> {
    let error = lists.err().map(Err);
    error.into_iter().chain(lists.into_iter().flat_map(Lists::entries))
}

/// Entries without a key are skipped.
fn search<'a>(
    entries: impl Iterator<Item = Result<DataEntry<'a>, Error>>,
    key: &[u8],
) -> Result<Option<DataEntry<'a>>, Error> {
    for entry in entries {
        let entry = entry?;
        if entry.stored_key()?.is_some_and(|own| own.as_bytes() == key) {
            return Ok(Some(entry));
        }
    }
    Ok(None)
}

#[cfg(all(test, feature = "std"))]
mod tests;
