//! Tests `torchproof diff` on pairs of real files.

use std::fs;

use testkit::command::real;
use torchproof_model::diff::Compared;
use torchproof_model::inspect::{Digests, inspect};
use torchproof_model::{ModelFile, diff};

const NAMES: [&str; 10] = [
    "add.pte",
    "add_v1.2.0.pte",
    "conv.pte",
    "linear.pte",
    "linear_external.ptd",
    "linear_v0.2.0.pte",
    "linear_v0.6.0.pte",
    "mlp_external.pte",
    "mlp_xnnpack.pte",
    "multi_method.pte",
];

fn compared(one: &str, other: &str) -> diff::DiffOutput {
    let [a, b] = [one, other].map(|name| fs::read(real(name)).unwrap());
    let [a, b] = [ModelFile::open(one, &a).unwrap(), ModelFile::open(other, &b).unwrap()];
    let [before, after] = [&a, &b].map(|file| inspect(file, &[], &[], Digests::All));
    diff::diff(Compared { file: &a, output: &before, data: &[] }, Compared { file: &b, output: &after, data: &[] })
}

#[test]
fn a_file_equals_only_itself() {
    let schema = testkit::schema::schema("diff.schema.json");
    for one in NAMES {
        for other in NAMES {
            let found = compared(one, other);
            assert_eq!(found.same, one == other, "{one} {other}: {:?}", found.changes);
            testkit::schema::expect_valid(&schema, &serde_json::to_value(&found).unwrap());
            let (grown, shrunk) = (found.sizes.iter().map(|size| size.b), found.sizes.iter().map(|size| size.a));
            assert_eq!((shrunk.sum(), grown.sum()), (found.a.bytes, found.b.bytes), "{one} {other}");
        }
    }
}

/// What A has in addition to B is what B lacks compared to A.
#[test]
fn both_directions_have_the_same_changes() {
    for (one, other) in
        [("linear_v0.6.0.pte", "linear.pte"), ("mlp_external.pte", "mlp_xnnpack.pte"), ("conv.pte", "multi_method.pte")]
    {
        let (there, back) = (compared(one, other), compared(other, one));
        assert_eq!(there.changes.len(), back.changes.len(), "{one} {other}");
        let count =
            |found: &diff::DiffOutput, word| found.changes.iter().filter(|change| change.change == word).count();
        assert_eq!(count(&there, "added"), count(&back, "removed"), "{one} {other}");
        let names = |operators: &[diff::CalledOperator]| {
            operators.iter().map(|operator| operator.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&there.outside.added), names(&back.outside.removed));
    }
}
