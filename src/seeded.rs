//! The inputs of property tests: the same ones at every run.
#![allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]

use std::format;
use std::fs;
use std::path::Path;
use std::string::String;
use std::vec::Vec;

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// The same cases at every run: `PROPTEST_RNG_SEED` asks for others, `PROPTEST_CASES` for more.
pub(crate) fn seeded() -> ProptestConfig {
    let asked = ProptestConfig::default();
    let rng_seed = if asked.rng_seed == RngSeed::Random { RngSeed::Fixed(4) } else { asked.rng_seed };
    ProptestConfig { rng_seed, failure_persistence: None, ..asked }
}

/// The blocks of property tests in a source that do not begin with the configuration, by line number.
fn unseeded(source: &str) -> Vec<usize> {
    let lines: Vec<_> = source.lines().map(str::trim).collect();
    let config = "#![proptest_config(seeded())]";
    let begins = |line: &str| line.starts_with("proptest! {") || line.starts_with("proptest::proptest! {");
    (1..=lines.len()).filter(|number| begins(lines[number - 1]) && lines.get(*number) != Some(&config)).collect()
}

/// The blocks in a folder's sources that do not begin with the configuration, and how many sources there are.
fn unseeded_in(folder: &Path, found: &mut Vec<String>) -> usize {
    let mut sources = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources += unseeded_in(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let lines = unseeded(&fs::read_to_string(&path).unwrap());
            found.extend(lines.into_iter().map(|line| format!("{}:{line}", path.display())));
            sources += 1;
        }
    }
    sources
}

#[test]
fn every_property_test_takes_the_same_inputs_at_every_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["src", "conformance/src", "conformance/tests"] {
        assert!(unseeded_in(&root.join(folder), &mut found) > 0, "{folder} has sources");
    }
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn a_block_without_the_configuration_is_found() {
    let block = |config: &str| format!("mod tests {{\n    proptest! {{\n{config}        #[test]\n    }}\n}}\n");
    assert_eq!(unseeded(&block("")), [2]);
    assert_eq!(unseeded(&block("        #![proptest_config(ProptestConfig::with_cases(128))]\n")), [2]);
    assert!(unseeded(&block("        #![proptest_config(seeded())]\n")).is_empty());
}
