//! Tests the schema comparison on the schemas of all releases, and compares its verdicts with flatc's.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::Trial;
use tempfile::TempDir;
use torchproof::flatbuffer::schema::TableDoc;
use torchproof::{bundled, ptd, pte};
use torchproof_cli::gate::schema::{DifferenceKind, PlacedDifference, Schema, SchemaComparison};

use crate::need::{Need, trials};

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        []; each_release_is_safe_after_the_one_before, the_legacy_layout_is_not_the_current_one;
        [Need::Flatc]; whatever_flatc_rejects_is_breaking
    ]
}

fn schemas() -> PathBuf {
    testkit::repository().join("conformance/schema")
}

fn compare(old: &Path, new: &Path) -> SchemaComparison {
    let load = |path| Schema::load(path, &[schemas()]).unwrap();
    SchemaComparison::new(&load(old), &load(new))
}

/// The numbers of a release, such as `[1, 2, 0]`.
fn numbers(release: &str) -> Vec<u32> {
    release.split('.').map(|number| number.parse().unwrap()).collect()
}

fn at_release(text: &str, tables: &[TableDoc], release: &str) -> String {
    let mut table = None;
    let mut kept = String::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("table ") {
            let name = rest.split([' ', '{']).next().unwrap();
            table = tables.iter().find(|table| table.ty.name.trim_start_matches("Legacy") == name);
        }
        let name = line.trim().split(':').next().unwrap();
        let field = table.and_then(|table| {
            table.ty.fields.iter().zip(table.fields).find(|(field, _)| field.name == name).map(|(_, doc)| doc)
        });
        if line.starts_with(' ') && field.is_some_and(|field| numbers(field.since) > numbers(release)) {
            continue;
        }
        kept += line;
        kept.push('\n');
    }
    kept
}

fn each_release_is_safe_after_the_one_before() {
    let folder = TempDir::new().unwrap();
    let mut appended = 0;
    for (file, tables) in [
        ("program.fbs", pte::schema::TABLE_DOCS),
        ("flat_tensor.fbs", ptd::schema::TABLE_DOCS),
        ("bundled_program.fbs", bundled::schema::TABLE_DOCS),
    ] {
        let text = fs::read_to_string(schemas().join(file)).unwrap();
        let releases: BTreeSet<_> =
            tables.iter().flat_map(|table| table.fields).map(|field| (numbers(field.since), field.since)).collect();
        let paths: Vec<_> = releases
            .iter()
            .map(|(_, release)| {
                let path = folder.path().join(format!("{release}-{file}"));
                fs::write(&path, at_release(&text, tables, release)).unwrap();
                path
            })
            .collect();
        for pair in paths.windows(2) {
            let comparison = compare(&pair[0], &pair[1]);
            assert_eq!(comparison.counts()[..2], [0, 0], "{pair:?}: {:#?}", comparison.differences);
            appended += comparison.counts()[2];
        }
        assert!(compare(paths.last().unwrap(), &schemas().join(file)).differences.is_empty(), "{file}");
    }
    assert!(appended > 8, "only {appended} fields were appended");
}

fn the_legacy_layout_is_not_the_current_one() {
    let comparison = compare(&schemas().join("flat_tensor_legacy.fbs"), &schemas().join("flat_tensor.fbs"));
    let is_breaking =
        |found: &&PlacedDifference| found.difference.breaks.old_readers && found.difference.breaks.new_readers;
    let breaking = comparison
        .differences
        .iter()
        .filter(is_breaking)
        .map(|found| (found.difference.subject.rsplit('.').next().unwrap(), found.difference.kind));
    let expected = [
        ("tensor_alignment", DifferenceKind::FieldReplaced),
        ("tensors", DifferenceKind::FieldReplaced),
        ("segments", DifferenceKind::FieldMoved),
        ("named_data", DifferenceKind::FieldMoved),
    ];
    assert_eq!(breaking.collect::<Vec<_>>(), expected);
}

/// All these changes break readers. flatc rejects the pairs in `REJECTED` but accepts those in `MISSED`.
const REJECTED: [(&str, &str); 9] = [
    ("table T { a: int; b: int; }", "table T { b: int; a: int; }"),
    ("table T { a: int; b: int; }", "table T { b: int; }"),
    ("table T { a: int; }", "table T { b: string; }"),
    ("table T { a: int; }", "table T { a: long; }"),
    ("table T { a: int = 1; }", "table T { a: int = 2; }"),
    ("table T { a: [int]; }", "table T { a: [long]; }"),
    ("enum E : int8 { A, B }", "enum E : int8 { B, A }"),
    ("table A {} table B {} union U { A, B }", "table A {} table B {} union U { B, A }"),
    ("struct S { a: int; b: int; }", "struct S { b: int; a: int; }"),
];

const MISSED: [(&str, &str); 5] = [
    ("table A {} file_identifier \"AAAA\";", "table A {} file_identifier \"BBBB\";"),
    (
        "table A { x: int; } table B { y: string; } root_type A;",
        "table A { x: int; } table B { y: string; } root_type B;",
    ),
    ("table A {} table B {} union U { A, B }", "table A {} table B {} union U { A }"),
    ("table T { a: int; }", "table T { a: int; b: string (required); }"),
    ("table T { a: string; }", "table T { a: string (required); }"),
];

fn whatever_flatc_rejects_is_breaking() {
    let folder = TempDir::new().unwrap();
    let (old, new) = (folder.path().join("old.fbs"), folder.path().join("new.fbs"));
    let flatc = crate::need::flatc().unwrap();
    for (rejected, pairs) in [(true, &REJECTED[..]), (false, &MISSED[..])] {
        for (before, now) in pairs {
            fs::write(&old, before).unwrap();
            fs::write(&new, now).unwrap();
            let conforms = Command::new(&flatc).arg("--conform").args([&old, &new]).output().unwrap();
            assert_eq!(conforms.status.success(), !rejected, "flatc: {before} {now} {conforms:?}");
            assert!(compare(&old, &new).breaks_readers, "{before} {now}");
        }
    }
}
