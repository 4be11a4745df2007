//! **What a reader did with a case**: one sum type, raw; what it is worth is the [`grade`](crate::run::grade)'s business.

use std::fmt;
use std::time::Duration;

use serde_json::Value;
use torchproof::Stage;

/// What one reader did with one case.
///
/// An outcome knows nothing of the case's verdict: the same outcome is a pass for one case and a failure for another.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It read the files.
    Accept {
        /// How far it says it read.
        stage: Stage,
        /// The canonical JSON, from a reader that gives it.
        value: Option<Value>,
    },
    /// It refused them with a clean error.
    Reject {
        /// Where it objected; unknown for a reader that cannot tell stages apart.
        stage: Option<Stage>,
        /// Its words.
        message: String,
    },
    /// It does not do this kind of file, or was not asked because it says so itself.
    Unsupported {
        /// What it lacks.
        message: String,
    },
    /// It crashed, ran out of memory, or was stopped for taking too long.
    Died(Termination),
    /// Nothing was learnt about the reader: what speaks for it broke the protocol, did not get the files, or could not
    /// be started.
    AdapterError {
        /// What went wrong, in one line.
        message: String,
    },
}

/// The circumstances of a death.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Termination {
    /// What the reader died of.
    pub cause: Cause,
    /// The last stage the reader said it entered.
    pub stage: Option<Stage>,
    /// The end of what it wrote to stderr for this case; hostile bytes, for nobody's terminal.
    pub stderr: String,
    /// What became of the same case in a fresh process.
    pub rerun: Rerun,
}

/// What a reader died of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A signal other than that of an abort.
    Signal(i32),
    /// A sanitizer's report, by its name for the error.
    Sanitizer(String),
    /// An abort: an assertion, an uncaught exception, a corrupt heap.
    Abort,
    /// A panic.
    Panic,
    /// The stack ran out and the language's runtime noticed.
    StackOverflow,
    /// An exit with a code that is no answer.
    Exit(i32),
    /// Want of memory under its limit.
    OutOfMemory,
    /// The case's wall time ran out.
    WallTime(Duration),
    /// The processor time that the launcher allows ran out.
    CpuTime,
}

/// Whether a death happens again in a process that has read nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Rerun {
    /// Nobody tried.
    #[default]
    Untried,
    /// It does: the case alone is to blame.
    Confirmed,
    /// It does not: flaky, or the fault of a case before. Holds what happened instead.
    Flaky(String),
}

impl Outcome {
    /// The outcome's name in results.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Outcome::Accept { .. } => "accept",
            Outcome::Reject { .. } => "reject",
            Outcome::Unsupported { .. } => "unsupported",
            Outcome::Died(termination) => termination.cause.outcome(),
            Outcome::AdapterError { .. } => "adapter-error",
        }
    }

    /// How far the reader got, as far as is known.
    #[must_use]
    pub fn stage(&self) -> Option<Stage> {
        match self {
            Outcome::Accept { stage, .. } => Some(*stage),
            Outcome::Reject { stage, .. } => *stage,
            Outcome::Unsupported { .. } | Outcome::AdapterError { .. } => None,
            Outcome::Died(termination) => termination.stage,
        }
    }

    /// The circumstances, of an outcome that is a death.
    #[must_use]
    pub const fn termination(&self) -> Option<&Termination> {
        if let Outcome::Died(termination) = self { Some(termination) } else { None }
    }

    /// The circumstances, of an outcome that is a panic.
    #[must_use]
    pub fn panic(&self) -> Option<&Termination> {
        self.termination().filter(|termination| termination.cause == Cause::Panic)
    }

    /// The reader's or the runner's words for it; may hold hostile bytes.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            Outcome::Accept { .. } => String::new(),
            Outcome::Reject { message, .. } | Outcome::Unsupported { message } | Outcome::AdapterError { message } => {
                message.clone()
            }
            Outcome::Died(termination) => termination.to_string(),
        }
    }

    /// This death, knowing what the same case did in a fresh process.
    ///
    /// If that was a death too it takes this one's place, since nothing read before can have had a part in it.
    #[must_use]
    pub(crate) fn confirmed_by(self, fresh: Outcome) -> Outcome {
        match (self, fresh) {
            (_, Outcome::Died(again)) => Outcome::Died(Termination { rerun: Rerun::Confirmed, ..again }),
            (Outcome::Died(first), fresh) => {
                let message = fresh.message();
                let colon = if message.is_empty() { "" } else { ": " };
                let rerun = Rerun::Flaky(format!("{}{colon}{message}", fresh.name()));
                Outcome::Died(Termination { rerun, ..first })
            }
            (first, _) => first,
        }
    }
}

impl fmt::Display for Outcome {
    /// The name, the stage and the message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        self.stage().map_or(Ok(()), |stage| write!(f, " at {stage}"))?;
        let message = self.message();
        if message.is_empty() { Ok(()) } else { write!(f, ": {message}") }
    }
}

impl Termination {
    /// A death of which nothing is known but its cause.
    #[must_use]
    pub const fn of(cause: Cause) -> Self {
        Self { cause, stage: None, stderr: String::new(), rerun: Rerun::Untried }
    }
}

impl Cause {
    /// The name of the outcome that it makes, in results.
    #[must_use]
    pub const fn outcome(&self) -> &'static str {
        match self {
            Cause::OutOfMemory => "out-of-memory",
            Cause::WallTime(_) | Cause::CpuTime => "hang",
            _ => "crash",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Signal(number) => f.write_str(&signal_name(*number)),
            Cause::Sanitizer(error) => write!(f, "sanitizer: {error}"),
            Cause::Abort => f.write_str("abort (SIGABRT)"),
            Cause::Panic => f.write_str("panic"),
            Cause::StackOverflow => f.write_str("stack overflow"),
            // A shell says so of a command that died of a signal.
            Cause::Exit(code @ 129..=192) => {
                write!(f, "{} (exit code {code}, as a shell tells it) without an answer", signal_name(code - 128))
            }
            Cause::Exit(code) => write!(f, "exit code {code} without an answer"),
            Cause::OutOfMemory => f.write_str("out of memory"),
            Cause::WallTime(time) => write!(f, "no answer in {} ms", time.as_millis()),
            Cause::CpuTime => f.write_str("processor time used up (SIGXCPU)"),
        }
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(f)?;
        match &self.rerun {
            Rerun::Untried => {}
            Rerun::Confirmed => f.write_str(", again in a fresh process")?,
            Rerun::Flaky(instead) => write!(f, ", flaky: a fresh process gave {instead}")?,
        }
        let last = self.stderr.lines().rev().find(|line| !line.trim().is_empty());
        last.map_or(Ok(()), |line| write!(f, "; stderr ends: {}", line.trim()))
    }
}

fn signal_name(number: i32) -> String {
    use rustix::process::Signal;
    let names = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::USR1, "SIGUSR1"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::USR2, "SIGUSR2"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
        (Signal::SYS, "SIGSYS"),
    ];
    let name = names.iter().find(|(signal, _)| signal.as_raw() == number);
    name.map_or_else(|| format!("signal {number}"), |(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crash(number: i32) -> Outcome {
        Outcome::Died(Termination::of(Cause::Signal(number)))
    }

    fn rerun(outcome: &Outcome) -> Option<(&Cause, &Rerun)> {
        outcome.termination().map(|termination| (&termination.cause, &termination.rerun))
    }

    #[test]
    fn a_second_death_takes_the_place_of_the_first() {
        let outcome = crash(11).confirmed_by(crash(7));
        assert_eq!(rerun(&outcome), Some((&Cause::Signal(7), &Rerun::Confirmed)));
    }

    #[test]
    fn a_death_that_does_not_come_again_says_what_came_instead() {
        let fresh = Outcome::Reject { stage: Some(Stage::Header), message: "bad magic".into() };
        let outcome = crash(11).confirmed_by(fresh);
        assert_eq!(rerun(&outcome), Some((&Cause::Signal(11), &Rerun::Flaky("reject: bad magic".into()))));
    }

    #[test]
    fn a_death_is_described_with_the_last_line_of_stderr() {
        let of = |cause, rerun| Termination { cause, stage: None, stderr: "first\nthe last  \n\n".into(), rerun };
        insta::assert_snapshot!(of(Cause::OutOfMemory, Rerun::Untried), @"out of memory; stderr ends: the last");
        insta::assert_snapshot!(of(Cause::Signal(11), Rerun::Flaky("accept".into())), @"SIGSEGV, flaky: a fresh process gave accept; stderr ends: the last");
        insta::assert_snapshot!(of(Cause::Exit(139), Rerun::Confirmed), @"SIGSEGV (exit code 139, as a shell tells it) without an answer, again in a fresh process; stderr ends: the last");
    }
}
