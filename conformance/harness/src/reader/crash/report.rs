//! The parts of a crash report.

use serde::{Deserialize, Serialize};
use torchproof::named;

use super::frames::Frame;

const LINE_KEPT: usize = 400;

/// The report of a crash that a sanitizer or a language runtime wrote to stderr.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrashReport {
    pub kind: CrashKind,
    /// The line with the cause, such as the panic message or the sanitizer's summary. It is untrusted, so escape it for
    /// a terminal.
    pub line: String,
    /// The innermost frames of the stack, without frames from runtimes, allocators and sanitizers.
    pub frames: Vec<Frame>,
    pub severity: Severity,
    /// `true` if the report proves an uncaught error. A program that ends normally can still write other reports.
    pub(super) is_uncaught: bool,
    pub(super) is_from_sanitizer: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CrashKind {
    /// The sanitizer's name for the error.
    Sanitizer(String),
    /// A panic in Rust or Go.
    Panic,
    /// The name of the uncaught type, or empty if the report names none.
    Exception(String),
    OutOfMemory,
    /// A stack overflow that a language runtime detected.
    StackOverflow,
    /// An abort, for example because of a failed assertion or a corrupt heap.
    Abort,
}

named! {
    /// The severity of a crash, as `libcasr` estimates it.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "kebab-case")]
    pub enum Severity {
        /// The report contains too little information.
        #[default]
        Undefined = "undefined",
        /// An attacker can probably stop the program, but cannot do more harm.
        NotExploitable = "not-exploitable",
        /// The crash can indicate corrupt memory.
        ProbablyExploitable = "probably-exploitable",
        /// The program wrote to invalid memory.
        Exploitable = "exploitable",
    }
}

impl CrashReport {
    pub const fn is_uncaught(&self) -> bool {
        self.is_uncaught
    }

    /// Returns whether the report is from a sanitizer. Some sanitizers let the program continue.
    pub const fn is_from_sanitizer(&self) -> bool {
        self.is_from_sanitizer
    }
}

impl Severity {
    /// Returns the severity of a `libcasr` crash class.
    pub(in crate::reader) fn of_class(class: &str) -> Self {
        libcasr::execution_class::ExecutionClass::find(class).map_or(Self::Undefined, |class| Self::of_casr(&class))
    }

    pub(super) fn of_casr(class: &libcasr::execution_class::ExecutionClass) -> Self {
        match class.severity.as_str() {
            "EXPLOITABLE" => Self::Exploitable,
            "PROBABLY_EXPLOITABLE" => Self::ProbablyExploitable,
            "NOT_EXPLOITABLE" => Self::NotExploitable,
            _ => Self::Undefined,
        }
    }
}

pub(super) fn kept(line: &str) -> String {
    line.trim().chars().take(LINE_KEPT).collect()
}
