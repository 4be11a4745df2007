//! Benchmarks comparing schemas and results: `cargo bench --bench gate`.
//!
//! The goals are 10 ms for the program schema, and 100 ms for 10,000 results, both including reading the files.
#![allow(missing_docs, reason = "criterion's macros declare public items")]

use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{Criterion, criterion_group, criterion_main};
use torchproof_cli::gate::results::compare;
use torchproof_cli::gate::schema::{Schema, SchemaComparison};
use torchproof_harness::run::results::read_results;

fn schemas(c: &mut Criterion) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance/schema/program.fbs");
    let load = || Schema::load(black_box(&path), &[]).expect("the schema is part of the repository");
    let mut group = c.benchmark_group("gate schema");
    group.bench_function("the program schema and itself", |b| {
        b.iter(|| SchemaComparison::new(&load(), &load()).counts());
    });
    group.finish();
}

fn results(c: &mut Criterion) {
    let [base, new] = [("base", "pass"), ("new", "accepts-invalid")].map(|(name, tenth)| results_file(name, tenth));
    let read = |path: &Path| read_results(black_box(path)).expect("the file is a results file");
    let mut group = c.benchmark_group("gate results");
    group.sample_size(20);
    group.bench_function("10,000 results", |b| b.iter(|| compare(&read(&base), &read(&new)).changes.len()));
    group.finish();
}

/// Writes 10,000 results. Every tenth result has the given grade; all others passed.
fn results_file(name: &str, tenth: &str) -> PathBuf {
    let reader = r#"{"reader":"mine","name":"mine","delivery":"buffer","address":"once:./mine","version":"1.0","language":"C++","formats":["pte"],"stages":["open","header"],"capabilities":[],"deliveries":["buffer"]}"#;
    let mut lines = format!(
        "{{\"corpus\":{{\"version\":\"1\",\"digest\":\"0\"}},\"options\":{{}},\"planned\":10000,\"readers\":[{reader}]}}\n"
    );
    for number in 0..10_000 {
        let grade = if number % 10 == 0 { tenth } else { "pass" };
        let message = "header: violates eh-length-min: found 20, expected at least 24 (at offset 0x14)";
        let _ = writeln!(
            lines,
            r#"{{"case":"pte/header/case-{number}","reader":"mine","delivery":"buffer","outcome":"reject","grade":"{grade}","stage":"header","digest":"{number:016x}","ms":1.5,"message":"{message}"}}"#
        );
    }
    let _ = writeln!(lines, "{{\"end\":[{reader}]}}");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.jsonl"));
    fs::write(&path, lines).expect("the folder is writable");
    path
}

criterion_group!(benches, schemas, results);
criterion_main!(benches);
