//! A program's constants: the segment that they are in, their offsets in it, and the older list of buffers.

use alloc::vec;
use alloc::vec::Vec;

use super::{base, cases};
use crate::annotate::PartKind;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::pte::schema as pte;
use crate::pte::{HeaderKind, ProgramLayout};
use crate::rules::{constants as rules, envelope};

/// A method that adds to its input a tensor, a scalar and another tensor, all three constants.
fn three_constants() -> TableTree {
    let alpha = TableTree::new(pte::Int::TYPE).with("int_val", 1);
    let scalar = base::tensor(&[]).with("data_buffer_idx", 2);
    let values = [base::constant(1), base::planned(0), base::planned(16), alpha, scalar, base::constant(3)];
    let calls = vec![base::kernel_call(), base::add([2, 4, 3, 2, 2]), base::add([2, 5, 3, 2, 2])];
    let plan = base::plan(base::constant(1))
        .with("values", values.map(base::value).to_vec())
        .with("chains", vec![base::chain(calls)]);
    base::program_of(vec![plan]).with("constant_segment", base::subsegments(0, &[0, 0, 16, 32]))
}

/// The bytes of [`three_constants`]' segment: each constant but the last is padded to 16.
fn three_constants_data() -> Vec<u8> {
    let mut data = base::ramp(20);
    data.resize(32, 0);
    data.extend(base::ramp(16));
    data
}

/// A method whose one constant has no elements, in a segment of these bytes behind the placeholder.
fn constant_without_elements(data: &[u8]) -> base::BaseBytes {
    let nothing = base::tensor(&[0, 2]).with("data_buffer_idx", 1);
    let alpha = TableTree::new(pte::Int::TYPE).with("int_val", 1);
    let values = [base::planned(0), base::planned(0), base::planned(16), alpha, nothing].map(base::value);
    let plan = base::plan(base::planned(0)).with("values", values.to_vec());
    let root = base::program_of(vec![plan]).with("constant_segment", base::subsegments(0, &[0, data.len() as u64]));
    base::write_program(&root, &[data])
}

/// A program of before constant segments whose constant's buffer is longer than the tensor.
fn larger_buffer() -> base::BaseBytes {
    let buffer = |bytes: Vec<u8>| TableTree::new(pte::Buffer::TYPE).with("storage", bytes);
    let root = base::program_of(vec![base::plan(base::constant(1))])
        .with("constant_buffer", vec![buffer(Vec::new()), buffer(base::ramp(32))])
        .with("segments", Vec::<TableTree>::new());
    base::write_program_as(&root, &[], &ProgramLayout { header: HeaderKind::Never, ..ProgramLayout::default() })
}

cases! {
    /// Three constants in one segment, each but the last padded with zeros to 16 bytes; the last one ends where the segment
    /// does. A reader that wants room for the padding behind the last constant refuses every model.
    build "pte/valid/three-constants": "three constants, the last without padding" shows rules::CONST_OFFSET_BOUND
        => || base::write_program(&three_constants(), &[&three_constants_data()]);

    /// Two tensors with one constant, as tied weights are written. A reader that gives each tensor memory to write to, or
    /// frees the constant with the first of them, changes the other.
    accept "pte/valid/shared-constant": "two tensors with one constant" shows rules::CONST_IMMUTABLE,
        from "pte/valid/three-constants" => |file| file.scalar("execution_plan[0].values[5].val.data_buffer_idx", 1_u32);

    /// A constant of no elements behind another's bytes: its offset is the segment's end, where there is nothing left and
    /// nothing wanted. A reader that asks for an offset below the size refuses it.
    build "pte/valid/constant-of-no-bytes": "constant of no bytes at the segment's end" shows rules::CONST_OFFSET_BOUND
        => || constant_without_elements(&base::ramp(16));

    /// One number, `data_buffer_idx`, for two homes: a reader that looks in the constant segment runs the model, and
    /// one that looks among the buffers first has a single one there, and no number 1.
    reject "pte/constants/two-homes": "constant segment and constant buffers" breaks rules::CONST_ONE_HOME,
        from "pte/valid/everything" => |file| {
            let blobs = file.at("backend_delegate_data", PartKind::Count);
            file.point("constant_buffer", blobs);
        };

    /// No offset, not even the placeholder: readers that know constant buffers look there, and find none.
    reject "pte/constants/offsets-empty": "constant segment without an offset" breaks rules::CONST_BUFFER_IDX,
        from "pte/valid/constants", refs ["pytorch/executorch#19522"] => |file| file.count("constant_segment.offsets", 0);

    /// The exporters of 0.2 and 0.3 gave every model without constants a constant segment with no offset at all, and one empty
    /// constant buffer. Builds without the code for constant buffers refuse it, and others run it.
    build "pte/constants/as-of-0-3": "no offsets and one empty buffer, as releases 0.2 and 0.3 wrote"
        about rules::CONST_OFFSETS_PLACEHOLDER => base::without_offsets;

    /// No tensor of the program wants a constant, so nothing but opening it asks for the list. A reader that takes the
    /// absence for a program of before constant segments turns to constant buffers, which it may no longer know.
    either "pte/constants/offsets-absent": "offsets absent, no constants" about rules::CONST_OFFSETS_PLACEHOLDER,
        from "pte/valid/named-without-constants" => |file| file.own_slot("constant_segment", 1, 0);

    /// Index 0 means no constant, so no tensor asks for this offset and nothing that runs changes. A reader that cuts
    /// the segment from each offset to the next gets less than no bytes for the placeholder.
    either "pte/constants/placeholder-16": "placeholder 16" about rules::CONST_OFFSETS0_ZERO,
        from "pte/valid/three-constants" => |file| file.elements("constant_segment.offsets", 0, &16_u64.to_le_bytes());

    /// Times the four bytes of a reference it is −4 in 32 bits: the list's own count, 1, becomes the reference to the
    /// segment, and the place of all constants is read from a table a byte on.
    reject "pte/constants/segment-index-max": "constant segment index 2^32 − 1" breaks rules::CONST_SEG_INDEX,
        from "pte/valid/constants" => |file| file.scalar("constant_segment.segment_index", u32::MAX);

    /// There are two offsets and the index is 2, which a comparison that allows the count passes. Padding and the count
    /// of the segments, as one number, then are the offset: 2^32.
    reject "pte/constants/index-past-end": "constant index one past the offsets" breaks rules::CONST_BUFFER_IDX,
        from "pte/valid/constants", refs ["pytorch/executorch#16887"]
        => |file| file.scalar("execution_plan[0].values[0].val.data_buffer_idx", 2_u32);

    /// A writer who does not know that 0 means no constant may say −1. Times the eight bytes of an offset it is −8 in
    /// 32 bits, and the segment's index and the count, as one number, say where the data begin.
    reject "pte/constants/index-max": "constant index 2^32 − 1" breaks rules::CONST_BUFFER_IDX,
        from "pte/valid/constants" => |file| file.scalar("execution_plan[0].values[0].val.data_buffer_idx", u32::MAX);

    /// A number that, times the eight bytes of an offset, is 8 in 32 bits: the reader takes the right one, by accident.
    reject "pte/constants/index-wraps-32-bits": "constant index 2^29 + 1" breaks rules::CONST_BUFFER_IDX,
        from "pte/valid/constants"
        => |file| file.scalar("execution_plan[0].values[0].val.data_buffer_idx", (1_u32 << 29) + 1);

    /// The tensor wants constant 1, and the program has no constant segment and an empty list of buffers. A reader that
    /// goes on to the older home because the newer is absent indexes that empty list.
    reject "pte/constants/no-home": "constant without any home" breaks rules::CONST_BUFFER_IDX,
        from "pte/valid/constants" => |file| file.slot("", 5, 0);

    /// Offset and segment size are both 16, which is right for a constant of no bytes. A reader that compares the
    /// offset alone gives a tensor of 16 bytes an address where the file ends.
    reject "pte/constants/offset-at-end": "constant begins where the segment ends" breaks rules::CONST_OFFSET_BOUND,
        from "pte/valid/constants" => |file| file.elements("constant_segment.offsets", 8, &16_u64.to_le_bytes());

    /// What is left of the segment is 16 − 32: without a sign almost 2^64, and room for any tensor. A reader that
    /// subtracts before it compares offset and size lets it pass.
    reject "pte/constants/offset-past-end": "constant begins past the segment's end" breaks rules::CONST_OFFSET_BOUND,
        from "pte/valid/constants", refs ["pytorch/executorch#18662"]
        => |file| file.elements("constant_segment.offsets", 8, &32_u64.to_le_bytes());

    /// Sixteen bytes before 2^64: with the tensor's sixteen the end wraps to 0, which is inside every segment.
    reject "pte/constants/offset-wraps": "offset + bytes wraps to 0" breaks rules::CONST_OFFSET_BOUND,
        from "pte/valid/constants", refs ["pytorch/executorch#18662"]
        => |file| file.elements("constant_segment.offsets", 8, &0_u64.wrapping_sub(16).to_le_bytes());

    /// The right offset and 2^32 more: a reader that keeps offsets in 32 bits finds the right bytes, and one that keeps
    /// 64 looks 4 GiB behind a file of 784 bytes.
    reject "pte/constants/offset-wraps-32-bits": "offset 2^32 too large" breaks rules::CONST_OFFSET_BOUND,
        from "pte/valid/constants" => |file| file.elements("constant_segment.offsets", 8, &(1_u64 << 32).to_le_bytes());

    /// The third constant has no tensor, and its offset, 64, is past the 48 bytes of the segment. A reader that cuts
    /// the segment at its offsets when it opens the file takes a slice that begins behind its end.
    reject "pte/constants/unused-offset-past-end": "unused offset past the segment's end" breaks rules::CONST_OFFSET_BOUND,
        from "pte/valid/shared-constant" => |file| file.elements("constant_segment.offsets", 24, &64_u64.to_le_bytes());

    /// A tensor one row larger than what is left of the segment: kernels read what stands behind the file in memory.
    reject "pte/constants/tensor-past-segment": "constant larger than its segment" breaks rules::CONST_OFFSET_BOUND,
        from "pte/valid/constants", refs ["pytorch/executorch#16887"]
        => |file| file.elements("execution_plan[0].values[0].val.sizes", 0, &3_i32.to_le_bytes());

    /// The segment says that it is shorter than the tensor in it. The bytes are in the file, so a reader that compares with
    /// the end of the file instead of the segment's reads another part's.
    reject "pte/constants/segment-shorter-than-tensor": "segment shorter than the constant in it"
        breaks rules::CONST_OFFSET_BOUND,
        from "pte/valid/constants" => |file| {
            file.scalar("segments[0].size", 12_u64);
            file.header("segment_data_size", 12_u64);
        };

    /// The first constant has 24 bytes and the second begins 16 behind its start. A reader that ends each where the
    /// next begins has eight bytes less for the first than its sizes say.
    either "pte/constants/overlap": "two constants share bytes" about rules::CONST_OFFSET_NEXT,
        from "pte/valid/three-constants"
        => |file| file.elements("execution_plan[0].values[0].val.sizes", 0, &3_i32.to_le_bytes());

    /// Offsets that fall. A reader that cuts the segment from each to the next gets a constant of less than no bytes.
    either "pte/constants/out-of-order": "offsets not sorted" about rules::CONST_OFFSETS_SORTED,
        from "pte/valid/three-constants" => |file| {
            file.elements("constant_segment.offsets", 8, &32_u64.to_le_bytes());
            file.elements("constant_segment.offsets", 24, &0_u64.to_le_bytes());
        };

    /// A constant at a multiple of 4 only: aligned to its elements, and not to what vector instructions may rely on.
    either "pte/constants/offset-unaligned": "constant not at a multiple of 16" about rules::CONST_OFFSET_ALIGNED,
        from "pte/valid/three-constants" => |file| {
            let scalar = file.at("segments[0]", PartKind::Segment) + 16;
            file.put(scalar, &[0; 4]);
            file.elements("constant_segment.offsets", 16, &20_u64.to_le_bytes());
        };

    /// Eight letters stand in the padding behind a constant, where no tensor shows them: a tool that compares models by
    /// their tensors calls two files equal that are not, and what is hidden travels along.
    either "pte/constants/padding-not-zero": "bytes hidden behind a constant" about rules::CONST_PADDING_ZERO,
        from "pte/valid/three-constants" => |file| {
            let padding = file.at("segments[0]", PartKind::Segment) + 24;
            file.put(padding, b"hidden!!");
        };

    /// A model whose constants all have no elements: writers make a segment of no bytes and the offsets for them. A reader
    /// that takes a segment without bytes for none looks for constant buffers instead.
    build "pte/constants/segment-of-no-bytes": "all constants without elements" about rules::CONST_ZERO_SIZE_SEGMENT
        => || constant_without_elements(&[]);

    /// A buffer longer than its tensor is right: there is more than enough. A reader that compares the two the wrong way
    /// round refuses it, and accepts what is too short.
    build "pte/valid/constant-buffer-larger": "constant buffer longer than its tensor" shows rules::CONST_BUFFER_LEGACY,
        refs ["pytorch/executorch#16887"], needs ["constant-buffer"] => larger_buffer;

    /// One past the list of buffers: what follows the list is taken for a reference to a table, and that for one to the
    /// bytes.
    reject "pte/constants/buffer-index-past-end": "constant index one past the buffers" breaks rules::CONST_BUFFER_LEGACY,
        from "pte/valid/constant-buffer", needs ["constant-buffer"]
        => |file| file.scalar("execution_plan[0].values[0].val.data_buffer_idx", 2_u32);

    /// Minus one. Times four it wraps in 32 bits, to the count of the buffers, which is then followed as a reference.
    reject "pte/constants/buffer-index-max": "constant index 2^32 − 1, constant buffers" breaks rules::CONST_BUFFER_LEGACY,
        from "pte/valid/constant-buffer", needs ["constant-buffer"]
        => |file| file.scalar("execution_plan[0].values[0].val.data_buffer_idx", u32::MAX);

    /// A buffer one byte shorter than its tensor: what follows in the FlatBuffer is read as its last element, or changed with
    /// it.
    reject "pte/constants/buffer-too-short": "constant buffer one byte short" breaks rules::CONST_BUFFER_LEGACY,
        from "pte/valid/constant-buffer", refs ["pytorch/executorch#16887"], needs ["constant-buffer"]
        => |file| file.count("constant_buffer[1].storage", 15);

    /// The index is in range and the entry is there; its bytes are not. A reader that asks for their length before it
    /// asks whether they are there reads it near address 0, and may find that it is enough.
    reject "pte/constants/buffer-storage-absent": "storage absent" breaks rules::CONST_BUFFER_LEGACY,
        from "pte/valid/constant-buffer", needs ["constant-buffer"] => |file| file.slot("constant_buffer[1]", 0, 0);

    /// The bytes of a constant are used inside the FlatBuffer, at a multiple of 4 only. A verifier asks no more of
    /// bytes, so a kernel that loads sixteen at once is the first to fault.
    either "pte/constants/buffer-unaligned": "constant buffer not at a multiple of 16" about envelope::FB_FORCE_ALIGN,
        from "pte/valid/constant-buffer-larger", needs ["constant-buffer"] => |file| {
            let storage = file.at("constant_buffer[1].storage", PartKind::Count);
            file.point("constant_buffer[1].storage", storage + 4);
            file.put(storage + 4, &16_u32.to_le_bytes());
        };
}
