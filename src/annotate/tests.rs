//! Tests that the map assigns each byte to the right part.

use alloc::string::{String, ToString};

use super::*;
#[cfg(feature = "corpus")]
use crate::corpus::Verdict;
use crate::flatbuffer::encode;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::generate::{self, Config, generate};
use crate::pte::schema::{DataSegment, EValue, ExecutionPlan, Null, Program};
use crate::{ErrorCode, Limit};

fn expect_one_owner_each(name: &str, bytes: &[u8], left_over: bool) {
    let map = ByteMap::of(bytes);
    assert!(map.is_complete(), "{name}: {:?}", map.unmapped());
    let mut at = 0;
    for entry in map.parts(bytes) {
        assert_eq!(entry.span.offset, at, "{name}: {entry:?}");
        at = entry.span.end();
        assert!(left_over || entry.kind != PartKind::Unowned, "{name}: {entry:?}");
    }
    assert_eq!(at, bytes.len() as u64, "{name}");
}

#[test]
fn every_byte_of_a_valid_file_has_one_owner() {
    for kind in generate::GeneratedKind::ALL {
        for seed in 0..60 {
            for file in generate(kind, &Config::default(), seed).unwrap() {
                expect_one_owner_each(&alloc::format!("{} {seed}", kind.name()), &file.bytes, false);
            }
        }
    }
    for (name, bytes) in crate::real_files::real_files() {
        expect_one_owner_each(&name, &bytes, false);
    }
}

/// Accepted cases with unowned bytes, which are left over from a replaced part or belong to fields of a newer schema.
#[cfg(feature = "corpus")]
const LEFT_OVER: &[&str] = &[
    "bpte/valid/unknown-slot",
    "ptd/valid/unknown-slot",
    "ptd/valid/rank-16",
    "pte/structure/empty-int-list-unaligned",
    "pte/valid/compile-spec-empty-value",
    "pte/valid/compile-specs-absent",
    "pte/valid/compile-specs-empty",
    "pte/valid/container-strings-absent",
    "pte/valid/empty-string-value",
    "pte/valid/external-in-older-file",
    "pte/valid/header-48",
    "pte/valid/header-64",
    "pte/valid/operator-name-99",
    "pte/valid/rank-0",
    "pte/valid/rank-16",
    "pte/valid/unknown-slot",
    "pte/valid/vtable-behind-table",
];

#[cfg(feature = "corpus")]
const TANGLED: &[&str] = &["ptd/structure/root-in-header", "pte/structure/root-in-header"];

#[test]
#[cfg(feature = "corpus")]
fn every_byte_of_an_accepted_case_has_one_owner() {
    for case in crate::corpus::all() {
        let bytes = case.build().bytes;
        if crate::check(&bytes).accepts() && !TANGLED.contains(&case.id) {
            // Cases with verdict `either` often have unowned bytes.
            let left_over = case.verdict != Verdict::Accept || LEFT_OVER.contains(&case.id);
            expect_one_owner_each(case.id, &bytes, left_over);
        }
    }
}

#[test]
fn a_byte_of_two_parts_belongs_to_the_first() {
    let part =
        |offset, len, path: &str| Entry { path: path.into(), ..Entry::gap(Span::new(offset, len), PartKind::Segment) };
    let entries = alloc::vec![part(2, 2, "a"), part(2, 4, "b"), part(3, 2, "c"), part(5, 3, "d")];
    let map = ByteMap { entries, unmapped: Vec::new(), program_start: 0 };
    let cover: Vec<(u64, u64, String)> =
        map.cover(&[1; 9]).map(|entry| (entry.span.offset, entry.span.len, entry.path)).collect();
    let expected = [(0, 2, ""), (2, 2, "a"), (4, 2, "b"), (6, 2, "d"), (8, 1, "")];
    assert_eq!(cover, expected.map(|(offset, len, path)| (offset, len, path.to_string())));
    assert_eq!(map.parts(&[1; 9]).count(), 6);
}

/// A reader that follows every offset visits a million tables in this file.
#[test]
#[cfg(feature = "corpus")]
fn maps_shared_parts_once() {
    let bytes = crate::corpus::find("pte/limits/a-million-tables").unwrap().build().bytes;
    let map = ByteMap::of(&bytes);
    assert!(map.is_complete(), "{:?}", map.unmapped());
    assert!(map.entries().len() < bytes.len() / 2, "{} parts of {} bytes", map.entries().len(), bytes.len());
    // The verifier reaches the operator's name only after the shared tables, so a map that ended early would lack it.
    assert!(map.find("execution_plan[0].operators[0].name", PartKind::Elements).is_some());
}

#[test]
fn zeros_up_to_an_alignment_are_padding() {
    let bytes = [0; 0x1400];
    let map = ByteMap { entries: alloc::vec![], unmapped: Vec::new(), program_start: 0 };
    let kind = |bytes: &[u8], offset, len| map.gap(bytes, Span::new(offset, len)).kind == PartKind::Padding;
    let is_padding = |offset, len| kind(&bytes, offset, len);
    assert!(is_padding(5, 15) && !is_padding(5, 16));
    assert!(is_padding(0x1000 - 0xfff, 0xfff) && !is_padding(0, 0x1000));
    assert!(is_padding(0x1400 - 0x3ff, 0x3ff) && !is_padding(0x1000, 0x400));
    let other = [0, 0, 1, 0];
    assert!(kind(&other, 0, 2) && !kind(&other, 0, 3));
    // A gap is not padding if it ends past the end of the file.
    assert!(!kind(&other, 2, 4));
}

#[test]
#[cfg(feature = "corpus")]
fn an_incomplete_map_states_what_it_misses() {
    for (id, path, rule) in [
        ("pte/header/program-size-past-file", "", "eh-program-size-range"),
        ("pte/segments/past-file", "segments[0]", "seg-within-data"),
    ] {
        let Some(case) = crate::corpus::find(id) else { panic!("{id}") };
        let map = ByteMap::of(&case.build().bytes);
        let unmapped: Vec<_> =
            map.unmapped().iter().map(|unmapped| (unmapped.path.as_str(), unmapped.error.rule())).collect();
        assert_eq!(unmapped, [(path, Some(rule))], "{id}");
    }
    let unmapped = ByteMap::of(b"This is not a program.").unmapped().to_vec();
    assert_eq!(unmapped.len(), 1);
    assert_eq!(unmapped[0].error.rule().unwrap(), "fb-identifier-exact");
}

/// The map may lack only parts that the defect makes unreachable.
#[test]
#[cfg(feature = "corpus")]
fn maps_everything_before_a_defect() {
    let (mut same, mut lost) = (0, 0);
    for case in crate::corpus::all().filter(|case| case.verdict == Verdict::Reject) {
        let Some(base) = case.base.and_then(crate::corpus::find) else { continue };
        let (built, base) = (case.build(), base.build().bytes);
        let Some(defect) = built.edits.iter().map(|edit| edit.at).min() else { continue };
        let map = ByteMap::of(&built.bytes);
        let (ours, theirs) = (owners(&map, &built.bytes, defect), owners(&ByteMap::of(&base), &base, defect));
        assert_eq!(ours.len(), theirs.len(), "{}", case.id);
        for (at, (one, other)) in ours.iter().zip(&theirs).enumerate() {
            let excused = match one.0 {
                // If a field is removed from a vtable, its bytes become unowned, even in a complete map.
                PartKind::Unowned => !map.is_complete() || case.id.ends_with("-absent"),
                // A shared vtable's path depends on which table the verifier visits first.
                PartKind::Vtable => other.0 == PartKind::Vtable,
                // In the case `base-0`, the segments overlap the header. If the inner file of a bundled program is not
                // a program, it is mapped as a vector of bytes.
                PartKind::Segment => case.id.ends_with("/header/base-0"),
                PartKind::Elements => case.id.starts_with("bpte/program/") && one.1 == "program",
                _ => false,
            };
            assert!(one == other || excused, "{} at {at:#x}: {one:?}, and without the defect {other:?}", case.id);
            *(if one == other { &mut same } else { &mut lost }) += 1;
        }
    }
    assert!(same > 100_000 && lost < same / 100, "{same} bytes with the same owner, {lost} without");
}

fn owners(map: &ByteMap, bytes: &[u8], end: u64) -> Vec<(PartKind, String)> {
    let each = map.cover(bytes).flat_map(|entry| {
        let len = usize::try_from(entry.span.len).unwrap();
        let kind = if entry.kind.is_gap() { PartKind::Unowned } else { entry.kind };
        core::iter::repeat_n((kind, entry.path), len)
    });
    each.take(usize::try_from(end).unwrap()).collect()
}

/// If the map compared each error with all earlier ones, this would take minutes.
#[test]
fn errors_of_many_segments_are_collected_in_linear_time() {
    const COUNT: u64 = 50_000;
    let segment = |index| TableTree::new(DataSegment::TYPE).with("offset", u64::MAX - index).with("size", u64::MAX);
    let root = TableTree::new(Program::TYPE).with("segments", (0..COUNT).map(segment).collect::<Vec<_>>());
    let map = ByteMap::of(&encode(&root, crate::pte::IDENTIFIER).unwrap());
    assert_eq!(map.unmapped().len() as u64, COUNT);
}

#[test]
fn a_map_that_needs_too_much_memory_is_incomplete() {
    let value = TableTree::new(EValue::TYPE).with("val", TableTree::new(Null::TYPE));
    let values = alloc::vec![value; 150_000];
    let plan = TableTree::new(ExecutionPlan::TYPE).with("values", values);
    let root = TableTree::new(Program::TYPE).with("execution_plan", [plan]);
    let bytes = encode(&root, crate::pte::IDENTIFIER).unwrap();
    let map = ByteMap::of(&bytes);
    // On 32-bit hosts, an entry needs half the memory, so the whole map fits.
    if cfg!(target_pointer_width = "32") {
        assert!(map.is_complete());
        return;
    }
    assert_eq!(map.unmapped().last().unwrap().error.code, ErrorCode::Limit(Limit::Memory));
    let memory: usize = map.entries().iter().map(|entry| size_of::<Entry>() + entry.path.len()).sum();
    assert!((memory as u64) < Limit::memory_for(bytes.len() as u64), "{memory}");
    // Most parts of the file fit within the memory limit of the map.
    assert!(map.entries().len() > 600_000, "{}", map.entries().len());
}
