//! **Pairs**: a program and its data file in one input.
//!
//! ```text
//!   0          8                    16          16+P
//!   +----------+--------------------+-----------+-----------+
//!   | TPPAIR01 | P: length, u64     | program   | data file |
//!   +----------+--------------------+-----------+-----------+
//! ```
//!
//! The length is little-endian. The data file extends to the end of the input.

use alloc::vec::Vec;

use super::file::FileParts;
use super::site::{Place, Site, descend_to};
use crate::random::Random;

const TRIES: usize = 32;

const SEARCHED: usize = 1 << 16;

/// A program and its data file.
///
/// ```
/// use torchproof::mutate::Pair;
///
/// let input = Pair { program: b"program", data: b"data" }.join();
/// assert_eq!(Pair::split(&input), Some(Pair { program: b"program", data: b"data" }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair<'b> {
    /// The program's bytes.
    pub program: &'b [u8],
    /// The bytes of the data file.
    pub data: &'b [u8],
}

impl<'b> Pair<'b> {
    /// The first eight bytes of a pair.
    pub const MAGIC: [u8; 8] = *b"TPPAIR01";

    /// How many bytes longer the input is than the program and the data file together.
    pub const OVERHEAD: usize = 16;

    /// Splits an input. Returns `None` if the input is not a pair.
    ///
    /// If the length exceeds the input, the program extends to the end of the input, and the data file is empty.
    #[must_use]
    pub fn split(input: &'b [u8]) -> Option<Self> {
        let (len, rest) = input.strip_prefix(&Self::MAGIC)?.split_first_chunk()?;
        let len = usize::try_from(u64::from_le_bytes(*len)).unwrap_or(usize::MAX);
        let (program, data) = rest.split_at(len.min(rest.len()));
        Some(Self { program, data })
    }

    /// Returns the pair as one input.
    #[must_use]
    pub fn join(&self) -> Vec<u8> {
        let len = (self.program.len() as u64).to_le_bytes();
        [&Self::MAGIC[..], &len, self.program, self.data].concat()
    }

    /// Changes one byte of a key in the data file, either in both files or in only one. Returns the new program, the
    /// new data file and the name of the change; `None` if no file contains the drawn key.
    #[must_use]
    pub fn rename(&self, random: &mut Random) -> Option<(Vec<u8>, Vec<u8>, &'static str)> {
        let is_key = |site: &Site<'_>| {
            let name = site.field.map_or("", |field| field.name);
            matches!(site.place, Place::Text { .. }) && matches!(name, "key" | "fully_qualified_name")
        };
        let site = descend_to(&FileParts::of(self.data)?, random, TRIES, is_key)?;
        let Place::Text { len } = site.place else { return None };
        let old = &self.data[site.at..site.at + len];
        let mut new = old.to_vec();
        new[random.index(len)] ^= 1 << random.index(8);
        let ways = [(true, true), (true, true), (true, false), (false, true)];
        let (in_program, in_data) = ways[random.index(ways.len())];
        let (mut program, mut data) = (self.program.to_vec(), self.data.to_vec());
        let replaced = (in_program && replace(&mut program, old, &new)) | (in_data && replace(&mut data, old, &new));
        let name = if in_program && in_data { "pair/rename" } else { "pair/rename-one" };
        replaced.then_some((program, data, name))
    }
}

/// Replaces every `old` with `new`, which has the same length. Returns whether it found any.
fn replace(bytes: &mut [u8], old: &[u8], new: &[u8]) -> bool {
    let last = bytes.len().min(SEARCHED);
    let (mut at, mut replaced) = (0, false);
    while at + old.len() <= last {
        let found = bytes[at..].starts_with(old);
        if found {
            bytes[at..at + old.len()].copy_from_slice(new);
        }
        at += if found { old.len() } else { 1 };
        replaced |= found;
    }
    replaced
}
