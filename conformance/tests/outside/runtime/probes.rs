//! Files that show effects which neither cases nor attacks show.

use torchproof::Role;
use torchproof::Span;
use torchproof::corpus;
use torchproof::flatbuffer::Table;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::TableTree;
use torchproof::generate::{Config, GeneratedKind, generate};
use torchproof::pte::schema::{Program, SubsegmentOffsets};
use torchproof::pte::{ProgramLayout, Pte, write};

use super::samples::{Group, Sample};

/// `seeds` is the number of generated bases.
pub(super) fn all(seeds: u64) -> impl Iterator<Item = Group> {
    let others =
        [second_list_past_end(), buffer_beside_one_offset(), initial_values_in_empty_buffers(), shifted_blobs()];
    (1..=seeds).map(overflowing_sizes).chain(others)
}

/// Each edited program has one tensor whose strides overflow, or whose sizes and strides overflow.
fn overflowing_sizes(seed: u64) -> Group {
    let mut config = Config::default();
    (config.ranks, config.elements, config.devices, config.bounded) = (4..=4, 1000..=1000, 0, 50);
    let program = generate(GeneratedKind::Pte, &config, seed).unwrap().remove(0).bytes;
    let mut edited = Vec::new();
    for tensor in Pte::open(&program).unwrap().methods().flat_map(|method| method.unwrap().tensors()) {
        let at = tensor.unwrap().1.sizes().unwrap().unwrap().span();
        let sizes = [[2, i32::MAX, 2, 0], [i32::MAX, i32::MAX, i32::MAX, 0]];
        edited.extend(sizes.map(|sizes| patched(&program, at, sizes.map(i32::to_le_bytes).as_flattened())));
    }
    Group { base: sample(program), edited }
}

/// The initial value is past the end of its segment, or the sum of its offset and its size wraps.
fn second_list_past_end() -> Group {
    let program = corpus::find("pte/mutable/second-list").unwrap().build().bytes;
    let lists = Pte::open(&program).unwrap().program().mutable_data_segments().unwrap().unwrap();
    let offsets = lists.get(1).unwrap().unwrap().offsets().unwrap().unwrap().span();
    let edited = [1 << 20, 1 << 40, u64::MAX - 7]
        .map(|offset: u64| patched(&program, offsets, &[offset.to_le_bytes(); 2].concat()));
    Group { base: sample(program.clone()), edited: edited.into() }
}

/// The constants are in the FlatBuffer, but the program also has a list of offsets with one entry.
fn buffer_beside_one_offset() -> Group {
    let program = corpus::find("pte/valid/constant-buffer").unwrap().build().bytes;
    let root = Table::root(Pte::open(&program).unwrap().region()).unwrap();
    let segment = TableTree::new(SubsegmentOffsets::TYPE).with("segment_index", 0).with("offsets", vec![0_u64]);
    let root = TableTree::read(root, Program::TYPE).unwrap().with("constant_segment", segment);
    Group { base: sample(write(&root, &[], &ProgramLayout::default()).unwrap()), edited: Vec::new() }
}

/// No tensor has elements, so the planned buffers have 0 bytes.
fn initial_values_in_empty_buffers() -> Group {
    let mut config = Config::default();
    (config.ranks, config.sizes, config.data_tensors, config.uses) = (1..=1, 0..=0, 8..=8, 100);
    (config.constants, config.states, config.devices) = (0..=0, 0..=0, 0);
    (config.kernel_calls, config.inline_delegates, config.segment_delegates) = (0..=0, 0..=0, 0..=0);
    let files = generate(GeneratedKind::Pair, &config, 1).unwrap().into_iter().map(|file| file.bytes);
    Group { base: Sample::of([Role::Program, Role::Data].into_iter().zip(files).collect()), edited: Vec::new() }
}

/// The segments begin inside the FlatBuffer, so the backend receives other bytes as its blob.
fn shifted_blobs() -> Group {
    let program = corpus::find("pte/valid/xnnpack-delegate").unwrap().build().bytes;
    let base = Span { offset: 24, len: 8 };
    let edited = [8_u64, 64, 128].map(|start| patched(&program, base, &start.to_le_bytes())).into();
    Group { base: sample(program), edited }
}

fn patched(program: &[u8], at: Span, bytes: &[u8]) -> Sample {
    let start = usize::try_from(at.offset).unwrap();
    let mut program = program.to_vec();
    program[start..start + bytes.len()].copy_from_slice(bytes);
    sample(program)
}

fn sample(program: Vec<u8>) -> Sample {
    Sample::of(vec![(Role::Program, program)])
}
