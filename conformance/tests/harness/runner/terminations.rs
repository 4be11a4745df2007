//! Tests readers that crash, that hang, or that leave processes running.

use std::time::{Duration, Instant};

use torchproof::Stage;

use super::{AMPLE, SHORT};
use testkit::corpus::{self, Run, TestCorpus, faux};

#[test]
fn reports_the_cause_stage_and_rerun_of_each_termination() {
    let mut corpus = TestCorpus::new("terminations").accept("pte/a/control", "accept");
    for order in [
        "signal 11",
        "signal 9",
        "staged-signal",
        "abort",
        "panic",
        "overflow",
        "exit 3",
        "sanitizer",
        "sanitizer-after-output",
        "hoard",
    ] {
        corpus = corpus.reject(&format!("pte/a/{}", order.replace(' ', "-")), order, Stage::Header, "pte/a/control");
    }
    let corpus = corpus.accept("pte/a/z-the-last", "accept").write();
    let run = corpus.run(&[&faux("exec", "worker"), &faux("once", "once")]);
    assert_eq!(run.code, 1);
    insta::assert_snapshot!(run.outcomes());
    for reader in ["faux", "faux-reader"] {
        assert_eq!(run.result(reader, "pte/a/panic")["confirmed"], true);
        assert!(run.result(reader, "pte/a/panic")["stderr"].as_str().unwrap().contains("as ordered"));
    }
}
#[test]
fn a_run_continues_after_each_failure_at_execute_and_in_bundled_programs() {
    let mut corpus = TestCorpus::new("execute");
    for area in ["pte/a", "bpte/a"] {
        for order in ["signal 11", "abort", "panic", "exit 3", "hang", "garbage", "wrong-seq", "twice"] {
            corpus = corpus.budget(if order == "hang" { SHORT } else { AMPLE });
            corpus = corpus.accept(&format!("{area}/{}", order.replace(' ', "-")), &format!("at execute {order}"));
        }
        corpus = corpus.accept(&format!("{area}/z-the-last"), "at execute accept");
    }
    let corpus = corpus.write();
    // The messages contain the sequence numbers of requests, so use only one job.
    let run = corpus.run_with(&[&faux("exec", "worker executes"), &faux("once", "once")], &["--jobs", "1"]);
    assert_eq!(run.code, 1);
    insta::assert_snapshot!(run.outcomes());
    // A reader without the capability skips bundled programs.
    assert_eq!(corpus.run(&[&faux("exec", "worker")]).grade("faux", "bpte/a/z-the-last"), "skip");
}

#[test]
fn a_crash_that_a_fresh_process_does_not_repeat_is_flaky() {
    let corpus = TestCorpus::new("flaky")
        .accept("pte/a/first", "accept")
        .accept("pte/a/second", "signal-when-used")
        .accept("pte/a/third", "accept")
        .write();
    let run = corpus.run_with(&[&faux("exec", "worker")], &["--jobs", "1"]);
    assert_eq!(run.result("faux", "pte/a/second")["confirmed"], false);
    insta::assert_snapshot!(run.outcomes());
}

#[test]
fn stops_hanging_readers_at_the_time_limit() {
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
    assert!(begin.elapsed() < Duration::from_secs(120));
    insta::assert_snapshot!(run.outcomes());
    for reader in ["faux", "faux-reader"] {
        assert_no_orphan(&run, reader, "pte/a/with-company");
    }
}

#[test]
fn does_not_wait_for_grandchildren_and_ends_them() {
    let corpus = TestCorpus::new("grandchildren")
        .accept("pte/a/dies", "orphan abort")
        .accept("pte/a/lives", "orphan accept")
        .accept("pte/a/z-the-last", "accept")
        .write();
    let begin = Instant::now();
    let run = corpus.run(&[&faux("exec", "worker"), &faux("once", "once")]);
    assert!(begin.elapsed() < Duration::from_secs(120));
    for reader in ["faux", "faux-reader"] {
        let grades = ["pte/a/dies", "pte/a/lives", "pte/a/z-the-last"].map(|case| run.grade(reader, case));
        assert_eq!(grades, ["crash", "pass", "pass"]);
        assert_no_orphan(&run, reader, "pte/a/dies");
    }
}

#[test]
fn ends_processes_that_left_their_group_or_session() {
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

fn assert_no_orphan(run: &Run, reader: &str, case: &str) {
    let stderr = run.result(reader, case)["stderr"].as_str().unwrap();
    let word = stderr.lines().find_map(|line| line.strip_prefix("orphan ")).unwrap();
    assert!(corpus::processes_with(word).into_iter().all(corpus::ends_soon), "process {word} still runs");
}
