//! **Protocol checks** of a worker.

use std::time::Duration;

use serde_json::{Value, json};

use super::check::{Check, CheckResult};
use super::files::AdapterUnderTest;
use crate::reader::protocol::wire_role;
use crate::reader::{Conversation, ReaderInput};
use torchproof_protocol::{self as wire, CAPABILITY_BUNDLED, Delivery, Want};

/// How long a worker is listened to after its answer.
const QUIET: Duration = Duration::from_millis(100);
/// A member of this size makes a request about as long as a pipe takes at once.
const LONG: usize = 56 << 10;
/// The numbers of requests; a worker repeats them, and need not understand them.
const NUMBERS: [u64; 6] = [7, 3, 1 << 40, 3, 0, 8];

/// Questions and what was asked, each to a worker of its own.
const QUESTIONS: [(&str, &str, Question); 5] = [
    ("handshake-idempotent", "two hello requests", handshake),
    ("order", "six reads, with sequence numbers in no order", order),
    ("unsolicited-output", "100 ms without a request, after the hello and after a reply", unsolicited),
    ("long", "a request of 56 KiB, most of it an unknown member", long),
    ("clean-shutdown", "a bye after a reply", shutdown),
];

/// Gives what is wrong; an error is the end of the talk, and wrong too.
type Question = fn(&AdapterUnderTest<'_>, Conversation) -> Result<(), String>;

pub(super) fn checks(adapter: &AdapterUnderTest<'_>) -> Vec<Check> {
    let mut checks = Vec::new();
    for (check, done, question) in QUESTIONS {
        let Some(wrong) = ask(adapter, question) else { return checks };
        checks.push(Check::held(check, done, wrong));
    }
    checks.push(if adapter.files.bundled.is_some() {
        let wrong = ask(adapter, role).flatten();
        Check::held("role", "a bundled program, which its hello does not name", wrong)
    } else {
        Check::new("role", CheckResult::NotTested, &format!("it has the capability {CAPABILITY_BUNDLED}"))
    });
    checks
}

/// What is wrong with how a worker says that not all of a file came, if anything is: no other break of the protocol counts for it.
pub(super) fn wrong_of_truncated(adapter: &AdapterUnderTest<'_>) -> Option<String> {
    ask(adapter, truncated).flatten()
}

/// What is wrong, if anything is; none for a reader that is no worker.
fn ask(adapter: &AdapterUnderTest<'_>, question: Question) -> Option<Option<String>> {
    Some(match adapter.address.converse(adapter.settings)? {
        Ok(worker) => question(adapter, worker).err(),
        Err(error) => Some(error),
    })
}

fn truncated(adapter: &AdapterUnderTest<'_>, mut worker: Conversation) -> Result<(), String> {
    greet(adapter, &mut worker)?;
    expect(&worker.ask(&read(adapter, 1, &adapter.files.truncated), adapter.time)?, 1, &["error"])?;
    let answer = worker.ask(&read(adapter, 2, &adapter.files.valid), adapter.time)?;
    expect(&answer, 2, &["accept"]).map_err(|error| format!("and then, of a valid file, it {error}"))
}

fn handshake(adapter: &AdapterUnderTest<'_>, mut worker: Conversation) -> Result<(), String> {
    let first = greet(adapter, &mut worker)?;
    let second = greet(adapter, &mut worker).map_err(|error| format!("the second time it {error}"))?;
    if first == second { Ok(()) } else { Err("its second hello is not its first".to_owned()) }
}

fn order(adapter: &AdapterUnderTest<'_>, mut worker: Conversation) -> Result<(), String> {
    greet(adapter, &mut worker)?;
    for (at, seq) in NUMBERS.into_iter().enumerate() {
        let (file, outcome) =
            if at % 2 == 0 { (&adapter.files.valid, "accept") } else { (&adapter.files.broken, "reject") };
        let answer = worker.ask(&read(adapter, seq, file), adapter.time)?;
        expect(&answer, seq, &[outcome])?;
    }
    Ok(())
}

fn unsolicited(adapter: &AdapterUnderTest<'_>, mut worker: Conversation) -> Result<(), String> {
    let quiet = |worker: &mut Conversation, after: &str| match worker.unasked(QUIET) {
        None => Ok(()),
        Some(said) => Err(format!("after {after} came {said}")),
    };
    greet(adapter, &mut worker)?;
    quiet(&mut worker, "its hello")?;
    worker.ask(&read(adapter, 1, &adapter.files.valid), adapter.time)?;
    quiet(&mut worker, "its answer")
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
    expect(&answer, 2, &["accept"]).map_err(|error| format!("and then, of a valid file, it {error}"))
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
    let mut file = wire::RequestFile::new(wire_role(*role), path.to_string_lossy().into_owned(), *size);
    file.offset = (delivery == Delivery::FileAtOffset).then_some(*offset);
    let mut read = wire::ReadRequest::new(seq, vec![file], adapter.hello.deepest(), Want::Verdict);
    read.delivery = Some(delivery);
    json!(wire::Request::Read(read))
}

/// Whether the answer is one to this request, and one of these.
fn expect(answer: &Value, seq: u64, outcomes: &[&str]) -> Result<(), String> {
    if answer["seq"] != seq {
        return Err(format!("answered request {}, asked was {seq}", answer["seq"]));
    }
    match answer["outcome"].as_str() {
        Some(outcome) if outcomes.contains(&outcome) => Ok(()),
        _ => Err(format!("answered request {seq} with {}, and not {}", answer["outcome"], outcomes.join(" or "))),
    }
}
