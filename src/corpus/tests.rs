//! Tests the corpus.
//!
//! Each case must have exactly the declared defect. Its control, the valid file that it edits, must have none. Every
//! rule, malformed pattern and schema field must have a case.

mod fields;
mod findings;

use alloc::string::String;
use alloc::vec::Vec;
use std::collections::{BTreeMap, BTreeSet};

use super::{Case, Role, UNTESTED_RULES, Verdict, all, find};
use crate::check::{Checker, Finding, Report, Target};
use crate::rules::{Rule, Strength, Subject};

/// Returns the report on a case, or on the first of its data files that the checker rejects.
fn checked(case: &Case, bytes: &[u8], target: Target) -> Report {
    let data: Vec<Vec<u8>> = case.companions().iter().map(|id| find(id).unwrap().build().bytes).collect();
    let checker = || Checker::new().target(target).max_findings(usize::MAX);
    let report = data.iter().fold(checker(), |checker, data| checker.with(data)).check(bytes);
    report.rejected_companion.map_or(report, |index| checker().check(&data[index]))
}

#[test]
fn ids_are_unique_and_well_formed() {
    let mut seen = BTreeSet::new();
    for case in all() {
        assert!(seen.insert(case.id), "{} twice", case.id);
        let parts: Vec<&str> = case.id.split('/').collect();
        assert_eq!(parts.len(), 3, "{}", case.id);
        assert!(["pte", "ptd", "ptd-legacy", "bpte"].contains(&parts[0]), "{}", case.id);
        let slug =
            |part: &str| part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        assert!(parts.iter().all(|part| !part.is_empty() && slug(part)), "{}", case.id);
        assert!(!case.title.ends_with('.') && !case.title.is_empty(), "{}", case.id);
        assert!(case.why().ends_with('.'), "{}: {}", case.id, case.why());
    }
    assert!(seen.len() >= 60, "only {} cases", seen.len());
}

#[test]
fn every_case_has_a_unique_explanation() {
    let mut seen = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in all() {
        let why = case.why();
        let text = why.strip_suffix('.').unwrap_or(&why);
        if text.to_lowercase() == case.title.to_lowercase() {
            wrong.push(alloc::format!("{} repeats its title", case.id));
        }
        let other = *seen.entry(why).or_insert(case.id);
        if other != case.id {
            wrong.push(alloc::format!("{} has the explanation of {other}", case.id));
        }
    }
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
}

/// Cases that break their rule in several places, each with the reason.
const SPREAD: &[(&str, &str)] = &[
    ("ptd/header/data-size-0", "the data is empty, so every segment is outside it"),
    ("ptd/header/base-0-and-data-size-0", "the data is empty, so every segment is outside it"),
    ("ptd/structure/vtable-length-0", "two tables share the vtable"),
    ("ptd/structure/vtable-length-odd", "two tables share the vtable"),
    ("ptd-legacy/tensors/name-absent", "two tables share the vtable"),
    ("ptd-legacy/layout/sizes-absent", "two tables share the vtable"),
    ("ptd-legacy/layout/dim-order-absent", "two tables share the vtable"),
];

#[test]
fn every_case_matches_its_verdict_and_rule() {
    let mut wrong = Vec::new();
    for case in all() {
        let report = checked(case, &case.build().bytes, case.target.unwrap_or_default());
        let found = &report.findings;
        let (hard, soft): (Vec<&Finding>, Vec<&Finding>) =
            found.iter().partition(|found| found.rule.strength == Strength::Must);
        let ids = |found: &[&Finding]| found.iter().map(|found| found.rule.id).collect::<BTreeSet<&str>>();
        let (musts, others, must) = (ids(&hard), ids(&soft), hard.len());
        let spread = SPREAD.iter().any(|(id, _)| *id == case.id);
        let lines: String = found.iter().map(|finding| alloc::format!("\n    {finding}")).collect();
        if case.verdict == Verdict::Reject && (must > 1) != spread {
            wrong.push(alloc::format!("{}: only cases in SPREAD may have several must-findings{lines}", case.id));
        }
        let ok = match case.verdict {
            Verdict::Reject => case.rule.strength == Strength::Must && musts == BTreeSet::from([case.rule.id]),
            Verdict::Accept => {
                let target32 = checked(case, &case.build().bytes, Target::Bits32);
                report.accepts() && found.is_empty() && target32.accepts() == case.target.is_none()
            }
            Verdict::Either if case.target == Some(Target::Bits32) => {
                let target64 = checked(case, &case.build().bytes, Target::Bits64);
                let broken = if case.rule.strength == Strength::Must { &musts } else { &others };
                target64.accepts()
                    && target64.findings.is_empty()
                    && *broken == BTreeSet::from([case.rule.id])
                    && must < 2
            }
            Verdict::Either => {
                report.accepts() && case.rule.strength != Strength::Must && others.contains(case.rule.id)
            }
        };
        if !ok {
            let declared = alloc::format!("{}: `{}` for {}", case.id, case.verdict.name(), case.rule.id);
            wrong.push(alloc::format!("{declared}, but src/check reports {} findings{lines}", found.len()));
        }
    }
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_control_is_accepted_and_differs_only_by_the_edits() {
    for case in all() {
        let built = case.build();
        let Some(base) = case.base else {
            assert!(built.edits.is_empty() && case.verdict != Verdict::Reject, "{}", case.id);
            continue;
        };
        let control = find(base).unwrap_or_else(|| panic!("{} has no base {base}", case.id));
        // A reject case's control must be an accept case. If readers may reject the control, rejecting the case proves
        // nothing.
        let wanted = case.verdict != Verdict::Reject || control.verdict == Verdict::Accept;
        assert!(wanted && control.verdict != Verdict::Reject, "{}: its control is {base}", case.id);
        let mut bytes = control.build().bytes;
        assert!(checked(control, &bytes, Target::Bits64).accepts(), "{}: its control {base} is not accepted", case.id);
        let same_data = case.companions() == control.companions();
        assert!(!(built.edits.is_empty() && same_data), "{} changes nothing", case.id);
        for edit in &built.edits {
            let at = usize::try_from(edit.at).unwrap();
            let end = at + edit.was.len();
            assert_eq!(bytes[at..end], edit.was, "{}: the edits do not match the control", case.id);
            bytes.splice(at..end, edit.now.iter().copied());
        }
        assert!(bytes == built.bytes, "{}: the edits do not produce the case's bytes", case.id);
        assert!(!same_data || bytes != control.build().bytes, "{} equals its control: {:?}", case.id, built.edits);
    }
}

#[test]
fn companions_are_accepted_data_files() {
    for case in all() {
        for companion in case.companions() {
            let companion = find(companion).unwrap_or_else(|| panic!("{companion} does not exist"));
            let defect = (case.verdict, case.rule) == (companion.verdict, companion.rule);
            assert!(companion.role() == Role::Data && (companion.verdict == Verdict::Accept || defect), "{companion}");
        }
    }
    assert_eq!(find("pte/valid/external-in-two-files").unwrap().companions().len(), 2);
}

#[test]
fn verdict_allows_its_outcomes() {
    for (verdict, accepted, rejected) in
        [(Verdict::Accept, true, false), (Verdict::Reject, false, true), (Verdict::Either, true, true)]
    {
        assert_eq!((verdict.allows(true), verdict.allows(false)), (accepted, rejected), "{verdict:?}");
    }
}

/// Each must-rule needs a case that breaks only this rule; any other rule needs an `either` case.
#[test]
fn every_rule_of_files_has_a_case() {
    let breaks = |case: &&Case| case.verdict == Verdict::Reject || case.target == Some(Target::Bits32);
    let broken: BTreeSet<&str> = all().filter(breaks).map(|case| case.rule.id).collect();
    let shown: BTreeSet<&str> = all().filter(|case| case.verdict == Verdict::Either).map(|case| case.rule.id).collect();
    let excused: BTreeSet<&str> = UNTESTED_RULES.iter().map(|(id, _)| *id).collect();
    let rules = crate::rules::all().filter(|rule| rule.subject == Subject::File);
    let has_case = |rule: &&Rule| if rule.strength == Strength::Must { &broken } else { &shown }.contains(rule.id);
    let without: BTreeSet<&str> = rules.filter(|rule| !has_case(rule)).map(|rule| rule.id).collect();
    let [missing, stale] = [&without - &excused, &excused - &without];
    assert!(missing.is_empty(), "no case breaks {missing:?}: declare one in a file of src/corpus");
    assert!(stale.is_empty(), "{stale:?} has a case or is no rule: remove it from UNTESTED_RULES in src/corpus/mod.rs");
}

/// The first letters of the malformed patterns' ids, and how many patterns have each letter.
const PATTERNS: &[(char, u32)] = &[
    ('H', 15),
    ('F', 15),
    ('P', 11),
    ('T', 15),
    ('M', 8),
    ('V', 7),
    ('I', 13),
    ('D', 10),
    ('S', 13),
    ('X', 14),
    ('B', 3),
    ('L', 8),
    ('K', 1),
    ('E', 3),
    ('Y', 2),
];

/// Malformed patterns that cannot have a case, each with the reason.
const OUT_OF_REACH: &[(&str, &str)] = &[
    ("X-14", "a caller's error: a call with a wrong buffer size"),
    ("B-03", "a fault in a helper function of one runner, not in a file"),
    ("E-03", "a valid file whose model behaves badly"),
    ("L-01", "inside a delegate's blob, which only the backend reads"),
    ("L-02", "inside a delegate's blob"),
    ("L-03", "inside a delegate's blob"),
    ("L-04", "inside a delegate's blob"),
    ("L-05", "inside a delegate's blob"),
    ("L-06", "inside a delegate's blob"),
    ("L-07", "inside a delegate's blob"),
    ("L-08", "inside a delegate's blob"),
];

#[test]
fn every_known_pattern_has_a_case() {
    let tested: BTreeSet<&str> = all().flat_map(|case| case.rule.explanation().refs).copied().collect();
    let ids =
        PATTERNS.iter().flat_map(|(letter, count)| (1..=*count).map(move |row| alloc::format!("{letter}-{row:02}")));
    let excused = |id: &str| OUT_OF_REACH.iter().any(|(row, _)| *row == id);
    let missing: Vec<String> = ids.filter(|id| !tested.contains(id.as_str()) && !excused(id)).collect();
    assert!(missing.is_empty(), "no case shows {missing:?}");
}
