//! Cases about mutable tensors with initial values: segments, lists and offsets.

use alloc::vec;
use alloc::vec::Vec;

use super::{base, cases};
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::pte::schema as pte;
use crate::rules::mutable_data as rules;

/// Returns a tensor in planned memory with an initial value in a list.
fn state(sizes: &[i32], memory_offset: u32, list: u64, entry: u32) -> TableTree {
    let extra = TableTree::new(pte::ExtraTensorInfo::TYPE)
        .with("mutable_data_segments_idx", list)
        .with("fully_qualified_name", alloc::format!("state{entry}"))
        .with("location", pte::TensorDataLocation::SEGMENT.0);
    let place =
        TableTree::new(pte::AllocationDetails::TYPE).with("memory_id", 1).with("memory_offset_low", memory_offset);
    base::tensor(sizes).with("data_buffer_idx", entry).with("allocation_info", place).with("extra_tensor_info", extra)
}

/// Returns a program with a constant that adds these states to its input; planned memory has twice the size of the
/// states.
fn program(states: Vec<TableTree>) -> TableTree {
    let alpha = TableTree::new(pte::Int::TYPE).with("int_val", 1);
    let calls = (4..).zip(&states).map(|(state, _)| base::add([2, state, 3, 2, 2]));
    let calls: Vec<TableTree> = core::iter::once(base::kernel_call()).chain(calls).collect();
    let mut values = vec![base::constant(1), base::planned(0), base::planned(16), alpha];
    values.extend(states);
    let values: Vec<TableTree> = values.into_iter().map(base::value).collect();
    let plan = base::plan(base::constant(1))
        .with("values", values)
        .with("chains", vec![base::chain(calls)])
        .with("non_const_buffer_sizes", vec![0_i64, 128]);
    base::program_of(vec![plan]).with("constant_segment", base::subsegments(0, &[0, 0]))
}

/// Returns a program with one state, in a segment after the constants.
fn one_state() -> base::BaseBytes {
    let root =
        program(vec![state(&[2, 2], 32, 0, 1)]).with("mutable_data_segments", vec![base::subsegments(1, &[0, 0])]);
    base::write_program(&root, &[&base::constants_data(), &base::ramp(16)])
}

/// Returns a program with two states in one segment: a scalar of four bytes, then a tensor.
fn packed_states() -> base::BaseBytes {
    let root = program(vec![state(&[], 32, 0, 1), state(&[2, 2], 48, 0, 2)])
        .with("mutable_data_segments", vec![base::subsegments(1, &[0, 0, 4])]);
    base::write_program(&root, &[&base::constants_data(), &base::ramp(20)])
}

/// Returns a program with a state in the second of two lists, in a segment of its own.
fn second_list() -> base::BaseBytes {
    let lists = vec![base::subsegments(1, &[0, 0]), base::subsegments(2, &[0, 0])];
    let root = program(vec![state(&[2, 2], 32, 1, 1)]).with("mutable_data_segments", lists);
    base::write_program(&root, &[&base::constants_data(), &base::ramp(16), &base::ramp(32)[16..]])
}

/// Returns a program without data. It has a list of initial values and a tensor without elements that does not use the
/// list.
fn list_without_bytes() -> base::BaseBytes {
    let empty = |_| TableTree::new(pte::DataSegment::TYPE).with("offset", 0).with("size", 0);
    let root = program(vec![state(&[0, 2], 32, 0, 0)])
        .with("segments", [0, 1].map(empty).to_vec())
        .with("constant_segment", base::subsegments(0, &[0]))
        .with("mutable_data_segments", vec![base::subsegments(1, &[0, 0])]);
    base::write_program(&without_constant(root), &[])
}

/// Replaces the constant with a planned tensor.
fn without_constant(mut root: TableTree) -> TableTree {
    if let Some(value) = root.at_mut("execution_plan[0].values[0]") {
        *value = base::value(base::planned(0));
    }
    root
}

cases! {
    /// The header declares no segment data, but a tensor has its initial value in a segment of 16 bytes. Counted
    /// from byte 0, these bytes are the header itself.
    reject "pte/mutable/base-0": "initial value with segment_base_offset 0"
        breaks crate::rules::pte_header::EH_BASE_ZERO_IFF_NONE,
        from "pte/valid/everything" => |file| {
            file.header("segment_base_offset", 0_u64);
            file.header("segment_data_size", 0_u64);
        };

    /// A mutable tensor has planned memory and starts with bytes of the file. A reader that treats the tensor as a
    /// constant lets the method write into the file.
    build "pte/valid/mutable-state": "tensor with an initial value" shows rules::MUT_NEEDS_HEADER => one_state;

    /// Unlike constants, initial values are packed without padding; here a tensor starts at byte 4. Readers copy
    /// initial values, so the bytes need no alignment.
    build "pte/valid/mutable-states-packed": "initial values without padding" shows rules::MUT_BOUND => packed_states;

    /// The list has an initial value that no tensor uses; the tensor's index is 0, which means no initial value. A
    /// reader that loads the placeholder looks for data in a file that has no data.
    build "pte/valid/mutable-list-unused": "unused list of initial values" shows rules::MUT_IDX_RANGE
        => list_without_bytes;

    /// The tensor uses the second of two lists, and the first has other bytes at the same index. A reader that always
    /// uses the first list starts with a wrong state and detects no error.
    build "pte/mutable/second-list": "initial value in the second list" about rules::MUT_IDX_ZERO => second_list;

    /// The tensor uses the first list, and nothing uses the second. Some readers load the program, and others reject
    /// more than one list.
    either "pte/mutable/two-lists": "two lists of initial values" about rules::MUT_ONE_LIST,
        from "pte/mutable/second-list"
        => |file| file.scalar("execution_plan[0].values[4].val.extra_tensor_info.mutable_data_segments_idx", 0_u64);

    /// The schema gives each list its own segment, but here both lists use one segment. A reader that writes states
    /// back to their segments confuses the two lists.
    either "pte/mutable/shared-segment": "two lists in one segment" about rules::MUT_DISTINCT,
        from "pte/mutable/second-list" => |file| file.scalar("mutable_data_segments[1].segment_index", 1_u32);

    /// Index 0 means no initial value, so no tensor uses this offset. A reader that sizes each entry by the next
    /// offset, 0, gets −4 bytes.
    either "pte/mutable/placeholder-4": "placeholder offset 4" about rules::MUT_PLACEHOLDER,
        from "pte/valid/mutable-state"
        => |file| file.elements("mutable_data_segments[0].offsets", 0, &4_u64.to_le_bytes());

    /// The list has two offsets and the index is 2. The bytes after the list give an offset of 36 GiB. In 32 bits,
    /// the copy starts before the segment.
    reject "pte/mutable/index-past-end": "initial value index one past the offsets" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state"
        => |file| file.scalar("execution_plan[0].values[4].val.data_buffer_idx", 2_u32);

    /// Multiplied by the 8 bytes of an offset, the index wraps to −8 in 32 bits. The segment index and the count
    /// then form the offset of the initial value.
    reject "pte/mutable/index-max": "initial value index 2^32 − 1" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state"
        => |file| file.scalar("execution_plan[0].values[4].val.data_buffer_idx", u32::MAX);

    /// There is one list, and the tensor uses list 1, the second. A reader that always takes the first list starts with
    /// a wrong state and reports no error.
    reject "pte/mutable/list-past-end": "list index one past the end" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state"
        => |file| file.scalar("execution_plan[0].values[4].val.extra_tensor_info.mutable_data_segments_idx", 1_u64);

    /// As a signed integer, the index is −1, below the number of lists. Multiplied by 4 without a check, it leads to
    /// the list's own count, which the reader follows as an offset.
    reject "pte/mutable/list-max": "list index 2^64 − 1" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state"
        => |file| file.scalar("execution_plan[0].values[4].val.extra_tensor_info.mutable_data_segments_idx", u64::MAX);

    /// The field has 64 bits and vector indices have 32. A reader that truncates the index before the comparison uses
    /// list 0.
    reject "pte/mutable/list-wraps-32-bits": "list index 2^32" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state"
        => |file| file.scalar("execution_plan[0].values[4].val.extra_tensor_info.mutable_data_segments_idx", 1_u64 << 32);

    /// The tensor has an initial value index, but the program has no lists. A reader dereferences a null pointer or
    /// leaves the tensor's memory uninitialized.
    reject "pte/mutable/lists-absent": "mutable_data_segments absent" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state" => |file| file.slot("", 6, 0);

    /// List 0 is the default, so a reader may use list 0 without a check. The count is 0, but the offset to list 0
    /// still follows the count, so a reader without a check runs normally.
    reject "pte/mutable/lists-empty": "mutable_data_segments empty" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state" => |file| file.count("mutable_data_segments", 0);

    /// The list exists, but its `offsets` are absent. When a reader loads the method, it compares the index with the
    /// number of offsets and dereferences a null pointer.
    reject "pte/mutable/offsets-absent": "initial value offsets absent" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state" => |file| file.own_slot("mutable_data_segments[0]", 1, 0);

    /// The count of offsets is 0, but the two offsets still follow the count. A reader that checks only that the list
    /// exists copies the right bytes by accident.
    reject "pte/mutable/offsets-empty": "initial value offsets empty" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state" => |file| file.count("mutable_data_segments[0].offsets", 0);

    /// There are two segments and the index is 2. The bytes after the list form an offset that leads 1.5 million bytes
    /// ahead, and the reader takes the segment's size from there.
    reject "pte/mutable/segment-index-past-end": "initial value segment index past the list"
        breaks rules::MUT_SEG_INDEX,
        from "pte/valid/mutable-state" => |file| file.scalar("mutable_data_segments[0].segment_index", 2_u32);

    /// The offset equals the segment's size, which is valid only for a tensor of no bytes. The reader copies 16
    /// bytes from the file's end.
    reject "pte/mutable/offset-at-end": "initial value begins where the segment ends" breaks rules::MUT_BOUND,
        from "pte/valid/mutable-state"
        => |file| file.elements("mutable_data_segments[0].offsets", 8, &16_u64.to_le_bytes());

    /// The rest of the segment is 16 − 128, which is almost 2^64 as an unsigned number. A reader that subtracts before
    /// it compares copies 16 bytes past the file.
    reject "pte/mutable/offset-past-end": "initial value begins past the segment's end" breaks rules::MUT_BOUND,
        from "pte/valid/mutable-state", refs ["pytorch/executorch#18676"]
        => |file| file.elements("mutable_data_segments[0].offsets", 8, &128_u64.to_le_bytes());

    /// The offset is 2^64 − 16, and adding the tensor's 16 bytes wraps to 0. The copy then starts before the
    /// segment.
    reject "pte/mutable/offset-wraps": "initial value offset + bytes wraps to 0" breaks rules::MUT_BOUND,
        from "pte/valid/mutable-state", refs ["pytorch/executorch#19268"]
        => |file| file.elements("mutable_data_segments[0].offsets", 8, &0_u64.wrapping_sub(16).to_le_bytes());

    /// The offset is 2^64 − 128, the negative distance to the constants. Added to the segment's offset, the sum wraps
    /// to 0, and the state starts as a copy of the weights.
    reject "pte/mutable/offset-wraps-to-constants": "initial value offset wraps to the constants"
        breaks rules::MUT_BOUND,
        from "pte/valid/mutable-state", refs ["pytorch/executorch#19268"]
        => |file| file.elements("mutable_data_segments[0].offsets", 8, &0_u64.wrapping_sub(128).to_le_bytes());

    /// The segment is empty, and an offset that no tensor uses is 1. A reader that slices the segment at every
    /// offset when it opens the file slices past the end.
    reject "pte/mutable/unused-offset-past-end": "unused initial value offset past the segment's end"
        breaks rules::MUT_BOUND,
        from "pte/valid/mutable-list-unused"
        => |file| file.elements("mutable_data_segments[0].offsets", 8, &1_u64.to_le_bytes());

    /// The tensor has three rows, and the segment has two rows. A reader that compares only the offset copies eight
    /// bytes past the segment into the state.
    reject "pte/mutable/tensor-past-segment": "mutable tensor larger than its segment" breaks rules::MUT_BOUND,
        from "pte/valid/mutable-state"
        => |file| file.elements("execution_plan[0].values[4].val.sizes", 0, &3_i32.to_le_bytes());

    /// The segment is shorter than the initial value, but the bytes exist in the file. A reader that compares with
    /// the file's end copies bytes of another part.
    reject "pte/mutable/segment-shorter-than-tensor": "segment shorter than its initial value"
        breaks rules::MUT_BOUND,
        from "pte/valid/mutable-state" => |file| {
            file.scalar("segments[1].size", 12_u64);
            let size = file.u64_at(32) as u64 - 4;
            file.header("segment_data_size", size);
        };

    /// A tensor of no bytes has an initial value in a file without segment data. A reader that first looks for a
    /// segment base rejects the method.
    reject "pte/mutable/without-header": "initial value of no bytes, no header" breaks rules::MUT_NEEDS_HEADER,
        from "pte/valid/mutable-list-unused"
        => |file| file.scalar("execution_plan[0].values[4].val.data_buffer_idx", 1_u32);
}
