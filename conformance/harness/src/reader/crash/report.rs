//! The parts of a crash report.

use serde::{Deserialize, Serialize};
use torchproof::named;

use super::frames::Frame;

/// The maximum number of characters in [`CrashReport::line`].
const LINE_KEPT: usize = 400;

/// The report of a crash, as a sanitizer or a language runtime wrote it to stderr.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrashReport {
    /// The kind of the crash.
    pub kind: CrashKind,
    /// The line that states the cause, such as the panic message or the sanitizer's summary. The text is untrusted and
    /// must be escaped for a terminal.
    pub line: String,
    /// The innermost frames of the stack, without frames of runtimes, allocators and sanitizers.
    pub frames: Vec<Frame>,
    /// The estimated severity.
    pub severity: Severity,
    /// Whether the report proves an uncaught error. Reports that do not prove an uncaught error can come from a program
    /// that ends normally.
    pub(super) is_uncaught: bool,
    pub(super) is_from_sanitizer: bool,
}

/// The kind of a crash report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CrashKind {
    /// A sanitizer report, with the sanitizer's name for the error.
    Sanitizer(String),
    /// A panic of Rust or Go.
    Panic,
    /// An uncaught exception, with the name of its type, or with an empty name if the report states no type.
    Exception(String),
    /// Exhausted memory.
    OutOfMemory,
    /// A stack overflow that the language runtime detected.
    StackOverflow,
    /// An abort with a message, such as a failed assertion or a corrupt heap.
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
    /// Returns whether the report proves that the reader did not end normally.
    pub const fn is_uncaught(&self) -> bool {
        self.is_uncaught
    }

    /// Returns whether a sanitizer wrote the report. Some sanitizers let the program continue.
    pub const fn is_from_sanitizer(&self) -> bool {
        self.is_from_sanitizer
    }
}

impl Severity {
    /// Returns the severity of the crash class `class` of `libcasr`.
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

/// Truncates a line that states the cause.
pub(super) fn kept(line: &str) -> String {
    line.trim().chars().take(LINE_KEPT).collect()
}
