//! Benchmarks opening a file and looking up one tensor, compared with `safetensors`: `cargo bench --bench open`.
#![allow(missing_docs, reason = "criterion's macros declare public items")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};
use torchproof::ptd::Ptd;
use torchproof::pte::Pte;
use torchproof_benches::{last_key, real};
use torchproof_oracle::build;

const TENSORS: [usize; 3] = [10, 1_000, 100_000];

fn opened(c: &mut Criterion) {
    let mut group = c.benchmark_group("open");
    for name in ["linear.pte", "multi_method.pte"] {
        let file = real(name);
        group.bench_function(name, |b| b.iter(|| Pte::open(black_box(&file)).is_ok()));
    }
    for tensors in TENSORS {
        let (program, data) = (build::program(tensors, tensors), build::flat_tensor(tensors));
        group.bench_function(BenchmarkId::new("pte", tensors), |b| b.iter(|| Pte::open(black_box(&program)).is_ok()));
        group.bench_function(BenchmarkId::new("ptd", tensors), |b| b.iter(|| Ptd::open(black_box(&data)).is_ok()));
    }
    group.finish();
}

/// Looks up the last tensor, like a program that loads a single weight.
fn opened_for_one_tensor(c: &mut Criterion) {
    let mut group = c.benchmark_group("open and look up");
    for tensors in TENSORS {
        let (data, other) = (build::flat_tensor(tensors), safetensors_file(tensors));
        let last = last_key(&Ptd::open(&data).expect("an input opens"));
        let last_name = String::from_utf8(last.clone()).expect("keys are ASCII");
        group.bench_function(BenchmarkId::new("torchproof", tensors), |b| {
            b.iter(|| {
                let file = Ptd::open(black_box(&data)).expect("an input opens");
                file.tensor_bytes(&last).expect("sound").expect("present").len()
            });
        });
        group.bench_function(BenchmarkId::new("safetensors", tensors), |b| {
            b.iter(|| {
                let file = SafeTensors::deserialize(black_box(&other)).expect("an input opens");
                file.tensor(&last_name).expect("present").data().len()
            });
        });
    }
    group.finish();
}

fn looked_up(c: &mut Criterion) {
    let mut group = c.benchmark_group("look up in an open file");
    for tensors in TENSORS {
        let data = build::flat_tensor(tensors);
        let file = Ptd::open(&data).expect("an input opens");
        let last = last_key(&file);
        let mut memory = vec![0; file.keys().expect("sound")];
        group.bench_function(BenchmarkId::new("search", tensors), |b| {
            b.iter(|| file.tensor_bytes(black_box(&last)).expect("sound").expect("present").len());
        });
        group.bench_function(BenchmarkId::new("make the index", tensors), |b| {
            b.iter(|| black_box(&file).indexed(&mut memory).is_ok());
        });
        let indexed = file.indexed(&mut memory).expect("sound");
        group.bench_function(BenchmarkId::new("index", tensors), |b| {
            b.iter(|| indexed.find(black_box(&last)).expect("sound").expect("present").index());
        });
    }
    group.finish();
}

/// The tensors of [`build::flat_tensor`] as a safetensors file.
fn safetensors_file(tensors: usize) -> Vec<u8> {
    let data = [0_u8; 64];
    let view = || TensorView::new(Dtype::F32, vec![4, 4], &data).expect("64 bytes");
    let tensors: Vec<_> = (0..tensors).map(|index| (format!("tensor.{index}"), view())).collect();
    safetensors::serialize(tensors, None).expect("serializable")
}

criterion_group!(benches, opened, opened_for_one_tensor, looked_up);
criterion_main!(benches);
