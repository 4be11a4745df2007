//! Tests accesses at both ends of a buffer, and how tables, vectors and faults are printed.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::bytes::u64_at;
use super::root::root_position;
use super::schema::TableView;
use super::table::{aligned_uoffset, string, uoffset, vector};
use super::{Code, Fault, Table, Vector};
use crate::Span;
use crate::pte::schema::Int;

/// A FlatBuffer with an `Int` that contains the number 7. The vtable begins at byte 14, the table at byte 20, and the
/// number at byte 24.
const INT: [u8; 32] =
    [20, 0, 0, 0, b'A', b'B', b'C', b'D', 0, 0, 0, 0, 0, 0, 6, 0, 12, 0, 4, 0, 6, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0];

#[test]
fn the_root_is_after_the_prefix_and_inside_the_buffer() {
    for len in 4..32_usize {
        for position in 0..40_u32 {
            let mut buffer = alloc::vec![0; len];
            buffer[..4].copy_from_slice(&position.to_le_bytes());
            let at = position as usize;
            let found = root_position(&buffer);
            if at >= 8 && at + 4 <= len {
                assert_eq!(found, Ok(at), "{position} of {len}");
            } else {
                let fault = Fault::new(Code::RootOutOfBounds, Span::new(0, 4), u64::from(position), len as u64);
                assert_eq!(found, Err(fault), "{position} of {len}");
            }
        }
    }
    assert_eq!(root_position::<Fault>(&[8, 0, 0]).unwrap_err().code, Code::RootOutOfBounds);
}

#[test]
fn a_table_spans_its_object_inside_the_buffer() {
    assert_eq!(Table::root(&INT).unwrap().span(), Span::new(20, 12));
    assert_eq!(Table::root(&INT[..27]).unwrap().span(), Span::new(20, 7));
    let mut longer = INT;
    longer[16] = 13;
    assert_eq!(Table::root(&longer).unwrap().span(), Span::new(20, 12));
}

#[test]
fn place_of_an_absent_field_is_the_object() {
    let mut bytes = INT;
    let place = |bytes: &[u8]| Int::from_table(Table::root(bytes).unwrap()).place("int_val");
    assert_eq!(place(&bytes), Span::new(24, 8));
    assert_eq!(Table::root(&bytes).unwrap().field(1), None);
    bytes[18] = 0;
    assert_eq!(place(&bytes), Span::new(20, 12));
}

#[test]
fn rejects_vtables_outside_the_buffer() {
    let found = |back: i32, edit: &[(usize, u8)]| {
        let mut bytes = INT;
        bytes[20..24].copy_from_slice(&back.to_le_bytes());
        for (at, byte) in edit {
            bytes[*at] = *byte;
        }
        Table::at(&bytes, 20).map(|table| (table.vtable(), table.slots())).map_err(|fault| fault.code)
    };
    assert_eq!(found(6, &[]), Ok((14, 1)));
    assert_eq!(found(-8, &[(28, 4)]), Ok((28, 0)));
    assert_eq!(found(-8, &[(28, 5)]), Err(Code::VtableOddLength));
    assert_eq!(found(-8, &[(28, 6)]), Err(Code::VtablePastEnd));
    assert_eq!(found(-8, &[(28, 3)]), Err(Code::VtableTooShort));
    assert_eq!(found(-9, &[]), Err(Code::VtableOutOfBounds));
    assert_eq!(found(-10, &[]), Err(Code::VtableOutOfBounds));
    assert_eq!(found(7, &[]), Err(Code::VtableMisaligned));
    assert_eq!(found(20, &[(0, 4)]), Ok((0, 0)));
    assert_eq!(found(21, &[]), Err(Code::VtableOutOfBounds));
    assert_eq!(found(22, &[]), Err(Code::VtableOutOfBounds));
    assert_eq!(Table::at(&INT, 22).unwrap_err().code, Code::TableMisaligned);
    assert_eq!(Table::at(&INT[..23], 20).unwrap_err().code, Code::FieldPastEnd);
}

#[test]
fn offsets_point_forward_inside_the_buffer() {
    let found = |offset: u32| {
        let mut bytes = [0; 24];
        bytes[8..12].copy_from_slice(&offset.to_le_bytes());
        aligned_uoffset(&bytes, 8).map_err(|fault: Fault| (fault.code, fault.have, fault.bound))
    };
    assert_eq!(found(0), Err((Code::NullOffset, 0, 1)));
    for offset in 1..=12 {
        assert_eq!(found(offset), Ok(8 + offset as usize));
    }
    assert_eq!(found(13), Err((Code::OffsetPastEnd, 21, 24)));
    assert_eq!(found(0x7fff_ffff), Err((Code::OffsetPastEnd, 0x8000_0007, 24)));
    for offset in [0x8000_0000_u32, 0x8000_0001, u32::MAX] {
        assert_eq!(found(offset), Err((Code::OffsetTooLarge, offset.into(), 0x8000_0000)));
    }
    let past: Fault = aligned_uoffset(&[1; 10], 8).unwrap_err();
    assert_eq!((past.code, past.span, past.have, past.bound), (Code::FieldPastEnd, Span::new(8, 2), 12, 10));
    for at in [1, 2, 3, 5, 6] {
        assert_eq!(uoffset::<Fault>(&[1; 16], at).unwrap_err().code, Code::Misaligned, "{at}");
    }
}

#[test]
fn rejects_vectors_that_end_past_the_buffer() {
    for width in [1, 4, 8] {
        for room in 0..40_usize {
            for count in [0, 1, 2, 3, 4, 5, 9, 10, 39, 40, 41, 1 << 28, 1 << 31, u32::MAX] {
                let mut bytes = alloc::vec![0; 8 + room];
                bytes[4..8].copy_from_slice(&count.to_le_bytes());
                let found = vector(&bytes, 4, width);
                if u64::from(count) * width as u64 <= room as u64 {
                    assert_eq!(found, Ok((8, count as usize)), "{count} of {width} in {room}");
                } else {
                    let fault = Fault::new(Code::VectorPastEnd, Span::new(4, 4), count.into(), room as u64);
                    assert_eq!(found, Err(fault), "{count} of {width} in {room}");
                }
            }
        }
    }
    // A vector at byte 8 has its first element at byte 12, so 8-byte elements are misaligned.
    let found = |count: u8| {
        let mut bytes = [0; 32];
        bytes[8] = count;
        vector(&bytes, 8, 8).map_err(|fault: Fault| (fault.code, fault.span))
    };
    assert_eq!(found(0), Ok((12, 0)));
    assert_eq!(found(1), Err((Code::Misaligned, Span::new(12, 8))));
    assert_eq!(vector::<Fault>(&[0; 16], 2, 1).unwrap_err().code, Code::Misaligned);
    assert_eq!(vector::<Fault>(&[0; 11], 8, 1).unwrap_err().code, Code::VectorPastEnd);
}

#[test]
fn rejects_strings_without_a_terminator() {
    let bytes = *b"\x02\0\0\0hi\0";
    let found = string::<Fault>(&bytes, 0).unwrap();
    assert_eq!((found.as_bytes(), found.span(), found.to_str()), (&b"hi"[..], Span::new(4, 2), Ok("hi")));
    for broken in [&bytes[..6], b"\x02\0\0\0hi!"] {
        let fault: Fault = string(broken, 0).unwrap_err();
        assert_eq!((fault.code, fault.span, fault.have), (Code::StringNotTerminated, Span::new(0, 6), 2));
    }
}

#[test]
fn a_vector_returns_only_its_elements() {
    let bytes: Vec<u8> = (0..32).collect();
    let words = Vector::<u64>::new(&bytes, 8, 2);
    let (first, second) = (u64_at(&bytes, 8).unwrap(), u64_at(&bytes, 16).unwrap());
    assert_eq!(words.iter().collect::<Vec<_>>(), [first, second]);
    assert_eq!([words.get(0), words.get(1), words.get(2)], [Some(first), Some(second), None]);
    assert_eq!((words.len(), words.is_empty(), words.as_bytes()), (2, false, &bytes[8..24]));
    assert_eq!((words.span(), words.count_span()), (Span::new(8, 16), Span::new(4, 4)));
    assert_eq!((words.element_span(0), words.element_span(1)), (Span::new(8, 8), Span::new(16, 8)));
    assert!(Vector::<u64>::new(&bytes, 8, 0).is_empty());
}

#[test]
fn views_print_their_positions() {
    assert_eq!(format!("{:?}", Table::root(&INT).unwrap()), "Table { position: 20, vtable: 14, slots: 1, .. }");
    assert_eq!(format!("{:?}", Vector::<u8>::new(&INT, 4, 3)), "Vector { first: 4, len: 3, .. }");
    let text = string::<Fault>(b"\x03\0\0\0a\n\xff\0", 0).unwrap();
    assert_eq!((text.to_string(), format!("{text:?}")), (r"a\n\xff".to_string(), r#""a\n\xff""#.to_string()));
}

#[test]
fn a_fault_prints_its_field_and_position() {
    let fault = Fault::new(Code::NullOffset, Span::new(0x1c, 4), 0, 1);
    let named = fault.in_field("Tensor.sizes");
    insta::assert_snapshot!(format!("{fault}\n{named}\n{}", named.sentence()));
}
