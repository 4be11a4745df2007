//! Equal names: found in one pass over them, in memory that the caller lends.

use crate::Limit;
use crate::flatbuffer::Str;
use crate::flatbuffer::walk::{Flow, Stop};

use super::finding::Memory;

/// So few names are compared with each other, without any memory.
pub(super) const FEW: usize = 32;

/// Steps from the names' own places in the table, for each name on average, before the table is given up for sorting, which
/// no choice of names makes slow.
const PROBES: usize = 8;

/// Calls `equal(later, earlier)` for each name that stands in the list before it, the first of its kind being `earlier`.
///
/// `name` gives the name at an index below `count`, or `None` for an entry to leave out. Time is linear for names that
/// nobody chose to collide, and `n log n` for any. Needs fewer than `4 * count` words.
pub(super) fn equal_names<'a>(
    count: usize,
    name: &dyn Fn(usize) -> Option<Str<'a>>,
    memory: &mut dyn Memory,
    equal: &mut dyn FnMut(usize, usize) -> Flow,
) -> Flow {
    if count <= FEW {
        for later in 1..count {
            let Some(own) = name(later) else { continue };
            let earlier =
                (0..later).find(|earlier| name(*earlier).is_some_and(|other| other.as_bytes() == own.as_bytes()));
            if let Some(earlier) = earlier {
                equal(later, earlier)?;
            }
        }
        return Ok(());
    }
    let size = (2 * count).next_power_of_two();
    let words = memory.words(size).ok_or(Stop::Limit(Limit::Scratch))?;
    if all_differ(count, name, words) { Ok(()) } else { by_order(count, name, &mut words[..count], equal) }
}

/// Whether no two names are equal; `false` as well when that takes too long to tell this way.
#[allow(clippy::cast_possible_truncation, reason = "the low bits of a hash, and an index below a length")]
fn all_differ<'a>(count: usize, name: &dyn Fn(usize) -> Option<Str<'a>>, table: &mut [u64]) -> bool {
    // An entry is the upper half of the name's hash and its index plus one; zero is an empty place.
    const INDEX: u64 = 0xffff_ffff;
    table.fill(0);
    let mask = table.len() - 1;
    let mut probes = PROBES * count;
    for index in 0..count {
        let Some(own) = name(index) else { continue };
        let hash = hash(own.as_bytes());
        let mut place = hash as usize & mask;
        loop {
            let entry = &mut table[place];
            if *entry == 0 {
                *entry = (hash & !INDEX) | (index as u64 + 1);
                break;
            }
            let other = (*entry & INDEX) as usize - 1;
            let alike = (*entry ^ hash) & !INDEX == 0;
            if probes == 0 || alike && name(other).is_some_and(|other| other.as_bytes() == own.as_bytes()) {
                return false;
            }
            probes -= 1;
            place = (place + 1) & mask;
        }
    }
    true
}

fn by_order<'a>(
    count: usize,
    name: &dyn Fn(usize) -> Option<Str<'a>>,
    order: &mut [u64],
    equal: &mut dyn FnMut(usize, usize) -> Flow,
) -> Flow {
    for (index, word) in order.iter_mut().enumerate().take(count) {
        *word = index as u64;
    }
    let index = |word: u64| usize::try_from(word).unwrap_or(usize::MAX);
    let bytes = |word: u64| name(index(word)).map(Str::as_bytes);
    order.sort_unstable_by(|a, b| bytes(*a).cmp(&bytes(*b)).then(a.cmp(b)));
    let mut first = 0;
    for (position, word) in order.iter().enumerate().take(count) {
        let own = bytes(*word);
        if own != bytes(order[first]) {
            first = position;
        } else if own.is_some() && position > first {
            equal(index(*word), index(order[first]))?;
        }
    }
    Ok(())
}

/// A hash that spreads ordinary names; it needs not resist chosen ones.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut state = bytes.len() as u64;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        state = (state.rotate_left(23) ^ u64::from_le_bytes(*word)).wrapping_mul(MULTIPLIER);
    }
    let tail = rest.iter().fold(0_u64, |tail, byte| tail << 8 | u64::from(*byte));
    state = (state.rotate_left(23) ^ tail).wrapping_mul(MULTIPLIER);
    state ^ state >> 29
}
