//! Tests programs at the limits of the rules. Each is an edit of the smallest complete program.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::super::{Options, StopReason, Summary, Target, check};
use super::{Zeros, ids, streamed};
use crate::flatbuffer::Table;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::{FieldValue, TableTree};
use crate::pte::Pte;
use crate::pte::schema as pte;
use crate::pte::{HeaderKind, ProgramLayout, write};
use crate::write::SegmentData;
use crate::{FileBytes, Limit, ScalarType};

type FindingPath = (&'static str, String);

fn check_with(bytes: &[u8], target: Target, scratch: usize) -> (Summary, Vec<FindingPath>) {
    let (summary, found) = streamed(&bytes, Options::default().target(target), scratch);
    (summary, found.into_iter().map(|finding| (finding.rule.id, finding.path)).collect())
}

fn findings(bytes: &[u8]) -> Vec<FindingPath> {
    let (summary, found) = check_with(bytes, Target::Bits64, bytes.len());
    assert_eq!(summary.stopped, None);
    found
}

fn on_32_bits(bytes: &[u8]) -> Vec<FindingPath> {
    check_with(bytes, Target::Bits32, bytes.len()).1
}

fn paths(rule: &str, found: &[FindingPath]) -> Vec<String> {
    found.iter().filter(|own| own.0 == rule).map(|own| own.1.clone()).collect()
}

/// Returns a program with one method, which adds value 0 (a constant) and value 1 (the input) and stores the sum in
/// value 2 (the output). Value 3 is an `Int`.
fn program() -> TableTree {
    let bytes = crate::corpus::find("pte/valid/constants").unwrap().build().bytes;
    let mut tree =
        TableTree::read(Table::root(Pte::open(&bytes).unwrap().region()).unwrap(), pte::Program::TYPE).unwrap();
    tree.remove("segments");
    tree
}

const DATA: [u8; 1024] = [1; 1024];

fn written(program: &TableTree, segments: &[&[u8]]) -> Vec<u8> {
    let segments: Vec<_> = segments.iter().map(|bytes| SegmentData::new(bytes)).collect();
    write(program, &segments, &ProgramLayout::default()).unwrap()
}

/// Applies the closure `change` to the method of [`program`], and returns the encoded program.
fn planned(change: impl FnOnce(&mut TableTree)) -> Vec<u8> {
    let mut program = program();
    change(program.at_mut("execution_plan[0]").unwrap());
    written(&program, &[&DATA[..16]])
}

fn value(val: TableTree) -> TableTree {
    TableTree::new(pte::EValue::TYPE).with("val", val)
}

fn int(value: i64) -> TableTree {
    TableTree::new(pte::Int::TYPE).with("int_val", value)
}

fn tensor(scalar: ScalarType, sizes: &[i32]) -> TableTree {
    let order: Vec<u8> = (0..32).take(sizes.len()).collect();
    TableTree::new(pte::Tensor::TYPE).with("scalar_type", scalar).with("sizes", sizes.to_vec()).with("dim_order", order)
}

fn at(buffer: u32, low: u32, high: u32) -> TableTree {
    TableTree::new(pte::AllocationDetails::TYPE)
        .with("memory_id", buffer)
        .with("memory_offset_low", low)
        .with("memory_offset_high", high)
}

fn extra() -> TableTree {
    TableTree::new(pte::ExtraTensorInfo::TYPE)
}

fn call(arguments: TableTree) -> TableTree {
    TableTree::new(pte::Instruction::TYPE).with("instr_args", arguments)
}

fn push(plan: &mut TableTree, list: &str, table: TableTree) {
    plan.tables_mut(list).unwrap().push(table);
}

#[test]
fn an_unknown_value_type_is_one_finding() {
    let freed = |value: TableTree| {
        let found = findings(&planned(|plan| {
            push(plan, "values", value);
            let free = TableTree::new(pte::FreeCall::TYPE).with("value_index", 4);
            push(plan.at_mut("chains[0]").unwrap(), "instructions", call(free));
        }));
        found.into_iter().map(|own| own.0).collect::<Vec<_>>()
    };
    let none = || TableTree::new(pte::EValue::TYPE);
    assert_eq!(freed(none()), ["val-nonnull"]);
    assert_eq!(freed(none().with("val_type", 77)), ["fb-union-consistent"]);
    assert_eq!(freed(none().with("val", FieldValue::opaque())), ["fb-union-consistent"]);
    assert_eq!(freed(none().with("val_type", 77).with("val", FieldValue::opaque())), ["val-type-known"]);
    assert_eq!(freed(value(tensor(ScalarType::FLOAT, &[1]).with("allocation_info", at(1, 0, 0)))), [""; 0]);
}

#[test]
fn distinguishes_signatures_of_operators() {
    let operator =
        |name: &str, overload: &str| TableTree::new(pte::Operator::TYPE).with("name", name).with("overload", overload);
    let kernel = |index: usize, args: &[i32]| {
        call(
            TableTree::new(pte::KernelCall::TYPE)
                .with("op_index", i32::try_from(index).unwrap())
                .with("args", args.to_vec()),
        )
    };
    let count = 300;
    let found = findings(&planned(|plan| {
        let names = (0..count).map(|index| match index {
            _ if index % 16 == 0 && index % 32 == 0 => operator("executorch_prim::add", "Scalar"),
            _ if index % 16 == 0 => operator("executorch_prim::neg", "Scalar"),
            _ => operator("aten::add", "out"),
        });
        let names: Vec<_> = names.collect();
        plan.set("operators", names).unwrap();
        // The chain calls each operator twice, in ascending and then in descending order. Operators whose indexes
        // differ by a multiple of 16 share an entry of the signature cache.
        let calls = (0..count).chain((0..count).rev()).map(|index| match index {
            _ if index % 32 == 0 => kernel(index, &[3, 3, 3]),
            _ if index % 16 == 0 => kernel(index, &[3, 3]),
            _ => kernel(index, &[0, 1, 3, 2, 2]),
        });
        plan.at_mut("chains[0]").unwrap().set("instructions", calls.collect::<Vec<_>>()).unwrap();
    }));
    assert_eq!(found, []);
}

#[test]
fn an_unlisted_buffer_is_on_the_host() {
    let of = |listed: &[i32], kind: pte::DeviceType, buffer: u32| {
        let found = findings(&planned(|plan| {
            plan.set("non_const_buffer_sizes", [0_i64].into_iter().chain([32; 80]).collect::<Vec<_>>()).unwrap();
            let devices = listed.iter().map(|index| {
                TableTree::new(pte::NonConstBufferDevice::TYPE)
                    .with("buffer_idx", *index)
                    .with("device_type", pte::DeviceType(1).0)
            });
            plan.set("non_const_buffer_device", devices.collect::<Vec<_>>()).unwrap();
            let tensor = tensor(ScalarType::FLOAT, &[4])
                .with("allocation_info", at(buffer, 0, 0))
                .with("extra_tensor_info", extra().with("device_type", kind.0));
            push(plan, "values", value(tensor));
        }));
        !paths("mem-device-consistent", &found).is_empty()
    };
    let (host, other) = (pte::DeviceType::CPU, pte::DeviceType(1));
    assert!(other.name().is_some());
    assert_eq!([of(&[3], host, 4), of(&[3], other, 4)], [false, true]);
    assert_eq!([of(&[4], host, 4), of(&[4], other, 4)], [true, false]);
    let few: Vec<i32> = (5..69).collect();
    assert_eq!([of(&few, host, 68), of(&few, other, 4)], [true, true]);
    // The checker reads only the first 64 entries of the list of buffer devices.
    let more: Vec<i32> = (5..70).collect();
    assert_eq!([of(&more, host, 68), of(&more, host, 69), of(&more, other, 4)], [true, false, false]);
}

#[test]
fn notes_unused_and_equal_constants_of_at_least_64_bytes() {
    let of = |elements: i32, used: &[u32], data: &[u8]| {
        let size = 4 * u64::try_from(elements).unwrap();
        let offsets = vec![0, 0, size, 2 * size];
        let mut program = program().with("constant_segment", {
            TableTree::new(pte::SubsegmentOffsets::TYPE).with("segment_index", 0).with("offsets", offsets)
        });
        let plan = program.at_mut("execution_plan[0]").unwrap();
        for index in used {
            push(plan, "values", value(tensor(ScalarType::FLOAT, &[elements]).with("data_buffer_idx", *index)));
        }
        let found = findings(&written(&program, &[data])).into_iter();
        found.map(|own| own.0).filter(|id| matches!(*id, "const-used" | "const-distinct")).collect::<Vec<_>>()
    };
    assert_eq!(of(16, &[1, 2, 3], &[7; 192]), ["const-distinct"]);
    assert_eq!(of(16, &[1, 3], &[7; 192]), ["const-used", "const-distinct"]);
    assert_eq!(of(12, &[1, 3], &[7; 144]), [""; 0]);
    let distinct: Vec<u8> = (0..192).map(|byte| byte / 64).collect();
    assert_eq!(of(16, &[1, 2, 3], &distinct), [""; 0]);
    // Together, the constants take more than 1 MiB.
    assert_eq!(of(1 << 17, &[1, 2, 3], &vec![7; 3 << 19]), [""; 0]);
}

#[test]
fn reports_overlapping_constants_and_nonzero_padding() {
    let of = |offsets: &[u64], byte_at: usize, len: usize| {
        let mut data = vec![0_u8; len];
        data[byte_at] = 1;
        let subsegments =
            TableTree::new(pte::SubsegmentOffsets::TYPE).with("segment_index", 0).with("offsets", offsets.to_vec());
        let found = findings(&written(&program().with("constant_segment", subsegments), &[&data]));
        found.into_iter().map(|own| own.0).filter(|id| *id != "const-used").collect::<Vec<_>>()
    };
    assert_eq!(of(&[0, 0, 32], 16, 1024), ["const-padding-zero"]);
    assert_eq!(of(&[0, 0, 32], 32, 1024), [""; 0]);
    // A gap of less than 256 bytes is padding; a longer gap may have another purpose.
    assert_eq!(of(&[0, 0, 16 + 240], 255, 1024), ["const-padding-zero"]);
    assert_eq!(of(&[0, 0, 16 + 256], 255, 1024), [""; 0]);
    assert_eq!(of(&[0, 1008], 16, 1024), [""; 0]);
    assert_eq!(of(&[0, 0, 1024], 16, 1024), [""; 0]);
}

#[test]
fn a_placeholder_only_segment_leaves_constants_in_buffers() {
    let buffer = |bytes: &[u8]| TableTree::new(pte::Buffer::TYPE).with("storage", bytes);
    let subsegments = |offsets: &[u64]| {
        TableTree::new(pte::SubsegmentOffsets::TYPE).with("segment_index", 0).with("offsets", offsets.to_vec())
    };
    let of = |buffers: Vec<TableTree>, offsets: &[u64]| {
        let program = program().with("constant_buffer", buffers).with("constant_segment", subsegments(offsets));
        let found = findings(
            &write(&program, &[], &ProgramLayout { header: HeaderKind::Never, ..ProgramLayout::default() }).unwrap(),
        );
        found.into_iter().map(|own| own.0).filter(|rule| rule.starts_with("const-buffer")).collect::<Vec<_>>()
    };
    assert_eq!(of(vec![buffer(b""), buffer(&DATA[..16])], &[0]), [""; 0]);
    assert_eq!(of(vec![buffer(b""), buffer(&DATA[..15])], &[0]), ["const-buffer-legacy"]);
    assert_eq!(of(vec![buffer(b"")], &[0]), ["const-buffer-legacy"]);
    assert_eq!(of(vec![], &[0]), ["const-buffer-idx"]);
}

#[test]
fn accepts_sizes_up_to_the_32_bit_limit() {
    let planned_at = |len: i32, low: u32, high: u32| {
        let bytes = planned(|plan| {
            plan.set("non_const_buffer_sizes", vec![0, 1_i64 << 40]).unwrap();
            push(plan, "values", value(tensor(ScalarType::BYTE, &[len]).with("allocation_info", at(1, low, high))));
        });
        paths("mem-offset-64", &on_32_bits(&bytes)).len()
    };
    assert_eq!(planned_at(15, 0xffff_fff0, 0), 0);
    assert_eq!(planned_at(16, 0xffff_fff0, 0), 1);
    assert_eq!(planned_at(17, 0xffff_fff0, 0), 1);
    assert_eq!(planned_at(1, 0, 0), 0);
    assert_eq!(planned_at(1, 0, 1), 1);
    let sized = |scalar, sizes: &[i32], dynamism: pte::TensorShapeDynamism, input: bool| {
        let bytes = planned(|plan| {
            plan.set("non_const_buffer_sizes", vec![0, i64::MAX]).unwrap();
            let tensor = tensor(scalar, sizes).with("allocation_info", at(1, 0, 0)).with("shape_dynamism", dynamism);
            push(plan, "values", value(tensor));
            if input {
                plan.set("inputs", vec![1, 4]).unwrap();
            }
        });
        let found = on_32_bits(&bytes);
        ["t-nbytes-32bit", "t-dynamic-input-bounds"].map(|rule| paths(rule, &found))
    };
    let (fixed, dynamic) = (pte::TensorShapeDynamism::STATIC, pte::TensorShapeDynamism::DYNAMIC_BOUND);
    let sizes = String::from("execution_plan[0].values[4].val.sizes");
    for (scalar, dimensions, exceeds) in [
        (ScalarType::BYTE, &[i32::MAX][..], false),
        (ScalarType::BYTE, &[1 << 16, 1 << 15], true),
        (ScalarType::BYTE, &[65537, 65535], true),
        (ScalarType::SHORT, &[i32::MAX], false),
        (ScalarType::SHORT, &[1 << 16, 1 << 15], true),
        (ScalarType::INT, &[1 << 15, 1 << 15], true),
        (ScalarType::INT, &[(1 << 30) - 1], false),
        (ScalarType::INT, &[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 << 30], true),
        (ScalarType::INT, &[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 << 30], false),
    ] {
        let repeated = if exceeds { vec![sizes.clone()] } else { vec![] };
        assert_eq!(sized(scalar, dimensions, fixed, false), [repeated.clone(), vec![]], "{dimensions:?}");
        assert_eq!(sized(scalar, dimensions, dynamic, false), [repeated, vec![]], "{dimensions:?}");
        let repeated = if exceeds { vec![String::from("execution_plan[0].inputs[1]")] } else { vec![] };
        assert_eq!(sized(scalar, dimensions, dynamic, true), [vec![], repeated], "{dimensions:?}");
    }
}

#[test]
fn distinguishes_inputs_across_words_of_64_values() {
    let huge = || {
        value(
            tensor(ScalarType::BYTE, &[1 << 16, 1 << 15])
                .with("allocation_info", at(1, 0, 0))
                .with("shape_dynamism", 1),
        )
    };
    for count in [64, 65, 128, 130] {
        for input in [3, 63, 64, 65, 127, 128, count] {
            let bytes = planned(|plan| {
                plan.set("non_const_buffer_sizes", vec![0, i64::MAX]).unwrap();
                while plan.get("values").unwrap().as_tables().unwrap().len() < count {
                    push(plan, "values", huge());
                }
                plan.set("inputs", vec![1, i32::try_from(input).unwrap()]).unwrap();
            });
            let found = on_32_bits(&bytes);
            let inside = input < count && input > 3;
            assert_eq!(paths("t-dynamic-input-bounds", &found).len(), usize::from(inside), "{input} of {count}");
            assert_eq!(paths("t-nbytes-32bit", &found).len(), count - 4 - usize::from(inside), "{input} of {count}");
        }
    }
    let many = |count: usize| {
        planned(|plan| {
            plan.set("values", (0..count).map(|_| value(int(1))).collect::<Vec<_>>()).unwrap();
        })
    };
    let incomplete = |count, target| check_with(&many(count), target, 0).0.stopped;
    assert_eq!(incomplete(8192, Target::Bits32), None);
    assert_eq!(incomplete(8193, Target::Bits32), Some(StopReason::Limit(Limit::Scratch)));
    assert_eq!(incomplete(8193, Target::Bits64), None);
}

#[test]
fn accepts_segments_up_to_2_to_the_32() {
    let key = TableTree::new(pte::NamedData::TYPE).with("key", "blob").with("segment_index", 1);
    for (header, has_size) in [(24, false), (32, true)] {
        let layout = ProgramLayout { header: HeaderKind::Always(header), ..ProgramLayout::default() };
        // The last segment ends 15 bytes after a multiple of 16.
        let segments = [SegmentData::new(&DATA[..16]), SegmentData::new(&DATA[..15])];
        let mut bytes = write(&program().with("named_data", vec![key.clone()]), &segments, &layout).unwrap();
        assert_eq!(findings(&bytes), []);
        let needed = usize::try_from(FileBytes::needed(&bytes, bytes.len() as u64)).unwrap();
        let mut of = |end: u64, target| {
            bytes[24..32].copy_from_slice(&(end - 128 - 15).to_le_bytes());
            let file_bytes = FileBytes::head(&bytes[..needed], end).unwrap();
            ids(&streamed(&Zeros(file_bytes), Options::default().target(target), 0).1)
        };
        assert_eq!(of(u64::from(u32::MAX), Target::Bits32), [""; 0], "{has_size}");
        // If the segments end at 2^32, the segment base is misaligned, so there is a second finding.
        assert!(of(1 << 32, Target::Bits32).contains(&"eh-target-32"), "{has_size}");
        for end in [u64::from(u32::MAX) + 16, (1 << 40) + 15] {
            assert_eq!(of(end, Target::Bits32), ["eh-target-32"], "{has_size}");
            assert_eq!(of(end, Target::Bits64), [""; 0], "{has_size}");
        }
    }
}

#[test]
fn the_first_segment_has_the_smallest_offset() {
    let segment =
        |offset: u64, size: u64| TableTree::new(pte::DataSegment::TYPE).with("offset", offset).with("size", size);
    let of = |places: &[(u64, u64)]| {
        let segments: Vec<_> = places.iter().map(|(offset, size)| segment(*offset, *size)).collect();
        let bytes = written(&program().with("segments", segments), &[&DATA[..64]]);
        let list = Pte::open(&bytes).unwrap().program().segments().unwrap().unwrap();
        let found = check(&bytes).findings;
        let first = found.iter().filter(|finding| finding.rule.id == "seg-first-zero");
        first.map(|own| list.iter().position(|segment| segment.unwrap().table().span() == own.span)).collect::<Vec<_>>()
    };
    assert_eq!(of(&[(0, 16), (16, 16)]), []);
    assert_eq!(of(&[(16, 16), (0, 16)]), []);
    assert_eq!(of(&[(16, 16), (32, 16)]), [Some(0)]);
    assert_eq!(of(&[(48, 16), (16, 16), (32, 16)]), [Some(1)]);
    // If two segments have the same offset, the finding names the first of them. Empty segments are ignored.
    assert_eq!(of(&[(16, 16), (16, 8)]), [Some(0)]);
    assert_eq!(of(&[(0, 0), (16, 16)]), [Some(1)]);
}

#[test]
fn reads_metadata_at_its_position() {
    let named = TableTree::new(pte::NamedData::TYPE).with("key", "metadata.context.length").with("segment_index", 1);
    let program = program().with("named_data", vec![named]);
    let mut bytes = written(&program, &[&DATA[..16], &DATA[..3]]);
    assert_eq!(paths("md-int-size", &findings(&bytes)), ["named_data[0].key"]);
    assert_eq!(findings(&written(&program, &[&DATA[..16], &DATA[..8]])), []);
    // If the header is wrong, the positions of the segments are unknown.
    bytes[32..40].copy_from_slice(&1_000_000_u64.to_le_bytes());
    assert_eq!(findings(&bytes).into_iter().map(|own| own.0).collect::<Vec<_>>(), ["eh-sum-le-file"]);
    // The positions are also unknown if the program has no segment data.
    let empty = TableTree::new(pte::DataSegment::TYPE).with("offset", 0).with("size", 0);
    let program = program.with("segments", vec![empty.clone(), empty]);
    let bytes = write(&program, &[], &ProgramLayout { header: HeaderKind::Never, ..ProgramLayout::default() }).unwrap();
    assert_eq!(paths("md-int-size", &findings(&bytes)), [""; 0]);
}

/// Returns a program without methods. Its root table directly follows a 32-byte header.
fn after_the_header() -> Vec<u8> {
    let mut bytes = vec![0; 64];
    bytes[0] = 40;
    bytes[4..12].copy_from_slice(b"ET12eh00");
    bytes[12] = 32;
    bytes[16] = 48;
    bytes.truncate(48);
    // The vtable has no slots and directly follows the root table.
    bytes[40..44].copy_from_slice(&(-4_i32).to_le_bytes());
    bytes[44..48].copy_from_slice(&[4, 0, 4, 0]);
    bytes
}

#[test]
fn the_root_may_begin_where_the_header_ends() {
    let bytes = after_the_header();
    let rules = |bytes: &[u8]| findings(bytes).into_iter().map(|own| own.0).collect::<Vec<_>>();
    let whole = rules(&bytes);
    assert!(!whole.contains(&"fb-root-not-in-header") && !whole.contains(&"eh-length-bounded"), "{whole:?}");
    // A header of 33 bytes overlaps the root table, although the known header fields end before it.
    let mut longer = bytes.clone();
    longer[12] = 33;
    assert!(rules(&longer).contains(&"eh-length-bounded"));
}

#[test]
fn the_file_size_bounds_shared_names() {
    // All offsets in the method's list of values point to the same table.
    let shared = |count: usize| {
        let named = tensor(ScalarType::FLOAT, &[1])
            .with("allocation_info", at(1, 0, 0))
            .with("extra_tensor_info", extra().with("fully_qualified_name", "name"));
        let mut program = program();
        let plan = program.at_mut("execution_plan[0]").unwrap();
        plan.set("values", vec![value(named)]).unwrap();
        plan.set("inputs", vec![7; count]).unwrap();
        plan.set("chains", Vec::<TableTree>::new()).unwrap();
        let mut bytes = written(&program, &[&DATA[..16]]);
        let file = Pte::open(&bytes).unwrap();
        let plan = file.program().execution_plan().unwrap().unwrap().get(0).unwrap().unwrap();
        let target = plan.values().unwrap().unwrap().get(0).unwrap().unwrap().table().position();
        let inputs = plan.inputs().unwrap().unwrap();
        let (first, field) = (usize::try_from(inputs.span().offset).unwrap(), plan.table().field(2).unwrap());
        let region = file.region().len();
        let put = |bytes: &mut [u8], at: usize, value: usize| {
            bytes[at..at + 4].copy_from_slice(&u32::try_from(value).unwrap().to_le_bytes());
        };
        for index in 0..count {
            put(&mut bytes, first + 4 * index, target - first - 4 * index);
        }
        put(&mut bytes, field, first - 4 - field);
        (bytes, region)
    };
    let mut stopped = [false; 2];
    for count in 2..400 {
        let (bytes, region) = shared(count);
        if count.abs_diff(region / 8) > 4 {
            continue;
        }
        let (report, _) = check_with(&bytes, Target::Bits64, bytes.len());
        let too_many = count > region / 8;
        let expected = too_many.then_some(StopReason::Limit(Limit::ApparentSize));
        assert_eq!(report.stopped, expected, "{count} in {region}");
        stopped[usize::from(too_many)] = true;
    }
    assert_eq!(stopped, [true, true]);
}
