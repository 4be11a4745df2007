//! **Signatures**: strings that are equal for outcomes with the same probable cause.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::reader::outcome::{Cause, Outcome, Termination};

/// The name, the stage and the message of an outcome, with `N` for each number in the message. It is equal for outcomes
/// with the same probable cause.
///
/// ```
/// use torchproof_harness::reader::outcome::Outcome;
/// use torchproof_harness::reader::signature::Signature;
///
/// let reject = |message: &str| Outcome::Reject { stage: None, message: message.into() };
/// let of = |message| Signature::of(&reject(message));
/// assert_eq!(of("offset 0x1c is past the end of 24 bytes"), of("offset 0x9 is past the end of 80 bytes"));
/// assert_ne!(of("offset 0x1c is past the end"), of("no identifier"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Signature(String);

const KEPT: usize = 160;

impl Signature {
    /// Returns an outcome's signature. For a crash, the message is the line of stderr with the cause; `accept` and
    /// `hang` have no message.
    pub fn of(outcome: &Outcome) -> Self {
        let stage = outcome.stage().map(|stage| format!(" at {stage}")).unwrap_or_default();
        let (kind, words) = match outcome {
            Outcome::Died(Termination { cause: Cause::WallTime(_) | Cause::CpuTime, .. }) => ("hang".to_owned(), ""),
            Outcome::Died(died) => {
                let kind = if died.cause == Cause::OutOfMemory {
                    "out-of-memory".to_owned()
                } else {
                    format!("crash: {}", died.cause)
                };
                // After a signal, the last line of stderr only shows progress.
                let exited = matches!(died.cause, Cause::Exit(_));
                (kind, died.telling_line().or_else(|| died.last_line().filter(|_| exited)).unwrap_or_default())
            }
            Outcome::Reject { message, .. } | Outcome::Unsupported { message } | Outcome::AdapterError { message } => {
                (outcome.name().to_owned(), message.as_str())
            }
            Outcome::Accept { .. } => (outcome.name().to_owned(), ""),
        };
        let colon = if words.is_empty() { "" } else { ": " };
        Self(format!("{kind}{stage}{colon}{}", without_numbers(words)))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Replaces each decimal and hexadecimal number, with its sign, by `N`, and truncates the text.
pub fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        let hex = rest.strip_prefix("0x").map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_hexdigit()));
        let decimal = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        rest = match hex {
            Some(after) if after.len() + 2 < rest.len() => after,
            _ if decimal.len() < rest.len() => decimal,
            _ => {
                out.push(if first.is_control() { ' ' } else { first });
                rest = &rest[first.len_utf8()..];
                continue;
            }
        };
        // A minus sign belongs to the number; the dash in `3-7` does not.
        if out.strip_suffix('-').is_some_and(|before| !before.ends_with(char::is_alphanumeric)) {
            out.pop();
        }
        out.push('N');
    }
    out.chars().take(KEPT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::crash::CrashReport;

    #[test]
    fn replaces_numbers_and_control_characters() {
        assert_eq!(
            without_numbers(" at 0x7ffe12 (pid 812), -3 or 5-7 of 1.5e7\x1b[0m 0x "),
            "at N (pid N), N or N-N of N.NeN [Nm Nx"
        );
        assert_eq!(without_numbers(&"é9".repeat(200)).chars().count(), KEPT);
    }

    #[test]
    fn uses_the_line_that_states_the_cause() {
        let crash = |stderr: &str, cause: Cause| {
            let report = CrashReport::of(stderr).map(Box::new);
            Signature::of(&Outcome::Died(Termination { stderr: stderr.to_owned(), report, ..Termination::of(cause) })).0
        };
        assert_eq!(crash("", Cause::Abort), "crash: abort (SIGABRT)");
        assert_eq!(
            crash("loading 17\nx: x.cpp:12: int f(): Assertion `n < 3' failed.\nbye\n", Cause::Abort),
            "crash: abort (SIGABRT): x: x.cpp:N: int f(): Assertion `n < N' failed."
        );
        assert_eq!(crash("one\n two \n\n", Cause::Signal(11)), "crash: SIGSEGV");
        assert_eq!(crash("one\n two \n\n", Cause::Exit(3)), "crash: exit code 3 without a reply: two");
    }
}
