//! New files: accepted cases of the corpus, and small files of the generator.

use std::sync::OnceLock;

use fastrand::Rng;
use torchproof::FileKind;
use torchproof::corpus;
use torchproof::flatbuffer::schema::Field;
use torchproof::generate::{Config, GeneratedKind, generate};

use crate::parts::FileParts;
use crate::site::{Hints, descend};

/// The numbers of times that the generator tries to create a file within the maximum length.
const TRIES: usize = 3;

/// The number of descents in each case.
const DESCENTS: u64 = 200;

/// Accepted cases of the corpus. Together, they contain each field that an accepted case contains.
///
/// The number of cases is small, because a fuzzer starts a process, and builds the cases again, after each crash.
const CASES: &[&str] = &[
    "bpte/valid/double-within-tolerance",
    "bpte/valid/every-type",
    "ptd/valid/explicit-version",
    "ptd/valid/scalar-tensor",
    "ptd-legacy/valid/explicit-defaults",
    "ptd-legacy/valid/named-data",
    "ptd-legacy/valid/tensors",
    "pte/structure/frame-with-nul",
    "pte/valid/constant-buffer",
    "pte/valid/constant-buffer-larger",
    "pte/valid/empty-inline-delegate",
    "pte/valid/external-with-buffer-index",
    "pte/valid/external-without-named-data",
    "pte/valid/extra-info-beside-external",
    "pte/valid/host-index-minus-1",
    "pte/valid/inline-delegate",
    "pte/valid/inputs-of-every-type",
    "pte/valid/int-min",
    "pte/valid/jump-backward",
    "pte/valid/jump-on-tensor",
    "pte/valid/mutable-list-unused",
    "pte/valid/mutable-without-constants",
    "pte/valid/tensor-without-elements",
    "pte/values/string-with-nul",
];

/// Returns the files of the cases. The first call builds the files.
pub(crate) fn cases() -> &'static [Vec<u8>] {
    static FILES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    FILES.get_or_init(|| CASES.iter().filter_map(|id| Some(corpus::find(id)?.build().bytes)).collect())
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

/// Creates a file of at most `max_len` bytes. The result is empty if each drawn file and the shortest case exceed this length.
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
    let shortest = cases().iter().min_by_key(|bytes| bytes.len());
    shortest.filter(|bytes| bytes.len() <= max_len).cloned().unwrap_or_default()
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use torchproof::corpus::Verdict;

    use super::*;

    /// Returns the kind of a file, and the fields that the descents reach. A field is identified by its address.
    fn fields(file: &[u8], descents: u64) -> impl Iterator<Item = (String, usize)> {
        let parts = FileParts::of(file).expect("a file with a known identifier");
        let descend =
            move |seed| descend(parts.flatbuffer(file), parts.root, &mut Rng::with_seed(seed), &mut Hints::default());
        let field = move |seed| Some((parts.kind.to_string(), std::ptr::from_ref(descend(seed)?.field?).addr()));
        (0..descents).filter_map(field)
    }

    #[test]
    fn the_cases_contain_each_field_of_accepted_cases() {
        assert_eq!(cases().len(), CASES.len(), "a case does not exist");
        let own: BTreeSet<_> = cases().iter().flat_map(|file| fields(file, 8000)).collect();
        assert!(own.len() > 100, "found only {} fields", own.len());
        for case in corpus::all().filter(|case| case.verdict == Verdict::Accept) {
            let file = case.build().bytes;
            let missing: Vec<_> = fields(&file, 1000).filter(|field| !own.contains(field)).collect();
            assert_eq!(missing, [], "add {case} to CASES");
        }
    }
}
