//! Cases about a program's constants: their segment, their offsets, and legacy constant buffers.

use alloc::vec;
use alloc::vec::Vec;

use super::{base, cases};
use crate::annotate::PartKind;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::pte::schema as pte;
use crate::pte::{HeaderKind, ProgramLayout};
use crate::rules::{constants as rules, flatbuffer};

/// Returns a program that adds a tensor, a scalar and another tensor, all constants, to its input.
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

/// Returns a program whose only constant has no elements, in a segment of these bytes.
fn constant_without_elements(data: &[u8]) -> base::BaseBytes {
    let nothing = base::tensor(&[0, 2]).with("data_buffer_idx", 1);
    let alpha = TableTree::new(pte::Int::TYPE).with("int_val", 1);
    let values = [base::planned(0), base::planned(0), base::planned(16), alpha, nothing].map(base::value);
    let plan = base::plan(base::planned(0)).with("values", values.to_vec());
    let root = base::program_of(vec![plan]).with("constant_segment", base::subsegments(0, &[0, data.len() as u64]));
    base::write_program(&root, &[data])
}

/// Returns a program with constant buffers, whose constant's buffer is longer than the tensor.
fn larger_buffer() -> base::BaseBytes {
    let buffer = |bytes: Vec<u8>| TableTree::new(pte::Buffer::TYPE).with("storage", bytes);
    let root = base::program_of(vec![base::plan(base::constant(1))])
        .with("constant_buffer", vec![buffer(Vec::new()), buffer(base::ramp(32))])
        .with("segments", Vec::<TableTree>::new());
    base::write_program_as(&root, &[], &ProgramLayout { header: HeaderKind::Never, ..ProgramLayout::default() })
}

cases! {
    /// Each constant but the last is padded with zeros to 16 bytes, and the last ends with the segment. A reader
    /// that requires padding after the last constant rejects every model.
    build "pte/valid/three-constants": "three constants, the last without padding" shows rules::CONST_OFFSET_BOUND
        => || base::write_program(&three_constants(), &[&three_constants_data()]);

    /// Writers emit tied weights this way. A reader that lets one tensor write to or free the constant changes the
    /// other.
    accept "pte/valid/shared-constant": "two tensors with one constant" shows rules::CONST_IMMUTABLE,
        from "pte/valid/three-constants"
        => |file| file.scalar("execution_plan[0].values[5].val.data_buffer_idx", 1_u32);

    /// The constant has no elements, and its offset equals the segment's size. A reader that requires an offset below
    /// the size rejects the file.
    build "pte/valid/constant-of-no-bytes": "constant of no bytes at the segment's end" shows rules::CONST_OFFSET_BOUND
        => || constant_without_elements(&base::ramp(16));

    /// `data_buffer_idx` is ambiguous: the program has both storage forms. A reader that uses the constant segment
    /// runs the model. A reader that looks in the buffers first finds one entry and no index 1.
    reject "pte/constants/two-homes": "constant segment and constant buffers" breaks rules::CONST_ONE_HOME,
        from "pte/valid/everything" => |file| {
            let blobs = file.at("backend_delegate_data", PartKind::Count);
            file.point("constant_buffer", blobs);
        };

    /// The list of offsets is empty; even the placeholder is missing. Readers that support constant buffers look
    /// there and find none.
    reject "pte/constants/offsets-empty": "constant segment without offsets" breaks rules::CONST_BUFFER_IDX,
        from "pte/valid/constants", refs ["pytorch/executorch#19522"]
        => |file| file.count("constant_segment.offsets", 0);

    /// The exporters of 0.2 and 0.3 wrote this for every model without constants. Builds without support for
    /// constant buffers reject it, and others run it.
    build "pte/constants/as-of-0-3": "no offsets and one empty buffer, from releases 0.2 and 0.3"
        about rules::CONST_OFFSETS_PLACEHOLDER => base::without_offsets;

    /// No tensor uses a constant, so the list matters only when the program opens. A reader that takes the absent
    /// list for the old layout falls back to constant buffers, which it may not support.
    either "pte/constants/offsets-absent": "offsets absent, no constants" about rules::CONST_OFFSETS_PLACEHOLDER,
        from "pte/valid/named-without-constants" => |file| file.own_slot("constant_segment", 1, 0);

    /// Index 0 means no constant, so no tensor uses this offset. A reader that sizes each constant by the next
    /// offset gets a negative size for the placeholder.
    either "pte/constants/placeholder-16": "placeholder offset 16" about rules::CONST_OFFSETS0_ZERO,
        from "pte/valid/three-constants" => |file| file.elements("constant_segment.offsets", 0, &16_u64.to_le_bytes());

    /// Multiplied by 4, the index wraps to −4 in 32 bits. The list's count, 1, then acts as the offset to the segment,
    /// and the reader parses a misplaced table.
    reject "pte/constants/segment-index-max": "constant segment index 2^32 − 1" breaks rules::CONST_SEG_INDEX,
        from "pte/valid/constants" => |file| file.scalar("constant_segment.segment_index", u32::MAX);

    /// The list has two offsets and the index is 2, so an off-by-one comparison accepts the index. The bytes after the
    /// list give an offset of 2^32.
    reject "pte/constants/index-past-end": "constant index one past the offsets" breaks rules::CONST_BUFFER_IDX,
        from "pte/valid/constants", refs ["pytorch/executorch#16887"]
        => |file| file.scalar("execution_plan[0].values[0].val.data_buffer_idx", 2_u32);

    /// A writer may use −1 for no constant, although the format uses 0. Multiplied by 8, the index wraps to −8 in 32
    /// bits, and the reader takes the word before the list as an offset.
    reject "pte/constants/index-max": "constant index 2^32 − 1" breaks rules::CONST_BUFFER_IDX,
        from "pte/valid/constants" => |file| file.scalar("execution_plan[0].values[0].val.data_buffer_idx", u32::MAX);

    /// Multiplied by the eight bytes of an offset, the index wraps to 8 in 32 bits. The reader finds the right
    /// offset by accident.
    reject "pte/constants/index-wraps-32-bits": "constant index 2^29 + 1" breaks rules::CONST_BUFFER_IDX,
        from "pte/valid/constants"
        => |file| file.scalar("execution_plan[0].values[0].val.data_buffer_idx", (1_u32 << 29) + 1);

    /// The tensor uses constant 1, but the program has no constant segment and an empty list of buffers. A reader
    /// that falls back to the buffers indexes the empty list.
    reject "pte/constants/no-home": "constant without any storage" breaks rules::CONST_BUFFER_IDX,
        from "pte/valid/constants" => |file| file.slot("", 5, 0);

    /// The offset equals the segment size, 16, which is valid only for a constant of no bytes. A reader that
    /// compares the offset alone returns an address at the file's end.
    reject "pte/constants/offset-at-end": "constant begins where the segment ends" breaks rules::CONST_OFFSET_BOUND,
        from "pte/valid/constants" => |file| file.elements("constant_segment.offsets", 8, &16_u64.to_le_bytes());

    /// The rest of the segment is 16 − 32, which is almost 2^64 without a sign. A reader that subtracts before it
    /// compares accepts any tensor.
    reject "pte/constants/offset-past-end": "constant begins past the segment's end" breaks rules::CONST_OFFSET_BOUND,
        from "pte/valid/constants", refs ["pytorch/executorch#18662"]
        => |file| file.elements("constant_segment.offsets", 8, &32_u64.to_le_bytes());

    /// The offset is 2^64 − 16, and adding the tensor's 16 bytes wraps to 0. An end of 0 is inside every segment.
    reject "pte/constants/offset-wraps": "constant offset + bytes wraps to 0" breaks rules::CONST_OFFSET_BOUND,
        from "pte/valid/constants", refs ["pytorch/executorch#18662"]
        => |file| file.elements("constant_segment.offsets", 8, &0_u64.wrapping_sub(16).to_le_bytes());

    /// A reader that stores offsets in 32 bits finds the right bytes. A reader that uses 64 bits without a check
    /// reads 4 GiB past a file of 784 bytes.
    reject "pte/constants/offset-wraps-32-bits": "constant offset 2^32 too large" breaks rules::CONST_OFFSET_BOUND,
        from "pte/valid/constants" => |file| file.elements("constant_segment.offsets", 8, &(1_u64 << 32).to_le_bytes());

    /// No tensor uses the third constant, and its offset, 64, exceeds the segment's 48 bytes. A reader that slices
    /// the segment at every offset when it opens the file slices past the end.
    reject "pte/constants/unused-offset-past-end": "unused offset past the segment's end"
        breaks rules::CONST_OFFSET_BOUND,
        from "pte/valid/shared-constant" => |file| file.elements("constant_segment.offsets", 24, &64_u64.to_le_bytes());

    /// The tensor is one row larger than the rest of the segment. Kernels read the memory after the file.
    reject "pte/constants/tensor-past-segment": "constant larger than its segment" breaks rules::CONST_OFFSET_BOUND,
        from "pte/valid/constants", refs ["pytorch/executorch#16887"]
        => |file| file.elements("execution_plan[0].values[0].val.sizes", 0, &3_i32.to_le_bytes());

    /// The segment is shorter than the tensor in it, but the bytes exist in the file. A reader that compares with
    /// the file's end reads bytes of another part.
    reject "pte/constants/segment-shorter-than-tensor": "segment shorter than its constant"
        breaks rules::CONST_OFFSET_BOUND,
        from "pte/valid/constants" => |file| {
            file.scalar("segments[0].size", 12_u64);
            file.header("segment_data_size", 12_u64);
        };

    /// The first constant has 24 bytes, and the second begins 16 bytes after it. A reader that ends each constant
    /// where the next begins truncates the first.
    either "pte/constants/overlap": "two constants share bytes" about rules::CONST_OFFSET_NEXT,
        from "pte/valid/three-constants"
        => |file| file.elements("execution_plan[0].values[0].val.sizes", 0, &3_i32.to_le_bytes());

    /// The offsets decrease. A reader that sizes each constant by the next offset computes a negative size.
    either "pte/constants/out-of-order": "constant offsets not sorted" about rules::CONST_OFFSETS_SORTED,
        from "pte/valid/three-constants" => |file| {
            file.elements("constant_segment.offsets", 8, &32_u64.to_le_bytes());
            file.elements("constant_segment.offsets", 24, &0_u64.to_le_bytes());
        };

    /// The constant is aligned to its elements, 4, but not to 16. Kernels that rely on 16-byte alignment fault or
    /// slow down.
    either "pte/constants/offset-unaligned": "constant not at a multiple of 16" about rules::CONST_OFFSET_ALIGNED,
        from "pte/valid/three-constants" => |file| {
            let scalar = file.at("segments[0]", PartKind::Segment) + 16;
            file.put(scalar, &[0; 4]);
            file.elements("constant_segment.offsets", 16, &20_u64.to_le_bytes());
        };

    /// The padding after a constant contains eight letters. A tool that compares models by their tensors calls two
    /// different files equal.
    either "pte/constants/padding-not-zero": "hidden bytes after a constant" about rules::CONST_PADDING_ZERO,
        from "pte/valid/three-constants" => |file| {
            let padding = file.at("segments[0]", PartKind::Segment) + 24;
            file.put(padding, b"hidden!!");
        };

    /// All constants have no elements, so the writer emits an empty segment with offsets. A reader that treats an
    /// empty segment as absent looks for constant buffers instead.
    build "pte/constants/segment-of-no-bytes": "constant segment without bytes" about rules::CONST_ZERO_SIZE_SEGMENT
        => || constant_without_elements(&[]);

    /// A buffer may be longer than its tensor. A reader that swaps the comparison rejects it and accepts a short
    /// buffer.
    build "pte/valid/constant-buffer-larger": "constant buffer longer than its tensor" shows rules::CONST_BUFFER_LEGACY,
        refs ["pytorch/executorch#16887"], needs ["constant-buffer"] => larger_buffer;

    /// The index is one past the list of buffers. The reader takes the bytes after the list for an offset to a
    /// table and follows it.
    reject "pte/constants/buffer-index-past-end": "constant index one past the buffers"
        breaks rules::CONST_BUFFER_LEGACY,
        from "pte/valid/constant-buffer", needs ["constant-buffer"]
        => |file| file.scalar("execution_plan[0].values[0].val.data_buffer_idx", 2_u32);

    /// As a signed integer, the index is −1. Multiplied by 4, the index wraps in 32 bits to the list's count, which the
    /// reader follows as an offset.
    reject "pte/constants/buffer-index-max": "constant index 2^32 − 1, constant buffers"
        breaks rules::CONST_BUFFER_LEGACY,
        from "pte/valid/constant-buffer", needs ["constant-buffer"]
        => |file| file.scalar("execution_plan[0].values[0].val.data_buffer_idx", u32::MAX);

    /// The buffer is one byte shorter than its tensor. Kernels read or change the next byte of the FlatBuffer as
    /// part of the last element.
    reject "pte/constants/buffer-too-short": "constant buffer one byte short" breaks rules::CONST_BUFFER_LEGACY,
        from "pte/valid/constant-buffer", refs ["pytorch/executorch#16887"], needs ["constant-buffer"]
        => |file| file.count("constant_buffer[1].storage", 15);

    /// The index is in range and the buffer exists, but its `storage` is absent. A reader that loads the length
    /// first reads near address 0.
    reject "pte/constants/buffer-storage-absent": "constant buffer without storage" breaks rules::CONST_BUFFER_LEGACY,
        from "pte/valid/constant-buffer", needs ["constant-buffer"] => |file| file.slot("constant_buffer[1]", 0, 0);

    /// Readers use the constant's bytes in place, and they are aligned to 4 only. Verifiers do not check the
    /// alignment of bytes, so a kernel with 16-byte loads faults first.
    either "pte/constants/buffer-unaligned": "constant buffer not at a multiple of 16" about flatbuffer::FB_FORCE_ALIGN,
        from "pte/valid/constant-buffer-larger", needs ["constant-buffer"] => |file| {
            let storage = file.at("constant_buffer[1].storage", PartKind::Count);
            file.point("constant_buffer[1].storage", storage + 4);
            file.put(storage + 4, &16_u32.to_le_bytes());
        };
}
