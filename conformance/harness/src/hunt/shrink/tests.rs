use torchproof::attack::{self, Base};
use torchproof::check::Checker;
use torchproof::generate::{Config, GeneratedKind, generate};

use std::time::Duration;

use super::*;

/// Returns the must- and should-rules that a file breaks, in the order of the findings.
fn broken(bytes: &[u8]) -> Vec<&'static str> {
    let report = Checker::new().max_findings(usize::MAX).check(bytes);
    report.findings.iter().map(|finding| finding.rule.id).collect()
}

fn generated(kind: GeneratedKind, seed: u64) -> Vec<u8> {
    generate(kind, &Config::default(), seed).unwrap().remove(0).bytes
}

/// Applies an attack to a generated file.
fn attacked(kind: GeneratedKind, name: &str) -> (Vec<u8>, &'static str) {
    let attack = attack::find(name).unwrap();
    let bases = (0..200).map(|seed| Base::of(generated(kind, seed))).filter(|base| base.bytes().len() > 2000);
    let mut made = bases.filter_map(|base| attack.apply(&base, 7));
    (made.next().unwrap().bytes, attack.rule.unwrap().id)
}

/// Shrinks a file as long as `rule` is the first rule that it breaks.
fn shrunk(bytes: &[u8], rule: &str) -> ShrinkResult {
    shrink(bytes, Effort::default(), &mut |bytes| broken(bytes).first() == Some(&rule))
}

#[test]
fn removes_content_but_keeps_the_defect() {
    for (kind, name, most) in [
        (GeneratedKind::Pte, "references/operator", 448),
        (GeneratedKind::Pte, "counts/rank", 448),
        (GeneratedKind::Ptd, "duplicates/data-key", 448),
        (GeneratedKind::PtdLegacy, "duplicates/older-name", 448),
    ] {
        let (bytes, rule) = attacked(kind, name);
        let shrunk = shrunk(&bytes, rule);
        assert_eq!(broken(&shrunk.bytes).first(), Some(&rule), "{name}");
        assert!(shrunk.finished && shrunk.bytes.len() < most, "{name}: {} of {}", shrunk.bytes.len(), bytes.len());
    }
}

#[test]
fn truncates_and_zeroes_a_file_that_cannot_be_decoded() {
    for name in ["offsets/past-end", "magic/identifier-letters", "counts/huge", "truncation/program-inside-part"] {
        let (bytes, rule) = attacked(GeneratedKind::Pte, name);
        let shrunk = shrunk(&bytes, rule);
        assert_eq!(broken(&shrunk.bytes).first(), Some(&rule), "{name}");
        let (old, new) = (weight(&bytes), weight(&shrunk.bytes));
        assert!(shrunk.finished && 2 * new.1 < old.1 && new.0 <= old.0, "{name}: {old:?}, {new:?}");
    }
}

#[test]
fn shrinking_a_finished_file_changes_nothing() {
    let (bytes, rule) = attacked(GeneratedKind::Pte, "references/operator");
    let once = shrunk(&bytes, rule);
    let twice = shrunk(&once.bytes, rule);
    assert_eq!(twice.bytes, once.bytes);
}

#[test]
fn tries_no_more_candidates_than_allowed() {
    let (bytes, rule) = attacked(GeneratedKind::Pte, "references/operator");
    let mut calls = 0;
    let effort = Effort { tries: 20, ..Effort::default() };
    let some = shrink(&bytes, effort, &mut |bytes| {
        calls += 1;
        broken(bytes).first() == Some(&rule)
    });
    assert_eq!((some.tries, calls, some.finished), (20, 20, false));
    assert!(broken(&some.bytes).first() == Some(&rule) && some.bytes.len() <= bytes.len());
    let none = shrink(&bytes, Effort { time: Duration::ZERO, ..Effort::default() }, &mut |_| true);
    assert_eq!((none.bytes, none.tries, none.finished), (bytes, 0, false));
}

#[test]
fn returns_an_uninteresting_file_unchanged() {
    let file = generated(GeneratedKind::Ptd, 3);
    let shrunk = shrink(&file, Effort::default(), &mut |_| false);
    assert_eq!((shrunk.bytes, shrunk.finished), (file, true));
}

#[test]
fn shrinks_an_empty_file_to_itself() {
    let shrunk = shrink(&[], Effort::default(), &mut |_| true);
    assert_eq!((shrunk.bytes.len(), shrunk.finished), (0, true));
}

#[test]
fn an_attack_on_a_large_base_moves_to_a_small_base() {
    let attack = attack::find("offsets/past-end").unwrap();
    let bases = (0..200).map(|seed| generated(GeneratedKind::Pte, seed));
    let base = bases.max_by_key(Vec::len).unwrap();
    let bytes = attack.apply(&Base::of(base.clone()), 7).unwrap().bytes;
    let rule = attack.rule.unwrap().id;
    let origin = Origin { base, attack };
    let mut interesting = |files: &[&[u8]]| broken(files[0]).first() == Some(&rule);
    let effort = Effort { tries: 40, ..Effort::default() };
    let shrunk = shrink_together(std::slice::from_ref(&bytes), Some((0, &origin)), effort, &mut interesting);
    assert!(interesting(&[&shrunk[0]]));
    assert!(shrunk[0].len() < 1024 && bytes.len() > 8192, "{} of {}", shrunk[0].len(), bytes.len());
}
