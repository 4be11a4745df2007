//! Attacking files: mapping a base once, and what each attacked file costs after that.
#![allow(missing_docs, reason = "criterion's macros declare public items")]

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use torchproof::attack::{Base, Selection, draw};
use torchproof::random::Random;
use torchproof_conformance::oracle::build;

fn real(name: &str) -> Vec<u8> {
    let path = format!("{}/../corpus/real/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).expect("the file is part of the repository")
}

fn bench(c: &mut Criterion) {
    let files = [
        ("linear.pte", real("linear.pte")),
        ("mlp_xnnpack.pte", real("mlp_xnnpack.pte")),
        ("10000 tensors", build::program(10_000, 10_000)),
    ];
    let mut group = c.benchmark_group("attack");
    for (name, bytes) in files {
        let base = Base::of(bytes.clone());
        let (one, three) = (Selection::default(), Selection { depth: 3, ..Selection::default() });
        group.throughput(Throughput::ElementsAndBytes { elements: 1, bytes: bytes.len() as u64 });
        group.bench_function(BenchmarkId::new("map a base", name), |b| {
            b.iter_batched(|| bytes.clone(), Base::of, BatchSize::LargeInput);
        });
        for (what, selection) in [("one attack", one), ("three attacks on one file", three)] {
            let mut index = 0;
            group.bench_function(BenchmarkId::new(what, name), |b| {
                b.iter(|| {
                    index += 1;
                    draw(black_box(&base), &selection, &Random::new(1).part(index)).map(|made| made.bytes.len())
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
