//! Tests that for each rule, a file that breaks the rule by one edit of a plainly good file is not plainly good.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::edits::{EDITS, edited};
use super::{outcome, plain};
use crate::check::{Checker, Options, Target};
use crate::corpus::{Case, all, find};
use crate::rules::{Rule, Strength, Subject};

const LARGE: &str = "needs a file of more than 2 GiB";
const SEVERAL: &str = "concerns several files, which the checker compares after both passes";

/// The ids of the must-rules and should-rules without such a file, each with the reason.
const WITHOUT_NEAR_FILE: &[(&str, &str)] = &[
    ("eh-target-32", LARGE),
    ("fb-max-size", LARGE),
    ("fh-target-32", LARGE),
    ("nd-cross-file-unique", SEVERAL),
    ("x-external-found", SEVERAL),
    ("x-external-layout", SEVERAL),
    ("x-xnn-key-found", SEVERAL),
];

/// The rules whose edit also breaks another rule. The pass could omit the condition of such a rule, and still reject the
/// edited file because of the other rule.
const WITH_OTHER_RULES: &[&str] = &[
    "const-buffer-legacy",
    "del-empty-inline",
    "del-xnn-size",
    "fb-force-align",
    "ins-jump-cond-data",
    "mut-distinct",
    "mut-needs-header",
    "plan-ncb-device",
    "seg-first-zero",
];

/// Whether the rule applies only to files that the plain pass does not know: the legacy layout and bundled programs.
fn is_of_other_files(rule: &Rule) -> bool {
    rule.id.starts_with("ptdB-") || rule.id.starts_with("bp-")
}

fn is_plain_case(case: &Case) -> bool {
    plain(&case.build().bytes, &Options::default()).is_some()
}

/// The ids of the rules that a file breaks.
fn broken(file: &[u8], target: Target) -> Vec<&'static str> {
    let report = Checker::new().target(target).check(file);
    report.findings.iter().map(|finding| finding.rule.id).collect()
}

#[test]
fn every_edit_of_a_plainly_good_file_breaks_its_rule() {
    let mut wrong: Vec<String> = Vec::new();
    for edit in EDITS {
        let (rule, base, _) = edit;
        let found =
            edited(edit).map(|file| (broken(&file, Target::Bits64), plain(&file, &Options::default()).is_some()));
        let breaks = |found: &[&str]| {
            found.contains(rule) && found.iter().any(|other| other != rule) == WITH_OTHER_RULES.contains(rule)
        };
        let is_right = found.as_ref().is_ok_and(|(found, plain)| breaks(found) && !plain);
        if !is_right || !is_plain_case(find(base).unwrap()) {
            wrong.push(format!("{rule} on {base}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_rule_has_a_file_one_edit_from_a_plainly_good_file() {
    let cases = all().filter(|case| case.base.and_then(find).is_some_and(is_plain_case));
    let mut covered: BTreeSet<&str> =
        cases.flat_map(|case| broken(&case.build().bytes, case.target.unwrap_or_default())).collect();
    covered.extend(EDITS.iter().map(|(rule, ..)| rule));
    let rules = crate::rules::all().filter(|rule| rule.subject == Subject::File && rule.strength != Strength::May);
    let without: BTreeSet<&str> =
        rules.filter(|rule| !is_of_other_files(rule) && !covered.contains(rule.id)).map(|rule| rule.id).collect();
    assert_eq!(without, WITHOUT_NEAR_FILE.iter().map(|(id, _)| *id).collect());
}

#[test]
fn no_case_with_a_finding_is_plainly_good() {
    for case in all() {
        let options = Options::default().target(case.target.unwrap_or_default());
        let file = case.build().bytes;
        assert!(outcome(&file, &options, false).findings == 0 || plain(&file, &options).is_none(), "{case}");
    }
}
