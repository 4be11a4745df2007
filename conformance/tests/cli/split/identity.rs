//! What was taken apart comes back as it was, byte for byte.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use torchproof::ScalarType;
use torchproof::flatbuffer::tree::TableTree;
use torchproof::pte::Pte;
use torchproof::pte::builder::{self, PlanBuilder, TensorBuilder};
use torchproof::pte::pack::{Data, Options, pack};
use torchproof::pte::schema::TensorDataLocation;
use torchproof::pte::write::{FileLayout, HeaderKind};
use torchproof::write::{NamedDataStore, Source};
use torchproof_cli::edit::{Document, Existing};

use super::command::{real, scratch};

/// Splits a file, puts both files on the disk and reads them again, and merges them; `None` when nothing is to be moved.
fn there_and_back(name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    let path = |ending: &str| scratch().join(format!("back-{name}{ending}"));
    let [whole, small, weights, back] = ["", ".small.pte", ".weights.ptd", ".back.pte"].map(path);
    fs::write(&whole, bytes).unwrap();
    let mut program = Document::open(&whole).unwrap();
    let (mut data, moved) = program.split().unwrap();
    if moved.tensors == 0 {
        return None;
    }
    program.save(&small, Existing::Replace).unwrap();
    data.save(&weights, Existing::Replace).unwrap();
    let mut program = Document::open_accepted(&small, std::slice::from_ref(&weights)).unwrap();
    program.merge(&[Document::open(&weights).unwrap()]).unwrap();
    program.save(&back, Existing::Replace).unwrap();
    Some(fs::read(&back).unwrap())
}

#[test]
fn every_real_program() {
    let mut moved = 0;
    for entry in fs::read_dir(real("")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let bytes = fs::read(&path).unwrap();
        if let Some(back) = name.ends_with(".pte").then(|| there_and_back(name, &bytes)).flatten() {
            assert!(back == bytes, "{name}");
            moved += 1;
        }
    }
    assert!(moved >= 4, "{moved}");
}

/// The tensor with a fully qualified name.
pub(super) fn named_tensor(tensor: TensorBuilder, name: &str) -> TensorBuilder {
    let mut named = tensor.external(name);
    named.table_mut("extra_tensor_info").unwrap().set("location", TensorDataLocation::SEGMENT).unwrap();
    named
}

/// A program with constants of these lengths, each with a tensor, in an order of its own.
fn program(lengths: &[u64], named: bool) -> TableTree {
    let mut plan = PlanBuilder::new("forward");
    for (index, len) in lengths.iter().enumerate().rev() {
        let index = u32::try_from(index + 1).unwrap();
        let mut tensor = TensorBuilder::contiguous(ScalarType::BYTE, &[i32::try_from(*len).unwrap()]).constant(index);
        if named && index % 2 == 0 {
            tensor = named_tensor(tensor, &format!("layer.{index}.weight"));
        }
        plan.push_value(tensor);
    }
    builder::program([plan])
}

fn packed(lengths: &[u64], named: bool, blob: bool, layout: FileLayout) -> Vec<u8> {
    let program = program(lengths, named);
    let patterns: Vec<[u8; 3]> = (1..).take(lengths.len()).map(|index: u8| [index, 0, 7]).collect();
    let constants = patterns.iter().zip(lengths).map(|(pattern, len)| Source::Fill { pattern, len: *len }).collect();
    let named_data = blob.then(|| {
        let mut store = NamedDataStore::new();
        store.add("a.blob", Source::Bytes(b"of its own"), 64, None).unwrap();
        store
    });
    let data = Data { constants, named_data, ..Data::default() };
    pack(&program, data, &Options { layout, ..Options::default() }).unwrap().into_bytes().unwrap()
}

/// What the packer makes of constants, whatever they and the file are aligned to.
#[test]
fn every_packed_program() {
    let mut count = 0;
    for lengths in [&[10][..], &[16, 0, 100, 7, 5000], &[300; 20]] {
        for alignment in [128, 256, 4096, 1 << 16] {
            for (constant_alignment, length) in [(16, 32), (16, 24), (64, 32), (4096, 24)] {
                for (named, blob) in [(false, false), (true, false), (true, true)] {
                    let layout = FileLayout {
                        header: HeaderKind::IfNeeded(length),
                        segment_alignment: alignment,
                        constant_alignment,
                        ..FileLayout::default()
                    };
                    let bytes = packed(lengths, named, blob, layout);
                    let back = there_and_back("packed", &bytes).unwrap();
                    assert!(back == bytes, "{lengths:?} {named} {blob} {layout:?}");
                    count += 1;
                }
            }
        }
    }
    assert_eq!(count, 144);
}

/// Time grows with the number of constants, and not with its square.
#[test]
fn many_constants_take_little_time() {
    let bytes = |count: usize| {
        let mut plan = PlanBuilder::new("forward");
        for index in 1..=u32::try_from(count).unwrap() {
            // Every tensor wants the same name, and none can have another's.
            plan.push_value(named_tensor(TensorBuilder::contiguous(ScalarType::BYTE, &[4]).constant(index), "weight"));
        }
        let constants = (0..count).map(|_| Source::Bytes(b"abcd")).collect();
        let program = builder::program([plan]);
        let package = pack(&program, Data { constants, ..Data::default() }, &Options::default());
        package.unwrap().into_bytes().unwrap()
    };
    let path = scratch().join("many.pte");
    fs::write(&path, bytes(50_000)).unwrap();
    let time = move_all(&path);
    assert!(time < Duration::from_secs(20), "{time:?}");
}

/// How long it takes to move all constants out and back, without reading and writing files.
fn move_all(path: &Path) -> Duration {
    let mut document = Document::open(path).unwrap();
    let start = Instant::now();
    let (data, moved) = document.split().unwrap();
    assert_eq!(moved.constants, 50_000);
    document.merge(&[data]).unwrap();
    let time = start.elapsed();
    assert!(Pte::open(&fs::read(path).unwrap()).is_ok());
    time
}
