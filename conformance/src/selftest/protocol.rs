//! **Protocol checks** of a worker.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Check, CheckResult, Subject};
use crate::protocol::wire_role;
use crate::reader::{Conversation, Input};
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
type Question = fn(&Subject<'_>, Conversation) -> Result<(), String>;

pub(super) fn checks(subject: &Subject<'_>) -> Vec<Check> {
    let mut checks = Vec::new();
    for (check, done, question) in QUESTIONS {
        let Some(wrong) = ask(subject, question) else { return checks };
        checks.push(Check::held(check, done, wrong));
    }
    checks.push(if subject.files.bundled.is_some() {
        let wrong = ask(subject, role).flatten();
        Check::held("role", "a bundled program, which its hello does not name", wrong)
    } else {
        Check::new("role", CheckResult::NotTested, &format!("it has the capability {CAPABILITY_BUNDLED}"))
    });
    checks
}

/// What is wrong with how a worker says that not all of a file came, if anything is: no other break of the protocol counts for it.
pub(super) fn wrong_of_truncated(subject: &Subject<'_>) -> Option<String> {
    ask(subject, truncated).flatten()
}

/// What is wrong, if anything is; none for a reader that is no worker.
fn ask(subject: &Subject<'_>, question: Question) -> Option<Option<String>> {
    Some(match subject.address.converse(subject.settings)? {
        Ok(worker) => question(subject, worker).err(),
        Err(error) => Some(error),
    })
}

fn truncated(subject: &Subject<'_>, mut worker: Conversation) -> Result<(), String> {
    greet(subject, &mut worker)?;
    expect(&worker.ask(&read(subject, 1, &subject.files.truncated), subject.time)?, 1, &["error"])?;
    let answer = worker.ask(&read(subject, 2, &subject.files.valid), subject.time)?;
    expect(&answer, 2, &["accept"]).map_err(|error| format!("and then, of a valid file, it {error}"))
}

fn handshake(subject: &Subject<'_>, mut worker: Conversation) -> Result<(), String> {
    let first = greet(subject, &mut worker)?;
    let second = greet(subject, &mut worker).map_err(|error| format!("the second time it {error}"))?;
    if first == second { Ok(()) } else { Err("its second hello is not its first".to_owned()) }
}

fn order(subject: &Subject<'_>, mut worker: Conversation) -> Result<(), String> {
    greet(subject, &mut worker)?;
    for (at, seq) in NUMBERS.into_iter().enumerate() {
        let (file, outcome) =
            if at % 2 == 0 { (&subject.files.valid, "accept") } else { (&subject.files.broken, "reject") };
        let answer = worker.ask(&read(subject, seq, file), subject.time)?;
        expect(&answer, seq, &[outcome])?;
    }
    Ok(())
}

fn unsolicited(subject: &Subject<'_>, mut worker: Conversation) -> Result<(), String> {
    let quiet = |worker: &mut Conversation, after: &str| match worker.unasked(QUIET) {
        None => Ok(()),
        Some(said) => Err(format!("after {after} came {said}")),
    };
    greet(subject, &mut worker)?;
    quiet(&mut worker, "its hello")?;
    worker.ask(&read(subject, 1, &subject.files.valid), subject.time)?;
    quiet(&mut worker, "its answer")
}

fn long(subject: &Subject<'_>, mut worker: Conversation) -> Result<(), String> {
    greet(subject, &mut worker)?;
    let mut request = read(subject, 1, &subject.files.valid);
    request["later"] = json!("x".repeat(LONG));
    expect(&worker.ask(&request, subject.time)?, 1, &["accept"])
}

fn role(subject: &Subject<'_>, mut worker: Conversation) -> Result<(), String> {
    let Some(bundled) = &subject.files.bundled else { return Ok(()) };
    greet(subject, &mut worker)?;
    expect(&worker.ask(&read(subject, 1, bundled), subject.time)?, 1, &["unsupported", "reject"])?;
    let answer = worker.ask(&read(subject, 2, &subject.files.valid), subject.time)?;
    expect(&answer, 2, &["accept"]).map_err(|error| format!("and then, of a valid file, it {error}"))
}

fn shutdown(subject: &Subject<'_>, mut worker: Conversation) -> Result<(), String> {
    greet(subject, &mut worker)?;
    worker.ask(&read(subject, 1, &subject.files.valid), subject.time)?;
    worker.bye().map_or(Ok(()), Err)
}

fn greet(subject: &Subject<'_>, worker: &mut Conversation) -> Result<Value, String> {
    worker.ask(&json!(wire::Request::Hello { protocol: wire::PROTOCOL }), subject.settings.start)
}

fn read(subject: &Subject<'_>, seq: u64, Input { role, path, offset, size }: &Input) -> Value {
    let delivery = subject.hello.usual_delivery();
    let mut file = wire::RequestFile::new(wire_role(*role), path.to_string_lossy().into_owned(), *size);
    file.offset = (delivery == Delivery::FileAtOffset).then_some(*offset);
    let mut read = wire::ReadRequest::new(seq, vec![file], subject.hello.deepest(), Want::Verdict);
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
