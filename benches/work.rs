//! What more than one bench does to a file.
#![allow(dead_code, reason = "each bench uses its share")]

#[path = "pass.rs"]
mod pass;

use std::io::{Cursor, sink};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use serde_json::json;
use torchproof::annotate::ByteMap;
use torchproof::check::{self, Finding, Kind, Options};
use torchproof::flatbuffer::schema::TableView;
use torchproof::generate::{self, Config};
use torchproof::ptd::write::FileLayout;
use torchproof::ptd::{self, Layout, Ptd};
use torchproof::write::{NamedDataStore, Source, TensorLayout};
use torchproof::{Image, ScalarType, Span, pte, view};
use torchproof_cli::byte_map;
use torchproof_cli::pack;

/// Where a file that an exporter wrote is.
pub(crate) fn real_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/real").join(name)
}

/// A file that an exporter wrote.
pub(crate) fn real(name: &str) -> Vec<u8> {
    std::fs::read(real_path(name)).expect("the file is part of the repository")
}

/// What a loader asks first: which kind of file, with a header or without, and how many first bytes it takes to go on.
pub(crate) fn probe(file: &[u8]) -> (Kind, bool, u64) {
    let head = &file[..file.len().min(64)];
    let kind = Kind::of_head(head);
    let header = match kind {
        Kind::Pte => matches!(pte::Header::find(head), pte::header::Found::Header(_)),
        Kind::Ptd => matches!(ptd::Header::find(head), ptd::header::Found::Header(_)),
        _ => false,
    };
    (kind, header, Image::needed(head, file.len() as u64))
}

/// The key of the last entry of a data file.
pub(crate) fn last_key(file: &Ptd<'_>) -> Vec<u8> {
    let Layout::Current(root) = file.layout() else { panic!("the oracle writes the current layout") };
    let entries = root.named_data().expect("sound").expect("present");
    let last = entries.get(entries.len() - 1).expect("not empty").expect("sound");
    last.key().expect("sound").expect("present").as_bytes().to_vec()
}

/// The structure pass, which the FlatBuffer holds; answers with the tables visited.
pub(crate) fn structure<'a, T: TableView<'a>>(region: &'a [u8]) -> usize {
    pass::structure::<T>(region).expect("a bench input is sound")
}

/// Every rule, which the file keeps; answers with how many findings were warnings.
pub(crate) fn check(file: &[u8], memory: &mut Vec<u64>) -> usize {
    let image = Image::whole(file);
    let mut warnings = 0;
    let mut sink = |_: &Finding<'_>| {
        warnings += 1;
        ControlFlow::Continue(())
    };
    let report = check::check(image, &mut { image }, &Options::default(), memory, &mut sink);
    assert!(report.accepts(), "a bench input is accepted");
    warnings
}

/// The byte map; answers with how many parts it has.
pub(crate) fn annotate(file: &[u8]) -> usize {
    ByteMap::of(file).entries().len()
}

/// The byte map as a text, which is thrown away.
pub(crate) fn annotate_and_print(file: &[u8]) {
    byte_map::write(&mut sink(), file, &ByteMap::of(file)).expect("a sink takes everything");
}

/// A file for its canonical JSON, digests included.
fn viewed(file: &[u8]) -> view::File<'_> {
    let image = Image::whole(file);
    let mut open = view::File::open(image).expect("a bench input is sound");
    let read = |span, sink: &mut dyn FnMut(&[u8])| {
        sink(image.slice(span, "segment")?);
        Ok::<_, view::Error>(())
    };
    open.hash(read).expect("a bench input is whole");
    open
}

/// The canonical JSON, digests included, which is thrown away.
pub(crate) fn dump(file: &[u8]) {
    serde_json::to_writer(sink(), &viewed(file)).expect("a sink takes everything");
}

/// The canonical JSON with the segments' bytes in it: all that the file can be packed from.
pub(crate) fn specification(file: &[u8]) -> Vec<u8> {
    let image = Image::whole(file);
    let mut open = viewed(file);
    let spans = open.segments().expect("a bench input is whole");
    let data = |span: &Span| json!({ "hex": HEXLOWER.encode(image.slice(*span, "segment").expect("whole")) });
    open.set_data(spans.iter().map(data).collect());
    serde_json::to_vec(&open).expect("there is memory")
}

/// The file of a specification, checked before it is written.
pub(crate) fn pack(specification: &[u8]) -> Vec<u8> {
    let options = pack::Options::new(Path::new(""));
    let mut document = pack::read(specification, &options).expect("a dump can be packed");
    let draft = document.draft().expect("a dump can be packed");
    draft.expect_accepted().expect("a bench input is accepted");
    let mut file = Cursor::new(Vec::new());
    draft.write(&mut file).expect("there is memory");
    file.into_inner()
}

/// Tensors with keys, for [`pack_tensors`].
pub(crate) fn tensors(count: usize) -> Vec<(String, [u8; 64])> {
    let bytes = |index: usize| {
        let mut bytes = [0; 64];
        bytes[..8].copy_from_slice(&(index as u64).to_le_bytes());
        bytes
    };
    (0..count).map(|index| (format!("tensor.{index}"), bytes(index))).collect()
}

/// A data file of these tensors, as a program packs its weights; answers with its length.
pub(crate) fn pack_tensors(tensors: &[(String, [u8; 64])]) -> usize {
    let mut store = NamedDataStore::new();
    for (key, bytes) in tensors {
        let layout = TensorLayout::contiguous(ScalarType::FLOAT, &[4, 4]);
        store.add(key, Source::Bytes(bytes), 16, Some(layout)).expect("each key is another");
    }
    let package = ptd::pack::pack(store, &FileLayout::CURRENT).expect("valid");
    package.into_bytes().expect("there is memory").len()
}

/// Bytes of the files of one seed, by the usual settings.
pub(crate) fn generate(kind: generate::Kind, seed: u64) -> usize {
    let files = generate::generate(kind, &Config::default(), seed).expect("it fits into memory");
    files.iter().map(|file| file.bytes.len()).sum()
}
