//! Tests `torchproof selftest`. A correct adapter passes all checks, and an adapter with a defect fails the check for
//! that defect.

testkit::command_in!("selftest");

use std::time::Duration;

use command::run;
use serde_json::{Value, json};
use testkit::corpus::faux;
use torchproof::Role;
use torchproof_harness::reader::session::ReaderSession;
use torchproof_harness::reader::{Address, Launcher, Settings};

fn selftest(reader: &str) -> (Option<i32>, Value) {
    let outcome = run(&["selftest", "--reader", reader, "--time-ms", "1500", "--format", "json"]);
    assert_eq!(outcome.stderr, "", "{reader}");
    let report = serde_json::from_str(&outcome.stdout).unwrap();
    testkit::schema::expect_valid(&testkit::schema::schema("selftest.schema.json"), &report);
    (outcome.code, report)
}

/// The checks whose result is `result`.
fn of<'a>(report: &'a Value, result: &str) -> Vec<&'a str> {
    let checks = report["checks"].as_array().unwrap().iter().filter(|check| check["result"] == result);
    checks.map(|check| check["check"].as_str().unwrap()).collect()
}

fn outcome<'a>(report: &'a Value, name: &str) -> &'a Value {
    let checks = report["checks"].as_array().unwrap();
    &checks.iter().find(|check| check["check"] == name).unwrap()["outcome"]
}

/// Checks that the adapter passes the selftest, and that the selftest detects every outcome.
fn assert_good(reader: &str, checks: usize) {
    let (code, report) = selftest(reader);
    assert_eq!((code, of(&report, "fail").len()), (Some(0), 0), "{report:#}");
    assert_eq!(of(&report, "pass").len(), checks, "{report:#}");
    for (check, came) in [
        ("accept", "accept"),
        ("reject", "reject"),
        ("truncated", "adapter-error"),
        ("crash", "crash"),
        ("sleep", "hang"),
        ("cut", "reject"),
        ("empty", "reject"),
        ("missing", "adapter-error"),
        ("afterwards", "accept"),
        ("replaced", "reject"),
    ] {
        assert_eq!(outcome(&report, check), &json!(came), "{reader} {check}");
    }
}

#[test]
fn a_correct_adapter_passes_over_every_transport() {
    assert_good(&faux("exec", "worker 'model good'"), 17);
    assert_good(&faux("exec", "worker 'model values'"), 18);
    assert_good(&faux("once", "once-model 'model good'"), 11);
    assert_good(&faux("once", "once-model 'model values'"), 12);
    assert_good("builtin:reference", 12);
    assert_good("builtin:flatbuffers", 11);
}

/// Every request contains an offset, even if it is 0.
#[test]
fn a_reader_that_only_takes_files_at_an_offset_gets_offsets() {
    let at_offset = faux("exec", "worker 'model at-offset'");
    assert_good(&at_offset, 17);
    let results = command::scratch().join("at-offset.jsonl");
    let corpus = testkit::repository().join("corpus");
    let mut ran = command::torchproof(&["run", "--reader", &at_offset, "--cases", "pte/valid/constants"]);
    let ran = ran.arg("--corpus").arg(corpus).arg("--results").arg(&results).output().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stdout));

    let launcher = Launcher::at(env!("CARGO_BIN_EXE_torchproof"));
    let settings = Settings::new(launcher, Duration::from_secs(60), None);
    let address = at_offset.parse::<Address>().unwrap();
    let folder = command::scratch();
    let mut session = ReaderSession::open(&address, &settings, &folder, Duration::from_secs(20)).unwrap();
    for (bytes, came) in [(&b"\0\0\0\0ET12"[..], "accept"), (b"no program", "reject")] {
        let outcome = session.read(bytes, Role::Program);
        assert_eq!(outcome.name(), came, "{outcome:?}");
    }
}

#[test]
fn checks_that_did_not_run_do_not_fail() {
    for (reader, rest) in [
        (faux("exec", "worker model"), &["crash", "sleep", "values", "caught-errors", "stage"][..]),
        (faux("once", "once-model model"), &["crash", "sleep", "values", "caught-errors"]),
    ] {
        let (code, report) = selftest(&reader);
        assert_eq!((code, of(&report, "not-tested")), (Some(0), rest.to_vec()), "{report:#}");
    }
}

/// A reader can verify the whole file in its first stage.
#[test]
fn a_late_defect_at_the_first_stage_causes_advice() {
    for (order, advised) in [("reject header", true), ("at meta reject meta", false)] {
        let (code, report) = selftest(&faux("exec", &format!("worker 'model late: {order}'")));
        let stage = report["checks"].as_array().unwrap().iter().find(|check| check["check"] == "stage").unwrap();
        assert_eq!((code, &stage["result"]), (Some(0), &json!("pass")), "{report:#}");
        assert_eq!(stage.get("advice").is_some(), advised, "{report:#}");
    }
}

#[test]
fn detects_each_defect_of_an_adapter() {
    let table = [
        ("ignores-markers", &["crash", "sleep", "distinct"][..]),
        ("accepts-all", &["reject", "distinct", "cut", "empty", "order", "role"]),
        ("rejects-truncated", &["truncated", "distinct"]),
        ("accepts-truncated", &["truncated", "distinct"]),
        ("crashes-on-truncated", &["truncated", "distinct"]),
        ("unsupported-truncated", &["truncated"]),
        ("garbles-truncated", &["truncated"]),
        ("catches-crashes", &["crash", "distinct"]),
        ("crashes-on-sleep", &["sleep", "distinct"]),
        ("hello-once", &["handshake-idempotent"]),
        ("other-hello", &["handshake-idempotent"]),
        ("renumbers", &["order"]),
        ("prints-after-reply", &["order", "unsolicited-output"]),
        ("exits-on-unknown-members", &["long"]),
        ("accepts-roles", &["role"]),
        ("exits-on-roles", &["role"]),
        ("fails-on-bye", &["clean-shutdown"]),
        ("caches-paths", &["replaced"]),
        ("rejects-missing", &["missing"]),
        ("late: at meta reject structure", &["stage"]),
        ("constant-values", &["values"]),
        ("no-values", &["values"]),
    ];
    // Run the selftests in parallel, because each selftest waits for a sleeping adapter.
    std::thread::scope(|scope| {
        for (behavior, faults) in table {
            scope.spawn(move || {
                let (code, report) = selftest(&faux("exec", &format!("worker 'model {behavior}'")));
                let found = of(&report, "fail");
                // An adapter that prints output after a reply can fail later checks too.
                let exact = behavior == "prints-after-reply" || found == faults;
                assert!(code == Some(1) && exact, "{behavior}: {found:?}: {report:#}");
                assert!(faults.iter().all(|fault| found.contains(fault)), "{behavior}: {found:?}: {report:#}");
            });
        }
    });
    let (code, printing) = selftest(&faux("exec", "worker 'model prints-after-hello'"));
    assert_eq!((code, of(&printing, "pass").len()), (Some(1), 0), "{printing:#}");
    for (reader, faults) in [
        ("builtin:accept-all", &["reject", "distinct", "cut", "empty"][..]),
        ("builtin:reject-all", &["accept", "distinct", "afterwards"]),
    ] {
        let (code, report) = selftest(reader);
        assert_eq!((code, of(&report, "fail")), (Some(1), faults.to_vec()), "{report:#}");
    }
}

#[test]
fn a_crash_of_the_reader_is_no_fault_of_the_adapter() {
    for (transport, worker) in [("exec", "worker"), ("once", "once-model")] {
        let (code, report) = selftest(&faux(transport, &format!("{worker} 'model crashes-on-empty'")));
        let found = ["fail", "reader"].map(|result| of(&report, result));
        assert_eq!((code, found), (Some(0), [vec![], vec!["empty"]]), "{report:#}");
    }
}

/// The report lists checks that have equal outcomes.
#[test]
fn prints_advice_for_failed_checks() {
    let mut shown = String::new();
    for behavior in
        ["", " rejects-truncated", " accepts-truncated", " crashes-on-truncated", " accepts-all", " catches-crashes"]
    {
        let reader = faux("exec", &format!("worker 'model{behavior}'"));
        let outcome = run(&["selftest", "--reader", &reader, "--time-ms", "1500"]);
        assert_eq!(outcome.code, Some(i32::from(!behavior.is_empty())), "{}", outcome.stdout);
        let lines = outcome.stdout.lines().filter(|line| !line.starts_with("pass"));
        shown += &format!("model{behavior}\n{}\n\n", lines.collect::<Vec<_>>().join("\n"));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn an_unusable_reader_is_an_error() {
    let mut shown = String::new();
    for reader in ["exec:./no-such-program", "nonsense", &faux("exec", "worker no-start")] {
        let outcome = run(&["selftest", "--reader", reader]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
        shown += &outcome.stderr.replace(testkit::program("faux-reader").to_str().unwrap(), "faux-reader");
    }
    insta::assert_snapshot!(shown);
}
