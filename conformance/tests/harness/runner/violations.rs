//! Tests readers that violate the protocol or do not start.

use std::time::{Duration, Instant};

use serde_json::json;
use torchproof::Role;
use torchproof::Stage;
use torchproof_harness::reader::outcome::Outcome;
use torchproof_harness::reader::{Address, Launcher, ReaderInput, Request, Settings};
use torchproof_protocol::Want;

use super::AMPLE;
use testkit::corpus::{TestCorpus, faux};

#[test]
fn invalid_replies_are_adapter_errors() {
    let mut corpus = TestCorpus::new("misdeeds").accept("pte/a/control", "accept");
    for order in [
        "wrong-seq",
        "garbage",
        "twice",
        "accept-at everything",
        "accept-at method",
        "accept-at structure",
        "reject header",
        "reject",
        "close",
        "flood",
        "flood-stderr",
    ] {
        corpus = corpus.accept(&format!("pte/a/{}", order.replace(' ', "-")), order);
    }
    let corpus = corpus.accept("pte/a/z-the-last", "accept").write();
    // The messages contain the sequence numbers of requests, so use only one job.
    let run = corpus.run_with(&[&faux("exec", "worker")], &["--jobs", "1"]);
    insta::assert_snapshot!(run.outcomes());

    let run = corpus.run_with(&[&faux("once", "once")], &["--cases", "pte/a/flood*"]);
    assert_eq!(run.grade("faux-reader", "pte/a/flood"), "adapter-error");
    assert_eq!(run.grade("faux-reader", "pte/a/flood-stderr"), "pass");
}

#[test]
fn a_reader_that_never_starts_fails_every_case_at_once() {
    let mut corpus = TestCorpus::new("never-starts");
    for number in 0..500 {
        corpus = corpus.accept(&format!("pte/a/case-{number:03}"), "accept");
    }
    let corpus = corpus.write();
    let behavior =
        ["no-start", "crash-start", "close-hello", "garbage-hello", "old-protocol", "odd-stages", "odd-format"];
    let readers = behavior.map(|behavior| faux("exec", &format!("worker {behavior}")));
    let mut addresses: Vec<&str> = readers.iter().map(String::as_str).collect();
    addresses.extend(["exec:./there-is-no-such-program", "once:./there-is-no-such-program"]);
    let begin = Instant::now();
    let run = corpus.run(&addresses);
    assert!(begin.elapsed() < Duration::from_secs(120));
    assert_eq!(run.code, 2);
    let results = run.report["results"].as_array().unwrap();
    assert_eq!(results.len(), 500 * 9);
    assert!(results.iter().all(|result| result["grade"] == "adapter-error"));
    let remarks = run.remarks();
    let run = corpus.run_with(&[&faux("exec", "worker no-hello")], &["--start-timeout", "200ms"]);
    assert_eq!(run.report["readers"][0]["grades"], json!({"adapter-error": 500}));
    insta::assert_snapshot!("why_readers_do_not_start", remarks + &run.remarks());

    // The text report shows the error of a reader only once, at the end.
    let text = corpus.text(&[&readers[0]], &[]);
    let text = text.replace(testkit::program("faux-reader").to_str().unwrap(), "faux-reader");
    insta::assert_snapshot!("never_starts", text);

    // If at least one reader starts, the exit code is 1 instead of 2.
    let run = corpus.run(&["once:./there-is-no-such-program", "builtin:accept-all"]);
    assert_eq!(run.code, 1);
}

/// A start can be slow because the machine is busy.
#[test]
fn a_start_that_exceeds_its_limit_is_tried_once_more() {
    let corpus = TestCorpus::new("slow-start").accept("pte/a/1", "accept").write();
    let mark = corpus.folder().join("started");
    let reader = faux("exec", &format!("worker slow-once '{}'", mark.display()));
    let run = corpus.run_with(&[&reader], &["--no-sandbox", "--start-timeout", "5s"]);
    assert_eq!((run.code, run.grade("faux", "pte/a/1")), (0, "pass"), "{}", run.remarks());
}

/// After closing its stdout, a crashed worker can take a long time to end.
#[test]
fn a_report_of_a_crash_counts_before_the_end_of_the_worker() {
    let order = "close thread 'main' panicked at src/x.rs:1:1:";
    let corpus = TestCorpus::new("slow-crash").accept("pte/a/1", order).write();
    let run = corpus.run(&[&faux("exec", "worker")]);
    assert_eq!(run.grade("faux", "pte/a/1"), "crash", "{}", run.outcomes());
}

#[test]
fn a_reader_that_is_never_tested_does_not_pass() {
    let corpus = TestCorpus::new("untested")
        .accept("pte/a/1", "unsupported")
        .accept("pte/a/2", "unsupported")
        .accept("pte/b/1", "accept")
        .accept("ptd/a/1", "garbage")
        .write();
    let readers = [faux("exec", "worker"), faux("once", "once")];
    let readers: Vec<&str> = readers.iter().map(String::as_str).collect();
    let run = corpus.run_with(&readers, &["--cases", "pte/a/*"]);
    assert_eq!((run.code, run.grade("faux", "pte/a/1")), (1, "skip"));
    let text = corpus.text(&readers, &["--cases", "pte/a/*"]);
    insta::assert_snapshot!("untested", run.remarks() + text.rsplit_once("\n\n").unwrap().0);

    // A command that exits with code 2 without opening the file looks like a reader that does not support the file.
    let run = corpus.run_with(&["once:sh -c 'exit 2'"], &[]);
    assert_eq!((run.code, &run.report["readers"][0]["grades"]), (1, &json!({"skip": 4})));
    // A run also fails if its reader supports none of the selected formats.
    assert_eq!(corpus.run_with(&[&faux("exec", "worker pte-only")], &["--cases", "ptd/**"]).code, 1);
    // One graded result is enough.
    let run = corpus.run_with(&readers, &["--cases", "pte/**"]);
    assert_eq!((run.code, &run.report["readers"][0]["notes"]), (0, &json!(null)));
}

#[test]
fn reports_and_ignores_an_unknown_capability() {
    let corpus = TestCorpus::new("capability").accept("pte/a/1", "accept").write();
    let run = corpus.run(&[&faux("exec", "worker odd-capability")]);
    assert_eq!(run.code, 0);
    insta::assert_snapshot!(run.remarks());
}

#[test]
fn reports_violations_between_cases_as_notes() {
    let corpus = TestCorpus::new("behavior")
        .accept("pte/a/1", "accept")
        .accept("pte/a/2", "accept")
        .accept("pte/a/3", "accept")
        .budget(5000)
        .accept("pte/short/1", "accept")
        .accept("pte/short/2", "accept")
        .write();
    let run_over =
        |cases: &str, behavior: &str| corpus.run_with(&[&faux("exec", behavior)], &["--jobs", "1", "--cases", cases]);
    let mut shown = String::new();
    for behavior in ["ignores-bye", "aborts-on-bye", "prints-on-bye"] {
        let run = run_over("pte/a/*", &format!("worker {behavior}"));
        assert_eq!(run.code, 0, "{behavior}");
        shown += &run.remarks();
    }
    // The worker exits after two cases, so a new worker reads the third case.
    shown += &run_over("pte/a/*", "worker exits-after-two").outcomes();
    // After a reply, the worker stops reading requests, so the next case exceeds its time limit, and a new worker reads
    // the case again. The second read counts, and a note says so.
    let run = run_over("pte/short/*", "worker stops-reading");
    shown += &(run.outcomes() + &run.remarks());
    insta::assert_snapshot!(shown);
}

/// The runner ends the worker and adds a note.
#[test]
fn unsolicited_output_between_requests_fails_no_case() {
    let corpus = TestCorpus::new("unsolicited").accept("pte/a/1", "accept").write();
    let launcher = Launcher::at(env!("CARGO_BIN_EXE_torchproof"));
    let settings = Settings::new(launcher, Duration::from_secs(60), None);
    let mut reader = faux("exec", "worker prints-between-requests").parse::<Address>().unwrap().open(&settings);
    reader.hello().unwrap();
    let files = [ReaderInput::at(Role::Program, corpus.folder().join("files/pte/a/1")).unwrap()];
    let (stage, time) = (Stage::Data, Duration::from_millis(AMPLE));
    for _again in 0..3 {
        let request = Request { files: &files, stage, want: Want::Verdict, time, memory_mb: None, delivery: None };
        let outcome = reader.read(&request);
        assert!(matches!(outcome, Outcome::Accept { .. }), "{outcome:?}");
        std::thread::sleep(Duration::from_millis(500));
    }
    insta::assert_snapshot!(reader.bye().unwrap());
}

/// Each reader sends its `hello` reply only after the other reader has started.
#[test]
fn starts_as_many_readers_in_parallel_as_jobs() {
    let corpus = TestCorpus::new("together").accept("pte/a/1", "accept").write();
    let script = r#"touch "$1/there-$2"; until [ -e "$1/there-a" ] && [ -e "$1/there-b" ]; do sleep 0.01; done
        read hello; echo '{"protocol":1,"name":"'$2'","version":"1","language":"sh","formats":["pte"]}'
        read request; echo '{"seq":1,"outcome":"accept"}'; read bye"#;
    std::fs::write(corpus.folder().join("reader.sh"), script).unwrap();
    let folder = corpus.folder().display().to_string();
    let readers = ["a", "b"].map(|name| format!("exec:sh '{folder}/reader.sh' '{folder}' {name}"));
    let run = corpus.run_with(&[&readers[0], &readers[1]], &["--jobs", "2", "--no-sandbox"]);
    assert_eq!(["a", "b"].map(|name| run.grade(name, "pte/a/1")), ["pass", "pass"]);
}
