//! Runs `torchproof selftest` on the adapters of real readers.

use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::built::{self, CPP_VERIFIER, NETRON, OLDER_RUNTIME, PYTHON, RUNTIME};
use crate::need::{self, Need, trial};

testkit::command_in!("selftest");

pub(crate) fn trials() -> Vec<Trial> {
    let mut all = Vec::new();
    for (name, program) in [("runtime", RUNTIME), ("older_runtime", OLDER_RUNTIME)] {
        for level in built::LEVELS {
            let test = move || passes(program, &format!("--verification {level}"), &["caught-errors", "role"]);
            all.push(trial(&format!("selftest::{name}::{level}"), &[Need::Reader(program)], test));
        }
    }
    for (name, program, not_tested) in [
        ("cpp_verifier", CPP_VERIFIER, &["values", "caught-errors", "stage", "role"][..]),
        ("netron", NETRON, &["crash", "sleep", "values", "caught-errors"]),
        ("python", PYTHON, &["crash", "sleep", "values", "caught-errors", "stage", "role"]),
    ] {
        let test = move || passes(program, "", not_tested);
        all.push(trial(&format!("selftest::{name}"), &[Need::Reader(program)], test));
    }
    all
}

fn passes(program: &str, arguments: &str, not_tested: &[&str]) {
    let checks = checks(program, arguments);
    assert_eq!(with(&checks, "not-tested"), not_tested, "{checks:#?}");
    let truncated = checks.iter().find(|check| check["check"] == "truncated").unwrap();
    assert_eq!(truncated["outcome"], json!("adapter-error"), "{checks:#?}");
}

fn checks(program: &str, arguments: &str) -> Vec<Value> {
    let reader = built::address(&need::reader(program), arguments);
    let outcome = command::run(&["selftest", "--reader", &reader, "--time-ms", "1500", "--format", "json"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{}", outcome.stdout);
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
    report["checks"].as_array().unwrap().clone()
}

fn with<'c>(checks: &'c [Value], result: &str) -> Vec<&'c str> {
    checks.iter().filter(|check| check["result"] == result).map(|check| check["check"].as_str().unwrap()).collect()
}
