//! **Reports of a run** in several formats. All formats print the same [records](crate::run::record).

mod again;
mod complaint;
mod html;
mod junit;
mod markdown;
mod sarif;
mod text;
mod words;

pub use again::Again;
pub use complaint::Complaint;
pub use html::html;
pub use junit::junit;
pub use markdown::markdown;
pub use sarif::sarif;
pub use text::{Layout, summary, text};
