//! Benchmarks the generator and the attacks, in files per second: `cargo bench --bench generate`.
#![allow(missing_docs, reason = "criterion's macros declare public items")]

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use torchproof::attack::{Base, Selection, draw};
use torchproof::generate::GeneratedKind;
use torchproof_benches::{generated, program, real};

fn generate(c: &mut Criterion) {
    let mut group = c.benchmark_group("generate");
    group.throughput(Throughput::Elements(1));
    for kind in GeneratedKind::ALL {
        let mut seed = 0;
        group.bench_function(kind.name(), |b| {
            b.iter(|| {
                seed = (seed + 1) % 64;
                generated(kind, black_box(seed))
            });
        });
    }
    group.finish();
}

fn attack(c: &mut Criterion) {
    let files = [
        ("linear.pte", real("linear.pte")),
        ("mlp_xnnpack.pte", real("mlp_xnnpack.pte")),
        ("10000 tables", program(10_000)),
    ];
    let mut group = c.benchmark_group("attack");
    group.throughput(Throughput::Elements(1));
    for (name, bytes) in files {
        let base = Base::of(bytes.clone());
        group.bench_function(BenchmarkId::new("map the base", name), |b| {
            b.iter_batched(|| bytes.clone(), Base::of, BatchSize::LargeInput);
        });
        for depth in [1, 3] {
            let mut selection = Selection::default();
            selection.depth = depth;
            let mut index = 0;
            group.bench_function(BenchmarkId::new(format!("depth {depth}"), name), |b| {
                b.iter(|| {
                    index += 1;
                    draw(black_box(&base), &selection, index).map(|made| made.bytes.len())
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, generate, attack);
criterion_main!(benches);
