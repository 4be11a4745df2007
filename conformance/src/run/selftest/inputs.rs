//! Files that have to come back as what they are.

use super::adapter::AdapterUnderTest;
use super::check::{Check, CheckResult};
use super::files::Files;
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

/// The inputs that have to come back as outcomes of which no two are the same.
fn five(files: &Files) -> [Question<'_>; 5] {
    let noun = files.noun();
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
    ]
}

/// Files that are all there, and short: the reader's to reject.
fn short(files: &Files) -> [Question<'_>; 2] {
    let noun = files.noun();
    let advice = "a file that is as short as the request says is the reader's to refuse";
    [
        ("cut", format!("a {noun} that ends inside its identifier"), &files.cut),
        ("empty", format!("a {noun} of no bytes"), &files.empty),
    ]
    .map(|(check, given, file)| Question { check, given, file, expected: "reject", advice, ordered: false })
}

pub(super) fn checks(adapter: &AdapterUnderTest<'_>, reader: &mut dyn Reader) -> Vec<Check> {
    let files = adapter.files;
    let five = five(files).map(|question| {
        let advice = question.advice;
        let check = question.put(adapter, reader);
        let passed = check.check == TRUNCATED && check.result == CheckResult::Pass;
        // Whoever breaks the protocol gets that outcome too.
        match passed.then(|| protocol::wrong_of_truncated(adapter)).flatten() {
            Some(wrong) => Check {
                outcome: check.outcome,
                advice: Some(advice),
                ..Check::held(TRUNCATED, &check.message, Some(wrong))
            },
            None => check,
        }
    });
    let distinct = distinct(&five);
    let short = short(files).map(|question| question.put(adapter, reader));
    let afterwards = Question {
        check: "afterwards",
        given: format!("the valid {} again, after all these", files.noun()),
        file: &files.valid,
        expected: "accept",
        advice: "nothing may be kept from one request to the next",
        ordered: false,
    };
    let afterwards = afterwards.put(adapter, reader);
    five.into_iter().chain([distinct]).chain(short).chain([afterwards]).collect()
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
        let advice = (result == CheckResult::Fail).then_some(self.advice);
        Check { advice, ..Check::of_file(self.check, result, &self.given, &outcome) }
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
