//! Equal names, against a plainer model of them.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::*;
use crate::flatbuffer::build::encode;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::ptd::schema::{FlatTensor, NamedData};
use crate::random::Random;

/// A data file's names, as its list has them.
fn listed<R>(list: &[Option<&[u8]>], then: impl for<'a> FnOnce(&dyn Fn(usize) -> Option<Str<'a>>) -> R) -> R {
    let entry = |name: &Option<&[u8]>| {
        let entry = TableTree::new(NamedData::TYPE);
        name.map_or_else(|| entry.clone(), |name| entry.clone().with("key", name))
    };
    let root = TableTree::new(FlatTensor::TYPE).with("named_data", list.iter().map(entry).collect::<Vec<_>>());
    let bytes = encode(&root, crate::ptd::IDENTIFIER).unwrap();
    let entries = FlatTensor::from_table(crate::flatbuffer::root(&bytes).unwrap()).named_data().unwrap().unwrap();
    then(&|index| entries.get(index)?.ok()?.key().ok()?)
}

/// Two names of equal hash: the second words make up for what the first ones change.
pub(crate) fn colliding() -> [Vec<u8>; 2] {
    // A hash is a product of each word and of what came before, turned: equal sums are equal from there on.
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
fn equal_names_are_those_that_a_map_finds() {
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
                equal_names(count, name, &mut Vec::new(), &mut |later, earlier| {
                    found.push((later, earlier));
                    Ok(())
                })
            });
            assert_eq!(flow, Ok(()));
            found.sort_unstable();
            assert_eq!(found, expected, "{count} of {distinct}");
        }
    }
    let with_no_memory = |count| {
        listed(&alloc::vec![None; count], |name| equal_names(count, name, &mut &mut [][..], &mut |_, _| Ok(())))
    };
    assert_eq!(with_no_memory(32), Ok(()));
    assert_eq!(with_no_memory(33), Err(Stop::Limit(Limit::Scratch)));
}

#[test]
fn ordinary_names_have_hashes_of_their_own() {
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
    // 32 random bits of so few would hardly have two alike.
    assert!(seen.len() + 2 >= count, "{} of {count}", seen.len());
}

/// Whether two of the names, met in this order in as many words as asked, are taken for alike.
fn alike<'n>(words: usize, names: impl IntoIterator<Item = &'n [u8]>) -> bool {
    let mut words = alloc::vec![u64::MAX; words];
    let mut met = Met::none(&mut words);
    names.into_iter().enumerate().for_each(|(index, name)| met.meet(name, index));
    met.so_far == SoFar::Alike
}

#[test]
fn names_that_are_met_are_alike_when_two_are_equal() {
    for count in [1, 2, 3, 10, 100, 5000] {
        let names: Vec<_> = (0..count).map(|index| format!("layers.{index}.weight")).collect();
        let bytes = || names.iter().map(String::as_bytes);
        assert!(!alike(count, bytes()), "{count}");
        for again in [0, count / 2, count - 1] {
            assert!(alike(count + 1, bytes().chain([names[again].as_bytes()])), "{again} of {count}");
        }
    }
    // What has an equal hash has to be looked at, and it is no sooner alike than its hash is met.
    let [one, other] = colliding();
    assert!(alike(2, [&one[..], &other]) && !alike(2, [&one[..], b"third"]));
    // Without a word, nothing can be told apart.
    assert!(alike(0, [&b"name"[..]]) && !alike(0, []));
}

#[test]
fn equal_names_are_the_same_ones_in_small_and_in_large_memory() {
    let [one, other] = colliding();
    let (one, other) = (Some(&one[..]), Some(&other[..]));
    let lists: [&[Option<&[u8]>]; 5] = [
        &[],
        &[Some(b"a"), None, Some(b"b"), None],
        &[None, Some(b"a"), Some(b""), None, Some(b"a"), Some(b""), Some(b"a")],
        &[one, None, other],
        &[one, other, one, None, other, other],
    ];
    for list in lists {
        let plain: Vec<(usize, usize)> = (0..list.len())
            .filter_map(|later| {
                Some((later, list[..later].iter().position(|name| list[later].is_some() && *name == list[later])?))
            })
            .collect();
        for room in [list.len(), Met::CLOSE + 1] {
            let mut words = alloc::vec![u64::MAX; room];
            let mut met = Met::none(&mut words);
            for (index, name) in list.iter().enumerate() {
                if let Some(name) = name {
                    met.meet(name, index);
                }
            }
            let noted = list.iter().flatten().count();
            assert_eq!(met.so_far == SoFar::Noted(noted), room > Met::CLOSE, "{list:?}");
            let mut found = Vec::new();
            let flow = listed(list, |name| {
                met.equal_names(name, &mut |later, earlier| {
                    found.push((later, earlier));
                    Ok(())
                })
            });
            assert_eq!(flow, Ok(()));
            found.sort_unstable();
            assert_eq!(found, plain, "{list:?} in {room} words");
        }
    }
    assert_eq!(Met::none(&mut alloc::vec![0; Met::CLOSE]).so_far, SoFar::Differ);
}

#[test]
fn names_that_crowd_one_place_are_taken_for_alike() {
    const WORDS: usize = 1000;
    let place = |name: &String| ((hash(name.as_bytes()) >> 32) * WORDS as u64) >> 32;
    let crowd = |at: u64, count: usize| -> Vec<_> {
        (0..).map(|index| format!("n{index}")).filter(|name| place(name) == at).take(count).collect()
    };
    let names = crowd(7, 129);
    let bytes = |count: usize| names[..count].iter().map(String::as_bytes);
    assert!(!alike(WORDS, bytes(128)) && alike(WORDS, bytes(129)));
    // Behind the last place is the first.
    let mut words = [0; WORDS];
    let mut met = Met::none(&mut words);
    crowd(999, 5).iter().for_each(|name| met.meet(name.as_bytes(), 0));
    assert_eq!(met.so_far, SoFar::Differ);
    let halves = |word: u64| [word & INDEX, word >> 32].map(|half| half != 0);
    assert_eq!(
        [998, 999, 0, 1, 2].map(|at| halves(words[at])),
        [[false, false], [true, true], [true, true], [true, false], [false, false]]
    );
}

#[test]
fn a_last_word_has_every_byte_that_no_word_before_it_has() {
    let filled = |bytes: &[u8]| last_word(bytes).to_le_bytes();
    assert_eq!(filled(b""), [1; 8]);
    assert_eq!(filled(b"a"), *b"a\x01\x01\x01\x01\x01\x01\x01");
    assert_eq!(filled(b"abc"), *b"abc\x01\x01\x01\x01\x01");
    assert_eq!(filled(b"abcd"), *b"abcdabcd");
    assert_eq!(filled(b"abcdef"), *b"abcdcdef");
    assert_eq!(filled(b"abcdefgh"), *b"abcdefgh");
    assert_eq!(filled(b"abcdefghijk"), *b"defghijk");
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
