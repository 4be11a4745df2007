//! Tests libraries that cannot be loaded or do not give a valid `hello` reply.

use std::time::Duration;

use torchproof::Role;
use torchproof_harness::reader::outcome::Outcome;
use torchproof_harness::reader::{ReaderInput, Request};
use torchproof_protocol::Want;

use super::built::{address, beside, good, library};
use crate::need::{Need, trials};
use libtest_mimic::Trial;
use testkit::corpus::TestCorpus;

fn reports_why_a_library_is_unusable() {
    let corpus = TestCorpus::new("library-none").accept("pte/a/1", "accept").write();
    let said = |name: &str, hello: &str| {
        let hello = format!("-DHELLO={}", if hello == "NULL" { hello.to_owned() } else { format!("R\"=({hello})=\"") });
        library(name, &[&hello])
    };
    let readers = [
        "lib:./no-such.so".to_owned(),
        "lib:no-such.so".to_owned(),
        address(&beside("text.so", b"#!/bin/sh\n")),
        library("lacks-read", &["-DLACKS_READ"]),
        library("calls-nobody", &["-DCALLS_NOBODY"]),
        said("null-hello", "NULL"),
        said("empty-hello", ""),
        said("words-hello", "ready"),
        said("list-hello", "[1]"),
        said("nameless", r#"{"protocol":1,"formats":[]}"#),
        said("old-protocol", r#"{"protocol":99,"name":"x","formats":["pte"]}"#),
        said("odd-delivery", r#"{"protocol":1,"name":"x","formats":["pte"],"deliveries":["post"]}"#),
        library("dies", &["-DDIES"]),
    ];
    let mut shown = String::new();
    for reader in readers {
        let (code, _, stderr) = corpus.torchproof(&["--reader", &reader]);
        assert_eq!((code, stderr.lines().count()), (2, 1), "{reader}: {stderr}");
        shown += &stderr.replace(testkit::scratch("library").to_str().unwrap(), "FOLDER");
    }
    insta::assert_snapshot!("no_readers", shown);
}

fn uses_the_name_in_hello() {
    let reader = good();
    let corpus = TestCorpus::new("library-good")
        .accept("pte/header/control", "value {\"a\": 1}")
        .expect(&serde_json::json!({"a": 1}))
        .accept("pte/header/other", "value {\"a\": 2}")
        .expect(&serde_json::json!({"a": 1}))
        .accept("pte/header/bad-value", "bad-value {")
        .expect(&serde_json::json!({"a": 1}))
        .reject("pte/header/bad", "reject", torchproof::Stage::Header, "pte/header/control")
        .either("pte/header/unsupported", "unsupported")
        .accept("pte/header/error", "error")
        .accept("ptd-legacy/a/1", "accept")
        .accept("bpte/a/1", "role 2")
        .reject("bpte/a/2", "reject", torchproof::Stage::Structure, "bpte/a/1")
        .write();
    let run = corpus.run_with(&[&reader], &["--delivery", "mmap"]);
    let entry = &run.report["readers"][0];
    assert_eq!((&entry["reader"], &entry["language"]), (&"faux".into(), &"c++".into()));
    assert_eq!(entry["capabilities"], serde_json::json!(["value", "loaded", "bundled", "selftest"]));
    let text = corpus.text(&[&reader], &["--cases", "pte/header/bad*", "--delivery", "mmap"]);
    insta::assert_snapshot!("outcomes", run.outcomes() + text.rsplit_once("\n\n").unwrap().0);
}

/// If `want` is `loaded`, the host must list, for each data file, the entries that have a tensor layout.
fn passes_the_layouts_of_a_data_file() {
    let mut reader = crate::built::open(&good());
    reader.hello().unwrap();
    let file = testkit::repository().join("corpus/real/mlp_external.ptd").canonicalize().unwrap();
    let (files, stage, time) =
        ([ReaderInput::at(Role::Data, file).unwrap()], torchproof::Stage::Data, Duration::from_secs(20));
    for (want, value) in [(Want::Loaded, Some(serde_json::json!([0, 1, 2, 3]))), (Want::Verdict, None)] {
        let request = Request { files: &files, stage, want, time, memory_mb: None, delivery: None };
        let found = match reader.read(&request) {
            Outcome::Accept { value, .. } => value,
            // The file contains no order for the library.
            Outcome::Reject { .. } => None,
            other => panic!("{other:?}"),
        };
        assert_eq!(found, value);
    }
    assert_eq!(reader.bye(), None);
}

pub(crate) fn trials() -> Vec<Trial> {
    trials![[Need::Tool(&["g++"])]; reports_why_a_library_is_unusable, uses_the_name_in_hello, passes_the_layouts_of_a_data_file]
}
