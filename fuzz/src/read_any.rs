//! **Reading arbitrary bytes always terminates, and all ways of reading them agree.**
//!
//! * Checking and reading never panic, and need scratch memory that is linear in the file's length.
//! * A second check reports the same findings, even if only the bytes that [`FileBytes::needed`] requires are in
//!   memory.
//! * A finding's span is inside the file.
//! * A verified file converts to a tree and to JSON, and the encoded tree reads as an equal tree.
//! * In an accepted file, the bytes of every segment, key and tensor are readable.
//! * Every byte of a file belongs to exactly one part of its byte map.

use std::ops::ControlFlow;

use torchproof::annotate::ByteMap;
use torchproof::check::{Checker, FindingRef, Options, ReadAt, ReadError, Report, StopReason, check_into};
use torchproof::flatbuffer::encode;
use torchproof::flatbuffer::schema::{Element, TableView};
use torchproof::flatbuffer::tree::TableTree;
use torchproof::flatbuffer::{Table, Vector, verify};
use torchproof::ptd::{self, Layout, Ptd, legacy_schema::LegacyFlatTensor, schema::FlatTensor};
use torchproof::pte::schema::Program;
use torchproof::pte::{self, Pte};
use torchproof::view::{File, ViewError};
use torchproof::{DataEntry, Error, ErrorCode, FileBytes, Limits, Span};

/// These limits allow thousands of runs per second. The valid files that a fuzzer creates are smaller anyway.
pub(crate) const LIMITS: Limits = Limits::DEFAULT.tables(1 << 14).apparent_size(1 << 20);

const FINDINGS: usize = 100;

/// Each lookup takes linear time, so looking up all segments and keys would take quadratic time.
const LOOK_UPS: usize = 16;

pub fn run(bytes: &[u8]) {
    let whole = FileBytes::whole(bytes);
    let report = checked(&bytes);
    for finding in &report.findings {
        assert!(finding.span.end() <= whole.len(), "{finding} is outside of {} bytes", whole.len());
    }
    assert_eq!(report, checked(&bytes), "a second check reports other findings");
    // One word of scratch memory per byte of the file is enough.
    let mut sink = |_: &FindingRef<'_>| ControlFlow::Continue(());
    let options = Options::default().limits(LIMITS);
    let streamed = check_into(&bytes, &options, &mut vec![0; bytes.len()], &mut sink);
    assert_eq!(report.summary, streamed, "the sink gets other findings");

    let needed = FileBytes::needed(&bytes[..bytes.len().min(48)], whole.len());
    let head_len = usize::try_from(needed).expect("the needed bytes are inside the file");
    let head = PartlyInMemory { head: &bytes[..head_len], whole: bytes };
    assert_eq!(report, checked(&head), "the check of the first {needed} bytes differs");

    view(whole, &report);
    program(bytes, report.accepts());
    data(bytes, report.accepts());
    // The byte map of a file that exceeds a limit can have too many entries.
    if !matches!(report.stopped, Some(StopReason::Limit(_))) {
        expect_mapped(bytes);
    }
}

/// Only `head` is in memory; the checker reads everything else by range.
struct PartlyInMemory<'a> {
    head: &'a [u8],
    whole: &'a [u8],
}

impl ReadAt for PartlyInMemory<'_> {
    fn len(&self) -> u64 {
        self.whole.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        self.whole.read_at(offset, buffer)
    }

    fn head(&self) -> &[u8] {
        self.head
    }
}

fn checked(file: &dyn ReadAt) -> Report {
    Checker::new().limits(LIMITS).max_findings(FINDINGS).check_source(file)
}

/// Checks that an accepted file converts to canonical JSON.
fn view(whole: FileBytes<'_>, report: &Report) {
    let mut file = match File::open_within(whole, LIMITS) {
        Ok(file) => file,
        Err(error) => {
            let limit = matches!(error.error().code, ErrorCode::Limit(_));
            assert!(!report.accepts() || limit, "accepted, but has no view: {error}");
            return;
        }
    };
    assert_eq!(file.kind(), report.kind);
    let hashed = file.hash(|span, sink| {
        sink(whole.slice(span, "segment")?);
        Ok::<_, ViewError>(())
    });
    if let Err(error) = hashed {
        assert!(!report.accepts(), "accepted, but a segment has no digest: {error}");
    }
    serde_json::to_value(&file).expect("an open file serializes");
}

/// Reads a file into a tree, which must not panic even if the file has faults.
fn tree<'a, T: TableView<'a>>(region: &'a [u8], identifier: [u8; 4]) {
    let mut faults = 0;
    let Ok(_) = verify::<T>(region, LIMITS, |_, _| faults += 1) else { return };
    let Ok(table) = Table::root(region) else { return };
    let read = TableTree::read(table, T::TYPE);
    let Ok(tree) = read else {
        assert!(faults > 0, "the walk found no fault, but reading did: {read:?}");
        return;
    };
    let written = encode(&tree, identifier).expect("a tree that was read can be written");
    let again = Table::root(&written).and_then(|table| TableTree::read(table, T::TYPE));
    assert_eq!(again.as_ref(), Ok(&tree), "the tree changes when written and read");
}

fn program(bytes: &[u8], accepted: bool) {
    let Ok(file) = Pte::open(bytes) else { return };
    tree::<Program<'_>>(file.region(), pte::IDENTIFIER);
    for index in first(file.program().segments()).zip(0..).map(|(_, index)| index) {
        check_segment(bytes, file.segment(index), file.segment_bytes(index), accepted);
    }
    expect_readable(file.named_data(), |key| file.find(key), accepted);
    for method in file.methods().take(LOOK_UPS).flatten() {
        for (_, tensor) in method.tensors().take(LOOK_UPS).flatten() {
            let bytes = file.tensor_bytes(tensor);
            assert!(!accepted || bytes.is_ok(), "accepted, but a tensor's bytes are {bytes:?}");
        }
    }
}

fn data(bytes: &[u8], accepted: bool) {
    let Ok(file) = Ptd::open(bytes) else { return };
    for index in first(file.segments()).zip(0..).map(|(_, index)| index) {
        check_segment(bytes, file.segment(index), file.segment_bytes(index), accepted);
    }
    match file.layout() {
        Layout::Current(_) => tree::<FlatTensor<'_>>(file.region(), ptd::IDENTIFIER),
        Layout::Legacy(_) => tree::<LegacyFlatTensor<'_>>(file.region(), ptd::IDENTIFIER),
    }
    expect_readable(file.entries(), |key| file.find(key), accepted);
}

/// Checks that a lookup finds the first entries of an accepted file, and that their bytes are readable.
fn expect_readable<'a>(
    entries: impl Iterator<Item = Result<DataEntry<'a>, Error>>,
    find: impl Fn(&[u8]) -> Result<Option<DataEntry<'a>>, Error>,
    accepted: bool,
) {
    for entry in entries.take(LOOK_UPS) {
        let key = entry.and_then(DataEntry::key);
        assert!(!accepted || key.is_ok(), "accepted, and an entry gives {key:?}");
        let Ok(key) = key else { continue };
        let found = find(key.as_bytes());
        let bytes = found.map(|found| found.map(|entry| (entry.bytes(), entry.tensor_bytes())));
        assert!(!accepted || matches!(bytes, Ok(Some((Ok(_), Ok(_))))), "accepted, and {key:?} gives {bytes:?}");
    }
}

/// Returns the first elements, or none if the vector is absent or faulty.
fn first<'a, T: Element<'a> + 'a, E>(vector: Result<Option<Vector<'a, T>>, E>) -> impl Iterator<Item = T::Item> + 'a {
    vector.ok().flatten().into_iter().flat_map(Vector::iter).take(LOOK_UPS)
}

fn check_segment(file: &[u8], place: Result<Span, Error>, bytes: Result<&[u8], Error>, accepted: bool) {
    match (place, bytes) {
        (Ok(span), Ok(bytes)) if span.len > 0 => {
            let start = usize::try_from(span.offset).expect("a range inside the file");
            assert!(std::ptr::eq(&raw const file[start], bytes.as_ptr()), "the segment's bytes are not at {span}");
            assert_eq!(bytes.len() as u64, span.len);
        }
        (Ok(_), Ok(bytes)) => assert!(bytes.is_empty()),
        (place, bytes) => assert!(!accepted, "accepted, but a segment is at {place:?} with {bytes:?}"),
    }
}

/// Checks that each byte belongs to exactly one part of the byte map, and that all parts are inside the file.
pub(crate) fn expect_mapped(bytes: &[u8]) {
    let len = bytes.len() as u64;
    let map = ByteMap::of(bytes);
    for entry in map.entries() {
        assert!(entry.span.end() <= len, "{} `{}` is at {} of {len} bytes", entry.kind, entry.path, entry.span);
    }
    let mut covered = 0;
    for entry in map.cover(bytes) {
        assert!(entry.span.len > 0, "{} `{}` is empty", entry.kind, entry.path);
        assert_eq!(entry.span.offset, covered, "{} `{}` is at {}", entry.kind, entry.path, entry.span);
        covered = entry.span.end();
    }
    assert_eq!(covered, len);
}
