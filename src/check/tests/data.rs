//! Tests data files, and programs with data files, at the limits of the rules.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use super::super::{Checker, Options, StopReason, Target, check};
use super::{ByRange, Zeros, ids, streamed};
use crate::flatbuffer::Table;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::names::tests::colliding;
use crate::ptd::legacy_schema as legacy;
use crate::ptd::schema::{FlatTensor, NamedData, TensorLayout};
use crate::ptd::{DataLayout, write};
use crate::pte::Pte;
use crate::pte::schema as pte;
use crate::write::SegmentData;
use crate::{FileBytes, ScalarType, Span};

type FindingAt = (&'static str, String, Span);

fn findings(bytes: &[u8]) -> Vec<FindingAt> {
    let report = check(bytes);
    assert_eq!(report.stopped, None);
    report.findings.into_iter().map(|finding| (finding.rule.id, finding.path, finding.span)).collect()
}

fn rules(bytes: &[u8]) -> Vec<&'static str> {
    findings(bytes).into_iter().map(|own| own.0).collect()
}

const DATA: [u8; 256] = [1; 256];

fn written(root: &TableTree, sizes: &[usize]) -> Vec<u8> {
    let segments: Vec<_> = sizes.iter().map(|size| SegmentData::new(&DATA[..*size])).collect();
    write(root, &segments, &DataLayout::CURRENT).unwrap()
}

fn described(ty: &'static crate::flatbuffer::schema::TableType, sizes: &[i32]) -> TableTree {
    let order: Vec<u8> = (0..16).take(sizes.len()).collect();
    TableTree::new(ty).with("scalar_type", ScalarType::FLOAT).with("sizes", sizes.to_vec()).with("dim_order", order)
}

fn entry(key: &[u8], segment: u32) -> TableTree {
    TableTree::new(NamedData::TYPE).with("key", key).with("segment_index", segment)
}

fn tensor(key: &[u8], segment: u32) -> TableTree {
    entry(key, segment).with("tensor_layout", described(TensorLayout::TYPE, &[2, 2]))
}

fn file(entries: Vec<TableTree>) -> TableTree {
    TableTree::new(FlatTensor::TYPE).with("named_data", entries)
}

fn legacy_tensor(name: &[u8]) -> TableTree {
    described(legacy::TensorMetadata::TYPE, &[2, 2]).with("fully_qualified_name", name)
}

fn legacy_blob(key: &[u8]) -> TableTree {
    TableTree::new(legacy::LegacyNamedData::TYPE).with("key", key).with("segment_index", 1)
}

fn legacy(tensors: Vec<TableTree>, blobs: Vec<TableTree>) -> TableTree {
    TableTree::new(legacy::LegacyFlatTensor::TYPE)
        .with("tensor_alignment", 16)
        .with("tensors", tensors)
        .with("named_data", blobs)
}

#[test]
fn an_entry_without_a_layout_allows_any_segment_size() {
    assert_eq!(rules(&written(&file(vec![tensor(b"a", 0), entry(b"b", 1)]), &[16, 5])), [""; 0]);
}

#[test]
fn ignores_unused_segments_without_bytes() {
    let found = |sizes: &[usize]| {
        let found = findings(&written(&file(vec![tensor(b"a", 0)]), sizes));
        found.into_iter().map(|own| (own.0, own.1)).collect::<Vec<_>>()
    };
    assert_eq!(found(&[16, 0]), []);
    assert_eq!(found(&[16, 0, 1]), [("ft-seg-referenced", String::from("segments[2]"))]);
    // The unused segment is not reported, because the entry with the out-of-range index may have meant it.
    assert_eq!(rules(&written(&file(vec![tensor(b"a", 0), entry(b"b", 7)]), &[16, 1])), ["ft-seg-index"]);
}

/// Returns a data file without entries. Its root table at `table` has no fields, and its FlatBuffer ends at `end`.
fn crafted(offset: u8, table: u8, end: u8, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    bytes[0] = table;
    bytes[4..12].copy_from_slice(b"FT01FH01");
    bytes[12] = 40;
    bytes[16] = offset;
    bytes[24] = end - offset;
    let at = usize::from(table);
    bytes[at..at + 4].copy_from_slice(&(-4_i32).to_le_bytes());
    bytes[at + 4..at + 8].copy_from_slice(&[4, 0, 4, 0]);
    bytes
}

#[test]
fn the_root_may_begin_where_the_header_ends() {
    let said = |bytes: &[u8]| {
        let mut rules = rules(bytes);
        rules.retain(|rule| *rule != "ft-lists-nonnull");
        rules
    };
    assert_eq!(said(&crafted(48, 48, 64, 64)), [""; 0]);
    assert_eq!(said(&crafted(48, 52, 64, 64)), [""; 0]);
    assert_eq!(said(&crafted(40, 48, 64, 64)), [""; 0]);
    assert_eq!(said(&crafted(32, 48, 64, 64)), ["fh-fb-offset-padded"]);
    assert_eq!(said(&crafted(44, 48, 64, 64)), ["fh-fb-offset-padded"]);
    // In this file, the first word of the root table overlaps the upper half of `segment_data_size`.
    assert_eq!(said(&crafted(48, 44, 64, 64)), ["fh-base-data-sum", "fb-root-not-in-header"]);
    let with_rest = |at: usize, end: u8| {
        let mut bytes = crafted(48, 52, end, 96);
        bytes[at] = 1;
        findings(&bytes)
            .into_iter()
            .filter(|own| own.0 != "ft-lists-nonnull")
            .map(|own| (own.0, own.2.offset))
            .collect::<Vec<_>>()
    };
    // The nonzero byte is between the header and the root table, after the root's vtable, or after the end of the
    // FlatBuffer.
    assert_eq!(with_rest(48, 96), [("fh-padding-zero", 48)]);
    assert_eq!(with_rest(60, 96), [("fh-padding-zero", 60)]);
    assert_eq!(with_rest(95, 96), [("fh-padding-zero", 95)]);
    assert_eq!(with_rest(80, 64), [("tr-ptd", 64)]);
}

#[test]
fn checks_the_gap_before_segments_of_a_known_base() {
    let file = file(vec![tensor(b"a", 0)]);
    let mut bytes = written(&file, &[16]);
    let base = usize::try_from(crate::flatbuffer::u64_at(&bytes, 32).unwrap()).unwrap();
    bytes[base - 1] = 1;
    assert_eq!(
        findings(&bytes).iter().map(|own| (own.0, own.2)).collect::<Vec<_>>(),
        [("fh-padding-zero", Span::of(base - 1, 1))]
    );
    bytes[40..48].copy_from_slice(&1_000_000_u64.to_le_bytes());
    assert_eq!(rules(&bytes), ["fh-base-data-sum"]);
}

#[test]
fn reads_metadata_from_its_own_segment() {
    let (name, size) = (b"metadata.general.name", b"metadata.tokenizer.vocab_size");
    let blob = |key: &[u8], segment: u32| {
        TableTree::new(legacy::LegacyNamedData::TYPE).with("key", key).with("segment_index", segment)
    };
    let current = file(vec![tensor(b"a", 0), entry(name, 1), entry(size, 2)]);
    let legacy_root = legacy(vec![legacy_tensor(b"a")], vec![blob(name, 1), blob(size, 2)]);
    // Each entry must be checked against its own segment. If the segments were swapped, both values would be invalid:
    // an integer cannot have 7 bytes, and the 8 bytes of the integer are not UTF-8.
    let contents: [&[u8]; 3] = [&DATA[..16], b"example", &(-1_i64).to_le_bytes()];
    for root in [current, legacy_root] {
        let bytes = write(&root, &contents.map(SegmentData::new), &DataLayout::CURRENT).unwrap();
        assert_eq!(rules(&bytes), [""; 0]);
    }
}

#[test]
fn accepts_segment_data_up_to_2_to_the_32() {
    let mut bytes = written(&file(vec![tensor(b"a", 0), entry(b"b", 1)]), &[16, 15]);
    let needed = usize::try_from(FileBytes::needed(&bytes, bytes.len() as u64)).unwrap();
    let mut of = |end: u64, target| {
        bytes[32..40].copy_from_slice(&(end - 128 - 15).to_le_bytes());
        let file_bytes = FileBytes::head(&bytes[..needed], end).unwrap();
        ids(&streamed(&Zeros(file_bytes), Options::default().target(target), 0).1)
    };
    assert_eq!(of(u64::from(u32::MAX), Target::Bits32), [""; 0]);
    // The segment data can end at 2^32 only if the segment base is misaligned, which violates another rule.
    assert!(of(1 << 32, Target::Bits32).contains(&"fh-target-32"));
    for end in [u64::from(u32::MAX) + 16, (1 << 40) + 15] {
        assert_eq!(of(end, Target::Bits32), ["fh-target-32"]);
        assert_eq!(of(end, Target::Bits64), [""; 0]);
    }
}

/// Returns a program with one external constant (2×2 floats) for each name in `external`, and an entry of named data
/// for each key in `own`.
fn program(external: &[&[u8]], own: &[&[u8]]) -> Vec<u8> {
    let bytes = crate::corpus::find("pte/valid/constants").unwrap().build().bytes;
    let mut tree =
        TableTree::read(Table::root(Pte::open(&bytes).unwrap().region()).unwrap(), pte::Program::TYPE).unwrap();
    tree.remove("segments");
    let values = tree.at_mut("execution_plan[0]").unwrap().tables_mut("values").unwrap();
    for name in external {
        let extra = TableTree::new(pte::ExtraTensorInfo::TYPE)
            .with("fully_qualified_name", *name)
            .with("location", pte::TensorDataLocation::EXTERNAL);
        let tensor = described(pte::Tensor::TYPE, &[2, 2]).with("extra_tensor_info", extra);
        values.push(TableTree::new(pte::EValue::TYPE).with("val", tensor));
    }
    let named = |name: &&[u8]| TableTree::new(pte::NamedData::TYPE).with("key", *name).with("segment_index", 0);
    let tree = tree.with("named_data", own.iter().map(named).collect::<Vec<_>>());
    crate::pte::write(&tree, &[SegmentData::new(&DATA[..16])], &crate::pte::ProgramLayout::default()).unwrap()
}

/// Checks a program together with `files`, which are data files. Returns the findings about the data files, and all
/// findings whose rule ids begin with `x-`.
fn set(program: &[u8], files: &[Vec<u8>]) -> Vec<(Option<usize>, &'static str, String)> {
    let report = files.iter().fold(Checker::new(), |checker, file| checker.with(file)).check(program);
    assert_eq!((report.stopped, report.rejected_companion), (None, None), "{:?}", report.findings);
    let found = report.findings.into_iter().map(|own| (own.companion, own.rule.id, own.path));
    found.filter(|own| own.0.is_some() || own.1.starts_with("x-")).collect()
}

fn current(keys: &[&[u8]]) -> Vec<u8> {
    written(&file(keys.iter().map(|key| tensor(key, 0)).collect()), &[16])
}

#[test]
fn reports_repeated_keys_of_each_list() {
    // One of the two names with equal hashes is not UTF-8, which breaks a rule on strings, so keep only the findings
    // about uniqueness.
    let unique = |own: &FindingAt| own.0.ends_with("-unique") || own.0.ends_with("-once");
    let found = |bytes: &[u8]| findings(bytes).into_iter().filter(unique).map(|own| (own.0, own.1)).collect::<Vec<_>>();
    let [one, other] = colliding();
    // 200 keys need more scratch memory than the checker allocates at first.
    for count in [2_u8, 200] {
        let mut keys: Vec<Vec<u8>> = (0..count).map(|index| alloc::format!("k{index}").into_bytes()).collect();
        let made = |keys: &[Vec<u8>]| current(&keys.iter().map(Vec::as_slice).collect::<Vec<_>>());
        assert_eq!(found(&made(&keys)), []);
        keys.extend([one.clone(), other.clone()]);
        assert_eq!(found(&made(&keys)), []);
        keys.push(keys[1].clone());
        let key = alloc::format!("named_data[{}].key", keys.len() - 1);
        assert_eq!(found(&made(&keys)), [("ft-key-once", key)]);
    }
    let legacy_found = |tensors: &[&[u8]], blobs: &[&[u8]]| {
        let tensors = tensors.iter().map(|name| legacy_tensor(name)).collect();
        found(&written(&legacy(tensors, blobs.iter().map(|key| legacy_blob(key)).collect()), &[16, 8]))
    };
    assert_eq!(legacy_found(&[b"a", b"b"], &[b"a", b"b"]), []);
    assert_eq!(
        legacy_found(&[b"a", b"b", b"a"], &[b"a"]),
        [("ptdb-fqn-unique", "tensors[2].fully_qualified_name".to_string())]
    );
    assert_eq!(legacy_found(&[b"a"], &[b"b", b"a", b"b"]), [("ft-key-once", "named_data[2].key".to_string())]);
}

#[test]
fn compares_the_blobs_of_equal_keys() {
    let made = |uses: &[u32], segments: &[&[u8]]| {
        let entries = uses.iter().map(|segment| entry(b"k", *segment)).collect();
        let segments: Vec<_> = segments.iter().map(|bytes| SegmentData::new(bytes)).collect();
        write(&file(entries), &segments, &DataLayout::CURRENT).unwrap()
    };
    let one = [1; 5000];
    let mut other = one;
    other[4999] = 2;
    let (once, unique) = ("ft-key-once", "ft-key-unique");
    for (second, rule) in [(&one[..], once), (&other, unique), (&one[..4999], unique)] {
        let bytes = made(&[0, 1], &[&one, second]);
        assert_eq!(rules(&bytes), [rule]);
        assert_eq!(ids(&Checker::new().check_source(&ByRange(&bytes)).findings), [rule]);
    }
    // The limit on compared bytes is the file's length. Two comparisons read 10,000 bytes in total; a third comparison
    // would exceed the limit.
    let bytes = made(&[0, 1, 1, 1, 0], &[&one, &one]);
    assert_eq!(rules(&bytes), [once, once, unique, once]);
    let needed = usize::try_from(FileBytes::needed(&bytes, bytes.len() as u64)).unwrap();
    let head = FileBytes::head(&bytes[..needed], bytes.len() as u64).unwrap();
    let stopped = streamed(&head, Options::default(), 0).0.stopped;
    assert!(matches!(stopped, Some(StopReason::Unread(Span { len: 5000, .. }))), "{stopped:?}");
}

#[test]
fn reports_a_key_in_two_data_files() {
    let duplicate = |member, path: &str| (Some(member), "nd-cross-file-unique", path.to_string());
    let nothing = program(&[], &[]);
    assert_eq!(set(&nothing, &[current(&[b"a", b"b"]), current(&[b"c"])]), []);
    assert_eq!(set(&nothing, &[current(&[b"a", b"b"]), current(&[b"c", b"b"])]), [duplicate(1, "named_data[1].key")]);
    let thrice = set(&nothing, &[current(&[b"a"]), current(&[b"a"]), current(&[b"a"])]);
    assert_eq!(thrice, [duplicate(1, "named_data[0].key"), duplicate(2, "named_data[0].key")]);
    // A key in a data file must be reported even if the program's own named data contains it.
    assert_eq!(set(&program(&[b"a"], &[b"x", b"a"]), &[current(&[b"a"])]), [duplicate(0, "named_data[0].key")]);
}

#[test]
fn a_legacy_file_has_the_names_of_tensors_and_blobs() {
    let duplicate = |path: &str| (Some(1), "nd-cross-file-unique", path.to_string());
    let nothing = program(&[], &[]);
    let file = || {
        let tensors = [b"a", b"b", b"c"].map(|name| legacy_tensor(name));
        written(&legacy(tensors.to_vec(), vec![legacy_blob(b"d"), legacy_blob(b"e")]), &[16, 8])
    };
    for (name, path) in [
        (b"a", "tensors[0].fully_qualified_name"),
        (b"c", "tensors[2].fully_qualified_name"),
        (b"d", "named_data[0].key"),
        (b"e", "named_data[1].key"),
    ] {
        assert_eq!(set(&nothing, &[current(&[name]), file()]), [duplicate(path)]);
    }
    assert_eq!(set(&program(&[b"a", b"c"], &[]), &[file()]), []);
    // A tensor and a blob with the same name in one file are not duplicates.
    let both = || written(&legacy(vec![legacy_tensor(b"a")], vec![legacy_blob(b"a")]), &[16, 8]);
    assert_eq!(set(&nothing, &[both()]), []);
    assert_eq!(set(&nothing, &[current(&[b"a"]), both()]), [duplicate("tensors[0].fully_qualified_name")]);
    let found = set(&program(&[b"d"], &[]), &[file()]);
    assert_eq!(found.iter().map(|own| own.1).collect::<Vec<_>>(), ["x-external-layout"]);
}
