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

/// The method adds a constant and `states` to the input. Its 128-byte planned buffer is larger than necessary.
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

/// A four-byte scalar and a tensor, whose initial values share one segment.
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

/// There is a list of initial values but no segment data: the only mutable tensor has no elements and does not use the list.
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
    /// Base 0 means that there is no segment data, but a tensor has a 16-byte initial value. A reader that resolves it
    /// from byte 0 copies the file's first bytes.
    reject "pte/mutable/base-0": "initial value with segment_base_offset 0"
        breaks crate::rules::pte_header::EH_BASE_ZERO_IFF_NONE, from "pte/valid/everything" => |file| {
            file.header("segment_base_offset", 0_u64);
            file.header("segment_data_size", 0_u64);
        };

    /// A reader must copy the initial value to the tensor's planned memory, or else the method changes the file's bytes.
    build "pte/valid/mutable-state": "tensor with an initial value" shows rules::MUT_NEEDS_HEADER => one_state;

    /// Initial values are copied, so unlike constants, they need no padding. Here, the second one begins at byte 4.
    build "pte/valid/mutable-states-packed": "initial values without padding" shows rules::MUT_BOUND => packed_states;

    /// The tensor uses index 0, a placeholder that means no initial value. A reader that tries to load a value anyway
    /// fails, because the file has no segment data.
    build "pte/valid/mutable-list-unused": "unused list of initial values" shows rules::MUT_IDX_RANGE
        => list_without_bytes;

    /// Readers that always use the first list get the wrong value here, so writers should use only one list.
    build "pte/mutable/second-list": "initial value in the second list" about rules::MUT_IDX_ZERO => second_list;

    /// The tensor uses the first list, but some readers reject files with more than one list.
    either "pte/mutable/two-lists": "two lists of initial values" about rules::MUT_ONE_LIST,
        from "pte/mutable/second-list"
        => |file| file.scalar("execution_plan[0].values[4].val.extra_tensor_info.mutable_data_segments_idx", 0_u64);

    /// According to the schema, each list has its own segment. Here, a tool that rewrites the values of one list
    /// overwrites those of the other.
    either "pte/mutable/shared-segment": "two lists of initial values in one segment" about rules::MUT_DISTINCT,
        from "pte/mutable/second-list" => |file| file.scalar("mutable_data_segments[1].segment_index", 1_u32);

    /// The placeholder should be 0. No tensor uses it, but a reader that computes a size from adjacent offsets gets −4.
    either "pte/mutable/placeholder-4": "placeholder offset 4" about rules::MUT_PLACEHOLDER,
        from "pte/valid/mutable-state" => |file| file.elements("mutable_data_segments[0].offsets", 0, 4_u64);

    /// The index is 2, but only offsets 0 and 1 exist. A reader whose check is off by one reads past the last.
    reject "pte/mutable/index-past-end": "initial value index one past the offsets" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state" => |file| file.scalar("execution_plan[0].values[4].val.data_buffer_idx", 2_u32);

    /// Multiplied by 8 in 32-bit arithmetic, the index becomes −8, which is before the offsets. A reader must check the
    /// index before it multiplies.
    reject "pte/mutable/index-max": "initial value index 2^32 − 1" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state"
        => |file| file.scalar("execution_plan[0].values[4].val.data_buffer_idx", u32::MAX);

    /// The tensor uses list 1, but there is only list 0. A reader that ignores the list index loads the wrong value.
    reject "pte/mutable/list-past-end": "list index one past the end" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state"
        => |file| file.scalar("execution_plan[0].values[4].val.extra_tensor_info.mutable_data_segments_idx", 1_u64);

    /// Read as a signed integer, the list index is −1, which is below the number of lists.
    reject "pte/mutable/list-max": "list index 2^64 − 1" breaks rules::MUT_IDX_RANGE, from "pte/valid/mutable-state"
        => |file| file.scalar("execution_plan[0].values[4].val.extra_tensor_info.mutable_data_segments_idx", u64::MAX);

    /// A reader that truncates the list index to 32 bits gets 0, which is valid.
    reject "pte/mutable/list-wraps-32-bits": "list index 2^32" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state"
        => |file| file.scalar("execution_plan[0].values[4].val.extra_tensor_info.mutable_data_segments_idx", 1_u64 << 32);

    /// The list with the tensor's initial value is absent, so a reader can dereference null or leave the tensor uninitialized.
    reject "pte/mutable/lists-absent": "mutable_data_segments absent" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state" => |file| file.slot("", 6, 0);

    /// The count is 0, but the offset to list 0 still follows it, so a reader that ignores the count seems to work.
    reject "pte/mutable/lists-empty": "mutable_data_segments empty" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state" => |file| file.count("mutable_data_segments", 0);

    /// A reader that compares the tensor's index with the length of the absent list dereferences null.
    reject "pte/mutable/offsets-absent": "initial value offsets absent" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state" => |file| file.own_slot("mutable_data_segments[0]", 1, 0);

    /// The count is 0, but the offsets still follow it, so a reader that ignores the count finds an offset at index 1.
    reject "pte/mutable/offsets-empty": "initial value offsets empty" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state" => |file| file.count("mutable_data_segments[0].offsets", 0);

    /// Only segments 0 and 1 exist. A reader that does not check uses the bytes after the list as the offset to a segment.
    reject "pte/mutable/segment-index-past-end": "initial value segment index past the list"
        breaks rules::MUT_SEG_INDEX,
        from "pte/valid/mutable-state" => |file| file.scalar("mutable_data_segments[0].segment_index", 2_u32);

    /// The constants' segment is empty because there are no constants, but a reader must still find the initial value.
    build "pte/valid/mutable-without-constants": "initial value in a program without constants"
        shows rules::MUT_SEG_INDEX => state_alone;

    /// The initial value is in a segment, but the segment list is absent, so copying the value dereferences null.
    reject "pte/mutable/segments-absent": "initial value without segments" breaks crate::rules::segments::SEG_NULL_TABLE,
        from "pte/valid/mutable-without-constants", refs ["pytorch/executorch#19916"] => |file| file.slot("", 4, 0);

    /// The segment's offset and the value's own offset are both near 2^63. The base plus either of them fits into 64
    /// bits, but the sum of all three wraps to 0.
    reject "pte/mutable/three-part-sum-wraps": "base + segment offset + own offset wraps to 0"
        breaks crate::rules::segments::SEG_ABS_NO_OVERFLOW,
        from "pte/valid/mutable-state", refs ["pytorch/executorch#19268"] => |file| {
            file.scalar("segments[1].offset", 1_u64 << 63);
            file.scalar("segments[1].size", (1_u64 << 63) - 1);
            file.elements("mutable_data_segments[0].offsets", 8, (1_u64 << 63) - file.u64_at(24) as u64);
        };

    /// The offset equals the segment's size, which is valid only for a tensor without elements. A reader that checks
    /// only the offset copies the 16 bytes after the segment.
    reject "pte/mutable/offset-at-end": "initial value begins where the segment ends" breaks rules::MUT_BOUND,
        from "pte/valid/mutable-state" => |file| file.elements("mutable_data_segments[0].offsets", 8, 16_u64);

    /// The offset is 128, but the segment has 16 bytes. Subtracting the offset from the size gives almost 2^64, so
    /// every tensor seems to fit.
    reject "pte/mutable/offset-past-end": "initial value begins past the segment's end" breaks rules::MUT_BOUND,
        from "pte/valid/mutable-state", refs ["pytorch/executorch#18676"]
        => |file| file.elements("mutable_data_segments[0].offsets", 8, 128_u64);

    /// The offset, 2^64 − 16, plus the byte count wraps to 0, which is inside every segment, but the copy begins 16
    /// bytes before the segment.
    reject "pte/mutable/offset-wraps": "initial value offset + bytes wraps to 0" breaks rules::MUT_BOUND,
        from "pte/valid/mutable-state", refs ["pytorch/executorch#19268"]
        => |file| file.elements("mutable_data_segments[0].offsets", 8, 0_u64.wrapping_sub(16));

    /// The value's offset, 2^64 − 128, plus the segment's offset wraps to 0, where the constants are. A reader must
    /// first check the value's own offset.
    reject "pte/mutable/offset-wraps-to-constants": "initial value offset wraps to the constants"
        breaks rules::MUT_BOUND, from "pte/valid/mutable-state", refs ["pytorch/executorch#19268"]
        => |file| file.elements("mutable_data_segments[0].offsets", 8, 0_u64.wrapping_sub(128));

    /// The segment is empty, but an offset that no tensor uses is 1. Readers may ignore it, but if they split the
    /// segment there, they must not read past its end.
    either "pte/mutable/unused-offset-past-end": "unused initial value offset past the segment's end"
        about rules::MUT_OFFSET_UNUSED, from "pte/valid/mutable-list-unused"
        => |file| file.elements("mutable_data_segments[0].offsets", 8, 1_u64);

    /// No tensor uses this list, so readers may ignore its segment index. But a reader that loads every list when it
    /// opens the file must check it.
    either "pte/mutable/unused-segment-index-max": "segment index 2^32 − 1 of an unused list"
        about rules::MUT_SEG_UNUSED,
        from "pte/valid/mutable-list-unused" => |file| file.scalar("mutable_data_segments[0].segment_index", u32::MAX);

    /// The tensor has three rows, but the segment holds two. A reader that checks only the offset copies eight bytes too many.
    reject "pte/mutable/tensor-past-segment": "mutable tensor larger than its segment" breaks rules::MUT_BOUND,
        from "pte/valid/mutable-state" => |file| file.elements("execution_plan[0].values[4].val.sizes", 0, 3_i32);

    /// The segment is 4 bytes shorter than the tensor, but all of the tensor's bytes are in the file, so a check
    /// against the end of the file passes.
    reject "pte/mutable/segment-shorter-than-tensor": "segment shorter than its initial value" breaks rules::MUT_BOUND,
        from "pte/valid/mutable-state" => |file| {
            file.scalar("segments[1].size", 12_u64);
            file.header("segment_data_size", file.u64_at(32) as u64 - 4);
        };

    /// The initial value has no bytes, but without a header, the file has no segment base either. Readers that look for
    /// the base before they look at the size reject the method.
    reject "pte/mutable/without-header": "empty initial value, no header" breaks rules::MUT_NEEDS_HEADER,
        from "pte/valid/mutable-list-unused"
        => |file| file.scalar("execution_plan[0].values[4].val.data_buffer_idx", 1_u32);
}
