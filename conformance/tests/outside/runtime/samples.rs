//! Files for which a runtime's behaviour is observed: corpus cases, generated files, and attacked files.

use std::collections::BTreeMap;

use torchproof::attack::{Base, Selection, draw};
use torchproof::check::Checker;
use torchproof::corpus::{self, Case, Role, Verdict};
use torchproof::generate::{Config, GeneratedKind, generate};
use torchproof_cli::runtime::{FileKey, keys};

/// A program with its data files, or a data file.
pub(super) struct Sample {
    pub(super) files: Vec<(Role, Vec<u8>)>,
    pub(super) keys: Vec<FileKey>,
    /// Whether the check of the files is complete. If the check is incomplete, there is no prediction.
    pub(super) is_checked: bool,
}

/// A base, which is a valid sample, and edited samples. Each edited sample differs from the base by one edit.
pub(super) struct Group {
    pub(super) base: Sample,
    pub(super) edited: Vec<Sample>,
}

impl Sample {
    fn of(files: Vec<(Role, Vec<u8>)>) -> Self {
        let (first, data) = files.split_first().unwrap();
        let with = |checker: Checker<'_>| checker.check(&first.1);
        let report = match data {
            [] => with(Checker::new()),
            [(_, one)] => with(Checker::new().with(one)),
            [(_, one), (_, two), ..] => with(Checker::new().with(one).with(two)),
        };
        let keys = keys(&first.1, first.0, &report, !data.is_empty());
        let is_checked = report.stopped.is_none() && report.rejected_companion.is_none() && report.omitted() == 0;
        Self { files, keys, is_checked }
    }

    /// Returns a copy of the sample in which `bytes` replace the content of the first file.
    fn with_first(&self, bytes: Vec<u8>) -> Self {
        let mut files = self.files.clone();
        files[0].1 = bytes;
        Self::of(files)
    }
}

/// Returns the cases of the corpus, grouped by their base.
pub(super) fn cases() -> impl Iterator<Item = Group> {
    let mut groups: BTreeMap<&str, Vec<&Case>> = BTreeMap::new();
    for case in corpus::all().filter(|case| case.target.is_none()) {
        groups.entry(case.base.unwrap_or(case.id)).or_default().push(case);
    }
    groups.into_iter().map(|(base, edited)| Group {
        base: sample_of(corpus::find(base).unwrap()),
        edited: edited.into_iter().filter(|case| case.id != base).map(sample_of).collect(),
    })
}

fn sample_of(case: &Case) -> Sample {
    let data = case.companions().iter().map(|id| (Role::Data, corpus::find(id).unwrap().build().bytes));
    Sample::of(std::iter::once((case.role(), case.build().bytes)).chain(data).collect())
}

/// Attacks each accepted case of the corpus and each official file `count` times.
pub(super) fn attacked_files(seed: u64, count: u64) -> impl Iterator<Item = Group> {
    let accepted = corpus::all()
        .filter(|case| case.verdict == Verdict::Accept && case.role() != Role::Bundled && case.target.is_none());
    let official = super::official_files().into_iter().map(|(role, bytes)| Sample::of(vec![(role, bytes)]));
    accepted.map(sample_of).chain(official).map(move |base| attacked(base, seed, count))
}

/// Generates `seeds` files of each kind, and attacks each file `count` times.
pub(super) fn generated_files(seed: u64, seeds: u64, count: u64) -> impl Iterator<Item = Group> {
    (seed..seed + seeds).flat_map(move |seed| {
        [GeneratedKind::Pte, GeneratedKind::Ptd, GeneratedKind::Pair].map(|kind| {
            let mut config = Config::swarm(seed);
            config.unbounded = 0;
            config.far = 0;
            config.elements = 1000..=1000;
            let files = generate(kind, &config, seed).unwrap();
            let role = |extension| if extension == "pte" { Role::Program } else { Role::Data };
            let sample = Sample::of(files.into_iter().map(|file| (role(file.extension), file.bytes)).collect());
            attacked(sample, seed, count)
        })
    })
}

fn attacked(base: Sample, seed: u64, count: u64) -> Group {
    let source = Base::of(base.files[0].1.clone());
    let selection = Selection::default();
    let draws = (0..count).filter_map(|index| draw(&source, &selection, seed.wrapping_mul(1_000_003) + index));
    let mut edited: Vec<Sample> = draws.map(|attacked| base.with_first(attacked.bytes)).collect();
    if base.files.len() > 1 {
        edited.push(Sample::of(vec![base.files[0].clone()]));
    }
    Group { base, edited }
}
