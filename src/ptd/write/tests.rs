#![allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]

use std::string::ToString;

use super::*;
use crate::ptd::legacy_schema::TensorMetadata;
use crate::ptd::schema::NamedData;
use crate::ptd::{Layout, Ptd};

fn numbers(header: FlatTensorHeader) -> (u32, u64, u64, u64, u64) {
    let FlatTensorHeader { length, flatbuffer_offset, flatbuffer_size, segment_base_offset, segment_data_size } =
        header;
    (length, flatbuffer_offset, flatbuffer_size, segment_base_offset, segment_data_size)
}

/// The numbers of an official file of 529 bytes with two segments of 4 and 17 bytes.
#[test]
fn header_numbers_match_the_official_writer() {
    assert_eq!(numbers(DataLayout::CURRENT.header_for(272, 145).unwrap()), (40, 48, 272, 384, 145));
    assert_eq!(numbers(DataLayout::LEGACY.header_for(200, 60).unwrap()), (40, 48, 200, 256, 60));
    assert_eq!(numbers(DataLayout::all(64).header_for(72, 1).unwrap()), (40, 64, 72, 192, 1));
}

#[test]
fn the_base_matches_the_official_writer() {
    let base = |layout: DataLayout, len| layout.header_for(len, 1).unwrap().segment_base_offset;
    for len in (40..400).step_by(4) {
        for alignment in [1, 4, 8, 12, 16, 48, 128, 4096] {
            let layout = DataLayout { segment_alignment: alignment, ..DataLayout::CURRENT };
            assert_eq!(base(layout, len), (48 + len).next_multiple_of(alignment));
        }
        for alignment in [8, 16, 32, 128, 4096_u64] {
            let header = 40_u64.next_multiple_of(alignment);
            let padded = len.next_multiple_of(alignment);
            assert_eq!(base(DataLayout::all(alignment), len), header + padded);
            let legacy = DataLayout { segment_alignment: 16 * alignment, ..DataLayout::all(alignment) };
            assert_eq!(base(legacy, len), (header + padded).next_multiple_of(16 * alignment));
        }
    }
    // If the segment alignment is smaller than the header alignment, release 0.6.0 adds padding, and the base is 112.
    assert_eq!(base(DataLayout { segment_alignment: 8, ..DataLayout::CURRENT }, 52), 104);
}

#[test]
fn opens_a_legacy_file() {
    let tensor = |name: &str, offset: u64| {
        TableTree::new(TensorMetadata::TYPE)
            .with("fully_qualified_name", name)
            .with("scalar_type", "FLOAT")
            .with("sizes", [1])
            .with("dim_order", [0])
            .with("segment_index", 0)
            .with("offset", offset)
    };
    let tree = TableTree::new(LegacyFlatTensor::TYPE).with("tensors", [tensor("a", 0), tensor("b", 16)]);
    let segments = [SegmentData::new(b"aaaa\0\0\0\0\0\0\0\0\0\0\0\0bbbb")];
    let file = write(&tree, &segments, &DataLayout::LEGACY).unwrap();
    let open = Ptd::open(&file).unwrap();
    let Layout::Legacy(root) = open.layout() else { panic!("read as current") };
    assert_eq!(root.tensor_alignment().unwrap(), 16);
    assert_eq!(open.header().segment_base_offset % 16, 0);
    let own = write(&tree.clone().with("tensor_alignment", 0), &segments, &DataLayout::LEGACY).unwrap();
    let Layout::Legacy(root) = Ptd::open(&own).unwrap().layout() else { panic!("read as current") };
    assert_eq!(root.tensor_alignment().unwrap(), 0);
    assert_eq!(open.header().segment_base_offset + 20, file.len() as u64);
    assert_eq!(open.tensor_bytes(b"b").unwrap(), Some(&b"bbbb"[..]));
}

#[test]
fn errors_name_the_field_to_change() {
    let root = TableTree::new(FlatTensor::TYPE);
    let fail = |layout| write(&root, &[], &layout).unwrap_err();
    let zero = DataLayout { header_alignment: 0, ..DataLayout::CURRENT };
    let none = DataLayout { segment_alignment: 0, ..DataLayout::CURRENT };
    assert_eq!([fail(zero), fail(none)].map(|error| error.cause), [WriteCause::Layout; 2]);
    let odd = DataLayout { header_alignment: 3, ..DataLayout::CURRENT };
    assert_eq!((fail(odd).cause, fail(odd).path().to_string()), (WriteCause::Layout, "header".to_string()));
    let error = write(&TableTree::new(NamedData::TYPE), &[], &DataLayout::CURRENT).unwrap_err();
    assert_eq!((error.cause, error.path()), (WriteCause::Tree, ""));
}
