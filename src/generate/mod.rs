//! **Valid files without end**: [`generate`] makes them from a seed and a [`Config`].
//!
//! Whatever the configuration, a file breaks no rule that files have to keep, nor one that writers always keep. The same kind,
//! configuration and seed give the same bytes on every machine and in every release.
//!
//! ```
//! use torchproof::generate::{Config, Kind, generate};
//! use torchproof::pte::Pte;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! for seed in 0..10 {
//!     let files = generate(Kind::Pair, &Config::default(), seed)?;
//!     let [program, data] = &files[..] else { unreachable!("a pair is two files") };
//!     assert_eq!((program.extension, data.extension), ("pte", "ptd"));
//!     assert!(Pte::open(&program.bytes)?.program().execution_plan()?.is_some());
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
pub use pte::OPERATORS;
pub use setting::{Choice, Count, Generation, Member, Percent, SettingError};

use alloc::vec;
use alloc::vec::Vec;

use crate::write::WriteError;
use maker::Maker;

/// What is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A program file.
    Pte,
    /// A data file of the current layout.
    Ptd,
    /// A data file of the older layout.
    PtdLegacy,
    /// A program file, and the data file that its external tensors are in.
    Pair,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 4] = [Kind::Pte, Kind::Ptd, Kind::PtdLegacy, Kind::Pair];

    /// The name: `pte`, `ptd`, `ptd-legacy` or `pair`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Pte => "pte",
            Kind::Ptd => "ptd",
            Kind::PtdLegacy => "ptd-legacy",
            Kind::Pair => "pair",
        }
    }
}

/// A file that has been made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// `pte` or `ptd`.
    pub extension: &'static str,
    /// The whole file.
    pub bytes: Vec<u8>,
}

/// Makes a file, or the two files of a pair with the program first.
///
/// # Errors
///
/// When the file does not fit into memory on this host.
pub fn generate(kind: Kind, config: &Config, seed: u64) -> Result<Vec<Generated>, WriteError> {
    let mut maker = Maker::new(config, seed);
    let program = |bytes| Generated { extension: "pte", bytes };
    let data = |bytes| Generated { extension: "ptd", bytes };
    Ok(match kind {
        Kind::Pte => vec![program(pte::make(&mut maker, &[])?)],
        Kind::Ptd => {
            let tensors = ptd::tensors(&mut maker);
            vec![data(ptd::make(&mut maker, &tensors)?)]
        }
        Kind::PtdLegacy => vec![data(ptd::older::make(&mut maker)?)],
        Kind::Pair => {
            let tensors = ptd::tensors(&mut maker);
            vec![program(pte::make(&mut maker, &tensors)?), data(ptd::make(&mut maker, &tensors)?)]
        }
    })
}
