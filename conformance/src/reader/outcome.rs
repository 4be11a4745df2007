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
    /// It died.
    Crash {
        /// Of what.
        kind: CrashKind,
        /// The circumstances.
        termination: Termination,
    },
    /// It was stopped for taking too long.
    Hang {
        /// Which clock ran out.
        clock: Clock,
        /// The circumstances.
        termination: Termination,
    },
    /// It died for want of memory under its limit.
    OutOfMemory {
        /// The circumstances.
        termination: Termination,
    },
    /// Nothing was learnt about the reader: what speaks for it broke the protocol, did not get the files, or could not
    /// be started.
    AdapterError {
        /// What went wrong, in one line.
        message: String,
    },
}

/// What a reader died of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CrashKind {
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
}

/// Which clock ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The case's wall time.
    Wall(Duration),
    /// The processor time that the launcher allows.
    Cpu,
}

/// The circumstances of a death.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Termination {
    /// The last stage the reader said it entered.
    pub stage: Option<Stage>,
    /// The end of what it wrote to stderr for this case; hostile bytes, for nobody's terminal.
    pub stderr: String,
    /// What became of the same case in a fresh process.
    pub rerun: Rerun,
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
            Outcome::Crash { .. } => "crash",
            Outcome::Hang { .. } => "hang",
            Outcome::OutOfMemory { .. } => "out-of-memory",
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
            Outcome::Crash { termination, .. }
            | Outcome::Hang { termination, .. }
            | Outcome::OutOfMemory { termination } => termination.stage,
        }
    }

    /// The circumstances, of an outcome that is a death.
    #[must_use]
    pub const fn termination(&self) -> Option<&Termination> {
        match self {
            Outcome::Crash { termination, .. }
            | Outcome::Hang { termination, .. }
            | Outcome::OutOfMemory { termination } => Some(termination),
            _ => None,
        }
    }

    /// The circumstances, of an outcome that is a panic.
    #[must_use]
    pub const fn panic(&self) -> Option<&Termination> {
        match self {
            Outcome::Crash { kind: CrashKind::Panic, termination } => Some(termination),
            _ => None,
        }
    }

    /// The reader's or the runner's words for it; may hold hostile bytes.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            Outcome::Accept { .. } => String::new(),
            Outcome::Reject { message, .. } | Outcome::Unsupported { message } | Outcome::AdapterError { message } => {
                message.clone()
            }
            Outcome::Crash { kind, termination } => format!("{kind}{termination}"),
            Outcome::Hang { clock, termination } => format!("{clock}{termination}"),
            Outcome::OutOfMemory { termination } => format!("out of memory{termination}"),
        }
    }

    /// This death, knowing what the same case did in a fresh process.
    ///
    /// If that was a death too it takes this one's place, since nothing read before can have had a part in it.
    #[must_use]
    pub(crate) fn confirmed_by(mut self, mut fresh: Outcome) -> Outcome {
        if let Some(termination) = fresh.termination_mut() {
            termination.rerun = Rerun::Confirmed;
            return fresh;
        }
        if let Some(termination) = self.termination_mut() {
            let message = fresh.message();
            let colon = if message.is_empty() { "" } else { ": " };
            termination.rerun = Rerun::Flaky(format!("{}{colon}{message}", fresh.name()));
        }
        self
    }

    fn termination_mut(&mut self) -> Option<&mut Termination> {
        match self {
            Outcome::Crash { termination, .. }
            | Outcome::Hang { termination, .. }
            | Outcome::OutOfMemory { termination } => Some(termination),
            _ => None,
        }
    }
}

impl fmt::Display for CrashKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CrashKind::Signal(number) => f.write_str(&signal_name(*number)),
            CrashKind::Sanitizer(error) => write!(f, "sanitizer: {error}"),
            CrashKind::Abort => f.write_str("abort (SIGABRT)"),
            CrashKind::Panic => f.write_str("panic"),
            CrashKind::StackOverflow => f.write_str("stack overflow"),
            // A shell says so of a command that died of a signal.
            CrashKind::Exit(code @ 129..=192) => {
                write!(f, "{} (exit code {code}, as a shell tells it) without an answer", signal_name(code - 128))
            }
            CrashKind::Exit(code) => write!(f, "exit code {code} without an answer"),
        }
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Clock::Wall(time) => write!(f, "no answer in {} ms", time.as_millis()),
            Clock::Cpu => f.write_str("processor time used up (SIGXCPU)"),
        }
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
        Outcome::Crash { kind: CrashKind::Signal(number), termination: Termination::default() }
    }

    #[test]
    fn a_second_death_takes_the_place_of_the_first() {
        let outcome = crash(11).confirmed_by(crash(7));
        assert_eq!(outcome.message(), "SIGBUS, again in a fresh process");
    }

    #[test]
    fn a_death_that_does_not_come_again_says_what_came_instead() {
        let fresh = Outcome::Reject { stage: Some(Stage::Header), message: "bad magic".into() };
        let outcome = crash(11).confirmed_by(fresh);
        assert_eq!(outcome.name(), "crash");
        assert_eq!(outcome.message(), "SIGSEGV, flaky: a fresh process gave reject: bad magic");
    }

    #[test]
    fn a_death_quotes_the_last_line_of_stderr_that_says_anything() {
        let termination = Termination { stderr: "first\nthe last  \n\n".into(), ..Termination::default() };
        assert_eq!(Outcome::OutOfMemory { termination }.message(), "out of memory; stderr ends: the last");
    }
}
