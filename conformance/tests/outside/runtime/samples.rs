//! The files on which to observe a runtime: corpus cases, generated files, and attacked files.

use std::collections::BTreeMap;

use torchproof::Role;
use torchproof::attack::{self, Base, Selection, draw};
use torchproof::check::{Checker, Report};
use torchproof::corpus::{self, Case, Verdict};
use torchproof::generate::{Config, GeneratedKind, generate};
use torchproof::prediction::{FileKey, LoadedFile};
use torchproof::{FileBytes, FileKind};
use torchproof_model::ModelFile;

/// A program with its data files, or a data file alone.
pub(super) struct Sample {
    pub(super) files: Vec<(Role, Vec<u8>)>,
    pub(super) keys: Vec<FileKey>,
    /// `true` if the check is complete. Otherwise, there is no prediction.
    pub(super) is_checked: bool,
}

/// A valid base, and samples that differ from it by one edit.
pub(super) struct Group {
    pub(super) base: Sample,
    pub(super) edited: Vec<Sample>,
}

impl Sample {
    pub(super) fn of(files: Vec<(Role, Vec<u8>)>) -> Self {
        let (report, kinds) = checked(&files);
        let (role, first) = &files[0];
        let file = LoadedFile { file_bytes: FileBytes::whole(first), role: *role, report: &report, data: &kinds };
        let keys = file.keys();
        let is_checked = report.stopped.is_none() && report.rejected_companion.is_none() && report.omitted() == 0;
        // Bundled programs also go to the loader of programs.
        let role = |(role, bytes)| (if role == Role::Bundled { Role::Program } else { role }, bytes);
        Self { files: files.into_iter().map(role).collect(), keys, is_checked }
    }

    fn with_first(&self, bytes: Vec<u8>) -> Self {
        let mut files = self.files.clone();
        files[0].1 = bytes;
        Self::of(files)
    }
}

/// Checks the first file with its data files, and also returns their kinds.
pub(super) fn checked(files: &[(Role, Vec<u8>)]) -> (Report, Vec<FileKind>) {
    let (first, data) = files.split_first().unwrap();
    let with = |checker: Checker<'_>| checker.check(&first.1);
    let report = match data {
        [] => with(Checker::new()),
        [(_, one)] => with(Checker::new().with(one)),
        [(_, one), (_, two), ..] => with(Checker::new().with(one).with(two)),
    };
    (report, data.iter().map(|(_, bytes)| ModelFile::open("", bytes).unwrap().kind()).collect())
}

/// The cases of the corpus, grouped by their base.
pub(super) fn cases() -> impl Iterator<Item = Group> {
    let mut groups: BTreeMap<&str, Vec<&Case>> = BTreeMap::new();
    for case in corpus::all().filter(|case| case.target.is_none()) {
        groups.entry(case.base.unwrap_or(case.id)).or_default().push(case);
    }
    groups.into_iter().flat_map(|(base, edited)| {
        let base = corpus::find(base).unwrap();
        let edited = edited.into_iter().filter(|case| case.id != base.id).map(sample_of).collect();
        with_program(Group { base: sample_of(base), edited })
    })
}

/// Returns the group and, if the base has data files, also the base program without them.
fn with_program(group: Group) -> impl Iterator<Item = Group> {
    let program = (group.base.files.len() > 1).then(|| Sample::of(vec![group.base.files[0].clone()]));
    std::iter::once(group).chain(program.map(|base| Group { base, edited: Vec::new() }))
}

fn sample_of(case: &Case) -> Sample {
    let data = case.companions().iter().map(|id| (Role::Data, corpus::find(id).unwrap().build().bytes));
    Sample::of(std::iter::once((case.role(), case.build().bytes)).chain(data).collect())
}

/// Attacks each accepted case and each official file `count` times.
pub(super) fn attacked_files(seed: u64, count: u64) -> impl Iterator<Item = Group> {
    let accepted = corpus::all()
        .filter(|case| case.verdict == Verdict::Accept && case.role() != Role::Bundled && case.target.is_none());
    let official = super::official_files().into_iter().map(|(role, bytes)| Sample::of(vec![(role, bytes)]));
    accepted.map(sample_of).chain(official).map(move |base| attacked(base, seed, count))
}

/// Files with random settings, but without planned buffers that are too large for the adapters.
pub(super) fn swarm_files(seed: u64, count: u64) -> impl Iterator<Item = Group> {
    (seed..seed + count).flat_map(|seed| {
        let mut config = Config::swarm(seed);
        config.far = 0;
        let base = generated(KINDS[usize::try_from(seed % 3).unwrap()], &config, seed);
        with_program(Group { base, edited: Vec::new() })
    })
}

/// Half of the files need no operators and backends, so every release loads them.
pub(super) fn every_attack(seed: u64, count: u64) -> impl Iterator<Item = Group> {
    (seed..seed + count).flat_map(|seed| {
        let mut config = Config::default();
        config.elements = 1000..=1000;
        config.devices = 0;
        if seed % 2 == 0 {
            (config.kernel_calls, config.inline_delegates, config.segment_delegates) = (0..=0, 0..=0, 0..=0);
        }
        let base = generated(KINDS[usize::try_from(seed % 3).unwrap()], &config, seed);
        let source = Base::of(base.files[0].1.clone());
        let attacks = attack::all().filter_map(|attack| Some(base.with_first(attack.apply(&source, seed)?.bytes)));
        let edited = attacks.collect();
        with_program(Group { base, edited })
    })
}

const KINDS: [GeneratedKind; 3] = [GeneratedKind::Pte, GeneratedKind::Ptd, GeneratedKind::Pair];

fn generated(kind: GeneratedKind, config: &Config, seed: u64) -> Sample {
    let files = generate(kind, config, seed).unwrap();
    let role = |extension| if extension == "pte" { Role::Program } else { Role::Data };
    Sample::of(files.into_iter().map(|file| (role(file.extension), file.bytes)).collect())
}

fn attacked(base: Sample, seed: u64, count: u64) -> Group {
    let source = Base::of(base.files[0].1.clone());
    let selection = Selection::default();
    let draws = (0..count).filter_map(|index| draw(&source, &selection, seed.wrapping_mul(1_000_003) + index));
    let edited = draws.map(|attacked| base.with_first(attacked.bytes)).collect();
    Group { base, edited }
}
