//! Data files of the current layout.

pub(super) mod legacy;

use alloc::string::String;
use alloc::vec::Vec;

use super::maker::{DenseLayout, Maker};
use super::metadata;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::ptd::schema::{FlatTensor, NamedData, TensorLayout};
use crate::ptd::{DataLayout, write};
use crate::write::{SegmentData, WriteError};

#[derive(Debug)]
pub(super) struct NamedBlob {
    pub(super) name: String,
    pub(super) dense: DenseLayout,
}

pub(super) fn tensors(maker: &mut Maker<'_>) -> Vec<NamedBlob> {
    let count = maker.count(&maker.config.data_tensors, 3);
    (0..count).map(|_| NamedBlob { name: maker.name("layers."), dense: maker.stored_shape() }).collect()
}

pub(super) fn make(maker: &mut Maker<'_>, tensors: &[NamedBlob]) -> Result<Vec<u8>, WriteError> {
    let mut segments: Vec<Vec<u8>> = Vec::new();
    let mut push = |bytes| {
        segments.push(bytes);
        segments.len() - 1
    };
    let mut entries = Vec::new();
    for NamedBlob { name, dense } in tensors {
        let entry = TableTree::new(NamedData::TYPE)
            .with("key", name.as_str())
            .with("segment_index", push(maker.data(dense.len)));
        entries.push(entry.with("tensor_layout", dense.table(TensorLayout::TYPE)));
    }
    entries.extend(metadata::blobs(maker, "data.blob.", NamedData::TYPE, &mut push));
    maker.shuffle(&mut entries);
    write_file(maker, TableTree::new(FlatTensor::TYPE).with("named_data", entries), &segments)
}

fn write_file(maker: &mut Maker<'_>, root: TableTree, segments: &[Vec<u8>]) -> Result<Vec<u8>, WriteError> {
    let segment_alignment = maker.alignment(&maker.config.segment_alignments, 16).into();
    let header_alignment = maker.alignment(&maker.config.inline_alignments, 16).into();
    let segments: Vec<SegmentData<'_>> = segments
        .iter()
        .map(|bytes| SegmentData { bytes, alignment: maker.alignment(&maker.config.segment_alignments, 1).into() })
        .collect();
    write(&maker.tree(root), &segments, &DataLayout { segment_alignment, header_alignment, ..DataLayout::CURRENT })
}
