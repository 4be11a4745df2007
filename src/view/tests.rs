#![allow(clippy::cast_possible_truncation, reason = "the files here are small")]

use alloc::string::ToString;
use alloc::vec::Vec;

use serde_json::{Value, json};

use super::{File, ViewError, to_value};
use crate::FileKind;
use crate::bundled::schema::BundledProgram;
use crate::bundled::{self, Bundled};
use crate::flatbuffer::encode;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::pte::builder::{PlanBuilder, program};
use crate::pte::schema::{EValue, KernelTypesValue};
use crate::pte::{self, Pte};
use crate::real_files::real_file as real;
use crate::write::SegmentData;
use crate::{ErrorCode, FileBytes, Limit, Limits, Span, corpus};

fn values(bytes: &[u8]) -> Vec<EValue<'_>> {
    let method = Pte::open(bytes).unwrap().methods().next().unwrap().unwrap();
    method.plan().values().unwrap().unwrap().iter().map(Result::unwrap).collect()
}

/// The position of the field in `slot`, in the first table that `pick` selects.
fn field_of(bytes: &[u8], slot: u16, pick: impl Fn(&KernelTypesValue<'_>) -> Option<usize>) -> usize {
    let position = values(bytes).iter().find_map(|value| pick(&value.val().unwrap()?)).unwrap();
    crate::flatbuffer::Table::at(bytes, position).unwrap().field(slot).unwrap()
}

fn tensor_field(bytes: &[u8], slot: u16) -> usize {
    field_of(bytes, slot, |value| match value {
        KernelTypesValue::Tensor(tensor) => Some(tensor.table().position()),
        _ => None,
    })
}

fn dumped(bytes: &[u8], val_type: &Value) -> Value {
    let value = to_value(bytes).unwrap();
    let values = value["program"]["execution_plan"][0]["values"].as_array().unwrap();
    values.iter().find(|value| value["val_type"] == *val_type).unwrap().clone()
}

#[test]
fn doubles_print_exactly_and_the_others_as_strings() {
    let mut bytes = real("conv.pte");
    let at = field_of(&bytes, 0, |value| match value {
        KernelTypesValue::Double(double) => Some(double.table().position()),
        _ => None,
    });
    for (double, expected) in [
        (f64::NAN, "\"nan\""),
        (-f64::NAN, "\"nan\""),
        (f64::INFINITY, "\"inf\""),
        (f64::NEG_INFINITY, "\"-inf\""),
        (-0.0, "-0.0"),
        (0.1 + 0.2, "0.30000000000000004"),
        (5e-324, "5e-324"),
        (f64::MAX, "1.7976931348623157e+308"),
    ] {
        bytes[at..at + 8].copy_from_slice(&double.to_le_bytes());
        assert_eq!(dumped(&bytes, &json!("Double"))["val"]["double_val"].to_string(), expected);
    }
}

#[test]
fn an_unknown_enum_value_is_its_number() {
    let mut bytes = real("add.pte");
    let at = tensor_field(&bytes, 0);
    for number in [8_i8, 99, -1, i8::MIN] {
        bytes[at] = number.cast_unsigned();
        assert_eq!(dumped(&bytes, &json!("Tensor"))["val"]["scalar_type"], json!(number));
    }
}

#[test]
fn an_unknown_union_type_is_its_number_and_has_no_value() {
    let mut bytes = real("add.pte");
    let at = values(&bytes)[0].table().field(0).unwrap();
    for number in [12_u8, 255] {
        bytes[at] = number;
        assert_eq!(dumped(&bytes, &json!(number)), json!({ "val_type": number }));
    }
}

#[test]
fn an_absent_union_is_none() {
    let mut bytes = real("add.pte");
    let vtable = values(&bytes)[0].table().vtable();
    bytes[vtable + 4..vtable + 8].fill(0);
    assert_eq!(dumped(&bytes, &json!("NONE")), json!({ "val_type": "NONE" }));
}

#[test]
fn any_byte_but_zero_is_true() {
    let mut bytes = real("linear.pte");
    let at = tensor_field(&bytes, 4);
    for (byte, expected) in [(0, false), (1, true), (2, true), (255, true)] {
        bytes[at] = byte;
        assert_eq!(dumped(&bytes, &json!("Tensor"))["val"]["requires_grad"], json!(expected));
    }
}

#[test]
fn a_string_that_is_not_utf8_is_an_object_of_its_bytes() {
    let mut bytes = real("add.pte");
    let plan = Pte::open(&bytes).unwrap().program().execution_plan().unwrap().unwrap().get(0).unwrap().unwrap();
    let at = plan.name().unwrap().unwrap().span().offset as usize;
    assert_eq!(&bytes[at..at + 7], b"forward");
    bytes[at..at + 7].copy_from_slice(b"\0\"\x1b\xc3\xa9\\\n");
    assert_eq!(to_value(&bytes).unwrap()["program"]["execution_plan"][0]["name"], json!("\0\"\u{1b}é\\\n"));
    bytes[at..at + 7].copy_from_slice(b"for\xffard");
    assert_eq!(to_value(&bytes).unwrap()["program"]["execution_plan"][0]["name"], json!({ "hex": "666f72ff617264" }));
}

#[test]
fn fields_come_in_the_schemas_order() {
    let bytes = real("mlp_external.ptd");
    let text = serde_json::to_string(&File::open(FileBytes::whole(&bytes)).unwrap()).unwrap();
    let order =
        ["kind", "header", "length", "flat_tensor", "version", "segments", "offset", "size", "named_data", "key"];
    let places: Vec<usize> = order.iter().map(|name| text.find(&alloc::format!("\"{name}\":")).unwrap()).collect();
    assert!(places.is_sorted(), "{order:?} at {places:?}");
}

#[test]
fn a_partly_loaded_file_has_the_same_json() {
    for name in ["multi_method.pte", "mlp_external.ptd", "legacy_v0.6.0_tensors.ptd"] {
        let bytes = real(name);
        let needed = FileBytes::needed(&bytes, bytes.len() as u64) as usize;
        assert!(needed < bytes.len());
        let mut file = File::open(FileBytes::head(&bytes[..needed], bytes.len() as u64).unwrap()).unwrap();
        file.hash(|span, sink| {
            // Pass the bytes in pieces of seven. The digest must not depend on the size of the pieces.
            FileBytes::whole(&bytes).slice(span, "")?.chunks(7).for_each(sink);
            Ok::<_, ViewError>(())
        })
        .unwrap();
        assert_eq!(serde_json::to_value(&file).unwrap(), to_value(&bytes).unwrap());
    }
}

#[test]
fn an_entry_has_data_after_set_data() {
    let bytes = real("mlp_external.ptd");
    let mut file = File::open(FileBytes::whole(&bytes)).unwrap();
    let bare = serde_json::to_value(&file).unwrap();
    let places: Vec<_> = file.segments().unwrap().iter().map(|span| (span.offset, span.len)).collect();
    let base = bare["header"]["segment_base_offset"].as_u64().unwrap();
    let entries = bare["segments"].as_array().unwrap().iter();
    let said = entries.map(|entry| (base + entry["offset"].as_u64().unwrap(), entry["size"].as_u64().unwrap()));
    assert_eq!(said.collect::<Vec<_>>(), places);
    file.set_data([json!({ "hex": "00" })].into());
    let extended = serde_json::to_value(&file).unwrap();
    assert_eq!(extended["segments"][0]["data"], json!({ "hex": "00" }));
    assert_eq!(extended["segments"][1], bare["segments"][1]);
}

#[test]
fn a_fault_prints_its_rule_field_and_offset() {
    let mut bytes = real("add.pte");
    let at = tensor_field(&bytes, 2);
    bytes[at + 3] = 0x80;
    let error = to_value(&bytes).unwrap_err();
    assert_eq!(error.error().rule().unwrap(), "fb-uoffset-valid");
    assert_eq!(error.error().span.offset, at as u64);
    assert_eq!(error.path(), "execution_plan[0].values[0].val.sizes");
}

#[test]
fn rejects_a_flatbuffer_of_2_gib() {
    let bytes = real("add.pte");
    let error = File::open(FileBytes::head(&bytes[..64], 1 << 31).unwrap()).unwrap_err();
    assert_eq!(error.error().rule().unwrap(), "fb-max-size");
    let error = File::open(FileBytes::head(&bytes[..64], (1 << 31) - 1).unwrap()).unwrap_err();
    assert_eq!(error.error().code, ErrorCode::NotInMemory);
}

#[test]
fn rejects_digests_of_segments_outside_the_file_or_overlapping() {
    let mut bytes = real("mlp_external.ptd");
    let file = crate::ptd::Ptd::open(&bytes).unwrap();
    let segments = file.segments().unwrap().unwrap();
    let size_of_first = segments.get(0).unwrap().unwrap().table().field(1).unwrap();
    let all = file.header().segment_data_size;
    bytes[size_of_first..size_of_first + 8].copy_from_slice(&(all + 1).to_le_bytes());
    let error = to_value(&bytes).unwrap_err();
    assert_eq!((error.error().rule().unwrap(), error.path()), ("ft-seg-bound", "segments[0]"));
    assert!(serde_json::to_value(File::open(FileBytes::whole(&bytes)).unwrap()).is_ok());

    bytes[size_of_first..size_of_first + 8].copy_from_slice(&all.to_le_bytes());
    let error = to_value(&bytes).unwrap_err();
    assert_eq!((error.error().rule().unwrap(), error.path()), ("ft-seg-no-overlap", "segments[2]"));
}

/// A program with `plans` offsets to one method. The method's list of values has `values` offsets to one value.
fn shared(plans: u32, values: u32) -> Vec<u8> {
    let mut bytes = Vec::from(b"\0\0\0\0ET12".as_slice());
    let table = |bytes: &mut Vec<u8>, slots: &[u16], words: u32| -> usize {
        let vtable = bytes.len();
        let len = 4 + 2 * slots.len() as u16;
        for word in [len, 4 + 4 * words as u16].iter().chain(slots) {
            bytes.extend(word.to_le_bytes());
        }
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let position = bytes.len();
        bytes.extend(((position - vtable) as u32).to_le_bytes());
        bytes.resize(bytes.len() + 4 * words as usize, 0);
        position
    };
    let vector = |bytes: &mut Vec<u8>, count: u32| -> usize {
        let position = bytes.len();
        bytes.extend(count.to_le_bytes());
        bytes.resize(bytes.len() + 4 * count as usize, 0);
        position
    };
    let refer = |bytes: &mut Vec<u8>, at: usize, to: usize| {
        bytes[at..at + 4].copy_from_slice(&((to - at) as u32).to_le_bytes());
    };
    let program = table(&mut bytes, &[0, 4], 1);
    refer(&mut bytes, 0, program);
    let all = vector(&mut bytes, plans);
    refer(&mut bytes, program + 4, all);
    let plan = table(&mut bytes, &[0, 0, 4], 1);
    let list = vector(&mut bytes, values);
    refer(&mut bytes, plan + 4, list);
    let value = table(&mut bytes, &[], 0);
    (0..plans as usize).for_each(|index| refer(&mut bytes, all + 4 + 4 * index, plan));
    (0..values as usize).for_each(|index| refer(&mut bytes, list + 4 + 4 * index, value));
    bytes
}

#[test]
fn rejects_a_small_file_with_a_large_tree() {
    let small = to_value(&shared(3, 2)).unwrap();
    let plans = &small["program"]["execution_plan"];
    assert_eq!(plans[2], json!({ "values": [{ "val_type": "NONE" }, { "val_type": "NONE" }] }));
    assert_eq!(plans.as_array().unwrap().len(), 3);

    let bytes = shared(4000, 4000);
    let error = File::open(FileBytes::whole(&bytes)).unwrap_err();
    assert_eq!(error.error().code, ErrorCode::Limit(Limit::ApparentSize));
}

#[test]
fn opened_files_serialize_and_prefixes_do_not_open() {
    let files =
        ["linear_external.ptd", "legacy_v0.6.0_tensors.ptd", "mutable_state.pte"].map(|name| (name, real(name)));
    let (bundle, _) = bundle("bpte/valid/one-case");
    for (name, mut bytes) in files.into_iter().chain([("one-case.bpte", bundle)]) {
        for at in 0..bytes.len() {
            assert!(to_value(&bytes[..at]).is_err(), "{name} cut at {at}");
            let was = bytes[at];
            for now in [0, 0xff, was ^ 1, was.wrapping_add(4)] {
                bytes[at] = now;
                if let Ok(file) = File::open(FileBytes::whole(&bytes)) {
                    let text = serde_json::to_string(&file);
                    assert!(text.is_ok(), "{name}, byte {at} as {now}: {text:?}");
                }
            }
            bytes[at] = was;
        }
    }
}

/// Also returns the position of the inner program.
fn bundle(id: &str) -> (Vec<u8>, usize) {
    let bytes = corpus::find(id).unwrap().build().bytes;
    let file = Bundled::open(&bytes).unwrap();
    let start = file.root().program().unwrap().unwrap().span().offset as usize;
    (bytes, start)
}

#[test]
fn an_inner_program_has_the_json_of_a_standalone_one() {
    let (bytes, _) = bundle("bpte/valid/every-type");
    let mut value = to_value(&bytes).unwrap();
    let program = value["bundled_program"].as_object_mut().unwrap().remove("program").unwrap();
    let alone = Bundled::open(&bytes).unwrap().program_bytes().unwrap();
    assert_eq!(program, to_value(alone).unwrap());
    assert!(program["segments"][0]["sha256"].is_string(), "{program}");
    let suites = value["bundled_program"].as_object_mut().unwrap().remove("method_test_suites").unwrap();
    assert_eq!(value, json!({ "kind": "bpte", "header": null, "bundled_program": { "version": 2 }, "segments": [] }));
    assert_eq!(suites[0]["method_name"], "forward");
    let inputs = suites[0]["test_cases"][0]["inputs"].as_array().unwrap();
    let types = inputs.iter().map(|input| input["val_type"].as_str().unwrap());
    assert_eq!(types.collect::<Vec<_>>(), ["Tensor", "Int", "Bool", "Double"]);
    assert!(inputs[0]["val"]["data"].is_array(), "{suites}");
}

#[test]
fn the_segments_of_a_bundled_program_are_ranges_of_the_file() {
    let (bytes, start) = bundle("bpte/valid/one-case");
    let mut file = File::open(FileBytes::whole(&bytes)).unwrap();
    let alone = Bundled::open(&bytes).unwrap().program().unwrap();
    let places: Vec<_> = file.segments().unwrap().iter().map(|span| (span.offset, span.len)).collect();
    let own = alone.segment(0).unwrap();
    assert_eq!(places, [(start as u64 + own.offset, own.len)]);
    file.set_data([json!({ "hex": "00" })].into());
    let value = serde_json::to_value(&file).unwrap();
    assert_eq!(value["bundled_program"]["program"]["segments"][0]["data"], json!({ "hex": "00" }));
    assert_eq!(value["segments"], json!([]));
}

#[test]
fn an_empty_segment_of_an_inner_program_may_begin_anywhere() {
    let (mut bytes, start) = bundle("bpte/valid/one-case");
    let program = Bundled::open(&bytes).unwrap().program().unwrap();
    let segment = program.program().segments().unwrap().unwrap().get(0).unwrap().unwrap();
    let size = start + segment.table().field(1).unwrap();
    bytes[size..size + 8].fill(0);
    // The base in the header.
    bytes[start + 24..start + 32].fill(255);
    let spans = File::open(FileBytes::whole(&bytes)).unwrap().segments().unwrap();
    assert_eq!(spans, [Span::new(u64::MAX, 0)]);
}

#[test]
fn a_fault_of_an_inner_program_has_its_offset_in_the_file() {
    for (id, path, rule) in [
        ("bpte/program/name-not-terminated", "program.execution_plan[0].name", "fb-string-nul"),
        ("bpte/program/root-past-program", "program", "fb-root-offset-range"),
        ("bpte/program/segment-past-data", "program.segments[0]", "seg-within-data"),
        ("bpte/program/next-version", "program.identifier", "fb-identifier-exact"),
    ] {
        let (bytes, start) = bundle(id);
        let error = to_value(&bytes).unwrap_err();
        assert_eq!((error.path(), error.error().rule().unwrap()), (path, rule), "{id}: {error}");
        let alone = to_value(&bytes[start..]).unwrap_err().error().span;
        assert_eq!(error.error().span.offset, start as u64 + alone.offset, "{id}: {error}");
    }
    let absent = corpus::find("bpte/program/absent").unwrap().build().bytes;
    let error = to_value(&absent).unwrap_err();
    assert_eq!((error.path(), error.error().code), ("BundledProgram.program", ErrorCode::Missing));
}

#[test]
fn the_inner_program_does_not_count_as_outer_tables() {
    let data = SegmentData::new(&[7; 1 << 16]);
    let program = program([PlanBuilder::new("forward")]);
    let program = pte::write(&program, &[data], &pte::ProgramLayout::default()).unwrap();
    let bundle = TableTree::new(BundledProgram::TYPE).with("program", program);
    let bytes = encode(&bundle, bundled::IDENTIFIER).unwrap();
    let open = |apparent_size| {
        File::open_within(FileBytes::whole(&bytes), Limits { apparent_size, ..Limits::DEFAULT }).map(|file| file.kind())
    };
    assert_eq!(open(1 << 12), Ok(FileKind::Bpte));
    assert_eq!(open(16).unwrap_err().error().code, ErrorCode::Limit(Limit::ApparentSize));
}

/// Together, the segments are larger than the inner program but smaller than the file.
#[test]
fn rejects_digests_of_overlapping_inner_segments() {
    let data = SegmentData::new(&[7; 4096]);
    let program = program([PlanBuilder::new("forward")]);
    let mut program = pte::write(&program, &[data; 3], &pte::ProgramLayout::default()).unwrap();
    let segments = Pte::open(&program).unwrap().program().segments().unwrap().unwrap();
    let size_of_second = segments.get(1).unwrap().unwrap().table().field(1).unwrap();
    program[size_of_second..size_of_second + 8].copy_from_slice(&8192_u64.to_le_bytes());
    let bundle = TableTree::new(BundledProgram::TYPE).with("program", program).with("version", 2);
    let mut bytes = encode(&bundle, bundled::IDENTIFIER).unwrap();
    bytes.resize(bytes.len() + (1 << 16), 0);
    let error = to_value(&bytes).unwrap_err();
    assert_eq!((error.error().rule().unwrap(), error.path()), ("seg-no-overlap", "program.segments[2]"));
    let third = File::open(FileBytes::whole(&bytes)).unwrap().segments().unwrap()[2];
    assert_eq!(error.error().span, third);
}
