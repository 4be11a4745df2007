//! Tests that the verification pass visits a faulty shared table only once, and that later checks do not read it.

use alloc::vec::Vec;

use super::super::check;
use crate::bundled::schema as bundled;
use crate::flatbuffer::encode;
use crate::flatbuffer::schema::{TableType, TableView};
use crate::flatbuffer::tree::TableTree;
use crate::ptd as data;
use crate::ptd::schema as ptd;
use crate::pte as program;
use crate::pte::schema as pte;

/// The number of offsets to the shared table in a test file. Reading the table once per offset would take hours.
const TIMES: u32 = 200_000;

/// What the verification pass does with the shared table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SharedTable {
    LeftOut,
    Visited,
}

fn slot(ty: &TableType, name: &str) -> usize {
    ty.fields.iter().find(|field| field.name == name).unwrap().slot.into()
}

/// Appends a vtable and its table to `bytes`. The offset in `field` points to the bytes after the table. If `beyond` is
/// given, that field is about 64 KiB after the table's start.
fn table(ty: &TableType, field: &str, beyond: Option<&str>, bytes: &mut Vec<u8>) -> usize {
    let slots = beyond.map_or(0, |beyond| slot(ty, beyond)).max(slot(ty, field)) + 1;
    let mut offsets = alloc::vec![0_u16; slots];
    offsets[slot(ty, field)] = 4;
    if let Some(beyond) = beyond {
        offsets[slot(ty, beyond)] = 0xfff0;
    }
    let vtable = bytes.len();
    let lengths = [u16::try_from(4 + 2 * slots).unwrap(), 8];
    bytes.extend(lengths.iter().chain(&offsets).flat_map(|word| word.to_le_bytes()));
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let at = bytes.len();
    bytes.extend(u32::try_from(at - vtable).unwrap().to_le_bytes());
    bytes.extend(4_u32.to_le_bytes());
    at
}

/// Returns a file whose root contains a list of offsets: [`TIMES`] of them point to one shared table, and two point to
/// a small valid table. In the shared table, `field` points to a vector of `count` elements with the bytes `what`. For
/// [`SharedTable::LeftOut`], the field `beyond` is past the end of the file, which is a fault.
fn file(
    head: &[u8],
    (root, list): (&TableType, &str),
    (ty, field, beyond): (&TableType, &str, &str),
    shared: SharedTable,
    (count, what): (usize, &[u8]),
) -> Vec<u8> {
    let mut bytes = head.to_vec();
    let at = table(root, list, None, &mut bytes);
    bytes[..4].copy_from_slice(&u32::try_from(at).unwrap().to_le_bytes());
    bytes.extend((TIMES + 2).to_le_bytes());
    let references = bytes.len();
    bytes.resize(references + 4 * (TIMES + 2) as usize, 0);
    let one = table(ty, field, (shared == SharedTable::LeftOut).then_some(beyond), &mut bytes);
    bytes.extend(u32::try_from(count).unwrap().to_le_bytes());
    bytes.extend(what);
    bytes.extend([0; 4]);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let other = table(ty, field, None, &mut bytes);
    bytes.extend([1, 0, 0, 0, b'k', 0, 0, 0]);
    for (index, reference) in (references..).step_by(4).take(TIMES as usize + 2).enumerate() {
        let to = if index < 2 { other } else { one };
        bytes[reference..reference + 4].copy_from_slice(&u32::try_from(to - reference).unwrap().to_le_bytes());
    }
    bytes
}

const LONG: usize = 60_000;

fn program_head() -> Vec<u8> {
    [&[0; 4][..], &program::IDENTIFIER].concat()
}

fn named_data(shared: SharedTable) -> Vec<u8> {
    let names = (pte::NamedData::TYPE, "key", "segment_index");
    file(&program_head(), (pte::Program::TYPE, "named_data"), names, shared, (LONG, &[b'k'; LONG]))
}

fn data_file(shared: SharedTable) -> Vec<u8> {
    let head = |size: usize| {
        let header = crate::ptd::FlatTensorHeader {
            length: 40,
            flatbuffer_offset: 48,
            flatbuffer_size: (size as u64).saturating_sub(48),
            segment_base_offset: size as u64,
            segment_data_size: 0,
        };
        [&[0; 4][..], &data::IDENTIFIER, &header.to_bytes()].concat()
    };
    let names = (ptd::NamedData::TYPE, "key", "segment_index");
    let made = |size| file(&head(size), (ptd::FlatTensor::TYPE, "named_data"), names, shared, (LONG, &[b'k'; LONG]));
    made(made(0).len())
}

/// Returns the ids of the violated rules without duplicates, and whether the check ended early.
fn checked(bytes: &[u8]) -> (Vec<&'static str>, bool) {
    let report = check(bytes);
    let mut rules: Vec<&'static str> = Vec::new();
    for finding in &report.findings {
        if !rules.contains(&finding.rule.id) {
            rules.push(finding.rule.id);
        }
    }
    (rules, report.stopped.is_some())
}

#[test]
fn does_not_compare_names_of_skipped_tables() {
    for (bytes, equal) in
        [(named_data(SharedTable::LeftOut), "nd-key-unique"), (data_file(SharedTable::LeftOut), "ft-key-unique")]
    {
        let (rules, incomplete) = checked(&bytes);
        assert!(rules.contains(&"fb-vtable-valid") && !rules.contains(&equal) && !incomplete, "{rules:?}");
    }
    // If there is no fault, the verification pass visits the shared table so often that it exceeds a limit. The check
    // then ends early, before the checks of whole lists.
    assert!(checked(&named_data(SharedTable::Visited)).1 && checked(&data_file(SharedTable::Visited)).1);
}

#[test]
fn does_not_sort_inputs_of_skipped_methods() {
    let inputs = alloc::vec![0; LONG];
    let plans = (pte::ExecutionPlan::TYPE, "inputs", "values");
    let made = |shared| {
        file(&program_head(), (pte::Program::TYPE, "execution_plan"), plans, shared, (LONG / 4, inputs.as_slice()))
    };
    let (rules, incomplete) = checked(&made(SharedTable::LeftOut));
    assert!(!rules.contains(&"plan-inputs-distinct") && !incomplete, "{rules:?}");
    assert!(checked(&made(SharedTable::Visited)).1);
}

#[test]
fn skipped_methods_of_a_bundled_program_have_no_test_cases() {
    let plans = (pte::ExecutionPlan::TYPE, "name", "values");
    let name = (LONG, &[b'm'; LONG][..]);
    let program = file(&program_head(), (pte::Program::TYPE, "execution_plan"), plans, SharedTable::LeftOut, name);
    let suite = TableTree::new(bundled::BundledMethodTestSuite::TYPE)
        .with("method_name", "other")
        .with("test_cases", Vec::<TableTree>::new());
    let root = TableTree::new(bundled::BundledProgram::TYPE)
        .with("version", 0_u32)
        .with("method_test_suites", alloc::vec![suite])
        .with("program", program);
    let bytes = encode(&root, crate::bundled::IDENTIFIER).unwrap();
    let (rules, incomplete) = checked(&bytes);
    assert!(rules.contains(&"fb-vtable-valid") && !rules.contains(&"bp-suites") && !incomplete, "{rules:?}");
}
