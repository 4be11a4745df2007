//! Files a second: generated, beside the modules of wasm-smith that are as large; attacked; and read, the corpus by the built-in
//! reader.
#![allow(missing_docs, reason = "criterion's macros declare public items")]

use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use arbitrary::Unstructured;
use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use torchproof::attack::{Base, Selection, draw};
use torchproof::generate::{Config, Kind, generate};
use torchproof::random::Random;
use torchproof_oracle::build;

/// Files whose sizes tell how large they are on average: the same in each round.
const SEEDS: u64 = 64;

/// Bytes of a file of the usual settings.
fn file(kind: Kind, seed: u64) -> usize {
    let files = generate(kind, &Config::default(), seed).expect("it fits into memory");
    files.iter().map(|file| file.bytes.len()).sum()
}

/// Bytes of a module with so many functions, made of random bytes.
fn module(functions: usize, dna: &[u8]) -> usize {
    let config = wasm_smith::Config { min_funcs: functions, max_funcs: functions, ..wasm_smith::Config::default() };
    let made = wasm_smith::Module::new(config, &mut Unstructured::new(dna));
    made.map_or(0, |module| module.to_bytes().len())
}

/// More random bytes than a module of these sizes takes.
const DNA: usize = 1 << 17;

fn dna() -> Vec<Vec<u8>> {
    let of = |seed| {
        let mut bytes = vec![0; DNA];
        Random::new(seed).fill(&mut bytes);
        bytes
    };
    (0..SEEDS).map(of).collect()
}

/// How many functions modules are to have to be of this average size, and the size that they are; fails where they are more than a
/// quarter away from it.
fn functions_for(size: usize, dna: &[Vec<u8>]) -> (usize, usize) {
    let average = |functions| {
        let sum: usize = dna.iter().map(|dna| module(functions, dna)).sum();
        (functions, sum / dna.len())
    };
    let counts =
        std::iter::successors(Some(0_usize), |count| Some(count + 1 + count / 4)).take_while(|count| *count < 400);
    let found = counts.map(average).min_by_key(|(_, found)| found.abs_diff(size)).expect("there are counts");
    assert!(4 * found.1.abs_diff(size) <= size, "modules have {} bytes on average, and {size} are wanted", found.1);
    found
}

/// One subject, which takes the files in turn.
fn subject(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, size: usize, mut make: impl FnMut(usize) -> usize) {
    group.throughput(Throughput::Elements(1));
    let mut turn = 0;
    group.bench_function(BenchmarkId::new(name, format!("{size} bytes on average")), |b| {
        b.iter(|| {
            turn = (turn + 1) % usize::try_from(SEEDS).expect("a few");
            black_box(make(turn))
        });
    });
}

fn generated(c: &mut Criterion) {
    let dna = dna();
    let mut group = c.benchmark_group("generate");
    for kind in Kind::ALL {
        let size = (0..SEEDS).map(|seed| file(kind, seed)).sum::<usize>() / usize::try_from(SEEDS).expect("a few");
        subject(&mut group, kind.name(), size, |turn| file(kind, turn as u64));
        let (functions, size) = functions_for(size, &dna);
        subject(&mut group, &format!("wasm-smith, as {}", kind.name()), size, |turn| module(functions, &dna[turn]));
    }
    group.finish();
}

fn real(name: &str) -> Vec<u8> {
    let path = format!("{}/../corpus/real/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).expect("the file is part of the repository")
}

fn attacked(c: &mut Criterion) {
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

/// What the corpus may take, from the command's start to its report.
const CORPUS: Duration = Duration::from_secs(1);

/// The whole command; fails where even the shortest run takes longer than it may.
fn corpus(c: &mut Criterion) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let results = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generate.jsonl");
    let run = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_torchproof"));
        command.arg("run").arg("--corpus").arg(&folder).arg("--results").arg(&results);
        let status = command.stdout(Stdio::null()).status();
        assert!(status.expect("the command starts").success(), "the built-in reader fails a case");
    };
    let mut group = c.benchmark_group("corpus");
    group.sample_size(10).measurement_time(Duration::from_secs(10));
    group.bench_function("every case by the built-in reader", |b| b.iter(run));
    group.finish();
    let timed = || {
        let begin = Instant::now();
        run();
        begin.elapsed()
    };
    let shortest = (0..5).map(|_| timed()).min().unwrap_or_default();
    assert!(shortest < CORPUS, "the corpus takes {shortest:?}, more than {CORPUS:?}");
}

criterion_group!(benches, generated, attacked, corpus);
criterion_main!(benches);
