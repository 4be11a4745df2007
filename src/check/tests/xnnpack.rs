//! Tests how the checker finds the keys of named data in XNNPACK blobs.

use alloc::vec::Vec;

use super::super::{Checker, Options, ReadAt, StopReason, check};
use super::{ByRange, ids, streamed};
use crate::bundled::IDENTIFIER;
use crate::bundled::schema::BundledProgram;
use crate::corpus::keyed_xnnpack_blob;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::flatbuffer::{Table, encode};
use crate::pte::schema::{NamedData, Program};
use crate::pte::{ProgramLayout, Pte, write};
use crate::write::SegmentData;
use crate::{FileBytes, Limit, Limits, Span};

fn case(id: &str) -> Vec<u8> {
    crate::corpus::find(id).unwrap().build().bytes
}

/// Returns a program with the XNNPACK blob `blob`, and an entry of named data for each key in `own`.
fn program(blob: &[u8], own: &[&str]) -> Vec<u8> {
    let base = case("pte/valid/xnnpack-key-in-program");
    let root = Table::root(Pte::open(&base).unwrap().region()).unwrap();
    let mut tree = TableTree::read(root, Program::TYPE).unwrap();
    tree.remove("segments");
    let named = |key: &&str| TableTree::new(NamedData::TYPE).with("key", *key).with("segment_index", 2);
    let tree = tree.with("named_data", own.iter().map(named).collect::<Vec<_>>());
    let segments = [&[][..], blob, &[7; 24]].map(SegmentData::new);
    write(&tree, &segments, &ProgramLayout::default()).unwrap()
}

/// Returns a blob whose graph has a list of `constants` offsets to constants. All of them point to the same constant,
/// which has the key `key`.
fn shared(constants: u32, key: &str) -> Vec<u8> {
    let mut blob = keyed_xnnpack_blob(key);
    let size = u32::try_from(blob.len()).unwrap() - 32;
    // Append a longer list of constants to the graph, and replace the old list with it. All offsets in the new list
    // point to the same constant after the list.
    blob[32 + 44..][..4].copy_from_slice(&(size - 44).to_le_bytes());
    blob.extend((constants + 1).to_le_bytes());
    for index in 0..=constants {
        let at = size + 4 + 4 * index;
        blob.extend((size + 4 * (constants + 2) + 12 - at).to_le_bytes());
    }
    // Append the constant's vtable, with the key in slot 2. Then append the constant, which contains the offset to the
    // key.
    for word in [10 | 8 << 16, 0, 4] {
        blob.extend(u32::to_le_bytes(word));
    }
    blob.extend([12, 4, u32::try_from(key.len()).unwrap()].iter().flat_map(|word| u32::to_le_bytes(*word)));
    blob.extend(key.as_bytes());
    blob.resize(blob.len().next_multiple_of(16), 0);
    let size = u32::try_from(blob.len()).unwrap() - 32;
    blob[14..18].copy_from_slice(&size.to_le_bytes());
    blob[18..22].copy_from_slice(&(size + 32).to_le_bytes());
    blob
}

/// A file with one unreadable byte. The second field is the position of that byte.
struct Unreadable<'a>(&'a [u8], u64);

impl ReadAt for Unreadable<'_> {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), super::ReadError> {
        let read = Span::new(offset, buffer.len() as u64);
        if (read.offset..read.end()).contains(&self.1) {
            Err(super::ReadError)
        } else {
            FileBytes::whole(self.0).read_at(offset, buffer)
        }
    }
}

#[test]
fn counts_and_resolves_the_keys_of_blobs() {
    let (own, other) = (case("pte/valid/xnnpack-key-in-program"), case("pte/valid/xnnpack-key-in-data-file"));
    let (data, elsewhere) = (case("ptd/valid/external-weight"), case("ptd/valid/external-second"));
    for (bytes, unresolved) in [(&own, 0), (&other, 1)] {
        let alone = check(bytes);
        assert!(alone.accepts() && alone.findings.is_empty(), "{:?}", alone.findings);
        assert_eq!(alone.unresolved_keys, unresolved);
        assert_eq!(Checker::new().check_source(&ByRange(bytes)).unresolved_keys, unresolved);
        assert_eq!(streamed(&bytes.as_slice(), Options::default(), 8).0.unresolved_keys, unresolved);
        let together = Checker::new().with(&elsewhere).check_source(&ByRange(bytes));
        let expected: &[&str] = if unresolved > 0 { &["x-xnn-key-found"] } else { &[] };
        assert_eq!((ids(&together.findings).as_slice(), together.unresolved_keys), (expected, 0));
    }
    // A key that cannot be read because of a disk error does not count as missing.
    let blob = keyed_xnnpack_blob("weight");
    let graph = other.windows(blob.len()).position(|bytes| bytes == blob).unwrap() as u64 + 32;
    let stopped = Checker::new().check_source(&Unreadable(&other, graph)).stopped;
    assert!(
        matches!(stopped, Some(StopReason::Unread(span)) if span.end() > graph && span.offset <= graph),
        "{stopped:?}"
    );
    let together = Checker::new().with(&elsewhere).with(&data).check(&other);
    assert!(together.accepts() && together.unresolved_keys == 0, "{:?}", together.findings);
}

#[test]
fn resolves_the_keys_of_a_program_in_a_bundle() {
    let inner = case("pte/valid/xnnpack-key-in-data-file");
    let root =
        TableTree::new(BundledProgram::TYPE).with("program", inner).with("method_test_suites", Vec::<TableTree>::new());
    let bundle = encode(&root, IDENTIFIER).unwrap();
    assert_eq!(check(&bundle).unresolved_keys, 1);
    let (data, elsewhere) = (case("ptd/valid/external-weight"), case("ptd/valid/external-second"));
    let rejected = Checker::new().with(&elsewhere).check(&bundle);
    let [finding] = rejected.findings.as_slice() else { panic!("{:?}", rejected.findings) };
    assert_eq!(finding.path, "program.execution_plan[0].delegates[0].processed");
    assert_eq!(finding.span.slice(&bundle), Some(&b"weight"[..]));
    assert!(Checker::new().with(&data).check(&bundle).findings.is_empty());
}

#[test]
fn finds_keys_among_many_and_skips_long_keys() {
    let names: Vec<_> = (0..300).map(|index| alloc::format!("k{index}")).collect();
    let own: Vec<&str> = names.iter().map(alloc::string::String::as_str).collect();
    let unresolved = |key: &str| check(&program(&keyed_xnnpack_blob(key), &own)).unresolved_keys;
    assert_eq!([unresolved("k0"), unresolved("k299"), unresolved("k300"), unresolved("")], [0, 0, 1, 0]);
    assert_eq!([1023, 1024, 1025].map(|len| unresolved(&"x".repeat(len))), [1, 1, 0]);
}

#[test]
fn a_shared_constant_counts_at_each_visit_within_the_limit() {
    let bytes = program(&shared(1000, &"x".repeat(100)), &["own"]);
    assert_eq!(check(&bytes).unresolved_keys, 1000);
    let limited = |most| Options::default().limits(Limits::DEFAULT.apparent_size(most));
    assert_eq!(streamed(&bytes.as_slice(), limited(1124 * 1000), 128).0.stopped, None);
    let stopped = streamed(&bytes.as_slice(), limited(1124 * 1000 - 1), 128).0.stopped;
    assert_eq!(stopped, Some(StopReason::Limit(Limit::ApparentSize)));
}

#[test]
fn broken_graphs_have_at_most_one_finding() {
    let blob = keyed_xnnpack_blob("weight");
    let data = case("ptd/valid/external-second");
    for at in 32..blob.len() {
        for value in [0, 1, 4, 0x7f, 0x80, 0xff] {
            let mut broken = blob.clone();
            broken[at] = value;
            let bytes = program(&broken, &["own"]);
            let alone = check(&bytes);
            let expected: &[&str] = match (at, ids(&alone.findings).as_slice()) {
                (36..40, _) if broken[36..40] != *b"XN01" => &["del-xnn-root"],
                (_, []) => &[],
                (_, ["del-xnn-lists"]) => &["del-xnn-lists"],
                _ => &["del-xnn-root"],
            };
            assert!(ids(&alone.findings) == expected && alone.accepts(), "{at}: {:?}", alone.findings);
            let together = Checker::new().with(&data).check(&bytes);
            let all = alone.findings.len() + alone.unresolved_keys as usize;
            assert_eq!(together.findings.len(), all, "{at}: {:?}", together.findings);
        }
    }
    // Cutting the blob to any size in this range removes the end of the key.
    for size in 8..216_u32 {
        let mut cut = blob.clone();
        cut[14..18].copy_from_slice(&size.to_le_bytes());
        assert_eq!(check(&program(&cut, &["own"])).unresolved_keys, 0, "{size}");
    }
}
