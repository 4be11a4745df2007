//! How a subcommand reports that has two ways to.

use std::io;

use serde::Serialize;

use super::print;

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// For people
    Text,
    /// For programs: one object
    Json,
}

impl Format {
    /// Prints the text, or the report as JSON.
    pub(super) fn print(self, report: &impl Serialize, text: impl FnOnce() -> String) -> io::Result<()> {
        match self {
            Format::Text => print(&text()),
            Format::Json => print_json(report),
        }
    }
}

/// Prints one JSON object, indented.
pub(super) fn print_json(report: &impl Serialize) -> io::Result<()> {
    print(&(serde_json::to_string_pretty(report)? + "\n"))
}
