//! **Outcomes**: the results of readers on cases, before [grading](crate::run::grade).

use std::fmt;
use std::time::Duration;

use serde_json::Value;
use torchproof::Stage;

use crate::reader::crash::{CrashReport, Severity};

/// The outcome of running one reader on one case.
///
/// An outcome does not depend on the case's verdict. Only the grade depends on the verdict: a rejection is a pass for a reject case,
/// and a failure for an accept case.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The reader accepted the files.
    Accept {
        /// The last stage that the reader completed.
        stage: Stage,
        /// The requested value, if the reader returns values.
        value: Option<Value>,
    },
    /// The reader rejected the files with an error.
    Reject {
        /// The stage of the error; `None` for a reader that does not distinguish stages.
        stage: Option<Stage>,
        /// The reader's message.
        message: String,
    },
    /// The reader does not support the files, or the reader's `hello` excludes the case.
    Unsupported {
        /// The reason, such as a missing capability.
        message: String,
    },
    /// The reader crashed, ran out of memory or exceeded its time limit.
    Died(Termination),
    /// The adapter violated the protocol, could not read the files or did not start. The outcome `adapter-error` does
    /// not indicate a fault of the reader.
    AdapterError {
        /// The error in one line.
        message: String,
    },
}

/// The details of a termination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Termination {
    /// The cause.
    pub cause: Cause,
    /// The last stage that the reader entered, according to the stage markers on stderr.
    pub stage: Option<Stage>,
    /// The end of stderr for this case. The text is untrusted and must be escaped for a terminal.
    pub stderr: String,
    /// The report on stderr, if a sanitizer or a language runtime wrote one.
    pub report: Option<Box<CrashReport>>,
    /// The result of repeating the case in a new process.
    pub rerun: Rerun,
}

/// The cause of a termination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A signal other than SIGABRT.
    Signal(i32),
    /// A sanitizer report, with the sanitizer's name for the error.
    Sanitizer(String),
    /// An abort, for example after a failed assertion or because of a corrupt heap.
    Abort,
    /// An uncaught exception, with the name of its type, or with an empty name if the report states no type.
    Exception(String),
    /// A panic.
    Panic,
    /// A stack overflow that the language runtime detected.
    StackOverflow,
    /// An exit code without a meaning in the protocol.
    Exit(i32),
    /// Exhausted memory.
    OutOfMemory,
    /// No reply within the wall time limit of the case.
    WallTime(Duration),
    /// More processor time than the launcher's limit.
    CpuTime,
}

/// Whether a termination recurs in a new process. The new process has read no other case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Rerun {
    /// The runner did not repeat the case.
    #[default]
    Untried,
    /// The termination recurs, so the case alone is the cause.
    Confirmed,
    /// The termination does not recur: the termination was random, or an earlier case caused the termination. The value
    /// is the outcome of the rerun.
    Flaky(String),
}

impl Outcome {
    /// Returns the name of the outcome in results.
    pub const fn name(&self) -> &'static str {
        match self {
            Outcome::Accept { .. } => "accept",
            Outcome::Reject { .. } => "reject",
            Outcome::Unsupported { .. } => "unsupported",
            Outcome::Died(termination) => termination.cause.outcome(),
            Outcome::AdapterError { .. } => "adapter-error",
        }
    }

    /// Returns the stage that the reader reached, if known.
    pub fn stage(&self) -> Option<Stage> {
        match self {
            Outcome::Accept { stage, .. } => Some(*stage),
            Outcome::Reject { stage, .. } => *stage,
            Outcome::Unsupported { .. } | Outcome::AdapterError { .. } => None,
            Outcome::Died(termination) => termination.stage,
        }
    }

    /// Returns the details of the termination; `None` unless the outcome is a termination.
    pub const fn termination(&self) -> Option<&Termination> {
        if let Outcome::Died(termination) = self { Some(termination) } else { None }
    }

    /// Returns the details of the termination if a panic caused it.
    pub fn panic(&self) -> Option<&Termination> {
        self.termination().filter(|termination| termination.cause == Cause::Panic)
    }

    /// Returns the message of the reader or the runner; the text can be untrusted.
    pub fn message(&self) -> String {
        match self {
            Outcome::Accept { .. } => String::new(),
            Outcome::Reject { message, .. } | Outcome::Unsupported { message } | Outcome::AdapterError { message } => {
                message.clone()
            }
            Outcome::Died(termination) => termination.to_string(),
        }
    }

    /// Combines a termination with the outcome of its rerun.
    ///
    /// If the rerun also ends in a termination, the rerun counts, because no earlier case can be the cause. If the rerun
    /// hangs too, the cause states the time limit of the first read.
    pub(crate) fn confirmed_by(self, fresh: Outcome) -> Outcome {
        match (self, fresh) {
            (Outcome::Died(Termination { cause: cause @ Cause::WallTime(_), .. }), Outcome::Died(again))
                if matches!(again.cause, Cause::WallTime(_)) =>
            {
                Outcome::Died(Termination { cause, rerun: Rerun::Confirmed, ..again })
            }
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
    /// Writes the name, the stage and the message of the outcome.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        self.stage().map_or(Ok(()), |stage| write!(f, " at {stage}"))?;
        let message = self.message();
        if message.is_empty() { Ok(()) } else { write!(f, ": {message}") }
    }
}

impl Termination {
    /// Creates a termination with this cause and no other details.
    pub const fn of(cause: Cause) -> Self {
        Self { cause, stage: None, stderr: String::new(), report: None, rerun: Rerun::Untried }
    }

    /// Returns the line of stderr that states the cause; `None` if stderr contains no report of a crash.
    pub fn telling_line(&self) -> Option<&str> {
        self.report.as_ref().map(|report| report.line.as_str())
    }

    /// Returns the last line of stderr that is not empty.
    pub fn last_line(&self) -> Option<&str> {
        self.stderr.lines().rev().map(str::trim).find(|line| !line.is_empty())
    }

    /// Returns the estimated severity. Without a report, a signal alone says too little for an estimate.
    pub fn severity(&self) -> Severity {
        self.report.as_ref().map_or(Severity::Undefined, |report| report.severity)
    }
}

impl Cause {
    /// Returns the name of the outcome that results from this cause.
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
            Cause::Exception(name) if name.is_empty() => f.write_str("uncaught exception"),
            Cause::Exception(name) => write!(f, "uncaught exception {name}"),
            Cause::Panic => f.write_str("panic"),
            Cause::StackOverflow => f.write_str("stack overflow"),
            Cause::Exit(code) => write!(f, "exit code {code} without a reply"),
            Cause::OutOfMemory => f.write_str("out of memory"),
            Cause::WallTime(time) => write!(f, "no reply within {} ms", time.as_millis()),
            Cause::CpuTime => f.write_str("processor time limit exceeded (SIGXCPU)"),
        }
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(f)?;
        match &self.rerun {
            Rerun::Untried => {}
            Rerun::Confirmed => f.write_str(", confirmed in a fresh process")?,
            Rerun::Flaky(instead) => write!(f, ", flaky: {instead} in a fresh process")?,
        }
        match (self.telling_line(), self.last_line()) {
            (Some(line), _) => write!(f, "; {line}"),
            (None, Some(line)) => write!(f, "; last line of stderr: {line}"),
            (None, None) => Ok(()),
        }
    }
}

fn signal_name(number: i32) -> String {
    use super::signal::Signal;
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
    fn a_second_termination_replaces_the_first() {
        let outcome = crash(11).confirmed_by(crash(7));
        assert_eq!(rerun(&outcome), Some((&Cause::Signal(7), &Rerun::Confirmed)));
    }

    #[test]
    fn a_flaky_termination_holds_the_outcome_of_the_rerun() {
        let fresh = Outcome::Reject { stage: Some(Stage::Header), message: "bad magic".into() };
        let outcome = crash(11).confirmed_by(fresh);
        assert_eq!(rerun(&outcome), Some((&Cause::Signal(11), &Rerun::Flaky("reject: bad magic".into()))));
    }

    #[test]
    fn describes_a_termination_with_its_report() {
        let stderr = "thread 'main' panicked at src/x.rs:1:1:\noops\nnote: run with\n";
        let report = CrashReport::of(stderr).map(Box::new);
        let panic = Termination { stderr: stderr.into(), report, ..Termination::of(Cause::Panic) };
        insta::assert_snapshot!(panic, @"panic; panicked at src/x.rs:1:1: oops");
        insta::assert_snapshot!(Cause::Exception(String::new()), @"uncaught exception");
    }

    #[test]
    fn describes_a_termination_with_the_last_line_of_stderr() {
        let of = |cause, rerun| Termination { stderr: "first\nthe last  \n\n".into(), rerun, ..Termination::of(cause) };
        insta::assert_snapshot!(of(Cause::OutOfMemory, Rerun::Untried), @"out of memory; last line of stderr: the last");
        insta::assert_snapshot!(of(Cause::Signal(11), Rerun::Flaky("accept".into())), @"SIGSEGV, flaky: accept in a fresh process; last line of stderr: the last");
        insta::assert_snapshot!(of(Cause::Exit(9), Rerun::Confirmed), @"exit code 9 without a reply, confirmed in a fresh process; last line of stderr: the last");
    }
}
