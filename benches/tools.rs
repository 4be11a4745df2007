//! What the tools do to one file: its byte map, its canonical JSON, packing it of that, attacking it; and making one.
//!
//! The files are a small and a large one of an exporter and generated ones, whose sizes are in the names.
#![allow(missing_docs, reason = "criterion's macros declare public items")]

mod work;

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use torchproof::attack::{Base, Selection, draw};
use torchproof::generate::Kind;
use torchproof::random::Random;
use torchproof_oracle::build;

/// Tensors, and instructions, of the generated program: some 50,000 tables; and tensors of the generated data file.
const TENSORS: usize = 10_000;
/// Seeds of generated files, which are made in turn.
const SEEDS: u64 = 64;

fn files() -> Vec<(String, Vec<u8>)> {
    let real = |name: &str| (name.to_owned(), work::real(name));
    let files = [
        real("linear.pte"),
        real("multi_method.pte"),
        ("generated program".to_owned(), build::program(TENSORS, TENSORS)),
        ("generated data file".to_owned(), build::flat_tensor(TENSORS)),
    ];
    files.map(|(name, bytes)| (format!("{name}, {} KiB", bytes.len().div_ceil(1024)), bytes)).to_vec()
}

fn of_a_file(c: &mut Criterion) {
    for (name, bytes) in files() {
        let mut group = c.benchmark_group(&name);
        group.throughput(Throughput::Bytes(bytes.len() as u64)).sample_size(20);
        group.bench_function("annotate", |b| b.iter(|| work::annotate(black_box(&bytes))));
        group.bench_function("annotate and print", |b| b.iter(|| work::annotate_and_print(black_box(&bytes))));
        group.bench_function("dump", |b| b.iter(|| work::dump(black_box(&bytes))));
        let specification = work::specification(&bytes);
        group.bench_function("pack", |b| b.iter(|| work::pack(black_box(&specification))));
        group.bench_function("map for attacks", |b| {
            b.iter_batched(|| bytes.clone(), Base::of, BatchSize::LargeInput);
        });
        let (base, selection) = (Base::of(bytes.clone()), Selection::default());
        let mut index = 0;
        group.bench_function("attack", |b| {
            b.iter(|| {
                index += 1;
                draw(black_box(&base), &selection, &Random::new(1).part(index)).map(|made| made.bytes.len())
            });
        });
        group.finish();
    }
}

fn made(c: &mut Criterion) {
    let mut group = c.benchmark_group("generate");
    group.throughput(Throughput::Elements(1));
    for kind in Kind::ALL {
        let mut seed = 0;
        group.bench_function(kind.name(), |b| {
            b.iter(|| {
                seed = (seed + 1) % SEEDS;
                work::generate(kind, black_box(seed))
            });
        });
    }
    group.finish();
    let mut group = c.benchmark_group("pack tensors");
    for count in [100, TENSORS] {
        let tensors = work::tensors(count);
        group.throughput(Throughput::Elements(count as u64));
        group
            .bench_function(BenchmarkId::from_parameter(count), |b| b.iter(|| work::pack_tensors(black_box(&tensors))));
    }
    group.finish();
}

criterion_group!(benches, of_a_file, made);
criterion_main!(benches);
