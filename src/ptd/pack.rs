//! Packs a data file from its blobs, as the official writers do.

use std::vec::Vec;

use super::schema::{FlatTensor, NamedData};
use super::write::{DataLayout, plan};
use crate::FileKind;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::write::{NamedDataEntry, NamedDataStore, Package, Shape, WriteError};

/// Packs a data file of the current layout, with one segment for each blob, in the order of the keys.
///
/// With [`DataLayout::CURRENT`], the values of the tables, the segments and their positions match the official Python
/// writer. The FlatBuffer's bytes differ, and so may its length, because that writer orders the fields of a table
/// differently. The C++ writer sorts its keys and shares no blobs; its layout is [`DataLayout::all`] with the tensors'
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
/// [`WriteError`] when an alignment is 0, a layout does not match its blob, or the file would violate another
/// must-rule. [`write`](super::write) writes such files.
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
