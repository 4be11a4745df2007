//! Misbehaving readers in front of the runner: each misdeed has its outcome, and none of them stops a run.
//!
//! The cases are files that tell [`faux-reader`](faux/reader.rs) what to do.
#![allow(clippy::unwrap_used)] // A test may end on a broken fixture.

#[path = "faux/corpus.rs"]
mod corpus;
mod valid;

use std::time::{Duration, Instant};

use corpus::{Run, TestCorpus, faux};
use serde_json::json;
use torchproof::Stage;
use torchproof::corpus::Role;
use torchproof_conformance::outcome::Outcome;
use torchproof_conformance::protocol::Want;
use torchproof_conformance::reader::{Address, Launcher, Request, Settings};

/// Longer than anything here takes unless it hangs.
const AMPLE: u64 = 20_000;
/// For what does hang.
const SHORT: u64 = 400;

#[test]
fn good_readers_pass_by_every_transport() {
    let corpus = TestCorpus::new("good")
        .accept("pte/header/control", "accept")
        .reject("pte/header/bad", "reject structure", Stage::Header, "pte/header/control")
        .write();
    let run = corpus.run(&[&faux("exec", "worker"), &faux("exec", "worker no-stages"), &faux("once", "once")]);
    assert_eq!(run.code, 0, "{run:?}");
    for reader in ["faux 0", "faux 0#2", "faux-reader"] {
        assert_eq!(run.grade(reader, "pte/header/control"), "pass");
        assert_eq!(run.grade(reader, "pte/header/bad"), "pass");
    }
    assert_eq!(run.result("faux 0", "pte/header/bad")["stage"], "structure");
    assert_eq!(run.report["readers"][0]["grades"], json!({"pass": 2}));
    assert_eq!(run.report["corpus"], json!({"version": "0.0.1", "digest": "none"}));
}

/// Every way to die, and what it is called; by both transports.
#[test]
fn deaths_are_named_staged_and_confirmed_and_the_run_goes_on() {
    let deaths = [
        ("signal 11", "crash", "SIGSEGV"),
        ("signal 9", "crash", "SIGKILL"),
        ("staged-signal", "crash", "SIGSEGV"),
        ("abort", "crash", "abort (SIGABRT)"),
        ("panic", "crash", "panic"),
        ("overflow", "crash", "stack overflow"),
        ("exit 3", "crash", "exit code 3"),
        ("sanitizer", "crash", "sanitizer: heap-buffer-overflow"),
        ("hoard", "resource", "out of memory"),
    ];
    let mut corpus = TestCorpus::new("deaths").accept("pte/a/control", "accept");
    for (order, ..) in deaths {
        let id = format!("pte/a/{}", order.replace(' ', "-"));
        corpus = corpus.reject(&id, order, Stage::Header, "pte/a/control");
    }
    let corpus = corpus.accept("pte/a/z-the-last", "accept").write();
    let run = corpus.run(&[&faux("exec", "worker"), &faux("once", "once")]);
    assert_eq!(run.code, 1);
    for reader in ["faux", "faux-reader"] {
        for (order, grade, message) in deaths {
            let result = run.result(reader, &format!("pte/a/{}", order.replace(' ', "-")));
            assert_eq!(result["grade"], grade, "{reader}: {result}");
            assert!(result["message"].as_str().unwrap().starts_with(message), "{reader}: {result}");
            assert_eq!(result["confirmed"], true, "{reader}: {result}");
        }
        assert_eq!(run.result(reader, "pte/a/staged-signal")["stage"], "meta");
        assert!(run.result(reader, "pte/a/panic")["stderr"].as_str().unwrap().contains("as told"));
        assert_eq!(run.grade(reader, "pte/a/control"), "pass");
        assert_eq!(run.grade(reader, "pte/a/z-the-last"), "pass");
    }
}

#[test]
fn a_crash_that_a_fresh_process_does_not_repeat_is_flaky() {
    let corpus = TestCorpus::new("flaky")
        .accept("pte/a/first", "accept")
        .accept("pte/a/second", "signal-when-used")
        .accept("pte/a/third", "accept")
        .write();
    let run = corpus.run_with(&[&faux("exec", "worker")], &["--jobs", "1"]);
    let result = run.result("faux", "pte/a/second");
    assert_eq!((&result["grade"], &result["confirmed"]), (&json!("crash"), &json!(false)));
    assert_eq!(result["message"], "SIGSEGV, flaky: a fresh process gave accept");
    assert_eq!(run.grade("faux", "pte/a/third"), "pass");
}

#[test]
fn hangs_end_with_the_case_s_time() {
    let corpus = TestCorpus::new("hangs")
        .budget(SHORT)
        .accept("pte/a/sleeps", "hang")
        .accept("pte/a/spins", "spin")
        .accept("pte/a/with-company", "orphan hang")
        .budget(AMPLE)
        .accept("pte/a/z-the-last", "accept")
        .write();
    let begin = Instant::now();
    let run = corpus.run(&[&faux("exec", "worker"), &faux("once", "once")]);
    assert!(begin.elapsed() < Duration::from_secs(10));
    for reader in ["faux", "faux-reader"] {
        for case in ["pte/a/sleeps", "pte/a/spins", "pte/a/with-company"] {
            let result = run.result(reader, case);
            assert_eq!(result["grade"], "hang", "{result}");
            assert!(result["message"].as_str().unwrap().starts_with("no answer in 400 ms"), "{result}");
        }
        assert_no_orphan(&run, reader, "pte/a/with-company");
        assert_eq!(run.grade(reader, "pte/a/z-the-last"), "pass");
    }
}

#[test]
fn grandchildren_are_neither_waited_for_nor_left() {
    let corpus = TestCorpus::new("grandchildren")
        .accept("pte/a/dies", "orphan abort")
        .accept("pte/a/lives", "orphan accept")
        .accept("pte/a/z-the-last", "accept")
        .write();
    let begin = Instant::now();
    let run = corpus.run(&[&faux("exec", "worker"), &faux("once", "once")]);
    assert!(begin.elapsed() < Duration::from_secs(10));
    for reader in ["faux", "faux-reader"] {
        assert_eq!(run.grade(reader, "pte/a/dies"), "crash");
        assert_eq!(run.grade(reader, "pte/a/lives"), "pass");
        assert_eq!(run.grade(reader, "pte/a/z-the-last"), "pass");
        assert_no_orphan(&run, reader, "pte/a/dies");
    }
}

/// Neither a session of its own nor the loss of its parent keeps what a reader started alive.
#[test]
fn what_leaves_its_group_is_not_left() {
    let mut corpus = TestCorpus::new("escapes").budget(SHORT);
    for order in ESCAPES {
        corpus = corpus.accept(&format!("pte/a/{order}-dies"), &format!("{order} abort"));
        corpus = corpus.accept(&format!("pte/a/{order}-hangs"), &format!("{order} hang"));
    }
    let corpus = corpus.budget(AMPLE).accept("pte/a/z-the-last", "accept").write();
    let run = corpus.run_with(&[&faux("exec", "worker"), &faux("once", "once")], &["--jobs", "3"]);
    for reader in ["faux", "faux-reader"] {
        for order in ESCAPES {
            for (how, grade) in [("dies", "crash"), ("hangs", "hang")] {
                let case = format!("pte/a/{order}-{how}");
                assert_eq!(run.grade(reader, &case), grade, "{}", run.result(reader, &case));
                assert_no_orphan(&run, reader, &case);
            }
        }
        assert_eq!(run.grade(reader, "pte/a/z-the-last"), "pass");
    }
}

const ESCAPES: [&str; 2] = ["setsid", "double-fork"];

/// The child that a dead reader told of on stderr is dead as well.
fn assert_no_orphan(run: &Run, reader: &str, case: &str) {
    let stderr = run.result(reader, case)["stderr"].as_str().unwrap();
    let pid = stderr.lines().find_map(|line| line.strip_prefix("orphan ")?.parse().ok()).unwrap();
    assert!(corpus::is_soon_dead(pid), "{pid} lives on");
}

#[test]
fn answers_that_are_none_are_adapter_errors() {
    let misdeeds = [
        ("wrong-seq", "answered request "),
        ("garbage", "not an answer "),
        ("twice", "said more than its answer: done"),
        ("accept-at everything", "not an answer "),
        ("accept-at method", "answered at stage method, which its hello does not name"),
        ("accept-at structure", "accepted at stage structure, asked to read to data"),
        ("reject header", "answered at stage header, which its hello does not name"),
        ("reject", "rejected without a stage"),
        ("close", "the worker closed its stdout"),
        ("flood", "more than 16 MiB on stdout"),
    ];
    let mut corpus = TestCorpus::new("misdeeds").accept("pte/a/control", "accept");
    for (order, _) in misdeeds {
        corpus = corpus.accept(&format!("pte/a/{}", order.replace(' ', "-")), order);
    }
    let corpus = corpus.accept("pte/a/flood-stderr", "flood-stderr").accept("pte/a/z-the-last", "accept").write();
    let run = corpus.run(&[&faux("exec", "worker")]);
    for (order, message) in misdeeds {
        let result = run.result("faux", &format!("pte/a/{}", order.replace(' ', "-")));
        assert_eq!(result["grade"], "adapter-error", "{result}");
        assert!(result["message"].as_str().unwrap().starts_with(message), "{result}");
    }
    for case in ["pte/a/control", "pte/a/flood-stderr", "pte/a/z-the-last"] {
        assert_eq!(run.grade("faux", case), "pass");
    }

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
    let manners = [
        ("worker no-start", "faux-reader died before its hello: exit code 5"),
        ("worker crash-start", "faux-reader died before its hello: SIGSEGV"),
        ("worker close-hello", "faux-reader closed its stdout before its hello"),
        ("worker garbage-hello", "faux-reader gave no hello (expected value at line 1 column 1): ready!"),
        ("worker old-protocol", "faux-reader speaks protocol 99, this runner 1"),
        ("worker odd-stages", "faux-reader gave no hello (unknown variant `everything`, expected one of `open`"),
        (
            "worker odd-format",
            "faux-reader names the unknown format `PTE` in its hello; there are pte, ptd, ptd-legacy",
        ),
    ];
    let readers: Vec<String> = manners.iter().map(|(manner, _)| faux("exec", manner)).collect();
    let mut addresses: Vec<&str> = readers.iter().map(String::as_str).collect();
    addresses.extend(["exec:./there-is-no-such-program", "once:./there-is-no-such-program"]);
    let begin = Instant::now();
    let run = corpus.run(&addresses);
    assert!(begin.elapsed() < Duration::from_secs(10));
    assert_eq!(run.code, 2);
    let results = run.report["results"].as_array().unwrap();
    assert_eq!(results.len(), 500 * 9);
    assert!(results.iter().all(|result| result["grade"] == "adapter-error"));
    for (reader, (_, error)) in run.report["readers"].as_array().unwrap().iter().zip(manners) {
        assert!(reader["error"].as_str().unwrap().starts_with(error), "{reader}");
    }
    for at in [7, 8] {
        let message = results[500 * at]["message"].as_str().unwrap();
        assert!(message.starts_with("cannot start ./there-is-no-such-program: "), "{message}");
    }
    let run = corpus.run_with(&[&faux("exec", "worker no-hello")], &["--start-ms", "200"]);
    assert_eq!(run.report["readers"][0]["error"], "faux-reader said no hello in 200 ms");
    assert_eq!(run.report["readers"][0]["grades"], json!({"adapter-error": 500}));

    // The text says it once.
    let text = corpus.text(&[&readers[0]], &[]);
    assert_eq!(text.matches("died before its hello").count(), 1, "{text}");
    let end = "faux-reader: 500 cases: 500 adapter-error\n\
               faux-reader: not tested: every case was skipped or ended in an adapter-error\n";
    assert!(text.contains(end), "{text}");

    // One that does start is enough for the run to be one.
    let run = corpus.run(&["once:./there-is-no-such-program", "builtin:accept-all"]);
    assert_eq!(run.code, 1);
    let (code, _, stderr) = corpus.torchproof(&["--reader", "once:there-is-no-such-program"]);
    let said = "torchproof: no reader could be started: cannot start there-is-no-such-program: no such program\n";
    assert_eq!((code, stderr.as_str()), (2, said));
}

/// A run that shows nothing of a reader is no pass.
#[test]
fn a_reader_that_is_never_tested_does_not_pass() {
    const NOTE: &str = "not tested: every case was skipped or ended in an adapter-error";
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
    for reader in run.report["readers"].as_array().unwrap() {
        assert_eq!(reader["notes"], json!([NOTE]));
    }
    let text = corpus.text(&readers, &["--cases", "pte/a/*"]);
    assert_eq!(text.matches(&format!("faux: {NOTE}\n")).count(), 1, "{text}");
    assert_eq!(text.matches(NOTE).count(), 2, "{text}");

    // A command that never gets to the file ends as one that does not support it.
    let run = corpus.run_with(&["once:sh -c 'exit 2'"], &[]);
    assert_eq!((run.code, &run.report["readers"][0]["grades"]), (1, &json!({"skip": 4})));
    // Nor does one that reads none of the formats.
    assert_eq!(corpus.run_with(&[&faux("exec", "worker pte-only")], &["--cases", "ptd/**"]).code, 1);
    // One result is enough.
    let run = corpus.run_with(&readers, &["--cases", "pte/**"]);
    assert_eq!((run.code, &run.report["readers"][0]["notes"]), (0, &json!(null)));
}

#[test]
fn an_unknown_capability_is_noted_and_ignored() {
    let corpus = TestCorpus::new("capability").accept("pte/a/1", "accept").write();
    let run = corpus.run(&[&faux("exec", "worker odd-capability")]);
    let notes = &run.report["readers"][0]["notes"];
    assert_eq!((run.code, notes), (0, &json!(["its capability `telepathy` is unknown and ignored"])));
}

/// What a reader does to its files is its own loss: not the corpus's, and not the next reader's.
#[test]
fn readers_cannot_harm_the_corpus_or_each_other() {
    let harms = ["truncate-input accept", "delete-input accept", "delete-folder accept", "truncate-input abort"];
    let mut corpus = TestCorpus::new("harm");
    for (number, harm) in harms.iter().enumerate() {
        corpus = corpus.accept(&format!("pte/a/{number}"), harm);
    }
    let corpus = corpus.accept("pte/a/z-the-last", "accept").write();
    let (worker, once) = (faux("exec", "worker"), faux("once", "once"));
    // In the sandbox they could not do it: tests/sandbox.rs.
    let run = corpus.run_with(&[&worker, &once, "builtin:accept-all"], &["--jobs", "2", "--no-sandbox"]);
    for (number, harm) in harms.iter().enumerate() {
        let id = format!("pte/a/{number}");
        for reader in ["faux", "faux-reader"] {
            let result = run.result(reader, &id);
            assert_eq!(result["grade"], "adapter-error", "{result}");
            assert_eq!(result["message"], "the reader changed or removed its input", "{result}");
        }
        assert_eq!(run.grade("accept-all", &id), "pass");
        assert_eq!(corpus.content(&id), *harm);
    }
    for reader in ["faux", "faux-reader", "accept-all"] {
        assert_eq!(run.grade(reader, "pte/a/z-the-last"), "pass");
    }
    assert_eq!(corpus.names(), ["files", "manifest.json", "results.jsonl"]);
}

#[test]
fn bad_manners_between_cases_are_noted() {
    let corpus = TestCorpus::new("manners")
        .accept("pte/a/1", "accept")
        .accept("pte/a/2", "accept")
        .accept("pte/a/3", "accept")
        .budget(1000)
        .accept("pte/short/1", "accept")
        .accept("pte/short/2", "accept")
        .write();
    let run_over =
        |cases: &str, manners: &str| corpus.run_with(&[&faux("exec", manners)], &["--jobs", "1", "--cases", cases]);
    let run = |manners: &str| run_over("pte/a/*", manners);

    let ignores = run("worker ignores-bye");
    assert_eq!(
        (ignores.code, ignores.report["readers"][0]["notes"][0].as_str()),
        (0, Some("did not leave on bye and was killed"))
    );
    let crashes = run("worker crashes-on-bye");
    assert_eq!((crashes.code, crashes.report["readers"][0]["notes"][0].as_str()), (0, Some("on bye: abort (SIGABRT)")));

    let babbles = run("worker babbles-on-bye");
    assert_eq!(
        (babbles.code, babbles.report["readers"][0]["notes"][0].as_str()),
        (0, Some("said what nobody asked for before it left: bye!"))
    );

    // It leaves after every second case: the third finds it gone, and a fresh one reads it.
    let leaves = run("worker dies-after");
    assert_eq!((leaves.grade("faux", "pte/a/1"), leaves.grade("faux", "pte/a/2")), ("pass", "pass"));
    let result = leaves.result("faux", "pte/a/3");
    assert_eq!(result["message"], "exit code 0 without an answer, flaky: a fresh process gave accept");

    // It answers and then listens no more: the next case waits in vain, a fresh process answers that one.
    let deaf = run_over("pte/short/*", "worker deaf");
    assert_eq!(deaf.grade("faux", "pte/short/1"), "pass");
    let result = deaf.result("faux", "pte/short/2");
    assert_eq!(result["message"], "no answer in 1000 ms, flaky: a fresh process gave accept");
}

/// What comes between an answer and the next request costs the reader a note and its process, and no case an answer.
#[test]
fn babble_between_requests_costs_no_case() {
    let corpus = TestCorpus::new("babble").accept("pte/a/1", "accept").write();
    let launcher = Launcher::at(env!("CARGO_BIN_EXE_torchproof"));
    let settings = Settings { launcher, start: Duration::from_secs(60), memory_mb: None };
    let mut reader = faux("exec", "worker babbles-later").parse::<Address>().unwrap().open(&settings);
    reader.hello().unwrap();
    let files = [(Role::Program, corpus.folder().join("files/pte/a/1"))];
    let (stage, time) = (Stage::Data, Duration::from_millis(AMPLE));
    for _again in 0..3 {
        let request = Request { files: &files, stage, want: Want::Verdict, time, memory_mb: None, delivery: None };
        let outcome = reader.read(&request);
        assert!(matches!(outcome, Outcome::Accept { .. }), "{outcome:?}");
        std::thread::sleep(Duration::from_millis(500));
    }
    let note = reader.bye().unwrap();
    assert_eq!(note, "said what nobody asked for between requests: done");
}

#[test]
fn values_are_compared_and_differences_told_with_their_path() {
    let expect = json!({"kind": "pte", "program": {"execution_plan": [{"name": "a"}]}});
    let other = json!({"kind": "pte", "program": {"execution_plan": [{"name": "b"}]}});
    let corpus = TestCorpus::new("values")
        .accept("pte/a/other", &format!("value {other}"))
        .expect(&expect)
        .accept("pte/a/same", &format!("value {expect}"))
        .expect(&expect)
        .write();
    let run = corpus.run(&[&faux("exec", "worker value"), &faux("once", "once")]);
    for reader in ["faux", "faux-reader"] {
        assert_eq!(run.grade(reader, "pte/a/same"), "pass");
        let result = run.result(reader, "pte/a/other");
        assert_eq!(result["grade"], "wrong-value");
        assert_eq!(result["message"], r#"program.execution_plan[0].name: want "a", have "b""#);
    }
    // Who cannot give values is not asked for them; who says it can and does not is caught.
    let run = corpus.run(&[&faux("exec", "worker"), &faux("exec", "worker no-value")]);
    assert_eq!(run.grade("faux 0", "pte/a/other"), "pass");
    let result = run.result("faux 0#2", "pte/a/other");
    assert_eq!(result["message"], "accepted without the value that its hello promises");
}

#[test]
fn grades_need_the_control_and_the_formats() {
    let corpus = TestCorpus::new("grades")
        .accept("pte/a/control", "accept")
        .accept("pte/a/refused-control", "reject structure")
        .reject("pte/a/accepted", "accept", Stage::Header, "pte/a/control")
        .reject("pte/a/late", "reject data", Stage::Header, "pte/a/control")
        .reject("pte/a/too-deep", "reject data", Stage::Data, "pte/a/control")
        .reject("pte/a/vacuous", "reject structure", Stage::Header, "pte/a/refused-control")
        .reject("pte/a/unsupported", "unsupported", Stage::Header, "pte/a/control")
        .either("pte/a/either", "reject meta")
        .accept("ptd/a/other-format", "signal 11")
        .write();
    let run = corpus.run(&[&faux("exec", "worker pte-only"), "builtin:accept-all", "builtin:reject-all"]);
    let grades = |reader: &str| {
        run.cases()
            .iter()
            .map(|case| format!("{} {}", case.rsplit('/').next().unwrap(), run.grade(reader, case)))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        grades("faux"),
        [
            "other-format skip",
            "accepted accepts-invalid",
            "control pass",
            "either info",
            "late late-reject",
            "refused-control rejects-valid",
            "too-deep pass",
            "unsupported skip",
            "vacuous vacuous",
        ]
    );
    let count = |reader: &str, grade: &str| grades(reader).iter().filter(|line| line.ends_with(grade)).count();
    assert_eq!((count("accept-all", " pass"), count("accept-all", " accepts-invalid")), (3, 5));
    assert_eq!((count("reject-all", " vacuous"), count("reject-all", " rejects-valid")), (5, 3));

    // A control outside the choice is run all the same, and not reported.
    let run = corpus.run_with(&[&faux("exec", "worker")], &["--cases", "pte/a/late"]);
    assert_eq!((run.cases(), run.grade("faux", "pte/a/late")), (vec!["pte/a/late"], "late-reject"));
}

#[test]
fn cases_are_chosen_by_id_rule_and_stage() {
    let corpus = TestCorpus::new("chosen")
        .accept("pte/header/control", "accept")
        .reject("pte/header/a", "reject structure", Stage::Header, "pte/header/control")
        .rule("eh-a")
        .reject("pte/segments/b", "reject structure", Stage::Structure, "pte/header/control")
        .rule("eh-b")
        .write();
    let chosen = |args: &[&str]| corpus.run_with(&["builtin:accept-all"], args).cases().join(" ");
    assert_eq!(chosen(&[]), "pte/header/a pte/header/control pte/segments/b");
    assert_eq!(chosen(&["--cases", "pte/header/*"]), "pte/header/a pte/header/control");
    assert_eq!(chosen(&["--cases", "pte/header/*", "--rule", "eh-a"]), "pte/header/a");
    assert_eq!(chosen(&["--stage", "structure"]), "pte/segments/b");
    assert_eq!(chosen(&["--cases", "**/a", "--cases", "**/b"]), "pte/header/a pte/segments/b");
}

#[test]
fn what_cannot_run_says_so_in_one_line() {
    let corpus = TestCorpus::new("cannot").accept("pte/a/b", "accept").write();
    let told = |args: &[&str]| {
        let (code, _, stderr) = corpus.torchproof(args);
        assert_eq!((code, stderr.lines().count()), (2, 1), "{stderr}");
        stderr
    };
    assert!(told(&["--reader", "lib:x.so"]).contains("no reader could be started: x.so: no such file"));
    assert!(told(&["--reader", "nonsense"]).starts_with("torchproof: `nonsense`: an address is "));
    assert!(told(&["--cases", "no/such/case"]).contains("no case of the corpus has an id like `no/such/case`"));
    // A slip of the pen is told, whatever else is chosen.
    assert!(told(&["--cases", "**", "--cases", "pte/heador/*"]).contains("an id like `pte/heador/*`"));
    assert!(told(&["--cases", "["]).starts_with("torchproof: --cases: "));
    assert!(told(&["--rule", "no-such-rule"]).contains("no case of the corpus has the rule `no-such-rule`"));
    assert!(told(&["--results", "-"]).contains("--results must name a file"));
    assert!(told(&["--time-scale", "0"]).contains("above zero"));
    assert!(told(&["--corpus", "/nonexistent"]).contains("/nonexistent/manifest.json: no such file or folder"));

    corpus.overwrite("pte/a/b", "accept ");
    assert!(told(&["--reader", "builtin:accept-all"]).contains("not the file that the manifest describes (pte/a/b)"));
}

/// A path in a corpus is the case's id, which may say "truncated" or "valid": readers are given another.
#[test]
fn readers_are_not_told_which_case_it_is() {
    let corpus = TestCorpus::new("names")
        .accept("pte/truncated/telling", "reject structure")
        .accept("ptd/truncated/telling", "reject structure")
        .write();
    for _again in 0..2 {
        let run = corpus.run(&[&faux("exec", "worker tells-names")]);
        for (case, suffix) in [("pte/truncated/telling", "pte"), ("ptd/truncated/telling", "ptd")] {
            let message = run.result("faux", case)["message"].as_str().unwrap();
            // As `printf 'reject structure' | sha256sum` begins.
            let end = format!("/1c7fbdede8e0ddd2.{suffix}");
            assert!(message.contains("/names/results.jsonl.files-"), "{message}");
            assert!(message.ends_with(&end) && !message.contains("telling"), "{message}");
        }
    }
}

#[test]
fn results_are_on_disk_as_they_come() {
    let corpus = TestCorpus::new("stream").accept("pte/a/1", "accept").accept("pte/a/2", "signal 11").write();
    let run = corpus.run(&[&faux("exec", "worker")]);
    let stream = corpus.stream();
    assert_eq!(stream.len(), 3);
    assert_eq!(stream[0]["corpus"], run.report["corpus"]);
    assert_eq!(stream[0]["readers"][0]["reader"], "faux");
    for result in run.report["results"].as_array().unwrap() {
        assert!(stream.contains(result), "{result}");
    }
}

/// The runner is killed while a reader hangs: what was known is on disk, and the reader dies too, with all that it started and
/// its temporary files.
#[test]
fn a_killed_run_leaves_its_results_and_no_readers() {
    let corpus = TestCorpus::new("killed").accept("pte/a/1", "signal 11").accept("pte/a/2", "double-fork hang").write();
    let temporary = corpus.folder().join("temporary");
    std::fs::create_dir_all(&temporary).unwrap();
    let mut command = corpus.command(&["--jobs", "1", "--reader", &faux("exec", "worker")]);
    let mut runner = command.env("TMPDIR", &temporary).spawn().unwrap();
    let patience = Instant::now() + Duration::from_secs(10);
    let mut readers = Vec::new();
    // The supervisor, the reader, and what that left behind.
    while (corpus.stream().len() < 2 || readers.len() < 3) && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(10));
        readers = corpus::children_of(runner.id());
        readers.extend(readers.clone().into_iter().flat_map(corpus::children_of));
    }
    runner.kill().unwrap();
    runner.wait().unwrap();
    assert_eq!(corpus.stream()[1]["grade"], "crash");
    assert!(readers.len() >= 3 && readers.iter().all(|pid| corpus::is_soon_dead(*pid)), "{readers:?}");
    std::fs::remove_dir(&temporary).unwrap();
}

#[test]
fn hostile_text_does_not_reach_the_terminal() {
    let corpus = TestCorpus::new("hostile")
        .accept("pte/a/1", "reject structure")
        .accept("pte/a/2", "garbage")
        .accept("pte/a/3", "accept")
        .write();
    let text = corpus.text(&[&faux("exec", "worker hostile")], &["--verbose"]);
    assert!(text.chars().all(|character| character == '\n' || !character.is_control()), "{text:?}");
    assert!(text.contains(r"reject at structure: \u{1b}[2J\u{202e}no no"), "{text}");
    assert!(text.contains(r"loading…\u{7}"), "{text}");
}

#[test]
fn the_text_report_is_a_matrix_the_reasons_and_a_summary() {
    let corpus = TestCorpus::new("text")
        .accept("pte/header/control", "accept")
        .reject("pte/header/bad", "reject structure", Stage::Header, "pte/header/control")
        .reject("pte/header/worse", "staged-signal", Stage::Header, "pte/header/control")
        .accept("ptd/keys/unread", "accept")
        .either("pte/keys/doubtful", "accept")
        .write();
    let readers = [faux("exec", "worker pte-only"), "builtin:accept-all".to_owned()];
    let readers: Vec<&str> = readers.iter().map(String::as_str).collect();
    let text = |args: &[&str]| {
        // The last line names this test's programs and folders.
        let text = corpus.text(&readers, args);
        let (report, again) = text.rsplit_once("\n\n").unwrap();
        assert!(again.starts_with(env!("CARGO_BIN_EXE_torchproof")) && again.lines().count() == 1, "{again}");
        format!("{report}\n")
    };
    insta::assert_snapshot!("text", text(&[]));
    insta::assert_snapshot!("text_verbose", text(&["--verbose"]));
}

#[test]
fn a_reader_of_the_report_may_leave_early() {
    let corpus = TestCorpus::new("head").accept("pte/a/1", "accept").write();
    let mut runner = corpus.command(&["--reader", "builtin:accept-all"]);
    let mut child = runner.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}
