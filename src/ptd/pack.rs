//! Packing a data file out of its blobs, as the official writers do.

use std::vec::Vec;

use super::schema::{FlatTensor, NamedData};
use super::write::{DataLayout, plan};
use crate::FileKind;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::write::{NamedDataEntry, NamedDataStore, Package, Shape, WriteError};

/// Packs a data file of the current layout: a segment for each blob, in the order of their keys.
///
/// With [`DataLayout::CURRENT`] the tables' values, the segments and their places are those of the official Python writer. The
/// bytes of the FlatBuffer are not: that writer puts the fields of a table into another order, so it can be of another length.
/// The C++ writer sorts its keys and lets none share a blob; its layout is [`DataLayout::all`] of the tensors' alignment.
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
/// [`WriteError`]: an alignment is 0, a layout does not describe its blob, or the file would be invalid in any other way. For
/// files that are meant to be, there is [`write`](super::write).
pub fn pack<'s>(store: NamedDataStore<'s>, layout: &DataLayout) -> Result<Package<'s>, WriteError> {
    let mut entries = Vec::with_capacity(store.entries.len());
    for NamedDataEntry { key, blob, layout } in store.entries {
        let mut table = TableTree::new(NamedData::TYPE).with("key", key).with("segment_index", blob);
        if let Some(layout) = layout {
            table.set("tensor_layout", layout)?;
        }
        entries.push(table.without_defaults());
    }
    let root = TableTree::new(FlatTensor::TYPE).with("named_data", entries);
    let shapes: Vec<Shape> = store.blobs.iter().map(Shape::from).collect();
    let plan = plan(&root, &shapes, layout)?;
    let segments: Vec<_> = store.blobs.iter().map(|blob| blob.bytes.into()).collect();
    Package::new(root, plan, &segments, FileKind::Ptd)
}

#[cfg(test)]
mod tests;
