//! Writing a file beside the builder of the `flatbuffers` crate: `cargo bench --bench write`.
//!
//! `builder` makes the tables from nothing and checks nothing. `model` encodes the same tables from a model. `file` also checks
//! the file, as every writer of the library does.
#![allow(missing_docs, reason = "criterion's macros declare public items")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use torchproof::ScalarType;
use torchproof::flatbuffer::build::Builder;
use torchproof::ptd;
use torchproof::ptd::model::{DataSegment, FlatTensor, NamedData, TensorLayout};
use torchproof::ptd::write::FileLayout;
use torchproof::write::Shape;
use torchproof_oracle::build;

const TENSOR_BYTES: u64 = 64;
const SEGMENT_ALIGNMENT: u64 = 128;

fn data_files(c: &mut Criterion) {
    let mut group = c.benchmark_group("write a data file");
    for tensors in [100, 10_000] {
        let model = model(tensors);
        let shapes = vec![Shape::new(TENSOR_BYTES); tensors];
        let encode = |model: &FlatTensor| model.encode(&Builder::new(ptd::IDENTIFIER)).expect("encodable").len();
        group.throughput(Throughput::Elements(tensors as u64));
        group.bench_function(BenchmarkId::new("builder", tensors), |b| {
            b.iter(|| build::flat_tensor_tables(black_box(tensors)).len());
        });
        group.bench_function(BenchmarkId::new("model", tensors), |b| b.iter(|| encode(black_box(&model))));
        group.bench_function(BenchmarkId::new("file", tensors), |b| {
            b.iter(|| black_box(&model).plan(&shapes, &FileLayout::CURRENT).expect("accepted").head().len());
        });
    }
    group.finish();
}

/// The tables of [`build::flat_tensor_tables`].
fn model(tensors: usize) -> FlatTensor {
    let count = u32::try_from(tensors).expect("few");
    let entry = |index: u32| {
        let layout = TensorLayout::contiguous(ScalarType::FLOAT, &[4, 4]);
        NamedData::tensor(format!("tensor.{index}"), index, layout)
    };
    let segment = |index: u32| DataSegment { offset: u64::from(index) * SEGMENT_ALIGNMENT, size: TENSOR_BYTES };
    let segments = Some((0..count).map(segment).collect());
    FlatTensor { segments, ..FlatTensor::new((0..count).map(entry).collect::<Vec<_>>()) }
}

criterion_group!(benches, data_files);
criterion_main!(benches);
