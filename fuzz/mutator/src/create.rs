//! New files: accepted corpus cases, and small generated files.

use std::sync::OnceLock;

use torchproof::corpus;
use torchproof::generate::{Config, GeneratedKind, generate};
use torchproof::mutate::Samples;
use torchproof::random::Random;

const TRIES: usize = 3;

const DESCENTS: u64 = 200;

/// Accepted cases that together have every field found in accepted cases. The list is short, because a fuzzer starts a
/// new process after each crash, which builds the cases again.
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

pub(crate) fn samples() -> &'static Samples {
    static SAMPLES: OnceLock<Samples> = OnceLock::new();
    let built = || CASES.iter().filter_map(|id| Some(corpus::find(id)?.build().bytes)).collect();
    SAMPLES.get_or_init(|| Samples::of(built(), DESCENTS))
}

/// Returns a new file; empty if every drawn file and the shortest case exceed `most` bytes.
pub(crate) fn file(most: usize, random: &mut Random) -> Vec<u8> {
    let kinds = [GeneratedKind::Pte, GeneratedKind::Pte, GeneratedKind::Ptd, GeneratedKind::PtdLegacy];
    let cases = samples().files();
    let drawn = (0..TRIES).find_map(|_| {
        let bytes = match random.one_in(4) {
            true => generated(kinds[random.index(kinds.len())], random).into_iter().next(),
            false => random.pick(cases).cloned(),
        };
        bytes.filter(|bytes| bytes.len() <= most)
    });
    let shortest = || cases.iter().min_by_key(|bytes| bytes.len()).filter(|bytes| bytes.len() <= most).cloned();
    drawn.or_else(shortest).unwrap_or_default()
}

/// Returns a new pair; `None` if the files exceed `most` bytes.
pub(crate) fn pair(most: usize, random: &mut Random) -> Option<[Vec<u8>; 2]> {
    (0..TRIES).find_map(|_| {
        let [program, data] = generated(GeneratedKind::Pair, random).try_into().ok()?;
        (program.len() + data.len() <= most).then_some([program, data])
    })
}

fn generated(kind: GeneratedKind, random: &mut Random) -> Vec<Vec<u8>> {
    let mut config = Config::default();
    config.methods = 1..=2;
    config.tables = 300..=300;
    config.data_bytes = 4096..=4096;
    let files = generate(kind, &config, random.word()).unwrap_or_default();
    files.into_iter().map(|file| file.bytes).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use torchproof::corpus::Verdict;
    use torchproof::flatbuffer::schema::Field;

    use super::*;

    #[test]
    fn the_cases_contain_each_field_of_accepted_cases() {
        assert_eq!(samples().files().len(), CASES.len(), "a case does not exist");
        let fields = |files: Vec<Vec<u8>>, descents| {
            let samples = Samples::of(files, descents);
            let named = |(kind, field): (_, &'static Field)| ((kind, std::ptr::from_ref(field).addr()), field.name);
            samples.fields().map(named).collect::<Vec<(_, &str)>>()
        };
        let own: HashMap<_, _> = fields(samples().files().to_vec(), 8000).into_iter().collect();
        assert!(own.len() > 100, "found only {} fields", own.len());
        for case in corpus::all().filter(|case| case.verdict == Verdict::Accept) {
            let mut missing = fields(vec![case.build().bytes], 1000);
            missing.retain(|(field, _)| !own.contains_key(field));
            assert_eq!(missing, [], "add {case} to CASES");
        }
    }
}
