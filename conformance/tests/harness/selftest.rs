//! Tests `torchproof run --selftest`: a correct adapter passes all checks; a defective adapter fails the check for its
//! defect.

testkit::command_in!("selftest");

use std::time::Duration;

use command::run;
use testkit::command::selftest;
use testkit::corpus::faux;
use torchproof::Role;
use torchproof_harness::reader::session::ReaderSession;
use torchproof_harness::reader::{Address, Launcher, Settings};
use torchproof_harness::run::selftest::{Check, CheckResult, SelfTest};

/// The names of the checks with this result.
fn of(report: &SelfTest, result: CheckResult) -> Vec<&str> {
    report.checks.iter().filter(|check| check.result == result).map(|check| check.check).collect()
}

fn check<'a>(report: &'a SelfTest, name: &str) -> &'a Check {
    report.checks.iter().find(|check| check.check == name).unwrap()
}

/// Checks that the adapter passes, and that every outcome occurs.
fn assert_good(reader: &str, checks: usize) {
    let report = selftest(reader);
    assert!(report.is_passed(), "{}", report.text());
    assert_eq!(of(&report, CheckResult::Pass).len(), checks, "{}", report.text());
    for (name, came) in [
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
        assert_eq!(check(&report, name).outcome, Some(came), "{reader} {name}");
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

/// Every request contains an offset, even if the offset is 0.
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
        let report = selftest(&reader);
        assert_eq!(
            (report.is_passed(), of(&report, CheckResult::NotTested)),
            (true, rest.to_vec()),
            "{}",
            report.text()
        );
    }
}

/// A reader may verify the whole file in its first stage.
#[test]
fn a_late_defect_at_the_first_stage_causes_advice() {
    for (order, advised) in [("reject header", true), ("at meta reject meta", false)] {
        let report = selftest(&faux("exec", &format!("worker 'model late: {order}'")));
        let stage = check(&report, "stage");
        assert_eq!((report.is_passed(), stage.result), (true, CheckResult::Pass), "{}", report.text());
        assert_eq!(stage.advice.is_some(), advised, "{}", report.text());
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
    // Each selftest waits for a sleeping adapter, so run them in parallel.
    std::thread::scope(|scope| {
        for (behavior, faults) in table {
            scope.spawn(move || {
                let report = selftest(&faux("exec", &format!("worker 'model {behavior}'")));
                let found = of(&report, CheckResult::Fail);
                // Output after a reply can make later checks fail too.
                let exact = behavior == "prints-after-reply" || found == faults;
                assert!(!found.is_empty() && exact, "{behavior}: {found:?}: {}", report.text());
                assert!(faults.iter().all(|fault| found.contains(fault)), "{behavior}: {found:?}: {}", report.text());
            });
        }
    });
    let printing = selftest(&faux("exec", "worker 'model prints-after-hello'"));
    assert_eq!((printing.is_passed(), of(&printing, CheckResult::Pass).len()), (false, 0), "{}", printing.text());
    for (reader, faults) in [
        ("builtin:accept-all", &["reject", "distinct", "cut", "empty"][..]),
        ("builtin:reject-all", &["accept", "distinct", "afterwards"]),
    ] {
        let report = selftest(reader);
        assert_eq!(of(&report, CheckResult::Fail), faults, "{}", report.text());
    }
}

#[test]
fn a_crash_of_the_reader_is_no_fault_of_the_adapter() {
    for (transport, worker) in [("exec", "worker"), ("once", "once-model")] {
        let report = selftest(&faux(transport, &format!("{worker} 'model crashes-on-empty'")));
        let found = [CheckResult::Fail, CheckResult::Reader].map(|result| of(&report, result));
        assert_eq!(found, [vec![], vec!["empty"]], "{}", report.text());
    }
}

/// The line for `distinct` lists the checks that have equal outcomes.
#[test]
fn prints_advice_for_failed_checks() {
    let mut shown = String::new();
    for behavior in
        ["", " rejects-truncated", " accepts-truncated", " crashes-on-truncated", " accepts-all", " catches-crashes"]
    {
        let reader = faux("exec", &format!("worker 'model{behavior}'"));
        let outcome = run(&["run", "--selftest=only", "--reader", &reader, "--time-scale", "0.75"]);
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
        let outcome = run(&["run", "--selftest", "--reader", reader]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
        shown += &outcome.stderr.replace(testkit::program("faux-reader").to_str().unwrap(), "faux-reader");
    }
    insta::assert_snapshot!(shown);
}
