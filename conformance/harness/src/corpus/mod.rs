//! **The corpus folder**: building it, its manifest, selecting cases, and checking and exporting copies.
//!
//! [`audit`] compares a copy of any release with its own manifest, and [`build`] compares a folder with the case
//! functions of this program.

mod archive;
mod audit;
pub mod build;
mod error;
mod folder;
mod load;
mod manifest;
mod selection;

pub use archive::{archive, part};
pub use audit::{Audit, audit};
pub use error::CorpusError;
pub use folder::{FileFault, FileProblem};
pub use load::Corpus;
pub use manifest::{Budget, ByteRange, Case, CaseFile, Edit, MANIFEST_VERSION, Manifest, Recipe, SpecRef, Status};
pub use selection::{CaseSelection, case_glob};
