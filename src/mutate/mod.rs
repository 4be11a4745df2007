//! **Mutations** of files, for `torchproof attack`, `torchproof hunt` and the mutator for fuzzers.
//!
//! A driver chooses an [`Edit`], draws random numbers from one [`Random`](crate::random::Random), and passes a file and
//! a donor. An edit knows the schema but promises nothing about its result. An [attack](crate::attack), in contrast,
//! says what it breaks but needs the byte map of the file.
//!
//! ```
//! use torchproof::mutate::Edit;
//! use torchproof::random::Random;
//!
//! let file = std::fs::read("corpus/real/linear.pte").unwrap();
//! let edited = Edit::Field.apply(&file, &[], 8192, &mut Random::new(1)).unwrap();
//! assert!(edited.name.starts_with("edit/") && edited.bytes.len() == file.len());
//! ```

mod bytes;
mod copy;
mod edit;
mod field;
mod file;
mod grow;
mod number;
mod pair;
mod samples;
mod site;
mod splice;
#[cfg(all(test, feature = "std"))]
#[allow(clippy::unwrap_used, reason = "a broken fixture ends the test")]
mod tests;

pub use edit::{Edit, EditedFile};
pub use grow::repair;
pub(crate) use number::number;
pub use pair::Pair;
pub use samples::Samples;
