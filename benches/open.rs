//! Opening a file and looking up one tensor, by number of tensors. Neither touches a segment's bytes.
#![allow(missing_docs, reason = "criterion's macros declare public items")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use torchproof::ptd::{Layout, Ptd};
use torchproof::pte::Pte;
use torchproof_conformance::oracle::build;

fn last_key(file: &Ptd<'_>) -> Vec<u8> {
    let Layout::Current(root) = file.layout() else { panic!("the oracle writes the current layout") };
    let entries = root.named_data().expect("sound").expect("present");
    let last = entries.get(entries.len() - 1).expect("not empty").expect("sound");
    last.key().expect("sound").expect("present").as_bytes().to_vec()
}

fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("open");
    for tensors in [10, 1_000, 100_000] {
        let program = build::program(tensors, tensors);
        let data = build::flat_tensor(tensors);
        let open = Ptd::open(&data).expect("the oracle's file opens");
        let last = last_key(&open);
        group.bench_function(BenchmarkId::new("pte", tensors), |b| {
            b.iter(|| Pte::open(black_box(&program)).is_ok());
        });
        group.bench_function(BenchmarkId::new("ptd", tensors), |b| {
            b.iter(|| Ptd::open(black_box(&data)).is_ok());
        });
        group.bench_function(BenchmarkId::new("look up the last tensor", tensors), |b| {
            b.iter(|| open.tensor_bytes(black_box(&last)).map(|bytes| bytes.map(<[u8]>::len)));
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
