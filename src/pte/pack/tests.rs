#![allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]

use std::boxed::Box;
use std::format;
use std::io::Cursor;
use std::string::{String, ToString};

use super::*;
use crate::flatbuffer::root;
use crate::pte::Pte;
use crate::pte::schema::{BackendDelegate, Buffer, ExecutionPlan};
use crate::pte::write::HeaderKind;

/// The parts that a packed file was made of: its tree as it was before, and its data.
struct Parts {
    tree: TableTree,
    constants: Vec<Vec<u8>>,
    mutable: Vec<Vec<u8>>,
    delegates: Vec<Vec<u8>>,
    named: Option<Vec<(String, Vec<u8>)>>,
}

impl Parts {
    fn of(file: &[u8]) -> Self {
        let open = Pte::open(file).unwrap();
        let segment = |index: u32| open.segment_bytes(index).unwrap();
        let entries = |home: super::super::schema::SubsegmentOffsets<'_>| {
            let bytes = segment(home.segment_index().unwrap());
            let offsets: Vec<_> =
                home.offsets().unwrap().unwrap().iter().map(|at| usize::try_from(at).unwrap()).collect();
            let end = |index: usize| offsets.get(index + 1).copied().unwrap_or(bytes.len());
            (1..offsets.len()).map(|index| bytes[offsets[index]..end(index)].to_vec()).collect::<Vec<_>>()
        };
        let program = open.program();
        let constants = program.constant_segment().unwrap().map(entries).unwrap_or_default();
        let mutable = program.mutable_data_segments().unwrap();
        let mutable = mutable.map(|homes| entries(homes.get(0).unwrap().unwrap())).unwrap_or_default();
        let named = program.named_data().unwrap().map(|named| {
            let entry = |entry: super::super::schema::NamedData<'_>| {
                let key = entry.key().unwrap().unwrap().to_str().unwrap().to_string();
                (key, segment(entry.segment_index().unwrap()).to_vec())
            };
            named.iter().map(|named| entry(named.unwrap())).collect()
        });
        let mut tree = TableTree::read(root(open.region()).unwrap(), Program::TYPE).unwrap();
        let mut delegates = Vec::new();
        for plan in tree.tables_mut("execution_plan").unwrap() {
            for delegate in plan.tables_mut("delegates").into_iter().flatten() {
                let index = delegate.at("processed").unwrap().get("index").unwrap().as_int().unwrap();
                delegates.push(segment(u32::try_from(index).unwrap()).to_vec());
                delegate.set("processed", reference(delegates.len() - 1)).unwrap();
            }
        }
        for made in ["segments", "constant_segment", "mutable_data_segments", "named_data"] {
            tree.remove(made);
        }
        Self { tree, constants, mutable, delegates, named }
    }

    fn data(&self) -> Data<'_> {
        let named_data = self.named.as_ref().map(|named| {
            let mut store = NamedDataStore::new();
            for (key, bytes) in named {
                store.add(key, Source::Bytes(bytes), 1, None).unwrap();
            }
            store
        });
        Data {
            constants: sources(&self.constants),
            mutable: sources(&self.mutable),
            delegates: sources(&self.delegates),
            named_data,
        }
    }
}

fn sources(bytes: &[Vec<u8>]) -> Vec<Source<'_>> {
    bytes.iter().map(|bytes| Source::Bytes(bytes)).collect()
}

/// An inline reference to a blob, with its zeros left out.
fn reference(index: usize) -> TableTree {
    elided(TableTree::new(BackendDelegateDataReference::TYPE).with("index", index))
}

/// The files that the official writer packed come back byte for byte.
#[test]
fn real_files_are_packed_again_as_they_were() {
    let mut files = 0;
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/real")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "pte") {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let parts = Parts::of(&bytes);
        let segment_alignment = if path.ends_with("align4096.pte") { 4096 } else { 128 };
        let layout = FileLayout { segment_alignment, ..FileLayout::default() };
        let options = Options { layout, ..Options::default() };
        let packed = pack(&parts.tree, parts.data(), &options).unwrap().into_bytes().unwrap();
        assert!(packed == bytes, "{} came back different", path.display());
        files += 1;
    }
    assert_eq!(files, 10);
}

/// A program whose FlatBuffer has 408 bytes, as that of the official file of 516.
fn of_408_bytes() -> TableTree {
    let name = "m".repeat(256);
    let plan = TableTree::new(ExecutionPlan::TYPE).with("name", name.as_str());
    TableTree::new(Program::TYPE).with("execution_plan", [plan])
}

fn options(layout: FileLayout) -> Options {
    Options { layout, inline_delegates: false }
}

#[test]
fn the_numbers_of_a_file_are_the_official_ones() {
    let numbers = |alignment| {
        let constants = vec![Source::Bytes(&[1, 2, 3, 4])];
        let data = Data { constants, named_data: Some(NamedDataStore::new()), ..Data::default() };
        let layout = FileLayout { constant_alignment: alignment, ..FileLayout::default() };
        let tree = of_408_bytes();
        let file = pack(&tree, data, &options(layout)).unwrap().into_bytes().unwrap();
        let open = Pte::open(&file).unwrap();
        let header = open.header().unwrap();
        let root = u32::from_le_bytes(file[..4].try_into().unwrap());
        let sizes = (header.length, header.program_size, header.segment_base_offset, header.segment_data_size.unwrap());
        assert_eq!(&file[file.len() - 4..], [1, 2, 3, 4]);
        (file.len(), root, sizes)
    };
    assert_eq!(numbers(16), (516, 0x3c, (32, 440, 512, 4)));
    assert_eq!(numbers(64), (516, 92, (32, 472, 512, 4)));
    assert_eq!(numbers(128), (644, 156, (32, 536, 640, 4)));
}
