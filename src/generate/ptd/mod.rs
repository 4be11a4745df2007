//! Data files of the current layout.

pub(super) mod legacy;

use alloc::string::String;
use alloc::vec::Vec;

use super::maker::{Dense, Maker};
use super::metadata;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::ptd::schema::{FlatTensor, NamedData, TensorLayout};
use crate::ptd::{DataLayout, write};
use crate::write::SegmentData;
use crate::write::WriteError;

/// A tensor of a data file.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) dense: Dense,
}

/// Draws the tensors of a data file.
pub(super) fn tensors(maker: &mut Maker<'_>) -> Vec<Named> {
    let count = maker.count(&maker.config.data_tensors, 3);
    (0..count).map(|_| Named { name: maker.name("layers."), dense: maker.stored_shape() }).collect()
}

/// Generates a data file that contains `tensors` and random blobs.
pub(super) fn make(maker: &mut Maker<'_>, tensors: &[Named]) -> Result<Vec<u8>, WriteError> {
    let mut segments: Vec<Vec<u8>> = Vec::new();
    let mut push = |bytes| {
        segments.push(bytes);
        segments.len() - 1
    };
    let blob =
        |key: &str, segment: usize| TableTree::new(NamedData::TYPE).with("key", key).with("segment_index", segment);
    let mut entries = Vec::new();
    for Named { name, dense } in tensors {
        let segment = push(maker.data(dense.len));
        entries.push(blob(name, segment).with("tensor_layout", dense.table(TensorLayout::TYPE)));
    }
    let count = maker.count(&maker.config.blobs, 2);
    let mut last = None;
    for _ in 0..count {
        let key = maker.name("data.blob.");
        let segment = match last {
            Some(segment) if maker.often(maker.config.shared_blobs) => segment,
            _ => push(maker.blob()),
        };
        last = Some(segment);
        entries.push(blob(&key, segment));
    }
    for (key, value) in metadata::entries(maker) {
        entries.push(blob(&key, push(value)));
    }
    maker.shuffle(&mut entries);
    write_file(maker, TableTree::new(FlatTensor::TYPE).with("named_data", entries), &segments)
}

/// Writes a data file with this root table and these segments.
fn write_file(maker: &mut Maker<'_>, root: TableTree, segments: &[Vec<u8>]) -> Result<Vec<u8>, WriteError> {
    let segment_alignment = maker.alignment(&maker.config.segment_alignments, 16).into();
    let header_alignment = maker.alignment(&maker.config.inline_alignments, 16).into();
    let segments: Vec<SegmentData<'_>> = segments
        .iter()
        .map(|bytes| SegmentData { bytes, alignment: maker.alignment(&maker.config.segment_alignments, 1).into() })
        .collect();
    write(&maker.tree(root), &segments, &DataLayout { segment_alignment, header_alignment, ..DataLayout::CURRENT })
}
