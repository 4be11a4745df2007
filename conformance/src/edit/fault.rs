//! Whose fault it is that a file is not edited.

use torchproof::ErrorCode;
use torchproof::write::Fault;

use super::EditError;

impl EditError {
    /// Whose fault it is: [`Fault::Broken`] is that of the file to be edited.
    ///
    /// ```
    /// use std::path::Path;
    /// use torchproof::write::Fault;
    /// use torchproof_cli::meta::edit::open;
    ///
    /// let fault = |path: &str| open(Path::new(path)).unwrap_err().fault();
    /// assert_eq!(fault("nowhere.pte"), Fault::Input);
    /// assert_eq!(fault("../corpus/files/pte/header/length-23.pte"), Fault::Broken);
    /// assert_eq!(fault("../corpus/real/legacy_v0.6.0_tensors.ptd"), Fault::Specification); // it is of no kind to be edited
    /// ```
    #[must_use]
    pub fn fault(&self) -> Fault {
        match self {
            EditError::Input(_) | EditError::Digest { .. } | EditError::Segment { .. } => Fault::Input,
            EditError::Broken { error, .. } if matches!(error.error().code, ErrorCode::Limit(_)) => Fault::Limit,
            EditError::Broken { .. } => Fault::Broken,
            EditError::NotAccepted { examined, .. } if examined.rejects(false) => Fault::Broken,
            EditError::Rejected(examined) if examined.rejects(false) => Fault::Specification,
            // What is not examined to the end is too much work, and a field that is not known cannot be kept.
            EditError::NotAccepted { .. } | EditError::Rejected(_) | EditError::NewerSchema { .. } => Fault::Limit,
            EditError::Write(error) => error.fault(),
            EditError::Output { .. } => Fault::Output,
            EditError::SamePlace { .. }
            | EditError::StillNeeded { .. }
            | EditError::NotEdited { .. }
            | EditError::OlderLayout
            | EditError::Move(_)
            | EditError::Alignment { .. }
            | EditError::Overlap(_) => Fault::Specification,
        }
    }
}
