//! Checks that run the reader on a file and compare the outcome with the expected one.

use std::fs;

use super::check::{Check, CheckResult};
use super::files::{AdapterUnderTest, Files};
use super::protocol;
use crate::reader::outcome::{Outcome, Rerun};
use crate::reader::{HANG_FACTOR, Reader, ReaderInput, Request};
use torchproof_protocol::{CAPABILITY_SELFTEST, Want};

struct FileCheck<'f> {
    check: &'static str,
    given: String,
    file: &'f ReaderInput,
    /// [The name of the expected outcome](Outcome::name).
    expected: &'static str,
    /// The adapter's probable fault, to report with any other outcome.
    advice: &'static str,
    needs_selftest: bool,
}

/// How many checks, counted from the first, must have outcomes that differ from each other.
const DISTINCT: usize = 5;

fn file_checks(files: &Files) -> [FileCheck<'_>; 9] {
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
            "truncated",
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
            "missing",
            format!("a {noun} that does not exist"),
            &files.missing,
            "adapter-error",
            "reply `error` when a file cannot be opened; the reader is not at fault",
        ),
        file_check(
            "afterwards",
            format!("the valid {noun} again, after all other files"),
            &files.valid,
            "accept",
            "do not keep state between requests",
        ),
    ]
}

pub(super) fn checks(adapter: &AdapterUnderTest<'_>, reader: &mut dyn Reader) -> Vec<Check> {
    let mut checks: Vec<_> = file_checks(adapter.files).into_iter().map(|check| check.run(adapter, reader)).collect();
    checks.insert(DISTINCT, distinct(&checks[..DISTINCT]));
    let rejected = checks.iter().find(|check| check.check == "reject").and_then(|check| check.outcome);
    checks.push(replaced(adapter, reader, rejected.unwrap_or_default()));
    checks.push(values(adapter, reader));
    // This cannot be checked, because no input makes every reader raise an exception.
    if adapter.address.is_started() {
        checks.push(Check::new("caught-errors", CheckResult::NotTested, CAUGHT_ERRORS));
    }
    checks
}

/// Why the selftest does not check how an adapter handles unexpected exceptions.
const CAUGHT_ERRORS: &str = "code such as `except Exception: sys.exit(1)` reports crashes as rejections; catch only \
    the errors that the reader documents";

/// Checks that the outcome depends on the bytes at a path. At another path, the broken file has the outcome `expected`.
fn replaced(adapter: &AdapterUnderTest<'_>, reader: &mut dyn Reader, expected: &'static str) -> Check {
    let (check, file, broken) = ("replaced", &adapter.files.replaced, &adapter.files.broken);
    read(adapter, reader, file, Want::Verdict);
    // The reader may still have a mapping of the old file, so do not overwrite it.
    if let Err(error) = fs::remove_file(&file.path).and_then(|()| fs::copy(&broken.path, &file.path)) {
        return Check::from_error(check, "cannot replace a file", Some(error.to_string()));
    }
    let given = format!("a {} without identifier and root, at the path of an earlier file", adapter.files.noun());
    let advice = "open the files of each request again; do not cache results by path";
    FileCheck { check, given, file, expected, advice, needs_selftest: false }.run(adapter, reader)
}

fn values(adapter: &AdapterUnderTest<'_>, reader: &mut dyn Reader) -> Check {
    let untested = |why| Check::new("values", CheckResult::NotTested, why);
    let lists = |want: &Want| want.capability().is_some_and(|capability| adapter.hello.has(capability));
    let is_command = adapter.address.lacks_handshake();
    let want = [Want::Value, Want::Loaded].into_iter().find(lists).or(is_command.then_some(Want::Value));
    let Some(want) = want else { return untested("`hello` lists neither capability value nor capability loaded") };
    let files = [&adapter.files.valid, &adapter.files.other];
    let values = files.map(|file| match read(adapter, reader, file, want) {
        Outcome::Accept { value, .. } => Some(value),
        _ => None,
    });
    let (result, found) = match values {
        [Some(Some(one)), Some(Some(other))] if one != other => (CheckResult::Pass, "different values"),
        [Some(Some(_)), Some(Some(_))] => (CheckResult::Fail, "equal values"),
        [Some(_), Some(_)] if !is_command => (CheckResult::Fail, "no value"),
        _ => return untested("the reader does not accept two valid files with values"),
    };
    let advice = (result == CheckResult::Fail).then_some("return the value of the files in the request");
    Check { advice, ..Check::new("values", result, &format!("two valid {}s → {found}", adapter.files.noun())) }
}

fn read(adapter: &AdapterUnderTest<'_>, reader: &mut dyn Reader, file: &ReaderInput, want: Want) -> Outcome {
    // A hang is repeated with a longer limit, which the other checks then use too.
    let shorter = if file.path == adapter.files.sleep.path { HANG_FACTOR } else { 1 };
    reader.read(&Request {
        files: std::slice::from_ref(file),
        stage: adapter.hello.deepest(),
        want,
        time: adapter.time / shorter,
        memory_mb: adapter.settings.memory_mb,
        delivery: None,
    })
}

impl FileCheck<'_> {
    fn run(self, adapter: &AdapterUnderTest<'_>, reader: &mut dyn Reader) -> Check {
        let able = !self.needs_selftest || adapter.hello.has(CAPABILITY_SELFTEST);
        if !able && !adapter.address.lacks_handshake() {
            let why = format!("`hello` does not list capability {CAPABILITY_SELFTEST}");
            return Check::new(self.check, CheckResult::NotTested, &why);
        }
        let outcome = read(adapter, reader, self.file, Want::Verdict);
        let result = match &outcome {
            // The reader replied when it had more time, so it does not hang.
            Outcome::Died(termination) if self.expected == "hang" && matches!(termination.rerun, Rerun::Flaky(_)) => {
                CheckResult::Fail
            }
            outcome if outcome.name() == self.expected => CheckResult::Pass,
            // A command cannot declare the capability, so it may read the marker as just another file.
            Outcome::Accept { .. } | Outcome::Reject { .. } | Outcome::Unsupported { .. } if !able => {
                CheckResult::NotTested
            }
            // The adapter reported the termination correctly, but the reader must reject such a file.
            Outcome::Died(_) if self.expected == "reject" => CheckResult::Reader,
            _ => CheckResult::Fail,
        };
        let mut check = Check::of_file(self.check, result, &self.given, &outcome);
        // The folder's name differs in each selftest.
        check.message = check.message.replace(&*adapter.files.folder.path().to_string_lossy(), "…");
        // A protocol violation also has the outcome adapter-error, so check that the reply is `error`.
        if self.expected == "adapter-error"
            && result == CheckResult::Pass
            && let Some(wrong) = protocol::error_of_reply(adapter, self.file)
        {
            check = Check { outcome: check.outcome, ..Check::from_error(self.check, &check.message, Some(wrong)) };
        }
        check.advice = match check.result {
            CheckResult::Fail => Some(self.advice),
            CheckResult::Reader => Some(
                "the adapter reports this correctly; if it passes the file on unchanged, the reader must reject it",
            ),
            CheckResult::Pass | CheckResult::NotTested => None,
        };
        check
    }
}

/// Checks that the five checks have different outcomes. Checks that did not run and faults of the reader do not count.
fn distinct(five: &[Check]) -> Check {
    let is_tested = |check: &&Check| !matches!(check.result, CheckResult::NotTested | CheckResult::Reader);
    let tested: Vec<&Check> = five.iter().filter(is_tested).collect();
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
