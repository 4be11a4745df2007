//! A file that is changed: read, edited, and put in place.

use std::path::PathBuf;
use std::process::ExitCode;

use torchproof::write::Fault;
use torchproof_cli::edit::{Document, EditError, Existing};
use torchproof_cli::escape::plain_name;
use torchproof_cli::meta::edit;

use super::super::{Done, complain, guard, new_file, note_left_out, told};

/// Where a change goes.
#[derive(Debug, clap::Args)]
pub(super) struct Change {
    /// The .pte or .ptd file
    pub(super) file: PathBuf,
    /// Write the changed file here, and leave FILE as it is; it is put in place whole, so that it cannot be stdout
    #[arg(long, short, value_name = "OUT", value_parser = new_file())]
    output: Option<PathBuf>,
    /// Replace OUT if it is there
    #[arg(long, short, requires = "output")]
    force: bool,
}

impl Change {
    /// Opens the file, has it changed, and writes it, all or nothing; with `false` from `act`, it is left as it is.
    ///
    /// A file that is broken is exit code 1, with one line on stderr.
    pub(super) fn make(&self, act: impl FnOnce(&mut Document) -> Result<bool, EditError>) -> Done {
        let named = |error: EditError| match error {
            // These have no file in them.
            EditError::Rejected(_)
            | EditError::OlderLayout
            | EditError::Write(_)
            | EditError::Overlap(_)
            | EditError::Digest { .. }
            | EditError::Segment { .. } => format!("{}: {error}", self.name()),
            other => told(&other),
        };
        let guard = guard(&self.file)?;
        let mut document = match edit::open(&self.file) {
            Ok(document) => document,
            Err(error) => {
                let fault = error.fault();
                let message = named(error);
                if fault != Fault::Broken {
                    return Err(message.into());
                }
                complain(&message);
                return Ok(ExitCode::FAILURE);
            }
        };
        if !act(&mut document).map_err(named)? {
            return Ok(ExitCode::FAILURE);
        }
        note_left_out(&self.file, document.left_out());
        let (target, existing) = match &self.output {
            None => (&self.file, Existing::Replace),
            Some(output) if self.force => (output, Existing::Replace),
            Some(output) => (output, Existing::Keep),
        };
        document.save_unless_changed(target, existing, guard.as_ref()).map_err(named)?;
        Ok(ExitCode::SUCCESS)
    }

    /// The file's name in messages.
    pub(super) fn name(&self) -> String {
        plain_name(&self.file.to_string_lossy())
    }
}
