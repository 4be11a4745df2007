//! **What breaking a rule does to a reader that does not check it**, as CWE ids.

use torchproof::rules::Rule;

/// The weaknesses that a file which breaks the rule brings out, the most telling first; none where no id is fitting.
pub(super) fn of(rule: &Rule) -> &'static [&'static str] {
    FAMILIES.iter().find(|(_, rules)| rules.contains(&rule.id)).map_or(&[], |(weaknesses, _)| *weaknesses)
}

/// Out-of-bounds read.
const OVER_READ: &str = "CWE-125";
/// Improper validation of array index.
const INDEX: &str = "CWE-129";
/// A length that contradicts the data.
const LENGTH: &str = "CWE-130";
/// Improper null termination.
const TERMINATION: &str = "CWE-170";
/// Integer overflow or wraparound.
const OVERFLOW: &str = "CWE-190";
/// Signed to unsigned conversion.
const SIGN: &str = "CWE-195";
/// Data amplification.
const AMPLIFICATION: &str = "CWE-409";
/// Two readers that see different things.
const INTERPRETATION: &str = "CWE-436";
/// Modification of data that is assumed to be immutable.
const IMMUTABLE: &str = "CWE-471";
/// Null pointer dereference.
const NULL: &str = "CWE-476";
/// Reachable assertion.
const ASSERTION: &str = "CWE-617";
/// Uncontrolled recursion.
const RECURSION: &str = "CWE-674";
/// Duplicate identifier.
const DUPLICATE: &str = "CWE-694";
/// Allocation without limits.
const ALLOCATION: &str = "CWE-770";
/// Out-of-bounds write.
const OVER_WRITE: &str = "CWE-787";
/// Out-of-range pointer offset.
const POINTER: &str = "CWE-823";
/// Type confusion.
const CONFUSION: &str = "CWE-843";
/// Use of an uninitialised resource.
const UNINITIALISED: &str = "CWE-908";

/// Weaknesses, and the rules whose breaks bring them out; a rule is in one family.
const FAMILIES: &[(&[&str], &[&str])] = &[
    // A place is computed from the file and lies outside of it.
    (
        &[POINTER, OVER_READ],
        &["fb-root-offset-range", "fb-vtable-valid", "fb-uoffset-valid", "eh-base-le-file", "ft-verified"],
    ),
    // A length or count says more than there is, or less than is needed.
    (
        &[LENGTH, OVER_READ],
        &[
            "fb-min-size",
            "fb-vector-in-bounds",
            "eh-truncated",
            "eh-length-min",
            "eh-program-size-range",
            "eh-program-size-includes-header",
            "eh-sum-le-file",
            "fh-truncated",
            "fh-length",
            "seg-within-data",
            "ft-seg-bound",
            "ft-layout-fits-segment",
            "const-offset-bound",
            "const-buffer-legacy",
            "mut-bound",
            "t-dimorder-len",
            "ins-arity",
            "x-external-layout",
            "x-external-same-fqn",
            "bp-input-arity",
            "bp-tensor-data",
        ],
    ),
    (&[POINTER, OVER_WRITE], &["mem-in-buffer"]),
    (&[TERMINATION, OVER_READ], &["fb-string-nul"]),
    // A sum or a product does not fit, and the wrapped one passes the check.
    (
        &[OVERFLOW, OVER_READ],
        &[
            "eh-sum-no-overflow",
            "fh-fb-sum",
            "fh-base-data-sum",
            "seg-end-no-overflow",
            "seg-abs-no-overflow",
            "ft-seg-end-no-overflow",
            "ft-seg-abs-no-overflow",
            "nd-abs-overflow",
            "ptdB-offset",
        ],
    ),
    // The same, of memory that kernels write to.
    (&[OVERFLOW, OVER_WRITE], &["t-numel-overflow", "t-nbytes-overflow", "t-nbytes-32bit", "mem-offset-no-overflow"]),
    (
        &[OVERFLOW],
        &[
            "fb-max-size",
            "ft-layout-nbytes",
            "ptdB-layout-nbytes",
            "eh-32bit",
            "eh-target-32",
            "fh-target-32",
            "t-stride-overflow",
            "mem-offset-64",
        ],
    ),
    (&[SIGN, OVERFLOW], &["ft-layout-sizes-nonneg", "ptdB-layout-sizes-nonneg", "t-sizes-nonneg"]),
    (&[SIGN, ALLOCATION], &["plan-ncb"]),
    (
        &[INDEX, OVER_READ],
        &[
            "seg-index-range",
            "nd-seg-index",
            "ft-seg-index",
            "ptdB-seg-index",
            "const-seg-index",
            "const-buffer-idx",
            "mut-idx-range",
            "mut-seg-index",
            "plan-io-range",
            "ins-arg-range",
            "ins-op-index",
            "ins-delegate-index",
            "ins-jump-cond-range",
            "ins-jump-dest",
            "del-segment-index",
        ],
    ),
    (
        &[INDEX, OVER_WRITE],
        &[
            "ft-layout-rank",
            "ft-layout-perm",
            "ptdB-layout-rank",
            "ptdB-layout-perm",
            "t-rank-max",
            "t-dimorder-perm",
            "mem-id-range",
            "ins-move-range",
            "ins-free-range",
        ],
    ),
    // An index that leads to a value of another type, or out of the values.
    (&[INDEX, CONFUSION], &["val-intlist-indices", "val-tensorlist-indices", "val-opttensorlist-indices"]),
    (&[NULL, INDEX], &["del-inline-index"]),
    // A part that the schema lets be absent is not looked for before it is used.
    (
        &[NULL],
        &[
            "seg-null-table",
            "nd-segments-present",
            "nd-key-nonnull",
            "ft-lists-nonnull",
            "ft-key-nonnull",
            "ft-layout-optional",
            "ft-layout-sizes",
            "ft-layout-dimorder",
            "ptdB-fqn",
            "ptdB-lists-nonnull",
            "ptdB-layout-sizes",
            "ptdB-layout-dimorder",
            "plan-list-nonnull",
            "plan-name",
            "plan-values-nonnull",
            "plan-io-nonnull",
            "plan-delegates-nonnull",
            "plan-operators-nonnull",
            "plan-chains",
            "val-list-items-nonnull",
            "val-string-nonnull",
            "t-sizes-nonnull",
            "t-dimorder-nonnull",
            "t-external",
            "ins-args-nonnull",
            "ins-op-name",
            "del-id",
            "del-processed",
            "del-compile-spec",
            "x-external-found",
            "bp-program",
            "bp-suites",
        ],
    ),
    (&[NULL, CONFUSION], &["fb-union-consistent", "val-nonnull", "ins-nonnull"]),
    (
        &[CONFUSION],
        &[
            "ptdB-detect",
            "plan-io-types",
            "val-type-known",
            "ins-type-known",
            "ins-arg-types",
            "ins-free-type",
            "ins-jump-cond-type",
            "bp-value-type",
        ],
    ),
    (&[UNINITIALISED, CONFUSION], &["val-list-order"]),
    (&[IMMUTABLE], &["plan-inputs-nonconst"]),
    (&[ASSERTION], &["ft-layout-scalar", "ptdB-layout-scalar", "t-scalar-type"]),
    (&[RECURSION], &["fb-max-depth"]),
    (&[ALLOCATION], &["fb-max-tables"]),
    (&[AMPLIFICATION], &["fb-dag-no-amplification"]),
    (&[DUPLICATE, INTERPRETATION], &["nd-key-unique", "nd-cross-file-unique", "ft-key-unique", "ptdB-fqn-unique"]),
    // One reader refuses the file or part, another reads something else in it.
    (
        &[INTERPRETATION],
        &[
            "fb-identifier-exact",
            "fb-string-no-embedded-nul",
            "eh-magic-exact",
            "eh-base-ge-program",
            "eh-base-zero-iff-none",
            "eh-headerless-no-data",
            "fh-required",
            "fh-magic-exact",
            "fh-base-ge-fb",
            "nd-prefix-match",
            "ft-version",
            "const-one-home",
            "const-offsets-placeholder",
            "mut-needs-header",
            "prog-version-zero",
            "plan-ncb-device",
            "t-storage-offset",
            "t-dynamism",
            "t-location-enum",
            "t-device",
            "del-location",
            "bp-identifier",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_named_exists_and_is_in_one_family() {
        let mut named: Vec<&str> = FAMILIES.iter().flat_map(|(_, rules)| rules.iter().copied()).collect();
        for id in &named {
            assert!(torchproof::rules::find(id).is_some(), "{id} is no rule");
        }
        named.sort_unstable();
        assert!(named.windows(2).all(|pair| pair[0] != pair[1]), "{named:?}");
    }

    #[test]
    fn a_rule_without_a_fitting_weakness_has_none() {
        assert_eq!(of(&torchproof::rules::segments::SEG_WITHIN_DATA), ["CWE-130", "CWE-125"]);
        assert!(of(&torchproof::rules::segments::SEG_SORTED).is_empty());
    }
}
