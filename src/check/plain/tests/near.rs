//! Tests that for each rule, a file that breaks the rule by one edit of a plainly good file is not plainly good.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::{outcome, plain};
use crate::check::{Checker, Options, Target};
use crate::corpus::{Case, all, find};
use crate::rules::{Rule, Strength, Subject};

/// The reason of rules whose cases in the corpus edit files with rare features.
const OTHER_BASE: &str = "the cases of the rule edit files with features that the pass does not know";

/// The ids of the must-rules and should-rules without such a file, each with the reason.
const WITHOUT_NEAR_FILE: &[(&str, &str)] = &[
    ("const-buffer-legacy", "the pass knows no file with constant buffers"),
    ("const-one-home", "the pass knows no file with constant buffers"),
    ("const-placeholder-alone", "the pass knows no file with constant buffers"),
    ("del-compile-spec", OTHER_BASE),
    ("del-empty-inline", OTHER_BASE),
    ("del-id", OTHER_BASE),
    ("del-inline-all-referenced", "the pass knows no file with inline blobs"),
    ("del-inline-index", OTHER_BASE),
    ("del-location", OTHER_BASE),
    ("del-processed", OTHER_BASE),
    ("del-segment-index", OTHER_BASE),
    ("del-xnn-size", OTHER_BASE),
    ("eh-program-size-exact", "needs unused bytes between the FlatBuffer and the segments"),
    ("eh-target-32", "needs a file of more than 4 GiB"),
    ("fb-dag-no-amplification", OTHER_BASE),
    ("fb-force-align", "the pass knows no file with constant buffers or inline blobs"),
    ("fb-max-size", "needs a FlatBuffer of 2 GiB"),
    ("fh-target-32", "needs a file of more than 4 GiB"),
    ("ins-arg-range", OTHER_BASE),
    ("ins-args-nonnull", OTHER_BASE),
    ("ins-copy-index-bound", "the pass knows no call of this operator"),
    ("ins-delegate-index", OTHER_BASE),
    ("ins-free-live", "the pass knows no FreeCall"),
    ("ins-free-range", "the pass knows no FreeCall"),
    ("ins-free-type", "the pass knows no FreeCall"),
    ("ins-jump-cond-data", "the pass knows no JumpFalseCall"),
    ("ins-jump-cond-range", "the pass knows no JumpFalseCall"),
    ("ins-jump-cond-type", "the pass knows no JumpFalseCall"),
    ("ins-jump-dest", "the pass knows no JumpFalseCall"),
    ("ins-kernel-key", "the pass knows no call with more than 16 arguments"),
    ("ins-move-range", "the pass knows no MoveCall"),
    ("ins-move-type", "the pass knows no MoveCall"),
    ("ins-nonnull", OTHER_BASE),
    ("ins-op-name-uncalled", OTHER_BASE),
    ("ins-overload-nonnull", OTHER_BASE),
    ("ins-type-known", OTHER_BASE),
    ("mut-distinct", "the pass knows no file with two lists of initial values"),
    ("mut-needs-header", "the pass knows no list of initial values without a segment"),
    ("mut-offset-unused", "differs from mut-bound only in files with faulty offsets"),
    ("mut-seg-unused", "differs from mut-seg-index only in files with a faulty segment index"),
    ("nd-cross-file-unique", "concerns several files, which the checker compares after both passes"),
    ("plan-chain-io", OTHER_BASE),
    ("plan-ncb-device", "the pass knows no file with devices"),
    ("plan-nonempty", OTHER_BASE),
    ("seg-first-zero", OTHER_BASE),
    ("t-external-nonempty", OTHER_BASE),
    ("val-nonnull", "the pass knows only values with a table"),
    ("x-external-found", "concerns several files, which the checker compares after both passes"),
    ("x-external-layout", "concerns several files, which the checker compares after both passes"),
    ("x-external-same-fqn", OTHER_BASE),
    ("x-xnn-key-found", "concerns several files, which the checker compares after both passes"),
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
fn every_rule_has_a_case_one_edit_from_a_plainly_good_file() {
    let cases = all().filter(|case| case.base.and_then(find).is_some_and(is_plain_case));
    let covered: BTreeSet<&str> =
        cases.flat_map(|case| broken(&case.build().bytes, case.target.unwrap_or_default())).collect();
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
