#![allow(clippy::unwrap_used, reason = "a broken fixture ends the test")]

use std::io::{self, Write};
use std::string::{String, ToString};
use std::vec;

use super::*;
use crate::check::Checker;
use crate::ptd::schema::FlatTensor;
use crate::pte::schema::Program;
use crate::rules::Strength;
use crate::{ptd, pte};

fn program(extents: &[SegmentExtent]) -> FileLayout {
    pte::plan(&TableTree::new(Program::TYPE), extents, &pte::ProgramLayout::default()).unwrap()
}

#[test]
fn segments_are_placed_at_multiples_of_both_alignments() {
    let extent = |len, alignment| SegmentExtent { len, alignment };
    let places = |extents: &[SegmentExtent], alignment| {
        place(extents, alignment).unwrap().iter().map(|place| (place.offset, place.len)).collect::<Vec<_>>()
    };
    assert_eq!(places(&[], 128), []);
    assert_eq!(places(&[extent(4, 1), extent(17, 1), extent(0, 1)], 128), [(0, 4), (128, 17), (256, 0)]);
    assert_eq!(places(&[extent(4, 1), extent(1, 48), extent(1, 1)], 128), [(0, 4), (384, 1), (512, 1)]);
    assert_eq!(places(&[extent(600, 1), extent(1, 7)], 10), [(0, 600), (630, 1)]);
}

#[test]
fn a_file_larger_than_memory_is_planned() {
    let extents =
        [SegmentExtent::new(3 << 32), SegmentExtent { len: 1 << 60, alignment: 1 << 40 }, SegmentExtent::new(1)];
    let plan = program(&extents);
    assert_eq!(plan.places()[1], Span::new(1 << 40, 1 << 60));
    assert_eq!(plan.len(), plan.base() + (1 << 40) + (1 << 60) + 1);
    assert!(plan.head().len() < 1024);
    let header = pte::ExtendedHeader::find(plan.head()).unwrap().unwrap();
    assert_eq!((header.segment_base_offset, header.segment_data_size), (plan.base(), Some(plan.len() - plan.base())));
    let wrap = [SegmentExtent::new(u64::MAX - 127), SegmentExtent::new(1)];
    let layout = pte::ProgramLayout::default();
    let error = pte::plan(&TableTree::new(Program::TYPE), &wrap, &layout).unwrap_err();
    assert_eq!(error, WriteError::too_large());
    let root = TableTree::new(FlatTensor::TYPE);
    let error = ptd::plan(&root, &[SegmentExtent::new(u64::MAX)], &ptd::DataLayout::CURRENT).unwrap_err();
    assert_eq!(error, WriteError::too_large());
}

/// A size too large for its field in the file gives a different error than a size too large for memory.
#[test]
fn to_bytes_rejects_a_file_larger_than_memory() {
    let plan = program(&[SegmentExtent::new(1 << 63)]);
    let error = plan.clone().with_bytes(&[SegmentData::new(b"")]).unwrap_err();
    assert_eq!(error, WriteError::memory(plan.len()));
}

/// A padded header that needs too much memory is rejected. Padding after the FlatBuffer needs no memory.
#[test]
fn padding_needs_no_memory() {
    for alignment in [1 << 40, 1 << 63, u64::MAX - 7] {
        let layout = ptd::DataLayout::all(alignment);
        let error = ptd::plan(&TableTree::new(FlatTensor::TYPE), &[], &layout).unwrap_err();
        assert_eq!(error.cause, WriteCause::Limit);
    }
    let layout = pte::ProgramLayout { segment_alignment: 1 << 33, ..Default::default() };
    let plan = pte::plan(&TableTree::new(Program::TYPE), &[SegmentExtent::new(1)], &layout).unwrap();
    assert_eq!((plan.base(), plan.len()), (1 << 33, (1 << 33) + 1));
    assert!((64..128).contains(&plan.head().len()));
}

/// An output with room for this many bytes. After that, writes fail.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(piece.len()).ok_or(io::ErrorKind::StorageFull)?;
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_output_is_an_error() {
    let mut store = NamedDataStore::new();
    store.add("key", &[7; 200_000], 1 << 17, None).unwrap();
    let packed = ptd::pack(store, &ptd::DataLayout::CURRENT).unwrap();
    let len = usize::try_from(packed.layout().len()).unwrap();
    assert!(packed.stream(&mut Full(len)).is_ok());
    let error = packed.stream(&mut Full(len - 1)).unwrap_err();
    assert_eq!(error.cause, WriteCause::Output(io::ErrorKind::StorageFull));
}

#[test]
fn inserts_the_header_into_the_flatbuffer() {
    let mut flatbuffer = b"\x0c\0\0\0ET12the tables".to_vec();
    flatbuffer.reserve_exact(100);
    let at = flatbuffer.as_ptr();
    let plan = FileLayout::new(flatbuffer, b"header", 10, 128, vec![Span::new(0, 5)]).unwrap();
    assert_eq!(plan.head().as_ptr(), at);
    assert_eq!(plan.head()[..28], *b"\x16\0\0\0ET12header\0\0\0\0the tables");
    assert_eq!(plan.head()[28..], [0; 36]);
    assert_eq!((plan.base(), plan.len()), (128, 133));
}

pub(crate) fn broken(file: &[u8]) -> Vec<String> {
    let report = Checker::new().max_findings(usize::MAX).check(file);
    assert_eq!(report.stopped, None);
    report.findings.iter().filter(|finding| finding.rule.strength != Strength::May).map(ToString::to_string).collect()
}
