//! Tests that the checker agrees with every label, for every attack and base.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::collections::{BTreeMap, BTreeSet};

use super::{Attack, AttackedFile, Base, Effect, Selection, all, base, compose, draw, families, find};
use crate::Span;
use crate::corpus::Verdict;
use crate::generate::{self, Config, generate};
use crate::real_files::{real_file, real_files};
use crate::rules::{Rule, Strength, Subject};

struct NamedBase {
    name: String,
    base: Base,
}

/// The number of generated files per kind. Half of them have default settings, and the other half have random ones.
fn seeds() -> u64 {
    let files: Option<u64> = std::env::var("TORCHPROOF_FILES").ok().map(|count| count.parse().unwrap());
    files.map_or(8, |files| (files / 64).max(8))
}

fn settings(seed: u64) -> Config {
    #[cfg(feature = "arbitrary")]
    if seed % 2 == 1 {
        return Config::swarm(seed);
    }
    let _ = seed;
    Config::default()
}

fn bases() -> Vec<NamedBase> {
    let cases = crate::corpus::all().filter(|case| case.verdict != Verdict::Reject);
    let cases = cases.map(|case| (case.id.to_string(), case.build().bytes));
    let all = cases.chain(real_files());
    let seeds = generate::GeneratedKind::ALL.into_iter().flat_map(|kind| (0..seeds()).map(move |seed| (kind, seed)));
    let made = seeds.flat_map(|(kind, seed)| {
        let files = generate(kind, &settings(seed), seed).unwrap().into_iter();
        files.map(move |file| (format!("{} {seed}.{}", kind.name(), file.extension), file.bytes))
    });
    let all = all.chain(made);
    let all = all.map(|(name, bytes)| NamedBase { name, base: Base::of(bytes) });
    all.filter(|named| named.base.is_accepted()).collect()
}

fn complaint(name: &str, attack: &str, seed: u64, attacked: &AttackedFile, why: &str) -> String {
    let mut text = format!("{attack} on {name}, seed {seed}: {why}; the attack changed {}\n", attacked.label.path);
    let report = crate::check::Checker::new().target(attacked.label.target).check(&attacked.bytes);
    for finding in &report.findings {
        text += &format!("    {finding}\n");
    }
    text
}

fn expect_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} disagreements:\n{}", wrong.len(), wrong[..wrong.len().min(10)].join("\n"));
}

/// Each base has its own seeds, so that all bases together cover every variant of an attack.
const SEEDS: u64 = 1;

/// Attacks that exhaust the checker's limits, each applied to only two bases.
const SLOW: &[&str] = &["aliasing/call-stacks"];

/// Files that expand through sharing. They take as long as all other files together, so they get only the `hidden`
/// family and a tenth of the other attacks.
const SHARED: &[&str] = &["pte/limits/a-million-tables"];

#[test]
fn checker_agrees_with_every_label_and_every_attack_applies() {
    let (mut wrong, mut places) = (Vec::new(), BTreeMap::<&str, u32>::new());
    let mut weak = BTreeMap::<&str, u32>::new();
    for (index, NamedBase { name, base }) in (0..).zip(&bases()) {
        for (number, attack) in all().enumerate() {
            if SHARED.contains(&name.as_str()) && attack.family() != "hidden" && number % 10 != 0 {
                continue;
            }
            let mut complained = false;
            for seed in SEEDS * index..SEEDS * (index + 1) {
                if SLOW.contains(&attack.name) && places.get(attack.name).is_some_and(|times| *times > 1) {
                    break;
                }
                let Some(attacked) = attack.apply(base, seed) else { continue };
                *places.entry(attack.name).or_default() += 1;
                *weak.entry(attack.name).or_default() += u32::from(attacked.label.effect != attack.effect);
                assert_ne!(attacked.bytes, base.bytes(), "{} on {name}", attack.name);
                if let Some(why) = attacked.disagreement().filter(|_| !complained) {
                    wrong.push(complaint(name, attack.name, seed, &attacked, &why));
                    complained = true;
                }
            }
        }
    }
    expect_none(&wrong);
    let dead: Vec<&str> = all().map(|attack| attack.name).filter(|name| !places.contains_key(name)).collect();
    assert!(dead.is_empty(), "no case, real file or generated file has the field that {dead:?} changes: add a case");
    // An attack whose effect is unknown more than a quarter of the time is too imprecise.
    let vague: Vec<_> = weak.iter().filter(|(name, times)| 4 * **times > places[*name]).collect();
    assert!(vague.is_empty(), "too often, the effect is unknown: narrow the choice of the field in {vague:?}");
}

/// The must-rules that no attack breaks, each with the reason.
const WITHOUT_ATTACK: &[(&str, &str)] = &[
    ("fb-max-size", "needs a FlatBuffer of 2 GiB"),
    ("eh-target-32", "needs a file of more than 4 GiB"),
    ("fh-target-32", "needs a file of more than 4 GiB"),
    ("nd-cross-file-unique", "needs a program and its data files, but an attack changes only one file"),
    ("x-external-found", "needs a program and its data files"),
    ("x-external-layout", "needs a program and its data files"),
    ("x-xnn-key-found", "needs a program and its data files"),
];

#[test]
fn every_must_rule_of_files_has_an_attack_that_breaks_it() {
    let broken: BTreeSet<&str> = all().filter_map(|attack| attack.rule).map(|rule| rule.id).collect();
    let of_files = |rule: &&Rule| rule.strength == Strength::Must && rule.subject == Subject::File;
    let without: BTreeSet<&str> =
        crate::rules::all().filter(of_files).map(|rule| rule.id).filter(|id| !broken.contains(id)).collect();
    let excused: BTreeSet<&str> = WITHOUT_ATTACK.iter().map(|(id, _)| *id).collect();
    let [missing, stale] = [&without - &excused, &excused - &without];
    assert!(missing.is_empty(), "no attack breaks {missing:?}: declare one in a file of src/attack");
    assert!(stale.is_empty(), "remove from WITHOUT_ATTACK in src/attack/tests.rs: {stale:?}");
}

#[test]
fn attack_names_are_unique_and_descriptions_are_sentences() {
    let mut seen = BTreeSet::new();
    for family in families() {
        assert!(!family.attacks.is_empty() && family.description.ends_with('.'), "{}", family.name);
        for attack in family.attacks {
            assert!(seen.insert(attack.name), "{} twice", attack.name);
            assert_eq!(attack.family(), family.name, "{}", attack.name);
            let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-/".contains(&byte);
            assert!(attack.name.bytes().all(plain), "{}", attack.name);
            assert!(attack.description.ends_with('.'), "{}: {}", attack.name, attack.description);
            assert_eq!(find(attack.name).map(|found| found.name), Some(attack.name));
            assert_eq!(attack.rule.is_some(), attack.effect == Effect::Breaks, "{}", attack.name);
        }
    }
}

#[test]
fn checker_agrees_with_the_labels_of_composed_attacks() {
    let mut wrong = Vec::new();
    let mut effects = BTreeSet::new();
    for (seed, NamedBase { name, base }) in (0..).zip(&bases()) {
        for seed in [2 * seed, 2 * seed + 1] {
            let selection = Selection { depth: 2 + u32::try_from(seed % 3).unwrap(), ..Selection::default() };
            let attacked = draw(base, &selection, seed).unwrap();
            effects.insert(attacked.label.effect.name());
            if let Some(why) = attacked.disagreement() {
                wrong.push(complaint(name, attacked.label.attack, seed, &attacked, &why));
            }
        }
    }
    expect_none(&wrong);
    assert_eq!(effects.len(), 3, "{effects:?}");
}

#[test]
fn label_has_the_position_of_the_changed_bytes() {
    let bytes = real_file("linear.pte");
    let base = Base::of(bytes.clone());
    let apply = |name: &str| find(name).unwrap().apply(&base, 3).unwrap();
    let operator = apply("references/operator");
    let place = base::range(operator.label.span);
    assert_ne!(operator.bytes[place.clone()], bytes[place]);
    assert_eq!(operator.label.span.len, 4);

    // The base stores no schema version, so the attack adds the field, and the label says where.
    let version = apply("magic/program-schema-version");
    assert_eq!(version.label.path, "version");
    let value = &version.bytes[base::range(version.label.span)];
    let opened = crate::pte::Pte::open(&version.bytes).unwrap();
    assert_eq!(value, opened.program().version().unwrap().to_le_bytes());

    // A later attack that moves bytes also moves the label's span.
    let steps: Vec<&Attack> = ["references/operator", "magic/program-schema-version", "hidden/size-prefix"]
        .map(|name| find(name).unwrap())
        .to_vec();
    let two = compose(&base, &steps[..2], 3).unwrap();
    assert_eq!((two.label.attack, two.label.effect), ("references/operator", Effect::Breaks));
    let all = compose(&base, &steps, 3).unwrap();
    // After the third attack, the checker does not read the first two attacks' fields.
    assert_eq!((all.label.attack, all.label.span), ("hidden/size-prefix", Span::new(0, 4)));
}

#[test]
fn same_seed_gives_the_same_file() {
    let bases = bases();
    let named = &bases[bases.len() - 1];
    for attack in all() {
        let made = |base: &Base| attack.apply(base, 9);
        assert_eq!(made(&named.base), made(&Base::of(named.base.bytes().to_vec())), "{}", attack.name);
    }
}

/// For rejected files, a label contains only what the checker reports for the attacked file.
#[test]
fn rejected_files_can_be_attacked() {
    let mut wrong = Vec::new();
    for (index, case) in (0..).zip(crate::corpus::all().filter(|case| case.verdict == Verdict::Reject)) {
        let base = Base::of(case.build().bytes);
        // Some `reject` cases are invalid only together with their companions; the checker accepts them alone.
        if base.is_accepted() {
            continue;
        }
        for (seed, attack) in (0..).zip(all()) {
            if (seed + index) % 5 != 0 || SLOW.contains(&attack.name) {
                continue;
            }
            let Some(attacked) = attack.apply(&base, seed) else { continue };
            assert_ne!(attacked.label.effect, Effect::Preserves, "{} on {}", attack.name, case.id);
            if let Some(why) = attacked.disagreement() {
                wrong.push(complaint(case.id, attack.name, seed, &attacked, &why));
            }
        }
    }
    expect_none(&wrong);
}
