//! **Mutates `.pte` and `.ptd` files for fuzzers**, by the schema and by the attacks of torchproof.
//!
//! A [`Mutator`] changes any bytes. It changes a program, a data file, a bundled program, or a [pair](Pair) of program and data
//! file by its structure. It changes other bytes at random, or with the fuzzer's own mutations.
//!
//! ```
//! use torchproof_mutator::Mutator;
//!
//! let file = std::fs::read("../../corpus/real/linear.pte").unwrap();
//! let mut mutator = Mutator::new();
//! let mut mutant = Vec::new();
//! let mutation = mutator.mutate(&file, 8192, 1, &mut mutant);
//! assert!(mutant != file && mutant.len() <= 8192, "{}", mutation.name);
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
//! | `bytes/…` | random changes of bytes, or the fuzzer's own mutation |
//!
//! The result depends only on the input, the seed and the size limit, and on the fuzzer's own mutation if there is one.
#![forbid(unsafe_code)]

mod bases;
mod bundle;
mod copy;
mod create;
mod edit;
mod grow;
mod in_place;
mod number;
mod pair;
mod parts;
mod site;
mod splice;
#[cfg(test)]
mod tests;
mod verdict;

use fastrand::Rng;
use torchproof::FileKind;
use torchproof::attack::change_bytes;
use torchproof::rules::Rule;

use bases::Bases;
use parts::FileParts;

pub use grow::repair;
pub use in_place::mutate_in_place;
pub use pair::{PAIR_MAGIC, Pair};
pub use verdict::{InputReport, describe};

/// A mutation of a fuzzer's engine: changes a buffer that contains `size` bytes and has room for `max_size` bytes, and returns
/// the new size. The function `libfuzzer_sys::fuzzer_mutate` has this type.
pub type Engine = fn(data: &mut [u8], size: usize, max_size: usize) -> usize;

/// A mutator of files. It stores nothing that affects its results; its cache of byte maps only saves time.
#[derive(Debug)]
pub struct Mutator {
    engine: Option<Engine>,
    bases: Bases,
}

/// What a mutation did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mutation {
    /// The kind of the change, in the form `family/name`.
    pub name: &'static str,
    /// The rule that the result breaks, if an attack broke a rule. Other mutations break rules too, but name none.
    pub rule: Option<&'static Rule>,
}

impl Mutation {
    const fn named(name: &'static str) -> Self {
        Self { name, rule: None }
    }
}

impl Default for Mutator {
    fn default() -> Self {
        Self::new()
    }
}

/// The maximum number of edits in one mutation.
const MOST_EDITS: usize = 4;

/// The share of mutations, in 256, that edit an accepted case of the corpus instead of the input. A reader rejects most inputs that
/// a fuzzer keeps at an early stage, and also most mutants of these inputs.
const FRESH: u8 = 64;

/// The number of mutations to draw until one applies and changes the file.
const TRIES: usize = 4;

impl Mutator {
    /// Creates a mutator that changes bytes at random where the structure is unknown.
    #[must_use]
    pub fn new() -> Self {
        Self { engine: None, bases: Bases::new() }
    }

    /// Creates a mutator that uses the fuzzer's own mutation where the structure is unknown, and for a share of the files.
    #[must_use]
    pub fn with_engine(engine: Engine) -> Self {
        Self { engine: Some(engine), ..Self::new() }
    }

    /// Mutates an input. Replaces the content of `out` with at most `max_len` bytes.
    ///
    /// Bytes of the input after `max_len` are ignored.
    pub fn mutate(&mut self, bytes: &[u8], max_len: usize, seed: u64, out: &mut Vec<u8>) -> Mutation {
        let bytes = &bytes[..bytes.len().min(max_len)];
        let random = &mut Rng::with_seed(seed);
        let pair = Pair::split(bytes).filter(|_| random.u8(..16) != 0);
        let mutation = match pair.and_then(|pair| self.mutate_pair(pair, max_len, random, out)) {
            Some(mutation) => mutation,
            None => self.mutate_file(bytes, max_len, false, random, out),
        };
        out.truncate(max_len);
        mutation
    }

    /// Combines two inputs. Replaces the content of `out` with at most `max_len` bytes.
    ///
    /// The result is the input `bytes` with a part of the input `other`. If the inputs have no parts in common, the result is the
    /// start of `bytes` and the end of `other`.
    pub fn cross(&mut self, bytes: &[u8], other: &[u8], max_len: usize, seed: u64, out: &mut Vec<u8>) -> Mutation {
        let bytes = &bytes[..bytes.len().min(max_len)];
        let random = &mut Rng::with_seed(seed);
        let spliced = pair::cross(bytes, other, max_len, random, out);
        let mutation = Mutation::named(spliced.unwrap_or_else(|| {
            out.clear();
            out.extend_from_slice(&bytes[..random.usize(..=bytes.len())]);
            let rest = random.usize(..=other.len());
            out.extend_from_slice(&other[rest..]);
            "bytes/cross"
        }));
        out.truncate(max_len);
        mutation
    }

    /// Creates a program, a data file or a bundled program from a seed. Replaces the content of `out` with at most `max_len`
    /// bytes. If `max_len` is too small for a file, the result is empty.
    pub fn generate(&mut self, max_len: usize, seed: u64, out: &mut Vec<u8>) {
        *out = create::file(max_len, &mut Rng::with_seed(seed));
    }

    /// Creates a [pair](Pair) from a seed. Replaces the content of `out` with at most `max_len` bytes. If `max_len` is too small
    /// for the pairs of the seed, the result is empty; 16,384 bytes are enough for almost all seeds.
    pub fn generate_pair(&mut self, max_len: usize, seed: u64, out: &mut Vec<u8>) {
        out.clear();
        let room = max_len.saturating_sub(Pair::OVERHEAD);
        if let Some([program, data]) = create::pair(room, &mut Rng::with_seed(seed)) {
            Pair { program: &program, data: &data }.join(out);
        }
    }

    /// Mutates a file that is not a pair. If `inner` is set, the file is inside another file and does not become a new file.
    fn mutate_file(
        &mut self,
        bytes: &[u8],
        max_len: usize,
        inner: bool,
        random: &mut Rng,
        out: &mut Vec<u8>,
    ) -> Mutation {
        if let Some(parts) = FileParts::of(bytes) {
            if !inner && random.u8(..) < FRESH {
                let mutation = Self::edit_case(parts.kind, max_len, random, out);
                if let Some(mutation) = mutation {
                    return mutation;
                }
            }
            for _ in 0..TRIES {
                copy_to(out, bytes);
                let made = self.mutate_structure(bytes, &parts, max_len, inner, random, out);
                if let Some(mutation) = made.filter(|_| out != bytes) {
                    return mutation;
                }
            }
        } else if !inner && (bytes.is_empty() || random.u8(..16) == 0) {
            *out = create::file(max_len, random);
            if !out.is_empty() {
                return Mutation::named("create/file");
            }
        }
        copy_to(out, bytes);
        self.mutate_bytes(max_len, random, out)
    }

    /// Writes an accepted case of a kind to `out`, and edits the case.
    fn edit_case(kind: FileKind, max_len: usize, random: &mut Rng, out: &mut Vec<u8>) -> Option<Mutation> {
        let (case, path) = create::site(kind, max_len, random)?;
        let parts = FileParts::of(case)?;
        copy_to(out, case);
        edit::edit_at(out, &parts, path, random)?;
        for _ in 1..edits(random) {
            edit::edit(out, &parts, random);
        }
        Some(Mutation::named("create/edit"))
    }

    /// Applies one mutation to `out`, which is a copy of `bytes`. Returns `None` if the mutation does not apply to the file.
    ///
    /// The shares keep the mutator fast: an attack takes up to a thousand times as long as an edit.
    fn mutate_structure(
        &mut self,
        bytes: &[u8],
        parts: &FileParts,
        max_len: usize,
        inner: bool,
        random: &mut Rng,
        out: &mut Vec<u8>,
    ) -> Option<Mutation> {
        if !inner && random.bool() && bundle::program(bytes, parts).is_some() {
            return self.mutate_bundle(bytes, parts, max_len, random, out);
        }
        let name = match random.u8(..) {
            0..2 => {
                let attacked = self.bases.attack(bytes, random).filter(|attacked| attacked.bytes.len() <= max_len)?;
                *out = attacked.bytes;
                return Some(Mutation { name: attacked.label.attack, rule: attacked.label.rule });
            }
            2..16 => edit::edit_header(out, parts, random)?,
            16..24 => grow::shift(out, parts, random),
            24..40 => splice::splice(out, bytes, max_len, random)?,
            40..64 => {
                let cases = create::cases();
                splice::splice(out, cases.get(random.usize(..cases.len().max(1)))?, max_len, random)?
            }
            64..192 => {
                let name = edit::edit(out, parts, random)?;
                for _ in 1..edits(random) {
                    edit::edit(out, parts, random);
                }
                name
            }
            _ => return Some(self.mutate_bytes(max_len, random, out)),
        };
        Some(Mutation::named(name))
    }

    /// Changes bytes of `out` without regard to the structure.
    fn mutate_bytes(&mut self, max_len: usize, random: &mut Rng, out: &mut Vec<u8>) -> Mutation {
        // libFuzzer ends the process if the limit is 0, or if the input is longer than the limit.
        if let Some(engine) = self.engine.filter(|_| max_len > 0) {
            let size = out.len().min(max_len);
            out.resize(max_len, 0);
            let len = engine(out, size, max_len).min(max_len);
            out.truncate(len);
            return Mutation::named("bytes/engine");
        }
        if out.is_empty() {
            out.push(random.u8(..));
        } else {
            change_bytes(out, random.u64(..));
        }
        Mutation::named("bytes/random")
    }
}

/// Draws the number of edits in one mutation. Half of the mutations make one edit, because each further edit can hide the effect
/// of the others.
fn edits(random: &mut Rng) -> usize {
    if random.bool() { 1 } else { random.usize(2..=MOST_EDITS) }
}

fn copy_to(out: &mut Vec<u8>, bytes: &[u8]) {
    out.clear();
    out.extend_from_slice(bytes);
}
