//! Benchmarks the whole check against the `flatbuffers` crate's verifier and the C++ FlatBuffers verifier: `cargo bench
//! --bench check`.
//!
//! Throughput is in tables or entries per second. If it drops for larger files, the check is not linear.
#![allow(missing_docs, reason = "criterion's macros declare public items")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use torchproof_benches::c_libraries::CppVerifier;
use torchproof_benches::{accepts, data, program, real, region};
use torchproof_oracle::{build, verify};

/// The approximate number of tables, because the two other verifiers reject files with more than a million.
const TABLES: [usize; 5] = [10, 100, 1_000, 10_000, 100_000];

fn beside_verifiers(c: &mut Criterion) {
    let cpp = CppVerifier::load();
    for tables in TABLES {
        subjects(c, cpp.as_ref(), "check a program", tables, &program(tables));
        subjects(c, cpp.as_ref(), "check a data file", tables, &data(tables));
    }
}

fn subjects(c: &mut Criterion, cpp: Option<&CppVerifier>, name: &str, tables: usize, file: &[u8]) {
    let (schema, end) = region(file);
    let region = &file[..end];
    let mut memory = Vec::new();
    assert!(accepts(file, &mut memory) && verify(region, schema).is_ok(), "an input is accepted");
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Elements(tables as u64));
    group.bench_function(BenchmarkId::new("torchproof", tables), |b| b.iter(|| accepts(black_box(file), &mut memory)));
    group.bench_function(BenchmarkId::new("flatbuffers, Rust", tables), |b| {
        b.iter(|| verify(black_box(region), schema).is_ok());
    });
    if let Some(cpp) = cpp {
        assert!(cpp.verify(region, schema), "an input is accepted");
        group.bench_function(BenchmarkId::new("flatbuffers, C++", tables), |b| {
            b.iter(|| cpp.verify(black_box(region), schema));
        });
    }
    group.finish();
}

fn real_files(c: &mut Criterion) {
    let mut group = c.benchmark_group("check a real file");
    for name in ["linear.pte", "mlp_xnnpack.pte", "multi_method.pte", "mlp_external.ptd"] {
        let (file, mut memory) = (real(name), Vec::new());
        group.bench_function(name, |b| b.iter(|| accepts(black_box(&file), &mut memory)));
    }
    group.finish();
}

type Make = fn(usize) -> Vec<u8>;

/// Cache effects aside, the time per list entry must be the same for every length.
fn linear(c: &mut Criterion) {
    let lists: [(&str, Make); 3] = [
        ("tensors", |count| build::program(count, 0)),
        ("instructions", |count| build::program(1, count)),
        ("tensors of a data file", build::flat_tensor),
    ];
    for (name, make) in lists {
        let mut group = c.benchmark_group(format!("linear in {name}"));
        group.sample_size(10);
        for count in [1_000, 10_000, 100_000, 1_000_000] {
            let (file, mut memory) = (make(count), Vec::new());
            group.throughput(Throughput::Elements(count as u64));
            group.bench_function(BenchmarkId::from_parameter(count), |b| {
                b.iter(|| accepts(black_box(&file), &mut memory));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, beside_verifiers, real_files, linear);
criterion_main!(benches);
