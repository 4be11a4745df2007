use torchproof::attack::{self, Base};
use torchproof::check::Checker;
use torchproof::generate::{Config, GeneratedKind, generate};

use super::*;

/// The must- and should-rules that a file breaks, in the order in which they are found.
fn broken(bytes: &[u8]) -> Vec<&'static str> {
    let report = Checker::new().max_findings(usize::MAX).check(bytes);
    report.findings.iter().map(|finding| finding.rule.id).collect()
}

fn generated(kind: GeneratedKind, seed: u64) -> Vec<u8> {
    generate(kind, &Config::default(), seed).unwrap().remove(0).bytes
}

/// What an attack makes of a generated file.
fn attacked(kind: GeneratedKind, name: &str) -> (Vec<u8>, &'static str) {
    let attack = attack::find(name).unwrap();
    let bases = (0..200).map(|seed| Base::of(generated(kind, seed))).filter(|base| base.bytes().len() > 2000);
    let mut made = bases.filter_map(|base| attack.apply(&base, 7));
    (made.next().unwrap().bytes, attack.rule.unwrap().id)
}

/// Shrinks a file while the first rule that it breaks is this one.
fn shrunk(bytes: &[u8], rule: &str) -> Shrunk {
    shrink(bytes, Effort::default(), &mut |bytes| broken(bytes).first() == Some(&rule))
}

#[test]
fn what_a_file_says_is_taken_out_but_for_what_is_wrong() {
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
fn a_file_that_cannot_be_followed_is_cut_and_blanked() {
    for name in ["offsets/past-end", "magic/identifier-letters", "counts/huge", "truncation/program-inside-part"] {
        let (bytes, rule) = attacked(GeneratedKind::Pte, name);
        let shrunk = shrunk(&bytes, rule);
        assert_eq!(broken(&shrunk.bytes).first(), Some(&rule), "{name}");
        let (old, new) = (weight(&bytes), weight(&shrunk.bytes));
        assert!(shrunk.finished && 2 * new.1 < old.1 && new.0 <= old.0, "{name}: {old:?}, {new:?}");
    }
}

#[test]
fn what_is_finished_is_as_small_as_it_gets() {
    let (bytes, rule) = attacked(GeneratedKind::Pte, "references/operator");
    let once = shrunk(&bytes, rule);
    let twice = shrunk(&once.bytes, rule);
    assert_eq!(twice.bytes, once.bytes);
}

#[test]
fn no_more_is_tried_than_was_allowed() {
    let (bytes, rule) = attacked(GeneratedKind::Pte, "references/operator");
    let mut asked = 0;
    let effort = Effort { tries: 20, ..Effort::default() };
    let some = shrink(&bytes, effort, &mut |bytes| {
        asked += 1;
        broken(bytes).first() == Some(&rule)
    });
    assert_eq!((some.tries, asked, some.finished), (20, 20, false));
    assert!(broken(&some.bytes).first() == Some(&rule) && some.bytes.len() <= bytes.len());
    let none = shrink(&bytes, Effort { time: Duration::ZERO, ..Effort::default() }, &mut |_| true);
    assert_eq!((none.bytes, none.tries, none.finished), (bytes, 0, false));
}

#[test]
fn a_file_that_is_not_interesting_comes_back_as_it_is() {
    let file = generated(GeneratedKind::Ptd, 3);
    let shrunk = shrink(&file, Effort::default(), &mut |_| false);
    assert_eq!((shrunk.bytes, shrunk.finished), (file, true));
}

#[test]
fn a_file_of_nothing_is_as_small_as_it_gets() {
    let shrunk = shrink(&[], Effort::default(), &mut |_| true);
    assert_eq!((shrunk.bytes.len(), shrunk.finished), (0, true));
}
