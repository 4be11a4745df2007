//! **The generator**: [`generate`] creates valid files from a seed and a [`Config`].
//!
//! Whatever the configuration, the files break no must-rule and no should-rule. The same kind, configuration and seed
//! produce the same bytes on every machine and in every release.
//!
//! ```
//! use torchproof::generate::{Config, GeneratedKind, generate};
//! use torchproof::pte::Pte;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! for seed in 0..10 {
//!     let files = generate(GeneratedKind::Pair, &Config::default(), seed)?;
//!     let [program, data] = &files[..] else { unreachable!("a pair is two files") };
//!     assert_eq!((program.extension, data.extension), ("pte", "ptd"));
//!     assert!(Pte::open(&program.bytes)?.methods().count() > 0);
//! }
//! # Ok(()) }
//! ```

mod config;
mod maker;
mod metadata;
mod ptd;
mod pte;
mod setting;
#[cfg(feature = "arbitrary")]
mod swarm;
#[cfg(all(test, feature = "json"))]
mod tests;

pub use config::{Config, Setting};
pub use pte::operators;
pub use setting::{Generation, SettingError};

use alloc::vec;
use alloc::vec::Vec;

use crate::named::named;
use crate::write::WriteError;
use maker::Maker;

named! { all
    /// The kind of file to generate.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum GeneratedKind {
        /// A program file.
        Pte = "pte",
        /// A data file of the current layout.
        Ptd = "ptd",
        /// A data file of the legacy layout.
        PtdLegacy = "ptd-legacy",
        /// A program file, and a data file with its external tensors.
        Pair = "pair",
    }
}

/// A generated file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedFile {
    /// The file name extension: `pte` or `ptd`.
    pub extension: &'static str,
    /// The bytes of the whole file.
    pub bytes: Vec<u8>,
}

/// Generates one file, or the two files of a pair, the program first.
///
/// # Errors
///
/// Returns an error if the file exceeds this host's memory.
pub fn generate(kind: GeneratedKind, config: &Config, seed: u64) -> Result<Vec<GeneratedFile>, WriteError> {
    let mut maker = Maker::new(config, seed);
    let program = |bytes| GeneratedFile { extension: "pte", bytes };
    let data = |bytes| GeneratedFile { extension: "ptd", bytes };
    Ok(match kind {
        GeneratedKind::Pte => vec![program(pte::make(&mut maker, &[])?)],
        GeneratedKind::Ptd => {
            let tensors = ptd::tensors(&mut maker);
            vec![data(ptd::make(&mut maker, &tensors)?)]
        }
        GeneratedKind::PtdLegacy => vec![data(ptd::legacy::make(&mut maker)?)],
        GeneratedKind::Pair => {
            let tensors = ptd::tensors(&mut maker);
            vec![program(pte::make(&mut maker, &tensors)?), data(ptd::make(&mut maker, &tensors)?)]
        }
    })
}
