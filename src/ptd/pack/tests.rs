#![allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]

use std::boxed::Box;
use std::format;
use std::string::{String, ToString};

use proptest::collection::vec as vec_of;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::ScalarType;
use crate::flatbuffer::Table;
use crate::ptd::Layout;
use crate::ptd::Ptd;
use crate::ptd::builder::tensor_layout;
use crate::ptd::schema::TensorLayout;
use crate::ptd::write::write;
use crate::real_files::real_file;
use crate::seeded::seeded;
use crate::write::SegmentData;
use crate::write::tests::broken;

fn floats(count: i32) -> Option<TableTree> {
    Some(tensor_layout(ScalarType::FLOAT, &[count]))
}

/// The numbers of an official file of 529 bytes: two segments, of which two keys share the first.
#[test]
fn the_numbers_of_a_file_are_the_official_ones() {
    let mut store = NamedDataStore::new();
    store.add("a", Source::Bytes(b"abcd"), 1, floats(1)).unwrap();
    store.add("b", Source::Bytes(b"abcd"), 1, floats(1)).unwrap();
    store.add("c", Source::Bytes(&[7; 17]), 1, None).unwrap();
    let package = pack(store, &DataLayout::CURRENT).unwrap();
    let places: Vec<_> = package.plan().places().iter().map(|place| (place.offset, place.len)).collect();
    assert_eq!(places, [(0, 4), (128, 17)]);
    let file = package.into_bytes().unwrap();
    let header = Ptd::open(&file).unwrap().header();
    assert_eq!(file.len(), 529);
    assert_eq!((header.flatbuffer_offset, header.segment_base_offset, header.segment_data_size), (48, 384, 145));
    assert_eq!(broken(&file), Vec::<String>::new());
}

#[test]
fn a_file_without_blobs_is_the_official_one() {
    let file = pack(NamedDataStore::new(), &DataLayout::CURRENT).unwrap().into_bytes().unwrap();
    let header = Ptd::open(&file).unwrap().header();
    assert_eq!(file.len(), 128);
    assert_eq!((header.flatbuffer_size, header.segment_base_offset, header.segment_data_size), (40, 128, 0));
    let file = pack_older(NamedDataStore::new(), &DataLayout::OLDER).unwrap().into_bytes().unwrap();
    assert_eq!(Ptd::open(&file).unwrap().segments().unwrap().unwrap().len(), 1);
}

/// In the older layout a blob can be needed among the tensors and on its own.
#[test]
fn an_older_file_has_its_tensors_in_one_segment() {
    let mut store = NamedDataStore::new();
    store.add("opaque", Source::Bytes(b"1234"), 48, None).unwrap();
    store.add("a", Source::Bytes(&[1; 20]), 1, floats(5)).unwrap();
    store.add("b", Source::Bytes(b"1234"), 1, floats(1)).unwrap();
    store.add("c", Source::Bytes(&[1; 20]), 1, floats(5)).unwrap();
    store.add("other", Source::Bytes(b"5"), 1, None).unwrap();
    let package = pack_older(store, &DataLayout::OLDER).unwrap();
    let places: Vec<_> = package.plan().places().iter().map(|place| (place.offset, place.len)).collect();
    assert_eq!(places, [(0, 36), (48, 4), (64, 1)]);
    let file = package.into_bytes().unwrap();
    let open = Ptd::open(&file).unwrap();
    let Layout::Older(older) = open.layout() else { panic!("read as current") };
    let offsets = older.tensors().unwrap().unwrap().iter().map(|tensor| tensor.unwrap().offset().unwrap());
    assert_eq!(offsets.collect::<Vec<_>>(), [0, 32, 0]);
    assert_eq!(open.tensor_bytes(b"b").unwrap(), Some(&b"1234"[..]));
    assert_eq!(open.tensor_bytes(b"c").unwrap(), Some(&[1; 20][..]));
    assert_eq!(open.named_data(b"opaque").unwrap(), Some(&b"1234"[..]));
    assert_eq!(open.named_data(b"other").unwrap(), Some(&b"5"[..]));
    assert_eq!(broken(&file), Vec::<String>::new());
}

#[test]
fn errors_say_whose_fault_it_is() {
    let fail = |source, layout| {
        let mut store = NamedDataStore::new();
        store.add("key", source, 1, layout).unwrap();
        pack(store, &DataLayout::CURRENT).unwrap_err().to_string()
    };
    let short = fail(Source::Bytes(b"1234567"), floats(2));
    let message = "layout describes 8 bytes and segment 0 has 7 (breaks ft-layout-fits-segment)";
    assert_eq!(short, format!("named_data[0].tensor_layout: {message}"));
    let order = tensor_layout(ScalarType::BYTE, &[1, 1]).with("dim_order", [0, 0]);
    assert!(fail(Source::Bytes(b"1"), Some(order)).ends_with("(breaks ft-layout-perm)"));
    let deep = fail(Source::Bytes(b"1"), Some(tensor_layout(ScalarType::BYTE, &[1; 257])));
    assert!(deep.ends_with("(breaks ft-layout-rank)"), "{deep}");
    let mut store = NamedDataStore::new();
    let reader = Source::Reader { reader: Box::new(&[0_u8; 4][..]), len: 4 };
    store.add("tensor", reader, 1, floats(1)).unwrap();
    store.share("blob", "tensor", None).unwrap();
    let error = pack_older(store, &DataLayout::OLDER).unwrap_err();
    assert_eq!(error.to_string(), "key `blob`: needs a source again that can be read only once");
}

/// A `tensor_alignment` that leads from its slot to a vector is a reference to a reader of the current layout.
#[test]
fn a_file_that_would_be_taken_for_another_is_refused() {
    let packed = (1..64).map(|exponent| {
        let mut store = NamedDataStore::new();
        for key in ["a", "b", "c", "d"] {
            store.add(key, Source::Bytes(b""), 1, None).unwrap();
        }
        pack_older(store, &DataLayout::all(8 * exponent))
    });
    let refused: Vec<_> = packed.filter_map(Result::err).map(|error| error.to_string()).collect();
    assert!(!refused.is_empty());
    assert!(refused.iter().all(|message| message == "readers would take the ptd-legacy file for ptd"), "{refused:?}");
}

/// The official writers of data files order fields otherwise, so it is the header, the values and the segments that come back.
#[test]
fn real_files_are_packed_again_with_equal_values() {
    for name in ["linear_external.ptd", "mlp_external.ptd", "legacy_v0.6.0_tensors.ptd"] {
        let bytes = real_file(name);
        let open = Ptd::open(&bytes).unwrap();
        let older = matches!(open.layout(), Layout::Older(_));
        let ty = if older { OlderFlatTensor::TYPE } else { FlatTensor::TYPE };
        let tree = TableTree::read(Table::root(open.region()).unwrap(), ty).unwrap();
        let entries = tree.get(if older { "tensors" } else { "named_data" }).unwrap().as_tables().unwrap();
        let mut store = NamedDataStore::new();
        for entry in entries {
            let key = entry.get(if older { "fully_qualified_name" } else { "key" }).unwrap().as_bytes().unwrap();
            let layout = if older { entry } else { entry.at("tensor_layout").unwrap() };
            let field = |name: &str| layout.get(name).unwrap().clone();
            let layout = TableTree::new(TensorLayout::TYPE)
                .with("scalar_type", field("scalar_type"))
                .with("sizes", field("sizes"))
                .with("dim_order", field("dim_order"));
            let source = Source::Bytes(open.tensor_bytes(key).unwrap().unwrap());
            store.add(core::str::from_utf8(key).unwrap(), source, 1, Some(layout)).unwrap();
        }
        let packed = if older { pack_older(store, &DataLayout::OLDER) } else { pack(store, &DataLayout::CURRENT) };
        let packed = packed.unwrap().into_bytes().unwrap();
        let again = Ptd::open(&packed).unwrap();
        assert_eq!(again.header(), open.header(), "{name}");
        assert_eq!(TableTree::read(Table::root(again.region()).unwrap(), ty).unwrap(), tree, "{name}");
        let base = usize::try_from(open.header().segment_base_offset).unwrap();
        assert!(packed[base..] == bytes[base..], "{name}: segments came back different");
    }
}

/// Blobs of few contents, so that some are equal; with a layout or without.
fn blobs() -> impl Strategy<Value = Vec<(Vec<u8>, u64, bool)>> {
    let bytes = (select(vec![0_usize, 4, 16, 100]), 1_u8..3).prop_map(|(len, byte)| vec![byte; len]);
    vec_of((bytes, select(vec![1_u64, 3, 16, 48, 4096]), any::<bool>()), 1..6)
}

fn store(blobs: &[(Vec<u8>, u64, bool)]) -> NamedDataStore<'_> {
    let mut store = NamedDataStore::new();
    for (index, (bytes, alignment, tensor)) in blobs.iter().enumerate() {
        let layout = tensor.then(|| tensor_layout(ScalarType::FLOAT, &[i32::try_from(bytes.len() / 4).unwrap(), 1]));
        store.add(&format!("key {index}"), Source::Bytes(bytes), *alignment, layout).unwrap();
    }
    store
}

/// What each segment was asked to be aligned to: that of the first key of its blob. In the older layout, the first is the
/// tensors', and there is one for each blob that a key without a layout has.
fn alignments(blobs: &[(Vec<u8>, u64, bool)], older: bool) -> Vec<u64> {
    let mut distinct: Vec<(&[u8], u64)> = Vec::new();
    for (bytes, alignment, _) in blobs {
        if distinct.iter().all(|(known, _)| known != bytes) {
            distinct.push((bytes, *alignment));
        }
    }
    if !older {
        return distinct.into_iter().map(|(_, alignment)| alignment).collect();
    }
    let mut found = vec![1];
    let mut placed: Vec<&[u8]> = Vec::new();
    for (bytes, ..) in blobs.iter().filter(|(_, _, tensor)| !tensor) {
        if !placed.contains(&&bytes[..]) {
            placed.push(bytes);
            found.extend(distinct.iter().find(|(known, _)| known == bytes).map(|(_, alignment)| *alignment));
        }
    }
    found
}

proptest! {
    #![proptest_config(seeded())]

    #[test]
    fn whatever_is_packed_is_accepted_and_read_back_and_written_again(
        blobs in blobs(),
        segment_alignment in select(vec![16_u64, 48, 128, 65536]),
        header_alignment in select(vec![16_u64, 64]),
        older in any::<bool>(),
    ) {
        let layout = DataLayout { segment_alignment, header_alignment, ..DataLayout::CURRENT };
        // In the older layout, one alignment is that of everything, and a power of two.
        let older = older && segment_alignment.is_power_of_two();
        let packed = if older { pack_older(store(&blobs), &layout) } else { pack(store(&blobs), &layout) };
        // Without a tensor, an alignment can be a reference by accident.
        let tensors = blobs.iter().any(|(_, _, tensor)| *tensor);
        prop_assume!(tensors || !packed.as_ref().is_err_and(|error| error.cause == WriteCause::Ambiguous));
        let packed = packed.unwrap();
        let (root_tree, places) = (packed.root().clone(), packed.plan().places().to_vec());
        let file = packed.into_bytes().unwrap();
        prop_assert_eq!(broken(&file), Vec::<String>::new());
        let open = Ptd::open(&file).unwrap();
        let ty = root_tree.ty();
        let read = TableTree::read(Table::root(open.region()).unwrap(), ty).unwrap().without("segments");
        prop_assert_eq!(if older { read.clone().without("tensor_alignment") } else { read.clone() }, root_tree);
        let alignments = alignments(&blobs, older);
        prop_assert_eq!(alignments.len(), places.len());
        let segments: Vec<_> = (0..).zip(alignments).map(|(index, alignment)| SegmentData {
            bytes: open.segment_bytes(index).unwrap(),
            alignment,
        }).collect();
        prop_assert_eq!(&write(&read, &segments, &layout).unwrap(), &file);
        for (index, (bytes, _, tensor)) in blobs.iter().enumerate() {
            let key = format!("key {index}");
            let found = if *tensor { open.tensor_bytes(key.as_bytes()) } else { open.named_data(key.as_bytes()) };
            prop_assert_eq!(found.unwrap(), Some(&bytes[..]));
        }
    }
}
