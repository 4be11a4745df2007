//! **`pack` writes a hostile specification's values verbatim, or returns a one-line error.**
//!
//! * `pack` reads no file outside its data folder, and the file is never larger than the size limit.
//! * The file has the length that `pack` planned.
//! * If the checker accepts the file, its tables equal those in the specification.

use std::io::Cursor;
use std::path::Path;

use serde_json::Value;
use torchproof::FileKind;
use torchproof::bundled::{Bundled, schema::BundledProgram};
use torchproof::check::Checker;
use torchproof::flatbuffer::Table;
use torchproof::flatbuffer::schema::{TableType, TableView};
use torchproof::flatbuffer::tree::TableTree;
use torchproof::ptd::{Ptd, legacy_schema::LegacyFlatTensor, schema::FlatTensor};
use torchproof::pte::{Pte, schema::Program};
use torchproof::view::to_tree;
use torchproof_cli::document::pack::{self, PackOptions};

use crate::expect_one_line;
use crate::read_any::LIMITS;

/// The size limit, because a few bytes of specification can describe a much larger file.
const MAX_SIZE: u64 = 1 << 16;

/// A folder that does not exist.
const FOLDER: &str = "/proc/self/no-such-folder";

pub fn run(bytes: &[u8]) {
    let options = PackOptions { max_size: MAX_SIZE, ..PackOptions::new(Path::new(FOLDER)) };
    let mut document = match pack::read(bytes, &options) {
        Ok(document) => document,
        Err(error) => {
            expect_one_line(&error.to_string());
            return;
        }
    };
    assert_eq!(document.files().next(), None, "`pack` reads a file outside the data folder");
    let outline = document.outline().expect("`pack` planned the file");
    assert!(outline.len <= MAX_SIZE, "{} bytes exceed the limit", outline.len);
    let mut file = Cursor::new(Vec::new());
    if let Err(error) = document.write_unchecked(&mut file) {
        expect_one_line(&error.to_string());
        return;
    }
    let file = file.into_inner();
    assert_eq!(file.len() as u64, outline.len, "the file's length is not as planned");
    if Checker::new().limits(LIMITS).max_findings(0).check(&file).accepts() {
        expect_verbatim(&file, document.kind(), bytes);
    }
}

/// Checks that an accepted file's tables equal those in the specification.
fn expect_verbatim(file: &[u8], kind: FileKind, specification: &[u8]) {
    let json: Value = serde_json::from_slice(specification).expect("`pack` read the specification");
    let (member, root, ty): (_, _, &'static TableType) = match kind {
        FileKind::Pte => ("program", root_of(Pte::open(file).expect("accepted").region()), Program::TYPE),
        FileKind::Bpte => {
            ("bundled_program", Bundled::open(file).expect("accepted").root().table(), BundledProgram::TYPE)
        }
        FileKind::PtdLegacy => {
            ("flat_tensor", root_of(Ptd::open(file).expect("accepted").region()), LegacyFlatTensor::TYPE)
        }
        _ => ("flat_tensor", root_of(Ptd::open(file).expect("accepted").region()), FlatTensor::TYPE),
    };
    let mut given = json[member].clone();
    // In a bundled program, this member is the inner program's specification.
    if let Some(members) = given.as_object_mut().filter(|_| kind == FileKind::Bpte) {
        members.remove("program");
    }
    let mut given = to_tree(&given, ty).expect("`pack` read the tables");
    let mut found = TableTree::read(root, ty).expect("accepted");
    // `pack` computes these fields if the specification omits them.
    for computed in ["segments", "tensor_alignment", "program"] {
        if ty.field(computed).is_some() {
            given.remove(computed);
            found.remove(computed);
        }
    }
    assert_eq!(found, given, "`pack` changed a table");
}

fn root_of(region: &[u8]) -> Table<'_> {
    Table::root(region).expect("accepted")
}
