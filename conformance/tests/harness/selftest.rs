//! `torchproof selftest`: a good adapter passes, and each fault of a bad one is found by its own check.

testkit::command_in!("selftest");

use std::time::Duration;

use command::run;
use serde_json::{Value, json};
use torchproof::corpus::Role;
use torchproof_cli::reader::session::ReaderSession;
use torchproof_cli::reader::{Address, Launcher, Settings};

/// What came of a selftest, in JSON that its schema allows.
fn told(reader: &str) -> (Option<i32>, Value) {
    let outcome = run(&["selftest", "--reader", reader, "--time-ms", "1500", "--format", "json"]);
    assert_eq!(outcome.stderr, "", "{reader}");
    let told = serde_json::from_str(&outcome.stdout).unwrap();
    testkit::schema::expect_valid(&testkit::schema::schema("selftest.schema.json"), &told);
    (outcome.code, told)
}

/// The checks of this result.
fn of<'a>(told: &'a Value, result: &str) -> Vec<&'a str> {
    let checks = told["checks"].as_array().unwrap().iter().filter(|check| check["result"] == result);
    checks.map(|check| check["check"].as_str().unwrap()).collect()
}

fn outcome<'a>(told: &'a Value, name: &str) -> &'a Value {
    let checks = told["checks"].as_array().unwrap();
    &checks.iter().find(|check| check["check"] == name).unwrap()["outcome"]
}

fn faux(transport: &str, arguments: &str) -> String {
    format!("{transport}:'{}' {arguments}", env!("CARGO_BIN_EXE_faux-reader"))
}

/// Every outcome comes through, by each transport.
fn assert_good(reader: &str, checks: usize) {
    let (code, told) = told(reader);
    assert_eq!((code, of(&told, "fail").len()), (Some(0), 0), "{told:#}");
    assert_eq!(of(&told, "pass").len(), checks, "{told:#}");
    for (check, came) in [
        ("accept", "accept"),
        ("reject", "reject"),
        ("truncated", "adapter-error"),
        ("crash", "crash"),
        ("sleep", "hang"),
        ("cut", "reject"),
        ("empty", "reject"),
        ("afterwards", "accept"),
    ] {
        assert_eq!(outcome(&told, check), &json!(came), "{reader} {check}");
    }
}

#[test]
fn a_good_adapter_passes_by_every_transport() {
    assert_good(&faux("exec", "worker 'model good'"), 15);
    assert_good(&faux("once", "once-model 'model good'"), 9);
    assert_good("builtin:reference", 9);
    assert_good("builtin:flatbuffers", 9);
}

/// Whoever lays a file says where it begins: who is given files in others only gets them alone too.
#[test]
fn a_reader_of_files_in_others_is_put_what_was_laid() {
    let at_offset = faux("exec", "worker 'model at-offset'");
    assert_good(&at_offset, 15);
    let results = command::scratch().join("at-offset.jsonl");
    let corpus = testkit::repository().join("corpus");
    let mut ran = command::torchproof(&["run", "--reader", &at_offset, "--cases", "pte/valid/constants"]);
    let ran = ran.arg("--corpus").arg(corpus).arg("--results").arg(&results).output().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stdout));

    let launcher = Launcher::at(env!("CARGO_BIN_EXE_torchproof"));
    let settings = Settings { launcher, start: Duration::from_secs(60), memory_mb: None };
    let address = at_offset.parse::<Address>().unwrap();
    let folder = command::scratch();
    let mut session = ReaderSession::open(&address, &settings, &folder, Duration::from_secs(20)).unwrap();
    for (bytes, came) in [(&b"\0\0\0\0ET12"[..], "accept"), (b"no program", "reject")] {
        let outcome = session.read(bytes, Role::Program);
        assert_eq!(outcome.name(), came, "{outcome:?}");
    }
}

#[test]
fn what_is_not_tested_is_said_and_fails_nothing() {
    for reader in [faux("exec", "worker model"), faux("once", "once-model model")] {
        let (code, told) = told(&reader);
        assert_eq!((code, of(&told, "not-tested")), (Some(0), vec!["crash", "sleep"]), "{told:#}");
    }
}

#[test]
fn each_fault_of_an_adapter_is_found() {
    let table = [
        ("swallows", &["crash", "sleep", "distinct"][..]),
        ("takes-all", &["reject", "distinct", "cut", "empty", "order", "role"]),
        ("dies-of-nothing", &["empty"]),
        ("rejects-truncated", &["truncated", "distinct"]),
        ("takes-truncated", &["truncated", "distinct"]),
        ("dies-of-truncated", &["truncated", "distinct"]),
        ("does-not-do-truncated", &["truncated"]),
        ("garbles-truncated", &["truncated"]),
        ("catches-crashes", &["crash", "distinct"]),
        ("dies-of-sleep", &["sleep", "distinct"]),
        ("hello-once", &["handshake-idempotent"]),
        ("other-hello", &["handshake-idempotent"]),
        ("counts", &["order"]),
        ("babbles", &["order", "unsolicited-output"]),
        ("knows-all", &["long"]),
        ("takes-roles", &["role"]),
        ("dies-of-roles", &["role"]),
        ("fails-on-bye", &["clean-shutdown"]),
    ];
    // Side by side, since each waits for a sleep.
    std::thread::scope(|scope| {
        for (manners, faults) in table {
            scope.spawn(move || {
                let (code, told) = told(&faux("exec", &format!("worker 'model {manners}'")));
                let found = of(&told, "fail");
                // What is told behind an answer is in the way of the next.
                let exact = manners == "babbles" || found == faults;
                assert!(code == Some(1) && exact, "{manners}: {found:?}: {told:#}");
                assert!(faults.iter().all(|fault| found.contains(fault)), "{manners}: {found:?}: {told:#}");
            });
        }
    });
    let (code, babbles) = told(&faux("exec", "worker 'model babbles-hello'"));
    assert_eq!((code, of(&babbles, "pass").len()), (Some(1), 0), "{babbles:#}");
    let (code, once) = told(&faux("once", "once-model 'model dies-of-nothing'"));
    assert_eq!((code, of(&once, "fail")), (Some(1), vec!["empty"]));
    for (reader, faults) in [
        ("builtin:accept-all", &["reject", "distinct", "cut", "empty"][..]),
        ("builtin:reject-all", &["accept", "distinct", "afterwards"]),
    ] {
        let (code, told) = told(reader);
        assert_eq!((code, of(&told, "fail")), (Some(1), faults.to_vec()), "{told:#}");
    }
}

/// Which two cannot be told apart is said by their names, and what to look for where the fault is.
#[test]
fn faults_and_what_is_not_tested_are_told_with_advice() {
    let mut shown = String::new();
    for manners in
        ["", " rejects-truncated", " takes-truncated", " dies-of-truncated", " takes-all", " catches-crashes"]
    {
        let reader = faux("exec", &format!("worker 'model{manners}'"));
        let outcome = run(&["selftest", "--reader", &reader, "--time-ms", "1500"]);
        assert_eq!(outcome.code, Some(i32::from(!manners.is_empty())), "{}", outcome.stdout);
        let told = outcome.stdout.lines().filter(|line| !line.starts_with("pass"));
        shown += &format!("model{manners}\n{}\n\n", told.collect::<Vec<_>>().join("\n"));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn a_reader_that_cannot_be_used_is_no_result() {
    let mut shown = String::new();
    for reader in ["exec:./no-such-program", "nonsense", &faux("exec", "worker no-start")] {
        let outcome = run(&["selftest", "--reader", reader]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
        shown += &outcome.stderr;
    }
    insta::assert_snapshot!(shown);
}
