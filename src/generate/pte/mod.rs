//! Programs: data, methods and file layout.

mod data;
mod instructions;
mod method;
mod values;

pub use instructions::operators;

use alloc::vec::Vec;

use super::Generation;
use super::maker::Maker;
use super::ptd::NamedBlob;
use crate::flatbuffer::tree::TableTree;
use crate::pte::ExtendedHeader;
use crate::pte::builder::program;
use crate::pte::{HeaderKind, ProgramLayout, write};
use crate::write::{SegmentData, WriteError};
use data::Store;

/// A longer header only adds padding.
const MOST_HEADER: u32 = 1024;

pub(super) fn make(maker: &mut Maker<'_>, external: &[NamedBlob]) -> Result<Vec<u8>, WriteError> {
    // Reserve the tables that every program needs: the root, the lists of offsets, and a minimal method.
    maker.take(8);
    let generation = maker.choice(&maker.config.generations);
    let external = if generation == Generation::Current { external } else { &[] };
    let mut program = program([] as [TableTree; 0]);
    let mut store = Store::default();
    data::constants(maker, generation, &mut program, &mut store);
    if generation == Generation::Current {
        data::states(maker, &mut program, &mut store);
    }
    let methods = maker.number(&maker.config.methods).max(1);
    for index in 0..methods {
        // The tables of the first method are already reserved.
        if index > 0 && !maker.take(4) {
            break;
        }
        let method = method::make(maker, generation, external, &mut program, &mut store);
        program.push("execution_plan", method.into());
    }
    if generation == Generation::Current {
        data::named(maker, &mut program, &mut store);
    }
    if maker.often(maker.config.reordered) {
        store.reorder(maker, &mut program);
    }
    let layout = layout(maker, generation);
    let alignments = store.segments.iter().map(|_| maker.alignment(&maker.config.segment_alignments, 1).into());
    let alignments: Vec<u64> = alignments.collect();
    let segments: Vec<SegmentData<'_>> =
        store.segments.iter().zip(alignments).map(|(bytes, alignment)| SegmentData { bytes, alignment }).collect();
    write(&maker.tree(program), &segments, &layout)
}

fn layout(maker: &mut Maker<'_>, generation: Generation) -> ProgramLayout {
    let segment_alignment = maker.alignment(&maker.config.segment_alignments, 16).into();
    let asked = &maker.config.inline_alignments;
    let mut inline = || usize::try_from(maker.alignment(asked, 16)).unwrap_or(16);
    let (constant_alignment, delegate_alignment) = (inline(), inline());
    let header = match generation {
        Generation::Inline => HeaderKind::Never,
        Generation::Segments => HeaderKind::IfNeeded(ExtendedHeader::MIN_LENGTH),
        Generation::Current => {
            let length = match maker.number(&maker.config.header_lengths) {
                ..ExtendedHeader::LENGTH_WITH_DATA_SIZE => ExtendedHeader::MIN_LENGTH,
                more => more.min(MOST_HEADER),
            };
            if maker.often(maker.config.empty_headers) {
                HeaderKind::Always(length)
            } else {
                HeaderKind::IfNeeded(length)
            }
        }
    };
    ProgramLayout { header, segment_alignment, constant_alignment, delegate_alignment, ..ProgramLayout::default() }
}
