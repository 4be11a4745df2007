//! Tests that an index returns the same entries as a linear search.
#![allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]

use std::vec;
use std::vec::Vec;

use super::*;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::generate::{Config, GeneratedKind, generate};
use crate::names::word;
use crate::ptd::DataLayout;
use crate::ptd::schema::{FlatTensor, NamedData};
use crate::ptd::{self, Ptd};
use crate::pte::Pte;
use crate::write::SegmentData;

/// The key of every entry, and some similar keys.
fn keys<'a>(entries: impl Iterator<Item = Result<DataEntry<'a>, Error>>) -> Vec<Vec<u8>> {
    let own = entries.map(|entry| entry.unwrap().key().unwrap().as_bytes().to_vec());
    own.flat_map(|key| [[&key[..], b"x"].concat(), key.split_last().map_or(vec![], |(_, rest)| rest.to_vec()), key])
        .collect()
}

fn place(entry: DataEntry<'_>) -> (&'static str, usize) {
    (entry.list(), entry.index())
}

fn expect_same_in_data(bytes: &[u8]) -> usize {
    let file = Ptd::open(bytes).unwrap();
    let mut memory = vec![0; file.keys().unwrap()];
    let indexed = file.indexed(&mut memory).unwrap();
    let keys = keys(file.entries());
    for key in &keys {
        let [by_index, by_search] = [indexed.find(key).unwrap(), file.find(key).unwrap()];
        assert_eq!(by_index.map(place), by_search.map(place), "{}", key.escape_ascii());
        assert_eq!(by_index.map(DataEntry::bytes), by_search.map(DataEntry::bytes), "{}", key.escape_ascii());
    }
    keys.len()
}

#[test]
fn an_index_finds_the_same_entries_as_a_search() {
    let config = Config { blobs: 0..=20, data_tensors: 0..=20, ..Config::default() };
    let mut looked_up = 0;
    for seed in 0..60 {
        for kind in [GeneratedKind::Ptd, GeneratedKind::PtdLegacy] {
            looked_up += expect_same_in_data(&generate(kind, &config, seed).unwrap()[0].bytes);
        }
        let bytes = &generate(GeneratedKind::Pte, &config, seed).unwrap()[0].bytes;
        let file = Pte::open(bytes).unwrap();
        let mut memory = vec![0; file.keys().unwrap()];
        let indexed = file.indexed(&mut memory).unwrap();
        for key in keys(file.named_data()) {
            let [by_index, by_search] = [indexed.find(&key).unwrap(), file.find(&key).unwrap()];
            assert_eq!(by_index.map(place), by_search.map(place), "{}", key.escape_ascii());
            looked_up += 1;
        }
    }
    assert!(looked_up > 3000, "{looked_up}");
}

/// Each key has its own segment, whose length is the index of the key.
fn file_of(keys: &[&[u8]]) -> Vec<u8> {
    let zeros = vec![0; keys.len()];
    let segments: Vec<SegmentData<'_>> = (0..keys.len()).map(|len| SegmentData::new(&zeros[..len])).collect();
    let entry =
        |(index, key): (usize, &&[u8])| TableTree::new(NamedData::TYPE).with("key", *key).with("segment_index", index);
    let entries: Vec<_> = keys.iter().enumerate().map(entry).collect();
    let root = TableTree::new(FlatTensor::TYPE).with("named_data", entries);
    ptd::write(&root, &segments, &DataLayout::CURRENT).unwrap()
}

#[test]
fn distinguishes_keys_with_equal_hashes() {
    let [one, other] = crate::names::tests::colliding();
    assert_eq!(word(&one, 0), word(&other, 0));
    expect_same_in_data(&file_of(&[b"a", &other, &one, b"b", &other, &one]));
}

#[test]
fn finds_the_first_of_equal_keys() {
    let bytes = file_of(&[b"a", b"b", b"a", b"c", b"b", b"a"]);
    let file = Ptd::open(&bytes).unwrap();
    let mut memory = [0; 6];
    let indexed = file.indexed(&mut memory).unwrap();
    let found = |key: &str| indexed.find(key.as_bytes()).unwrap().map(|entry| entry.bytes().unwrap().len());
    assert_eq!([found("a"), found("b"), found("c"), found("d")], [Some(0), Some(1), Some(3), None]);
}

#[test]
fn too_little_memory_is_an_error_with_the_needed_words() {
    let bytes = file_of(&[b"a", b"b", b"c"]);
    let file = Ptd::open(&bytes).unwrap();
    let error = file.indexed(&mut [0; 2]).unwrap_err();
    assert_eq!((error.code, error.have, error.bound), (ErrorCode::Limit(Limit::Scratch), 2, 3));
    assert!(file.indexed(&mut [0; 3]).is_ok());
}
