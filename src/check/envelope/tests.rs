//! What strings hold, and what is said of the counts of a pass.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::*;
use crate::check::FindingRef;
use crate::flatbuffer::build::encode;
use crate::flatbuffer::tree::TableTree;
use crate::pte::schema::NamedData;

fn findings(report: impl FnOnce(&mut Reporter<'_>) -> Flow) -> Vec<(&'static str, Span, String)> {
    let mut found = Vec::new();
    let mut sink = |finding: &FindingRef<'_>| {
        found.push((finding.rule.id, finding.span, finding.message.to_string()));
        ControlFlow::Continue(())
    };
    report(&mut Reporter::new(&mut sink)).unwrap();
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
            // A neighbour that borrows or has its high bit set hides nothing.
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

/// Asks nothing of its tables.
struct Free;

impl<'a> Tables<'a> for Free {
    fn table<T: TableView<'a>>(&mut self, _: &Visited<'_, 'a, T>, _: &Path<'_>, _: &mut Reporter<'_>) -> Flow {
        Ok(())
    }
}

#[test]
fn the_first_odd_byte_of_a_string_is_marked() {
    let found = |field: &'static str, text: &[u8]| -> Vec<_> {
        let table = encode(&TableTree::new(NamedData::TYPE).with("key", text), *b"ET12").unwrap();
        let string = NamedData::from_table(crate::flatbuffer::Table::root(&table).unwrap()).key().unwrap().unwrap();
        let start = string.span().offset;
        let path = Path::ROOT.field(field);
        let found = findings(|reporter| Envelope::new(Free, reporter).string(string, path.field("inside")));
        found.into_iter().map(|(rule, span, text)| (rule, Span::new(span.offset - start, span.len), text)).collect()
    };
    let zero = |at: u64| ("fb-string-no-embedded-nul", Span::new(at, 1));
    let utf8 = |at: u64| ("fb-string-utf8", Span::new(at, 1));
    let places =
        |found: Vec<(&'static str, Span, String)>| found.into_iter().map(|own| (own.0, own.1)).collect::<Vec<_>>();
    assert_eq!(places(found("name", b"plain")), []);
    assert_eq!(places(found("name", "é is fine".as_bytes())), []);
    assert_eq!(places(found("name", b"ab\0cd\0")), [zero(2)]);
    assert_eq!(places(found("name", b"abc\xff\0")), [utf8(3), zero(4)]);
    assert_eq!(places(found("string_val", b"abc\xff\0")), [utf8(3)]);
    assert_eq!(found("name", b"abc\xff")[0].2, "byte 3 of the string is not UTF-8");
    assert_eq!(found("name", b"ab\0")[0].2, "string of 3 bytes has a zero byte at its byte 2");
}

#[test]
fn the_first_odd_bool_is_marked() {
    let found =
        |bytes: &[u8], listed| findings(|reporter| Envelope::new(Free, reporter).bools(bytes, 40, listed, Path::ROOT));
    assert_eq!(found(&[0, 1, 1], true), []);
    let message = String::from("bool byte is 2, neither 0 nor 1");
    assert_eq!(found(&[0, 1, 2, 3], true), [("val-boollist", Span::new(42, 1), message.clone())]);
    assert_eq!(found(&[2], false), [("fb-bool-canonical", Span::new(40, 1), message)]);
}

#[test]
fn elements_begin_at_a_multiple_of_their_alignment() {
    let found = |offset, len| {
        findings(|reporter| Envelope::new(Free, reporter).aligned(Span::new(offset, len), 16, Path::ROOT))
    };
    assert_eq!(found(32, 5), []);
    assert_eq!(found(40, 0), []);
    let message = String::from("bytes begin at 0x28, not at a multiple of 16");
    assert_eq!(found(40, 5), [("fb-force-align", Span::new(40, 5), message)]);
}

#[test]
fn counts_are_told_beyond_their_bounds() {
    let found = |tables, apparent_size| {
        let counted = Tally { tables, apparent_size, used: Span::new(0, 0) };
        let found = findings(|reporter| tally(counted, &[0; 100], reporter));
        found.into_iter().map(|own| own.0).collect::<Vec<_>>()
    };
    assert_eq!(found(1_000_000, 100), [""; 0]);
    assert_eq!(found(1_000_001, 100), ["fb-max-tables"]);
    assert_eq!(found(1_000_000, 101), ["fb-dag-no-amplification"]);
}
