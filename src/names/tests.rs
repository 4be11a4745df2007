//! Compares the search for equal names with a simple implementation.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::*;
use crate::flatbuffer::encode;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::ptd::schema::{FlatTensor, NamedData};
use crate::random::Random;

/// Calls `then` with a function that maps an index of `list` to its key in a data file.
fn listed<R>(list: &[Option<&[u8]>], then: impl for<'a> FnOnce(&dyn Fn(usize) -> Option<Str<'a>>) -> R) -> R {
    let entry = |name: &Option<&[u8]>| {
        let entry = TableTree::new(NamedData::TYPE);
        name.map_or_else(|| entry.clone(), |name| entry.clone().with("key", name))
    };
    let root = TableTree::new(FlatTensor::TYPE).with("named_data", list.iter().map(entry).collect::<Vec<_>>());
    let bytes = encode(&root, crate::ptd::IDENTIFIER).unwrap();
    let entries =
        FlatTensor::from_table(crate::flatbuffer::Table::root(&bytes).unwrap()).named_data().unwrap().unwrap();
    then(&|index| entries.get(index)?.ok()?.key().ok()?)
}

/// Two names with equal hashes: the second eight bytes cancel the difference in the first eight.
pub(crate) fn colliding() -> [Vec<u8>; 2] {
    // The hash combines each word with the rotated state by XOR. If two results are equal, all later states of the hash
    // are equal too.
    let before = |first: [u8; 8]| {
        let length = 24_u64.wrapping_mul(MULTIPLIER);
        let state = (length.rotate_left(23) ^ u64::from_le_bytes(first)).wrapping_mul(MULTIPLIER);
        state.rotate_left(23)
    };
    let [one, other] = [*b"first/of", *b"other/of"];
    let second = *b"two.bias";
    let made = (before(one) ^ before(other) ^ u64::from_le_bytes(second)).to_le_bytes();
    let names = [[one, second].concat(), [other, made].concat()].map(|name| [&name[..], b"the.rest"].concat());
    assert_eq!(hash(&names[0]), hash(&names[1]));
    assert_ne!(names[0], names[1]);
    names
}

#[test]
fn finds_the_same_equal_names_as_a_map() {
    let mut random = Random::new(11);
    let collided = colliding();
    for count in [0, 1, 2, 31, 32, 33, 100, 700] {
        for distinct in [1, 7, 1000] {
            let texts: Vec<_> = (0..count)
                .map(|_| match random.index(distinct + 3) {
                    0 => None,
                    1 => Some(collided[0].clone()),
                    2 => Some(collided[1].clone()),
                    other => Some(format!("layers.{other}.weight").into_bytes()),
                })
                .collect();
            let list: Vec<_> = texts.iter().map(Option::as_deref).collect();
            let mut first = BTreeMap::new();
            let mut expected = Vec::new();
            for (index, name) in list.iter().enumerate().filter_map(|(index, name)| Some((index, (*name)?))) {
                let earlier = *first.entry(name).or_insert(index);
                if earlier != index {
                    expected.push((index, earlier));
                }
            }
            let mut found = Vec::new();
            let flow = listed(&list, |name| {
                let mut words = alloc::vec![7; count];
                let mut seen = SeenNames::new(&mut words);
                for index in 0..count {
                    if let Some(own) = name(index) {
                        seen.insert(own.as_bytes(), index);
                    }
                }
                seen.equal_names(name, &mut |later, earlier| {
                    found.push((later, earlier));
                    Ok(())
                })
            });
            assert_eq!(flow, Ok(()));
            found.sort_unstable();
            assert_eq!(found, expected, "{count} of {distinct}");
        }
    }
}

#[test]
fn ordinary_names_have_distinct_hashes() {
    let mut seen = BTreeSet::new();
    let mut count = 0;
    let mut add = |name: String| {
        seen.insert(hash(name.as_bytes()) >> 32);
        count += 1;
    };
    for layer in 0..64 {
        for part in ["w", "b", "norm", "weight", "attn.qkv.bias", "attention.output.weight", "mlp.gate_up_proj.scales"]
        {
            add(format!("l{layer}.{part}"));
            add(format!("model.layers.{layer}.{part}"));
        }
    }
    for one in b'a'..=b'z' {
        for other in b'a'..=b'z' {
            add(String::from_utf8([one, other].to_vec()).unwrap());
            add(format!("{}{}{}", char::from(one), "x".repeat(6), char::from(other)));
        }
    }
    // Equal hashes are unlikely among so few random 32-bit numbers.
    assert!(seen.len() + 2 >= count, "{} of {count}", seen.len());
}

#[test]
fn a_hash_depends_on_every_byte_and_on_the_length() {
    let mut seen = BTreeSet::new();
    for len in 0..40 {
        let plain = alloc::vec![1_u8; len];
        assert!(seen.insert(hash(&plain)), "{len}");
        for at in 0..len {
            let mut other = plain.clone();
            other[at] = 2;
            assert!(seen.insert(hash(&other)), "{at} of {len}");
        }
    }
}
