#![allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]

use std::boxed::Box;
use std::io::{self, Cursor, Read, Write};
use std::string::{String, ToString};
use std::{format, vec};

use super::*;
use crate::check::Checker;
use crate::ptd::schema::FlatTensor;
use crate::pte::schema::{ExecutionPlan, Program};
use crate::rules::Strength;
use crate::{ptd, pte};

fn program(shapes: &[Shape]) -> Plan {
    pte::write::plan(&TableTree::new(Program::TYPE), shapes, &pte::write::ProgramLayout::default()).unwrap()
}

#[test]
fn segments_are_placed_at_multiples_of_both_alignments() {
    let shape = |len, alignment| Shape { len, alignment };
    let places = |shapes: &[Shape], alignment| {
        place(shapes, alignment).unwrap().iter().map(|place| (place.offset, place.len)).collect::<Vec<_>>()
    };
    assert_eq!(places(&[], 128), []);
    assert_eq!(places(&[shape(4, 1), shape(17, 1), shape(0, 1)], 128), [(0, 4), (128, 17), (256, 0)]);
    assert_eq!(places(&[shape(4, 1), shape(1, 48), shape(1, 1)], 128), [(0, 4), (384, 1), (512, 1)]);
    assert_eq!(places(&[shape(600, 1), shape(1, 7)], 10), [(0, 600), (630, 1)]);
}

#[test]
fn a_file_larger_than_memory_is_planned() {
    let shapes = [Shape::new(3 << 32), Shape { len: 1 << 60, alignment: 1 << 40 }, Shape::new(1)];
    let plan = program(&shapes);
    assert_eq!(plan.places()[1], Span::new(1 << 40, 1 << 60));
    assert_eq!(plan.len(), plan.base() + (1 << 40) + (1 << 60) + 1);
    assert!(plan.head().len() < 1024);
    let header = pte::ExtendedHeader::find(plan.head()).unwrap().unwrap();
    assert_eq!((header.segment_base_offset, header.segment_data_size), (plan.base(), Some(plan.len() - plan.base())));
    let wrap = [Shape::new(u64::MAX - 127), Shape::new(1)];
    let layout = pte::write::ProgramLayout::default();
    let error = pte::write::plan(&TableTree::new(Program::TYPE), &wrap, &layout).unwrap_err();
    assert_eq!(error, WriteError::too_large());
    let root = TableTree::new(FlatTensor::TYPE);
    let error = ptd::write::plan(&root, &[Shape::new(u64::MAX)], &ptd::write::DataLayout::CURRENT).unwrap_err();
    assert_eq!(error, WriteError::too_large());
}

/// What no field holds and what no memory holds are two things.
#[test]
fn a_file_larger_than_memory_is_not_held() {
    let plan = program(&[Shape::new(1 << 63)]);
    let needed = plan.len();
    let error = plan.with_bytes(&[SegmentData::new(b"")]).unwrap_err();
    assert_eq!(error.to_string(), format!("{needed} bytes do not fit into memory"));
}

/// What moves the FlatBuffer far back is refused before there is memory for it; padding behind it takes none.
#[test]
fn padding_takes_no_memory() {
    for alignment in [1 << 40, 1 << 63, u64::MAX - 7] {
        let layout = ptd::write::DataLayout::all(alignment);
        let error = ptd::write::plan(&TableTree::new(FlatTensor::TYPE), &[], &layout).unwrap_err();
        assert_eq!(error.cause, WriteCause::Limit);
    }
    let layout = pte::write::ProgramLayout { segment_alignment: 1 << 33, ..Default::default() };
    let plan = pte::write::plan(&TableTree::new(Program::TYPE), &[Shape::new(1)], &layout).unwrap();
    assert_eq!((plan.base(), plan.len()), (1 << 33, (1 << 33) + 1));
    assert!((64..128).contains(&plan.head().len()));
}

const LARGE: usize = 200_000;

/// A package of these sources in the segments of a program.
fn package(sources: Vec<Source<'_>>) -> Package<'_> {
    let shapes: Vec<_> = sources.iter().map(|source| Shape { len: source.len(), alignment: 48 }).collect();
    let plan = TableTree::new(ExecutionPlan::TYPE).with("name", "forward");
    let root = TableTree::new(Program::TYPE).with("execution_plan", [plan]);
    let plan = pte::write::plan(&root, &shapes, &pte::write::ProgramLayout::default()).unwrap();
    Package::unchecked(root, plan, sources)
}

/// One of each source, beside its bytes.
fn sources(path: &std::path::Path) -> (Vec<Source<'static>>, Vec<Vec<u8>>) {
    let ramp: Vec<u8> = (0..=250).cycle().take(LARGE).collect();
    std::fs::write(path, &ramp).unwrap();
    let len = LARGE as u64;
    let sources = vec![
        Source::Bytes(b"abc"),
        Source::Reader { reader: Box::new(Cursor::new(ramp.clone())), len },
        Source::Bytes(b""),
        Source::File { path: path.into(), span: Span::new(100, len - 200) },
        Source::Packed(Packed::new([Source::Bytes(b"12345"), Source::Bytes(b""), Source::Bytes(b"67")], 4).unwrap()),
        Source::Bytes(b""),
    ];
    let bytes = vec![
        b"abc".to_vec(),
        ramp.clone(),
        vec![],
        ramp[100..LARGE - 100].to_vec(),
        b"12345\0\0\x0067".to_vec(),
        vec![],
    ];
    (sources, bytes)
}

#[test]
fn a_streamed_file_is_the_one_written_in_memory() {
    let dir = folder();
    let (sources, bytes) = sources(&dir.join("source"));
    let segments: Vec<_> = bytes.iter().map(|bytes| SegmentData { bytes, alignment: 48 }).collect();
    let package = package(sources);
    let whole = pte::write::write(package.root(), &segments, &pte::write::ProgramLayout::default()).unwrap();
    let mut out = Vec::new();
    package.stream(&mut out).unwrap();
    std::fs::remove_dir_all(dir).unwrap();
    assert!(out == whole, "the file is another");
}

/// Reads a byte at a time, is interrupted before each, and breaks when `left` have been read.
struct Faulty {
    left: u32,
    interrupted: bool,
}

impl Read for Faulty {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        self.left = self.left.checked_sub(1).ok_or_else(|| io::Error::other("no more"))?;
        buffer[0] = 1;
        Ok(1)
    }
}

/// Takes so many bytes.
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
fn errors_say_whose_fault_it_is() {
    let fail = |source| package(vec![source]).stream(&mut io::sink()).unwrap_err().to_string();
    let reader = |left: u64| Source::Reader { reader: Box::new(io::repeat(1).take(left)), len: 4 };
    let file = |path: &str| Source::File { path: path.into(), span: Span::new(1, 4) };
    assert_eq!(fail(reader(3)), "segments[0]: the source ended after 3 of its 4 bytes");
    assert_eq!(fail(reader(5)), "segments[0]: the source goes on after its 4 bytes");
    let faulty = |left| Source::Reader { reader: Box::new(Faulty { left, interrupted: false }), len: 4 };
    assert_eq!(fail(faulty(3)), "segments[0]: the source cannot be read: no more");
    assert!(fail(file("/nonexistent")).starts_with("segments[0]: the source cannot be read: "));
    let dir = folder();
    let path = dir.join("short");
    std::fs::write(&path, b"1234").unwrap();
    let message = fail(file(path.to_str().unwrap()));
    std::fs::remove_dir_all(dir).unwrap();
    assert_eq!(message, "segments[0]: the source ended after 3 of its 4 bytes");
    let len = usize::try_from(package(vec![reader(4)]).plan().len()).unwrap();
    assert!(package(vec![reader(4)]).stream(&mut Full(len)).is_ok());
    let error = package(vec![reader(4)]).stream(&mut Full(len - 1)).unwrap_err();
    assert_eq!(error.cause, WriteCause::Output(io::ErrorKind::StorageFull));
    let packed =
        Packed::new([Source::Bytes(b"a"), Source::Reader { reader: Box::new(io::empty()), len: 2 }], 2).unwrap();
    assert_eq!(fail(Source::Packed(packed)), "segments[0][1]: the source ended after 0 of its 2 bytes");
    assert_eq!(format!("{:?}", reader(4)), "Reader { len: 4, .. }");
}

#[test]
fn a_header_is_put_in_where_the_flatbuffer_is() {
    let mut flatbuffer = b"\x0c\0\0\0ET12the tables".to_vec();
    flatbuffer.reserve_exact(100);
    let at = flatbuffer.as_ptr();
    let plan = Plan::new(flatbuffer, b"header", 10, 128, vec![Span::new(0, 5)]).unwrap();
    assert_eq!(plan.head().as_ptr(), at);
    assert_eq!(plan.head()[..28], *b"\x16\0\0\0ET12header\0\0\0\0the tables");
    assert_eq!(plan.head()[28..], [0; 36]);
    assert_eq!((plan.base(), plan.len()), (128, 133));
}

/// A new folder.
fn folder() -> std::path::PathBuf {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let dir = std::env::temp_dir().join(format!("torchproof-write-{}-{count}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

/// What a file breaks of the must- and should-rules.
pub(crate) fn broken(file: &[u8]) -> Vec<String> {
    let report = Checker::new().max_findings(usize::MAX).check(file);
    assert_eq!(report.stopped, None);
    report.findings.iter().filter(|finding| finding.rule.strength != Strength::May).map(ToString::to_string).collect()
}
