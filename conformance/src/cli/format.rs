//! The output formats of subcommands that print text or JSON.

use std::io;

use serde::Serialize;
use torchproof_harness::text::ascii;

use super::print;

/// An output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// Text
    Text,
    /// One JSON object
    Json,
}

impl Format {
    pub(super) fn print(self, report: &impl Serialize, text: impl FnOnce() -> String) -> io::Result<()> {
        match self {
            Format::Text => print(&text()),
            Format::Json => print_json(report),
        }
    }
}

pub(super) fn print_json(report: &impl Serialize) -> io::Result<()> {
    print(&ascii::pretty(report)?)
}
