use std::format;
use std::string::String;
use std::vec;

use proptest::collection::vec as vec_of;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::ScalarType;
use crate::flatbuffer::Table;
use crate::ptd::{Ptd, tensor_layout, write};
use crate::real_files::real_file;
use crate::write::tests::broken;
use crate::write::{SegmentData, WriteCause};

fn floats(count: i32) -> Option<TableTree> {
    Some(tensor_layout(ScalarType::FLOAT, &[count]))
}

/// The numbers of an official file of 529 bytes with two segments. The first segment has two keys.
#[test]
fn numbers_match_the_official_writer() {
    let mut store = NamedDataStore::new();
    store.add("a", b"abcd", 1, floats(1)).unwrap();
    store.add("b", b"abcd", 1, floats(1)).unwrap();
    store.add("c", &[7; 17], 1, None).unwrap();
    let packed = pack(store, &DataLayout::CURRENT).unwrap();
    let places: Vec<_> = packed.layout().places().iter().map(|place| (place.offset, place.len)).collect();
    assert_eq!(places, [(0, 4), (128, 17)]);
    let file = packed.to_bytes().unwrap();
    let header = Ptd::open(&file).unwrap().header();
    assert_eq!(file.len(), 529);
    assert_eq!((header.flatbuffer_offset, header.segment_base_offset, header.segment_data_size), (48, 384, 145));
    assert_eq!(broken(&file), Vec::<String>::new());
}

#[test]
fn a_file_without_blobs_matches_the_official_writer() {
    let file = pack(NamedDataStore::new(), &DataLayout::CURRENT).unwrap().to_bytes().unwrap();
    let header = Ptd::open(&file).unwrap().header();
    assert_eq!(file.len(), 128);
    assert_eq!((header.flatbuffer_size, header.segment_base_offset, header.segment_data_size), (40, 128, 0));
}

#[test]
fn rejects_a_layout_that_does_not_match_its_blob() {
    let fail = |bytes: &[u8], layout| {
        let mut store = NamedDataStore::new();
        store.add("key", bytes, 1, layout).unwrap();
        pack(store, &DataLayout::CURRENT).unwrap_err().cause
    };
    assert_eq!(fail(b"1234567", floats(2)), WriteCause::Rejected("ft-layout-fits-segment"));
    let order = tensor_layout(ScalarType::BYTE, &[1, 1]).with("dim_order", [0, 0]);
    assert_eq!(fail(b"1", Some(order)), WriteCause::Rejected("ft-layout-perm"));
    let deep = tensor_layout(ScalarType::BYTE, &[1; 257]);
    assert_eq!(fail(b"1", Some(deep)), WriteCause::Rejected("ft-layout-rank"));
}

/// The official writers order fields differently, so only the header, the values and the segments must be equal.
#[test]
fn packs_real_files_to_equal_values() {
    for name in ["linear_external.ptd", "mlp_external.ptd"] {
        let bytes = real_file(name);
        let open = Ptd::open(&bytes).unwrap();
        let tree = TableTree::read(Table::root(open.region()).unwrap(), FlatTensor::TYPE).unwrap();
        let mut store = NamedDataStore::new();
        for entry in tree.get("named_data").unwrap().as_tables().unwrap() {
            let key = entry.get("key").unwrap().as_bytes().unwrap();
            let layout = entry.at("tensor_layout").unwrap().clone();
            let bytes = open.tensor_bytes(key).unwrap().unwrap();
            store.add(core::str::from_utf8(key).unwrap(), bytes, 1, Some(layout)).unwrap();
        }
        let packed = pack(store, &DataLayout::CURRENT).unwrap().to_bytes().unwrap();
        let again = Ptd::open(&packed).unwrap();
        assert_eq!(again.header(), open.header(), "{name}");
        assert_eq!(TableTree::read(Table::root(again.region()).unwrap(), FlatTensor::TYPE).unwrap(), tree, "{name}");
        let base = usize::try_from(open.header().segment_base_offset).unwrap();
        assert!(packed[base..] == bytes[base..], "{name}: segments came back different");
    }
}

/// There are only a few different contents, so that some blobs are equal.
fn blobs() -> impl Strategy<Value = Vec<(Vec<u8>, u64, bool)>> {
    let bytes = (select(vec![0_usize, 4, 16, 100]), 1_u8..3).prop_map(|(len, byte)| vec![byte; len]);
    vec_of((bytes, select(vec![1_u64, 3, 16, 48, 4096]), any::<bool>()), 1..6)
}

fn store(blobs: &[(Vec<u8>, u64, bool)]) -> NamedDataStore<'_> {
    let mut store = NamedDataStore::new();
    for (index, (bytes, alignment, tensor)) in blobs.iter().enumerate() {
        let layout = tensor.then(|| tensor_layout(ScalarType::FLOAT, &[i32::try_from(bytes.len() / 4).unwrap(), 1]));
        store.add(&format!("key {index}"), bytes, *alignment, layout).unwrap();
    }
    store
}

/// A segment has the alignment that was passed with the first key of its blob.
fn alignments(blobs: &[(Vec<u8>, u64, bool)]) -> Vec<u64> {
    let first = |index: &usize| blobs[..*index].iter().all(|(bytes, ..)| *bytes != blobs[*index].0);
    (0..blobs.len()).filter(first).map(|index| blobs[index].1).collect()
}

proptest! {

    #[test]
    fn packed_files_pass_the_check_and_survive_a_round_trip(
        blobs in blobs(),
        segment_alignment in select(vec![16_u64, 48, 128, 65536]),
        header_alignment in select(vec![16_u64, 64]),
    ) {
        let layout = DataLayout { segment_alignment, header_alignment, ..DataLayout::CURRENT };
        let packed = pack(store(&blobs), &layout).unwrap();
        let file = packed.to_bytes().unwrap();
        prop_assert_eq!(broken(&file), Vec::<String>::new());
        let open = Ptd::open(&file).unwrap();
        let read = TableTree::read(Table::root(open.region()).unwrap(), FlatTensor::TYPE).unwrap().without("segments");
        prop_assert_eq!(&read, packed.root());
        let alignments = alignments(&blobs);
        prop_assert_eq!(alignments.len(), packed.layout().places().len());
        let segments: Vec<_> = (0..).zip(alignments).map(|(index, alignment)| SegmentData {
            bytes: open.segment_bytes(index).unwrap(),
            alignment,
        }).collect();
        prop_assert_eq!(&write(&read, &segments, &layout).unwrap(), &file);
        for (index, (bytes, _, tensor)) in blobs.iter().enumerate() {
            let entry = open.find(format!("key {index}").as_bytes()).unwrap().unwrap();
            let found = if *tensor { entry.tensor_bytes().unwrap() } else { entry.bytes().ok() };
            prop_assert_eq!(found, Some(&bytes[..]));
        }
    }
}
