//! Packing a data file out of its blobs, as the official writers do.
//!
//! ```
//! use torchproof::ScalarType;
//! use torchproof::ptd::pack::pack;
//! use torchproof::ptd::write::DataLayout;
//! use torchproof::ptd::builder::tensor_layout;
//! use torchproof::write::{NamedDataStore, Source};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut store = NamedDataStore::new();
//! store.add("weight", Source::Bytes(&[0; 24]), 16, Some(tensor_layout(ScalarType::FLOAT, &[2, 3])))?;
//! store.add("note", Source::Bytes(b"text"), 1, None)?;
//! let file = pack(store, &DataLayout::CURRENT)?.into_bytes()?;
//! let open = torchproof::ptd::Ptd::open(&file)?;
//! assert_eq!(open.tensor_bytes(b"weight")?.map(<[u8]>::len), Some(24));
//! # Ok(()) }
//! ```

use std::vec;
use std::vec::Vec;

use super::older_schema::{OlderFlatTensor, OlderNamedData, TensorMetadata};
use super::schema::{FlatTensor, NamedData};
use super::write::{DataLayout, plan};
use crate::FileKind;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::write::{
    Blob, NamedDataEntry, NamedDataStore, Package, Packed, Shape, Source, WriteCause, WriteError, key_place,
};

/// Packs a data file of the current layout: a segment for each blob, in the order of their keys.
///
/// With [`DataLayout::CURRENT`] the tables' values, the segments and their places are those of the official Python writer. The
/// bytes of the FlatBuffer are not: that writer puts the fields of a table into another order, so it can be of another length.
/// The C++ writer sorts its keys and lets none share a blob; its layout is [`DataLayout::all`] of the tensors' alignment.
///
/// # Errors
///
/// [`WriteError`]: an alignment is 0, a layout does not describe its blob, or the file would be invalid in any other way. For
/// files that are meant to be, there is [`write`](fn@super::write::write).
pub fn pack<'s>(store: NamedDataStore<'s>, layout: &DataLayout) -> Result<Package<'s>, WriteError> {
    let mut entries = Vec::with_capacity(store.entries.len());
    for entry in &store.entries {
        let mut table =
            TableTree::new(NamedData::TYPE).with("key", entry.key.as_str()).with("segment_index", entry.blob);
        if let Some(layout) = &entry.layout {
            table.set("tensor_layout", layout.clone())?;
        }
        entries.push(table.without_defaults());
    }
    let root = TableTree::new(FlatTensor::TYPE).with("named_data", entries);
    let shapes: Vec<Shape> = store.blobs.iter().map(shape).collect();
    let plan = plan(&root, &shapes, layout)?;
    Package::new(root, plan, store.blobs.into_iter().map(|blob| blob.source).collect(), FileKind::Ptd)
}

/// Packs a data file of the older layout: one segment of all tensors, and one for each blob without a layout.
///
/// Each tensor is at a multiple of the layout's segment alignment, which is also the file's `tensor_alignment`. With
/// [`DataLayout::OLDER`] the tensors, their values and their places are those of the Python writer of release 0.6.0, and as for
/// [`pack`], the bytes of the FlatBuffer are not; that writer had no other blobs. The alignments of the store are for those.
///
/// # Errors
///
/// As [`pack`].
pub fn pack_older<'s>(store: NamedDataStore<'s>, layout: &DataLayout) -> Result<Package<'s>, WriteError> {
    let Homes { tensors, others, indexes } = Homes::of(store.blobs, &store.entries)?;
    let tensors = Packed::new(tensors, layout.segment_alignment)?;
    let offsets: Vec<u64> = tensors.offsets().collect();
    let (mut metadata, mut named) = (Vec::new(), Vec::new());
    for (entry, index) in store.entries.iter().zip(indexes) {
        let key = entry.key.as_str();
        if let Some(layout) = &entry.layout {
            let mut tensor = TableTree::new(TensorMetadata::TYPE).with("fully_qualified_name", key);
            for (field, value) in layout.fields() {
                tensor.set(field.name, value.clone())?;
            }
            metadata.push(tensor.with("offset", offsets[index]).without_defaults());
        } else {
            // Segment 0 is the tensors'.
            named.push(TableTree::new(OlderNamedData::TYPE).with("key", key).with("segment_index", index + 1));
        }
    }
    let root = TableTree::new(OlderFlatTensor::TYPE).with("tensors", metadata).with("named_data", named);
    let mut shapes = vec![Shape::new(tensors.len)];
    shapes.extend(others.iter().map(shape));
    let plan = plan(&root, &shapes, layout)?;
    let mut sources = vec![Source::Packed(tensors)];
    sources.extend(others.into_iter().map(|blob| blob.source));
    Package::new(root, plan, sources, FileKind::PtdLegacy)
}

/// The blobs of an older file by where they go: a blob with keys of both kinds goes to both places.
struct Homes<'s> {
    tensors: Vec<Source<'s>>,
    others: Vec<Blob<'s>>,
    /// Of each entry the index among the tensors, or among the others.
    indexes: Vec<usize>,
}

impl<'s> Homes<'s> {
    fn of(blobs: Vec<Blob<'s>>, entries: &[NamedDataEntry]) -> Result<Self, WriteError> {
        let mut homes = Self { tensors: Vec::new(), others: Vec::new(), indexes: Vec::with_capacity(entries.len()) };
        // Where the blob is in either list, once it is.
        let mut known = vec![(None, None); blobs.len()];
        let mut blobs: Vec<_> = blobs.into_iter().map(|blob| (Some(blob.source), blob.alignment)).collect();
        for entry in entries {
            let (tensor, other) = &mut known[entry.blob];
            let (place, next) = match entry.layout {
                Some(_) => (tensor, homes.tensors.len()),
                None => (other, homes.others.len()),
            };
            if place.is_none() {
                let (source, alignment) = &mut blobs[entry.blob];
                let copy = source.as_ref().and_then(Source::again).or_else(|| source.take());
                let source = copy.ok_or_else(|| read_twice(&entry.key))?;
                match entry.layout {
                    Some(_) => homes.tensors.push(source),
                    None => homes.others.push(Blob { source, alignment: *alignment }),
                }
            }
            homes.indexes.push(*place.get_or_insert(next));
        }
        Ok(homes)
    }
}

fn read_twice(key: &str) -> WriteError {
    WriteError::new(WriteCause::Tree, key_place(key), "needs a source again that can be read only once")
}

fn shape(blob: &Blob<'_>) -> Shape {
    Shape { len: blob.source.len(), alignment: blob.alignment }
}

#[cfg(test)]
mod tests;
