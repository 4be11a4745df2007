//! Cases about a program's constants: their segment, their offsets, and legacy constant buffers.

use alloc::vec;
use alloc::vec::Vec;

use super::{base, cases};
use crate::annotate::PartKind;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::pte::schema as pte;
use crate::rules::{constants as rules, flatbuffer};

/// The method adds three constants to its input: a tensor, a scalar and another tensor.
fn three_constants() -> TableTree {
    let scalar = base::tensor(&[]).with("data_buffer_idx", 2);
    let values = [base::constant(1), base::planned(0), base::planned(16), base::int(1), scalar, base::constant(3)];
    let calls = vec![base::kernel_call(), base::add([2, 4, 3, 2, 2]), base::add([2, 5, 3, 2, 2])];
    base::program_with(vec![base::method(values).with("chains", vec![base::chain(calls)])], &[0, 0, 16, 32])
}

/// Each constant except the last is padded to 16 bytes.
fn three_constants_data() -> Vec<u8> {
    let mut data = base::ramp(20);
    data.resize(32, 0);
    data.extend(base::ramp(16));
    data
}

fn constant_without_elements(data: &[u8]) -> base::BaseBytes {
    let nothing = base::tensor(&[0, 2]).with("data_buffer_idx", 1);
    let method = base::method([base::planned(0), base::planned(0), base::planned(16), base::int(1), nothing]);
    base::write_program(&base::program_with(vec![method], &[0, data.len() as u64]), &[data])
}

/// The constant buffer is longer than its tensor.
fn larger_buffer() -> base::BaseBytes {
    let buffer = |bytes: Vec<u8>| TableTree::new(pte::Buffer::TYPE).with("storage", bytes);
    let root = base::program_of(vec![base::plan(base::constant(1))])
        .with("constant_buffer", vec![buffer(Vec::new()), buffer(base::ramp(32))])
        .with("segments", Vec::<TableTree>::new());
    base::write_without_header(&root)
}

/// A method that adds two 64-byte constants with different elements to its input.
fn two_large_constants() -> base::BaseBytes {
    let constant = |index: u32| base::tensor(&[4, 4]).with("data_buffer_idx", index);
    let planned = |offset: u32| {
        let place = TableTree::new(pte::AllocationDetails::TYPE).with("memory_id", 1).with("memory_offset_low", offset);
        base::tensor(&[4, 4]).with("allocation_info", place)
    };
    let values = [constant(1), planned(0), planned(64), base::int(1), constant(2)];
    let calls = vec![base::kernel_call(), base::add([2, 4, 3, 2, 2])];
    let method =
        base::method(values).with("chains", vec![base::chain(calls)]).with("non_const_buffer_sizes", vec![0_i64, 128]);
    base::write_program(&base::program_with(vec![method], &[0, 0, 64]), &[&base::ramp(128)])
}

cases! {
    /// Two constants have the same type and shape but different bytes, so neither is a duplicate of the other.
    build "pte/valid/two-large-constants": "two constants of 64 bytes" shows rules::CONST_DISTINCT => two_large_constants;

    /// Both tensors use constant 1, and no tensor uses constant 2, so the file is larger than necessary.
    either "pte/constants/unused": "constant of 64 bytes that no tensor uses" about rules::CONST_USED,
        from "pte/valid/two-large-constants"
        => |file| file.scalar("execution_plan[0].values[4].val.data_buffer_idx", 1_u32);

    /// Constants 1 and 2 have the same bytes, which the file stores twice.
    either "pte/constants/equal": "two constants with equal bytes" about rules::CONST_DISTINCT,
        from "pte/valid/two-large-constants"
        => |file| {
            let at = file.at("segments[0]", PartKind::Segment);
            let first: Vec<u8> = base::ramp(64);
            file.put(at + 64, &first);
        };

    /// All constants except the last are padded to 16 bytes. A reader that also expects padding after the last constant
    /// rejects every model.
    build "pte/valid/three-constants": "three constants, the last without padding" shows rules::CONST_OFFSET_BOUND
        => || base::write_program(&three_constants(), &[&three_constants_data()]);

    /// Writers store only one constant for tied weights, so a reader must not change or free it for just one of the tensors.
    accept "pte/valid/shared-constant": "two tensors with one constant" shows rules::CONST_IMMUTABLE,
        from "pte/valid/three-constants"
        => |file| file.scalar("execution_plan[0].values[5].val.data_buffer_idx", 1_u32);

    /// A constant without elements may begin where the segment ends. A reader that requires a smaller offset rejects
    /// the file.
    build "pte/valid/constant-of-no-bytes": "empty constant at the segment's end" shows rules::CONST_OFFSET_BOUND
        => || constant_without_elements(&base::ramp(16));

    /// `data_buffer_idx` can refer to the segment or to the buffers, so two readers can use different weights.
    reject "pte/constants/two-homes": "constant segment and constant buffers" breaks rules::CONST_ONE_HOME,
        from "pte/valid/everything" => |file| file.lead("constant_buffer", "backend_delegate_data", 0);

    /// The program also has a constant buffer, but no tensor uses a constant, so readers may accept the file.
    build "pte/constants/buffer-beside-placeholder": "only the placeholder offset, and a constant buffer"
        about rules::CONST_PLACEHOLDER_ALONE => || {
            let buffer = TableTree::new(pte::Buffer::TYPE).with("storage", base::ramp(16));
            base::write_program(&base::headerless_tree().with("constant_buffer", vec![buffer]), &[])
        };

    /// A tensor uses index 1, but the list is empty. A reader that does not check reads past it or falls back to the buffers.
    reject "pte/constants/offsets-empty": "constant segment without offsets" breaks rules::CONST_BUFFER_IDX,
        from "pte/valid/constants", refs ["pytorch/executorch#19522"]
        => |file| file.count("constant_segment.offsets", 0);

    /// For models without constants, the exporters of these releases wrote this. Readers that do not support constant
    /// buffers may reject the file.
    build "pte/constants/as-of-0-3": "no offsets and one empty buffer, from releases 0.2 and 0.3"
        about rules::CONST_OFFSETS_PLACEHOLDER => base::without_offsets;

    /// No tensor uses a constant. If there are no offsets, some readers look for legacy constant buffers and may reject
    /// the file.
    either "pte/constants/offsets-absent": "offsets absent, no constants" about rules::CONST_OFFSETS_PLACEHOLDER,
        from "pte/valid/named-without-constants" => |file| file.own_slot("constant_segment", 1, 0);

    /// The first offset should be 0. No tensor uses it, but a reader that computes each size from the next offset gets
    /// a negative size.
    either "pte/constants/placeholder-16": "placeholder offset 16" about rules::CONST_OFFSETS0_ZERO,
        from "pte/valid/three-constants" => |file| file.elements("constant_segment.offsets", 0, 16_u64);

    /// In 32-bit arithmetic, the index acts as −1 and selects the word before the first segment. That word is the
    /// list's count, which the reader then uses as an offset.
    reject "pte/constants/segment-index-max": "constant segment index 2^32 − 1" breaks rules::CONST_SEG_INDEX,
        from "pte/valid/constants" => |file| file.scalar("constant_segment.segment_index", u32::MAX);

    /// The index is 2, but there are only two offsets. A check that is off by one accepts it.
    reject "pte/constants/index-past-end": "constant index one past the last offset" breaks rules::CONST_BUFFER_IDX,
        from "pte/valid/constants", refs ["pytorch/executorch#16887"]
        => |file| file.scalar("execution_plan[0].values[0].val.data_buffer_idx", 2_u32);

    /// The index looks like −1 for "no constant", but a tensor without a constant has index 0. In 32-bit arithmetic,
    /// 2^32 − 1 selects the memory before the offsets.
    reject "pte/constants/index-max": "constant index 2^32 − 1" breaks rules::CONST_BUFFER_IDX,
        from "pte/valid/constants" => |file| file.scalar("execution_plan[0].values[0].val.data_buffer_idx", u32::MAX);

    /// In 32-bit arithmetic, 8 times the index wraps to the position of the correct offset, so a reader has to check
    /// the index before it multiplies.
    reject "pte/constants/index-wraps-32-bits": "constant index 2^29 + 1" breaks rules::CONST_BUFFER_IDX,
        from "pte/valid/constants"
        => |file| file.scalar("execution_plan[0].values[0].val.data_buffer_idx", (1_u32 << 29) + 1);

    /// The tensor uses constant 1, but the program has neither a constant segment nor constant buffers.
    reject "pte/constants/no-home": "constant without any storage" breaks rules::CONST_BUFFER_IDX,
        from "pte/valid/constants" => |file| file.slot("", 5, 0);

    /// The offset equals the segment's size, 16. That is valid only for a constant without elements, so a reader has to
    /// check where the tensor ends as well.
    reject "pte/constants/offset-at-end": "constant begins where the segment ends" breaks rules::CONST_OFFSET_BOUND,
        from "pte/valid/constants" => |file| file.elements("constant_segment.offsets", 8, 16_u64);

    /// The offset is 32, but the segment has only 16 bytes. Subtracting the offset from the size wraps, so every tensor
    /// seems to fit.
    reject "pte/constants/offset-past-end": "constant begins past the segment's end" breaks rules::CONST_OFFSET_BOUND,
        from "pte/valid/constants", refs ["pytorch/executorch#18662"]
        => |file| file.elements("constant_segment.offsets", 8, 32_u64);

    /// The offset, 2^64 − 16, plus the byte count wraps to 0, which is inside every segment.
    reject "pte/constants/offset-wraps": "constant offset + bytes wraps to 0" breaks rules::CONST_OFFSET_BOUND,
        from "pte/valid/constants", refs ["pytorch/executorch#18662"]
        => |file| file.elements("constant_segment.offsets", 8, 0_u64.wrapping_sub(16));

    /// Truncated to 32 bits, the offset is correct. A 64-bit reader that does not check it uses memory 4 GiB past the file.
    reject "pte/constants/offset-wraps-32-bits": "constant offset too large by 2^32" breaks rules::CONST_OFFSET_BOUND,
        from "pte/valid/constants" => |file| file.elements("constant_segment.offsets", 8, 1_u64 << 32);

    /// Readers may ignore an offset that no tensor uses, but if they split the segment there, they must not read past its end.
    either "pte/constants/unused-offset-past-end": "unused offset past the segment's end"
        about rules::CONST_OFFSET_UNUSED,
        from "pte/valid/shared-constant" => |file| file.elements("constant_segment.offsets", 24, 64_u64);

    /// The tensor is 8 bytes longer than the segment, so kernels would read the memory after the file.
    reject "pte/constants/tensor-past-segment": "constant larger than its segment" breaks rules::CONST_OFFSET_BOUND,
        from "pte/valid/constants", refs ["pytorch/executorch#16887"]
        => |file| file.elements("execution_plan[0].values[0].val.sizes", 0, 3_i32);

    /// The segment is 4 bytes shorter than the tensor. All of the tensor's bytes are in the file, so comparing its end
    /// with the file's size does not help.
    reject "pte/constants/segment-shorter-than-tensor": "segment shorter than its constant"
        breaks rules::CONST_OFFSET_BOUND, from "pte/valid/constants" => |file| {
            file.scalar("segments[0].size", 12_u64);
            file.header("segment_data_size", 12_u64);
        };

    /// The first constant has 24 bytes, but the second one begins after 16 of them. A reader that computes each size
    /// from the next offset cuts the first constant short.
    either "pte/constants/overlap": "two constants share bytes" about rules::CONST_OFFSET_NEXT,
        from "pte/valid/three-constants" => |file| file.elements("execution_plan[0].values[0].val.sizes", 0, 3_i32);

    /// A reader that computes each size from the next offset gets negative sizes for the first two constants.
    either "pte/constants/out-of-order": "constant offsets not sorted" about rules::CONST_OFFSETS_SORTED,
        from "pte/valid/three-constants" => |file| {
            file.elements("constant_segment.offsets", 8, 32_u64);
            file.elements("constant_segment.offsets", 24, 0_u64);
        };

    /// The constant is aligned to only 4 bytes. Kernels that rely on 16-byte alignment can fault or run slowly.
    either "pte/constants/offset-unaligned": "constant not aligned to 16 bytes" about rules::CONST_OFFSET_ALIGNED,
        from "pte/valid/three-constants" => |file| {
            file.put_segment(0, 16, &[0; 4]);
            file.elements("constant_segment.offsets", 16, 20_u64);
        };

    /// The padding contains text, which tools that compare tensors do not notice.
    either "pte/constants/padding-not-zero": "hidden bytes after a constant" about rules::CONST_PADDING_ZERO,
        from "pte/valid/three-constants" => |file| file.put_segment(0, 24, b"hidden!!");

    /// The only constant has no elements, so official writers write an empty segment. A reader that treats the segment
    /// as absent looks for constant buffers and rejects the file.
    build "pte/constants/segment-of-no-bytes": "constant segment without bytes" shows rules::CONST_ZERO_SIZE_SEGMENT
        => || constant_without_elements(&[]);

    /// A constant buffer may be longer than its tensor. Only a shorter buffer is wrong.
    build "pte/valid/constant-buffer-larger": "constant buffer longer than its tensor" shows rules::CONST_BUFFER_LEGACY,
        refs ["pytorch/executorch#16887"], needs ["constant-buffer"] => larger_buffer;

    /// The tensor uses constant 1, but `constant_segment` and `constant_buffer` are both absent, so a look-up dereferences null.
    reject "pte/constants/buffers-absent": "constant_buffer absent" breaks rules::CONST_BUFFER_IDX,
        from "pte/valid/constant-buffer", needs ["constant-buffer"] => |file| file.slot("", 2, 0);

    /// The index is 2, but there are only two buffers. If the check is off by one, the bytes after the list become an
    /// offset.
    reject "pte/constants/buffer-index-past-end": "constant index one past the last buffer"
        breaks rules::CONST_BUFFER_LEGACY, from "pte/valid/constant-buffer", needs ["constant-buffer"]
        => |file| file.scalar("execution_plan[0].values[0].val.data_buffer_idx", 2_u32);

    /// As a signed integer, the index is −1. In 32-bit arithmetic, it selects the list's count, which precedes the first buffer.
    reject "pte/constants/buffer-index-max": "constant buffer index 2^32 − 1" breaks rules::CONST_BUFFER_LEGACY,
        from "pte/valid/constant-buffer", needs ["constant-buffer"]
        => |file| file.scalar("execution_plan[0].values[0].val.data_buffer_idx", u32::MAX);

    /// The buffer has 15 bytes, but its tensor needs 16, so kernels also read the FlatBuffer's next byte.
    reject "pte/constants/buffer-too-short": "constant buffer one byte short" breaks rules::CONST_BUFFER_LEGACY,
        from "pte/valid/constant-buffer", refs ["pytorch/executorch#16887"], needs ["constant-buffer"]
        => |file| file.count("constant_buffer[1].storage", 15);

    /// The buffer exists but has no `storage`, so reading its length dereferences null.
    reject "pte/constants/buffer-storage-absent": "constant buffer without storage" breaks rules::CONST_BUFFER_LEGACY,
        from "pte/valid/constant-buffer", needs ["constant-buffer"] => |file| file.slot("constant_buffer[1]", 0, 0);

    /// The constant has no elements and needs no bytes. A reader that mistakes an empty range for a missing constant
    /// rejects the file.
    accept "pte/valid/constant-buffer-of-no-bytes": "empty constant in a constant buffer" shows rules::CONST_BUFFER_LEGACY,
        from "pte/valid/constant-buffer", needs ["constant-buffer"]
        => |file| file.elements("execution_plan[0].values[0].val.sizes", 0, 0_i32);

    /// The constant has no elements, so a reader that compares only sizes finds nothing wrong and returns an address near 0.
    reject "pte/constants/empty-buffer-storage-absent": "empty constant in a buffer without storage"
        breaks rules::CONST_BUFFER_LEGACY, from "pte/valid/constant-buffer-of-no-bytes", needs ["constant-buffer"]
        => |file| file.slot("constant_buffer[1]", 0, 0);

    /// The schema requires an alignment of 16. Verifiers do not check it, but kernels with 16-byte loads can fault.
    either "pte/constants/buffer-unaligned": "constant buffer not aligned to 16 bytes" about flatbuffer::FB_FORCE_ALIGN,
        from "pte/valid/constant-buffer-larger", needs ["constant-buffer"]
        => |file| file.move_count("constant_buffer[1].storage", 16);
}
