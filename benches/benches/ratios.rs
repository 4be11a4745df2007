//! Prints how long the whole check takes relative to other verifiers: `cargo bench --bench ratios [-- FOLDER...]`.
//!
//! The real files come from `corpus/real` and the given folders. Each number is the fastest of several runs, which
//! alternate between the verifiers, so that a change in the machine's speed affects all of them.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs, ptr};

use torchproof_benches::c_libraries::{CppVerifier, Runtime};
use torchproof_benches::{accepts, data, own_calls, program, real_path, region, tables_of};
use torchproof_oracle::Schema;
use torchproof_verify::{TorchproofAnswer, torchproof_verify_data_file, torchproof_verify_program};

/// The approximate number of tables, because the verifiers reject files with more than a million.
const TABLES: [usize; 6] = [10, 100, 1_000, 10_000, 100_000, 999_980];
/// The sizes for which the ratio of the verdict's time to the C++ verifier's time is limited.
const WITH_LIMIT: std::ops::RangeInclusive<usize> = 1_000..=100_000;
type Make = fn(usize) -> Vec<u8>;

const ROUNDS: usize = 25;
/// Shorter operations are repeated until this much time has passed.
const ROUND: Duration = Duration::from_micros(500);

fn main() {
    let (cpp, runtime) = (CppVerifier::load(), Runtime::load());
    let bench = Bench { cpp: cpp.as_ref(), runtime: runtime.as_ref() };
    println!(
        "Nanoseconds per table: the check; the verdict of the C library; the C++ verifier; `Program::load` with InternalConsistency.\n"
    );
    println!("| file | tables | check | verdict | C++ | load | check ÷ C++ | verdict ÷ C++ | verdict ÷ load |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut limits = Vec::new();
    let subjects: [(&str, Make, f64); 3] =
        [("program", program, 2.0), ("program of own calls", own_calls, 2.0), ("data file", data, 2.5)];
    for (name, make, limit) in subjects {
        let rows = TABLES.map(|tables| (tables, bench.row(name, &make(tables))));
        let ratios = rows.iter().filter(|(tables, _)| WITH_LIMIT.contains(tables)).filter_map(|(_, ratio)| *ratio);
        limits.push((format!("{name}, verdict ÷ C++, 1,000 to 100,000 tables"), ratios.fold(0.0, f64::max), limit));
    }
    for (name, file) in real_files() {
        bench.row(&name, &file);
    }
    println!("\n| limit | at most | measured | |\n|---|--:|--:|---|");
    for (name, measured, limit) in limits {
        // If the verifier's library is missing, there is no ratio.
        let answer = if measured == 0.0 {
            "not measured"
        } else if measured <= limit {
            "met"
        } else {
            "missed"
        };
        println!("| {name} | {limit} | {measured:.2} | {answer} |");
    }
}

struct Bench<'a> {
    cpp: Option<&'a CppVerifier>,
    runtime: Option<&'a Runtime>,
}

impl Bench<'_> {
    /// Prints a table row. Returns the ratio of the verdict's time to the C++ verifier's time.
    #[allow(unsafe_code, reason = "the runtime is a C++ library")]
    fn row(&self, name: &str, file: &[u8]) -> Option<f64> {
        let (schema, end) = region(file);
        let (mut words, mut memory) = (vec![0; file.len()], Vec::new());
        let tables = tables_of(file, &mut words);
        let mut check = || accepts(black_box(file), &mut memory);
        let mut verdict = || is_valid(black_box(file), schema, &mut words);
        let mut cpp = || self.cpp.is_some_and(|cpp| cpp.verify(black_box(&file[..end]), schema));
        let is_program = schema == Schema::Program;
        // SAFETY: the check accepts the file.
        let load_program = |runtime: &Runtime| unsafe { runtime.load_program(black_box(file)) };
        let mut load = || is_program && self.runtime.is_some_and(load_program);
        let times = shortest(&mut [&mut check, &mut verdict, &mut cpp, &mut load]);
        let [check, verdict, cpp, load] = times[..] else { unreachable!("there are four verifiers") };
        let ratio = |one: Option<f64>, other: Option<f64>| Some(one? / other?);
        let costs: Vec<_> = times.iter().map(|time| cell(time.map(|time| time / f64::from(tables)), 1)).collect();
        let ratios = [ratio(check, cpp), ratio(verdict, cpp), ratio(verdict, load)];
        println!("| {name} | {tables} | {} | {} |", costs.join(" | "), ratios.map(|ratio| cell(ratio, 2)).join(" | "));
        ratios[1]
    }
}

#[allow(unsafe_code, reason = "the library is for C")]
fn is_valid(file: &[u8], schema: Schema, words: &mut [u64]) -> bool {
    let verify = if schema == Schema::Program { torchproof_verify_program } else { torchproof_verify_data_file };
    // SAFETY: the pointers come from slices.
    unsafe {
        verify(file.as_ptr(), file.len(), words.as_mut_ptr(), words.len(), ptr::null_mut()) == TorchproofAnswer::Valid
    }
}

/// Returns the shortest times in nanoseconds; `None` for an operation that returns `false`.
fn shortest(operations: &mut [&mut dyn FnMut() -> bool]) -> Vec<Option<f64>> {
    let runs: Vec<_> = operations.iter_mut().map(|operation| runs_per_round(*operation)).collect();
    let mut times: Vec<_> = runs.iter().map(|runs| runs.map(|_| f64::INFINITY)).collect();
    for _ in 0..ROUNDS {
        for ((operation, runs), shortest) in operations.iter_mut().zip(&runs).zip(&mut times) {
            let (Some(runs), Some(shortest)) = (*runs, shortest) else { continue };
            let begin = Instant::now();
            for _ in 0..runs {
                black_box(operation());
            }
            *shortest = shortest.min(begin.elapsed().as_secs_f64() * 1e9 / f64::from(runs));
        }
    }
    times
}

/// Returns how often to repeat the operation in a round; `None` if it returns `false`.
fn runs_per_round(operation: &mut dyn FnMut() -> bool) -> Option<u32> {
    let (begin, mut runs) = (Instant::now(), 0);
    while begin.elapsed() < ROUND {
        if !operation() {
            return None;
        }
        runs += 1;
    }
    Some(runs)
}

fn real_files() -> Vec<(String, Vec<u8>)> {
    let given = env::args().skip(1).filter(|argument| !argument.starts_with('-')).map(PathBuf::from);
    let mut paths: Vec<_> = [real_path("")].into_iter().chain(given).flat_map(|folder| files_of(&folder)).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap_or_default().display().to_string();
        (name, fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    };
    paths.into_iter().map(read).collect()
}

fn files_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "pte" || extension == "ptd")).collect()
}

fn cell(number: Option<f64>, digits: usize) -> String {
    match number {
        Some(number) => format!("{number:.digits$}"),
        None => "–".to_owned(),
    }
}
