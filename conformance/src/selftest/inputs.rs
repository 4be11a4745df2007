//! Files that have to come back as what they are.

use super::{Check, CheckResult, Subject};
use crate::outcome::Outcome;
use crate::protocol::{CAPABILITY_SELFTEST, Want};
use crate::reader::{Input, Reader, Request};

/// Whether an outcome is the one that a file must have.
type Expected = fn(&Outcome) -> bool;

const ACCEPT: Expected = |outcome| matches!(outcome, Outcome::Accept { .. });
const REJECT: Expected = |outcome| matches!(outcome, Outcome::Reject { .. });
const CRASH: Expected = |outcome| matches!(outcome, Outcome::Crash { .. });
const HANG: Expected = |outcome| matches!(outcome, Outcome::Hang { .. });

pub(super) fn checks(subject: &Subject<'_>, reader: &mut dyn Reader) -> Vec<Check> {
    let files = subject.files;
    let noun = files.noun();
    let mut put = |file: &Input| {
        reader.read(&Request {
            files: std::slice::from_ref(file),
            stage: subject.hello.deepest(),
            want: Want::Verdict,
            time: subject.time,
            memory_mb: subject.settings.memory_mb,
            delivery: None,
        })
    };
    let mut checks = Vec::new();
    for (check, given, file, expected) in [
        ("accept", format!("a valid {noun}"), &files.valid, ACCEPT),
        ("reject", format!("a {noun} without identifier and root"), &files.broken, REJECT),
        ("truncated", format!("a {noun} that ends inside its identifier"), &files.truncated, REJECT),
        ("empty", format!("a {noun} of no bytes"), &files.empty, REJECT),
    ] {
        let outcome = put(file);
        let result = if expected(&outcome) { CheckResult::Pass } else { CheckResult::Fail };
        checks.push(Check::of_file(check, result, &given, &outcome));
    }
    let able = subject.hello.has(CAPABILITY_SELFTEST);
    for (check, word, file, expected) in
        [("crash", "crash", &files.crash, CRASH), ("sleep", "sleep", &files.sleep, HANG)]
    {
        if !able && !subject.address.is_silent() {
            let why = format!("its hello does not name the capability {CAPABILITY_SELFTEST}");
            checks.push(Check::new(check, CheckResult::NotTested, &why));
            continue;
        }
        let outcome = put(file);
        let result = match (expected(&outcome), &outcome) {
            (true, _) => CheckResult::Pass,
            // A command has no other way to say that it does not know of such files.
            (false, Outcome::Accept { .. } | Outcome::Reject { .. } | Outcome::Unsupported { .. }) if !able => {
                CheckResult::NotTested
            }
            (false, _) => CheckResult::Fail,
        };
        checks.push(Check::of_file(check, result, &format!("a file that says {word}"), &outcome));
    }
    let outcome = put(&files.valid);
    let result = if ACCEPT(&outcome) { CheckResult::Pass } else { CheckResult::Fail };
    checks.push(Check::of_file("afterwards", result, &format!("the valid {noun} again, after all these"), &outcome));
    checks
}
