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

use fastrand::Rng;

use crate::parts::FileParts;
use crate::site::{Place, Site, descend_to};
use crate::splice::splice;
use crate::{Mutation, Mutator};

/// The number of descents that look for a name.
const TRIES: usize = 32;

/// The maximum number of bytes in which a name is searched.
const SEARCHED: usize = 1 << 16;

/// The first eight bytes of a pair.
pub const PAIR_MAGIC: [u8; 8] = *b"TPPAIR01";

/// The number of bytes before the program.
const PREFIX: usize = 16;

/// A program and its data file.
///
/// ```
/// use torchproof_mutator::Pair;
///
/// let mut input = Vec::new();
/// Pair { program: b"program", data: b"data" }.join(&mut input);
/// assert_eq!(Pair::split(&input), Some(Pair { program: b"program", data: b"data" }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair<'b> {
    /// The bytes of the program.
    pub program: &'b [u8],
    /// The bytes of the data file.
    pub data: &'b [u8],
}

impl<'b> Pair<'b> {
    /// Splits an input. Returns `None` if the input is not a pair.
    ///
    /// If the stated length exceeds the input, the program extends to the end of the input and the data file is empty.
    #[must_use]
    pub fn split(input: &'b [u8]) -> Option<Self> {
        let rest = input.strip_prefix(&PAIR_MAGIC)?;
        let (len, rest) = rest.split_first_chunk()?;
        let len = usize::try_from(u64::from_le_bytes(*len)).unwrap_or(usize::MAX);
        let (program, data) = rest.split_at(len.min(rest.len()));
        Some(Self { program, data })
    }

    /// Writes the pair as one input. Replaces the content of `out`.
    pub fn join(&self, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&PAIR_MAGIC);
        out.extend_from_slice(&(self.program.len() as u64).to_le_bytes());
        out.extend_from_slice(self.program);
        out.extend_from_slice(self.data);
    }

    /// The number of bytes of the pair as one input, in addition to the program and the data file.
    pub const OVERHEAD: usize = PREFIX;
}

impl Mutator {
    /// Mutates one file of a pair, a name in both files, or exchanges the files. Returns `None` if the drawn mutation does not
    /// apply to the pair.
    pub(crate) fn mutate_pair(
        &mut self,
        pair: Pair<'_>,
        max_len: usize,
        random: &mut Rng,
        out: &mut Vec<u8>,
    ) -> Option<Mutation> {
        let Pair { program, data } = pair;
        let room = max_len.checked_sub(PREFIX)?;
        let mut changed = Vec::new();
        let mutation = match random.u8(..16) {
            0..7 => {
                let mutation = self.mutate_file(program, room - data.len(), true, random, &mut changed);
                Pair { program: &changed, data }.join(out);
                mutation
            }
            7..14 => {
                let mutation = self.mutate_file(data, room - program.len(), true, random, &mut changed);
                Pair { program, data: &changed }.join(out);
                mutation
            }
            14 => Mutation { name: rename(pair, random, out)?, rule: None },
            _ => {
                Pair { program: data, data: program }.join(out);
                Mutation { name: "pair/exchange", rule: None }
            }
        };
        Some(mutation)
    }
}

/// Changes one byte of a key of the data file, in both files or in only one of them.
fn rename(pair: Pair<'_>, random: &mut Rng, out: &mut Vec<u8>) -> Option<&'static str> {
    let parts = FileParts::of(pair.data)?;
    let is_key = |site: &Site<'_>| {
        let name = site.field.map_or("", |field| field.name);
        matches!(site.place, Place::Text { len: 1.. }) && (name == "key" || name == "fully_qualified_name")
    };
    let site = descend_to(parts.flatbuffer(pair.data), parts.root, random, TRIES, is_key)?;
    let Place::Text { len } = site.place else { return None };
    let old = &pair.data[site.at..site.at + len];
    let mut new = old.to_vec();
    new[random.usize(..len)] ^= 1 << random.u8(..8);
    let (mut program, mut data) = (pair.program.to_vec(), pair.data.to_vec());
    let (in_program, in_data) = [(true, true), (true, true), (true, false), (false, true)][random.usize(..4)];
    let replaced = (in_program && replace(&mut program, old, &new)) | (in_data && replace(&mut data, old, &new));
    Pair { program: &program, data: &data }.join(out);
    replaced.then_some(if in_program && in_data { "pair/rename" } else { "pair/rename-one" })
}

/// Replaces every `old` with `new`; both have the same length. Returns whether there is one.
fn replace(bytes: &mut [u8], old: &[u8], new: &[u8]) -> bool {
    let mut at = 0;
    let mut replaced = false;
    let last = bytes.len().min(SEARCHED);
    while at + old.len() <= last {
        if bytes[at..].starts_with(old) {
            bytes[at..at + old.len()].copy_from_slice(new);
            (at, replaced) = (at + old.len(), true);
        } else {
            at += 1;
        }
    }
    replaced
}

/// Replaces a part of the input with the same kind of part of `other`. Each input is a file or a pair.
pub(crate) fn cross(
    bytes: &[u8],
    other: &[u8],
    max_len: usize,
    random: &mut Rng,
    out: &mut Vec<u8>,
) -> Option<&'static str> {
    let Some(Pair { program, data }) = Pair::split(bytes) else {
        out.clear();
        out.extend_from_slice(bytes);
        let other = Pair::split(other).map_or(other, |pair| if random.bool() { pair.program } else { pair.data });
        return splice(out, other, max_len, random);
    };
    let room = max_len.checked_sub(PREFIX)?;
    let of_other = Pair::split(other).unwrap_or(Pair { program: other, data: other });
    let mut changed = Vec::new();
    let name = match random.u8(..8) {
        0..3 => {
            changed.extend_from_slice(program);
            let name = splice(&mut changed, of_other.program, room - data.len(), random)?;
            Pair { program: &changed, data }.join(out);
            name
        }
        3..6 => {
            changed.extend_from_slice(data);
            let name = splice(&mut changed, of_other.data, room - program.len(), random)?;
            Pair { program, data: &changed }.join(out);
            name
        }
        6 => {
            Pair { program: of_other.program, data }.join(out);
            "pair/program"
        }
        _ => {
            Pair { program, data: of_other.data }.join(out);
            "pair/data"
        }
    };
    Some(name)
}
