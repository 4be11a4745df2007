//! Tests every single-byte and single-word change of every corpus file: the checker must return a verdict within the
//! time limit and must not panic.
//!
//! `.ci/nightly every_change` runs this test. At each position, it writes boundary values of numbers, counts and
//! offsets and, with `TORCHPROOF_EXHAUSTIVE`, all 256 values of each byte.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use torchproof::check;
use walkdir::{DirEntry, WalkDir};

/// The maximum time for checking one file, the same as a case's time limit in the corpus.
const BUDGET: Duration = Duration::from_secs(5);

/// A debug build, such as a plain `cargo test`, tests only a sample of the positions.
const STRIDE: usize = if cfg!(debug_assertions) { 127 } else { 1 };

/// Range boundaries, small numbers and flags.
const BYTES: [u8; 10] = [0, 1, 2, 4, 7, 16, 0x7f, 0x80, 0xfe, 0xff];

/// Range boundaries and some other numbers.
const WORDS: [u32; 9] = [0, 1, 4, 8, 0xff, 0x1_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];

#[test]
fn every_change_gets_a_verdict() {
    let files = files();
    assert!(files.len() > 300, "only {} files", files.len());
    let halves: Vec<&[PathBuf]> = files.chunks(files.len().div_ceil(2)).collect();
    std::thread::scope(|scope| {
        for half in halves {
            scope.spawn(|| half.iter().for_each(|path| changed(path)));
        }
    });
}

fn changed(path: &Path) {
    let mut bytes = fs::read(path).expect("a corpus file can be read");
    let all: Vec<u8> = (0..=255).collect();
    let exhaustive = std::env::var_os("TORCHPROOF_EXHAUSTIVE").is_some();
    let values: &[u8] = if exhaustive { &all } else { &BYTES };
    for at in (0..bytes.len()).step_by(STRIDE) {
        let was = bytes[at];
        for value in values {
            bytes[at] = *value;
            judge(&bytes, path, at);
        }
        bytes[at] = was;
        let Some(word) = bytes.get(at..at + 4).filter(|_| STRIDE > 1 || at % 4 == 0) else { continue };
        let was = word.to_vec();
        let near = u32::from_le_bytes([was[0], was[1], was[2], was[3]]);
        for value in WORDS.into_iter().chain([near.wrapping_add(1), near.wrapping_sub(1), near.wrapping_neg()]) {
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
            judge(&bytes, path, at);
        }
        bytes[at..at + 4].copy_from_slice(&was);
    }
}

fn judge(bytes: &[u8], path: &Path, at: usize) {
    let begin = Instant::now();
    let report = check(bytes);
    let taken = begin.elapsed();
    let path = path.display();
    assert!(report.accepts() != report.rejects(), "{path} changed at {at:#x} is neither: {report:?}");
    assert!(taken < BUDGET, "{path} changed at {at:#x} takes {taken:?}");
}

/// Omits large real files, which are mostly weights, and a file with shared tables that alone takes as long as a
/// thousand other files.
fn files() -> Vec<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let all = ["files", "real"].into_iter().flat_map(|folder| WalkDir::new(corpus.join(folder)).sort_by_file_name());
    let files = all.map(|entry| entry.expect("the corpus can be listed")).filter(|entry| entry.file_type().is_file());
    let small = files.filter(|entry| entry.metadata().is_ok_and(|meta| meta.len() <= 16384));
    let tables = |path: &PathBuf| check(&fs::read(path).expect("a corpus file can be read")).tables;
    small.map(DirEntry::into_path).filter(|path| tables(path) < 10_000).collect()
}
