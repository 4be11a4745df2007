//! Tests libraries that end the read of a case in every possible way.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use torchproof::{Role, Stage};
use torchproof_harness::reader::HOST_SUBCOMMAND;
use torchproof_protocol::{ReadRequest, Request, RequestFile, Want};

use super::built::{beside, good};
use crate::need::{Need, trials};
use libtest_mimic::Trial;
use testkit::corpus::{TestCorpus, ends_soon, processes_with};

/// A time limit in milliseconds for reads that hang.
const SHORT: u64 = 400;

/// Orders that make the library end a read in every possible way.
const ENDS: [&str; 22] = [
    "segfault",
    "staged-segfault",
    "raise 11",
    "raise 13",
    "raise 9",
    "abort",
    "throw",
    "exit 0",
    "exit 3",
    "sanitizer",
    "throw-out-of-memory",
    "hoard",
    "write",
    "outcome 7",
    "outcome -1",
    "stage 9",
    "stage 1",
    "stage -1",
    "flood-answer",
    "close-all",
    "kill-host",
    "answer-itself",
];

fn reports_the_cause_stage_and_rerun_of_each_end() {
    let reader = good();
    let mut corpus = TestCorpus::new("library-ends").accept("pte/a/control", "accept");
    for order in ENDS {
        corpus = corpus.reject(&id(order), order, Stage::Header, "pte/a/control");
    }
    let corpus = corpus.accept("pte/a/z-the-last", "accept").write();
    let run = corpus.run_with(&[&reader], &["--delivery", "mmap"]);
    insta::assert_snapshot!("ends", run.outcomes());
    for order in ENDS {
        let result = run.result("faux", &id(order));
        let dies = result["grade"] == "crash" || result["grade"] == "resource";
        assert_eq!(result.get("confirmed"), dies.then_some(&true.into()), "{result}");
    }
    assert_eq!(run.result("faux", "pte/a/staged-segfault")["stderr"], "last words");
}

fn id(order: &str) -> String {
    format!("pte/a/{}", order.replace(' ', "-"))
}

/// Terminations and changes to memory affect only the child process of the case.
fn a_termination_needs_no_restart_and_leaves_nothing() {
    let reader = good();
    let mut corpus = TestCorpus::new("library-counts");
    for number in 0..50 {
        for order in ["segfault", "first", "host"] {
            corpus = corpus.either(&format!("pte/a/{number:02}-{order}"), order);
        }
    }
    let corpus = corpus.write();
    let run = corpus.run_with(&[&reader], &["--jobs", "1", "--delivery", "mmap"]);
    let mut hosts = std::collections::BTreeSet::new();
    for number in 0..50 {
        assert_eq!(run.grade("faux", &format!("pte/a/{number:02}-segfault")), "crash");
        assert_eq!(run.result("faux", &format!("pte/a/{number:02}-first"))["outcome"], "accept");
        hosts.insert(run.result("faux", &format!("pte/a/{number:02}-host"))["message"].as_str().unwrap());
    }
    assert_eq!(hosts.len(), 1, "{hosts:?}");
}

fn stops_hangs_and_their_process_tree_at_the_time_limit() {
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
    let run = corpus.run_with(&[&reader], &["--delivery", "mmap"]);
    assert!(begin.elapsed() < Duration::from_secs(12));
    insta::assert_snapshot!("hangs", run.outcomes());
    assert_dead(run.result("faux", "pte/a/with-company"));
}

fn does_not_wait_for_child_processes_and_ends_them() {
    let reader = good();
    let corpus = TestCorpus::new("library-company")
        .accept("pte/a/dies", "orphan abort")
        .accept("pte/a/exits", "orphan exit 3")
        .accept("pte/a/lives", "orphan accept")
        .accept("pte/a/z-the-last", "accept")
        .write();
    let begin = Instant::now();
    let run = corpus.run_with(&[&reader], &["--delivery", "mmap"]);
    assert!(begin.elapsed() < Duration::from_secs(120));
    for (case, grade) in [("dies", "crash"), ("exits", "crash"), ("lives", "pass"), ("z-the-last", "pass")] {
        assert_eq!(run.grade("faux", &format!("pte/a/{case}")), grade);
    }
    assert_dead(run.result("faux", "pte/a/dies"));
    assert_dead(run.result("faux", "pte/a/exits"));
}

fn ends_processes_that_left_their_group_or_session() {
    let reader = good();
    let mut corpus = TestCorpus::new("library-escapes").budget(SHORT);
    for order in ["setsid", "double-fork"] {
        corpus = corpus.accept(&format!("pte/a/{order}-dies"), &format!("{order} abort"));
        corpus = corpus.accept(&format!("pte/a/{order}-hangs"), &format!("{order} hang"));
    }
    let corpus = corpus.budget(20_000).accept("pte/a/z-the-last", "accept").write();
    let run = corpus.run_with(&[&reader], &["--delivery", "mmap"]);
    for order in ["setsid", "double-fork"] {
        for (how, grade) in [("dies", "crash"), ("hangs", "hang")] {
            let result = run.result("faux", &format!("pte/a/{order}-{how}"));
            assert_eq!(result["grade"], grade, "{result}");
            assert_dead(result);
        }
    }
    assert_eq!(run.grade("faux", "pte/a/z-the-last"), "pass");
}

fn assert_dead(result: &serde_json::Value) {
    let stderr = result["stderr"].as_str().unwrap();
    let word = stderr.lines().find_map(|line| line.strip_prefix("orphan ")).unwrap();
    assert!(processes_with(word).into_iter().all(ends_soon), "{word} lives on");
}

fn printed_output_is_no_reply_and_its_end_is_kept() {
    let reader = good();
    let corpus = TestCorpus::new("library-prints")
        .accept("pte/a/prints", "print")
        .accept("pte/a/returns-twice", "return-twice")
        .accept("pte/a/floods", "flood accept")
        .accept("pte/a/floods-and-dies", "flood segfault")
        .accept("pte/a/z-the-last", "accept")
        .write();
    let run = corpus.run_with(&[&reader], &["--delivery", "mmap"]);
    for case in ["prints", "returns-twice", "floods", "z-the-last"] {
        assert_eq!(run.grade("faux", &format!("pte/a/{case}")), "pass");
    }
    let result = run.result("faux", "pte/a/floods-and-dies");
    assert_eq!(result["grade"], "crash");
    assert!(result["stderr"].as_str().unwrap().ends_with("\nthe end"), "{result}");
}

/// The order `first` accepts only in a process that has not read a case yet.
fn a_batch_has_one_process_until_it_dies() {
    let library = good();
    let orders = ["first", "first", "first", "first", "segfault", "first"];
    let requests = orders.iter().zip(1..).map(|(order, seq)| {
        let path = beside(&format!("batch-{order}"), order.as_bytes()).to_str().unwrap().to_owned();
        let file = RequestFile::new(Role::Program, path, order.len() as u64);
        let read = Request::Read(ReadRequest::new(seq, vec![file], Stage::Data, Want::Verdict));
        serde_json::to_string(&read).unwrap() + "\n"
    });
    let requests: String = requests.collect();
    let mut host = Command::new(testkit::program("torchproof"));
    host.args([HOST_SUBCOMMAND, library.trim_start_matches("lib:"), "3"]);
    let mut host = host.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    host.stdin.take().unwrap().write_all(requests.as_bytes()).unwrap();
    let output = host.wait_with_output().unwrap();
    let replies = String::from_utf8(output.stdout).unwrap();
    let word = |reply: &str| {
        let reply: serde_json::Value = serde_json::from_str(reply).unwrap();
        reply.get("died").map_or_else(|| reply["outcome"].to_string(), |died| format!("died {died}"))
    };
    let words: Vec<String> = replies.lines().map(word).collect();
    let [accept, reject] = ["\"accept\"", "\"reject\""];
    assert_eq!(words, [accept, reject, reject, accept, "died 11", accept], "{replies}");
}

pub(crate) fn trials() -> Vec<Trial> {
    trials![[Need::Tool(&["g++"])]; reports_the_cause_stage_and_rerun_of_each_end, a_termination_needs_no_restart_and_leaves_nothing, stops_hangs_and_their_process_tree_at_the_time_limit, does_not_wait_for_child_processes_and_ends_them, ends_processes_that_left_their_group_or_session, printed_output_is_no_reply_and_its_end_is_kept, a_batch_has_one_process_until_it_dies]
}
