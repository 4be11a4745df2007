//! Tests the checks of string contents and of the totals of a verification pass.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::*;
use crate::check::FindingRef;
use crate::check::finding::Findings;
use crate::flatbuffer::encode;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::pte::schema::NamedData;

fn findings(report: impl FnOnce(&mut Findings<'_>) -> Flow) -> Vec<(&'static str, Span)> {
    let mut found = Vec::new();
    let mut sink = |finding: &FindingRef<'_>| {
        found.push((finding.rule.id, finding.span));
        ControlFlow::Continue(())
    };
    report(&mut Findings::new(&mut sink)).unwrap();
    found
}

#[test]
fn a_plain_string_is_ascii_without_zeros() {
    assert!(is_plain(b""));
    for len in 1..27 {
        let mut bytes = alloc::vec![b'a'; len];
        for at in 0..len {
            for byte in 0..=255 {
                bytes[at] = byte;
                assert_eq!(is_plain(&bytes), byte != 0 && byte.is_ascii(), "{byte} at {at} of {len}");
            }
            // `is_plain` must detect the last byte (0x80), whatever comes before it.
            for next in [0x01, 0x7f, 0x80, 0x81, 0xff] {
                bytes[at] = next;
                bytes[len - 1] = 0x80;
                assert!(!is_plain(&bytes), "{next} at {at} of {len}");
                bytes[len - 1] = b'a';
            }
            bytes[at] = b'a';
        }
    }
}

struct Free;

impl<'a> Tables<'a> for Free {
    fn table(&mut self, _: u8, _: &VisitedTable<'_, 'a>, _: &Path<'_>, _: &mut impl Reporter) -> Flow {
        Ok(())
    }
}

#[test]
fn marks_the_first_unusual_byte_of_a_string() {
    let found = |field: &'static str, text: &[u8]| -> Vec<_> {
        let table = encode(&TableTree::new(NamedData::TYPE).with("key", text), *b"ET12").unwrap();
        let string = NamedData::from_table(crate::flatbuffer::Table::root(&table).unwrap()).key().unwrap().unwrap();
        let start = string.span().offset;
        let path = Path::ROOT.field(field);
        let found = findings(|reporter| StructureVisitor::new(Free, reporter).string(string, &path.field("inside")));
        found.into_iter().map(|(rule, span)| (rule, Span::new(span.offset - start, span.len))).collect()
    };
    let zero = |at: u64| ("fb-string-no-embedded-nul", Span::new(at, 1));
    let utf8 = |at: u64| ("fb-string-utf8", Span::new(at, 1));
    assert_eq!(found("name", b"plain"), []);
    assert_eq!(found("name", "é is fine".as_bytes()), []);
    assert_eq!(found("name", b"ab\0cd\0"), [zero(2)]);
    assert_eq!(found("name", b"abc\xff\0"), [utf8(3), zero(4)]);
    assert_eq!(found("string_val", b"abc\xff\0"), [utf8(3)]);
}

#[test]
fn reports_counts_above_their_limits() {
    let found = |tables, apparent_size| {
        let counted = Tally { tables, apparent_size, used: Span::new(0, 0) };
        let found = findings(|reporter| tally(counted, &[0; 100], reporter));
        found.into_iter().map(|own| own.0).collect::<Vec<_>>()
    };
    assert_eq!(found(1_000_000, 100), [""; 0]);
    assert_eq!(found(1_000_001, 100), ["fb-max-tables"]);
    assert_eq!(found(1_000_000, 101), ["fb-dag-no-amplification"]);
}
