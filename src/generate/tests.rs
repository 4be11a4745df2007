//! Tests that every configuration produces valid files.
#![allow(clippy::unwrap_used, reason = "a broken fixture ends the test")]

mod occurring_names;

use std::collections::BTreeSet;
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use occurring_names::OccurringNames;
use sha2::{Digest, Sha256};

use super::*;
use crate::flatbuffer::Str;
use crate::metadata::Encoding;
use crate::pte::Pte;
use crate::pte::schema::InstructionArgumentsValue as Call;
use crate::pte::signatures::{Output, SIGNATURES};
use crate::write::tests::broken;

/// `TORCHPROOF_FILES` sets the number of seeds per kind of file.
fn seeds(usual: u64) -> core::ops::Range<u64> {
    0..std::env::var("TORCHPROOF_FILES").map_or(usual, |count| count.parse().unwrap())
}

fn expect_valid(kind: GeneratedKind, config: &Config, seed: u64) {
    for file in generate(kind, config, seed).unwrap() {
        let findings = broken(&file.bytes);
        assert!(findings.is_empty(), "{} {seed} {config:#?}: {findings:#?}", kind.name());
    }
}

#[test]
fn default_files_break_no_rule() {
    for kind in GeneratedKind::ALL {
        for seed in seeds(150) {
            expect_valid(kind, &Config::default(), seed);
        }
    }
}

#[cfg(feature = "arbitrary")]
#[test]
fn files_of_every_configuration_break_no_rule() {
    for seed in seeds(300) {
        let config = Config::swarm(seed);
        for kind in GeneratedKind::ALL {
            expect_valid(kind, &config, seed);
        }
    }
}

/// Enables everything that the default configuration omits.
fn everything() -> Config {
    Config {
        generations: Generation::ALL.to_vec(),
        metadata_encodings: Encoding::ALL.to_vec(),
        unbounded: 20,
        far: 20,
        devices: 40,
        stack_traces: 50,
        ..Config::default()
    }
}

fn called(bytes: &[u8]) -> Vec<String> {
    let pte = Pte::open(bytes).unwrap();
    let mut names = Vec::new();
    for method in pte.methods().map(Result::unwrap) {
        let operators: Vec<_> = method.operators().map(Result::unwrap).collect();
        for instruction in method.instructions().map(Result::unwrap) {
            let Some(Call::KernelCall(call)) = instruction.instr_args().unwrap() else { continue };
            let operator = operators[usize::try_from(call.op_index().unwrap()).unwrap()];
            let part = |text: Option<Str<'_>>| {
                text.map_or_else(String::new, |text| String::from_utf8_lossy(text.as_bytes()).into_owned())
            };
            let (name, overload) = (part(operator.name().unwrap()), part(operator.overload().unwrap()));
            names.push(if overload.is_empty() { name } else { format!("{name}.{overload}") });
        }
    }
    names
}

#[test]
fn calls_every_operator_of_the_runtime_that_writes_a_value() {
    let mut missing: BTreeSet<&str> =
        SIGNATURES.iter().filter(|own| own.output != Output::Tensor).map(|own| own.name).collect();
    for seed in 0..400 {
        let program = generate(GeneratedKind::Pte, &Config::default(), seed).unwrap().remove(0);
        called(&program.bytes).iter().for_each(|name| {
            missing.remove(name.as_str());
        });
    }
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_field_and_enum_value_occurs() {
    let config = Config { explicit_zeros: 5, ..everything() };
    let mut occurring = OccurringNames::default();
    for kind in GeneratedKind::ALL {
        for seed in 0..100 {
            expect_valid(kind, &config, seed);
        }
        for seed in 0..400 {
            generate(kind, &config, seed).unwrap().iter().for_each(|file| {
                occurring.add(&file.bytes);
            });
        }
    }
    assert_eq!(occurring.absent().collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn minimal_configuration_gives_the_smallest_files() {
    let mut config = Config::default();
    for setting in Config::SETTINGS {
        config.set(setting.name, if setting.kind == "Choice" { "all" } else { "0" }).unwrap();
    }
    config.generations = vec![Generation::Inline];
    for kind in GeneratedKind::ALL {
        expect_valid(kind, &config, 1);
    }
    let lengths: Vec<usize> =
        GeneratedKind::ALL.iter().map(|kind| generate(*kind, &config, 1).unwrap()[0].bytes.len()).collect();
    insta::assert_debug_snapshot!(lengths);
}

#[test]
fn limits_hold_for_huge_settings() {
    let mut config = Config::default();
    for setting in Config::SETTINGS {
        match setting.kind {
            "Count" => config.set(setting.name, &format!("0..{}", u32::MAX)).unwrap(),
            "Percent" => config.set(setting.name, "50").unwrap(),
            _ => config.set(setting.name, "all").unwrap(),
        }
    }
    config = Config { tables: 800..=800, data_bytes: 20_000..=20_000, elements: 1..=10_000, ..config };
    for kind in GeneratedKind::ALL {
        for seed in 0..5 {
            expect_valid(kind, &config, seed);
            for file in generate(kind, &config, seed).unwrap() {
                let tables = OccurringNames::default().add(&file.bytes);
                assert!(tables <= 820, "{} {seed}: {tables}", kind.name());
            }
        }
    }
}

#[test]
fn a_seed_gives_the_same_bytes() {
    let digest = |kind: GeneratedKind, config: &Config, seed| {
        let mut all = Sha256::new();
        generate(kind, config, seed).unwrap().iter().for_each(|file| all.update(&file.bytes));
        all.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    let mut lines = Vec::new();
    for kind in GeneratedKind::ALL {
        for seed in [0, 1, u64::MAX] {
            let [usual, all] = [Config::default(), everything()].map(|config| digest(kind, &config, seed));
            lines.push(format!("{} {seed}: {usual} {all}", kind.name()));
        }
    }
    insta::assert_debug_snapshot!(lines);
}

#[test]
fn every_setting_round_trips_as_text() {
    let mut config = Config::default();
    for setting in Config::SETTINGS {
        let text = config.get(setting.name).unwrap();
        config.set(setting.name, &text).unwrap();
        assert!(!setting.doc.trim().is_empty());
    }
    assert_eq!(config, Config::default());
    assert_eq!(config.get("no_such"), None);
    let mut error = |name, value| config.set(name, value).unwrap_err().to_string();
    let errors = [
        error("no_such", "1"),
        error("methods", "8..2"),
        error("metadata_encodings", "strict,NONE"),
        error("far", "101"),
    ];
    insta::assert_snapshot!(errors.join("\n"));
    for (text, same) in [("2..=8", "2..8"), ("1_000", "1000"), (" 3 ", "3")] {
        config.set("methods", text).unwrap();
        assert_eq!(config.get("methods").unwrap(), same);
    }
    config.set("scalar_types", "float, INT,INT").unwrap();
    assert_eq!(config.get("scalar_types").unwrap(), "INT,FLOAT");
}
