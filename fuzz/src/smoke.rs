//! Checks a contract without a fuzzer, on every seed and on mutants from a seeded generator.

use std::fs;
use std::path::{Path, PathBuf};

use torchproof::mutate::Edit;
use torchproof::random::Random;
use walkdir::WalkDir;

/// The maximum length of a mutant: the header and the tables are at the start of a file, so the rest is not needed.
const LONGEST: usize = 1 << 13;
/// The maximum length of the generator's input. The generator reads fewer bytes than this.
const LONGEST_ORDER: usize = 1 << 12;

/// Declares a test for each contract, with the kind of its inputs, and how many inputs to try besides the seeds. In a
/// debug build, a test takes a few seconds.
macro_rules! smoke {
    ($($contract:ident: $kind:ident, $count:literal;)*) => {
        $(#[test]
        fn $contract() {
            $kind(stringify!($contract), $count, crate::$contract::run);
        })*
    };
}

smoke! {
    allow_list: seeded, 10_000;
    attack: orders, 80;
    bundled: mutants, 15_000;
    check_ptd: mutants, 20_000;
    check_pte: mutants, 20_000;
    delivery: mutants, 8_000;
    differential: mutants, 20_000;
    dump: mutants, 15_000;
    dump_then_pack: mutants, 8_000;
    generate: orders, 80;
    metadata: seeded, 20_000;
    protocol: seeded, 8_000;
    read_any: mutants, 5_000;
    specification: seeded, 20_000;
    verdict: mutants, 5_000;
}

/// Every corpus file, and mutants of corpus files.
pub(crate) fn mutants(_contract: &str, count: u64, run: impl Fn(&[u8])) {
    let seeds = read_below("../corpus", |path| {
        path.extension().is_some_and(|ending| ending == "pte" || ending == "ptd" || ending == "bpte")
    });
    assert!(seeds.len() >= 13, "the corpus lacks the real files");
    run_on(&seeds, count, run);
}

/// Every seed in the `seeds/CONTRACT` folder, and mutants of the seeds.
fn seeded(contract: &str, count: u64, run: impl Fn(&[u8])) {
    let seeds = read_below(&format!("seeds/{contract}"), |_| true);
    assert!(seeds.len() >= 4, "{contract} has {} seeds", seeds.len());
    run_on(&seeds, count, run);
}

fn run_on(seeds: &[(String, Vec<u8>)], count: u64, run: impl Fn(&[u8])) {
    for (name, bytes) in seeds {
        let _input = Input { name, bytes };
        run(bytes);
    }
    for number in 0..count {
        let mut random = Random::new(number);
        let (name, bytes) = &seeds[random.index(seeds.len())];
        let other = &seeds[random.index(seeds.len())].1;
        let mutant = Edit::several(&bytes[..bytes.len().min(LONGEST)], other, LONGEST, &mut random);
        let _input = Input { name: &format!("mutant {number}, of {name}"), bytes: &mutant };
        run(&mutant);
    }
}

/// An empty input and random inputs of the generator.
fn orders(_contract: &str, count: u64, run: impl Fn(&[u8])) {
    run(&[]);
    for number in 0..count {
        let mut random = Random::new(number);
        // Settings whose bytes would be beyond the end of the input have their minimum values.
        let mut order = vec![0; random.index(LONGEST_ORDER)];
        random.fill(&mut order);
        let _input = Input { name: &format!("order {number}"), bytes: &order };
        run(&order);
    }
}

/// Returns the files below a folder, ordered by path. The folder is relative to this package.
fn read_below(folder: &str, is_seed: impl Fn(&Path) -> bool) -> Vec<(String, Vec<u8>)> {
    let all = WalkDir::new(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).sort_by_file_name();
    let files = all.into_iter().map(|entry| entry.expect("the folder can be listed"));
    let paths = files.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path);
    let read = |path: PathBuf| (path.display().to_string(), fs::read(&path).expect("a seed can be read"));
    paths.filter(|path| is_seed(path)).map(read).collect()
}

/// The current input. If the contract panics, dropping it saves it to a file and prints the path.
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
