//! **What changed between two models**, in meaning and not in bytes.

mod change;
mod distance;
mod methods;
mod needs;
mod stored;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

pub use change::Change;
use change::{by_name, differing};
pub use distance::Distance;
pub use needs::{BuildAdditions, CalledOperator, OperatorChanges};
pub use stored::Compared;

use crate::inspect::{FileOutput, InspectOutput};

/// What changed from file A to file B.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiffOutput {
    /// The first file.
    pub a: FileOutput,
    /// The second file.
    pub b: FileOutput,
    /// `true` if a reader sees no difference. The files can still have different bytes.
    pub same: bool,
    /// The sizes by role and backend, the largest change first.
    pub sizes: Vec<SizeChange>,
    /// The changes, the largest first.
    pub changes: Vec<Change>,
    /// What a build for A lacks to load B.
    pub build: BuildAdditions,
    /// The operators outside delegates.
    pub outside: OperatorChanges,
    /// The number of stored parts that were not compared because their bytes could not be read.
    #[serde(skip_serializing_if = "is_zero")]
    pub unread: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The sizes of the parts with one role.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SizeChange {
    /// The role, as in `bytes.parts` of `inspect`.
    pub role: String,
    /// The backend of delegates' blobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backend: Option<String>,
    /// The size in A.
    pub a: u64,
    /// The size in B.
    pub b: u64,
}

/// Compares two files.
#[must_use]
pub fn diff(a: Compared<'_>, b: Compared<'_>) -> DiffOutput {
    let (before, after) = (a.output, b.output);
    let mut changes = Vec::new();
    files(before, after, &mut changes);
    let unread = stored::compare(a, b, &mut changes);
    methods::compare(before, after, &mut changes);
    needs::compare(before, after, &mut changes);
    changes.sort_by_key(|change| Reverse(change.weight()));
    DiffOutput {
        a: before.file.clone(),
        b: after.file.clone(),
        same: changes.is_empty(),
        sizes: sizes(before, after),
        changes,
        build: needs::build(before, after),
        outside: needs::outside(before, after),
        unread,
    }
}

fn files(a: &InspectOutput, b: &InspectOutput, changes: &mut Vec<Change>) {
    if a.file.kind != b.file.kind {
        changes.push(Change::new("file", "kind", Some(a.file.kind.to_string()), Some(b.file.kind.to_string())));
    }
    changes.extend(differing("file", "version", a.file.version, b.file.version));
    let place = |output: &InspectOutput| {
        let users = output.segments.users.iter().flatten().filter(|user| *user == "constants").count();
        let stored = output.bytes.by_role.iter().any(|role| role.name == "constant");
        stored.then_some(if users > 0 { "in a segment" } else { "in the FlatBuffer" })
    };
    if let (Some(one), Some(other)) = (place(a), place(b))
        && one != other
    {
        changes.push(Change::new("layout", "constants", Some(one.to_owned()), Some(other.to_owned())));
    }
    let header =
        |output: &InspectOutput| output.header.iter().find(|field| field.name == "length").map(|field| field.value);
    changes.extend(differing("layout", "header length", header(a), header(b)));
    changes.extend(differing("layout", "segments", Some(a.segments.offset.len()), Some(b.segments.offset.len())));
    let cases = |output: &InspectOutput| -> BTreeMap<String, String> {
        let text = |cases: u64, bytes: u64| format!("{cases} test cases, {bytes} B");
        output.tests.iter().map(|tests| (tests.method.clone(), text(tests.cases, tests.bytes))).collect()
    };
    by_name("test-data", cases(a), cases(b), changes);
}

fn sizes(a: &InspectOutput, b: &InspectOutput) -> Vec<SizeChange> {
    let mut sizes = BTreeMap::<(String, Option<String>), (u64, u64)>::new();
    for (output, is_after) in [(a, false), (b, true)] {
        let parts = &output.bytes.parts;
        for row in 0..parts.rows() {
            let role = parts.role.get(row).unwrap_or_default().to_owned();
            let sums = sizes.entry((role, parts.backend.get(row).map(str::to_owned))).or_default();
            let sum = if is_after { &mut sums.1 } else { &mut sums.0 };
            *sum = sum.saturating_add(parts.bytes[row]);
        }
    }
    let sizes = sizes.into_iter().map(|((role, backend), (a, b))| SizeChange { role, backend, a, b });
    let mut sizes: Vec<SizeChange> = sizes.collect();
    sizes.sort_by_key(|size| Reverse((size.a.abs_diff(size.b), size.a.max(size.b))));
    sizes
}
