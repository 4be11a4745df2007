//! Tests invalid specifications: each must cause one line of output that says where the mistake is.

use std::path::Path;

use serde_json::Value;
use torchproof::corpus;
use torchproof_cli::document::pack::{self, PackOptions};
use torchproof_harness::disk::OverwritePolicy;

use super::{folder, linear, scratch, with_data};

/// A change is a JSON pointer and a new value; if there is no value, the member is removed. `&` joins two changes.
const MISTAKES: &str = include_str!("mistakes.txt");

fn section(name: &str) -> impl Iterator<Item = &'static str> + use<> {
    let lines = MISTAKES.split_once(&format!("[{name}]\n")).unwrap().1.lines();
    lines.take_while(|line| !line.starts_with("[IN_") && *line != "[TEXTS]")
}

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

/// Returns the error, after checking that `pack` created no file.
fn rejection(json: &[u8]) -> String {
    let target = scratch().join("mistakes/out");
    let read = pack::read(json, &PackOptions::new(&scratch().join("mistakes")));
    let rejected = read.map_err(|error| error.to_string()).and_then(|mut document| {
        document.save(&target, OverwritePolicy::Keep).map_err(|error| pack::in_specification(&document, &error))
    });
    assert!(!target.exists());
    rejected.map_or_else(|error| error, |_| panic!("packed"))
}

fn rejections(name: &str, spec: &Value) -> impl Iterator<Item = String> + use<> {
    let spec = spec.clone();
    section(name).map(move |line| {
        let mut spec = spec.clone();
        line.split(" & ").for_each(|change| apply(&mut spec, change));
        format!("{line}\n  {}\n", rejection(&serde_json::to_vec(&spec).unwrap()))
    })
}

#[test]
fn each_error_is_one_line_with_its_location() {
    let folder = folder("mistakes");
    std::fs::write(folder.join("ten.bin"), b"0123456789").unwrap();
    let bundle = with_data(&corpus::find("bpte/valid/one-case").unwrap().build().bytes).unwrap();
    let program = bundle["bundled_program"]["program"].to_string();
    let mut all: Vec<_> = rejections("IN_A_PROGRAM", &linear()).chain(rejections("IN_A_BUNDLE", &bundle)).collect();
    all.push(format!("nothing\n  {}\n", rejection(b"")));
    for line in section("TEXTS") {
        all.push(format!("{line}\n  {}\n", rejection(line.replace("PROGRAM", &program).as_bytes())));
    }
    insta::assert_snapshot!(all.concat());
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 1);
}
#[test]
fn size_limits_are_checked_before_writing() {
    let rejected = |json: &str, max_size: u64| {
        let options = PackOptions { max_size, ..PackOptions::new(Path::new("")) };
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
    let mut shown = rejected(&data(large), 1 << 20);
    shown += &rejected(&data(&[large; 2].join(",")), 4 << 20);
    shown += &rejected(&data(&[over; 2].join(",")), 4 << 20);
    shown += &rejected(&program(1 << 31), 1 << 40);
    shown += &rejected(&program(4000), 4000);
    let options = PackOptions { segment_alignment: Some(1 << 63), ..PackOptions::new(Path::new("")) };
    let spec = r#"{"kind": "pte", "program": {"execution_plan": []}, "segments": [{"data": {"hex": "01"}}]}"#;
    shown += &pack::read(spec.as_bytes(), &options).unwrap_err().to_string();
    insta::assert_snapshot!(shown);
}
