//! Bundled programs: what is said of the program in one holds for it, and of the tables around it for them.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use torchproof::bundled::Bundled;
use torchproof::cases;
use torchproof::write::Fault;
use torchproof_cli::pack::{Options, read};

use super::mistakes::{Mistake, expect_refused};
use super::{file, folder, linear, packed, run, run_with, scratch, torchproof, with_data};

const AROUND: [Mistake; 13] = [
    (
        "bundle-field",
        |spec| spec["bundled_program"]["versoin"] = json!(1),
        "bundled_program.versoin: BundledProgram has no such field",
    ),
    (
        "bundle-type",
        |spec| {
            spec["bundled_program"]["method_test_suites"][0]["test_cases"][0]["inputs"][0]["val"]["sizes"] = json!(2);
        },
        "bundled_program.method_test_suites[0].test_cases[0].inputs[0].val.sizes: a number is not a vector's array",
    ),
    ("bundle-root", |spec| remove(spec, "bundled_program"), "bundled_program: is missing"),
    ("bundle-program", |spec| remove(&mut spec["bundled_program"], "program"), "bundled_program.program: is missing"),
    ("bundle-header", |spec| spec["header"] = json!({}), "header: an object is not null, as that of a bundled program"),
    (
        "bundle-segments",
        |spec| spec["segments"] = json!([{ "data": { "hex": "00" } }]),
        "segments: are not empty, and a bundled program has none but those of the program in it",
    ),
    ("bundle-list", |spec| spec["segments"] = json!({}), "segments: an object is not an array"),
    (
        "bundle-unknown",
        |spec| spec["extra"] = json!(1),
        "extra: is unknown there; known are kind, header, program, flat_tensor, bundled_program and segments",
    ),
    ("bundle-other", |spec| spec["program"] = json!({}), "program: does not belong to a bundled program"),
    ("bundle-data", |spec| spec["flat_tensor"] = json!({}), "flat_tensor: does not belong to a bundled program"),
    ("bundle-pte", |spec| spec["kind"] = json!("pte"), "bundled_program: does not belong to a program"),
    ("bundle-ptd", |spec| spec["kind"] = json!("ptd"), "bundled_program: does not belong to a data file"),
    (
        "bundle-rule",
        |spec| spec["bundled_program"]["method_test_suites"][0]["method_name"] = json!("backward"),
        "bundled_program.method_test_suites[0].method_name: no method of the program has this name (breaks bp-suites)",
    ),
];

const INSIDE: [Mistake; 12] = [
    (
        "inside-type",
        |spec| inside(spec)["program"]["execution_plan"][0]["inputs"][0] = json!("0"),
        "bundled_program.program.program.execution_plan[0].inputs[0]: a string is not an int",
    ),
    (
        "inside-rule",
        |spec| inside(spec)["program"]["constant_segment"]["segment_index"] = json!(9),
        "bundled_program.program.program.constant_segment.segment_index: segment index 9 is not below 1 (breaks \
         const-seg-index)",
    ),
    (
        "inside-header",
        |spec| inside(spec)["header"]["magic"] = json!(1),
        "bundled_program.program.header.magic: is unknown there; known are length, program_size, segment_base_offset and \
         segment_data_size",
    ),
    (
        "inside-size",
        |spec| inside(spec)["segments"][0]["size"] = json!(1),
        "bundled_program.program.segments[0].size: 1 is given, and the data has 16 bytes",
    ),
    (
        "inside-file",
        |spec| inside(spec)["segments"][0]["data"] = json!({ "file": "nowhere.bin" }),
        "bundled_program.program.segments[0].data.file: nowhere.bin: no such file",
    ),
    (
        "inside-digest",
        |spec| inside(spec)["segments"][0]["sha256"] = json!("00".repeat(32)),
        "bundled_program.program.segments[0]: sha256 of the data is \
         5dfbabeedf318bf33c0927c43d7630f51b82f351740301354fa3d7fc51f0132e, not \
         0000000000000000000000000000000000000000000000000000000000000000",
    ),
    ("inside-kind", |spec| remove(inside(spec), "kind"), "bundled_program.program.kind: is missing: pte"),
    (
        "inside-data",
        |spec| inside(spec)["kind"] = json!("ptd"),
        "bundled_program.program.kind: is \"ptd\", and the program in a bundled one is a pte",
    ),
    (
        "inside-bundle",
        |spec| inside(spec)["kind"] = json!("bpte"),
        "bundled_program.program.kind: is \"bpte\", and the program in a bundled one is a pte",
    ),
    (
        "inside-again",
        |spec| inside(spec)["bundled_program"] = json!({}),
        "bundled_program.program.bundled_program: is unknown there; known are kind, header, program and segments",
    ),
    (
        "inside-other",
        |spec| inside(spec)["flat_tensor"] = json!({}),
        "bundled_program.program.flat_tensor: is unknown there; known are kind, header, program and segments",
    ),
    ("inside-root", |spec| remove(inside(spec), "program"), "bundled_program.program.program: is missing"),
];

fn inside(spec: &mut Value) -> &mut Value {
    &mut spec["bundled_program"]["program"]
}

fn remove(object: &mut Value, member: &str) {
    object.as_object_mut().unwrap().remove(member);
}

/// The specification of a bundled program with one test case.
fn bundle() -> Value {
    with_data(&cases::find("bpte/valid/one-case").unwrap().build().unwrap().bytes).unwrap()
}

#[test]
fn a_mistake_has_its_place_around_the_program_or_in_it() {
    expect_refused(AROUND.iter().chain(&INSIDE), bundle);
}

/// The text itself may be wrong inside the program and behind it, and `kind` be anywhere.
#[test]
fn mistakes_in_the_text_of_a_bundle_have_their_places() {
    let refused = |text: &str| {
        let outcome = run_with(&["pack", "-", "-o", "text-bundle.out"], text.as_bytes());
        assert_eq!((outcome.code, scratch().join("text-bundle.out").exists()), (Some(2), false));
        outcome.stderr
    };
    let program = serde_json::to_string(inside(&mut bundle())).unwrap();
    for (text, wanted) in [
        (
            format!(r#"{{ "kind": "bpte", "bundled_program": {{ "program": {program}, "program": {program} }} }}"#),
            "bundled_program.program: is there twice",
        ),
        (
            format!(
                r#"{{ "kind": "bpte", "bundled_program": {{ "program": {program}, "version": 1, "version": 1 }} }}"#
            ),
            "bundled_program.version: is there twice",
        ),
        (
            r#"{ "kind": "bpte", "bundled_program": { "program": { "kind": "pte", "kind": "pte" } } }"#.to_owned(),
            "bundled_program.program.kind: is there twice",
        ),
        (
            r#"{ "bundled_program": null }"#.to_owned(),
            "bundled_program: invalid type: null, expected the object of a bundled program's tables",
        ),
        (
            r#"{ "bundled_program": { "program": [1, 2] } }"#.to_owned(),
            "bundled_program.program: invalid type: sequence, expected the object of a specification",
        ),
        (r#"{ "bundled_program": {}, "bundled_program": {} }"#.to_owned(), "bundled_program: is there twice"),
        (
            r#"{ "bundled_program": { "program": { "header": "#.to_owned(),
            "bundled_program.program.header: EOF while parsing a value at line 1 column 46",
        ),
        (
            format!(r#"{{ "bundled_program": {{ "program": {program}, "version": }}"#),
            "bundled_program.version: expected value",
        ),
    ] {
        let stderr = refused(&text);
        assert!(stderr.starts_with(&format!("torchproof: stdin: {wanted}")), "{stderr}  wanted {wanted}");
    }
}

/// What is left out is worked out, for the program and for the tables around it.
#[test]
fn a_bundle_is_made_by_hand() {
    let mut program = linear();
    program.as_object_mut().unwrap().remove("header");
    let suites = json!([{ "method_name": "forward", "test_cases": [] }]);
    let spec = json!({ "bundled_program": { "program": program, "method_test_suites": suites }, "kind": "bpte" });
    let outcome = packed("by-hand", &spec, &["--inline-alignment", "64"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let quiet = run(&["check", "--quiet", "--strict", "by-hand.out"]);
    assert_eq!(quiet.stdout, "by-hand.out: accept\n");
    let bytes = fs::read(scratch().join("by-hand.out")).unwrap();
    let place = Bundled::open(&bytes).unwrap().root().program().unwrap().unwrap().element_span(0);
    assert_eq!(place.offset % 32, 0);
    // The program is what it would be by itself.
    assert_eq!(packed("by-itself", &program_of(&spec), &["--inline-alignment", "64"]).code, Some(0));
    let itself = fs::read(scratch().join("by-itself.out")).unwrap();
    assert!(Bundled::open(&bytes).unwrap().program_bytes().unwrap() == itself);
    // A pipe gets the same.
    let piped = torchproof(&["pack", "by-hand", "-o", "-", "--inline-alignment", "64"]).output().unwrap();
    assert!(piped.status.success() && piped.stdout == bytes);
}

fn program_of(spec: &Value) -> Value {
    spec["bundled_program"]["program"].clone()
}

/// The program is told where it is wrong even where nobody checks the file.
#[test]
fn raw_numbers_are_those_of_the_program() {
    let mut spec = bundle();
    inside(&mut spec)["header"]["segment_data_size"] = json!(4711);
    let outcome = packed("raw-bundle", &spec, &["--raw"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let bytes = fs::read(scratch().join("raw-bundle.out")).unwrap();
    let header = Bundled::open(&bytes).unwrap().program().unwrap().header().unwrap();
    assert_eq!(header.segment_data_size, Some(4711));
}

#[test]
fn a_bundle_is_no_larger_than_it_may_be() {
    let refused = |spec: &Value, most: u64| {
        let options = Options { max_size: most, ..Options::new(Path::new("")) };
        let error = read(&serde_json::to_vec(spec).unwrap()[..], &options).unwrap_err();
        assert_eq!(error.fault(), Fault::Limit, "{error}");
        error.to_string()
    };
    let spec = bundle();
    assert_eq!(packed("small-bundle", &spec, &[]).code, Some(0));
    let bytes = fs::read(scratch().join("small-bundle.out")).unwrap();
    let (len, inner) = (bytes.len() as u64, Bundled::open(&bytes).unwrap().program_bytes().unwrap().len() as u64);
    assert!(refused(&spec, len - 1).starts_with("the file would have "));
    let base =
        format!("bundled_program.program.header.segment_data_size: 16 makes the file larger than {} B; ", inner - 1);
    assert!(refused(&spec, inner - 1).starts_with(&base), "{}", refused(&spec, inner - 1));
    // The program is a vector of bytes in a FlatBuffer, whatever is allowed; and nothing of it is made.
    let mut large = bundle();
    let segment = json!({ "size": 1_u64 << 31, "data": { "fill": "00" } });
    inside(&mut large)["segments"].as_array_mut().unwrap().push(segment);
    remove(inside(&mut large), "header");
    remove(&mut inside(&mut large)["program"], "segments");
    let error = refused(&large, 1 << 40);
    assert!(error.starts_with("bundled_program.program: the program would have "), "{error}");
    assert!(error.ends_with(", and a FlatBuffer, which holds it, ends before 2 GiB"), "{error}");
}

/// What the program in it is made of is not replaced by the file.
#[test]
fn what_the_program_is_read_from_is_not_replaced() {
    let folder = folder("own-bundle");
    let mut spec = bundle();
    let segment = &mut inside(&mut spec)["segments"][0];
    let data = data_encoding::HEXLOWER.decode(segment["data"]["hex"].as_str().unwrap().as_bytes()).unwrap();
    segment["data"] = json!({ "file": "data" });
    fs::write(folder.join("data"), &data).unwrap();
    file("own-bundle/spec", &serde_json::to_vec(&spec).unwrap());
    let outcome = run(&["pack", "own-bundle/spec", "-o", "own-bundle/data", "--force"]);
    let line = "torchproof: own-bundle/data: is what the file is made of, and would be lost\n";
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(2), line));
    assert_eq!(fs::read(folder.join("data")).unwrap(), data);
    assert_eq!(run(&["pack", "own-bundle/spec", "-o", "own-bundle/new"]).code, Some(0));
}
