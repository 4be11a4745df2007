//! Data files of the older layout: all tensors in one segment, blobs in their own.

use alloc::vec;
use alloc::vec::Vec;

use super::write_file;
use crate::generate::maker::Maker;
use crate::ptd::model::{OlderFlatTensor, OlderNamedData, TensorMetadata};
use crate::write::WriteError;

/// Makes a data file.
pub(in crate::generate) fn make(maker: &mut Maker<'_>) -> Result<Vec<u8>, WriteError> {
    let alignment = maker.alignment(maker.config.inline_alignments, 16);
    let step = usize::try_from(alignment).unwrap_or(16);
    let mut bytes = Vec::new();
    let mut tensors: Vec<TensorMetadata> = Vec::new();
    for tensor in super::tensors(maker) {
        // Tensors of equal bytes are kept once, whatever they are called.
        if let Some(last) = tensors.last()
            && maker.often(maker.config.shared_tensors)
        {
            let copy = TensorMetadata { fully_qualified_name: Some(tensor.name.into()), ..last.clone() };
            tensors.push(copy);
            continue;
        }
        bytes.resize(usize::next_multiple_of(bytes.len(), step), 0);
        let offset = bytes.len() as u64;
        bytes.extend(maker.data(tensor.dense.len));
        tensors.push(TensorMetadata {
            fully_qualified_name: Some(tensor.name.into()),
            scalar_type: tensor.dense.scalar_type,
            sizes: Some(tensor.dense.sizes),
            dim_order: Some(tensor.dense.dim_order),
            segment_index: 0,
            offset,
        });
    }
    let mut segments = if tensors.is_empty() { vec![] } else { vec![bytes] };
    let mut named = Vec::new();
    for _ in 0..maker.count(maker.config.blobs, 2) {
        // The first segment is the tensors', also when there is none.
        if segments.is_empty() {
            break;
        }
        segments.push(maker.blob());
        let segment_index = u32::try_from(segments.len() - 1).unwrap_or(u32::MAX);
        named.push(OlderNamedData { key: Some(maker.name("data.blob.").into()), segment_index });
    }
    let root =
        OlderFlatTensor { tensor_alignment: alignment, named_data: Some(named), ..OlderFlatTensor::new(tensors) };
    write_file(maker, root.to_tree(), &segments)
}
