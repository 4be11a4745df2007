//! Counts instructions with valgrind: `cargo bench --bench instructions`. Requires `gungraun-runner` in the same
//! version as `gungraun`.
//!
//! The counts depend only on the compiler and the C library, so `.ci/nightly` compares them across commits.
#![allow(missing_docs, reason = "gungraun's macros declare public items")]

use std::hint::black_box;

use gungraun::Callgrind;
use gungraun::prelude::*;
use torchproof::attack::{Base, Selection, draw};
use torchproof::generate::GeneratedKind;
use torchproof::ptd::Ptd;
use torchproof::pte::Pte;
use torchproof_benches::{accepts, canonical_json, data, generated, is_valid, last_key, program, real};

const TABLES: usize = 1_000;
const SEEDS: u64 = 16;
/// Selects the generic memory functions, because valgrind counts one instruction per byte in the specialized functions.
const TUNABLES: &str =
    "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-BMI2,-SSE4_2,-SSE4_1,-SSSE3,-ERMS,-FSRM";

/// Returns the file and the scratch memory, so that a second check allocates nothing.
fn checked_before(file: Vec<u8>) -> (Vec<u8>, Vec<u64>) {
    let mut memory = Vec::new();
    assert!(accepts(&file, &mut memory), "an input is accepted");
    (file, memory)
}

#[library_benchmark]
#[bench::program(checked_before(program(TABLES)))]
#[bench::data_file(checked_before(data(TABLES)))]
#[bench::multi_method_pte(checked_before(real("multi_method.pte")))]
#[bench::mlp_external_ptd(checked_before(real("mlp_external.ptd")))]
fn check((file, mut memory): (Vec<u8>, Vec<u64>)) -> (Vec<u8>, Vec<u64>) {
    black_box(accepts(black_box(&file), &mut memory));
    (file, memory)
}

// Measures the verdict, which ends at the first broken must-rule.
#[library_benchmark]
#[bench::program(checked_before(program(TABLES)))]
#[bench::data_file(checked_before(data(TABLES)))]
#[bench::multi_method_pte(checked_before(real("multi_method.pte")))]
#[bench::mlp_external_ptd(checked_before(real("mlp_external.ptd")))]
fn verdict((file, mut memory): (Vec<u8>, Vec<u64>)) -> (Vec<u8>, Vec<u64>) {
    black_box(is_valid(black_box(&file), &mut memory));
    (file, memory)
}

// A single call executes only a few instructions, so make a hundred calls.
#[library_benchmark]
#[bench::program(program(TABLES))]
fn open_program(file: Vec<u8>) -> Vec<u8> {
    for _ in 0..100 {
        black_box(Pte::open(black_box(&file)).is_ok());
    }
    file
}

#[library_benchmark]
#[bench::data_file(data(TABLES))]
fn open_data_file(file: Vec<u8>) -> Vec<u8> {
    for _ in 0..100 {
        black_box(Ptd::open(black_box(&file)).is_ok());
    }
    file
}

fn last_of(file: Vec<u8>) -> (Vec<u8>, Vec<u8>) {
    let key = last_key(&Ptd::open(&file).expect("an input opens"));
    (file, key)
}

#[library_benchmark]
#[bench::last(last_of(data(10 * TABLES)))]
fn look_up((file, key): (Vec<u8>, Vec<u8>)) -> (Vec<u8>, Vec<u8>) {
    let open = Ptd::open(&file).expect("an input opens");
    black_box(open.tensor_bytes(black_box(&key)).expect("sound").expect("present"));
    (file, key)
}

#[library_benchmark]
#[bench::multi_method_pte(real("multi_method.pte"))]
#[bench::data_file(data(TABLES))]
fn dump(file: Vec<u8>) -> Vec<u8> {
    black_box(canonical_json(black_box(&file)));
    file
}

#[library_benchmark]
#[bench::pte(GeneratedKind::Pte)]
#[bench::ptd(GeneratedKind::Ptd)]
fn generate(kind: GeneratedKind) -> usize {
    (0..SEEDS).map(|seed| generated(kind, black_box(seed))).sum()
}

#[library_benchmark]
#[bench::mlp_xnnpack_pte(real("mlp_xnnpack.pte"))]
fn map_for_attacks(file: Vec<u8>) -> Base {
    Base::of(black_box(file))
}

#[library_benchmark]
#[bench::mlp_xnnpack_pte(Base::of(real("mlp_xnnpack.pte")))]
fn attack(base: Base) -> Base {
    let selection = Selection::default();
    for index in 0..SEEDS {
        black_box(draw(&base, &selection, index));
    }
    base
}

library_benchmark_group!(
    name = instructions,
    benchmarks = [check, verdict, open_program, open_data_file, look_up, dump, generate, map_for_attacks, attack]
);

main!(
    config = LibraryBenchmarkConfig::default()
        .tool(Callgrind::with_args(["--cache-sim=no"]))
        .env("GLIBC_TUNABLES", TUNABLES),
    library_benchmark_groups = instructions
);
