//! Tests `--delivery`: the reader must get the same bytes with every supported delivery, and a grade for each.

use std::time::Duration;

use serde_json::json;
use torchproof::Role;
use torchproof::Stage;
use torchproof_harness::reader::{ReaderInput, Request};
use torchproof_protocol::{Delivery, Want};

use super::built::good;
use crate::need::{Need, trials};
use crate::{built, need};
use libtest_mimic::Trial;
use testkit::corpus::{TestCorpus, faux};

const ALL: &str = "buffer,unaligned,file,file-at-offset,mmap,guard";

fn places_files_as_the_delivery_asks() {
    let reader = good();
    let mut corpus = TestCorpus::new("delivery-places");
    for filler in [0, 1, 7, 13, 4083, 4084, 4085, 70_000] {
        for order in ["round", "odd", "by-path", "inside-of-another", "over-read", "accept"] {
            let padded = format!("{order} {}", "x".repeat(filler));
            corpus = corpus.accept(&format!("pte/a/{order}-{filler}"), &padded);
        }
    }
    let corpus = corpus.write();
    let run = corpus.run_with(&[&reader], &["--delivery", ALL]);
    for filler in [0, 1, 7, 13, 4083, 4084, 4085, 70_000] {
        for (order, by) in [
            ("round", &["buffer", "mmap", "file", "file-at-offset"][..]),
            ("odd", &["unaligned"]),
            ("by-path", &["file", "file-at-offset"]),
            ("inside-of-another", &["file-at-offset"]),
            ("accept", &["buffer", "unaligned", "file", "file-at-offset", "mmap", "guard"]),
        ] {
            for delivery in by {
                let result = run.result(&format!("faux by {delivery}"), &format!("pte/a/{order}-{filler}"));
                assert_eq!((&result["grade"], &result["delivery"]), (&json!("pass"), &json!(delivery)), "{result}");
            }
        }
        // Each condition must fail with another delivery; otherwise, a library that accepts everything would pass.
        for (order, delivery) in
            [("odd", "buffer"), ("round", "unaligned"), ("by-path", "mmap"), ("inside-of-another", "file")]
        {
            assert_eq!(run.grade(&format!("faux by {delivery}"), &format!("pte/a/{order}-{filler}")), "crash");
        }
        // One byte after the end of the file is unreadable only with `guard`.
        let over = format!("pte/a/over-read-{filler}");
        assert_eq!(run.grade("faux by guard", &over), "crash");
        for delivery in ["buffer", "unaligned", "file"] {
            assert_eq!(run.grade(&format!("faux by {delivery}"), &over), "pass");
        }
    }
}

/// With every delivery, the host passes only complete files to the library.
fn an_incomplete_file_never_reaches_the_library() {
    let corpus = TestCorpus::new("delivery-halves").accept("pte/a/1", "accept").write();
    let mut reader = built::open(&good());
    assert_eq!(reader.hello().unwrap().deliveries.len(), Delivery::ALL.len());
    let there = ReaderInput::at(Role::Program, corpus.folder().join("files/pte/a/1")).unwrap();
    let longer = ReaderInput { size: there.size + 1, ..there.clone() };
    let nowhere = ReaderInput { path: there.path.with_extension("gone"), ..there.clone() };
    let folder = ReaderInput { path: corpus.folder().to_owned(), size: 0, ..there };
    let mut shown = String::new();
    for delivery in Delivery::ALL {
        for file in [&longer, &nowhere, &folder] {
            let outcome = reader.read(&Request {
                files: std::slice::from_ref(file),
                stage: Stage::Data,
                want: Want::Verdict,
                time: Duration::from_secs(20),
                memory_mb: None,
                delivery: Some(delivery),
            });
            assert_eq!(outcome.name(), "adapter-error", "{delivery}: {outcome:?}");
            let message = outcome.message().replace(corpus.folder().to_str().unwrap(), "FOLDER");
            shown += &format!("{delivery}: {message}\n");
        }
    }
    insta::assert_snapshot!("halves", shown);
}

/// A rejection counts as a pass only if the reader accepts the control with the same delivery.
fn uses_the_control_of_the_same_delivery_and_reports_differences() {
    let reader = good();
    let corpus = TestCorpus::new("delivery-controls")
        .accept("pte/a/control", "over-read")
        .reject("pte/a/bad", "reject", Stage::Header, "pte/a/control")
        .write();
    let run = corpus.run_with(&[&reader], &["--delivery", "buffer,guard,buffer"]);
    let text = |deliveries: &str| {
        let text = corpus.text(&[&reader], &["--delivery", deliveries]);
        let (report, again) = text.rsplit_once("\n\n").unwrap();
        // The results file contains the deliveries of the run.
        assert!(again.contains(" --rerun-failed "), "{again}");
        format!("{report}\n\n")
    };
    // If there is only one delivery, the text report does not name it.
    insta::assert_snapshot!("controls", run.outcomes() + &text("buffer,guard") + &text("guard"));

    let run = corpus.run_with(&[&reader], &["--delivery", "guard"]);
    assert_eq!(run.result("faux", "pte/a/control")["delivery"], "guard");
    assert_eq!(run.report["readers"][0]["delivery"], "guard");
}

/// By default, a library gets every file as a mapping, and again before an unreadable page if its start is aligned there.
fn a_library_reads_files_before_an_unreadable_page_by_default() {
    let reader = good();
    let corpus = TestCorpus::new("delivery-default")
        .accept("pte/a/16", "over-read xxxxxx")
        .accept("pte/a/9", "over-read")
        .write();
    let run = corpus.run(&[&reader]);
    assert_eq!([16, 9].map(|size| corpus.content(&format!("pte/a/{size}")).len()), [16, 9]);
    let grades = |by: &str| ["pte/a/16", "pte/a/9"].map(|case| run.grade(&format!("faux by {by}"), case).to_owned());
    assert_eq!([grades("mmap"), grades("guard")], [["pass", "pass"], ["crash", "skip"]]);
}

fn skips_unsupported_deliveries_with_a_reason() {
    let corpus = TestCorpus::new("delivery-skips").accept("pte/a/1", "accept").accept("pte/a/2", "accept").write();
    let reader = faux("exec", "worker");
    let run = corpus.run_with(&[&reader], &["--delivery", "guard,file"]);
    // One supported delivery is enough.
    assert_eq!(run.code, 0);
    let text = corpus.text(&[&reader], &["--delivery", "guard,file"]);
    let neither = corpus.run_with(&[&reader, &faux("once", "once")], &["--delivery", "guard,mmap"]);
    assert_eq!((neither.code, neither.report["readers"].as_array().unwrap().len()), (1, 4));

    let (code, _, stderr) = corpus.torchproof(&["--delivery", "buffer,post"]);
    assert_eq!(code, 2);
    insta::assert_snapshot!("skips", [run.outcomes(), text, stderr].join("\n"));
}

/// A known failure names a reader, and optionally a delivery.
fn known_failures_may_name_one_delivery() {
    let reader = good();
    let corpus = TestCorpus::new("delivery-known").accept("pte/a/1", "over-read").accept("pte/a/2", "segfault").write();
    let entry = |case: &str, reader: &str| {
        format!("[[known]]\ncase = \"pte/a/{case}\"\nreader = \"{reader}\"\nexpect = \"crash\"\nreason = \"x\"\n")
    };
    let known = corpus.beside("known.toml", &(entry("1", "faux by guard") + &entry("2", "faux")));
    let run = corpus.run_with(&[&reader], &["--delivery", "buffer,guard", "--known-failures", &known]);
    let grades = ["1", "2"]
        .map(|case| ["buffer", "guard"].map(|by| run.grade(&format!("faux by {by}"), &format!("pte/a/{case}"))));
    assert_eq!((run.code, grades), (0, [["pass", "known"], ["known", "known"]]));
}

fn every_report_names_the_delivery() {
    let reader = good();
    let corpus = TestCorpus::new("delivery-reports").accept("pte/a/1", "over-read").write();
    let report = |format: &str, deliveries: &str| {
        let (_, report, _) = corpus.reported(format, &["--reader", &reader, "--delivery", deliveries]);
        report
    };
    for (format, alone) in
        [("junit", "name=\"delivery\" value=\"guard\""), ("sarif", "\"delivery\": \"guard\""), ("html", "guard")]
    {
        assert!(report(format, "guard").contains(alone), "{format}");
        assert!(report(format, "buffer,guard").contains("faux by guard"), "{format}");
    }
    let html = report("html", "buffer,guard");
    assert!(html.contains(" --delivery guard") && !html.contains("--delivery buffer,guard"), "{html}");
    let markdown = report("markdown", "buffer,guard");
    assert!(markdown.contains("<code>faux by guard</code>") && markdown.contains("--delivery guard"), "{markdown}");
}

/// The worker of the C++ verifier uses `delivery.hpp` to place files in memory.
fn the_verifier_gives_equal_outcomes_for_every_delivery() {
    let worker = need::reader(built::CPP_VERIFIER);
    assert_same("delivery-worker", &built::address(&worker, ""), "flatbuffers-cpp", ALL);
}

fn builtins_give_equal_outcomes_for_every_delivery() {
    for name in ["reference", "flatbuffers"] {
        assert_same(&format!("delivery-{name}"), &format!("builtin:{name}"), name, "file,buffer,unaligned");
    }
}

/// Checks that every delivery gives the same outcomes on the corpus, and that no case is skipped.
fn assert_same(scratch: &str, address: &str, name: &str, deliveries: &str) {
    let scratch = TestCorpus::new(scratch).write();
    let corpus = testkit::repository().join("corpus");
    let run = scratch
        .run_with(&[address], &["--delivery", deliveries, "--time-scale", "20", "--corpus", corpus.to_str().unwrap()]);
    let mut read = 0;
    for result in run.report["results"].as_array().unwrap() {
        let as_file = run.result(&format!("{name} by file"), result["case"].as_str().unwrap());
        for member in ["outcome", "grade", "stage", "message"] {
            assert_eq!(result[member], as_file[member], "{result}");
        }
        read += usize::from(result["outcome"] != "unsupported");
    }
    assert!(read > 500 * deliveries.split(',').count(), "{name}: {read}");
}

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        [Need::Tool(&["g++"])];
        places_files_as_the_delivery_asks, an_incomplete_file_never_reaches_the_library,
        uses_the_control_of_the_same_delivery_and_reports_differences,
        a_library_reads_files_before_an_unreadable_page_by_default, skips_unsupported_deliveries_with_a_reason,
        known_failures_may_name_one_delivery, every_report_names_the_delivery;
        [Need::Reader(built::CPP_VERIFIER)]; the_verifier_gives_equal_outcomes_for_every_delivery;
        []; builtins_give_equal_outcomes_for_every_delivery
    ]
}
