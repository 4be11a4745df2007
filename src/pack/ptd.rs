//! Packs a data file from its blobs in the same way as the official writers.

use std::vec::Vec;

use super::PackedFile;
use crate::FileKind;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::ptd::schema::{FlatTensor, NamedData};
use crate::ptd::{DataLayout, plan};
use crate::write::{NamedDataEntry, NamedDataStore, SegmentExtent, WriteError};

/// Packs a data file of the current layout.
///
/// Each blob gets its own segment, in the order of the keys.
///
/// With [`DataLayout::CURRENT`], table values and segments equal those of the official Python writer. The bytes and the
/// length of the FlatBuffer may differ, because that writer orders the fields of a table differently. For the layout of
/// the C++ writer, which sorts the keys and does not share equal blobs, use [`DataLayout::all`] with the tensors'
/// alignment.
///
/// ```
/// use torchproof::ScalarType;
/// use torchproof::ptd::{DataLayout, pack, tensor_layout};
/// use torchproof::write::NamedDataStore;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut store = NamedDataStore::new();
/// store.add("weight", &[0; 24], 16, Some(tensor_layout(ScalarType::FLOAT, &[2, 3])))?;
/// store.add("note", b"text", 1, None)?;
/// let file = pack(store, &DataLayout::CURRENT)?.to_bytes()?;
/// let open = torchproof::ptd::Ptd::open(&file)?;
/// assert_eq!(open.tensor_bytes(b"weight")?.map(<[u8]>::len), Some(24));
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// Returns [`WriteError`] if an alignment is 0, a layout does not match its blob, or the file would violate any other
/// must-rule. To write an invalid file, use [`write`](crate::ptd::write).
pub fn pack<'s>(store: NamedDataStore<'s>, layout: &DataLayout) -> Result<PackedFile<'s>, WriteError> {
    let mut entries = Vec::with_capacity(store.entries.len());
    for NamedDataEntry { key, blob, layout } in store.entries {
        let mut table = TableTree::new(NamedData::TYPE).with("key", key).with("segment_index", blob);
        if let Some(layout) = layout {
            table.set("tensor_layout", layout)?;
        }
        entries.push(table.without_defaults());
    }
    let root = TableTree::new(FlatTensor::TYPE).with("named_data", entries);
    let extents: Vec<SegmentExtent> = store.blobs.iter().map(SegmentExtent::from).collect();
    let plan = plan(&root, &extents, layout)?;
    let segments: Vec<_> = store.blobs.iter().map(|blob| blob.bytes.into()).collect();
    PackedFile::new(root, plan, &segments, FileKind::Ptd)
}

#[cfg(test)]
mod tests;
