//! From a file to a tensor: probing, opening, looking up one key, and the bytes of the first tensor from a path.
//!
//! None touches a segment's bytes but the last, and that only the tensor's.
#![allow(missing_docs, reason = "criterion's macros declare public items")]

mod work;

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use torchproof::ptd::write::FileLayout;
use torchproof::ptd::{Layout, Ptd, model};
use torchproof::pte::Pte;
use torchproof::write::Shape;
use torchproof::{ScalarType, Span};
use torchproof_cli::input::Input;
use torchproof_oracle::build;

fn probed(c: &mut Criterion) {
    let mut group = c.benchmark_group("probe");
    for name in ["linear.pte", "linear_external.pte", "mlp_external.ptd"] {
        let file = work::real(name);
        group.bench_function(name, |b| b.iter(|| work::probe(black_box(&file))));
    }
    group.bench_function("neither", |b| b.iter(|| work::probe(black_box(&[7; 64]))));
    group.finish();
}

fn opened(c: &mut Criterion) {
    let mut group = c.benchmark_group("open");
    for tensors in [10, 1_000, 100_000] {
        let program = build::program(tensors, tensors);
        let data = build::flat_tensor(tensors);
        let open = Ptd::open(&data).expect("the oracle's file opens");
        let last = work::last_key(&open);
        group.bench_function(BenchmarkId::new("pte", tensors), |b| {
            b.iter(|| Pte::open(black_box(&program)).is_ok());
        });
        group.bench_function(BenchmarkId::new("ptd", tensors), |b| {
            b.iter(|| Ptd::open(black_box(&data)).is_ok());
        });
        group.bench_function(BenchmarkId::new("look up the last tensor", tensors), |b| {
            b.iter(|| open.tensor_bytes(black_box(&last)).map(|bytes| bytes.map(<[u8]>::len)));
        });
        let mut memory = vec![0; open.keys().expect("sound")];
        group.bench_function(BenchmarkId::new("index all keys", tensors), |b| {
            b.iter(|| black_box(&open).indexed(&mut memory).is_ok());
        });
        let indexed = open.indexed(&mut memory).expect("sound");
        group.bench_function(BenchmarkId::new("look up the last tensor, indexed", tensors), |b| {
            b.iter(|| indexed.tensor_bytes(black_box(&last)).map(|bytes| bytes.map(<[u8]>::len)));
        });
    }
    group.finish();
}

/// The bytes of the first tensor, of a file of which the tables are read, and then what is needed.
fn first_by_range(path: &Path) -> Vec<u8> {
    let input = Input::open(path).expect("it opens");
    let open = Ptd::open_image(input.image()).expect("sound");
    let (_, segment) = first(&open);
    let mut bytes = Vec::new();
    let span: Span = open.segment(segment).expect("sound");
    input.read(span, &mut |piece| bytes.extend_from_slice(piece)).expect("readable");
    bytes
}

/// The same of a file that is read whole.
fn first_of_whole(path: &Path) -> Vec<u8> {
    let file = fs::read(path).expect("readable");
    let open = Ptd::open(&file).expect("sound");
    let (key, _) = first(&open);
    open.tensor_bytes(key).expect("sound").expect("present").to_vec()
}

/// The first entry's key and segment.
fn first<'a>(open: &Ptd<'a>) -> (&'a [u8], u32) {
    let Layout::Current(root) = open.layout() else { panic!("the files are of the current layout") };
    let entry = root.named_data().expect("sound").expect("present").get(0).expect("not empty").expect("sound");
    (entry.key().expect("sound").expect("present").as_bytes(), entry.segment_index().expect("sound"))
}

/// Writes a data file of 1024 tensors of 64 KiB each, of which all but the tables is a hole.
fn large(path: &Path) {
    const BYTES: u64 = 64 << 10;
    let entry = |index: u32| {
        let layout = model::TensorLayout::contiguous(ScalarType::BYTE, &[i32::try_from(BYTES).expect("small")]);
        model::NamedData::tensor(format!("tensor.{index}"), index, layout)
    };
    let file = model::FlatTensor::new((0..1024).map(entry).collect::<Vec<_>>());
    let plan = file.plan(&[Shape::new(BYTES); 1024], &FileLayout::CURRENT).expect("valid");
    fs::write(path, plan.head()).expect("the target folder can be written");
    fs::File::options().write(true).open(path).and_then(|file| file.set_len(plan.len())).expect("holes are free");
}

fn first_tensor(c: &mut Criterion) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("the target folder can be written");
    let in_folder = |name: &str| folder.path().join(name);
    let many = in_folder("100000 tensors.ptd");
    fs::write(&many, build::flat_tensor(100_000)).expect("the target folder can be written");
    let sparse = in_folder("64 MiB in 1024 tensors.ptd");
    large(&sparse);
    let mut group = c.benchmark_group("first tensor from a path");
    group.sample_size(20);
    let paths: [PathBuf; 4] =
        [work::real_path("linear_external.ptd"), work::real_path("mlp_external.ptd"), many, sparse];
    for path in &paths {
        let name = path.file_stem().expect("a file").to_string_lossy();
        assert_eq!(first_by_range(path), first_of_whole(path));
        group.bench_function(BenchmarkId::new("tables, then what is needed", &name), |b| {
            b.iter(|| first_by_range(black_box(path)));
        });
        group.bench_function(BenchmarkId::new("the whole file", &name), |b| {
            b.iter(|| first_of_whole(black_box(path)));
        });
    }
    group.finish();
}

criterion_group!(benches, probed, opened, first_tensor);
criterion_main!(benches);
