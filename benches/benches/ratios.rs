//! Prints the time of the whole check beside that of other verifiers, as ratios: `cargo bench --bench ratios
//! [-- FOLDER...]`.
//!
//! The real files come from `corpus/real` and from the given folders. Each number is the shortest of several runs. The
//! runs of the verifiers alternate, so that a change of the machine's speed affects all of them.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs, ptr};

use torchproof::check::{Options, passes};
use torchproof_benches::c_libraries::{CppVerifier, Runtime};
use torchproof_benches::{accepts, accepts_closer, data, own_calls, program, real_path, region, with_wrong_call};
use torchproof_oracle::Schema;
use torchproof_verify::{
    TorchproofVerdict, TorchproofVerifyOptions, torchproof_verify_data_file, torchproof_verify_program,
};

/// The approximate numbers of tables in the synthetic files. The verifiers reject files with more than a million tables.
const TABLES: [usize; 6] = [10, 100, 1_000, 10_000, 100_000, 999_980];
/// The numbers of tables for which the ratios to the C++ verifier have goals.
const WITH_GOAL: std::ops::RangeInclusive<usize> = 1_000..=100_000;
/// Builds a file of about the given number of tables.
type Make = fn(usize) -> Vec<u8>;

const ROUNDS: usize = 25;
/// The shortest time of one round. A shorter operation repeats.
const ROUND: Duration = Duration::from_micros(500);

fn main() {
    let (cpp, runtime) = (CppVerifier::load(), Runtime::load());
    let bench = Bench { cpp: cpp.as_ref(), runtime: runtime.as_ref() };
    println!(
        "Nanoseconds per table: the whole check; the C library; the verification pass alone; the C++ verifier; \
              `Program::load` with InternalConsistency.\n"
    );
    println!("| file | tables | check | C library | verification pass | C++ | load | check ÷ C++ | check ÷ load |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut goals = Vec::new();
    let subjects: [(&str, Make, f64); 3] =
        [("program", program, 0.8), ("program of own calls", own_calls, 0.8), ("data file", data, 1.25)];
    for (name, make, goal) in subjects {
        let rows = TABLES.map(|tables| (tables, bench.row(name, &make(tables))));
        let ratios = rows.iter().filter(|(tables, _)| WITH_GOAL.contains(tables));
        goals.push((
            format!("{name}, check ÷ C++, 1,000 to 100,000 tables"),
            most(ratios.filter_map(|(_, row)| row.cpp)),
            goal,
        ));
        let costs = || rows.iter().map(|(_, row)| row.cost);
        let spread = most(costs()) / costs().fold(f64::INFINITY, f64::min);
        goals.push((format!("{name}, largest ÷ smallest cost per table"), spread, 2.5));
    }
    let (plain, closer): (Vec<_>, Vec<_>) = real_files().into_iter().partition(|(_, file)| is_plain(file));
    let rows: Vec<_> = plain.iter().map(|(name, file)| bench.row(name, file)).collect();
    goals.push(("real programs, check ÷ load".to_owned(), most(rows.iter().filter_map(|row| row.load)), 1.0));

    println!(
        "\nNanoseconds for files that need the verification pass: the whole check; the verification pass alone.\n"
    );
    println!("| file | check | verification pass | check ÷ verification pass |\n|---|--:|--:|--:|");
    // The plain pass visits almost all tables of these files before it stops.
    let longest = [
        ("program of 10,000 tables, wrong last call", with_wrong_call(program(10_000))),
        ("data file of 10,000 tables and a byte", [data(10_000), vec![1]].concat()),
    ];
    let longest = longest.map(|(name, file)| (name.to_owned(), file));
    let ratios = closer.into_iter().chain(longest).map(|(name, file)| twice(&name, &file));
    goals.push(("verification pass, check ÷ verification pass".to_owned(), most(ratios), 1.4));

    println!("\n| goal | at most | measured | |\n|---|--:|--:|---|");
    for (name, measured, goal) in goals {
        // Without the library of a verifier, there is no ratio.
        let answer = if measured == 0.0 {
            "not measured"
        } else if measured <= goal {
            "met"
        } else {
            "missed"
        };
        println!("| {name} | {goal} | {measured:.2} | {answer} |");
    }
}

/// The verifiers that the check is compared with.
struct Bench<'a> {
    cpp: Option<&'a CppVerifier>,
    runtime: Option<&'a Runtime>,
}

/// The nanoseconds of the check per table, and the ratios of the check's time to those of other verifiers.
struct Row {
    cost: f64,
    cpp: Option<f64>,
    load: Option<f64>,
}

impl Bench<'_> {
    /// Measures a plainly good file, and prints a row of the table.
    #[allow(unsafe_code, reason = "the runtime is a C++ library")]
    fn row(&self, name: &str, file: &[u8]) -> Row {
        let (schema, end) = region(file);
        let (mut words, mut memory) = (vec![0; file.len()], Vec::new());
        let tables = passes::plain(&file, &Options::default(), &mut words).expect("the file is plainly good").tables;
        let mut check = || accepts(black_box(file), &mut memory);
        let mut library = || is_good(black_box(file), schema, &mut words);
        let mut second_memory = Vec::new();
        let mut second = || accepts_closer(black_box(file), &mut second_memory);
        let mut cpp = || self.cpp.is_some_and(|cpp| cpp.verify(black_box(&file[..end]), schema));
        let is_program = schema == Schema::Program;
        // SAFETY: the file is plainly good, so it is valid.
        let load_program = |runtime: &Runtime| unsafe { runtime.load_program(black_box(file)) };
        let mut load = || is_program && self.runtime.is_some_and(load_program);
        let times = shortest(&mut [&mut check, &mut library, &mut second, &mut cpp, &mut load]);
        let [check, _, _, cpp, load] = times[..] else { unreachable!("there are five verifiers") };
        let check = check.expect("the checker accepts the file");
        let ratio = |other: Option<f64>| other.map(|other| check / other);
        let row = Row { cost: check / f64::from(tables), cpp: ratio(cpp), load: ratio(load) };
        let costs: Vec<_> = times.iter().map(|time| cell(time.map(|time| time / f64::from(tables)), 1)).collect();
        println!("| {name} | {tables} | {} | {} | {} |", costs.join(" | "), cell(row.cpp, 2), cell(row.load, 2));
        row
    }
}

/// Measures a file that is not plainly good, prints a row, and returns the ratio of the whole check to the verification pass.
fn twice(name: &str, file: &[u8]) -> f64 {
    assert!(!is_plain(file), "{name} is plainly good");
    let (mut memory, mut second_memory) = (Vec::new(), Vec::new());
    let mut check = || accepts(black_box(file), &mut memory) | true;
    let mut second = || accepts_closer(black_box(file), &mut second_memory) | true;
    let times = shortest(&mut [&mut check, &mut second]);
    let [Some(check), Some(second)] = times[..] else { unreachable!("both passes answer `true`") };
    println!("| {name} | {check:.0} | {second:.0} | {:.2} |", check / second);
    check / second
}

/// Returns whether the C library calls a file good.
#[allow(unsafe_code, reason = "the library is for C")]
fn is_good(file: &[u8], schema: Schema, words: &mut [u64]) -> bool {
    let verify = if schema == Schema::Program { torchproof_verify_program } else { torchproof_verify_data_file };
    let options =
        TorchproofVerifyOptions { scratch: words.as_mut_ptr(), scratch_words: words.len(), planned_memory: 0 };
    // SAFETY: the pointers are those of slices, and the options are valid.
    unsafe { verify(file.as_ptr(), file.len(), ptr::from_ref(&options)) == TorchproofVerdict::Good }
}

/// Returns the shortest time of each operation in nanoseconds; `None` for an operation that returns `false`.
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

/// Returns how often an operation must run in a round; `None` if the operation returns `false`.
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

/// Returns the real files and their names, sorted by path.
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

fn is_plain(file: &[u8]) -> bool {
    passes::plain(&file, &Options::default(), &mut vec![0; file.len()]).is_some()
}

fn most(ratios: impl Iterator<Item = f64>) -> f64 {
    ratios.fold(0.0, f64::max)
}

fn cell(number: Option<f64>, digits: usize) -> String {
    match number {
        Some(number) => format!("{number:.digits$}"),
        None => "–".to_owned(),
    }
}
