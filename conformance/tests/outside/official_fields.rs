//! Checks that official files contain the fields that exporters write according to the fields' declarations.

use std::collections::BTreeMap;
use std::fs;

use libtest_mimic::Trial;
use torchproof::flatbuffer::Table;
use torchproof::flatbuffer::schema::{Kind, TableView};
use torchproof::flatbuffer::tree::TableTree;
use torchproof::{ptd, pte};

use crate::need::trials;

pub(crate) fn trials() -> Vec<Trial> {
    trials!([]; official_files_contain_the_fields_that_exporters_write)
}

/// How many tables can have a field, how many have it, and in how many its value is 0.
#[derive(Default)]
struct Presence {
    tables: usize,
    present: usize,
    zero: usize,
}

fn official_files_contain_the_fields_that_exporters_write() {
    let mut seen = BTreeMap::new();
    for entry in fs::read_dir(testkit::repository().join("corpus/real")).unwrap() {
        let path = entry.unwrap().path();
        let ty = match path.extension().and_then(|extension| extension.to_str()) {
            Some("pte") => pte::schema::Program::TYPE,
            Some("ptd") if path.to_string_lossy().contains("legacy") => ptd::legacy_schema::LegacyFlatTensor::TYPE,
            Some("ptd") => ptd::schema::FlatTensor::TYPE,
            _ => continue,
        };
        let bytes = fs::read(&path).unwrap();
        count(&mut TableTree::read(Table::root(&bytes).unwrap(), ty).unwrap(), &mut seen);
    }
    let docs = [pte::schema::TABLE_DOCS, ptd::schema::TABLE_DOCS, ptd::legacy_schema::TABLE_DOCS];
    let mut compared = 0;
    for table in docs.into_iter().flatten() {
        for (field, doc) in table.ty.fields.iter().zip(table.fields) {
            let Some(found) = seen.get(&(table.ty.name, field.name)) else { continue };
            let name = format!("{}.{}", table.ty.name, field.name);
            let Presence { tables, present, zero } = *found;
            if !doc.writer.is_empty() {
                continue;
            }
            compared += 1;
            match field.kind {
                Kind::Scalar(_) | Kind::Enum(_) => assert_eq!(zero, 0, "{name} is written although 0"),
                _ => assert_eq!(present, tables, "{name} is not always written"),
            }
        }
    }
    assert!(compared > 60, "compared {compared} fields");
}

fn count(table: &mut TableTree, seen: &mut BTreeMap<(&'static str, &'static str), Presence>) {
    for field in table.ty().fields {
        let presence = seen.entry((table.ty().name, field.name)).or_default();
        presence.tables += 1;
        let Some(value) = table.get(field.name) else { continue };
        presence.present += 1;
        presence.zero += usize::from(value.as_int() == Some(0));
        if let Some(table) = table.table_mut(field.name) {
            count(table, seen);
        } else if let Some(tables) = table.tables_mut(field.name) {
            tables.iter_mut().for_each(|table| count(table, seen));
        }
    }
}
