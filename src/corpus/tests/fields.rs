//! Tests that for every schema field, a case breaks a rule there.

use alloc::string::String;
use alloc::vec::Vec;
use std::collections::BTreeSet;

use super::{Case, Verdict, all, checked, find};
use crate::annotate::{ByteMap, PartKind};
use crate::bundled::schema::BundledProgram;
use crate::flatbuffer::schema::{Kind, TableType, TableView};
use crate::ptd::legacy_schema::LegacyFlatTensor;
use crate::ptd::schema::FlatTensor;
use crate::pte::schema::Program;

/// For each format, the prefix of its cases' ids, and the type of its root table.
static ROOTS: &[(&str, &TableType)] = &[
    ("pte", Program::TYPE),
    ("ptd", FlatTensor::TYPE),
    ("ptd-legacy", LegacyFlatTensor::TYPE),
    ("bpte", BundledProgram::TYPE),
];

/// The root's type comes first.
fn reachable(root: &'static TableType) -> Vec<&'static TableType> {
    let mut tables = Vec::from([root]);
    let mut next = 0;
    while next < tables.len() {
        for field in tables[next].fields {
            let children = match field.kind {
                Kind::Table(table) | Kind::Tables(table) => Vec::from([table]),
                Kind::Union(union) => union.members.to_vec(),
                _ => Vec::new(),
            };
            for child in children {
                if !tables.iter().any(|known| known.name == child.name) {
                    tables.push(child);
                }
            }
        }
        next += 1;
    }
    tables
}

/// Returns a path's last field, such as `Tensor.sizes`. The first map that contains the path gives the types of unions.
fn field_at(root: &'static TableType, path: &str, maps: &[ByteMap]) -> Option<String> {
    let mut table = Some(root);
    let mut place = String::new();
    let mut found = None;
    for step in path.split('.') {
        let own = table?;
        let field = own.field(step.split('[').next()?)?;
        let dot = if place.is_empty() { "" } else { "." };
        place = alloc::format!("{place}{dot}{step}");
        found = Some(alloc::format!("{}.{}", own.name, field.name));
        table = match field.kind {
            Kind::Table(table) | Kind::Tables(table) => Some(table),
            Kind::Union(union) => {
                let entry = maps.iter().find_map(|map| map.find(&place, PartKind::Table));
                entry.and_then(|entry| entry.owner).filter(|owner| union.members.iter().any(|ty| ty.name == owner.name))
            }
            _ => None,
        };
    }
    found
}

fn broken_fields(case: &Case, root: &'static TableType) -> BTreeSet<String> {
    let bytes = case.build().bytes;
    let report = checked(case, &bytes, case.target.unwrap_or_default());
    let mut maps: Vec<ByteMap> =
        case.base.and_then(find).map(|base| ByteMap::of(&base.build().bytes)).into_iter().collect();
    maps.push(ByteMap::of(&bytes));
    let own = report.findings.iter().filter(|found| found.rule == case.rule);
    own.filter_map(|found| field_at(root, &found.path, &maps)).collect()
}

#[test]
fn every_schema_field_has_a_negative_case() {
    let mut missing = Vec::new();
    for (format, root) in ROOTS {
        let cases = all().filter(|case| case.verdict != Verdict::Accept && case.id.split('/').next() == Some(format));
        let broken: BTreeSet<String> = cases.flat_map(|case| broken_fields(case, root)).collect();
        for table in reachable(root) {
            for field in table.fields {
                let name = alloc::format!("{}.{}", table.name, field.name);
                if !broken.contains(&name) {
                    missing.push(alloc::format!("{format} {name}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "no case breaks a rule at {missing:#?}");
}
