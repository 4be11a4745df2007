//! New files: accepted cases of the corpus, and small files of the generator.

use std::sync::OnceLock;

use fastrand::Rng;
use torchproof::FileKind;
use torchproof::corpus::{self, Verdict};
use torchproof::flatbuffer::schema::Field;
use torchproof::generate::{Config, GeneratedKind, generate};

use crate::parts::FileParts;
use crate::site::{Hints, descend};

/// The maximum length of a case that splices use.
const LONGEST: usize = 1 << 14;

/// The numbers of times that the generator tries to create a file within the maximum length.
const TRIES: usize = 3;

/// The number of descents in each case.
const DESCENTS: u64 = 200;

/// Returns the accepted cases of the corpus that are not large. The first call builds the cases.
pub(crate) fn cases() -> &'static [Vec<u8>] {
    static CASES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    CASES.get_or_init(|| {
        let accepted = corpus::all().filter(|case| case.verdict == Verdict::Accept);
        accepted.map(|case| case.build().bytes).filter(|bytes| bytes.len() <= LONGEST).collect()
    })
}

/// A field of the schema, and the descents in accepted cases that end at the field.
struct FieldSites {
    kind: FileKind,
    field: &'static Field,
    /// Cases, and the seeds of the descents.
    sites: Vec<(&'static [u8], u64)>,
}

/// Draws a field of the schema, and a descent that ends at the field. Returns an accepted case and the seed of the descent in this
/// case. Returns `None` if no case has this kind, or if the drawn case exceeds `max_len` bytes.
///
/// Each field is equally probable. A descent in one file seldom reaches a rare instruction, because the file has many values and
/// common instructions.
pub(crate) fn site(kind: FileKind, max_len: usize, random: &mut Rng) -> Option<(&'static [u8], u64)> {
    static FIELDS: OnceLock<Vec<FieldSites>> = OnceLock::new();
    let fields = FIELDS.get_or_init(index);
    let of_kind = || fields.iter().filter(|field| field.kind == kind);
    let field = of_kind().nth(random.usize(..of_kind().count().max(1)))?;
    let (case, seed) = field.sites[random.usize(..field.sites.len())];
    (case.len() <= max_len).then_some((case, seed))
}

/// Descends many times in each case, and sorts the descents by their fields.
fn index() -> Vec<FieldSites> {
    let mut found: Vec<FieldSites> = Vec::new();
    for case in cases() {
        let Some(parts) = FileParts::of(case) else { continue };
        for seed in 0..DESCENTS {
            let random = &mut Rng::with_seed(seed);
            let site = descend(parts.flatbuffer(case), parts.root, random, &mut Hints::default());
            let Some(field) = site.and_then(|site| site.field) else { continue };
            let is_field = |one: &&mut FieldSites| one.kind == parts.kind && std::ptr::eq(one.field, field);
            match found.iter_mut().find(is_field) {
                Some(known) => known.sites.push((case, seed)),
                None => found.push(FieldSites { kind: parts.kind, field, sites: vec![(case, seed)] }),
            }
        }
    }
    found
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
