//! **Editions**: the attacks that each release added. A seed selects from the attacks of a fixed edition, so the seed
//! always produces the same file.

/// The edition number of unreleased attacks.
pub(super) const UNRELEASED: u32 = u32::MAX;

/// The newest released edition.
#[expect(clippy::cast_possible_truncation, reason = "there are few editions")]
pub(super) const NEWEST: u32 = EDITIONS.len() as u32;

/// For each edition, the hashes of the names of the attacks that the edition added.
const EDITIONS: &[&[u64]] = &[&hashes::<242>(include_str!("editions/1.txt"))];

/// Returns the first edition that contains the attack with this name.
pub(super) const fn edition_of(name: &str) -> u32 {
    let hash = hash_of(name.as_bytes());
    let mut edition = 0;
    let mut left = EDITIONS;
    while let [added, later @ ..] = left {
        edition += 1;
        let mut at = 0;
        while at < added.len() {
            if added[at] == hash {
                return edition;
            }
            at += 1;
        }
        left = later;
    }
    UNRELEASED
}

/// Returns the FNV-1a hash of a name.
///
/// The file that a seed produces depends on these hashes, so the result of this function must never change.
pub(super) const fn hash_of(mut name: &[u8]) -> u64 {
    let mut hash: u64 = 0xCBF2_9CE4_8422_2325;
    while let [byte, rest @ ..] = name {
        hash = (hash ^ *byte as u64).wrapping_mul(0x100_0000_01B3);
        name = rest;
    }
    hash
}

/// Returns the hash of each line in `lines`.
const fn hashes<const N: usize>(lines: &str) -> [u64; N] {
    let mut hashes = [0; N];
    let mut count = 0;
    let mut rest = lines.as_bytes();
    while !rest.is_empty() {
        let mut end = 0;
        while rest[end] != b'\n' {
            end += 1;
        }
        hashes[count] = hash_of(rest.split_at(end).0);
        count += 1;
        rest = rest.split_at(end + 1).1;
    }
    assert!(count == N, "the declared number of names differs from the list");
    hashes
}

/// The number of attacks in the first edition.
#[cfg(test)]
pub(super) const FIRST: usize = EDITIONS[0].len();
