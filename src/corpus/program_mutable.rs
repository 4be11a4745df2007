//! Mutable tensors with initial values: where in which segment each begins.

use alloc::vec;
use alloc::vec::Vec;

use super::{base, cases};
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::pte::schema as pte;
use crate::rules::mutable_data as rules;

/// A tensor in planned memory that begins as an entry of a list of initial values.
fn state(sizes: &[i32], memory_offset: u32, list: u64, entry: u32) -> TableTree {
    let extra = TableTree::new(pte::ExtraTensorInfo::TYPE)
        .with("mutable_data_segments_idx", list)
        .with("fully_qualified_name", alloc::format!("state{entry}"))
        .with("location", pte::TensorDataLocation::SEGMENT.0);
    let place =
        TableTree::new(pte::AllocationDetails::TYPE).with("memory_id", 1).with("memory_offset_low", memory_offset);
    base::tensor(sizes).with("data_buffer_idx", entry).with("allocation_info", place).with("extra_tensor_info", extra)
}

/// A program with a constant that adds these states to its input; there is room in memory for twice as much.
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

/// One state, in a segment behind that of the constants.
fn one_state() -> base::BaseBytes {
    let root =
        program(vec![state(&[2, 2], 32, 0, 1)]).with("mutable_data_segments", vec![base::subsegments(1, &[0, 0])]);
    base::write_program(&root, &[&base::constants_data(), &base::ramp(16)])
}

/// Two states in one segment, a scalar and behind its four bytes a tensor.
fn packed_states() -> base::BaseBytes {
    let root = program(vec![state(&[], 32, 0, 1), state(&[2, 2], 48, 0, 2)])
        .with("mutable_data_segments", vec![base::subsegments(1, &[0, 0, 4])]);
    base::write_program(&root, &[&base::constants_data(), &base::ramp(20)])
}

/// A state of the second of two lists, which has a segment of its own.
fn second_list() -> base::BaseBytes {
    let lists = vec![base::subsegments(1, &[0, 0]), base::subsegments(2, &[0, 0])];
    let root = program(vec![state(&[2, 2], 32, 1, 1)]).with("mutable_data_segments", lists);
    base::write_program(&root, &[&base::constants_data(), &base::ramp(16), &base::ramp(32)[16..]])
}

/// A program without data that has a list of initial values, and a tensor without elements that does not use it.
fn list_without_bytes() -> base::BaseBytes {
    let empty = |_| TableTree::new(pte::DataSegment::TYPE).with("offset", 0).with("size", 0);
    let root = program(vec![state(&[0, 2], 32, 0, 0)])
        .with("segments", [0, 1].map(empty).to_vec())
        .with("constant_segment", base::subsegments(0, &[0]))
        .with("mutable_data_segments", vec![base::subsegments(1, &[0, 0])]);
    base::write_program(&without_constant(root), &[])
}

/// The program with memory in the place of its constant.
fn without_constant(mut root: TableTree) -> TableTree {
    if let Some(value) = root.at_mut("execution_plan[0].values[0]") {
        *value = base::value(base::planned(0));
    }
    root
}

cases! {
    /// The header says that there is no segment data, and a tensor has its initial value in a segment of sixteen bytes. Counted
    /// from byte 0, they are those of the header itself.
    reject "pte/mutable/base-0": "initial value, and a base of 0" breaks crate::rules::pte_header::EH_BASE_ZERO_IFF_NONE,
        from "pte/valid/everything" => |file| {
            file.header("segment_base_offset", 0_u64);
            file.header("segment_data_size", 0_u64);
        };

    /// A tensor that a method changes, and that begins with bytes of the file: it has a place in planned memory and an entry
    /// among the initial values. A reader that takes it for a constant because of the entry lets the method write into the
    /// file.
    build "pte/valid/mutable-state": "tensor with an initial value" shows rules::MUT_NEEDS_HEADER => one_state;

    /// Initial values stand one behind the other without padding, unlike constants: here a tensor at byte 4. They are copied,
    /// so nothing needs them aligned.
    build "pte/valid/mutable-states-packed": "initial values without padding" shows rules::MUT_BOUND => packed_states;

    /// The list of initial values has one that no tensor wants: the tensor that could has index 0, which means none. A
    /// reader that takes the placeholder for a value loads it, in a file without data to load.
    build "pte/valid/mutable-list-unused": "list of initial values, not used" shows rules::MUT_IDX_RANGE
        => list_without_bytes;

    /// The tensor wants the second of two lists, and has an entry in the first as well, with other bytes. A reader that
    /// always takes the first begins from another state, and no check fails.
    build "pte/mutable/second-list": "initial value in the second list" about rules::MUT_IDX_ZERO => second_list;

    /// The tensor wants the first list, as every reader expects, and the second is there for nothing. Whether a program
    /// may have it is where readers differ: some load it, some refuse more than one.
    either "pte/mutable/two-lists": "two lists of initial values" about rules::MUT_ONE_LIST,
        from "pte/mutable/second-list"
        => |file| file.scalar("execution_plan[0].values[4].val.extra_tensor_info.mutable_data_segments_idx", 0_u64);

    /// Two lists over one segment: states of either begin with the same bytes, where the schema gives each list a
    /// segment of its own. A reader that writes states back to their segments mixes them up.
    either "pte/mutable/shared-segment": "two lists with one segment" about rules::MUT_DISTINCT,
        from "pte/mutable/second-list" => |file| file.scalar("mutable_data_segments[1].segment_index", 1_u32);

    /// Index 0 means no initial value, so no tensor asks for the 4. A reader that cuts the segment from each offset to
    /// the next, which is 0, gets −4 bytes for the placeholder.
    either "pte/mutable/placeholder-4": "placeholder 4" about rules::MUT_PLACEHOLDER,
        from "pte/valid/mutable-state"
        => |file| file.elements("mutable_data_segments[0].offsets", 0, &4_u64.to_le_bytes());

    /// There are two offsets and the index is 2. The next eight bytes are a table's first word and a reference,
    /// together an offset of 36 GiB; a reader that adds it in 32 bits copies from in front of the segment.
    reject "pte/mutable/index-past-end": "index one past the offsets" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state"
        => |file| file.scalar("execution_plan[0].values[4].val.data_buffer_idx", 2_u32);

    /// Times the eight bytes of an offset it is −8 in 32 bits: the segment's index and the count of the offsets, as one
    /// number, are where the initial value is copied from.
    reject "pte/mutable/index-max": "index 2^32 − 1" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state"
        => |file| file.scalar("execution_plan[0].values[4].val.data_buffer_idx", u32::MAX);

    /// There is one list, and the tensor wants the second. A reader that takes the first whatever the field says runs
    /// without an error, and from a state that nobody asked for.
    reject "pte/mutable/list-past-end": "list one past the end" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state"
        => |file| file.scalar("execution_plan[0].values[4].val.extra_tensor_info.mutable_data_segments_idx", 1_u64);

    /// 2^64 − 1 is −1 in any width with a sign, and below the number of lists. Uncompared and times four, it leads to
    /// the list's own count, taken for a reference.
    reject "pte/mutable/list-max": "list 2^64 − 1" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state"
        => |file| file.scalar("execution_plan[0].values[4].val.extra_tensor_info.mutable_data_segments_idx", u64::MAX);

    /// The field has 64 bits and a vector's index 32. Cut to those, 2^32 is list 0: a reader that narrows before it
    /// compares begins from the first list's bytes.
    reject "pte/mutable/list-wraps-32-bits": "list 2^32" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state"
        => |file| file.scalar("execution_plan[0].values[4].val.extra_tensor_info.mutable_data_segments_idx", 1_u64 << 32);

    /// The tensor has an index of an initial value, and the program no lists of them. The number of lists is read
    /// through a null pointer, or the tensor is taken for planned memory that begins as it is.
    reject "pte/mutable/lists-absent": "mutable_data_segments absent" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state" => |file| file.slot("", 6, 0);

    /// List 0 is what a tensor wants that says nothing, so a reader may take it for granted. The count is 0 and the old
    /// reference still behind it: uncompared, it works in this file.
    reject "pte/mutable/lists-empty": "mutable_data_segments empty" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state" => |file| file.count("mutable_data_segments", 0);

    /// The entry is there and its offsets are not. The tensor's index is held against their number, which is read
    /// through a null pointer when the method is prepared.
    reject "pte/mutable/offsets-absent": "offsets absent" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state" => |file| file.own_slot("mutable_data_segments[0]", 1, 0);

    /// The count of the offsets is 0, and the two that were there still stand behind it. A reader that tests for
    /// presence alone copies the right bytes; compared with the count, no index is in range.
    reject "pte/mutable/offsets-empty": "offsets empty" breaks rules::MUT_IDX_RANGE,
        from "pte/valid/mutable-state" => |file| file.count("mutable_data_segments[0].offsets", 0);

    /// There are two segments and the index is 2. A vtable behind the list is then the reference, and leads 1.5 million
    /// bytes ahead for the size that all offsets are held against.
    reject "pte/mutable/segment-index-past-end": "segment index past the list" breaks rules::MUT_SEG_INDEX,
        from "pte/valid/mutable-state" => |file| file.scalar("mutable_data_segments[0].segment_index", 2_u32);

    /// The offset equals the segment's size, as it may for a tensor of no bytes. This one has 16, and they are copied
    /// from where the file ends.
    reject "pte/mutable/offset-at-end": "initial value begins where the segment ends" breaks rules::MUT_BOUND,
        from "pte/valid/mutable-state"
        => |file| file.elements("mutable_data_segments[0].offsets", 8, &16_u64.to_le_bytes());

    /// What is left of the segment is 16 − 128: without a sign almost 2^64, and enough for any tensor. The 16 bytes are
    /// then copied from behind the end of the file.
    reject "pte/mutable/offset-past-end": "initial value begins past the segment's end" breaks rules::MUT_BOUND,
        from "pte/valid/mutable-state", refs ["pytorch/executorch#18676"]
        => |file| file.elements("mutable_data_segments[0].offsets", 8, &128_u64.to_le_bytes());

    /// The offset is −16 and the tensor has 16 bytes: the end wraps to 0, and the copy into planned memory begins in
    /// front of the segment.
    reject "pte/mutable/offset-wraps": "offset + bytes wraps to 0" breaks rules::MUT_BOUND,
        from "pte/valid/mutable-state", refs ["pytorch/executorch#19268"]
        => |file| file.elements("mutable_data_segments[0].offsets", 8, &0_u64.wrapping_sub(16).to_le_bytes());

    /// The offset is −128, and so is the distance to the constants: added to the segment's own place it wraps past 2^64
    /// to 0, and the model's state begins as its weights.
    reject "pte/mutable/offset-wraps-to-constants": "place of the initial value wraps to the constants"
        breaks rules::MUT_BOUND,
        from "pte/valid/mutable-state", refs ["pytorch/executorch#19268"]
        => |file| file.elements("mutable_data_segments[0].offsets", 8, &0_u64.wrapping_sub(128).to_le_bytes());

    /// The segment has no bytes and the offset is 1, for an initial value that no tensor wants. A reader that cuts the
    /// segment into entries when it opens the file takes a slice that begins behind its end.
    reject "pte/mutable/unused-offset-past-end": "unused offset past the segment's end" breaks rules::MUT_BOUND,
        from "pte/valid/mutable-list-unused"
        => |file| file.elements("mutable_data_segments[0].offsets", 8, &1_u64.to_le_bytes());

    /// The tensor has three rows and the segment two. A reader that compares the offset alone copies eight bytes of
    /// what follows the segment, here the end of the file, into the model's state.
    reject "pte/mutable/tensor-past-segment": "tensor larger than the segment" breaks rules::MUT_BOUND,
        from "pte/valid/mutable-state"
        => |file| file.elements("execution_plan[0].values[4].val.sizes", 0, &3_i32.to_le_bytes());

    /// The segment says that it is shorter than the initial value in it. The bytes are in the file, so a reader that compares
    /// with the end of the file instead of the segment's copies another part's.
    reject "pte/mutable/segment-shorter-than-tensor": "segment shorter than the initial value in it"
        breaks rules::MUT_BOUND,
        from "pte/valid/mutable-state" => |file| {
            file.scalar("segments[1].size", 12_u64);
            let size = file.u64_at(32) as u64 - 4;
            file.header("segment_data_size", size);
        };

    /// A tensor of no bytes wants an initial value of a file without data. There is nothing to copy, and nowhere to copy it
    /// from: readers that ask for the place first refuse the method.
    reject "pte/mutable/without-header": "initial value of no bytes, no header" breaks rules::MUT_NEEDS_HEADER,
        from "pte/valid/mutable-list-unused"
        => |file| file.scalar("execution_plan[0].values[4].val.data_buffer_idx", 1_u32);
}
