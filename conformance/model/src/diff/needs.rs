//! What the files need from a build, and what `check` says about them.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use torchproof::prediction::{Release, Verification};
use torchproof_text::counted;

use super::change::{Change, by_name, differing};
use crate::inspect::InspectOutput;
use crate::needs::NeedsOutput;

/// What a build that loads A must add for B.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BuildAdditions {
    /// The operators, with their overloads.
    pub operators: Vec<String>,
    /// The ids of backends.
    pub backends: Vec<String>,
    /// The kernel keys of operators that A also uses. Each follows the name of its operator.
    pub kernel_keys: Vec<String>,
}

/// The operators outside delegates that only one file has.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OperatorChanges {
    /// The operators that only B has.
    pub added: Vec<CalledOperator>,
    /// The operators that only A has.
    pub removed: Vec<CalledOperator>,
}

/// An operator and the number of its calls.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CalledOperator {
    /// The name and the overload.
    pub name: String,
    /// The number of kernel calls.
    pub calls: u64,
}

pub(super) fn compare(a: &InspectOutput, b: &InspectOutput, changes: &mut Vec<Change>) {
    let keys = |output: &InspectOutput| -> BTreeMap<String, String> {
        let programs = output.needs.iter().flat_map(|needs| &needs.programs);
        let needed = programs.flat_map(|program| &program.data).map(|need| {
            let ty = need
                .dtype
                .as_ref()
                .map_or(String::new(), |ty| format!("{ty} {:?}, ", need.sizes.as_deref().unwrap_or_default()));
            let found = if need.found_in.is_some() { "found" } else { "in no file" };
            (need.key.clone(), format!("{ty}{found}"))
        });
        needed.collect()
    };
    by_name("data", keys(a), keys(b), changes);
    answers(a, b, changes);
    let findings = |output: &InspectOutput| -> BTreeMap<String, String> {
        let mut rules = BTreeMap::<&str, u64>::new();
        output.check.findings.iter().for_each(|found| *rules.entry(found.rule).or_default() += 1);
        rules.into_iter().map(|(rule, count)| (rule.to_owned(), counted(count, "finding"))).collect()
    };
    by_name("finding", findings(a), findings(b), changes);
}

/// Consecutive releases with the same answers become one change, such as `executorch:1.3.1 to 1.5.1 (minimal)`.
fn answers(a: &InspectOutput, b: &InspectOutput, changes: &mut Vec<Change>) {
    let answers = |output: &InspectOutput| -> BTreeMap<(Verification, Option<Release>), String> {
        let programs = output.needs.iter().flat_map(|needs| &needs.programs);
        let answers = programs.flat_map(|program| &program.check.runtime);
        answers.map(|of| ((of.verification, of.release.parse().ok()), of.prediction.to_string())).collect()
    };
    let (a, b) = (answers(a), answers(b));
    let known: BTreeSet<_> = a.keys().chain(b.keys()).collect();
    let known: Vec<_> = known.into_iter().map(|key| (key, a.get(key), b.get(key))).collect();
    for run in known.chunk_by(|one, other| one.0.0 == other.0.0 && (one.1, one.2) == (other.1, other.2)) {
        let [((level, Some(first)), before, after), ..] = run else { continue };
        let last = run.last().and_then(|(key, ..)| key.1).filter(|last| last != first);
        let to = last.map_or(String::new(), |Release([major, minor, patch])| format!(" to {major}.{minor}.{patch}"));
        let name = format!("{first}{to} ({})", level.name());
        changes.extend(differing("release", &name, before.cloned(), after.cloned()));
    }
}

pub(super) fn build(a: &InspectOutput, b: &InspectOutput) -> BuildAdditions {
    let Some(after) = &b.needs else { return BuildAdditions::default() };
    let empty = NeedsOutput::default();
    let before = a.needs.as_ref().unwrap_or(&empty);
    let keys = after.operators.iter().filter_map(|(name, new)| Some((name, new, before.operators.get(name)?)));
    let keys = keys.flat_map(|(name, new, old)| {
        new.kernel_keys.difference(&old.kernel_keys).map(move |key| format!("{name}: {key}"))
    });
    BuildAdditions {
        kernel_keys: keys.collect(),
        operators: after.operators.keys().filter(|name| !before.operators.contains_key(*name)).cloned().collect(),
        backends: after.backends.keys().filter(|id| !before.backends.contains_key(*id)).cloned().collect(),
    }
}

pub(super) fn outside(a: &InspectOutput, b: &InspectOutput) -> OperatorChanges {
    let only = |one: &InspectOutput, other: &InspectOutput| {
        let known = |name: &String| other.needs.as_ref().is_some_and(|needs| needs.operators.contains_key(name));
        let operators = one.needs.iter().flat_map(|needs| &needs.operators).filter(|(name, _)| !known(name));
        let mut only: Vec<_> =
            operators.map(|(name, operator)| CalledOperator { name: name.clone(), calls: operator.calls }).collect();
        only.sort_by_key(|operator| std::cmp::Reverse(operator.calls));
        only
    };
    OperatorChanges { added: only(b, a), removed: only(a, b) }
}
