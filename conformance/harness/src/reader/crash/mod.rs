//! **Crash reports**: the information about a crash in the reader's stderr.
//!
//! [`CrashReport::of`] recognizes the reports of sanitizers and of language runtimes. The crate `libcasr` parses the
//! frames and estimates the severity. The time and the memory are linear in the length of stderr.

mod frames;
mod language;
mod report;
mod sanitizer;
pub(super) mod symbols;
#[cfg(test)]
mod tests;

pub use frames::Frame;
pub use report::{CrashKind, CrashReport, Severity};

impl CrashReport {
    /// Returns the report on stderr, if stderr contains one.
    ///
    /// A sanitizer report takes precedence over other reports. Otherwise, the function returns the first report.
    pub fn of(stderr: &str) -> Option<Self> {
        let lines: Vec<&str> = stderr.lines().map(str::trim_end).collect();
        sanitizer::report(&lines).or_else(|| language::report(&lines))
    }
}
