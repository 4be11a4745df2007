//! The structure pass and the whole check, beside the Rust and the C++ FlatBuffers verifiers, by number of tables.
#![allow(missing_docs, reason = "criterion's macros declare public items")]

mod cpp_verifier;
mod pass;
mod shim;

use std::hint::black_box;
use std::ops::ControlFlow;

use cpp_verifier::CppVerifier;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pass::structure;
use torchproof::Image;
use torchproof::check::{Finding, Options, check};
use torchproof::flatbuffer::schema::TableView;
use torchproof::ptd::schema::FlatTensor;
use torchproof::pte::schema::Program;
use torchproof_oracle::{self as oracle, Schema, build};

fn whole_check(image: Image<'_>, memory: &mut Vec<u64>) -> bool {
    let mut sink = |finding: &Finding<'_>| {
        assert!(finding.rule.strength != torchproof::rules::Strength::Must, "{} in a bench input", finding.rule);
        ControlFlow::Continue(())
    };
    check(image, &mut { image }, &Options::default(), memory, &mut sink).accepts()
}

fn bench(c: &mut Criterion) {
    let cpp = CppVerifier::load();
    for exponent in 1..=5 {
        let tables = 10_usize.pow(exponent);
        // A planned tensor of a program is three tables and a kernel call two; a tensor of a data file is three.
        let program = build::program(tables / 5, tables / 5);
        let data = build::flat_tensor((tables / 3).max(1));
        let end = torchproof::ptd::Ptd::open(&data).expect("the oracle's file opens").region().len();
        subjects::<Program<'_>>(c, "pte", &program, program.len(), Schema::Program, cpp.as_ref());
        subjects::<FlatTensor<'_>>(c, "ptd", &data, end, Schema::FlatTensor, cpp.as_ref());
    }
}

fn subjects<'a, T: TableView<'a>>(
    c: &mut Criterion,
    kind: &str,
    file: &'a [u8],
    end: usize,
    schema: Schema,
    cpp: Option<&CppVerifier>,
) {
    let region = &file[..end];
    let image = Image::whole(file);
    let mut memory = Vec::new();
    let tables = structure::<T>(region).expect("a bench input is sound");
    assert!(whole_check(image, &mut memory) && oracle::verify(region, schema).is_ok());
    let mut group = c.benchmark_group(format!("structure/{kind}"));
    group.throughput(Throughput::Elements(tables as u64));
    group.bench_function(BenchmarkId::new("torchproof-structure", tables), |b| {
        b.iter(|| structure::<T>(black_box(region)));
    });
    group.bench_function(BenchmarkId::new("torchproof-check", tables), |b| {
        b.iter(|| whole_check(black_box(image), &mut memory));
    });
    group.bench_function(BenchmarkId::new("flatbuffers-rust", tables), |b| {
        b.iter(|| oracle::verify(black_box(region), schema).is_ok());
    });
    if let Some(cpp) = cpp {
        assert!(cpp.verify(region, schema));
        group.bench_function(BenchmarkId::new("flatbuffers-cpp", tables), |b| {
            b.iter(|| cpp.verify(black_box(region), schema));
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
