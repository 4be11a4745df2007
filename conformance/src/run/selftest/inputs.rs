//! Files that have to come back as what they are.

use super::check::{Check, CheckResult};
use super::files::{AdapterUnderTest, Files};
use super::protocol;
use crate::reader::outcome::Outcome;
use crate::reader::protocol::deepest;
use crate::reader::{Reader, ReaderInput, Request};
use torchproof_protocol::{CAPABILITY_SELFTEST, Want};

/// A file that is given, and what it has to come back as.
struct Question<'f> {
    check: &'static str,
    given: String,
    file: &'f ReaderInput,
    /// [The name of an outcome](Outcome::name).
    expected: &'static str,
    /// What to look for in an adapter where something else comes back.
    advice: &'static str,
    /// Whether only a reader with the capability `selftest` does it.
    ordered: bool,
}

/// The check of a file of which not all bytes are there.
const TRUNCATED: &str = "truncated";

/// How many inputs at the beginning have to come back as outcomes of which no two are the same.
const DISTINCT: usize = 5;

fn questions(files: &Files) -> [Question<'_>; 8] {
    let noun = files.noun();
    let short = "a file that is as short as the request says is the reader's to refuse";
    let question =
        |check, given, file, expected, advice| Question { check, given, file, expected, advice, ordered: false };
    let order = |check, word: &str, file, expected, advice| Question {
        ordered: true,
        ..question(check, format!("a file that says {word}"), file, expected, advice)
    };
    [
        question(
            "accept",
            format!("a valid {noun}"),
            &files.valid,
            "accept",
            "every reader of the format accepts it: look at how it is handed over, and at how its answer is told",
        ),
        question(
            "reject",
            format!("a {noun} without identifier and root"),
            &files.broken,
            "reject",
            "what the reader refuses is answered with `reject`: look at what becomes of its error",
        ),
        question(
            TRUNCATED,
            format!("half of a {noun} of {} bytes", files.truncated.size),
            &files.truncated,
            "adapter-error",
            "where a file has fewer bytes than the `size` in the request, the answer is `error`: its reader is not to blame",
        ),
        order(
            "crash",
            "crash",
            &files.crash,
            "crash",
            "what kills the reader has to end the worker: catch its own refusals, and no signal and nothing else",
        ),
        order("sleep", "sleep", &files.sleep, "hang", "nothing is to be answered while the reader is at work"),
        question("cut", format!("a {noun} that ends inside its identifier"), &files.cut, "reject", short),
        question("empty", format!("a {noun} of no bytes"), &files.empty, "reject", short),
        question(
            "afterwards",
            format!("the valid {noun} again, after all these"),
            &files.valid,
            "accept",
            "nothing may be kept from one request to the next",
        ),
    ]
}

pub(super) fn checks(adapter: &AdapterUnderTest<'_>, reader: &mut dyn Reader) -> Vec<Check> {
    let mut checks: Vec<_> =
        questions(adapter.files).into_iter().map(|question| question.put(adapter, reader)).collect();
    checks.insert(DISTINCT, distinct(&checks[..DISTINCT]));
    checks
}

impl Question<'_> {
    fn put(self, adapter: &AdapterUnderTest<'_>, reader: &mut dyn Reader) -> Check {
        let able = !self.ordered || adapter.hello.has(CAPABILITY_SELFTEST);
        if !able && !adapter.address.is_silent() {
            let why = format!("its hello does not name the capability {CAPABILITY_SELFTEST}");
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
            // A command has no other way to say that it does not know of such files.
            Outcome::Accept { .. } | Outcome::Reject { .. } | Outcome::Unsupported { .. } if !able => {
                CheckResult::NotTested
            }
            _ => CheckResult::Fail,
        };
        let mut check = Check::of_file(self.check, result, &self.given, &outcome);
        // Whoever breaks the protocol gets the outcome adapter-error too.
        if self.check == TRUNCATED
            && result == CheckResult::Pass
            && let Some(wrong) = protocol::wrong_of_truncated(adapter)
        {
            check = Check { outcome: check.outcome, ..Check::held(TRUNCATED, &check.message, Some(wrong)) };
        }
        check.advice = (check.result == CheckResult::Fail).then_some(self.advice);
        check
    }
}

/// Whether no two of these came back as the same.
fn distinct(five: &[Check]) -> Check {
    let tested: Vec<&Check> = five.iter().filter(|check| check.result != CheckResult::NotTested).collect();
    let mut same = Vec::new();
    for (at, one) in tested.iter().enumerate() {
        let others = tested[at + 1..].iter().filter(|other| other.outcome == one.outcome);
        same.extend(
            others.map(|other| format!("{} and {} as {}", one.check, other.check, one.outcome.unwrap_or_default())),
        );
    }
    let came: Vec<String> =
        tested.iter().map(|check| format!("{} → {}", check.check, check.outcome.unwrap_or_default())).collect();
    if same.is_empty() {
        let message = format!("{} inputs, as many outcomes: {}", tested.len(), came.join(", "));
        return Check::new("distinct", CheckResult::Pass, &message);
    }
    let message = format!("cannot be told apart: {}", same.join("; "));
    Check::new("distinct", CheckResult::Fail, &message)
}
