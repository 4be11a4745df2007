//! **Protocol checks** in the adapter selftest, which run only for workers.

use std::time::Duration;

use serde_json::{Value, json};

use super::check::{Check, CheckResult};
use super::files::AdapterUnderTest;
use crate::reader::{Conversation, ReaderInput};
use torchproof::Stage;
use torchproof_protocol::{self as wire, CAPABILITY_BUNDLED, Delivery, Want};

/// How long to wait for unsolicited output after a reply.
const QUIET: Duration = Duration::from_millis(100);
/// The size of the unknown member in the check `long`, which makes a request nearly fill a pipe.
const LONG: usize = 56 << 10;
/// The sequence numbers of requests. They are out of order, because a worker must return any number unchanged.
const SEQUENCE_NUMBERS: [u64; 6] = [7, 3, 1 << 40, 3, 0, 8];

/// The name, the description and the function of each check. Every check gets a new worker.
const CHECKS: [(&str, &str, ProtocolCheck); 5] = [
    ("handshake-idempotent", "two `hello` requests", handshake),
    ("order", "six reads with unordered sequence numbers", order),
    ("unsolicited-output", "100 ms without a request, after `hello` and after a reply", unsolicited),
    ("long", "a request of 56 KiB with a long unknown member", long),
    ("clean-shutdown", "`bye` after a reply", shutdown),
];

/// Checks a worker. The error is a failed check, or an early end of the conversation.
type ProtocolCheck = fn(&AdapterUnderTest<'_>, Conversation) -> Result<(), String>;

pub(super) fn checks(adapter: &AdapterUnderTest<'_>) -> Vec<Check> {
    let mut checks = Vec::new();
    for (check, done, run) in CHECKS {
        let Some(wrong) = error_of(adapter, run) else { return checks };
        checks.push(Check::from_error(check, done, wrong));
    }
    checks.extend(stage(adapter));
    checks.push(if adapter.files.bundled.is_some() {
        let wrong = error_of(adapter, role).flatten();
        Check::from_error("role", "a bundled program, which `hello` does not list", wrong)
    } else {
        Check::new("role", CheckResult::NotTested, &format!("`hello` lists capability {CAPABILITY_BUNDLED}"))
    });
    checks
}

/// Sends a request with an incomplete or missing file to a worker. Returns a message if the reply is not `error`.
pub(super) fn error_of_reply(adapter: &AdapterUnderTest<'_>, file: &ReaderInput) -> Option<String> {
    error_of(adapter, |adapter, worker| unreadable(adapter, worker, file)).flatten()
}

/// Runs a check on a new worker. Returns `None` if the reader is not a worker, and `Some(None)` if the check passes.
fn error_of(
    adapter: &AdapterUnderTest<'_>,
    check: impl FnOnce(&AdapterUnderTest<'_>, Conversation) -> Result<(), String>,
) -> Option<Option<String>> {
    Some(match adapter.address.start_conversation(adapter.settings)? {
        Ok(worker) => check(adapter, worker).err(),
        Err(error) => Some(error),
    })
}

fn unreadable(adapter: &AdapterUnderTest<'_>, mut worker: Conversation, file: &ReaderInput) -> Result<(), String> {
    greet(adapter, &mut worker)?;
    expect(&worker.ask(&read(adapter, 1, file), adapter.time)?, 1, &["error"])?;
    let answer = worker.ask(&read(adapter, 2, &adapter.files.valid), adapter.time)?;
    expect(&answer, 2, &["accept"]).map_err(|error| format!("for the valid file after it: {error}"))
}

fn handshake(adapter: &AdapterUnderTest<'_>, mut worker: Conversation) -> Result<(), String> {
    let first = greet(adapter, &mut worker)?;
    let second = greet(adapter, &mut worker).map_err(|error| format!("second `hello`: {error}"))?;
    if first == second { Ok(()) } else { Err("the second `hello` reply differs from the first".to_owned()) }
}

fn order(adapter: &AdapterUnderTest<'_>, mut worker: Conversation) -> Result<(), String> {
    greet(adapter, &mut worker)?;
    for (at, seq) in SEQUENCE_NUMBERS.into_iter().enumerate() {
        let (file, outcome) =
            if at % 2 == 0 { (&adapter.files.valid, "accept") } else { (&adapter.files.broken, "reject") };
        let answer = worker.ask(&read(adapter, seq, file), adapter.time)?;
        expect(&answer, seq, &[outcome])?;
    }
    Ok(())
}

fn unsolicited(adapter: &AdapterUnderTest<'_>, mut worker: Conversation) -> Result<(), String> {
    let quiet = |worker: &mut Conversation, after: &str| match worker.unsolicited_within(QUIET) {
        None => Ok(()),
        Some(output) => Err(format!("found after {after}: {output}")),
    };
    greet(adapter, &mut worker)?;
    quiet(&mut worker, "`hello`")?;
    worker.ask(&read(adapter, 1, &adapter.files.valid), adapter.time)?;
    quiet(&mut worker, "the reply")
}

fn long(adapter: &AdapterUnderTest<'_>, mut worker: Conversation) -> Result<(), String> {
    greet(adapter, &mut worker)?;
    let mut request = read(adapter, 1, &adapter.files.valid);
    request["later"] = json!("x".repeat(LONG));
    expect(&worker.ask(&request, adapter.time)?, 1, &["accept"])
}

fn role(adapter: &AdapterUnderTest<'_>, mut worker: Conversation) -> Result<(), String> {
    let Some(bundled) = &adapter.files.bundled else { return Ok(()) };
    greet(adapter, &mut worker)?;
    expect(&worker.ask(&read(adapter, 1, bundled), adapter.time)?, 1, &["unsupported", "reject"])?;
    let answer = worker.ask(&read(adapter, 2, &adapter.files.valid), adapter.time)?;
    expect(&answer, 2, &["accept"]).map_err(|error| format!("for the valid file after it: {error}"))
}

/// Checks at which stage a worker rejects a file whose only defect is at a late stage. An early stage is not a failure,
/// because a reader may verify the whole file first. Returns `None` if the reader is not a worker.
fn stage(adapter: &AdapterUnderTest<'_>) -> Option<Check> {
    let given = format!("a {} whose only defect is at a late stage", adapter.files.noun());
    let run = |mut worker: Conversation| {
        greet(adapter, &mut worker)?;
        let answer = worker.ask(&read(adapter, 1, &adapter.files.late), adapter.time)?;
        let named = serde_json::from_value(answer["stage"].clone()).ok();
        let Some(named) = named.filter(|_| answer["outcome"] == "reject") else {
            let outcome = answer["outcome"].as_str().unwrap_or_default();
            return Ok(Check::new("stage", CheckResult::NotTested, &format!("{given} → {outcome}")));
        };
        let later = worker.last_stage().filter(|entered| *entered > named);
        let advice = match later {
            Some(_) => Some("reply with the stage in which the reader returned the error"),
            None if named < Stage::Structure && adapter.hello.deepest() > named => {
                Some("name this stage only if the reader verifies the whole file in this stage")
            }
            None => None,
        };
        let wrong = later.map(|later| format!("stderr names the later stage {later}"));
        Ok(Check { advice, ..Check::from_error("stage", &format!("{given} → reject at {named}"), wrong) })
    };
    let checked = adapter.address.start_conversation(adapter.settings)?.and_then(run);
    Some(checked.unwrap_or_else(|error: String| Check::from_error("stage", &given, Some(error))))
}

fn shutdown(adapter: &AdapterUnderTest<'_>, mut worker: Conversation) -> Result<(), String> {
    greet(adapter, &mut worker)?;
    worker.ask(&read(adapter, 1, &adapter.files.valid), adapter.time)?;
    worker.bye().map_or(Ok(()), Err)
}

fn greet(adapter: &AdapterUnderTest<'_>, worker: &mut Conversation) -> Result<Value, String> {
    worker.ask(&json!(wire::Request::Hello { protocol: wire::PROTOCOL }), adapter.settings.start)
}

fn read(adapter: &AdapterUnderTest<'_>, seq: u64, ReaderInput { role, path, offset, size }: &ReaderInput) -> Value {
    let delivery = adapter.hello.usual_delivery();
    let mut file = wire::RequestFile::new(*role, path.to_string_lossy().into_owned(), *size);
    file.offset = (delivery == Delivery::FileAtOffset).then_some(*offset);
    let mut read = wire::ReadRequest::new(seq, vec![file], adapter.hello.deepest(), Want::Verdict);
    read.delivery = Some(delivery);
    json!(wire::Request::Read(read))
}

fn expect(answer: &Value, seq: u64, outcomes: &[&str]) -> Result<(), String> {
    if answer["seq"] != seq {
        return Err(format!("found a reply to request {}, expected {seq}", answer["seq"]));
    }
    match answer["outcome"].as_str() {
        Some(outcome) if outcomes.contains(&outcome) => Ok(()),
        _ => Err(format!("found outcome {} for request {seq}, expected {}", answer["outcome"], outcomes.join(" or "))),
    }
}
