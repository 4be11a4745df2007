//! Compares the predictions of `check --runtime` with what the releases do, and derives the effects table.
//!
//! To derive columns, set `TORCHPROOF_DERIVE` to one line per column: `1.5.1 minimal exec:COMMAND`.
//! `TORCHPROOF_PREDICTIONS` is the number of seeds. Apart from the cases of the corpus, the comparison uses files that
//! the derivation does not use.

mod arenas;
mod builds;
mod derive;
mod observe;
mod probes;
mod samples;

use std::collections::BTreeMap;
use std::fs;

use libtest_mimic::Trial;
use torchproof::Role;
use torchproof::prediction::{EffectTable, Prediction, RuntimeEffect, Verification, predict};

use crate::built;
use crate::need::{self, Need, trials};
use arenas::arenas_equal_those_that_the_runtime_needs;
use builds::{predictions_of_builds_match_the_runtime, the_header_prints_the_profile_of_its_build};
use derive::Derivation;
use observe::Runtime;

pub(crate) fn trials() -> Vec<Trial> {
    let mut all =
        trials!([Need::Reader(built::RUNTIME), Need::Reader(built::OLDER_RUNTIME)]; predictions_match_the_releases);
    all.extend(trials!([Need::Reader(built::RUNTIME)]; predictions_of_builds_match_the_runtime, arenas_equal_those_that_the_runtime_needs, the_header_prints_the_profile_of_its_build));
    if std::env::var_os("TORCHPROOF_DERIVE").is_some() {
        all.extend(trials!([]; derive_columns));
    }
    all
}

/// The derivation uses seeds below this number; the comparison uses seeds from this number on.
const UNSEEN: u64 = 1_000_000;

fn seeds() -> u64 {
    std::env::var("TORCHPROOF_PREDICTIONS").ok().map_or(20, |count| count.parse().unwrap())
}

fn official_files() -> Vec<(Role, Vec<u8>)> {
    let mut paths: Vec<_> = fs::read_dir(testkit::repository().join("corpus/real")).unwrap().collect();
    paths.sort_by_key(|entry| entry.as_ref().unwrap().file_name());
    let file = |path: std::path::PathBuf| match path.extension()?.to_str()? {
        "pte" => Some((Role::Program, fs::read(path).unwrap())),
        "ptd" => Some((Role::Data, fs::read(path).unwrap())),
        _ => None,
    };
    paths.into_iter().filter_map(|entry| file(entry.unwrap().path())).collect()
}

fn derive_columns() {
    let wanted = std::env::var("TORCHPROOF_DERIVE").unwrap();
    let derivation = |line: &str| {
        let [version, level, address] = line.splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
        let release = torchproof::prediction::Release::parse_version(version).unwrap();
        let verification = Verification::ALL.into_iter().find(|known| known.name() == level).unwrap();
        Derivation::new(release, verification, address)
    };
    let mut derived: Vec<Derivation> = wanted.lines().map(derivation).collect();
    let attacked = samples::every_attack(1, seeds() / 4).chain(samples::attacked_files(1, seeds() / 16));
    let swarm = samples::swarm_files(1, seeds() * 5).chain(probes::all(seeds() / 16));
    let groups = samples::cases().chain(attacked).chain(swarm);
    for group in groups {
        for column in &mut derived {
            column.add(&group);
        }
    }
    let path = testkit::repository().join("src/prediction/releases.tsv");
    fs::write(path, derive::table(&derived).text()).unwrap();
}

/// The options with which the C++ adapter loads files like an application with the default runtime build.
const APPLICATION: &str = "--stub-backends --application";

/// Counts of files, and the differences between predictions and observations.
#[derive(Default)]
struct Comparison {
    files: u32,
    unknown: u32,
    undefined: u32,
    right: u32,
    different: BTreeMap<String, u32>,
}

impl Comparison {
    fn add(&mut self, predicted: &Prediction, observed: RuntimeEffect) {
        self.files += 1;
        match (predicted, observed) {
            (Prediction::Unknown { .. }, _) => self.unknown += 1,
            (Prediction::Undefined { .. }, _) => self.undefined += 1,
            (Prediction::Loads, RuntimeEffect::Loads) => self.right += 1,
            (Prediction::Refuses { code, .. }, RuntimeEffect::Refuses(_, found)) if *code == found => self.right += 1,
            _ => *self.different.entry(format!("{predicted:?}, found {}", observed.cell())).or_default() += 1,
        }
    }
}

/// At least 99.5 % of the definite predictions must have the right verdict and error code. At most a third of the files
/// may have an undefined result, and for 1.5.x, at most 10 % may have no prediction. `TORCHPROOF_PREDICTIONS` asks for
/// the whole comparison, which includes 1.5.0 and requires the adapters of older releases. If it is not set, older
/// releases are compared only if their adapters are installed.
fn predictions_match_the_releases() {
    let is_whole = std::env::var_os("TORCHPROOF_PREDICTIONS").is_some();
    let mut readers = vec![("1.5.1".to_owned(), need::reader(built::RUNTIME))];
    if is_whole {
        readers.push(("1.5.0".to_owned(), need::reader(built::OLDER_RUNTIME)));
    }
    let older = EffectTable::get().releases().into_iter().filter_map(|release| {
        let version = release.to_string().split_once(':')?.1.to_owned();
        let worker = need::reader(&format!("executorch-binding-{version}/executorch-binding-worker"));
        let is_older = !version.starts_with("1.5.");
        (is_older && (is_whole || worker.is_file())).then_some((version, worker))
    });
    readers.extend(older);
    let mut wrong = Vec::new();
    for ((version, worker), level) in readers.iter().flat_map(|reader| Verification::ALL.map(|level| (reader, level))) {
        let release = format!("executorch:{version}").parse().unwrap();
        let column = EffectTable::get().of_release(release).find(|column| column.verification == level).unwrap();
        let is_binding = worker.to_string_lossy().contains("binding");
        let options =
            if is_binding { level.name().to_owned() } else { format!("--verification {} {APPLICATION}", level.name()) };
        let mut runtime =
            Runtime::open(&built::address(worker, &options), &format!("predict-{version}-{}", level.name()));
        let mut all = Comparison::default();
        for group in
            samples::cases().chain(samples::every_attack(UNSEEN, 10)).chain(samples::swarm_files(UNSEEN, seeds()))
        {
            for sample in std::iter::once(&group.base).chain(&group.edited) {
                if let Some(observed) = runtime.observe(sample) {
                    all.add(&predict(column, &sample.keys), observed);
                }
            }
        }
        let Comparison { files, unknown, undefined, right, different } = all;
        let definite = files - unknown - undefined;
        println!(
            "{version} {}: {files} files, {definite} definite ({right} right), {undefined} undefined, {unknown} unknown; {different:#?}",
            level.name()
        );
        let has_few_predictions = undefined * 3 > files || !is_binding && unknown * 10 > files;
        if right * 1000 < definite * 995 || has_few_predictions {
            wrong.push(format!("{version} {}", level.name()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
