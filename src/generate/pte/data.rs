//! The data of a program: constants, initial values, delegates' blobs and blobs by key.

use alloc::vec;
use alloc::vec::Vec;

use crate::generate::maker::{Dense, Maker};
use crate::generate::{Generation, metadata};
use crate::pte::model::{Buffer, NamedData, Program, SubsegmentOffsets};
use crate::pte::schema::DataLocation;

/// What a program's tables refer to.
#[derive(Debug, Default)]
pub(super) struct Store {
    pub(super) segments: Vec<Vec<u8>>,
    /// The constants, from the one of index 1.
    pub(super) constants: Vec<Dense>,
    /// The mutable tensors with an initial value, from the one of index 1.
    pub(super) states: Vec<Dense>,
}

impl Store {
    /// Adds a segment, and gives its index.
    pub(super) fn push(&mut self, bytes: Vec<u8>) -> u32 {
        self.segments.push(bytes);
        u32::try_from(self.segments.len() - 1).unwrap_or(u32::MAX)
    }

    /// Puts the segments into another order, and has the program's tables refer to them where they are then.
    pub(super) fn reorder(&mut self, maker: &mut Maker<'_>, program: &mut Program) {
        let mut order: Vec<usize> = (0..self.segments.len()).collect();
        maker.shuffle(&mut order);
        let mut to = vec![0; order.len()];
        for (index, from) in (0..).zip(&order) {
            to[*from] = index;
        }
        self.segments = order.iter().map(|from| core::mem::take(&mut self.segments[*from])).collect();
        let moved = |index: &mut u32| {
            let found = usize::try_from(*index).ok().and_then(|index| to.get(index));
            *index = found.copied().unwrap_or(*index);
        };
        program.constant_segment.iter_mut().for_each(|places| moved(&mut places.segment_index));
        let mutable = program.mutable_data_segments.iter_mut().flatten();
        mutable.for_each(|places| moved(&mut places.segment_index));
        program.named_data.iter_mut().flatten().for_each(|entry| moved(&mut entry.segment_index));
        let delegates =
            program.execution_plan.iter_mut().flatten().flat_map(|plan| plan.delegates.iter_mut().flatten());
        let blobs = delegates.filter_map(|delegate| delegate.processed.as_mut());
        blobs.filter(|blob| blob.location == DataLocation::SEGMENT).for_each(|blob| moved(&mut blob.index));
    }
}

/// The bytes of tensors one behind the other, and where each begins.
fn packed(maker: &mut Maker<'_>, tensors: &[Dense], alignment: usize) -> (Vec<u64>, Vec<u8>) {
    let mut bytes = Vec::new();
    let starts = tensors.iter().map(|tensor| {
        bytes.resize(bytes.len().next_multiple_of(alignment), 0);
        let start = bytes.len();
        bytes.extend(maker.data(tensor.len));
        start as u64
    });
    (starts.collect(), bytes)
}

/// Makes the constants, where the generation has them.
pub(super) fn constants(maker: &mut Maker<'_>, generation: Generation, program: &mut Program, store: &mut Store) {
    let count = maker.count(maker.config.constants, 1);
    store.constants = (0..count).map(|_| maker.stored_shape()).collect();
    if generation == Generation::Inline {
        let buffer = |storage| Buffer { storage: Some(storage) };
        let constants = store.constants.iter().map(|constant| buffer(maker.data(constant.len)));
        // Writers begin with a placeholder, whether or not anything is behind it.
        program.constant_buffer = Some([buffer(Vec::new())].into_iter().chain(constants).collect());
        return;
    }
    let alignment = usize::try_from(maker.alignment(maker.config.inline_alignments, 16)).unwrap_or(16);
    let (starts, bytes) = packed(maker, &store.constants, alignment);
    program.constant_segment = Some(SubsegmentOffsets::of_constants(store.push(bytes), &starts));
}

/// Makes the initial values of mutable tensors.
pub(super) fn states(maker: &mut Maker<'_>, program: &mut Program, store: &mut Store) {
    let count = maker.count(maker.config.states, 1);
    store.states = (0..count).map(|_| maker.stored_shape()).collect();
    // Where no initial value has a byte, the file has no header for its sake, and so no place for it.
    store.states.retain(|state| state.len > 0);
    if !store.states.is_empty() {
        let (starts, bytes) = packed(maker, &store.states, 1);
        program.mutable_data_segments = Some(vec![SubsegmentOffsets::of_constants(store.push(bytes), &starts)]);
    }
}

/// Makes what is looked up by key: blobs, and what the metadata convention knows.
pub(super) fn named(maker: &mut Maker<'_>, program: &mut Program, store: &mut Store) {
    let count = maker.count(maker.config.blobs, 2);
    let mut entries: Vec<NamedData> = Vec::new();
    let mut last = None;
    for _ in 0..count {
        let key = maker.name("program.blob.");
        let segment = match last {
            Some(segment) if maker.often(maker.config.shared_blobs) => segment,
            _ => store.push(maker.blob()),
        };
        last = Some(segment);
        entries.push(NamedData::new(key, segment));
    }
    for (key, value) in metadata::entries(maker) {
        entries.push(NamedData::new(key, store.push(value)));
    }
    if !entries.is_empty() {
        program.named_data = Some(entries);
    }
}
