//! **Validation of a worker's output**, which is untrusted: the handshake and the replies.

use torchproof::Stage;
use torchproof_protocol::{Answer, Delivery, FORMATS, Hello, PROTOCOL, Reply, Want};

use super::classify;
use super::conversation::quote;
use super::library::ChildDeath;
use super::signal;
use crate::reader::outcome::Outcome;
use crate::text::json::from_json;

/// The error of a reader that claims a capability for values but returns none.
pub(crate) const MISSING_VALUE: &str = "accepted without the value that `hello` promises";

/// Validates the reply to `hello`, which must have this protocol version and known formats.
pub fn hello(line: &[u8]) -> Result<Hello, String> {
    let mut hello: Hello =
        from_json(line).map_err(|error| format!("invalid `hello` reply ({error}): {}", quote(line)))?;
    if hello.protocol != PROTOCOL {
        return Err(format!("`hello` has protocol {}, expected {PROTOCOL}", hello.protocol));
    }
    if let Some(format) = hello.formats.iter().find(|format| !FORMATS.contains(&format.as_str())) {
        return Err(format!("`hello` has unknown format `{format}`, expected one of {}", FORMATS.join(", ")));
    }
    hello.stages.sort_unstable();
    hello.stages.dedup();
    if hello.deliveries.is_empty() {
        hello.deliveries.push(Delivery::File);
    }
    Ok(hello)
}

#[derive(Clone, Copy, Debug)]
pub struct ExpectedReply<'a> {
    pub hello: &'a Hello,
    pub seq: u64,
    pub stage: Stage,
    /// The requested value. The worker's `hello` says that the worker can return it.
    pub want: Want,
}

impl ExpectedReply<'_> {
    /// Converts a line on stdout into an outcome; `stderr` is the output since the request. After an outcome in `Err`,
    /// the worker must end, because its reply is invalid or a sanitizer reported a fault.
    pub fn outcome(&self, line: &[u8], stderr: &str) -> Result<Outcome, Outcome> {
        let broke = |message: String| Outcome::AdapterError { message };
        let reply = match from_json(line) {
            Ok(reply) => reply,
            Err(error) => match from_json(line) {
                // A library's host reports a crash and continues, so keep the worker.
                Ok(ChildDeath { seq, died }) if seq == self.seq => {
                    return Ok(classify::ended(signal::status(died), stderr));
                }
                _ => return Err(broke(format!("invalid reply ({error}): {}", quote(line)))),
            },
        };
        let outcome = self.validated(reply).map_err(broke)?;
        classify::sanitized(stderr).map_or(Ok(outcome), Err)
    }

    fn validated(&self, reply: Reply) -> Result<Outcome, String> {
        if reply.seq != self.seq {
            return Err(format!("replied to request {}, expected {}", reply.seq, self.seq));
        }
        // A reader that could not read the file may report `open`, even if `hello` does not list it.
        let named = |stage: &Stage| *stage == Stage::Open || self.hello.stages.contains(stage);
        if let Some(stage) = reply.stage.filter(|stage| !self.hello.stages.is_empty() && !named(stage)) {
            return Err(format!("replied with stage {stage}, which `hello` does not list"));
        }
        let message = reply.message.unwrap_or_default();
        Ok(match reply.outcome {
            Answer::Accept => {
                let stage = reply.stage.unwrap_or(self.stage);
                if stage != self.stage {
                    return Err(format!("accepted at stage {stage}, expected {}", self.stage));
                }
                let value = reply.value.filter(|_| self.want != Want::Verdict);
                // The canonical JSON is requested for every case but only some cases need it, so here it may be absent.
                if self.want == Want::Loaded && value.is_none() {
                    return Err(MISSING_VALUE.to_owned());
                }
                Outcome::Accept { stage, value }
            }
            Answer::Reject => {
                if reply.stage.is_none() && !self.hello.stages.is_empty() {
                    return Err("rejected without a stage, although `hello` lists stages".to_owned());
                }
                Outcome::Reject { stage: reply.stage, message }
            }
            Answer::Unsupported => Outcome::Unsupported { message },
            Answer::Error if message.is_empty() => {
                Outcome::AdapterError { message: "replied `error` without a message".to_owned() }
            }
            Answer::Error => Outcome::AdapterError { message },
        })
    }
}
