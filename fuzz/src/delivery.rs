//! **A file has the same findings in every delivery.**
//!
//! * Findings do not depend on which bytes are in memory, on the size of reads, or on the file's address.
//! * If reads fail, the checker does not reject a file that it would accept, or accept a file that it would reject.
//! * A file's dump does not depend on how its segments are delivered.

use std::cell::Cell;

use torchproof::check::{Checker, ReadAt, ReadError, Report};
use torchproof::view::{File, ViewError};
use torchproof::{FileBytes, Span};

use crate::read_any::LIMITS;

const FINDINGS: usize = 100;

/// The size of pieces, an odd number, so that pieces end in the middle of fields.
const PIECE: usize = 7;

pub fn run(bytes: &[u8]) {
    let expected = check(&bytes);
    let needed = FileBytes::needed(&bytes[..bytes.len().min(48)], bytes.len() as u64);
    let needed = usize::try_from(needed).expect("the needed bytes are inside the file");
    // The last length is arbitrary, but always the same for the same file.
    let any = bytes.iter().fold(bytes.len(), |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(*byte)));
    for head in [0, needed, any % (bytes.len() + 1)] {
        let source = Source { head: &bytes[..head], whole: bytes, reads: Cell::new(u32::MAX) };
        assert_eq!(check(&source), expected, "with {head} bytes in memory, the findings differ");
    }
    for shift in [1, 4] {
        let mut moved = vec![0xff; shift];
        moved.extend_from_slice(bytes);
        assert_eq!(check(&&moved[shift..]), expected, "at another address, the findings differ");
    }
    for reads in [0, 1, 3] {
        same_verdict(&check(&Source { head: &[], whole: bytes, reads: Cell::new(reads) }), &expected);
    }
    dump(bytes, needed);
}

fn check(file: &dyn ReadAt) -> Report {
    Checker::new().limits(LIMITS).max_findings(FINDINGS).check_source(file)
}

/// Failed reads must not reverse the verdict.
fn same_verdict(found: &Report, expected: &Report) {
    assert!(found.must <= expected.must, "a failed read causes a violation of a must-rule: {found:?}");
    assert!(!found.accepts() || expected.accepts(), "failed reads hide a violation of a must-rule: {expected:?}");
}

/// The dump is the same when only the FlatBuffer is in memory and the segments come in pieces.
fn dump(bytes: &[u8], needed: usize) {
    let whole = FileBytes::whole(bytes);
    let head = FileBytes::head(&bytes[..needed], bytes.len() as u64).expect("a prefix");
    let read = |file_bytes| {
        let mut file = File::open_within(file_bytes, LIMITS).map_err(|error| error.to_string())?;
        file.hash(|span: Span, sink| {
            whole.slice(span, "segment")?.chunks(PIECE).for_each(sink);
            Ok::<_, ViewError>(())
        })
        .map_err(|error| error.to_string())?;
        serde_json::to_string(&file).map_err(|error| error.to_string())
    };
    assert!(read(whole) == read(head), "with {needed} bytes in memory, the dump differs");
}

/// The first bytes are in memory, and reads start failing at some point.
struct Source<'a> {
    head: &'a [u8],
    whole: &'a [u8],
    reads: Cell<u32>,
}

impl ReadAt for Source<'_> {
    fn len(&self) -> u64 {
        self.whole.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        self.reads.set(self.reads.get().checked_sub(1).ok_or(ReadError)?);
        let start = usize::try_from(offset).map_err(|_| ReadError)?;
        let bytes = self.whole.get(start..).and_then(|rest| rest.get(..buffer.len())).ok_or(ReadError)?;
        for (to, from) in buffer.chunks_mut(PIECE).zip(bytes.chunks(PIECE)) {
            to.copy_from_slice(from);
        }
        Ok(())
    }

    fn head(&self) -> &[u8] {
        self.head
    }
}
