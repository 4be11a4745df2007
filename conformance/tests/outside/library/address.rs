//! What cannot be loaded, and what does not say who it is.

use std::time::Duration;

use torchproof::corpus::Role;
use torchproof_cli::reader::outcome::Outcome;
use torchproof_cli::reader::{Address, Launcher, ReaderInput, Request, Settings};
use torchproof_protocol::Want;

use super::built::{address, beside, good, library};
use crate::need::{Need, trials};
use libtest_mimic::Trial;
use testkit::corpus::TestCorpus;

fn what_is_no_reader_is_told_why() {
    let lacks_read = library("lacks-read", &["-DLACKS_READ"]);
    let corpus = TestCorpus::new("library-none").accept("pte/a/1", "accept").write();
    let said = |name: &str, hello: &str| {
        let hello = format!("-DHELLO={}", if hello == "NULL" { hello.to_owned() } else { format!("R\"=({hello})=\"") });
        library(name, &[&hello])
    };
    let table = [
        ("lib:./no-such.so".to_owned(), "./no-such.so: no such file".to_owned()),
        ("lib:no-such.so".to_owned(), "no-such.so: no such file".to_owned()),
        (address(&beside("text.so", b"#!/bin/sh\n")), "text.so: not a library that can be loaded: ".to_owned()),
        (lacks_read, "no function torchproof_read, which torchproof.h declares".to_owned()),
        (library("calls-nobody", &["-DCALLS_NOBODY"]), "undefined symbol: nobody_has_this".to_owned()),
        (said("null-hello", "NULL"), "its hello is NULL".to_owned()),
        (said("empty-hello", ""), "its hello is invalid (EOF while parsing".to_owned()),
        (said("words-hello", "ready"), "its hello is invalid (expected value at line 1 column 1): ready".to_owned()),
        (said("list-hello", "[1]"), "its hello is invalid (invalid length 1, expected struct Hello".to_owned()),
        (said("nameless", r#"{"protocol":1,"formats":[]}"#), "its hello is invalid (missing field `name`".to_owned()),
        (
            said("old-protocol", r#"{"protocol":99,"name":"x","formats":["pte"]}"#),
            "libold-protocol gave no hello: it speaks protocol 99, this runner 1".to_owned(),
        ),
        (
            said("odd-delivery", r#"{"protocol":1,"name":"x","formats":["pte"],"deliveries":["post"]}"#),
            "its hello is invalid (unknown variant `post`, expected one of `buffer`".to_owned(),
        ),
        (library("dies", &["-DDIES"]), "libdies gave no hello: abort (SIGABRT)".to_owned()),
    ];
    for (reader, why) in table {
        let (code, _, stderr) = corpus.torchproof(&["--reader", &reader]);
        assert!(code == 2 && stderr.lines().count() == 1 && stderr.contains(&why), "{reader}: {stderr}");
    }
}

fn it_is_asked_who_it_is_and_named_so() {
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
        .write();
    let run = corpus.run(&[&reader]);
    let told = &run.report["readers"][0];
    assert_eq!((&told["reader"], &told["language"]), (&"faux".into(), &"c++".into()));
    assert_eq!(told["capabilities"], serde_json::json!(["value", "loaded", "selftest"]));
    for (case, grade, message) in [
        ("control", "pass", ""),
        ("other", "wrong-value", "a: "),
        ("bad-value", "adapter-error", "its value is not JSON (EOF"),
        ("bad", "pass", ""),
        ("unsupported", "skip", "not me"),
        ("error", "adapter-error", "no disk"),
    ] {
        let result = run.result("faux", &format!("pte/header/{case}"));
        assert_eq!(result["grade"], grade, "{result}");
        assert!(result["message"].as_str().unwrap().starts_with(message), "{result}");
    }
    assert_eq!(run.result("faux", "pte/header/bad")["stage"], "structure");
    let text = corpus.text(&[&reader], &["--cases", "pte/header/bad*"]);
    assert!(text.contains("faux: 2 cases: 1 pass, 1 adapter-error\n"), "{text}");
}

/// A reader that says what its interface gives of a data file is told which entries have a layout.
fn it_is_told_the_layouts_of_a_data_file() {
    let reader = good();
    let settings = Settings {
        launcher: Launcher::at(env!("CARGO_BIN_EXE_torchproof")),
        start: Duration::from_secs(60),
        memory_mb: None,
    };
    let mut reader = reader.parse::<Address>().unwrap().open(&settings);
    reader.hello().unwrap();
    let file = testkit::repository().join("corpus/real/mlp_external.ptd").canonicalize().unwrap();
    let (files, stage, time) =
        ([ReaderInput::at(Role::Data, file).unwrap()], torchproof::Stage::Data, Duration::from_secs(20));
    for (want, value) in [(Want::Loaded, Some(serde_json::json!([0, 1, 2, 3]))), (Want::Verdict, None)] {
        let request = Request { files: &files, stage, want, time, memory_mb: None, delivery: None };
        let told = match reader.read(&request) {
            Outcome::Accept { value, .. } => value,
            // Its content is no order.
            Outcome::Reject { .. } => None,
            other => panic!("{other:?}"),
        };
        assert_eq!(told, value);
    }
    assert_eq!(reader.bye(), None);
}

/// The trials of this module.
pub(crate) fn trials() -> Vec<Trial> {
    trials![[Need::Tool(&["g++"])]; what_is_no_reader_is_told_why, it_is_asked_who_it_is_and_named_so, it_is_told_the_layouts_of_a_data_file]
}
