//! Compares parts of the checker with simpler implementations of the same functions.

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::super::finding::Findings;
use super::super::references::{References, SegmentUse, words_for};
use super::super::segments::{PTD, PTE, SegmentBase, SegmentOrder, SegmentRange, check_gaps};
use super::super::source::{Bytes, all_zero, first_nonzero};
use super::super::{FindingRef, ReadAt, ReadError, StopReason, expect_zeros};
use crate::flatbuffer::walk::Path;
use crate::random::Random;
use crate::segment::SegmentRegion;
use crate::{FileBytes, Span};

const ROLES: [SegmentUse; 4] = [SegmentUse::Constant, SegmentUse::Mutable, SegmentUse::Delegate, SegmentUse::Named];

#[test]
fn references_match_a_table_of_sets() {
    for (segments, blobs) in
        [(0, 0), (1, 1), (15, 64), (16, 65), (17, 63), (300, 200), (1024, 1024), (1025, 700), (1600, 900)]
    {
        let mut memory = alloc::vec![u64::MAX; words_for(segments, blobs)];
        let mut kept = References::new(&mut memory, segments, blobs);
        let mut roles = alloc::vec![BTreeSet::new(); segments];
        let mut inline = BTreeSet::new();
        let mut random = Random::new(7);
        for _ in 0..segments / 2 {
            let (index, role) = (random.index(segments), random.index(4));
            let had = !roles[index].is_empty();
            let new = roles[index].insert(role) && had;
            assert_eq!(kept.record(u32::try_from(index).unwrap(), ROLES[role]), new);
        }
        for _ in 0..blobs / 2 {
            let index = random.index(blobs);
            inline.insert(index);
            kept.record_inline(u32::try_from(index).unwrap());
        }
        for (index, own) in roles.iter().enumerate() {
            for (number, role) in ROLES.into_iter().enumerate() {
                assert_eq!(kept.has(u32::try_from(index).unwrap(), role), own.contains(&number), "{index}");
            }
        }
        let unreferenced: Vec<_> = (0..segments).filter(|index| roles[*index].is_empty()).collect();
        assert_eq!(kept.unreferenced().collect::<Vec<_>>(), unreferenced);
        let left: Vec<_> = (0..blobs).filter(|index| !inline.contains(index)).collect();
        assert_eq!(kept.unreferenced_inline().collect::<Vec<_>>(), left);
        // `References` ignores an index that is out of range; its caller detects and reports it.
        let end = u32::try_from(segments).unwrap();
        assert!(!kept.record(end, SegmentUse::Named) && !kept.has(end, SegmentUse::Named) && !kept.has_invalid_index);
        kept.record_inline(u32::try_from(blobs).unwrap());
        assert!(kept.has_invalid_index);
        assert_eq!(kept.unreferenced().count() + kept.unreferenced_inline().count(), unreferenced.len() + left.len());
    }
}

type FindingAt = (&'static str, String, Span);

fn findings<R>(report: impl FnOnce(&mut Findings<'_>) -> R) -> (Vec<FindingAt>, R) {
    let mut found = Vec::new();
    let mut sink = |finding: &FindingRef<'_>| {
        found.push((finding.rule.id, finding.path.to_string(), finding.span));
        ControlFlow::Continue(())
    };
    let result = report(&mut Findings::new(&mut sink));
    (found, result)
}

/// Returns the findings for segments in a file whose segment data starts at byte 64 and has 256 bytes. The span of a
/// finding starts at the index of its segment, so tests can identify the segment.
fn seen_as(segments: &[(u64, u64)], known: bool) -> (Vec<FindingAt>, SegmentOrder) {
    let data = SegmentRegion { base: 64, size: Some(256), file_len: 64 + 256 };
    let mut seen = SegmentOrder::new(&PTE, SegmentBase { data, region_end: 64, known });
    let (found, ()) = findings(|reporter| {
        for (index, (offset, size)) in segments.iter().enumerate() {
            let list = Path::ROOT.field("segments");
            let segment = SegmentRange { offset: *offset, size: *size };
            seen.segment(segment, &|| Span::of(index, 1), &list.index(index), reporter).unwrap();
        }
    });
    (found, seen)
}

#[test]
fn reports_unordered_misaligned_and_out_of_bounds_segments() {
    let found = |segments: &[(u64, u64)]| {
        let (found, seen) = seen_as(segments, true);
        (found.into_iter().map(|own| (own.0, own.2.offset)).collect::<Vec<_>>(), seen.ordered, seen.sound, seen.end)
    };
    assert_eq!(found(&[]), (alloc::vec![], true, true, 0));
    assert_eq!(found(&[(0, 16), (16, 240)]), (alloc::vec![], true, true, 256));
    assert_eq!(found(&[(0, 16), (0, 16)]), (alloc::vec![], true, true, 16));
    assert_eq!(found(&[(32, 16), (16, 16), (0, 16)]), (alloc::vec![("seg-sorted", 1)], false, true, 48));
    assert_eq!(found(&[(16, 16), (8, 0), (32, 1)]), (alloc::vec![], true, true, 33));
    assert_eq!(found(&[(15, 16)]), (alloc::vec![("seg-aligned", 0)], true, true, 31));
    assert_eq!(found(&[(0, 257)]), (alloc::vec![("seg-within-data", 0)], true, false, 0));
    assert_eq!(found(&[(u64::MAX, 1)]), (alloc::vec![("seg-end-no-overflow", 0)], true, false, 0));
    assert_eq!(found(&[(u64::MAX - 63, 0)]), (alloc::vec![("seg-abs-no-overflow", 0)], true, false, 0));
    let (found, seen) = seen_as(&[(7, 9999), (u64::MAX, 1)], false);
    assert_eq!(found.iter().map(|own| own.0).collect::<Vec<_>>(), ["seg-end-no-overflow"]);
    assert!(!seen.sound);
}

#[test]
fn reports_overlaps_and_nonzero_padding() {
    let mut file = alloc::vec![0_u8; 64 + 256 + 8];
    let found = |file: &[u8], segments: &[(u64, u64)]| {
        let data = SegmentRegion { base: 64, size: Some(256), file_len: file.len() as u64 };
        let seen = SegmentOrder::new(&PTD, SegmentBase { data, region_end: 64, known: true });
        let nth = |index: usize| {
            let (offset, size) = *segments.get(index)?;
            Some((index, SegmentRange { offset, size }))
        };
        let place = |index| Span::of(index, 1);
        let (found, flow) = findings(|reporter| {
            check_gaps(Bytes { head: file, source: &file }, &seen, segments.len(), &nth, &place, reporter)
        });
        assert!(flow.is_ok());
        found.into_iter().map(|own| (own.0, own.2)).collect::<Vec<_>>()
    };
    let trailing = ("tr-ptd", Span::new(320, 8));
    assert_eq!(found(&file[..320], &[(0, 16), (16, 16)]), []);
    assert_eq!(found(&file, &[(0, 16), (32, 16)]), [trailing]);
    // Only nonempty segments can overlap. A segment may begin where another ends.
    assert_eq!(found(&file[..320], &[(0, 32), (16, 16)]), [("ft-seg-no-overlap", Span::new(1, 1))]);
    assert_eq!(found(&file[..320], &[(0, 32), (16, 0), (16, 1)]), [("ft-seg-no-overlap", Span::new(2, 1))]);
    assert_eq!(
        found(&file[..320], &[(0, 32), (16, 32), (47, 1)]),
        [("ft-seg-no-overlap", Span::new(1, 1)), ("ft-seg-no-overlap", Span::new(2, 1))]
    );
    // An empty segment overlaps no other segment, wherever it is.
    assert_eq!(found(&file[..320], &[(24, 0), (0, 32)]), []);
    assert_eq!(found(&file[..320], &[(200, 0), (0, 16), (8, 0), (16, 16)]), []);
    file[64 + 16] = 1;
    file[64 + 31] = 2;
    let padding = |at: u64| ("ft-seg-padding-zero", Span::new(64 + at, 1));
    assert_eq!(found(&file[..320], &[(0, 16), (32, 16)]), [padding(16)]);
    assert_eq!(found(&file[..320], &[(0, 17), (32, 16)]), [padding(31)]);
    assert_eq!(found(&file[..320], &[(0, 17), (31, 16)]), []);
    assert_eq!(found(&file[..320], &[(17, 14)]), [padding(16)]);
    assert_eq!(found(&file[..320], &[(16, 16)]), []);
    assert_eq!(found(&file[..320], &[(16, 14), (32, 0)]), [padding(31)]);
    assert_eq!(found(&file[..320], &[(32, 0), (16, 14)]), [padding(31)]);
}

struct Ones;

impl ReadAt for Ones {
    fn len(&self) -> u64 {
        u64::MAX
    }

    fn read_at(&self, _: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        buffer.fill(1);
        Ok(())
    }

    fn head(&self) -> &[u8] {
        &[1, 0, 0]
    }
}

#[test]
fn expect_zeros_reads_only_bytes_of_the_file() {
    let expected = |source: &dyn ReadAt, span| {
        let bytes = Bytes { head: source.head(), source };
        findings(|reporter| {
            expect_zeros(bytes, span, crate::rules::trailing::TR_PTE.key(), &Path::ROOT, "it", reporter)
        })
    };
    assert!(expected(&Ones, Span::new(5, 0)).1.is_ok());
    let file_bytes = FileBytes::whole(b"\0\0\0\x01\0");
    assert_eq!(expected(&file_bytes, Span::new(0, 3)).0, []);
    assert_eq!(expected(&file_bytes, Span::new(1, 4)).0, [("tr-pte", String::new(), Span::new(3, 1))]);
    assert_eq!(expected(&file_bytes, Span::new(1, 5)).1, Err(StopReason::Unread(Span::new(1, 5))));
    // If bytes are already in memory, `expect_zeros` must not read them from the source.
    assert_eq!(expected(&Ones, Span::new(1, 2)).0, []);
    for (span, at) in [(Span::new(0, 2), 0), (Span::new(2, 2), 2), (Span::new(5000, 9000), 5000)] {
        assert_eq!(expected(&Ones, span).0, [("tr-pte", String::new(), Span::new(at, 1))]);
    }
    assert_eq!(expected(&Ones, Span::new(u64::MAX, 2)).1, Err(StopReason::Unread(Span::new(u64::MAX, 2))));
}

#[test]
fn finds_the_first_nonzero_byte_at_any_position() {
    for len in 0..100 {
        let mut bytes = alloc::vec![0; len];
        assert_eq!(first_nonzero(&bytes), None);
        assert!(all_zero(&bytes));
        for at in (0..len).rev() {
            bytes[at] = 1;
            assert_eq!(first_nonzero(&bytes), Some(at));
            let mut alone = alloc::vec![0; len];
            alone[at] = 0x80;
            assert!(!all_zero(&alone), "{at} of {len}");
        }
    }
    let file_bytes = FileBytes::whole(b"\0\0\x01\0");
    assert_eq!(file_bytes.first_nonzero(Span::new(1, 3)), Ok(Some(2)));
    assert_eq!(file_bytes.first_nonzero(Span::new(3, 1)), Ok(None));
    assert_eq!(file_bytes.first_nonzero(Span::new(3, 2)), Err(ReadError));
    let mut into = [9; 2];
    assert!(file_bytes.read_at(2, &mut into).is_ok() && into == [1, 0]);
    assert!(file_bytes.read_at(3, &mut into).is_err() && into == [1, 0]);
}
