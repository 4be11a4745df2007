//! **Mutates `.pte` and `.ptd` files for fuzzers**, by the schema and by the attacks of torchproof.
//!
//! A [`Mutator`] uses the structure of a program, a data file, a bundled program, or a [pair](Pair) of program and data
//! file to change it. It changes any other bytes at random, or with the fuzzer's own mutations.
//!
//! ```
//! use torchproof_mutator::Mutator;
//!
//! let file = std::fs::read("../../corpus/real/linear.pte").unwrap();
//! let mutant = Mutator::new().mutate(&file, 8192, 1);
//! assert!(mutant.bytes != file && mutant.bytes.len() <= 8192, "{}", mutant.name);
//! ```
//!
//! | mutation | change |
//! |---|---|
//! | `FAMILY/NAME` | an [attack](torchproof::attack) |
//! | `edit/…` | a number, enum value, tag, offset, count, string or vtable that a random path through the schema reaches |
//! | `header/…` | a field of the header |
//! | `splice/…` | a table, vector, string, segment or header of another file, with or without a repaired header |
//! | `length/…` | bytes inserted or removed, with or without a repaired header |
//! | `pair/…` | a name that both files of a pair contain, or an exchanged file |
//! | `create/file` | a new file, for an input that is not a file |
//! | `create/edit` | an edited case of the corpus, chosen by a field of the schema |
//! | `bytes/…` | random byte changes, or the fuzzer's own mutation |
//!
//! The result depends only on the input, the seed and the size limit, and on the fuzzer's own mutation if there is one.
#![forbid(unsafe_code)]

mod bases;
mod create;
mod in_place;
mod pair;
mod share;
#[cfg(test)]
mod tests;
mod verdict;

use torchproof::FileKind;
use torchproof::attack::AttackedFile;
use torchproof::mutate::{Edit, EditedFile};
use torchproof::random::Random;
use torchproof::rules::Rule;

use bases::Bases;
use create::samples;

pub use in_place::mutate_in_place;
pub use torchproof::mutate::{Pair, repair};
pub use verdict::{InputReport, describe};

/// A fuzzer engine's mutation: changes a buffer that contains `size` bytes and has room for `max_size` bytes, and
/// returns the new size. The `libfuzzer_sys::fuzzer_mutate` function has this type.
pub type Engine = fn(data: &mut [u8], size: usize, max_size: usize) -> usize;

/// A mutator of files. It stores nothing that affects its results; its cache of byte maps only saves time.
#[derive(Debug, Default)]
pub struct Mutator {
    engine: Option<Engine>,
    bases: Bases,
}

/// A mutated input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mutant {
    /// The input's bytes.
    pub bytes: Vec<u8>,
    /// The kind of change, in the form `family/name`.
    pub name: &'static str,
    /// The rule that the result breaks, if an attack broke it. Other mutations also break rules, but do not name them.
    pub rule: Option<&'static Rule>,
}

impl Mutant {
    fn new(bytes: Vec<u8>, name: &'static str) -> Self {
        Self { bytes, name, rule: None }
    }
}

impl From<EditedFile> for Mutant {
    fn from(edited: EditedFile) -> Self {
        Self::new(edited.bytes, edited.name)
    }
}

impl From<AttackedFile> for Mutant {
    fn from(attacked: AttackedFile) -> Self {
        Self { bytes: attacked.bytes, name: attacked.label.attack, rule: attacked.label.rule }
    }
}

/// How many of 256 mutations edit an accepted case instead of the input, because a reader rejects most inputs that a
/// fuzzer keeps, and most of their mutants, at an early stage.
const FRESH: u64 = 64;

/// How many mutations to try until one of them applies and changes the file.
const TRIES: usize = 4;

impl Mutator {
    /// Creates a mutator that changes bytes at random where the structure is unknown.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Mutates an input. The result has at most `most` bytes, and bytes of the input after `most` are ignored.
    #[must_use]
    pub fn mutate(&mut self, input: &[u8], most: usize, seed: u64) -> Mutant {
        let input = &input[..input.len().min(most)];
        let random = &mut Random::new(seed);
        let pair = Pair::split(input).filter(|_| !random.one_in(16));
        let mut mutant = match pair.and_then(|pair| self.mutate_pair(pair, most, random)) {
            Some(mutant) => mutant,
            None => self.mutate_file(input, most, false, random),
        };
        mutant.bytes.truncate(most);
        mutant
    }

    /// Combines two inputs into at most `most` bytes: `input` with a part of `other` or, if they have no parts in
    /// common, the start of `input` and the end of `other`.
    #[must_use]
    pub fn cross(input: &[u8], other: &[u8], most: usize, seed: u64) -> Mutant {
        let input = &input[..input.len().min(most)];
        let random = &mut Random::new(seed);
        let crossed = pair::cross(input, other, most, random);
        let crossed = crossed.or_else(|| Some(Edit::Cross.apply(input, other, usize::MAX, random)?.into()));
        let mut mutant = crossed.unwrap_or_else(|| Mutant::new(input.to_vec(), "bytes/cross"));
        mutant.bytes.truncate(most);
        mutant
    }

    /// Creates a program, a data file or a bundled program of at most `most` bytes from a seed; empty if none fits.
    #[must_use]
    pub fn generate(most: usize, seed: u64) -> Vec<u8> {
        create::file(most, &mut Random::new(seed))
    }

    /// Creates a [pair](Pair) of at most `most` bytes from a seed; empty if none fits. For almost all seeds, 16,384
    /// bytes are enough.
    #[must_use]
    pub fn generate_pair(most: usize, seed: u64) -> Vec<u8> {
        let pair = create::pair(most.saturating_sub(Pair::OVERHEAD), &mut Random::new(seed));
        pair.map(|[program, data]| Pair { program: &program, data: &data }.join()).unwrap_or_default()
    }

    /// If `inner` is set, the file is part of a pair, so it is not replaced by a new file.
    fn mutate_file(&mut self, bytes: &[u8], most: usize, inner: bool, random: &mut Random) -> Mutant {
        let kind = FileKind::of_head(bytes);
        if matches!(kind, FileKind::Pte | FileKind::Ptd | FileKind::Bpte) {
            let fresh = !inner && random.below(256) < FRESH;
            if let Some(edited) = if fresh { samples().edit(kind, most, random) } else { None } {
                return Mutant::new(edited.bytes, "create/edit");
            }
            if let Some(mutant) = (0..TRIES).find_map(|_| self.mutate_structure(bytes, most, random)) {
                return mutant;
            }
        } else if !inner && (bytes.is_empty() || random.one_in(16)) {
            let created = create::file(most, random);
            if !created.is_empty() {
                return Mutant::new(created, "create/file");
            }
        }
        self.mutate_bytes(bytes, most, random)
    }

    /// Returns `None` if the mutation does not apply. The shares keep the mutator fast: an attack takes up to a
    /// thousand times as long as an edit.
    fn mutate_structure(&mut self, bytes: &[u8], most: usize, random: &mut Random) -> Option<Mutant> {
        let (edit, donor) = match random.below(256) {
            0..2 => {
                let attacked = self.bases.attack(bytes, random);
                return attacked.filter(|attacked| attacked.bytes.len() <= most).map(Mutant::from);
            }
            2..16 => (Edit::Header, bytes),
            16..24 => (Edit::Length, bytes),
            24..40 => (Edit::Splice, bytes),
            40..64 => (Edit::Splice, &random.pick(samples().files())?[..]),
            64..192 => (Edit::Field, bytes),
            _ => return Some(self.mutate_bytes(bytes, most, random)),
        };
        edit.apply(bytes, donor, most, random).map(Mutant::from)
    }

    fn mutate_bytes(&mut self, bytes: &[u8], most: usize, random: &mut Random) -> Mutant {
        // libFuzzer ends the process if the limit is 0, or if the input is longer than the limit.
        if let Some(engine) = self.engine.filter(|_| most > 0) {
            let (mut data, size) = (bytes.to_vec(), bytes.len().min(most));
            data.resize(most, 0);
            let len = engine(&mut data, size, most).min(most);
            data.truncate(len);
            return Mutant::new(data, "bytes/engine");
        }
        let edited = Edit::Bytes.apply(bytes, &[], most, random);
        edited.map_or_else(|| Mutant::new(bytes.to_vec(), "bytes/random"), Mutant::from)
    }
}
