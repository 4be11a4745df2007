//! Specifications that cannot be packed: each is one line with its place.

use std::path::Path;

use serde_json::Value;
use torchproof::cases;
use torchproof_cli::file::Existing;
use torchproof_cli::file::pack::{self, Options};

use super::{folder, linear, packed, scratch, with_data};

/// Changes to the specification of `linear.pte`: a pointer with its new value, or without the member; `&` joins two.
const IN_A_PROGRAM: &str = r#"
    /program/versoin = 1
    /program/execution_plan/0/inputs/0 = "0"
    /program/execution_plan/0 = []
    /program/constant_segment/segment_index = 9
    /program/named_data = [{"key": "k", "segment_index": 0}, {"key": "k", "segment_index": 0}]
    /program/segments/0/offset = 128
    /program/segments/0/size = 128
    /program/segments = []
    /kind = "pet"
    /kind = "or"
    /kind = 1
    /kind
    /extra = 1
    /program
    /program = 7
    /flat_tensor = {}
    /bundled_program = {}
    /segments = {}
    /segments = null
    /header/magic = 1
    /header = [1]
    /header/flatbuffer_size = 1
    /header = null
    /header/length = 8
    /header/length = 24
    /header/length = "32"
    /header/program_size = 100
    /header/program_size = 2147483648
    /header/segment_base_offset = 128
    /header/segment_base_offset = 0
    /header/segment_base_offset = 9223372036854775808
    /header/segment_data_size = 100
    /header/segment_data_size = 1099511627776
    /header/segment_data_size = 18446744073709551615
    /segments/0/data
    /segments/0/extra = 1
    /segments/0 = 7
    /segments/0/size = 7
    /segments/0/offset = -1
    /segments/0/offset = "0"
    /segments/0/offset = 9223372036854775808
    /segments/0/alignment = 16
    /segments/0/offset & /segments/0/alignment = 0
    /segments/0/offset & /segments/0/alignment = 48
    /segments/0/offset & /segments/0/alignment = 131072
    /segments/0/offset & /segments/0/alignment = 9223372036854775808
    /segments/0/offset & /segments/0/alignment = 4096 & /program/segments/0/offset = 16
    /segments/0/sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
    /segments/0/sha256 = "xyz"
    /segments/0/sha256 = "0000"
    /segments/0/data = "00"
    /segments/0/data = {"text": ""}
    /segments/0/data = {"hex": "", "fill": ""}
    /segments/0/data/offset = 1
    /segments/0/data = {"file": "nowhere.bin"}
    /segments/0/data = {"file": "."}
    /segments/0/data = {"hex": "abc"}
    /segments/0/data = {"hex": [1]}
    /segments/0/data = {"base64": "AP9"}
    /segments/0/data = {"fill": ""}
    /segments/0/size & /segments/0/data = {"fill": "00"}
    /segments/0/size = 9223372036854775808 & /segments/0/data = {"fill": "00"}
    /segments/0/data = {"file": "ten.bin", "offset": 1099511627776}
    /segments/0/data = {"file": "ten.bin", "offset": 1, "len": 18446744073709551615}
    /segments/0/data = {"file": "ten.bin", "len": 1.5}
"#;

/// Changes to that of a bundled program.
const IN_A_BUNDLE: &str = r#"
    /bundled_program/versoin = 1
    /bundled_program/method_test_suites/0/test_cases/0/inputs/0/val/sizes = 2
    /bundled_program/method_test_suites/0/method_name = "backward"
    /bundled_program
    /bundled_program/program
    /header = {}
    /segments = [{"data": {"hex": "00"}}]
    /segments = {}
    /extra = 1
    /program = {}
    /flat_tensor = {}
    /kind = "pte"
    /kind = "ptd"
    /bundled_program/program/program/execution_plan/0/inputs/0 = "0"
    /bundled_program/program/program/constant_segment/segment_index = 9
    /bundled_program/program/header/magic = 1
    /bundled_program/program/segments/0/size = 1
    /bundled_program/program/segments/0/data = {"file": "nowhere.bin"}
    /bundled_program/program/segments/0/sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
    /bundled_program/program/kind
    /bundled_program/program/kind = "ptd"
    /bundled_program/program/kind = "bpte"
    /bundled_program/program/bundled_program = {}
    /bundled_program/program/flat_tensor = {}
    /bundled_program/program/program
"#;

/// Whole texts; `PROGRAM` is the specification of a program.
const TEXTS: &str = r#"
    [1]
    {}
    { "kind": "pte", "program": {}, "kind": "pte" }
    { "kind": "pte", "program": { "version": 0, "version": 0 } }
    { "kind": "pte", "header": { "length": 32, "length": 32 }, "program": {} }
    { "kind": "pte", "program": {} } x
    { "kind": "pte", "program": { "execution_plan": [{}, { "inputs": [1,, 2] }] } }
    { "kind": "ptd", "header": null, "flat_tensor": {} }
    { "kind": "ptd", "header": { "program_size": 1 }, "flat_tensor": {} }
    { "kind": "ptd", "program": {}, "flat_tensor": {} }
    { "flat_tensor": { "version": -1 }, "kind": "ptd" }
    { "kind": "ptd", "flat_tensor": {}, "header": { "length": 39 } }
    { "kind": "ptd", "flat_tensor": {}, "header": { "flatbuffer_size": 3 } }
    { "kind": "ptd", "flat_tensor": {}, "header": { "flatbuffer_offset": 4096000 } }
    { "kind": "ptd", "flat_tensor": {}, "header": { "flatbuffer_offset": 48, "flatbuffer_size": 18446744073709551615 } }
    { "kind": "ptd-legacy", "flat_tensor": { "tensors": [], "tensor_alignment": 3 }, "segments": [] }
    { "kind": "ptd", "flat_tensor": { "named_data": [] }, "segments": [{ "offset": 0, "data": { "hex": "0102" } }, { "offset": 1, "data": { "hex": "02" } }] }
    { "kind": "bpte", "bundled_program": { "program": PROGRAM, "program": PROGRAM } }
    { "kind": "bpte", "bundled_program": { "program": PROGRAM, "version": 1, "version": 1 } }
    { "kind": "bpte", "bundled_program": { "program": { "kind": "pte", "kind": "pte" } } }
    { "bundled_program": null }
    { "bundled_program": { "program": [1, 2] } }
    { "bundled_program": {}, "bundled_program": {} }
    { "bundled_program": { "program": { "header": 
    { "bundled_program": { "program": PROGRAM, "version": }
"#;

fn apply(spec: &mut Value, change: &str) {
    let (pointer, value) = match change.split_once(" = ") {
        Some((pointer, value)) => (pointer.trim(), Some(serde_json::from_str(value).unwrap())),
        None => (change.trim(), None),
    };
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match (spec.pointer_mut(parent).unwrap(), value) {
        (Value::Object(members), Some(value)) => drop(members.insert(name.to_owned(), value)),
        (Value::Object(members), None) => drop(members.remove(name).unwrap()),
        (list, value) => list[name.parse::<usize>().unwrap()] = value.unwrap(),
    }
}

/// Why a specification is not packed; nothing is left of it.
fn refusal(json: &[u8]) -> String {
    let target = scratch().join("mistakes/out");
    let read = pack::read(json, &Options::new(&scratch().join("mistakes")));
    let refused = read.map_err(|error| error.to_string()).and_then(|mut document| {
        document.save(&target, Existing::Keep).map_err(|error| pack::in_specification(&document, &error))
    });
    assert!(!target.exists());
    refused.map_or_else(|error| error, |_| panic!("packed"))
}

fn refusals<'t>(table: &'t str, spec: &Value) -> impl Iterator<Item = String> + use<'t> {
    let spec = spec.clone();
    table.lines().map(str::trim).filter(|line| !line.is_empty()).map(move |line| {
        let mut spec = spec.clone();
        line.split(" & ").for_each(|change| apply(&mut spec, change));
        format!("{line}\n  {}\n", refusal(&serde_json::to_vec(&spec).unwrap()))
    })
}

#[test]
fn each_mistake_is_one_line_with_its_place() {
    let folder = folder("mistakes");
    std::fs::write(folder.join("ten.bin"), b"0123456789").unwrap();
    let bundle = with_data(&cases::find("bpte/valid/one-case").unwrap().build().unwrap().bytes).unwrap();
    let program = bundle["bundled_program"]["program"].to_string();
    let mut all: Vec<_> = refusals(IN_A_PROGRAM, &linear()).chain(refusals(IN_A_BUNDLE, &bundle)).collect();
    all.push(format!("nothing\n  {}\n", refusal(b"")));
    for line in TEXTS.lines().map(str::trim).filter(|line| !line.is_empty()) {
        all.push(format!("{line}\n  {}\n", refusal(line.replace("PROGRAM", &program).as_bytes())));
    }
    insta::assert_snapshot!(all.concat());
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 1);
}

/// The whole file, what is read for it, and the program in a bundled one have limits, which are checked before any byte is
/// written.
#[test]
fn limits_are_errors_before_anything_is_written() {
    let refused = |json: &str, max_size: u64, raw: bool| {
        let options = Options { max_size, raw, ..Options::new(Path::new("")) };
        format!("{max_size}, {json}\n  {}\n", pack::read(json.as_bytes(), &options).unwrap_err())
    };
    let data = |segments: &str| format!(r#"{{"kind": "ptd", "flat_tensor": {{}}, "segments": [{segments}]}}"#);
    let large = r#"{"size": 3145728, "data": {"fill": "00"}}"#;
    let over = r#"{"offset": 0, "size": 3145728, "data": {"fill": "00"}}"#;
    let program = |size: u64| {
        format!(
            r#"{{"kind": "bpte", "bundled_program": {{"program": {{"kind": "pte", "program": {{"named_data":
            [{{"key": "k"}}]}}, "segments": [{{"size": {size}, "data": {{"fill": "00"}}}}]}}}}}}"#
        )
    };
    let mut shown = refused(&data(large), 1 << 20, false);
    shown += &refused(&data(&[large; 2].join(",")), 4 << 20, false);
    shown += &refused(&data(&[over; 2].join(",")), 4 << 20, true);
    shown += &refused(&program(1 << 31), 1 << 40, false);
    shown += &refused(&program(4000), 4000, false);
    let options = Options { segment_alignment: Some(1 << 63), ..Options::new(Path::new("")) };
    let spec = r#"{"kind": "pte", "program": {"execution_plan": []}, "segments": [{"data": {"hex": "01"}}]}"#;
    shown += &pack::read(spec.as_bytes(), &options).unwrap_err().to_string();
    insta::assert_snapshot!(shown);
    // Raw numbers are only numbers, unless they are places.
    let mut raw = linear();
    raw["header"]["segment_base_offset"] = (1_u64 << 63).into();
    raw["header"]["program_size"] = u64::MAX.into();
    assert_eq!(packed("limit-raw", &raw, &["--raw"]).code, Some(0));
    assert!(std::fs::metadata(scratch().join("limit-raw.out")).unwrap().len() < 1 << 16);
    raw["segments"][0]["offset"] = (1_u64 << 63).into();
    assert_eq!(packed("limit-raw", &raw, &["--raw"]).code, Some(2));
    assert!(packed("limit", &linear(), &["--max-size", "1XiB"]).stderr.contains("is not a number with KiB"));
}
