//! Checks a contract without a fuzzer, on every seed and on mutants from a seeded generator.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use torchproof::mutate::Edit;
use torchproof::random::Random;
use walkdir::WalkDir;

/// The maximum number of mutants; the test stops earlier if the time limit [`ENOUGH`] is exceeded.
const MUTANTS: u64 = 20_000;

/// The time limit for testing mutants, so that a debug build on a slow machine ends soon. The sequence of mutants is
/// the same on every machine.
const ENOUGH: Duration = Duration::from_secs(2);

/// The maximum length of a mutant in bytes. Headers and tables are at the start of a file, so mutants do not need the
/// rest of the file.
const LONGEST: usize = 1 << 13;

/// The number of kinds of edits to try until one applies.
const TRIES: usize = 8;

/// The maximum length of a generator input in bytes. The generator reads fewer bytes.
const LONGEST_ORDER: usize = 1 << 12;

/// Checks a contract on every corpus file and on mutants of corpus files.
pub(crate) fn drive(run: impl Fn(&[u8])) {
    let seeds = read_below("../corpus", |path| {
        path.extension().is_some_and(|ending| ending == "pte" || ending == "ptd" || ending == "bpte")
    });
    assert!(seeds.len() >= 13, "the corpus lacks the real files");
    run_on(&seeds, run);
}

/// Checks a contract on every seed in the folder `seeds/NAME` and on mutants of the seeds.
pub(crate) fn seeded(name: &str, run: impl Fn(&[u8])) {
    let seeds = read_below(&format!("seeds/{name}"), |_| true);
    assert!(seeds.len() >= 4, "{name} has {} seeds", seeds.len());
    run_on(&seeds, run);
}

fn run_on(seeds: &[(String, Vec<u8>)], run: impl Fn(&[u8])) {
    for (name, bytes) in seeds {
        let _input = Input { name, bytes };
        run(bytes);
    }
    let begin = Instant::now();
    for number in 0..MUTANTS {
        let mut random = Random::new(number);
        let (name, bytes) = &seeds[random.index(seeds.len())];
        let mutant = mutant(bytes, &seeds[random.index(seeds.len())].1, &mut random);
        let _input = Input { name: &format!("mutant {number}, of {name}"), bytes: &mutant };
        run(&mutant);
        if begin.elapsed() > ENOUGH {
            break;
        }
    }
}

/// Checks a contract of the generator on an empty input and on random inputs.
pub(crate) fn orders(run: impl Fn(&[u8])) {
    run(&[]);
    let begin = Instant::now();
    for number in 0..MUTANTS {
        let mut random = Random::new(number);
        // If the input is too short, the remaining settings have their minimum values.
        let mut order = vec![0; random.index(LONGEST_ORDER)];
        random.fill(&mut order);
        let _input = Input { name: &format!("order {number}"), bytes: &order };
        run(&order);
        if begin.elapsed() > ENOUGH {
            break;
        }
    }
}

/// Returns the files in a folder that `is_seed` selects, ordered by path. The folder is relative to this package.
fn read_below(folder: &str, is_seed: impl Fn(&Path) -> bool) -> Vec<(String, Vec<u8>)> {
    let all = WalkDir::new(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).sort_by_file_name();
    let files = all.into_iter().map(|entry| entry.expect("the folder can be listed"));
    let paths = files.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path);
    let read = |path: PathBuf| (path.display().to_string(), fs::read(&path).expect("a seed can be read"));
    paths.filter(|path| is_seed(path)).map(read).collect()
}

/// Returns a copy of a file with one to four edits. `other` is the donor of the edits.
fn mutant(bytes: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes[..bytes.len().min(LONGEST)].to_vec();
    for _ in 0..=random.index(4) {
        let edited = (0..TRIES).find_map(|_| random.pick(&Edit::ALL)?.apply(&bytes, other, LONGEST, random));
        bytes = edited.map_or(bytes, |edited| edited.bytes);
    }
    bytes
}

/// The current input of a contract. If the contract panics, dropping this value saves the input to a file and prints the
/// path of the file.
struct Input<'a> {
    name: &'a str,
    bytes: &'a [u8],
}

impl Drop for Input<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
        let target = target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"));
        let path = target.join("fuzz-smoke-failure.bin");
        let kept = fs::write(&path, self.bytes).map_or_else(|error| error.to_string(), |()| path.display().to_string());
        eprintln!("input {}: {kept}", self.name);
    }
}
