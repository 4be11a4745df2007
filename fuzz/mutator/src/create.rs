//! New files: accepted cases of the corpus, and small files of the generator.

use std::sync::OnceLock;

use fastrand::Rng;
use torchproof::corpus::{self, Verdict};
use torchproof::generate::{Config, GeneratedKind, generate};

/// The maximum length of a case that splices use.
const LONGEST: usize = 1 << 14;

/// The numbers of times that the generator tries to create a file within the maximum length.
const TRIES: usize = 3;

/// Returns the accepted cases of the corpus that are not large. The first call builds the cases.
pub(crate) fn cases() -> &'static [Vec<u8>] {
    static CASES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    CASES.get_or_init(|| {
        let accepted = corpus::all().filter(|case| case.verdict == Verdict::Accept);
        accepted.map(|case| case.build().bytes).filter(|bytes| bytes.len() <= LONGEST).collect()
    })
}

/// Creates a file of at most `max_len` bytes, or the start of a file if no drawn file is so short.
pub(crate) fn file(max_len: usize, random: &mut Rng) -> Vec<u8> {
    let kinds = [GeneratedKind::Pte, GeneratedKind::Pte, GeneratedKind::Ptd, GeneratedKind::PtdLegacy];
    for _ in 0..TRIES {
        let bytes = match random.u8(..4) {
            0 => generated(kinds[random.usize(..kinds.len())], random).into_iter().next(),
            _ => cases().get(random.usize(..cases().len().max(1))).cloned(),
        };
        if let Some(bytes) = bytes.filter(|bytes| bytes.len() <= max_len) {
            return bytes;
        }
    }
    let mut shortest = cases().iter().min_by_key(|bytes| bytes.len()).cloned().unwrap_or_default();
    shortest.truncate(max_len);
    shortest
}

/// Creates a program and its data file. Returns `None` if the files exceed `max_len` bytes.
pub(crate) fn pair(max_len: usize, random: &mut Rng) -> Option<[Vec<u8>; 2]> {
    (0..TRIES).find_map(|_| {
        let [program, data] = generated(GeneratedKind::Pair, random).try_into().ok()?;
        (program.len() + data.len() <= max_len).then_some([program, data])
    })
}

fn generated(kind: GeneratedKind, random: &mut Rng) -> Vec<Vec<u8>> {
    let mut config = Config::default();
    config.methods = 1..=2;
    config.tables = 300..=300;
    config.data_bytes = 4096..=4096;
    let files = generate(kind, &config, random.u64(..)).unwrap_or_default();
    files.into_iter().map(|file| file.bytes).collect()
}
