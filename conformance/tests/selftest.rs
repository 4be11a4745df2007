//! `torchproof selftest`: a good adapter passes, and each fault of a bad one is found by its own check.
#![allow(clippy::unwrap_used)] // A test may end on a broken fixture.

mod built;
mod command;
mod valid;

use command::run;
use serde_json::{Value, json};

/// What came of a selftest, in JSON that its schema allows.
fn told(reader: &str) -> (Option<i32>, Value) {
    let outcome = run(&["selftest", "--reader", reader, "--time-ms", "1500", "--format", "json"]);
    assert_eq!(outcome.stderr, "", "{reader}");
    let told = serde_json::from_str(&outcome.stdout).unwrap();
    valid::expect_valid(&valid::schema("selftest.schema.json"), &told);
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
        ("truncated", "reject"),
        ("empty", "reject"),
        ("crash", "crash"),
        ("sleep", "hang"),
        ("afterwards", "accept"),
    ] {
        assert_eq!(outcome(&told, check), &json!(came), "{reader} {check}");
    }
}

#[test]
fn a_good_adapter_passes_by_every_transport() {
    assert_good(&faux("exec", "worker 'model good'"), 13);
    assert_good(&faux("once", "once-model 'model good'"), 7);
    assert_good("builtin:reference", 7);
    assert_good("builtin:flatbuffers", 7);
}

#[test]
fn what_is_not_tested_is_said_and_fails_nothing() {
    for reader in [faux("exec", "worker model"), faux("once", "once-model model")] {
        let (code, told) = told(&reader);
        assert_eq!((code, of(&told, "not-tested")), (Some(0), vec!["crash", "sleep"]), "{told:#}");
        let text = run(&["selftest", "--reader", &reader]).stdout;
        assert!(text.contains("\nnot tested  crash       ") && text.ends_with("2 not tested\n"), "{text}");
    }
}

#[test]
fn each_fault_of_an_adapter_is_found() {
    let table = [
        ("swallows", &["crash", "sleep"][..]),
        ("takes-all", &["reject", "truncated", "empty", "order", "role"]),
        ("dies-of-nothing", &["empty"]),
        ("hello-once", &["hello"]),
        ("other-hello", &["hello"]),
        ("counts", &["order"]),
        ("babbles", &["order", "babble"]),
        ("knows-all", &["long"]),
        ("takes-roles", &["role"]),
        ("dies-of-roles", &["role"]),
        ("fails-on-bye", &["bye"]),
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
        ("builtin:accept-all", &["reject", "truncated", "empty"][..]),
        ("builtin:reject-all", &["accept", "afterwards"]),
    ] {
        let (code, told) = told(reader);
        assert_eq!((code, of(&told, "fail")), (Some(1), faults.to_vec()), "{told:#}");
    }
}

#[test]
fn a_reader_that_cannot_be_used_is_no_result() {
    for (reader, why) in [
        ("exec:./no-such-program", "the reader could not be used: cannot start ./no-such-program"),
        ("nonsense", "`nonsense`: an address is"),
        (&faux("exec", "worker no-start"), "the reader could not be used: faux-reader died before its hello"),
    ] {
        let outcome = run(&["selftest", "--reader", reader]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
        assert!(outcome.stderr.starts_with(&format!("torchproof: {why}")), "{}", outcome.stderr);
    }
}

#[test]
fn the_adapters_of_real_readers_pass() {
    let workers = built::LEVELS.map(|level| (built::RUNTIME, format!("--verification {level}")));
    for (worker, arguments) in workers.into_iter().chain([(built::CPP_VERIFIER, String::new())]) {
        if let Some(path) = built::built(worker) {
            assert_good(&built::address(&path, &arguments), 13);
        }
    }
}
