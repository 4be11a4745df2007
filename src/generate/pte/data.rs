//! A program's data: constants, initial values, delegate blobs and named blobs.

use alloc::vec;
use alloc::vec::Vec;

use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::generate::maker::{DenseLayout, Maker};
use crate::generate::{Generation, metadata};
use crate::pte::schema::{Buffer, DataLocation, NamedData, SubsegmentOffsets};

/// The data that a program's tables refer to.
#[derive(Debug, Default)]
pub(super) struct Store {
    pub(super) segments: Vec<Vec<u8>>,
    /// In tables, constants are numbered from 1.
    pub(super) constants: Vec<DenseLayout>,
    /// Mutable tensors with an initial value, also numbered from 1.
    pub(super) states: Vec<DenseLayout>,
}

impl Store {
    pub(super) fn push(&mut self, bytes: Vec<u8>) -> usize {
        self.segments.push(bytes);
        self.segments.len() - 1
    }

    /// Shuffles the segments, and updates the indexes in the program.
    pub(super) fn reorder(&mut self, maker: &mut Maker<'_>, program: &mut TableTree) {
        let mut order: Vec<usize> = (0..self.segments.len()).collect();
        maker.shuffle(&mut order);
        let mut to = vec![0; order.len()];
        for (index, from) in order.iter().enumerate() {
            to[*from] = index;
        }
        let moved = |table: &mut TableTree, field: &str| {
            let index = usize::try_from(table.int(field)).ok().and_then(|from| to.get(from));
            if let Some(index) = index {
                table.assign(field, *index);
            }
        };
        if let Some(places) = program.table_mut("constant_segment") {
            moved(places, "segment_index");
        }
        for list in ["mutable_data_segments", "named_data"] {
            program.tables_mut(list).into_iter().flatten().for_each(|entry| moved(entry, "segment_index"));
        }
        for plan in program.tables_mut("execution_plan").into_iter().flatten() {
            let blobs = plan.tables_mut("delegates").into_iter().flatten().filter_map(|own| own.table_mut("processed"));
            blobs
                .filter(|blob| blob.int("location") == DataLocation::SEGMENT.0.into())
                .for_each(|blob| moved(blob, "index"));
        }
        self.segments = order.iter().map(|from| core::mem::take(&mut self.segments[*from])).collect();
    }
}

/// The first offset is a placeholder.
fn places(segment: usize, starts: &[u64]) -> TableTree {
    let offsets = [&[0], starts].concat();
    TableTree::new(SubsegmentOffsets::TYPE).with("segment_index", segment).with("offsets", offsets)
}

/// Returns the offset of each tensor, and random bytes for all tensors together.
fn packed(maker: &mut Maker<'_>, tensors: &[DenseLayout], alignment: usize) -> (Vec<u64>, Vec<u8>) {
    let mut bytes = Vec::new();
    let starts = tensors.iter().map(|tensor| {
        bytes.resize(bytes.len().next_multiple_of(alignment), 0);
        let start = bytes.len();
        bytes.extend(maker.data(tensor.len));
        start as u64
    });
    (starts.collect(), bytes)
}

/// In the generation `inline`, constants are in the FlatBuffer; otherwise, they are in a segment.
pub(super) fn constants(maker: &mut Maker<'_>, generation: Generation, program: &mut TableTree, store: &mut Store) {
    let count = maker.count(&maker.config.constants, 1);
    store.constants = (0..count).map(|_| maker.stored_shape()).collect();
    if generation == Generation::Inline {
        let buffer = |storage: Vec<u8>| TableTree::new(Buffer::TYPE).with("storage", storage);
        let constants = store.constants.iter().map(|constant| buffer(maker.data(constant.len)));
        // Official writers always begin the list of constants with a placeholder.
        let constants: Vec<TableTree> = [buffer(Vec::new())].into_iter().chain(constants).collect();
        program.assign("constant_buffer", constants);
        return;
    }
    let alignment = usize::try_from(maker.alignment(&maker.config.inline_alignments, 16)).unwrap_or(16);
    let (starts, bytes) = packed(maker, &store.constants, alignment);
    program.assign("constant_segment", places(store.push(bytes), &starts));
}

pub(super) fn states(maker: &mut Maker<'_>, program: &mut TableTree, store: &mut Store) {
    let count = maker.count(&maker.config.states, 1);
    store.states = (0..count).map(|_| maker.stored_shape()).collect();
    // Remove empty initial values. They require a header with the segment base, but a file whose data is all empty has
    // no header.
    store.states.retain(|state| state.len > 0);
    if !store.states.is_empty() {
        let (starts, bytes) = packed(maker, &store.states, 1);
        program.assign("mutable_data_segments", [places(store.push(bytes), &starts)]);
    }
}

/// Blobs and metadata entries.
pub(super) fn named(maker: &mut Maker<'_>, program: &mut TableTree, store: &mut Store) {
    let entries = metadata::blobs(maker, "program.blob.", NamedData::TYPE, &mut |bytes| store.push(bytes));
    if !entries.is_empty() {
        program.assign("named_data", entries);
    }
}
