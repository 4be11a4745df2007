//! Tests `torchproof pack` with specifications of bundled programs.

use std::fs;

use serde_json::{Value, json};
use torchproof::bundled::Bundled;

use super::{linear, packed, run, scratch, torchproof};

#[test]
fn packs_a_handwritten_bundle() {
    let mut program = linear();
    program.as_object_mut().unwrap().remove("header");
    let suites = json!([{ "method_name": "forward", "test_cases": [] }]);
    let spec = json!({ "bundled_program": { "program": program, "method_test_suites": suites }, "kind": "bpte" });
    let outcome = packed("by-hand", &spec, &["--inline-alignment", "64"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let quiet = run(&["check", "--quiet", "--deny-should", "by-hand.out"]);
    assert_eq!(quiet.stdout, "by-hand.out: accept\n");
    let bytes = fs::read(scratch().join("by-hand.out")).unwrap();
    let program_span = Bundled::open(&bytes).unwrap().root().program().unwrap().unwrap().element_span(0);
    assert_eq!(program_span.offset % 32, 0);
    // The program has the same bytes in the bundle as alone, and a pipe gets the same bytes as a file.
    assert_eq!(packed("by-itself", &program_of(&spec), &["--inline-alignment", "64"]).code, Some(0));
    let itself = fs::read(scratch().join("by-itself.out")).unwrap();
    assert!(Bundled::open(&bytes).unwrap().program_bytes().unwrap() == itself);
    let piped = torchproof(&["pack", "by-hand", "-o", "-", "--inline-alignment", "64"]).output().unwrap();
    assert!(piped.status.success() && piped.stdout == bytes);
}

fn program_of(spec: &Value) -> Value {
    spec["bundled_program"]["program"].clone()
}
