//! Cases about mutable tensors with initial values: segments, lists and offsets.

use alloc::vec;
use alloc::vec::Vec;

use super::{base, cases};
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::pte::schema as pte;
use crate::rules::mutable_data as rules;

fn state(sizes: &[i32], memory_offset: u32, list: u64, entry: u32) -> TableTree {
    let extra = TableTree::new(pte::ExtraTensorInfo::TYPE)
        .with("mutable_data_segments_idx", list)
        .with("fully_qualified_name", alloc::format!("state{entry}"))
        .with("location", pte::TensorDataLocation::SEGMENT.0);
    let place =
        TableTree::new(pte::AllocationDetails::TYPE).with("memory_id", 1).with("memory_offset_low", memory_offset);
    base::tensor(sizes).with("data_buffer_idx", entry).with("allocation_info", place).with("extra_tensor_info", extra)
}

/// Adds a constant and `states` to the input. The planned buffer of 128 bytes is larger than they need.
fn program(states: Vec<TableTree>) -> TableTree {
    let calls = (4..).zip(&states).map(|(state, _)| base::add([2, state, 3, 2, 2]));
    let calls: Vec<TableTree> = core::iter::once(base::kernel_call()).chain(calls).collect();
    let mut values = vec![base::constant(1), base::planned(0), base::planned(16), base::int(1)];
    values.extend(states);
    let method =
        base::method(values).with("chains", vec![base::chain(calls)]).with("non_const_buffer_sizes", vec![0_i64, 128]);
    base::program_with(vec![method], &[0, 0])
}

/// The initial value's segment follows the constants.
fn one_state() -> base::BaseBytes {
    let root =
        program(vec![state(&[2, 2], 32, 0, 1)]).with("mutable_data_segments", vec![base::subsegments(1, &[0, 0])]);
    base::write_program(&root, &[&base::constants_data(), &base::ramp(16)])
}

/// A scalar of four bytes and a tensor, with initial values in one segment.
fn packed_states() -> base::BaseBytes {
    let root = program(vec![state(&[], 32, 0, 1), state(&[2, 2], 48, 0, 2)])
        .with("mutable_data_segments", vec![base::subsegments(1, &[0, 0, 4])]);
    base::write_program(&root, &[&base::constants_data(), &base::ramp(20)])
}

/// The initial value is in the second of two lists, each with its own segment.
fn second_list() -> base::BaseBytes {
    let lists = vec![base::subsegments(1, &[0, 0]), base::subsegments(2, &[0, 0])];
    let root = program(vec![state(&[2, 2], 32, 1, 1)]).with("mutable_data_segments", lists);
    base::write_program(&root, &[&base::constants_data(), &base::ramp(16), &base::ramp(32)[16..]])
}

/// There is a list of initial values and no segment data: the only mutable tensor has no elements and does not use it.
fn list_without_bytes() -> base::BaseBytes {
    let root = program(vec![state(&[0, 2], 32, 0, 0)])
        .with("segments", vec![base::segment(0, 0); 2])
        .with("constant_segment", base::subsegments(0, &[0]))
        .with("mutable_data_segments", vec![base::subsegments(1, &[0, 0])]);
    base::write_program(&without_constant(root), &[])
}

/// A mutable tensor and no constants.
fn state_alone() -> base::BaseBytes {
    let root = program(vec![state(&[2, 2], 32, 0, 1)])
        .with("constant_segment", base::subsegments(0, &[0]))
        .with("mutable_data_segments", vec![base::subsegments(1, &[0, 0])]);
    base::write_program(&without_constant(root), &[&[], &base::ramp(16)])
}

fn without_constant(mut root: TableTree) -> TableTree {
    if let Some(value) = root.at_mut("execution_plan[0].values[0]") {
        *value = base::value(base::planned(0));
    }
    root
}

cases! {
    /// The header declares segment base 0, which means no segment data, but a tensor has a 16-byte initial value. If a
    /// reader adds the segment base without a check, it uses the file's first bytes.
    reject "pte/mutable/base-0": "initial value with segment_base_offset 0"
        breaks crate::rules::pte_header::EH_BASE_ZERO_IFF_NONE, from "pte/valid/everything" => |file| {
            file.header("segment_base_offset", 0_u64);
            file.header("segment_data_size", 0_u64);
        };

    /// A mutable tensor has planned memory and an initial value in the file. A reader must copy the value, so that the
    /// method does not change the file's bytes.
    build "pte/valid/mutable-state": "tensor with an initial value" shows rules::MUT_NEEDS_HEADER => one_state;

    /// The file is valid: readers copy initial values to planned memory, so initial values need no padding, unlike
    /// constants. One initial value begins at byte 4 of the segment.
    build "pte/valid/mutable-states-packed": "initial values without padding" shows rules::MUT_BOUND => packed_states;

    /// The list has an initial value that no tensor uses. The tensor's index is 0, which means no initial value. The
    /// entry at index 0 is a placeholder. A reader must not load this placeholder, because the file has no segment
    /// data.
    build "pte/valid/mutable-list-unused": "unused list of initial values" shows rules::MUT_IDX_RANGE
        => list_without_bytes;

    /// The tensor's initial value is in the second list. Readers that always use the first list get a wrong value, so
    /// writers should use only one list.
    build "pte/mutable/second-list": "initial value in the second list" about rules::MUT_IDX_ZERO => second_list;

    /// The program has two lists of initial values, but its tensor uses only the first list. Some readers reject
    /// programs with more than one list.
    either "pte/mutable/two-lists": "two lists of initial values" about rules::MUT_ONE_LIST,
        from "pte/mutable/second-list"
        => |file| file.scalar("execution_plan[0].values[4].val.extra_tensor_info.mutable_data_segments_idx", 0_u64);

    /// Two lists of initial values use one segment, although the schema gives each list its own segment. A tool that
    /// writes new initial values to the segment of one list overwrites the values of the other list.
    either "pte/mutable/shared-segment": "two lists of initial values in one segment" about rules::MUT_DISTINCT,
        from "pte/mutable/second-list" => |file| file.scalar("mutable_data_segments[1].segment_index", 1_u32);

    /// The first offset is a placeholder that should be 0, but the offset is 4. No tensor uses index 0. A reader that
    /// computes sizes from adjacent offsets gets the size −4 for this entry.
    either "pte/mutable/placeholder-4": "placeholder offset 4" about rules::MUT_PLACEHOLDER,
        from "pte/valid/mutable-state" => |file| file.elements("mutable_data_segments[0].offsets", 0, 4_u64);

    /// The index of the initial value is 2, but the list of initial values has two offsets. A reader with an off-by-one
    /// check reads an offset past the list of offsets.
    reject "pte/mutable/index-past-end": "initial value index one past the offsets" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state" => |file| file.scalar("execution_plan[0].values[4].val.data_buffer_idx", 2_u32);

    /// The index of the initial value is 2^32 − 1. If a reader multiplies the index by 8 in 32-bit arithmetic, the
    /// product wraps to −8, a position in front of the list of offsets. A reader must compare the index with the count
    /// before the multiplication.
    reject "pte/mutable/index-max": "initial value index 2^32 − 1" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state"
        => |file| file.scalar("execution_plan[0].values[4].val.data_buffer_idx", u32::MAX);

    /// The tensor uses list 1, but the program has only list 0. A reader that ignores the list index initializes the
    /// tensor with a wrong value.
    reject "pte/mutable/list-past-end": "list index one past the end" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state"
        => |file| file.scalar("execution_plan[0].values[4].val.extra_tensor_info.mutable_data_segments_idx", 1_u64);

    /// The list index of the tensor is 2^64 − 1. As a signed integer, the index is −1, which is less than the number of
    /// lists. A reader must use an unsigned comparison.
    reject "pte/mutable/list-max": "list index 2^64 − 1" breaks rules::MUT_IDX_RANGE, from "pte/valid/mutable-state"
        => |file| file.scalar("execution_plan[0].values[4].val.extra_tensor_info.mutable_data_segments_idx", u64::MAX);

    /// The list index of the tensor is 2^32. If a reader truncates the index to 32 bits before the comparison, it gets
    /// 0 and accepts the file.
    reject "pte/mutable/list-wraps-32-bits": "list index 2^32" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state"
        => |file| file.scalar("execution_plan[0].values[4].val.extra_tensor_info.mutable_data_segments_idx", 1_u64 << 32);

    /// The tensor has an index of an initial value, but the program has no lists of initial values. A reader without a
    /// null check dereferences a null pointer or leaves the tensor uninitialized.
    reject "pte/mutable/lists-absent": "mutable_data_segments absent" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state" => |file| file.slot("", 6, 0);

    /// The count of the lists of initial values is 0, but the tensor uses list 0. The offset to this list still follows
    /// the count, so a reader that ignores the count appears to work.
    reject "pte/mutable/lists-empty": "mutable_data_segments empty" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state" => |file| file.count("mutable_data_segments", 0);

    /// The list of initial values has no `offsets`. If a reader compares the index with the number of offsets without a
    /// null check, it dereferences a null pointer.
    reject "pte/mutable/offsets-absent": "initial value offsets absent" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state" => |file| file.own_slot("mutable_data_segments[0]", 1, 0);

    /// The count of the offsets is 0, but the tensor uses index 1. The offsets still follow the count, so a reader that
    /// ignores the count appears to work.
    reject "pte/mutable/offsets-empty": "initial value offsets empty" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state" => |file| file.count("mutable_data_segments[0].offsets", 0);

    /// The segment index of the initial values is 2, but the file has two segments. If a reader does not check the
    /// index, it uses the bytes after the list of segments as an offset to a segment.
    reject "pte/mutable/segment-index-past-end": "initial value segment index past the list"
        breaks rules::MUT_SEG_INDEX,
        from "pte/valid/mutable-state" => |file| file.scalar("mutable_data_segments[0].segment_index", 2_u32);

    /// The program is valid: it has an initial value, but no constants. A reader must find the initial value even if
    /// the constant segment is empty.
    build "pte/valid/mutable-without-constants": "initial value in a program without constants"
        shows rules::MUT_SEG_INDEX => state_alone;

    /// The tensor has an initial value, but the list of segments is absent. A reader without a null check dereferences
    /// a null pointer.
    reject "pte/mutable/segments-absent": "initial value without segments" breaks crate::rules::segments::SEG_NULL_TABLE,
        from "pte/valid/mutable-without-constants", refs ["pytorch/executorch#19916"] => |file| file.slot("", 4, 0);

    /// The segment of the initial value begins at 2^63, and the value's offset is near 2^63. The sum of the segment
    /// base and either offset fits in 64 bits, but the sum of all three numbers wraps to 0. The copy then begins at the
    /// file's first byte.
    reject "pte/mutable/three-part-sum-wraps": "base + segment offset + own offset wraps to 0"
        breaks crate::rules::segments::SEG_ABS_NO_OVERFLOW,
        from "pte/valid/mutable-state", refs ["pytorch/executorch#19268"] => |file| {
            file.scalar("segments[1].offset", 1_u64 << 63);
            file.scalar("segments[1].size", (1_u64 << 63) - 1);
            file.elements("mutable_data_segments[0].offsets", 8, (1_u64 << 63) - file.u64_at(24) as u64);
        };

    /// The offset of the initial value equals the segment's size, which is valid only for a tensor without elements. If
    /// a reader checks only the offset, it copies the 16 bytes after the segment.
    reject "pte/mutable/offset-at-end": "initial value begins where the segment ends" breaks rules::MUT_BOUND,
        from "pte/valid/mutable-state" => |file| file.elements("mutable_data_segments[0].offsets", 8, 16_u64);

    /// The offset of the initial value, 128, is past the segment's size, 16. If a reader subtracts the offset from the
    /// size without a check, the result wraps to almost 2^64. Every tensor then seems to fit in the segment.
    reject "pte/mutable/offset-past-end": "initial value begins past the segment's end" breaks rules::MUT_BOUND,
        from "pte/valid/mutable-state", refs ["pytorch/executorch#18676"]
        => |file| file.elements("mutable_data_segments[0].offsets", 8, 128_u64);

    /// The offset of the initial value is 2^64 − 16. The sum of offset and byte count wraps to 0, which is inside every
    /// segment. With an offset of 2^64 − 16, a copy begins 16 bytes in front of the segment.
    reject "pte/mutable/offset-wraps": "initial value offset + bytes wraps to 0" breaks rules::MUT_BOUND,
        from "pte/valid/mutable-state", refs ["pytorch/executorch#19268"]
        => |file| file.elements("mutable_data_segments[0].offsets", 8, 0_u64.wrapping_sub(16));

    /// The offset of the initial value is 2^64 − 128. The sum of the value's offset and the segment's offset wraps to
    /// 0, so the copy begins at the constants. A reader must check the value's offset before it adds the segment's
    /// offset.
    reject "pte/mutable/offset-wraps-to-constants": "initial value offset wraps to the constants"
        breaks rules::MUT_BOUND, from "pte/valid/mutable-state", refs ["pytorch/executorch#19268"]
        => |file| file.elements("mutable_data_segments[0].offsets", 8, 0_u64.wrapping_sub(128));

    /// The segment is empty, but the list of initial values contains the unused offset 1. Readers may ignore an unused
    /// offset. A reader that splits the segment at the listed offsets must not read past the segment's end.
    either "pte/mutable/unused-offset-past-end": "unused initial value offset past the segment's end"
        about rules::MUT_OFFSET_UNUSED, from "pte/valid/mutable-list-unused"
        => |file| file.elements("mutable_data_segments[0].offsets", 8, 1_u64);

    /// A list of initial values has the segment index 2^32 − 1, but the file has two segments. No tensor uses this
    /// list, so readers may ignore the segment index. A reader that loads every list when it opens the file must check
    /// the index.
    either "pte/mutable/unused-segment-index-max": "segment index 2^32 − 1 of an unused list"
        about rules::MUT_SEG_UNUSED,
        from "pte/valid/mutable-list-unused" => |file| file.scalar("mutable_data_segments[0].segment_index", u32::MAX);

    /// The tensor has three rows, but the segment contains only two. A reader that checks only the offset also copies
    /// the eight bytes after the segment.
    reject "pte/mutable/tensor-past-segment": "mutable tensor larger than its segment" breaks rules::MUT_BOUND,
        from "pte/valid/mutable-state" => |file| file.elements("execution_plan[0].values[4].val.sizes", 0, 3_i32);

    /// The segment of the initial value has 12 bytes, but the tensor has 16 bytes. The header's data size is also
    /// reduced by 4 bytes. The tensor's bytes are all inside the file, so a comparison with the file's end does not
    /// detect the fault.
    reject "pte/mutable/segment-shorter-than-tensor": "segment shorter than its initial value" breaks rules::MUT_BOUND,
        from "pte/valid/mutable-state" => |file| {
            file.scalar("segments[1].size", 12_u64);
            file.header("segment_data_size", file.u64_at(32) as u64 - 4);
        };

    /// A tensor without elements has an initial value, but the file has no header and no segment data. Readers that
    /// require a segment base reject the method.
    reject "pte/mutable/without-header": "empty initial value, no header" breaks rules::MUT_NEEDS_HEADER,
        from "pte/valid/mutable-list-unused"
        => |file| file.scalar("execution_plan[0].values[4].val.data_buffer_idx", 1_u32);
}
