//! **Every worker output gives a classified outcome.**
//!
//! * The lines do not depend on how the output is split into pieces.
//! * A valid reply is JSON with the expected sequence number, and accepts or rejects a file only at a stage that the
//!   worker may name. Every other reply is an adapter error with a one-line reason.
//! * A reader counts as dead only because of a sanitizer report or a report from a library's host.
//! * The memory for stderr is bounded.
//!
//! The input is the output on stdout, a NUL, and the output on stderr.

use serde_json::Value;
use torchproof::Stage;
use torchproof_harness::reader::outcome::Outcome;
use torchproof_harness::reader::output::{MAX_STDERR, Stderr, Stdout};
use torchproof_harness::reader::reply::{ExpectedReply, hello};
use torchproof_protocol::{FORMATS, Hello, PROTOCOL, Want};

/// How many times the input is written to stderr, so that even a short input can exceed the limit.
const REPEATED: usize = 8;

pub fn run(bytes: &[u8]) {
    let at = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let (stdout, stderr) = (&bytes[..at], bytes.get(at + 1..).unwrap_or_default());
    let lines = lines_of(stdout, stdout.len().max(1));
    for piece in [1, 3] {
        assert_eq!(lines_of(stdout, piece), lines, "in pieces of {piece} bytes, the lines differ");
    }
    let stderr = text_of(stderr);
    let Some((first, replies)) = lines.split_first() else { return };
    let hello = match hello(first) {
        Ok(hello) => hello,
        Err(message) => {
            assert!(!message.is_empty());
            return;
        }
    };
    assert_eq!(hello.protocol, PROTOCOL);
    assert!(hello.formats.iter().all(|format| FORMATS.contains(&format.as_str())));
    assert!(hello.stages.is_sorted() && !hello.deliveries.is_empty());
    for (seq, line) in (1..).zip(replies) {
        let stage = if seq % 2 == 0 { Stage::Header } else { Stage::LAST };
        let want = [Want::Verdict, Want::Value, Want::Loaded][line.len() % 3];
        let want = if want.capability().is_none_or(|needed| hello.has(needed)) { want } else { Want::Verdict };
        judge(&ExpectedReply { hello: &hello, seq, stage, want }, line, &stderr);
    }
}

/// Returns the complete lines in output that arrives in pieces.
fn lines_of(output: &[u8], piece: usize) -> Vec<Vec<u8>> {
    let (mut stdout, mut lines) = (Stdout::default(), Vec::new());
    for piece in output.chunks(piece) {
        stdout.fill(|bytes| bytes.extend_from_slice(piece));
        lines.extend(std::iter::from_fn(|| stdout.take_line()));
    }
    let read: usize = lines.iter().map(|line| line.len() + 1).sum();
    assert_eq!(output[read..], *stdout.rest(), "output is lost");
    lines
}

/// Returns the part of stderr that the runner keeps.
fn text_of(output: &[u8]) -> String {
    let mut stderr = Stderr::default();
    for _ in 0..REPEATED {
        stderr.fill(|bytes| {
            bytes.extend_from_slice(output);
            assert!(bytes.len() <= 4 * MAX_STDERR + output.len(), "the memory for stderr grows");
        });
    }
    let text = stderr.text();
    // A byte that is not UTF-8 becomes a three-byte character.
    assert!(text.len() <= 3 * 2 * MAX_STDERR, "the runner keeps {} bytes of stderr", text.len());
    stderr.clear();
    assert!(stderr.text().is_empty());
    text
}

fn judge(expected: &ExpectedReply<'_>, line: &[u8], stderr: &str) {
    let outcome = expected.outcome(line, stderr);
    let json: Option<Value> = serde_json::from_slice(line).ok();
    let json = json.as_ref().filter(|json| json["seq"] == expected.seq);
    let of_reply = |answer: &str| {
        let json = json.expect("the runner accepts a reply with another sequence number");
        assert_eq!(json["outcome"], answer, "the runner reports another outcome than the worker");
        json
    };
    match &outcome {
        Ok(Outcome::Accept { stage, value }) => {
            let json = of_reply("accept");
            assert_eq!(*stage, expected.stage, "the runner accepts a file at another stage");
            assert!(json["stage"].is_null() || json["stage"] == stage.name());
            assert!(value.is_none() || expected.want != Want::Verdict && json.get("value") == value.as_ref());
            assert!(expected.want != Want::Loaded || value.is_some(), "the runner accepts a file without its value");
        }
        Ok(Outcome::Reject { stage, .. }) => {
            let json = of_reply("reject");
            assert_eq!(stage.map(Stage::name), json["stage"].as_str());
            assert!(stage.is_none_or(|stage| may_name(expected.hello, stage)), "rejected at a stage without a name");
            assert!(stage.is_some() || expected.hello.stages.is_empty(), "rejected without a stage");
        }
        Ok(Outcome::Unsupported { .. }) => drop(of_reply("unsupported")),
        Ok(Outcome::Died(_)) => {
            let died = json.and_then(|json| json["died"].as_i64());
            assert!(died.is_some(), "the runner reports a death without a report of a host");
        }
        Err(Outcome::Died(_)) => assert!(
            ["Sanitizer", "ASan", "runtime error"].iter().any(|word| stderr.contains(word)),
            "the runner reports a death without a report on stderr"
        ),
        Ok(Outcome::AdapterError { message }) | Err(Outcome::AdapterError { message }) => assert!(!message.is_empty()),
        Err(other) => panic!("the worker must end after {other:?}"),
    }
}

fn may_name(hello: &Hello, stage: Stage) -> bool {
    hello.stages.is_empty() || stage == Stage::Open || hello.stages.contains(&stage)
}
