//! **A corpus on disk**: its manifest, and the selection of cases.

pub mod build;
mod coverage;
mod error;
pub(crate) mod folder;
mod load;
mod manifest;
mod selection;

pub use coverage::{Coverage, Covered, Totals};
pub use error::CorpusError;
pub use folder::{FileFault, FileProblem};
pub use load::Corpus;
pub use manifest::{Budget, ByteRange, Case, CaseFile, Edit, MANIFEST_VERSION, Manifest, Recipe, SpecRef, Status};
pub use selection::{CaseSelection, case_glob};
