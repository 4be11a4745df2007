//! Reads one file, changes its metadata and writes the result.

use std::path::PathBuf;
use std::process::ExitCode;

use torchproof_harness::disk::OverwritePolicy;
use torchproof_harness::text::escape::plain_name;

use super::super::{CommandResult, complain, new_file, note_left_out};
use crate::document::{Document, EditError};

/// The arguments that name the input and the output.
#[derive(Debug, clap::Args)]
pub(super) struct ChangeArgs {
    /// The .pte or .ptd file
    pub(super) file: PathBuf,
    /// Write the changed file to OUT, and leave FILE unchanged
    #[arg(long, short, value_name = "OUT", value_parser = new_file())]
    output: Option<PathBuf>,
    /// Replace OUT if it exists
    #[arg(long, short, requires = "output")]
    force: bool,
}

impl ChangeArgs {
    /// Changes the document with `act`, and writes it unless `act` returns `false`. For a broken file, prints one line
    /// to stderr and returns exit code 1.
    pub(super) fn make(&self, act: impl FnOnce(&mut Document) -> Result<bool, EditError>) -> CommandResult {
        let named = |error: EditError| match error {
            // All other messages already begin with a path.
            EditError::Rejected(_) | EditError::Write(_) | EditError::Segment { .. } => {
                format!("{}: {error}", self.name())
            }
            other => other.to_string(),
        };
        let mut document = match Document::open(&self.file) {
            Ok(document) => document,
            Err(error) if error.is_broken() => {
                complain(&error.to_string());
                return Ok(ExitCode::FAILURE);
            }
            Err(error) => return Err(error.into()),
        };
        if !act(&mut document).map_err(named)? {
            return Ok(ExitCode::FAILURE);
        }
        let (target, existing) = match &self.output {
            None => (&self.file, OverwritePolicy::Replace),
            Some(output) if self.force => (output, OverwritePolicy::Replace),
            Some(output) => (output, OverwritePolicy::Keep),
        };
        document.save(target, existing).map_err(named)?;
        note_left_out(&self.file, document.left_out());
        Ok(ExitCode::SUCCESS)
    }

    pub(super) fn name(&self) -> String {
        plain_name(&self.file.to_string_lossy())
    }
}
