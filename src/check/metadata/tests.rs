//! Compares the checks of metadata keys, value sizes and text with simpler implementations.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::*;
use crate::FileBytes;
use crate::check::finding::Findings;
use crate::check::{FindingRef, ReadAt, ReadError};
use crate::flatbuffer::encode;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::pte::schema::NamedData;

/// Returns the findings for an entry with the given key and value, each as a rule id and a span relative to the start
/// of the value.
fn found(key: &[u8], value: &[u8], budget: &mut TextBudget) -> Vec<(&'static str, Span)> {
    let mut found = Vec::new();
    let mut sink = |finding: &FindingRef<'_>| {
        found.push((finding.rule.id, finding.span));
        ControlFlow::Continue(())
    };
    let table = encode(&TableTree::new(NamedData::TYPE).with("key", key), *b"ET12").unwrap();
    let key = NamedData::from_table(crate::flatbuffer::Table::root(&table).unwrap()).key().unwrap().unwrap();
    let place = Span::of(0, value.len());
    let bytes = Bytes { head: value, source: &value };
    check(key, Some(place), budget, bytes, &Path::ROOT, &mut Findings::new(&mut sink)).unwrap();
    found
}

fn rules(key: &str, value: &[u8]) -> Vec<&'static str> {
    found(key.as_bytes(), value, &mut TextBudget(MOST_TEXT)).into_iter().map(|(rule, _)| rule).collect()
}

#[test]
fn reads_texts_within_the_budget() {
    let mut budget = TextBudget(2 * LONGEST_TEXT);
    assert!(!budget.spend(LONGEST_TEXT + 1));
    assert!(budget.spend(LONGEST_TEXT));
    assert!(budget.spend(LONGEST_TEXT - 1));
    assert!(!budget.spend(2));
    assert!(budget.spend(1));
    assert!(!budget.spend(1));
    assert!(budget.spend(0));
    assert_eq!(TextBudget::FULL.0, 16 << 20);
}

#[test]
fn reports_malformed_keys() {
    assert_eq!(rules("metadata.a1_.b_2", b""), [""; 0]);
    for short in ["metadata.", "metadata.a", "metadata.A"] {
        assert_eq!(rules(short, b""), ["md-key-prefix"], "{short}");
    }
    for wrong in ["metadata..", "metadata.a.B"] {
        assert_eq!(rules(wrong, b""), ["md-key-grammar"], "{wrong}");
    }
}

#[test]
fn reports_values_of_the_wrong_length() {
    let int = |len: usize, tag: u8| {
        let mut value = alloc::vec![0; len];
        value.iter_mut().take(1).for_each(|first| *first = tag);
        rules("metadata.context.length", &value)
    };
    for len in 0..12 {
        for tag in [0, 1, 2] {
            let good = len == 8 || len == 9 && tag == 1;
            assert_eq!(int(len, tag).is_empty(), good, "{len} bytes after {tag}");
        }
    }
    let list = |tag: u8, count: u32, len: usize| {
        let mut value = alloc::vec![tag];
        value.extend(count.to_le_bytes());
        value.resize(len, 0);
        rules("metadata.tokenizer.eos_ids", &value)
    };
    for (count, len) in [(0, 5), (1, 13), (2, 21), (300, 2405)] {
        assert_eq!(list(4, count, len), [""; 0]);
        assert_eq!(list(3, count, len), ["md-list-count"]);
        assert_eq!(list(4, count, len + 1), ["md-list-count"]);
        assert_eq!(list(4, count + 1, len), ["md-list-count"]);
    }
    for high in [8, 16, 24] {
        assert_eq!(list(4, 1 | 1 << high, 13), ["md-list-count"]);
    }
    assert_eq!(rules("metadata.tokenizer.eos_ids", b""), ["md-list-count"]);
}

#[test]
fn checks_utf_8_of_text_keys_only() {
    let text = "metadata.general.name";
    assert_eq!(rules(text, b"name"), [""; 0]);
    assert_eq!(rules(text, b""), [""; 0]);
    assert_eq!(rules(text, b"nam\xff"), ["md-string-utf8"]);
    assert_eq!(rules(text, b"\x03name"), ["md-enc-v1-tag"]);
    assert_eq!(rules(text, b"\x05name"), [""; 0]);
    assert_eq!(rules(text, b"\x03nam\xff"), ["md-enc-v1-tag", "md-string-utf8"]);
    assert_eq!(rules("metadata.some.thing", b"\xff\xfe"), [""; 0]);
    let mut spent = TextBudget(3);
    assert_eq!(found(text.as_bytes(), b"nam\xff", &mut spent), []);
    assert_eq!(found(text.as_bytes(), b"na\xff", &mut spent), [("md-string-utf8", Span::new(2, 1))]);
    assert_eq!(spent.0, 0);
}

#[test]
fn reading_in_pieces_gives_the_same_result() {
    // The characters have one to four bytes, so a piece can end at any byte of a character.
    let text: String = "aé€😀".chars().cycle().take(400).collect();
    for shift in 0..10 {
        let mut bytes: Vec<u8> = b"x".repeat(shift);
        bytes.extend(text.as_bytes());
        let at = 7;
        let mut file = b"\xff".repeat(at);
        file.extend(&bytes);
        let ill_formed =
            |file: &[u8], len: usize| first_ill_formed(Span::of(at, len), Bytes { head: file, source: &file });
        let expected = |bytes: &[u8]| core::str::from_utf8(bytes).err().map(|error| (at + error.valid_up_to()) as u64);
        for len in 0..bytes.len() {
            assert_eq!(ill_formed(&file, len), expected(&bytes[..len]), "{shift}: {len} bytes");
        }
        for broken in (0..bytes.len()).filter(|index| index % PIECE < 12 || index % PIECE > PIECE - 12) {
            for byte in [0xff, 0x80, 0xe2, b'a'] {
                let (mut file, mut bytes) = (file.clone(), bytes.clone());
                (file[at + broken], bytes[broken]) = (byte, byte);
                assert_eq!(ill_formed(&file, bytes.len()), expected(&bytes), "{shift}: {byte:#x} at {broken}");
            }
        }
    }
}

struct Nothing;

impl ReadAt for Nothing {
    fn len(&self) -> u64 {
        100
    }

    fn read_at(&self, _: u64, _: &mut [u8]) -> Result<(), ReadError> {
        Err(ReadError)
    }
}

#[test]
fn skips_unreadable_values() {
    let nothing = Bytes { head: &[], source: &Nothing };
    assert_eq!(first_ill_formed(Span::new(0, 4), nothing), None);
    assert_eq!(first_bytes(Span::new(0, 4), nothing), None);
    let bytes = Bytes { head: &[], source: &FileBytes::whole(b"abcdefgh") };
    assert_eq!(first_bytes(Span::new(1, 3), bytes), Some(*b"bcd\0\0"));
    assert_eq!(first_bytes(Span::new(1, 7), bytes), Some(*b"bcdef"));
}
