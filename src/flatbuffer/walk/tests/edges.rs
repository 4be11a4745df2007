//! Tests edge cases: exact limits, wrong vtables, and fields at the end of the buffer.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::super::*;
use crate::flatbuffer::encode;
use crate::flatbuffer::tree::TableTree;
use crate::part_kind::PartKind;
use crate::pte::schema::{Bool, Buffer, Int, Program, Tensor};

const ID: [u8; 4] = *b"ET12";

#[derive(Default)]
struct Log {
    faults: Vec<(Code, Span, String)>,
    outside: Vec<(Span, u64, u16, String)>,
    parts: Vec<(PartKind, Span)>,
}

impl Visitor<'_> for Log {
    fn fault(&mut self, fault: &Fault, path: &Path<'_>) -> Flow {
        self.faults.push((fault.code, fault.span, format!("{path}")));
        Ok(())
    }

    fn outside_object(&mut self, field: &Fault, object_len: u16, path: &Path<'_>) -> Flow {
        self.outside.push((field.span, field.have, object_len, format!("{path}")));
        Ok(())
    }

    fn wants_parts(&self) -> bool {
        true
    }

    fn part(&mut self, part: PartKind, span: Span, _: &Path<'_>) {
        self.parts.push((part, span));
    }
}

fn log<'a, T: TableView<'a>>(bytes: &'a [u8]) -> (Log, Tally) {
    let mut log = Log::default();
    let (tally, flow) = walk::<T>(bytes, Limits::DEFAULT, &mut log);
    assert_eq!(flow, Ok(()));
    (log, tally)
}

/// A FlatBuffer with an `Int` that contains the number 7. The vtable begins at byte 14, its object length at byte 16,
/// the table at byte 20, and the number at byte 24.
fn int() -> Vec<u8> {
    let bytes = encode(&TableTree::new(Int::TYPE).with("int_val", 7), ID).unwrap();
    assert_eq!((bytes.len(), &bytes[14..24]), (32, &[6, 0, 12, 0, 4, 0, 6, 0, 0, 0][..]));
    bytes
}

#[test]
fn limits_are_inclusive() {
    let bytes = include_bytes!("../../../../corpus/real/linear.pte");
    let file = crate::pte::Pte::open(bytes).unwrap();
    let pass = |limits| walk::<Program<'_>>(file.region(), limits, &mut Log::default());
    let (Tally { tables, apparent_size, .. }, _) = pass(Limits::DEFAULT);
    assert_eq!(pass(Limits { tables, ..Limits::DEFAULT }).1, Ok(()));
    assert_eq!(pass(Limits { tables: tables - 1, ..Limits::DEFAULT }).1, Err(Stop::Limit(Limit::Tables)));
    assert_eq!(pass(Limits { apparent_size, ..Limits::DEFAULT }).1, Ok(()));
    let less = Limits { apparent_size: apparent_size - 1, ..Limits::DEFAULT };
    assert_eq!(pass(less).1, Err(Stop::Limit(Limit::ApparentSize)));
}

/// A program with `count` inline constants that share 1 MiB of data.
fn shared(count: usize) -> Vec<u8> {
    let empty = || TableTree::new(Buffer::TYPE).with("storage", [0_u8; 0]);
    let large = TableTree::new(Buffer::TYPE).with("storage", alloc::vec![0_u8; 1 << 20]);
    let blobs: Vec<_> = core::iter::once(large).chain((1..count).map(|_| empty())).collect();
    let mut bytes = encode(&TableTree::new(Program::TYPE).with("constant_buffer", blobs), ID).unwrap();
    let list = Program::from_table(crate::flatbuffer::Table::root(&bytes).unwrap()).constant_buffer().unwrap().unwrap();
    let table = list.get(0).unwrap().unwrap().table().position();
    let places: Vec<_> = (1..count).map(|index| usize::try_from(list.element_span(index).offset).unwrap()).collect();
    for at in places {
        bytes[at..at + 4].copy_from_slice(&u32::try_from(table - at).unwrap().to_le_bytes());
    }
    bytes
}

#[test]
fn apparent_size_limit_scales_with_the_buffer() {
    let flow = |count| walk::<Program<'_>>(&shared(count), Limits::DEFAULT, &mut Log::default()).1;
    // Any file may have an apparent size of up to 64 MiB, and 63 constants with their tables stay below this.
    assert_eq!(flow(63), Ok(()));
    assert_eq!(flow(65), Err(Stop::Limit(Limit::ApparentSize)));
}

#[test]
fn reports_parts_with_their_spans() {
    let (log, tally) = log::<Int<'_>>(&int());
    assert_eq!(log.faults, []);
    assert_eq!(log.outside, []);
    let parts = [
        (PartKind::Root, Span::new(0, 4)),
        (PartKind::Vtable, Span::new(14, 6)),
        (PartKind::Table, Span::new(20, 4)),
        (PartKind::Scalar, Span::new(24, 8)),
    ];
    assert_eq!(log.parts, parts);
    assert_eq!(tally, Tally { tables: 1, apparent_size: 12, used: Span::new(14, 18) });
}

#[test]
fn the_vtable_sets_the_length_of_the_object() {
    for (len, outside) in [(11, true), (12, false), (13, false), (0, true)] {
        let mut bytes = int();
        bytes[16] = len;
        // The bytes before the vtable do not affect the object's length.
        bytes[12..14].copy_from_slice(&[0xff; 2]);
        let found = log::<Int<'_>>(&bytes).0.outside;
        let reported = [(Span::new(18, 2), 12, u16::from(len), String::from("int_val"))];
        assert_eq!(found, if outside { &reported[..] } else { &[] }, "{len}");
    }
}

#[test]
fn reports_fields_inside_the_first_word() {
    let bool = encode(&TableTree::new(Bool::TYPE).with("bool_val", 0), ID).unwrap();
    let at = crate::flatbuffer::Table::root(&bool).unwrap().vtable() + 4;
    for offset in 1..=5_u8 {
        let mut bytes = bool.clone();
        bytes[at] = offset;
        // An object of 8 bytes contains the field at all tested offsets.
        bytes[at - 2] = 8;
        let found = log::<Bool<'_>>(&bytes).0.outside;
        let reported = [(Span::of(at, 2), u64::from(offset) + 1, 8, String::from("bool_val"))];
        assert_eq!(found, if offset < 4 { &reported[..] } else { &[] }, "{offset}");
    }
}

/// A tensor at the end of its buffer. `storage_offset` is at offset 8, and `sizes` is absent. The parameters are the
/// offsets of two other fields.
fn at_the_end(data_buffer_idx: u8, layout: u8) -> Vec<u8> {
    // The vtable at byte 8 has nine slots, and the table at byte 32 is 12 bytes long.
    let mut bytes = alloc::vec![0; 44];
    bytes[0] = 32;
    bytes[4..8].copy_from_slice(&ID);
    bytes[8] = 22;
    bytes[10] = 255;
    let slot = |index: usize| 12 + 2 * index;
    bytes[slot(1)] = 8;
    bytes[slot(5)] = data_buffer_idx;
    bytes[slot(7)] = layout;
    bytes[32] = 24;
    bytes
}

#[test]
fn names_the_field_that_ends_past_the_buffer() {
    let slots = ["storage_offset", "data_buffer_idx", "layout"].map(|name| Tensor::TYPE.field(name).unwrap().slot);
    assert_eq!(slots, [1, 5, 7]);
    let found = |data_buffer_idx, layout| log::<Tensor<'_>>(&at_the_end(data_buffer_idx, layout)).0.faults;
    // In both buffers, the last field ends at the end of the buffer.
    assert_eq!(found(8, 11), []);
    assert_eq!(found(4, 11), []);
    assert_eq!(found(0, 12), [(Code::FieldPastEnd, Span::new(26, 2), String::from("layout"))]);
    assert_eq!(found(12, 12), [(Code::FieldPastEnd, Span::new(22, 2), String::from("data_buffer_idx"))]);
    assert_eq!(found(8, 200), [(Code::FieldPastEnd, Span::new(26, 2), String::from("layout"))]);
    // Absent fields are not checked, even if the buffer ends right after the table's first word.
    let int = [16, 0, 0, 0, b'E', b'T', b'1', b'2', 6, 0, 4, 0, 0, 0, 0, 0, 8, 0, 0, 0];
    assert_eq!(log::<Int<'_>>(&int).0.faults, []);
}

#[test]
fn reports_and_drops_misaligned_fields() {
    let (log, _) = log::<Tensor<'_>>(&at_the_end(6, 4));
    assert_eq!(log.faults, [(Code::Misaligned, Span::new(38, 4), String::from("data_buffer_idx"))]);
    assert!(!log.parts.contains(&(PartKind::Scalar, Span::new(38, 4))));
    assert!(log.parts.contains(&(PartKind::Scalar, Span::new(36, 1))));
}

#[test]
fn paths_have_a_depth_and_field_names() {
    let plans = Path::ROOT.field("execution_plan");
    let plan = plans.index(3);
    let name = plan.field("name");
    assert_eq!([Path::ROOT, plans, plan, name].map(|path| path.depth()), [1, 2, 2, 3]);
    assert_eq!([Path::ROOT, plans, plan, name].map(|path| path.last_index()), [None, None, Some(3), None]);
    assert_eq!([Path::ROOT, plans].map(|path| path.is_root()), [true, false]);
    assert!(name.has_field("execution_plan") && name.has_field("name") && !name.has_field("values"));
    assert_eq!(
        format!("{name} {name:?} {:?}", Path::ROOT),
        "execution_plan[3].name Path(execution_plan[3].name) Path()"
    );
}

#[test]
fn a_cache_set_keeps_the_last_four_vtables() {
    let memo = |vtable, id| Memo { vtable, id, ..vtable::EMPTY };
    let mut memos = Memos::NONE;
    assert_eq!(format!("{memos:?}"), "[]");
    // The type ids 1 and 17 select the same set of the vtable cache. A set has room for four vtables.
    for (vtable, id) in [(10, 1), (12, 17), (14, 1), (16, 17)] {
        memos.keep(memo(vtable, id));
    }
    let known =
        |memos: &Memos, vtable, id| memos.find(vtable, id).is_some_and(|memo| (memo.vtable, memo.id) == (vtable, id));
    for (vtable, id) in [(10, 1), (12, 17), (14, 1), (16, 17)] {
        assert!(known(&memos, vtable, id));
    }
    assert!(!known(&memos, 10, 17) && !known(&memos, 12, 1) && !known(&memos, 10, 2));
    memos.keep(memo(1800, 1));
    assert!(known(&memos, 1800, 1));
    let left = [(10, 1), (12, 17), (14, 1), (16, 17)].into_iter().filter(|(vtable, id)| known(&memos, *vtable, *id));
    assert_eq!(left.count(), 3);
    memos.keep(memo(20, 2));
    assert!(known(&memos, 20, 2) && known(&memos, 1800, 1));
    let mut one = Memos::NONE;
    one.keep(memo(10, 1));
    assert_eq!(format!("{one:?}"), "[(1, 10)]");
}
