//! Packing a data file out of its blobs, as the official writers do.
//!
//! ```
//! use torchproof::ScalarType;
//! use torchproof::ptd::pack::pack;
//! use torchproof::ptd::write::FileLayout;
//! use torchproof::write::{Layout, NamedDataStore, Source};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut store = NamedDataStore::new();
//! store.add("weight", Source::Bytes(&[0; 24]), 16, Some(Layout::new(ScalarType::FLOAT, [2, 3])))?;
//! store.add("note", Source::Bytes(b"text"), 1, None)?;
//! let file = pack(store, &FileLayout::CURRENT)?.into_bytes()?;
//! let open = torchproof::ptd::Ptd::open(&file)?;
//! assert_eq!(open.tensor_bytes(b"weight")?.map(<[u8]>::len), Some(24));
//! # Ok(()) }
//! ```

use std::vec;
use std::vec::Vec;

use super::older_schema::{OlderFlatTensor, OlderNamedData, TensorMetadata};
use super::schema::{FlatTensor, NamedData};
use super::write::{FileLayout, plan};
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::write::{Blob, Entry, NamedDataStore, PackError, Package, Packed, Shape, Source, elided};

/// Packs a data file of the current layout: a segment for each blob, in the order of their keys.
///
/// With [`FileLayout::CURRENT`] it is the file of the official Python writer. The C++ writer sorts its keys and lets none share
/// a blob; its layout is [`FileLayout::all`] of the tensors' alignment.
///
/// # Errors
///
/// [`PackError`]: an alignment is 0, a layout does not describe its blob, or the file would be invalid in any other way. For
/// files that are meant to be, there is [`write`](fn@super::write::write).
pub fn pack<'s>(store: NamedDataStore<'s>, layout: &FileLayout) -> Result<Package<'s>, PackError> {
    let mut entries = Vec::with_capacity(store.entries.len());
    for entry in &store.entries {
        let mut table =
            TableTree::new(NamedData::TYPE).with("key", entry.key.as_str()).with("segment_index", entry.blob);
        if let Some(layout) = &entry.layout {
            table.set("tensor_layout", layout.tree())?;
        }
        entries.push(elided(table));
    }
    let root = TableTree::new(FlatTensor::TYPE).with("named_data", entries);
    let shapes: Vec<Shape> = store.blobs.iter().map(shape).collect();
    let plan = plan(&root, &shapes, layout)?;
    Package::new(root, plan, store.blobs.into_iter().map(|blob| blob.source).collect())
}

/// Packs a data file of the older layout: one segment of all tensors, and one for each blob without a layout.
///
/// Each tensor is at a multiple of the layout's segment alignment, which is also the file's `tensor_alignment`; with
/// [`FileLayout::OLDER`] it is the file of the Python writer of release 0.6.0. The alignments of the store are for the blobs
/// that are no tensors.
///
/// # Errors
///
/// As [`pack`].
pub fn pack_older<'s>(store: NamedDataStore<'s>, layout: &FileLayout) -> Result<Package<'s>, PackError> {
    let Homes { tensors, others, places } = Homes::of(store.blobs, &store.entries)?;
    let tensors = Packed::new(tensors, layout.segment_alignment)?;
    let offsets: Vec<u64> = tensors.offsets().collect();
    let (mut metadata, mut named) = (Vec::new(), Vec::new());
    for entry in &store.entries {
        let (tensor, other) = places[entry.blob];
        let key = entry.key.as_str();
        if let Some(layout) = &entry.layout {
            let table = layout.put(TableTree::new(TensorMetadata::TYPE).with("fully_qualified_name", key));
            metadata.push(elided(table.with("segment_index", 0).with("offset", offsets[tensor])));
        } else {
            // Segment 0 is the tensors'.
            named.push(TableTree::new(OlderNamedData::TYPE).with("key", key).with("segment_index", other + 1));
        }
    }
    let root = TableTree::new(OlderFlatTensor::TYPE).with("tensors", metadata).with("named_data", named);
    let mut shapes = vec![Shape::new(tensors.len())];
    shapes.extend(others.iter().map(shape));
    let plan = plan(&root, &shapes, layout)?;
    let mut sources = vec![Source::Packed(tensors)];
    sources.extend(others.into_iter().map(|blob| blob.source));
    Package::new(root, plan, sources)
}

/// The blobs of an older file by where they go: a blob with keys of both kinds goes to both places.
#[derive(Default)]
struct Homes<'s> {
    tensors: Vec<Source<'s>>,
    others: Vec<Blob<'s>>,
    /// Of each blob the index among the tensors and that among the others, of which an entry takes the one that is its.
    places: Vec<(usize, usize)>,
}

impl<'s> Homes<'s> {
    fn of(blobs: Vec<Blob<'s>>, entries: &[Entry]) -> Result<Self, PackError> {
        // The first key of each kind.
        let mut keys = vec![(None, None); blobs.len()];
        for entry in entries {
            let (tensor, other) = &mut keys[entry.blob];
            if entry.layout.is_some() { tensor } else { other }.get_or_insert(&entry.key);
        }
        let mut homes = Self::default();
        for (Blob { source, alignment }, keys) in blobs.into_iter().zip(keys) {
            homes.places.push((homes.tensors.len(), homes.others.len()));
            match keys {
                (Some(_), None) => homes.tensors.push(source),
                (_, None) => {}
                (None, Some(_)) => homes.others.push(Blob { source, alignment }),
                (Some(_), Some(key)) => {
                    let again = source.again().ok_or_else(|| PackError::ReadTwice { key: key.clone() })?;
                    homes.tensors.push(again);
                    homes.others.push(Blob { source, alignment });
                }
            }
        }
        Ok(homes)
    }
}

fn shape(blob: &Blob<'_>) -> Shape {
    Shape { len: blob.source.len(), alignment: blob.alignment }
}

#[cfg(test)]
mod tests;
