//! Runs the adapter selftest on the adapters of real readers.

use libtest_mimic::Trial;
use testkit::command::selftest;
use torchproof_harness::run::selftest::CheckResult;

use crate::built::{self, CPP_VERIFIER, NETRON, OLDER_RUNTIME, PYTHON, RUNTIME};
use crate::need::{self, Need, trial};

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
    let report = selftest(&built::address(&need::reader(program), arguments));
    assert!(report.is_passed(), "{}", report.text());
    let rest = report.checks.iter().filter(|check| check.result == CheckResult::NotTested).map(|check| check.check);
    assert_eq!(rest.collect::<Vec<_>>(), not_tested, "{}", report.text());
    let truncated = report.checks.iter().find(|check| check.check == "truncated").unwrap();
    assert_eq!(truncated.outcome, Some("adapter-error"), "{}", report.text());
}
