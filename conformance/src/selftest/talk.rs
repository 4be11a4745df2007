//! What a worker owes to the protocol.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Check, CheckResult, Subject};
use crate::delivery::Delivery;
use crate::protocol::{self, CAPABILITY_BUNDLED, Want};
use crate::reader::{Conversation, Input};

/// How long a worker is listened to after its answer.
const QUIET: Duration = Duration::from_millis(100);
/// A member of this size makes a request about as long as a pipe takes at once.
const LONG: usize = 56 << 10;
/// The numbers of requests; a worker repeats them, and need not understand them.
const NUMBERS: [u64; 6] = [7, 3, 1 << 40, 3, 0, 8];

/// Questions and what was asked, each to a worker of its own.
const QUESTIONS: [(&str, &str, Question); 5] = [
    ("hello", "asked twice who it is", hello),
    ("order", "asked six times, with numbers in no order", order),
    ("babble", "listened to after its hello and after an answer", babble),
    ("long", "given a request of 56 KiB, most of it a member that it cannot know", long),
    ("bye", "sent home after an answer", bye),
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
        Check::held("role", "given a bundled program, which its hello does not name", wrong)
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

fn hello(subject: &Subject<'_>, mut worker: Conversation) -> Result<(), String> {
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

fn babble(subject: &Subject<'_>, mut worker: Conversation) -> Result<(), String> {
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

fn bye(subject: &Subject<'_>, mut worker: Conversation) -> Result<(), String> {
    greet(subject, &mut worker)?;
    worker.ask(&read(subject, 1, &subject.files.valid), subject.time)?;
    worker.bye().map_or(Ok(()), Err)
}

fn greet(subject: &Subject<'_>, worker: &mut Conversation) -> Result<Value, String> {
    worker.ask(&json!(protocol::Request::Hello { protocol: protocol::PROTOCOL }), subject.settings.start)
}

fn read(subject: &Subject<'_>, seq: u64, Input { role, path, offset, size }: &Input) -> Value {
    let path = path.to_string_lossy().into_owned();
    let (stage, delivery) = (subject.hello.deepest(), subject.hello.usual_delivery());
    let offset = (delivery == Delivery::FileAtOffset).then_some(*offset);
    let file = protocol::File { role: *role, path, layouts: None, offset, size: Some(*size) };
    let delivery = Some(delivery);
    let read = protocol::Request::Read { seq, files: vec![file], stage, want: Want::Verdict, delivery, ms: None };
    json!(read)
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
