//! Changes bytes regardless of the structure. This reaches places that typed edits never change.

use alloc::vec::Vec;

use crate::random::Random;

const CHANGES: usize = 4;

const WORDS: [u32; 10] = [0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, u32::MAX - 3, u32::MAX];

/// Changes one to four random places. The length stays the same unless the file is empty.
pub(super) fn change(bytes: &[u8], random: &mut Random) -> (Vec<u8>, &'static str) {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.index(CHANGES) {
        if bytes.is_empty() {
            bytes.push(random.byte());
        } else {
            change_one(&mut bytes, random);
        }
    }
    (bytes, "bytes/random")
}

/// Joins the start of the file and the end of the donor.
pub(super) fn cross(bytes: &[u8], donor: &[u8], random: &mut Random) -> (Vec<u8>, &'static str) {
    let (end, rest) = (random.index(bytes.len() + 1), random.index(donor.len() + 1));
    ([&bytes[..end], &donor[rest..]].concat(), "bytes/cross")
}

fn change_one(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.index(bytes.len());
    match random.index(8) {
        0 => bytes[at] ^= 1 << random.index(8),
        1 | 2 => bytes[at] = random.byte(),
        3 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][random.index(5)],
        4 => {
            let from = random.index(bytes.len());
            let len = (1 + random.index(16)).min(bytes.len() - at.max(from));
            bytes.copy_within(from..from + len, at);
        }
        5 if random.one_in(4) => bytes.truncate(at),
        kind => match bytes[at & !3..].first_chunk_mut::<4>() {
            None => bytes[at] = !bytes[at],
            Some(word) if kind == 7 => {
                let more = [-16, -8, -4, -1, 1, 4, 8, 16][random.index(8)];
                *word = u32::from_le_bytes(*word).wrapping_add_signed(more).to_le_bytes();
            }
            Some(word) => *word = WORDS[random.index(WORDS.len())].to_le_bytes(),
        },
    }
}
