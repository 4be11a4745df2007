//! **Crash reports**: what the reader's stderr says about a crash.
//!
//! [`CrashReport::of`] recognizes reports from sanitizers and language runtimes. The `libcasr` crate parses the frames
//! and estimates the severity. Both time and memory are linear in the length of stderr.

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
    /// Returns the first report on stderr, if any. A sanitizer's report takes precedence over other reports.
    pub fn of(stderr: &str) -> Option<Self> {
        let lines: Vec<&str> = stderr.lines().map(str::trim_end).collect();
        sanitizer::report(&lines).or_else(|| language::report(&lines))
    }
}
