//! The checks that run the reader on a file and compare the outcome with the expected outcome.

use super::check::{Check, CheckResult};
use super::files::{AdapterUnderTest, Files};
use super::protocol;
use crate::reader::outcome::Outcome;
use crate::reader::protocol::deepest;
use crate::reader::{Reader, ReaderInput, Request};
use torchproof_protocol::{CAPABILITY_SELFTEST, Want};

/// A check that runs the reader on a file and expects a certain outcome.
struct FileCheck<'f> {
    check: &'static str,
    given: String,
    file: &'f ReaderInput,
    /// [The name of the expected outcome](Outcome::name).
    expected: &'static str,
    /// Advice on the probable fault of the adapter. The report contains the advice if the outcome is not `expected`.
    advice: &'static str,
    /// Whether the check needs the capability `selftest`.
    needs_selftest: bool,
}

/// The name of the check with an incomplete file.
const TRUNCATED: &str = "truncated";

/// The first `DISTINCT` checks of [`file_checks`] must have different outcomes.
const DISTINCT: usize = 5;

fn file_checks(files: &Files) -> [FileCheck<'_>; 8] {
    let noun = files.noun();
    let short = "the file has the size in the request, so the reader must reject it, not the adapter";
    let file_check = |check, given, file, expected, advice| FileCheck {
        check,
        given,
        file,
        expected,
        advice,
        needs_selftest: false,
    };
    let marked = |check, word: &str, file, expected, advice| FileCheck {
        needs_selftest: true,
        ..file_check(check, format!("a file with the marker `{word}`"), file, expected, advice)
    };
    [
        file_check(
            "accept",
            format!("a valid {noun}"),
            &files.valid,
            "accept",
            "every reader of the format accepts this file; check how the adapter passes files and converts results",
        ),
        file_check(
            "reject",
            format!("a {noun} without identifier and root"),
            &files.broken,
            "reject",
            "reply `reject` when the reader returns an error; check how the adapter converts errors",
        ),
        file_check(
            TRUNCATED,
            format!("half of a {noun} of {} bytes", files.truncated.size),
            &files.truncated,
            "adapter-error",
            "reply `error` when a file is shorter than `size` in the request; the reader is not at fault",
        ),
        marked(
            "crash",
            "crash",
            &files.crash,
            "crash",
            "a crash of the reader must end the worker; catch only the reader's own errors, and no signals",
        ),
        marked("sleep", "sleep", &files.sleep, "hang", "reply only after the reader has returned"),
        file_check("cut", format!("a {noun} that ends inside its identifier"), &files.cut, "reject", short),
        file_check("empty", format!("an empty {noun}"), &files.empty, "reject", short),
        file_check(
            "afterwards",
            format!("the valid {noun} again, after all other files"),
            &files.valid,
            "accept",
            "keep no state from one request to the next",
        ),
    ]
}

pub(super) fn checks(adapter: &AdapterUnderTest<'_>, reader: &mut dyn Reader) -> Vec<Check> {
    let mut checks: Vec<_> = file_checks(adapter.files).into_iter().map(|check| check.run(adapter, reader)).collect();
    checks.insert(DISTINCT, distinct(&checks[..DISTINCT]));
    checks
}

impl FileCheck<'_> {
    fn run(self, adapter: &AdapterUnderTest<'_>, reader: &mut dyn Reader) -> Check {
        let able = !self.needs_selftest || adapter.hello.has(CAPABILITY_SELFTEST);
        if !able && !adapter.address.lacks_handshake() {
            let why = format!("`hello` does not list capability {CAPABILITY_SELFTEST}");
            return Check::new(self.check, CheckResult::NotTested, &why);
        }
        let outcome = reader.read(&Request {
            files: std::slice::from_ref(self.file),
            stage: deepest(adapter.hello),
            want: Want::Verdict,
            time: adapter.time,
            memory_mb: adapter.settings.memory_mb,
            delivery: None,
        });
        let result = match &outcome {
            outcome if outcome.name() == self.expected => CheckResult::Pass,
            // A command cannot declare the capability `selftest`. A command therefore reads the marker as an ordinary
            // file, and this behaviour is not a failure.
            Outcome::Accept { .. } | Outcome::Reject { .. } | Outcome::Unsupported { .. } if !able => {
                CheckResult::NotTested
            }
            _ => CheckResult::Fail,
        };
        let mut check = Check::of_file(self.check, result, &self.given, &outcome);
        // A protocol violation also has the outcome adapter-error, so check that the reply itself is an `error`.
        if self.check == TRUNCATED
            && result == CheckResult::Pass
            && let Some(wrong) = protocol::truncated_error(adapter)
        {
            check = Check { outcome: check.outcome, ..Check::from_error(TRUNCATED, &check.message, Some(wrong)) };
        }
        check.advice = (check.result == CheckResult::Fail).then_some(self.advice);
        check
    }
}

/// Checks that the five checks have different outcomes. Ignores checks that did not run.
fn distinct(five: &[Check]) -> Check {
    let tested: Vec<&Check> = five.iter().filter(|check| check.result != CheckResult::NotTested).collect();
    let mut same = Vec::new();
    for (at, one) in tested.iter().enumerate() {
        let others = tested[at + 1..].iter().filter(|other| other.outcome == one.outcome);
        same.extend(
            others.map(|other| format!("{} and {} give {}", one.check, other.check, one.outcome.unwrap_or_default())),
        );
    }
    let came: Vec<String> =
        tested.iter().map(|check| format!("{} → {}", check.check, check.outcome.unwrap_or_default())).collect();
    if same.is_empty() {
        let message = format!("{} inputs give different outcomes: {}", tested.len(), came.join(", "));
        return Check::new("distinct", CheckResult::Pass, &message);
    }
    let message = format!("equal outcomes: {}", same.join("; "));
    Check::new("distinct", CheckResult::Fail, &message)
}
