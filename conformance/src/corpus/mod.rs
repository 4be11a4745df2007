//! **A corpus on disk**: its manifest, and the choice of its cases.

pub mod build;
mod coverage;
mod error;
mod load;
mod selection;

pub use coverage::{Coverage, Covered, Totals};
pub use error::CorpusError;
pub use load::Corpus;
pub use selection::{CaseSelection, case_glob};
