//! Benchmarks writing a file, compared with the builder of the `flatbuffers` crate: `cargo bench --bench write`.
//!
//! `builder` creates the tables without checks, `tree` encodes the same tables from a tree, and `file` also plans the
//! file.
#![allow(missing_docs, reason = "criterion's macros declare public items")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use torchproof::ScalarType;
use torchproof::flatbuffer::encode;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::TableTree;
use torchproof::ptd;
use torchproof::ptd::schema::{DataSegment, FlatTensor, NamedData};
use torchproof::ptd::{DataLayout, plan, tensor_layout};
use torchproof::write::SegmentExtent;
use torchproof_oracle::build;

const TENSOR_BYTES: u64 = 64;
const SEGMENT_ALIGNMENT: u64 = 128;

fn data_files(c: &mut Criterion) {
    let mut group = c.benchmark_group("write a data file");
    for tensors in [100, 10_000] {
        let tree = tree(tensors);
        let extents = vec![SegmentExtent::new(TENSOR_BYTES); tensors];
        let encode = |tree: &TableTree| encode(tree, ptd::IDENTIFIER).expect("encodable").len();
        group.throughput(Throughput::Elements(tensors as u64));
        group.bench_function(BenchmarkId::new("builder", tensors), |b| {
            b.iter(|| build::flat_tensor_tables(black_box(tensors)).len());
        });
        group.bench_function(BenchmarkId::new("tree", tensors), |b| b.iter(|| encode(black_box(&tree))));
        group.bench_function(BenchmarkId::new("file", tensors), |b| {
            b.iter(|| plan(black_box(&tree), &extents, &DataLayout::CURRENT).expect("encodable").head().len());
        });
    }
    group.finish();
}

/// The tables that [`build::flat_tensor_tables`] builds.
fn tree(tensors: usize) -> TableTree {
    let entry = |index: usize| {
        TableTree::new(NamedData::TYPE)
            .with("key", format!("tensor.{index}"))
            .with("segment_index", index)
            .with("tensor_layout", tensor_layout(ScalarType::FLOAT, &[4, 4]))
    };
    let segment = |index: usize| {
        TableTree::new(DataSegment::TYPE).with("offset", index as u64 * SEGMENT_ALIGNMENT).with("size", TENSOR_BYTES)
    };
    let mut root = TableTree::new(FlatTensor::TYPE)
        .with("segments", (0..tensors).map(segment).collect::<Vec<_>>())
        .with("named_data", (0..tensors).map(entry).collect::<Vec<_>>());
    root.elide_defaults();
    root
}

criterion_group!(benches, data_files);
criterion_main!(benches);
