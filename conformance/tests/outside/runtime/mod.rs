//! Compares the predictions of `check --runtime` with the behaviour of the releases, and derives the table of effects.
//!
//! To derive columns, set `TORCHPROOF_DERIVE` to one line per column: `1.5.1 minimal exec:COMMAND`. `TORCHPROOF_PREDICTIONS` is the
//! number of seeds. The comparison uses files that the derivation does not use.

mod derive;
mod observe;
mod samples;

use std::collections::BTreeMap;
use std::fs;

use libtest_mimic::Trial;
use torchproof::corpus::Role;
use torchproof::rules;
use torchproof_cli::runtime::{Prediction, RuntimeEffect, Table, Verification, predict};

use crate::built;
use crate::need::{self, Need, trials};
use derive::Derivation;
use observe::{Observed, Runtime};

pub(crate) fn trials() -> Vec<Trial> {
    let mut all =
        trials!([Need::Reader(built::RUNTIME), Need::Reader(built::OLDER_RUNTIME)]; predictions_match_the_releases);
    if std::env::var_os("TORCHPROOF_DERIVE").is_some() {
        all.extend(trials!([]; derive_columns));
    }
    all
}

/// The derivation uses only seeds below this number, and the comparison uses only larger seeds.
const UNSEEN: u64 = 1_000_000;

fn seeds() -> u64 {
    std::env::var("TORCHPROOF_PREDICTIONS").ok().map_or(20, |count| count.parse().unwrap())
}

/// Returns the programs and data files of official exporters.
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
        let release = torchproof_cli::runtime::Release::parse_version(version).unwrap();
        let verification = Verification::ALL.into_iter().find(|known| known.name() == level).unwrap();
        Derivation::new(release, verification, address)
    };
    let mut derived: Vec<Derivation> = wanted.lines().map(derivation).collect();
    let groups =
        samples::cases().chain(samples::attacked_files(1, seeds() / 4)).chain(samples::generated_files(1, seeds(), 6));
    for group in groups {
        for column in &mut derived {
            column.add(&group);
        }
    }
    let path = testkit::repository().join("conformance/src/runtime/releases.tsv");
    fs::write(path, derive::table(&derived).text()).unwrap();
}

/// Counts of files, and the differences between predictions and observations.
#[derive(Default)]
struct Comparison {
    files: u32,
    undefined: u32,
    verdicts: u32,
    refused: u32,
    codes: u32,
    different: BTreeMap<String, u32>,
    /// For each cause of an undefined prediction, the number of observations of each effect.
    by_cause: BTreeMap<&'static str, BTreeMap<RuntimeEffect, u32>>,
}

impl Comparison {
    fn add(&mut self, predicted: &Prediction, observed: RuntimeEffect) {
        self.files += 1;
        let matches = match (predicted, observed) {
            (Prediction::Undefined { cause }, _) => {
                self.undefined += 1;
                *self.by_cause.entry(*cause).or_default().entry(observed).or_default() += 1;
                return;
            }
            (Prediction::Loads, RuntimeEffect::Loads) => {
                self.verdicts += 1;
                true
            }
            (Prediction::Refuses { stage, code, .. }, RuntimeEffect::Refuses(found_stage, found)) => {
                self.verdicts += 1;
                self.refused += 1;
                self.codes += u32::from(*code == found);
                (*stage, *code) == (found_stage, found)
            }
            _ => false,
        };
        if !matches {
            *self.different.entry(format!("{predicted:?}, found {}", observed.cell())).or_default() += 1;
        }
    }
}

/// Returns whether the runtime skips the check of the rule `cause` at `level`. At the level `minimal`, a release does
/// not verify the FlatBuffer, so equal effects of many files are a coincidence.
fn is_unverified(cause: &str, level: Verification) -> bool {
    level == Verification::Minimal && rules::get(cause).is_some_and(|rule| rule.section == "flatbuffer")
}

/// At least 99.5 % of the predicted verdicts and 98 % of the predicted error codes must be right. The level `minimal` leaves more
/// files without a prediction, because the loader does not verify the FlatBuffer.
fn predictions_match_the_releases() {
    for (program, version) in [(built::RUNTIME, "1.5.1"), (built::OLDER_RUNTIME, "1.5.0")] {
        for (level, least) in Verification::ALL.into_iter().zip([40, 60]) {
            let release = format!("executorch:{version}").parse().unwrap();
            let column = Table::get().of_release(release).find(|column| column.verification == level).unwrap();
            let address = built::address(&need::reader(program), &format!("--verification {}", level.name()));
            let mut runtime = Runtime::open(&address, &format!("predict-{version}-{}", level.name()));
            let mut all = Comparison::default();
            let attacked = samples::attacked_files(UNSEEN, seeds() / 8 + 1);
            for group in attacked.chain(samples::generated_files(UNSEEN, seeds() / 2 + 1, 4)) {
                for sample in std::iter::once(&group.base).chain(&group.edited) {
                    if let Observed::RuntimeEffect(observed) = runtime.observe(sample) {
                        all.add(&predict(column, &sample.keys), observed);
                    }
                }
            }
            let Comparison { files, undefined, verdicts, refused, codes, different, by_cause } = all;
            let predicted = files - undefined;
            println!(
                "{version} {}: {files} files, {undefined} undefined, {verdicts} of {predicted} verdicts, {codes} of {refused} codes",
                level.name()
            );
            println!("{different:#?}");
            assert!(predicted * 100 >= files * least, "{predicted} of {files} files have a prediction");
            assert!(verdicts * 1000 >= predicted * 995, "{verdicts} of {predicted} verdicts: {different:#?}");
            assert!(codes * 100 >= refused * 98, "{codes} of {refused} codes: {different:#?}");
            for (cause, effects) in by_cause.iter().filter(|(cause, _)| !is_unverified(cause, level)) {
                let always_refused =
                    effects.len() == 1 && matches!(effects.keys().next(), Some(RuntimeEffect::Refuses(..)));
                let count: u32 = effects.values().sum();
                assert!(!always_refused || count < 30, "{version}: {cause} is undefined, found {effects:?}");
            }
        }
    }
}
