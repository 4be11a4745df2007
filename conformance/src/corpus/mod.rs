//! **A corpus on disk**: its manifest, and the choice of its cases.

mod error;
mod load;
mod selection;

pub use error::CorpusError;
pub use load::Corpus;
pub use selection::{Selection, case_glob};
