//! Data files of the legacy layout: all tensors share a segment, and each blob has its own segment.

use alloc::vec;
use alloc::vec::Vec;

use super::write_file;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::generate::maker::Maker;
use crate::ptd::legacy_schema::{LegacyFlatTensor, LegacyNamedData, TensorMetadata};
use crate::write::WriteError;

pub(in crate::generate) fn make(maker: &mut Maker<'_>) -> Result<Vec<u8>, WriteError> {
    let alignment = maker.alignment(&maker.config.inline_alignments, 16);
    let step = usize::try_from(alignment).unwrap_or(16);
    let mut bytes = Vec::new();
    let mut tensors: Vec<TableTree> = Vec::new();
    for tensor in super::tensors(maker) {
        // The official writer of the legacy layout stores equal tensors only once.
        if let Some(last) = tensors.last()
            && maker.often(maker.config.shared_tensors)
        {
            let copy = last.clone().with("fully_qualified_name", tensor.name);
            tensors.push(copy);
            continue;
        }
        bytes.resize(usize::next_multiple_of(bytes.len(), step), 0);
        let offset = bytes.len() as u64;
        bytes.extend(maker.data(tensor.dense.len));
        let table = tensor.dense.table(TensorMetadata::TYPE);
        tensors.push(table.with("fully_qualified_name", tensor.name).with("offset", offset));
    }
    let mut segments = if tensors.is_empty() { vec![] } else { vec![bytes] };
    let mut named = Vec::new();
    for _ in 0..maker.count(&maker.config.blobs, 2) {
        // Segment 0 is reserved for the tensors, so a file without tensors must not contain blobs.
        if segments.is_empty() {
            break;
        }
        segments.push(maker.blob());
        let blob = TableTree::new(LegacyNamedData::TYPE).with("key", maker.name("data.blob."));
        named.push(blob.with("segment_index", segments.len() - 1));
    }
    let root = TableTree::new(LegacyFlatTensor::TYPE)
        .with("tensor_alignment", alignment)
        .with("tensors", tensors)
        .with("named_data", named);
    write_file(maker, root, &segments)
}
