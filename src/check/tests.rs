//! Runs the checker on official files, on all their prefixes, and on many edited copies.

#[cfg(feature = "json")]
mod data;
mod flow;
mod parts;
#[cfg(feature = "json")]
mod programs;
mod shared_tables;
#[cfg(feature = "json")]
mod uses;
#[cfg(all(feature = "attack", feature = "corpus", feature = "generate"))]
mod verdict;
#[cfg(feature = "json")]
mod xnnpack;

use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::{Finding, FindingRef, Options, ReadAt, ReadError, StopReason, Summary, check_into};
use crate::FileKind;
use crate::real_files::{is_older, real_files};
use crate::{FileBytes, Span};

/// Checks a file with `scratch` words of scratch memory, and returns the findings that the sink receives.
pub(crate) fn streamed(file: &dyn ReadAt, options: Options, scratch: usize) -> (Summary, Vec<Finding>) {
    let mut found = Vec::new();
    let mut sink = |finding: &FindingRef<'_>| {
        found.push(Finding::from(finding));
        ControlFlow::Continue(())
    };
    let summary = check_into(file, &options, &mut alloc::vec![7; scratch], &mut sink);
    (summary, found)
}

fn findings(file: &dyn ReadAt) -> (Summary, Vec<Finding>) {
    streamed(file, Options::default(), 0)
}

fn ids(found: &[Finding]) -> Vec<&'static str> {
    found.iter().map(|finding| finding.rule.id).collect()
}

#[test]
fn official_files_violate_no_must_or_should_rule() {
    for (name, bytes) in real_files() {
        let (report, found) = findings(&bytes);
        let kind = match name.as_str() {
            name if name.starts_with("legacy") => FileKind::PtdLegacy,
            name if name.ends_with(".ptd") => FileKind::Ptd,
            _ => FileKind::Pte,
        };
        assert_eq!(report.kind, kind, "{name}");
        assert!(report.accepts(), "{name}: {found:#?}");
        let notes = ["fb-object-size", "const-offsets-placeholder"].map(|id| crate::rules::get(id).unwrap());
        let is_known = |finding: &Finding| is_older(&name) && notes.contains(&finding.rule);
        assert!(found.iter().all(is_known), "{name}: {found:#?}");
    }
}

/// A file with no bytes in memory, so the checker must call `read_at`.
struct ByRange<'a>(&'a [u8]);

impl ReadAt for ByRange<'_> {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        FileBytes::whole(self.0).read_at(offset, buffer)
    }
}

/// A file whose head is in memory. All bytes after the head are zero.
struct Zeros<'a>(FileBytes<'a>);

impl ReadAt for Zeros<'_> {
    fn len(&self) -> u64 {
        self.0.len()
    }

    fn read_at(&self, _: u64, _: &mut [u8]) -> Result<(), ReadError> {
        Err(ReadError)
    }

    fn head(&self) -> &[u8] {
        self.0.bytes()
    }

    fn first_nonzero(&self, _: Span) -> Result<Option<u64>, ReadError> {
        Ok(None)
    }
}

fn segments(bytes: &[u8]) -> Vec<Span> {
    use crate::flatbuffer::Vector;
    let each = |count: usize, place: &dyn Fn(u32) -> (Span, usize)| {
        let indexes = 0..u32::try_from(count).unwrap();
        indexes.map(place).inspect(|(span, len)| assert_eq!(span.len, *len as u64)).map(|(span, _)| span).collect()
    };
    if crate::flatbuffer::identifier(bytes) == Some(crate::pte::IDENTIFIER) {
        let file = crate::pte::Pte::open(bytes).unwrap();
        let count = file.program().segments().unwrap().map_or(0, Vector::len);
        each(count, &|index| (file.segment(index).unwrap(), file.segment_bytes(index).unwrap().len()))
    } else {
        let file = crate::ptd::Ptd::open(bytes).unwrap();
        let count = file.segments().unwrap().map_or(0, Vector::len);
        each(count, &|index| (file.segment(index).unwrap(), file.segment_bytes(index).unwrap().len()))
    }
}

/// A source with only the head in memory. `first_nonzero` searches gaps between segments, but panics if its span
/// touches a segment, except for padding between two constants that is shorter than their alignment.
struct OnlyGaps<'a> {
    head: &'a [u8],
    whole: FileBytes<'a>,
    forbidden: Vec<Span>,
}

impl ReadAt for OnlyGaps<'_> {
    fn len(&self) -> u64 {
        self.whole.len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        let span = Span::new(offset, buffer.len() as u64);
        if self.forbidden.iter().any(|segment| overlaps(*segment, span)) {
            return Err(ReadError);
        }
        self.whole.read_at(offset, buffer)
    }

    fn first_nonzero(&self, span: Span) -> Result<Option<u64>, ReadError> {
        for segment in &self.forbidden {
            assert!(span.len < 16 || !overlaps(*segment, span), "{span} reaches into segment {segment}");
        }
        self.whole.first_nonzero(span)
    }

    fn head(&self) -> &[u8] {
        self.head
    }
}

fn overlaps(one: Span, other: Span) -> bool {
    one.offset < other.end() && other.offset < one.end()
}

#[test]
fn check_reads_only_needed_bytes_and_gaps() {
    for (name, bytes) in real_files() {
        let len = bytes.len() as u64;
        let needed = usize::try_from(FileBytes::needed(&bytes[..48], len)).unwrap();
        let mut forbidden = segments(&bytes);
        // Permit reads of XNNPACK blobs, because their headers, roots and keys are checked.
        forbidden.retain(|segment| segment.slice(&bytes).is_none_or(|blob| blob.get(4..8) != Some(b"XH00")));
        let (report, found) =
            findings(&OnlyGaps { head: &bytes[..needed], whole: FileBytes::whole(&bytes), forbidden });
        assert!(report.accepts(), "{name}: {found:#?}");
    }
}

#[test]
fn rejects_prefixes_that_lack_owned_bytes() {
    for (name, bytes) in real_files() {
        let (_, all) = findings(&bytes);
        for len in 0..bytes.len() {
            let (report, found) = findings(&&bytes[..len]);
            if report.accepts() {
                assert_eq!(found, all, "{name} cut at {len}");
                assert!(bytes[len..].iter().all(|byte| *byte == 0), "{name} cut at {len} lost data and was accepted");
                #[cfg(feature = "json")]
                assert_eq!(
                    crate::view::to_value(&bytes[..len]).unwrap(),
                    crate::view::to_value(&bytes).unwrap(),
                    "{name}"
                );
            }
        }
    }
}

#[test]
fn opening_and_reading_tables_need_no_segment_byte() {
    for (name, bytes) in real_files() {
        let len = bytes.len() as u64;
        let needed = usize::try_from(FileBytes::needed(&bytes[..48], len)).unwrap();
        let head = FileBytes::head(&bytes[..needed], len).unwrap();
        let found = |place: Result<&[u8], crate::Error>, size| match place {
            Ok(bytes) => assert!(bytes.is_empty() && size == 0, "{name}"),
            Err(error) => assert_eq!(error.code, crate::ErrorCode::NotInMemory, "{name}"),
        };
        if name.ends_with(".pte") {
            let file = crate::pte::Pte::open_file_bytes(head).unwrap();
            let segments = file.program().segments().unwrap().unwrap();
            for (index, segment) in segments.iter().enumerate() {
                found(file.segment_bytes(u32::try_from(index).unwrap()), segment.unwrap().size().unwrap());
            }
        } else {
            let file = crate::ptd::Ptd::open_file_bytes(head).unwrap();
            for (index, segment) in file.segments().unwrap().unwrap().iter().enumerate() {
                found(file.segment_bytes(u32::try_from(index).unwrap()), segment.unwrap().size().unwrap());
            }
        }
        #[cfg(feature = "json")]
        crate::view::File::open(head).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn a_sink_that_breaks_ends_the_check() {
    let mut calls = 0;
    let mut sink = |_: &FindingRef<'_>| {
        calls += 1;
        ControlFlow::Break(())
    };
    let summary = check_into(&&[0_u8; 12][..], &Options::default(), &mut [], &mut sink);
    assert_eq!((calls, summary.stopped), (1, Some(StopReason::Sink)));
}

mod properties {
    use proptest::prelude::*;

    use super::{findings, real_files, segments};
    use crate::flatbuffer::schema::TableView;
    #[cfg(feature = "attack")]
    use crate::{mutate::Edit, random::Random};

    fn read_everything(bytes: &[u8]) {
        if let Ok(file) = crate::pte::Pte::open(bytes) {
            for index in 0..4 {
                let _ = file.segment_bytes(index);
            }
            let _ = file.find(b"metadata.general.name");
            for method in file.methods().take(4).flatten() {
                let _ = (method.name(), method.plan().table().span());
                for (_, tensor) in method.tensors().take(64).flatten() {
                    let _ = file.tensor_bytes(tensor);
                }
            }
        }
        if let Ok(file) = crate::ptd::Ptd::open(bytes) {
            for key in [&b"l.weight"[..], b"mod.ids", b""] {
                let _ = file.find(key).map(|entry| entry.map(crate::DataEntry::bytes));
                let _ = file.tensor_bytes(key);
            }
        }
    }

    fn check_and_read(bytes: &[u8]) {
        let (report, _) = findings(&bytes);
        if report.accepts() {
            // An accepted file must open, and the bytes of all its segments must be readable.
            segments(bytes);
        }
        read_everything(bytes);
    }

    proptest! {

        #[test]
        fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            check_and_read(&bytes);
        }

        #[test]
        #[cfg(feature = "attack")]
        fn no_edit_of_a_real_file_makes_the_reader_panic(files in any::<[prop::sample::Index; 2]>(), seed in any::<u64>()) {
            let real = real_files();
            let [file, donor] = files.map(|file| &real[file.index(real.len())].1);
            check_and_read(&Edit::several(file, donor, usize::MAX, &mut Random::new(seed)));
        }
    }
}
