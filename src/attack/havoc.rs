//! Random changes of bytes, which also reach fields that no attack changes.

use alloc::vec::Vec;

use crate::Span;
use crate::random::Random;

/// The maximum number of changes per file.
const CHANGES: usize = 4;
/// Values that often exceed a limit or change a sign.
const WORDS: [u32; 10] = [0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, u32::MAX - 3, u32::MAX];

/// Changes one to four places of a file at random. Returns the span of the first change, or `None` for an empty file.
///
/// A file never becomes longer. The same bytes and seed always produce the same changes.
///
/// ```
/// let mut bytes = std::fs::read("corpus/real/linear.pte").unwrap();
/// let valid = bytes.clone();
/// torchproof::attack::change_bytes(&mut bytes, 1).unwrap();
/// assert_ne!(bytes, valid);
/// ```
pub fn change_bytes(bytes: &mut Vec<u8>, seed: u64) -> Option<Span> {
    let mut random = Random::new(seed);
    let mut first = None;
    for _ in 0..=random.index(CHANGES) {
        if bytes.is_empty() {
            break;
        }
        let at = random.index(bytes.len());
        let len = change_one(bytes, at, &mut random);
        first.get_or_insert(Span::of(at, len));
    }
    first
}

/// Makes one random change at a position; returns the length of the change.
fn change_one(bytes: &mut Vec<u8>, at: usize, random: &mut Random) -> usize {
    match random.index(8) {
        0 => bytes[at] ^= 1 << random.index(8),
        1 | 2 => bytes[at] = u8::try_from(random.below(256)).unwrap_or_default(),
        3 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][random.index(5)],
        4 => {
            let from = random.index(bytes.len());
            let len = (1 + random.index(16)).min(bytes.len() - at.max(from));
            bytes.copy_within(from..from + len, at);
            return len;
        }
        5 if random.index(4) == 0 => bytes.truncate(at),
        kind => return change_word(bytes, at & !3, kind == 7, random),
    }
    1
}

/// Replaces the aligned 32-bit number at the position `at`, or adds a small number to the existing number.
fn change_word(bytes: &mut [u8], at: usize, adds: bool, random: &mut Random) -> usize {
    let Some(word) = bytes[at..].first_chunk_mut::<4>() else {
        bytes[at] = !bytes[at];
        return 1;
    };
    let value = match adds {
        true => u32::from_le_bytes(*word).wrapping_add_signed([-16, -8, -4, -1, 1, 4, 8, 16][random.index(8)]),
        false => WORDS[random.index(WORDS.len())],
    };
    *word = value.to_le_bytes();
    4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_changes_and_every_byte_can_change() {
        let mut hit = [false; 40];
        for seed in 0..2000 {
            let [one, two] = [(); 2].map(|()| {
                let mut bytes = alloc::vec![0x5a; 40];
                let span = change_bytes(&mut bytes, seed).unwrap();
                (bytes, span)
            });
            assert_eq!(one, two);
            one.0.iter().enumerate().filter(|(_, byte)| **byte != 0x5a).for_each(|(at, _)| hit[at] = true);
        }
        assert_eq!(hit, [true; 40]);
        assert_eq!(change_bytes(&mut Vec::new(), 1), None);
    }
}
