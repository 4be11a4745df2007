//! Many changes one after the other come to what they say, whatever their order.

use std::collections::BTreeSet;
use std::fs;

use torchproof_cli::edit::Existing;
use torchproof_cli::input::Input;
use torchproof_cli::meta::{Metadata, edit};

use super::command::{real, scratch};
use super::edits::{expect_accepted, meaning, segments};
use super::{case, copy};

const KEYS: [&str; 5] = ["metadata.a.a", "metadata.a.b", "metadata.b.a", "metadata.b.b.c", "metadata.general.name"];

/// The changes made to each file.
const CHANGES: usize = 60;

/// A generator of numbers that are all over the place: xorshift.
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }
}

#[test]
fn the_file_has_what_was_set_last_and_a_segment_for_each_value() {
    let files = [real("linear.pte"), real("mlp_external.ptd"), real("align4096.pte"), case("pte/valid/headerless.pte")];
    for (path, seed) in files.into_iter().zip(0x7072_6f6f_6621_u64..) {
        let name = copy(&path, "sequence");
        let path = scratch().join(&name);
        let before = fs::read(&path).unwrap();
        let mut numbers = Numbers(seed);
        // What the file should have, in its order.
        let mut wanted: Vec<(&str, Vec<u8>)> = Vec::new();
        let mut made = 0;
        while made < CHANGES {
            let mut document = edit::open(&path).unwrap();
            for _ in 0..=numbers.below(3) {
                made += 1;
                let key = KEYS[numbers.below(KEYS.len())];
                let at = wanted.iter().position(|(own, _)| *own == key);
                if numbers.below(3) == 0 {
                    assert_eq!(edit::unset(&mut document, key), at.is_some());
                    at.map(|at| wanted.remove(at));
                    continue;
                }
                // Few values, so that many are equal; one is empty, some span more than an alignment.
                let value = vec![b'v'; [0, 1, 8, 128, 700][numbers.below(5)]];
                edit::set(&mut document, key, &value).unwrap();
                match at {
                    Some(at) => wanted[at].1 = value,
                    None => wanted.push((key, value)),
                }
            }
            document.save(&path, Existing::Replace).unwrap();
            let after = fs::read(&path).unwrap();
            let input = Input::open(&path).unwrap();
            let metadata = Metadata::open(input.image()).unwrap();
            let found: Vec<(&str, Vec<u8>)> = metadata
                .entries()
                .iter()
                .map(|entry| {
                    let mut bytes = Vec::new();
                    input.read(entry.place.unwrap(), &mut |piece| bytes.extend_from_slice(piece)).unwrap();
                    (entry.key.to_str().unwrap(), bytes)
                })
                .collect();
            assert_eq!(found, wanted, "{name} after {made} changes");
            let values: BTreeSet<&[u8]> =
                wanted.iter().map(|(_, value)| &value[..]).filter(|value| !value.is_empty()).collect();
            assert_eq!(segments(&after).len(), segments(&before).len() + values.len(), "{name} after {made} changes");
            let mut rest = meaning(&after);
            rest["named_data"].as_array_mut().unwrap().retain(|entry| !KEYS.contains(&entry["key"].as_str().unwrap()));
            assert_eq!(rest, meaning(&before), "{name} after {made} changes");
            expect_accepted(&path);
        }
        assert!(fs::metadata(&path).unwrap().len() < 4 * before.len() as u64 + (64 << 10), "{name} has grown");
    }
}
