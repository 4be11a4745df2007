//! **Outcomes**: the results of readers on cases, before [grading](crate::run::grade).

use std::fmt;
use std::time::Duration;

use serde_json::Value;
use torchproof::Stage;

use crate::reader::crash::{CrashReport, Severity};

/// The outcome of running one reader on one case.
///
/// Unlike the grade, it does not depend on the case's verdict: a rejection passes reject cases and fails accept cases.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Accept {
        /// The last stage that the reader completed.
        stage: Stage,
        /// The requested value, if the reader returns values.
        value: Option<Value>,
    },
    Reject {
        /// The stage; `None` for a reader that does not distinguish stages.
        stage: Option<Stage>,
        message: String,
    },
    /// The reader does not support the files, or its `hello` excludes the case.
    Unsupported { message: String },
    /// The reader crashed, ran out of memory or exceeded its time limit.
    Died(Termination),
    /// The adapter violated the protocol, could not read the files or did not start, so the reader is not at fault.
    AdapterError { message: String },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Termination {
    pub cause: Cause,
    /// The last stage that the reader entered, by the stage markers on stderr.
    pub stage: Option<Stage>,
    /// The end of stderr for this case. It is untrusted, so escape it for a terminal.
    pub stderr: String,
    pub report: Option<Box<CrashReport>>,
    pub rerun: Rerun,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A signal other than SIGABRT.
    Signal(i32),
    /// The sanitizer's name for the error.
    Sanitizer(String),
    /// An abort, for example after a failed assertion or because of a corrupt heap.
    Abort,
    /// The name of the uncaught type, or empty if the report names none.
    Exception(String),
    Panic,
    /// A stack overflow that a language runtime detected.
    StackOverflow,
    /// An exit code without a meaning in the protocol.
    Exit(i32),
    OutOfMemory,
    /// No reply within the time limit of the case.
    WallTime(Duration),
    /// More processor time than the launcher's limit.
    CpuTime,
}

/// What a termination does in a new process that has read no other case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Rerun {
    #[default]
    Untried,
    /// It recurs, so the case alone is the cause.
    Confirmed,
    /// It does not recur, so it was random or due to an earlier case. The value is the rerun's outcome.
    Flaky(String),
}

impl Outcome {
    /// Returns the name in results.
    pub const fn name(&self) -> &'static str {
        match self {
            Outcome::Accept { .. } => "accept",
            Outcome::Reject { .. } => "reject",
            Outcome::Unsupported { .. } => "unsupported",
            Outcome::Died(termination) => termination.cause.outcome(),
            Outcome::AdapterError { .. } => "adapter-error",
        }
    }

    pub fn stage(&self) -> Option<Stage> {
        match self {
            Outcome::Accept { stage, .. } => Some(*stage),
            Outcome::Reject { stage, .. } => *stage,
            Outcome::Unsupported { .. } | Outcome::AdapterError { .. } => None,
            Outcome::Died(termination) => termination.stage,
        }
    }

    pub const fn termination(&self) -> Option<&Termination> {
        if let Outcome::Died(termination) = self { Some(termination) } else { None }
    }

    pub fn panic(&self) -> Option<&Termination> {
        self.termination().filter(|termination| termination.cause == Cause::Panic)
    }

    /// Returns the message of the reader or the runner, which can be untrusted.
    pub fn message(&self) -> String {
        match self {
            Outcome::Accept { .. } => String::new(),
            Outcome::Reject { message, .. } | Outcome::Unsupported { message } | Outcome::AdapterError { message } => {
                message.clone()
            }
            Outcome::Died(termination) => termination.to_string(),
        }
    }

    /// Combines a termination with the outcome of its rerun. If the rerun also ends in a termination, that termination counts,
    /// because no earlier case can be its cause. If the rerun also hangs, the time limit of the first read is reported.
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
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        self.stage().map_or(Ok(()), |stage| write!(f, " at {stage}"))?;
        let message = self.message();
        if message.is_empty() { Ok(()) } else { write!(f, ": {message}") }
    }
}

impl Termination {
    pub const fn of(cause: Cause) -> Self {
        Self { cause, stage: None, stderr: String::new(), report: None, rerun: Rerun::Untried }
    }

    /// Returns the line of stderr with the cause, if there is a report.
    pub fn telling_line(&self) -> Option<&str> {
        self.report.as_ref().map(|report| report.line.as_str())
    }

    /// Returns the last line of stderr that is not empty.
    pub fn last_line(&self) -> Option<&str> {
        self.stderr.lines().rev().map(str::trim).find(|line| !line.is_empty())
    }

    /// Returns the estimated severity. If there is no report, the severity is undefined, because a signal alone says too little.
    pub fn severity(&self) -> Severity {
        self.report.as_ref().map_or(Severity::Undefined, |report| report.severity)
    }
}

impl Cause {
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
