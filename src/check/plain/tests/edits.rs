//! Edits of plainly good cases, for the rules and conditions for which the corpus has no such edit.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::annotate::PartKind;
use crate::corpus::find;
use crate::patch::Patcher;

/// A rule, the id of a plainly good case, and an edit after which the case breaks the rule.
pub(super) type NearEdit = (&'static str, &'static str, fn(&mut Patcher<'_>));

const CALLS: &str = "pte/valid/tensor-operators";
const CONSTANTS: &str = "pte/valid/constants";
const DATA: &str = "ptd/valid/channels-last";
const DELEGATE: &str = "pte/valid/segment-delegate";
const EXTERNAL: &str = "pte/valid/external-constants";
const HEADERLESS: &str = "pte/valid/headerless";
const NAMED: &str = "pte/valid/named-data";
const STATE: &str = "pte/valid/mutable-state";

/// The path of the first instruction's arguments.
const CALL: &str = "execution_plan[0].chains[0].instructions[0].instr_args";

/// The edits. Each edit changes as little as possible: mostly one number.
pub(super) const EDITS: &[NearEdit] = &[
    // Headers, segments and padding.
    ("eh-base-ge-program", CONSTANTS, |file| {
        let (start, end) = (file.at("segments[0]", PartKind::Segment), file.len() as u64);
        file.put(start, &[0; 16]);
        file.header("program_size", end);
    }),
    ("fh-base-ge-fb", DATA, |file| {
        let (start, end) = (file.at("segments[0]", PartKind::Segment), file.len() as u64);
        file.put(start, &[0; 16]);
        file.header("flatbuffer_size", end - 48);
    }),
    ("eh-program-size-exact", CONSTANTS, |file| file.append_to_flatbuffer(&[1; 8], 8)),
    ("seg-first-zero", NAMED, |file| file.scalar("segments[0].size", 0_u64)),
    ("seg-aligned", NAMED, |file| {
        file.scalar("segments[2].offset", 248_u64);
        file.scalar("segments[2].size", 13_u64);
    }),
    ("seg-role-disjoint", NAMED, |file| file.scalar("named_data[2].segment_index", 0_u32)),
    ("ft-nonempty", DATA, |file| {
        // The lists at 0x50 and 0xb4 become empty, and the file ends after them.
        file.header("segment_base_offset", 0_u64);
        file.header("segment_data_size", 0_u64);
        file.header("flatbuffer_size", 0x88_u64);
        file.truncate(0xb8);
        file.put(0x50, &[0; 0x68]);
    }),
    ("eh-length-bounded", "pte/valid/every-value", |file| {
        // The data size in the header, 16, becomes the length of a vtable without fields.
        let null = "execution_plan[0].values[4].val";
        let back = i32::try_from(file.at(null, PartKind::Table)).unwrap() - 32;
        file.table(null, back);
    }),
    ("fb-vtable-valid", HEADERLESS, |file| {
        // A new table with the vtable of an `Int`. The table's number is past the end of the FlatBuffer.
        let value = "execution_plan[0].values[3].val";
        let (vtable, table) = (file.vtable(value), file.appendix(8) + 4);
        file.point(value, table);
        file.append_to_flatbuffer(&words(&[0, u32::try_from(table - vtable).unwrap()]), 8);
    }),
    // Lists that share elements.
    ("fb-dag-no-amplification", "pte/valid/long-lists", |file| {
        share(file, "execution_plan[0].outputs", "execution_plan[0].values[6].val.items");
    }),
    ("fb-force-align", NAMED, |file| share(file, "constant_buffer", "named_data")),
    ("const-one-home", CONSTANTS, |file| share(file, "constant_buffer", "execution_plan[0].operators")),
    ("const-placeholder-alone", HEADERLESS, |file| share(file, "constant_buffer", "execution_plan[0].operators")),
    ("const-buffer-legacy", CONSTANTS, |file| {
        share(file, "constant_buffer", "execution_plan[0].operators");
        file.slot("", 5, 0);
    }),
    ("del-inline-all-referenced", HEADERLESS, |file| {
        share(file, "backend_delegate_data", "execution_plan[0].operators");
    }),
    ("plan-ncb-device", CONSTANTS, |file| {
        // The list of devices is the list of operators.
        file.change_vtable("execution_plan[0]", |vtable| {
            vtable.resize(24, 0);
            vtable.copy_within(16..18, 22);
        });
    }),
    // Stored data.
    ("const-offsets-sorted", "pte/valid/three-constants", |file| {
        file.scalar("execution_plan[0].values[0].val.data_buffer_idx", 3_u32);
        file.scalar("execution_plan[0].values[4].val.data_buffer_idx", 3_u32);
        file.elements("constant_segment.offsets", 16, &48_u64.to_le_bytes());
    }),
    ("const-offset-unused", "pte/valid/three-constants", |file| {
        file.scalar("execution_plan[0].values[5].val.data_buffer_idx", 2_u32);
        file.elements("constant_segment.offsets", 24, &(1_u64 << 20).to_le_bytes());
    }),
    ("mut-offset-unused", STATE, |file| {
        file.scalar("execution_plan[0].values[4].val.data_buffer_idx", 0_u32);
        file.elements("mutable_data_segments[0].offsets", 8, &17_u64.to_le_bytes());
    }),
    ("mut-seg-unused", STATE, |file| {
        file.scalar("execution_plan[0].values[4].val.data_buffer_idx", 0_u32);
        file.scalar("mutable_data_segments[0].segment_index", 2_u32);
    }),
    ("mut-needs-header", STATE, |file| {
        file.header("segment_base_offset", 0_u64);
        file.header("segment_data_size", 0_u64);
        file.scalar("segments[1].size", 0_u64);
    }),
    ("mut-distinct", STATE, |file| {
        // Two offsets to one table, the table, its vtable, and its list of two offsets.
        let list = [2, 8, 4, 12_u32.wrapping_neg(), 1, 16, 8 | 12 << 16, 4 | 8 << 16, 0, 2, 0, 0, 0, 0];
        append(file, "mutable_data_segments", &words(&list));
    }),
    ("md-list-count", "pte/valid/metadata", |file| {
        let start = file.at("segments[4]", PartKind::Segment);
        file.put(start, &[5]);
    }),
    // Methods and values.
    ("plan-nonempty", HEADERLESS, |file| file.count("execution_plan", 0)),
    ("plan-chain-io", CALLS, |file| {
        share(file, "execution_plan[0].chains[0].inputs", "execution_plan[0].chains[0].instructions");
    }),
    ("val-nonnull", CONSTANTS, |file| {
        file.change_vtable("execution_plan[0].values[3]", |vtable| vtable.truncate(4));
    }),
    ("mem-id-range", "pte/valid/memory-plan", |file| {
        file.scalar("execution_plan[0].values[6].val.allocation_info.memory_id", 0_u32);
        file.scalar("execution_plan[0].values[6].val.allocation_info.memory_offset_low", 0_u32);
    }),
    ("t-external-nonempty", EXTERNAL, |file| {
        let name = "execution_plan[0].values[0].val.extra_tensor_info.fully_qualified_name";
        file.elements(name, 0, &[0]);
        file.count(name, 0);
    }),
    ("x-external-same-fqn", EXTERNAL, |file| {
        file.elements("execution_plan[0].values[4].val.extra_tensor_info.fully_qualified_name", 0, b"weight");
        file.elements("execution_plan[0].values[4].val.sizes", 0, &words(&[3, 2]));
    }),
    // Instructions.
    ("ins-nonnull", CALLS, |file| {
        file.own_slot("execution_plan[0].chains[0].instructions[0]", 1, 0);
        set_type(file, 0);
    }),
    ("ins-type-known", CALLS, |file| set_type(file, 6)),
    ("ins-args-nonnull", CALLS, |file| file.own_slot(CALL, 1, 0)),
    ("ins-arg-range", CALLS, |file| {
        file.elements(&format!("{CALL}.args"), 0, &words(&[12]));
    }),
    ("ins-overload-nonnull", CALLS, |file| file.own_slot("execution_plan[0].operators[0]", 1, 0)),
    ("ins-op-name-uncalled", DELEGATE, |file| file.own_slot("execution_plan[0].operators[0]", 0, 0)),
    ("ins-copy-index-bound", CALLS, |file| {
        append(file, "execution_plan[0].operators[6].name", b"\x25\0\0\0executorch_prim::et_copy_index.tensor\0");
        file.elements("execution_plan[0].chains[0].instructions[6].instr_args.args", 0, &words(&[2, 1, 4]));
    }),
    ("ins-kernel-key", "pte/valid/rank-16", |file| {
        let args = [17, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1];
        append(file, &format!("{CALL}.args"), &words(&args));
    }),
    ("ins-delegate-index", CALLS, |file| set_type(file, 2)),
    ("ins-move-range", CALLS, |file| {
        set_type(file, 3);
        set(file, "move_from", 12);
    }),
    ("ins-move-type", CALLS, |file| {
        set_type(file, 3);
        set(file, "move_from", 3);
        set(file, "move_to", 1);
    }),
    ("ins-jump-cond-range", CALLS, |file| {
        set_type(file, 4);
        set(file, "cond_value_index", 12);
    }),
    ("ins-jump-cond-type", CALLS, |file| set_type(file, 4)),
    ("ins-jump-cond-data", CALLS, |file| {
        file.own_slot("execution_plan[0].values[8].val", 6, 0);
        file.scalar("execution_plan[0].values[8].val.scalar_type", 11_i8);
        set_type(file, 4);
        set(file, "cond_value_index", 8);
    }),
    ("ins-jump-dest", CALLS, |file| {
        set_type(file, 4);
        set(file, "cond_value_index", 9);
        set(file, "destination_instruction", 9);
    }),
    ("ins-free-live", CALLS, |file| set_type(file, 5)),
    ("ins-free-range", CALLS, |file| {
        set_type(file, 5);
        set(file, "value_index", 12);
    }),
    ("ins-free-type", CALLS, |file| {
        set_type(file, 5);
        set(file, "value_index", 3);
    }),
    // Delegates.
    ("del-id", DELEGATE, |file| file.own_slot("execution_plan[0].delegates[0]", 0, 0)),
    ("del-processed", DELEGATE, |file| file.own_slot("execution_plan[0].delegates[0]", 1, 0)),
    ("del-location", DELEGATE, |file| file.scalar("execution_plan[0].delegates[0].processed.location", 2_i8)),
    ("del-segment-index", DELEGATE, |file| file.scalar("execution_plan[0].delegates[0].processed.index", 2_u32)),
    ("del-inline-index", DELEGATE, |file| file.scalar("execution_plan[0].delegates[0].processed.location", 0_i8)),
    ("del-compile-spec", DELEGATE, |file| file.own_slot("execution_plan[0].delegates[0].compile_specs[0]", 0, 0)),
    ("del-empty-inline", DELEGATE, |file| file.scalar("segments[1].size", 0_u64)),
    ("del-xnn-size", "pte/valid/xnnpack-delegate", |file| file.scalar("segments[1].size", 29_u64)),
    ("del-xnn-placement", "pte/valid/xnnpack-delegate", |file| {
        // The FlatBuffer begins 8 bytes later.
        let start = file.at("segments[1]", PartKind::Segment);
        file.put(start + 10, &words(&[40, 40]));
    }),
];

/// Sets the type of the first instruction.
fn set_type(file: &mut Patcher<'_>, value: u8) {
    file.scalar(&format!("{CALL}_type"), value);
}

/// Sets a field of the first instruction's arguments.
fn set(file: &mut Patcher<'_>, field: &str, value: i32) {
    file.scalar(&format!("{CALL}.{field}"), value);
}

/// Makes a list refer to the elements of another list of the file.
fn share(file: &mut Patcher<'_>, path: &str, list: &str) {
    let target = file.at(list, PartKind::Count);
    file.point(path, target);
}

/// Makes a field refer to new bytes at the end of the FlatBuffer.
fn append(file: &mut Patcher<'_>, path: &str, bytes: &[u8]) {
    let target = file.appendix(8);
    file.point(path, target);
    file.append_to_flatbuffer(bytes, 8);
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The file after an edit.
pub(super) fn edited((_, base, edit): &NearEdit) -> Result<Vec<u8>, String> {
    let mut file = Patcher::new(find(base).unwrap().build().bytes);
    edit(&mut file);
    Ok(file.finish()?.bytes)
}
