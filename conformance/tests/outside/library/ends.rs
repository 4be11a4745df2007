//! How a read can end.

use std::time::{Duration, Instant};

use torchproof::Stage;

use super::built::good;
use crate::need::{Need, trials};
use libtest_mimic::Trial;
use testkit::corpus::{TestCorpus, is_soon_dead};

/// For what does hang.
const SHORT: u64 = 400;

/// Every way to end, what it is worth, what it is called, and whether the end of stderr is told.
const ENDS: [(&str, &str, &str); 22] = [
    ("segfault", "crash", "SIGSEGV, again in a fresh process"),
    ("staged-segfault", "crash", "SIGSEGV, again in a fresh process; stderr ends: last words"),
    ("raise 11", "crash", "SIGSEGV"),
    ("raise 13", "crash", "SIGPIPE"),
    ("raise 9", "crash", "SIGKILL"),
    ("abort", "crash", "abort (SIGABRT)"),
    ("throw", "crash", "abort (SIGABRT), again in a fresh process; stderr ends: what():  as told"),
    ("exit 0", "crash", "exit code 0 without an answer"),
    ("exit 3", "crash", "exit code 3 without an answer"),
    ("sanitizer", "crash", "sanitizer: heap-buffer-overflow"),
    ("throw-out-of-memory", "resource", "out of memory"),
    ("hoard", "resource", "out of memory"),
    ("write", "crash", "SIGSEGV"),
    ("outcome 7", "adapter-error", "torchproof_read returned the outcome 7, which does not exist"),
    ("outcome -1", "adapter-error", "torchproof_read returned the outcome -1, which does not exist"),
    ("stage 9", "adapter-error", "torchproof_read answered with the stage 9, which does not exist"),
    ("stage 1", "adapter-error", "answered at stage header, which its hello does not name"),
    ("stage -1", "adapter-error", "rejected without a stage, though its hello names stages"),
    ("flood-answer", "adapter-error", "more than 16 MiB on stdout"),
    (
        "close-all",
        "crash",
        "exit code 1 without an answer, again in a fresh process; stderr ends: the answer cannot be sent",
    ),
    ("kill-host", "crash", "SIGKILL"),
    ("answer-itself", "adapter-error", ""),
];

fn ends_are_named_staged_and_confirmed_and_the_run_goes_on() {
    let reader = good();
    let mut corpus = TestCorpus::new("library-ends").accept("pte/a/control", "accept");
    for (order, ..) in ENDS {
        corpus = corpus.reject(&id(order), order, Stage::Header, "pte/a/control");
    }
    let corpus = corpus.accept("pte/a/z-the-last", "accept").write();
    let run = corpus.run(&[&reader]);
    for (order, grade, message) in ENDS {
        let result = run.result("faux", &id(order));
        assert_eq!(result["grade"], grade, "{result}");
        let told = result["message"].as_str().unwrap();
        assert!(told.starts_with(message), "{result}");
        assert_eq!(result.get("confirmed").is_some(), grade != "adapter-error", "{result}");
        assert_ne!(result["confirmed"], false, "{result}");
    }
    assert_eq!(run.result("faux", "pte/a/staged-segfault")["stage"], "meta");
    assert_eq!(run.result("faux", "pte/a/segfault")["stage"], serde_json::Value::Null);
    assert_eq!(run.result("faux", "pte/a/staged-segfault")["stderr"], "last words");
    assert_eq!((run.grade("faux", "pte/a/control"), run.grade("faux", "pte/a/z-the-last")), ("pass", "pass"));
}

fn id(order: &str) -> String {
    format!("pte/a/{}", order.replace(' ', "-"))
}

/// Deaths, and all that a case does to memory, are those of a child: the process that loaded the library is one for all cases.
fn a_death_costs_no_start_and_leaves_nothing() {
    let reader = good();
    let mut corpus = TestCorpus::new("library-counts");
    for number in 0..50 {
        for order in ["segfault", "first", "host"] {
            corpus = corpus.either(&format!("pte/a/{number:02}-{order}"), order);
        }
    }
    let corpus = corpus.write();
    let run = corpus.run_with(&[&reader], &["--jobs", "1"]);
    let mut hosts = std::collections::BTreeSet::new();
    for number in 0..50 {
        assert_eq!(run.grade("faux", &format!("pte/a/{number:02}-segfault")), "crash");
        assert_eq!(run.result("faux", &format!("pte/a/{number:02}-first"))["outcome"], "accept");
        hosts.insert(run.result("faux", &format!("pte/a/{number:02}-host"))["message"].as_str().unwrap());
    }
    assert_eq!(hosts.len(), 1, "{hosts:?}");
}

fn hangs_end_with_the_case_s_time_and_with_all_that_they_started() {
    let reader = good();
    let corpus = TestCorpus::new("library-hangs")
        .budget(SHORT)
        .accept("pte/a/sleeps", "hang")
        .accept("pte/a/spins", "spin")
        .accept("pte/a/with-company", "orphan hang")
        .accept("pte/a/host-stopped", "stop-host")
        .budget(20_000)
        .accept("pte/a/z-the-last", "accept")
        .write();
    let begin = Instant::now();
    let run = corpus.run(&[&reader]);
    assert!(begin.elapsed() < Duration::from_secs(12));
    for case in ["pte/a/sleeps", "pte/a/spins", "pte/a/with-company", "pte/a/host-stopped"] {
        let result = run.result("faux", case);
        assert_eq!(result["grade"], "hang", "{result}");
        let message = result["message"].as_str().unwrap();
        assert!(message.starts_with("no answer in 400 ms, again in a fresh process"), "{result}");
    }
    assert_dead(run.result("faux", "pte/a/with-company"));
    assert_eq!(run.grade("faux", "pte/a/z-the-last"), "pass");
}

fn company_is_neither_waited_for_nor_left() {
    let reader = good();
    let corpus = TestCorpus::new("library-company")
        .accept("pte/a/dies", "orphan abort")
        .accept("pte/a/exits", "orphan exit 3")
        .accept("pte/a/lives", "orphan accept")
        .accept("pte/a/z-the-last", "accept")
        .write();
    let begin = Instant::now();
    let run = corpus.run(&[&reader]);
    assert!(begin.elapsed() < Duration::from_secs(10));
    for (case, grade) in [("dies", "crash"), ("exits", "crash"), ("lives", "pass"), ("z-the-last", "pass")] {
        assert_eq!(run.grade("faux", &format!("pte/a/{case}")), grade);
    }
    assert_dead(run.result("faux", "pte/a/dies"));
    assert_dead(run.result("faux", "pte/a/exits"));
}

/// Neither a session of its own nor the loss of its parent keeps what a library started alive.
fn what_leaves_its_group_is_not_left() {
    let reader = good();
    let mut corpus = TestCorpus::new("library-escapes").budget(SHORT);
    for order in ["setsid", "double-fork"] {
        corpus = corpus.accept(&format!("pte/a/{order}-dies"), &format!("{order} abort"));
        corpus = corpus.accept(&format!("pte/a/{order}-hangs"), &format!("{order} hang"));
    }
    let corpus = corpus.budget(20_000).accept("pte/a/z-the-last", "accept").write();
    let run = corpus.run(&[&reader]);
    for order in ["setsid", "double-fork"] {
        for (how, grade) in [("dies", "crash"), ("hangs", "hang")] {
            let result = run.result("faux", &format!("pte/a/{order}-{how}"));
            assert_eq!(result["grade"], grade, "{result}");
            assert_dead(result);
        }
    }
    assert_eq!(run.grade("faux", "pte/a/z-the-last"), "pass");
}

/// The child that a dead reader told of on stderr is dead as well.
fn assert_dead(result: &serde_json::Value) {
    let stderr = result["stderr"].as_str().unwrap();
    let pid = stderr.lines().find_map(|line| line.strip_prefix("orphan ")?.parse().ok()).unwrap();
    assert!(is_soon_dead(pid), "{pid} lives on");
}

fn what_it_prints_is_no_answer_and_the_end_of_it_is_kept() {
    let reader = good();
    let corpus = TestCorpus::new("library-prints")
        .accept("pte/a/prints", "print")
        .accept("pte/a/returns-twice", "return-twice")
        .accept("pte/a/floods", "flood accept")
        .accept("pte/a/floods-and-dies", "flood segfault")
        .accept("pte/a/z-the-last", "accept")
        .write();
    let run = corpus.run(&[&reader]);
    for case in ["prints", "returns-twice", "floods", "z-the-last"] {
        assert_eq!(run.grade("faux", &format!("pte/a/{case}")), "pass");
    }
    let result = run.result("faux", "pte/a/floods-and-dies");
    assert_eq!(result["grade"], "crash");
    assert!(result["stderr"].as_str().unwrap().ends_with("\nthe end"), "{result}");
}

/// The trials of this module.
pub(crate) fn trials() -> Vec<Trial> {
    trials![[Need::Tool(&["g++"])]; ends_are_named_staged_and_confirmed_and_the_run_goes_on, a_death_costs_no_start_and_leaves_nothing, hangs_end_with_the_case_s_time_and_with_all_that_they_started, company_is_neither_waited_for_nor_left, what_leaves_its_group_is_not_left, what_it_prints_is_no_answer_and_the_end_of_it_is_kept]
}
